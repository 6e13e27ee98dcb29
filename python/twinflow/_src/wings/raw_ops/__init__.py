"""``tf.raw_ops``: operations by their types, computed from the op table and TensorFlow's recorded definitions."""
