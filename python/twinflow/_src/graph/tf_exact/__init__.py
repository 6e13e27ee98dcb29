"""Names and structure of TensorFlow's graphs, visible in files and to programs that use names."""
