"""Ops on byte strings."""
