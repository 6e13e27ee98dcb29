"""Ops that make few numbers of many: reductions, running sums, counts, segments."""
