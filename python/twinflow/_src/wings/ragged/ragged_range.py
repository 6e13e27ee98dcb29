"""``tf.ragged.range``, and conversion between row splits and segment ids."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.row_partition import integers, splits_by_lengths
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import as_dtype, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API, Type, export, op

# Ragged ranges.


_TYPES = frozenset((dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64))


def _rows(starts: Any, limits: Any, deltas: Any, **_: Any) -> list[Any]:
    given = (starts, limits, deltas)
    if any(dims is None for dims in given):
        return [(None,), (None,)]
    sizes = [dims[0] for dims in given if dims]
    count = sizes[0] if sizes else 1
    return [(None if count is None else count + 1,), (None,)]


@op("RaggedRange", shape=_rows, dtypes=_TYPES, devices=("CPU",), no_gradient=True)
def ragged_range(
    xp: Any, starts: Any, limits: Any, deltas: Any, *, Tsplits: Type = int64
) -> list[Any]:
    """Returns a ragged tensor of ranges, a row for each start.

    Args:
        starts: The first values, a vector or a scalar.
        limits: The exclusive limits.
        deltas: The increments.
        Tsplits: The dtype of the row splits.

    Returns:
        The row splits, and the flat values.

    Raises:
        InvalidArgumentError: A delta is 0, or the arguments differ in size.
    """
    given = {"starts": starts, "limits": limits, "deltas": deltas}
    for name, array in given.items():
        if array.ndim > 1:
            raise invalid(f"{name} must be a scalar or vector")
    if len({len(a) for a in given.values() if a.ndim}) > 1:
        raise invalid("starts, limits, and deltas must have the same shape")
    first, last, step = np.broadcast_arrays(*(np.atleast_1d(a) for a in given.values()))
    if (step == 0).any():
        raise invalid("Requires delta != 0")
    wide = [a.astype(np.float64) for a in (first, last, step)]
    counts = np.maximum(np.ceil((wide[1] - wide[0]) / wide[2]), 0).astype(np.int64)
    splits = np.concatenate([[0], np.cumsum(counts)])
    within = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
    values = np.repeat(first, counts) + within.astype(first.dtype) * np.repeat(step, counts)
    return [splits.astype(Tsplits.np), values.astype(first.dtype)]


# Public functions.


@export("ragged.range")
def range_(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Returns a ragged tensor of ranges, a row for each start.

    Args:
        starts: The first values; the limits if ``limits`` is None, with 0 as first values.
        limits: The exclusive limits.
        deltas: The increments.
        dtype: The dtype; that of the arguments if None.
        name: A name for the operation.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor.

    Raises:
        InvalidArgumentError: A delta is 0, or the arguments differ in size.
    """
    if limits is None:
        starts, limits = 0, starts
    named = {"starts": starts, "limits": limits, "deltas": deltas}
    given = [convert_to_tensor(x, dtype=dtype, name=name) for name, x in named.items()]
    if dtype is None:
        common = _widest([x.dtype for x in given])
        given = [API["cast"](x, common) for x in given]
    splits, values = ragged_range(*given, Tsplits=as_dtype(row_splits_dtype))
    return RaggedTensor._of(values, splits)


_ORDER = (dtypes.int32, int64, dtypes.float32, dtypes.float64)


def _widest(types: list[dtypes.DType]) -> dtypes.DType:
    """Returns the widest of several dtypes."""
    return max(types, key=lambda t: _ORDER.index(t) if t in _ORDER else len(_ORDER))


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """Converts row splits to segment ids, the row of each element.

    Args:
        splits: Row splits.
        name: A name for the operation.
        out_type: int32 or int64; that of the splits if None.

    Returns:
        An integer vector.

    Raises:
        ValueError: There are no splits.
    """
    tensor = convert_to_tensor(splits, dtype_hint=int64)
    if tensor.dtype not in (int32, int64):
        raise ValueError("splits must have dtype int32 or int64")
    tensor.shape.assert_has_rank(1)
    if tensor.shape[0] == 0:
        raise ValueError("Invalid row_splits: []")
    wanted = as_dtype(out_type or tensor.dtype)
    count = API["shape"](tensor, out_type=wanted)[0] - 1
    return API["repeat"](API["range"](count), tensor[1:] - tensor[:-1], axis=0)


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """Converts segment ids, the row of each element, to row splits.

    Args:
        segment_ids: The row of each element.
        num_segments: The number of rows; inferred from the last segment id if None.
        out_type: int32 or int64; int64 for Python values if None.
        name: A name for the operation.

    Returns:
        An integer vector.

    Raises:
        TypeError: The segment ids are not integers.
    """
    plain = not isinstance(segment_ids, (Tensor, np.ndarray))
    ids = integers(segment_ids, "segment_ids", 1, int64 if plain else None)
    wanted = as_dtype(out_type or ids.dtype)
    count = None
    if num_segments is not None:
        count = API["cast"](integers(num_segments, "num_segments", 0), int32)
    lengths = API["math.bincount"](
        API["cast"](ids, int32), minlength=count, maxlength=count, dtype=wanted
    )
    return splits_by_lengths(lengths)
