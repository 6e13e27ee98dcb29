"""The Python side of the R frontend."""
