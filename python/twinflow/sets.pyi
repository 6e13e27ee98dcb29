# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor

def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Computes the set difference of the last dimension of two tensors."""

def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Computes the set intersection of the last dimension of two tensors."""

def size(a: Any, validate_indices: bool = True) -> Any:
    """Computes the number of unique elements along the last dimension of a sparse tensor."""

def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Computes the set union of the last dimension of two tensors."""
