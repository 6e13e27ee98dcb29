"""Conversion of Python, NumPy and DLPack values into tensors."""
