"""Ops on variables, checkpoints and files."""
