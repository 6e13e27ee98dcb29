"""Shape inference functions, by families of ops."""
