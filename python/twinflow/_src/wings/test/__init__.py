"""``tf.test``: test cases, numerical gradients and what tests ask of the machine."""
