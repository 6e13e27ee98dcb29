# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsIndex

def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Returns the elements of each row for which a mask is True."""

def constant(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: SupportsIndex | None = None,
    inner_shape: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = ...,
) -> Any:
    """Creates a ragged tensor from a nested Python list."""

def cross(inputs: Any, name: str | None = None) -> Any:
    """Returns the feature cross of columns as strings joined by ``_X_``, as a ragged tensor."""

def cross_hashed(
    inputs: Any,
    num_buckets: SupportsIndex = 0,
    hash_key: SupportsIndex | None = None,
    name: str | None = None,
) -> Any:
    """Returns the feature cross of columns as hashes, as a ragged tensor."""

def map_flat_values(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Applies a function to the flat values of ragged tensors."""

def range(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = ...,
) -> Any:
    """Returns a ragged tensor of ranges, a row for each start."""

def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """Converts row splits to segment ids, the row of each element."""

def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """Converts segment ids, the row of each element, to row splits."""

def stack(values: Any, axis: SupportsIndex = 0, name: str | None = None) -> Any:
    """Stacks tensors of one rank, whose shapes may differ, into a ragged tensor."""

def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> Any:
    """Stacks the dynamic partitions of a tensor as the rows of a ragged tensor."""
