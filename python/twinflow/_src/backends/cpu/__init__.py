"""The CPU backend: NumPy, a thread pool, blocked kernels."""
