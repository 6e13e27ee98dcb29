"""Ops that work element by element: arithmetic, elementary functions, comparisons, casts."""
