"""Ops that read and update variables, and those on files."""
