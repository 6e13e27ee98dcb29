"""Types and functions of the program's own beside TensorFlow's."""
