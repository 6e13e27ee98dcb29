"""The GPU backend: CuPy, streams, transfers."""
