"""CUDA kernels beside CuPy's own."""
