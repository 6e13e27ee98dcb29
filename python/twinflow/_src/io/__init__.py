"""File I/O: file system, TFRecord files, examples."""
