"""``tf.profiler.experimental``: profiles of programs in files that TensorBoard's profiler reads."""
