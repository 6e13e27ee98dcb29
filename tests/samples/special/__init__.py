"""Samples of the ops in ``ops/special``."""
