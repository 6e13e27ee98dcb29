"""Rows as splits, and as the row of each element."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes
from .constant import convert_to_tensor
from .dtypes import as_dtype, int64
from .op import export
from .ragged_tensor import RaggedTensor
from .tensor import Tensor


@export("ragged.range")
def range_(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Returns a row of evenly spaced numbers for each start.

    Args:
        starts: The first numbers; the limits where these are None, and 0 the first numbers.
        limits: The ends, which are left out.
        deltas: The steps.
        dtype: The type; that of the arguments where None.
        name: A name for the operation.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor.

    Raises:
        InvalidArgumentError: A step is 0, or the arguments differ in size.
    """
    if limits is None:
        starts, limits = 0, starts
    given = [
        np.asarray(convert_to_tensor(x, dtype=dtype)._host()) for x in (starts, limits, deltas)
    ]
    if dtype is None:
        common = np.result_type(*given)
        given = [x.astype(common) for x in given]
    first, last, step = np.broadcast_arrays(*(np.atleast_1d(x) for x in given))
    if (step == 0).any():
        raise dtypes_error("Requires delta != 0")
    counts = np.maximum(np.ceil((last - first) / step), 0).astype(np.int64)
    splits = np.concatenate([[0], np.cumsum(counts)])
    within = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
    values = np.repeat(first, counts) + within.astype(first.dtype) * np.repeat(step, counts)
    splits = splits.astype(as_dtype(row_splits_dtype).np)
    return RaggedTensor(convert_to_tensor(values.astype(first.dtype)), convert_to_tensor(splits))


def dtypes_error(message: str) -> Exception:
    from .errors import invalid

    return invalid(message)


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """Returns the row of each element, given where rows begin and end.

    Args:
        splits: Row splits.
        name: A name for the operation.
        out_type: int32 or int64; that of the splits where None.

    Returns:
        An integer vector.

    Raises:
        ValueError: There are no splits.
    """
    tensor = convert_to_tensor(splits, dtype_hint=int64)
    if tensor.dtype not in (dtypes.int32, int64):
        raise ValueError("splits must have dtype int32 or int64")
    if tensor.shape[0] == 0:
        raise ValueError("Invalid row_splits: []")
    lengths = np.diff(tensor._host())
    ids = np.repeat(np.arange(len(lengths)), lengths)
    return convert_to_tensor(ids.astype(as_dtype(out_type or tensor.dtype).np))


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """Returns where rows begin and end, given the row of each element.

    Args:
        segment_ids: The row of each element.
        num_segments: The number of rows; one more than the last where None.
        out_type: int32 or int64; int64 for Python values where None.
        name: A name for the operation.

    Returns:
        An integer vector.
    """
    plain = not isinstance(segment_ids, (Tensor, np.ndarray))
    ids = convert_to_tensor(segment_ids, dtype=int64 if plain else None)
    wanted = as_dtype(out_type or ids.dtype)
    least = 0 if num_segments is None else int(num_segments)
    counts = np.bincount(ids._host(), minlength=least)
    return convert_to_tensor(np.concatenate([[0], np.cumsum(counts)]).astype(wanted.np))
