"""Ops on sound."""
