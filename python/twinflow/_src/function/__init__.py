"""``tf.function``: Python functions that are traced into graphs, and the ways to run these."""
