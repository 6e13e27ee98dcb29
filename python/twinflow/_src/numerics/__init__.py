"""Numerical algorithms on arrays that several families of ops share."""
