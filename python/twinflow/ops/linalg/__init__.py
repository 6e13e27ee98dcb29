"""Ops on matrices."""
