"""``tf.lookup``: lookup tables."""
