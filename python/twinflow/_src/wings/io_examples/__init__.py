"""``tf.train.Example`` and its parsing."""
