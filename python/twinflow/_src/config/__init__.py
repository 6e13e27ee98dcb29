"""``tf.config``: the settings of the process."""
