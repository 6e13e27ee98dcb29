"""Initializers: objects that make the first values of variables."""
