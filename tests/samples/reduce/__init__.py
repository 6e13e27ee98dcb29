"""Samples of the ops in ``ops/reductions``."""
