"""Samples of the ops in ``ops/nn``."""
