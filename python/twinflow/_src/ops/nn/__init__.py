"""Ops of neural networks, but for those on windows."""
