"""``tf.test``: test cases, numerical gradients, benchmarks and queries of the machine."""
