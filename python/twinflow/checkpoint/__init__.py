"""TensorFlow's checkpoint files, read and written: tables, tensors in shards, the state of a directory.

Nothing here is imported before a program saves or restores something.
"""
