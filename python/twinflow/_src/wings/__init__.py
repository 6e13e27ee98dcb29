"""Parts of TensorFlow's API that the core does not need."""
