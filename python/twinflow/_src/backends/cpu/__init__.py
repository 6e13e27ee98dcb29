"""The CPU backend: NumPy, thread pool, blocked kernels."""
