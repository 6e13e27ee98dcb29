"""Sessions: execution of graphs in TensorFlow 1 style."""
