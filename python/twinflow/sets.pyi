# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor

def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Returns the elements that one set has and another has not."""

def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Returns the elements that two sets have in common."""

def size(a: Any, validate_indices: bool = True) -> Any:
    """Returns the number of different elements of sets."""

def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Returns the elements that one of two sets has."""
