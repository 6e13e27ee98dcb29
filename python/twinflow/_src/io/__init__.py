"""Files that programs read and write: the file system, records, examples."""
