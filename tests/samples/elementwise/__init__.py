"""Samples of the ops in ``ops/elementary``."""
