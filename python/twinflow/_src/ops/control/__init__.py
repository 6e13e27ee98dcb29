"""Control flow ops, assertions and Python function calls."""
