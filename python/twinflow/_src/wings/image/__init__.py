"""``tf.image``: functions that compose the ops on images."""
