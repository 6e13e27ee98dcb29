"""Ops on ragged tensors."""
