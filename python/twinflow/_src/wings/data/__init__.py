"""``tf.data``: datasets, iterators, readers."""
