"""``tf.summary``: event files for TensorBoard."""
