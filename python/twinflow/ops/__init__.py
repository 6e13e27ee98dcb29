"""The operations, a file a family. An op is added in its family's file and nowhere else."""

from . import arithmetic, array, compare, linalg, math, nn, operators, reduce, slicing, state, strings

__all__ = [
    "arithmetic",
    "array",
    "compare",
    "linalg",
    "math",
    "nn",
    "operators",
    "reduce",
    "slicing",
    "state",
    "strings",
]
