"""The public names that are bound when they are first asked for."""
