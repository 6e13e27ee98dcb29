"""Samples of the ops in ``ops/arrays``."""
