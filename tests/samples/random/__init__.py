"""Samples of the ops in ``ops/random``."""
