"""Samples of the ops in ``ops/strings``."""
