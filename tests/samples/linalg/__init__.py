"""Samples of the ops in ``ops/linalg``."""
