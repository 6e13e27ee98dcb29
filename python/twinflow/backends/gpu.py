"""The GPUs that were found, or why none was."""
