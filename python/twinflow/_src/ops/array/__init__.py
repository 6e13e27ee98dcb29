"""Array ops: shapes, concatenation, slicing, gather, scatter, padding, sorting."""
