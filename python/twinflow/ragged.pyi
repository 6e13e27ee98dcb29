# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Returns the elements of each row where a mask is true."""

def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: SupportsIndex | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = ...,
) -> Any:
    """Makes a ragged tensor of nested lists of different lengths."""

def cross(inputs: Any, name: str | None = None) -> Any:
    """Returns every combination of what several columns hold in a row, joined to strings by ``_X_``."""

def cross_hashed(
    inputs: Any,
    num_buckets: SupportsIndex = 0,
    hash_key: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Returns hashes of every combination of what several columns hold in a row."""

def map_flat_values(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Applies a function to the innermost values of ragged tensors."""

def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = ...,
) -> Any:
    """Returns a row of evenly spaced numbers for each start."""

def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """Returns the row of each element, given where rows begin and end."""

def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """Returns where rows begin and end, given the row of each element."""

def stack(values: Any, axis: SupportsIndex = 0, name: str | None = None) -> Any:
    """Stacks tensors of one rank, whose shapes may differ, along a new dimension."""

def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> Any:
    """Returns the elements that belong to each of several parts, a row for each part."""
