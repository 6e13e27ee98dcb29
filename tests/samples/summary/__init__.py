"""Samples of the ops in ``_src/wings/summary``."""
