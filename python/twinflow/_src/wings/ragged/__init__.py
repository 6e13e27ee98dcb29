"""Ragged tensors, and ops and functions that accept them."""
