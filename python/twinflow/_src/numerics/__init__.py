"""Numerical algorithms on arrays, shared by families of ops."""
