"""``tf.function``: tracing of Python functions to graphs, and their execution."""
