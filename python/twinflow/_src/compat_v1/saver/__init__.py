"""``tf.compat.v1.train.Saver``: checkpoints of variables by name."""
