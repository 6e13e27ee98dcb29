"""Sessions: what runs parts of a graph for programs in the style of TensorFlow 1."""
