"""``tf.compat.v1.train.Saver``: variables of graphs in checkpoints."""
