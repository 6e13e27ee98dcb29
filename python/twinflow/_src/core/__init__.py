"""Errors, dtypes, shapes, devices, context and tensors."""
