"""Public modules; the implementation is private."""
