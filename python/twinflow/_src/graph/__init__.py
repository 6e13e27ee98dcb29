"""Graphs: operations that are added now and run later."""
