"""Samples of the ops in ``ops/windows``."""
