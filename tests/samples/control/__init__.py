"""Samples of the ops in ``ops/control``."""
