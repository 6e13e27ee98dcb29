"""Samples of the ops in ``ops/audio``."""
