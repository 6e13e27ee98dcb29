"""Samples of the ops in ``ops/ragged``."""
