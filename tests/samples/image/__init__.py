"""Samples of the ops in ``_src/ops/image``."""
