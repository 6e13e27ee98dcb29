"""``tf.raw_ops``: ops by type, derived from the op table and TensorFlow's op definitions."""
