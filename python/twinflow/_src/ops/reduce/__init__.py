"""Reductions, cumulative ops, counts and segment reductions."""
