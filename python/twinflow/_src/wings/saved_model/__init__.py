"""TensorFlow's SavedModel format: programs with their variables, in directories."""
