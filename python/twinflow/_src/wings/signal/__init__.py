"""Ops on signals: transforms, frames, windows."""
