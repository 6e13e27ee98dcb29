"""``tf.compat.v1``: the API of TensorFlow 1."""
