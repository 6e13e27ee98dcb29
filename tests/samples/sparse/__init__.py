"""Samples of the ops in ``ops/sparse``."""
