"""Samples of the ops in ``ops/signal``."""
