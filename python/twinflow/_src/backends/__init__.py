"""Backends of the device kinds: array modules, kernels, transfers."""
