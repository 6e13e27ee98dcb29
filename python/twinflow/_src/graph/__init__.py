"""Graphs: operations that are described now and run later, and the plans that run them."""
