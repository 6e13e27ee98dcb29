"""Ops on sparse tensors and on sets."""
