"""Initializers of variables."""
