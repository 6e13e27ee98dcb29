"""Graphs in files: the messages that TensorFlow's files hold, written and read."""
