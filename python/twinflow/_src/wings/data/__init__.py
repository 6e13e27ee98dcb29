"""``tf.data``: input pipelines."""
