"""Ops on sliding windows: convolutions and pooling."""
