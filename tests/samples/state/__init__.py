"""Samples of the ops in ``ops/state``."""
