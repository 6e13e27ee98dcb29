"""Public names, bound lazily on first access."""
