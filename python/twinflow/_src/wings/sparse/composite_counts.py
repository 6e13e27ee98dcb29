"""Bincount of sparse and ragged tensors to dense tensors, and dispatch of ops on sparse tensors."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes, nest
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.execute import COMPOSITES, execute
from twinflow._src.dispatch.op import API, Kind, op
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.shape_rules.demands import value_dims, vector
from twinflow._src.wings.sparse.parts import HOST, Lengths, Places

# Bincount of sparse and ragged tensors to dense tensors.


_EITHER = frozenset((int32, int64))
_COUNTED = _EITHER | {dtypes.float32, dtypes.float64}
Values = Annotated[Any, Kind("Tidx", default=int32, allowed=_EITHER)]
Size = Annotated[Any, Kind("Tidx", default=int32, allowed=_EITHER, host=True)]
Splits = Annotated[Any, Kind("splits", only=int64)]


def _known_size(size: Any) -> int | None:
    return int(size.reshape(-1)[0]) if isinstance(size, np.ndarray) and size.size else None


def _counts(rows: Any, values: Any, size: int, weights: Any, shape: Any, binary: bool) -> Any:
    """Counts integers by row; ``rows`` are the row indices of the values."""
    if size < 0:
        raise invalid(f"size ({size}) must be non-negative")
    if (values < 0).any():
        raise invalid("Input must be non-negative")
    kept = values < size
    result = np.zeros(shape, weights.dtype)
    place = rows[kept] * size + values[kept]
    flat = result.reshape(-1)
    if binary:
        flat[place] = 1
    else:
        np.add.at(flat, place, weights[kept] if weights.size else 1)
    return result


def _sparse_shape(
    indices: Any, values: Any, dense_shape: Any, size: Any, weights: Any, **_: Any
) -> Any:
    rank = vector(value_dims(dense_shape))
    if not isinstance(dense_shape, np.ndarray):
        return None
    count = _known_size(size)
    return (count,) if rank == 1 or not rank else (int(dense_shape[0]), count)


@op("SparseBincount", shape=_sparse_shape, dtypes=_COUNTED, devices=HOST, no_gradient=True)
def sparse_bincount(
    xp: Any,
    indices: Places,
    values: Values,
    dense_shape: Lengths,
    size: Size,
    weights: Any,
    *,
    binary_output: bool = False,
) -> Any:
    """Counts the occurrences of integers in a sparse vector or in each row of a sparse matrix.

    Args:
        indices: The indices of the sparse tensor.
        values: The integers.
        dense_shape: The dense shape.
        size: The number of counts; larger integers are ignored.
        weights: The weight of each integer; empty for weights of 1.
        binary_output: If True, returns 1 for each integer that occurs instead of its count.

    Returns:
        A tensor of counts.

    Raises:
        InvalidArgumentError: An integer is negative.
    """
    count = int(size.reshape(-1)[0])
    alone = len(dense_shape) == 1
    rows = np.zeros(len(values), np.int64) if alone else indices[:, 0]
    shape = (count,) if alone else (int(dense_shape[0]), count)
    return _counts(rows, values, count, weights, shape, binary_output)


@op(
    "RaggedBincount",
    shape=lambda splits, values, size, weights, **_: (
        splits[0] - 1 if splits and splits[0] is not None else None,
        _known_size(size),
    ),
    dtypes=_COUNTED,
    devices=HOST,
    no_gradient=True,
)
def ragged_bincount(
    xp: Any,
    splits: Splits,
    values: Values,
    size: Size,
    weights: Any,
    *,
    binary_output: bool = False,
) -> Any:
    """Counts the occurrences of integers in each row of a ragged matrix.

    Args:
        splits: The row splits.
        values: The integers.
        size: The number of counts; larger integers are ignored.
        weights: The weight of each integer; empty for weights of 1.
        binary_output: If True, returns 1 for each integer that occurs instead of its count.

    Returns:
        A tensor of counts.

    Raises:
        InvalidArgumentError: An integer is negative.
    """
    count, batches = int(size.reshape(-1)[0]), len(splits) - 1
    rows = np.repeat(np.arange(batches), np.diff(splits))
    return _counts(rows, values, count, weights, (batches, count), binary_output)


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Any:
    """Counts the occurrences of integers in a sparse or ragged tensor: see ``tf.math.bincount``.

    Args:
        arr: A sparse or ragged tensor of non-negative integers.
        weights: The weight of each element, a tensor of the same kind; 1 if None.
        minlength: The minimum number of counts.
        maxlength: The maximum number of counts; larger integers are ignored.
        dtype: The dtype of the counts; that of the weights if not None.
        name: A name for the operation.
        axis: -1 to count the rows for themselves; all elements if None or 0.
        binary_output: If True, returns 1 for each integer that occurs instead of its count.

    Returns:
        A tensor of counts.

    Raises:
        ValueError: The axis is not supported.
        InvalidArgumentError: An integer is negative.
    """
    flat = arr.flat_values if is_ragged(arr) else arr.values
    of_each = (
        None if weights is None else weights.flat_values if is_ragged(weights) else weights.values
    )
    if axis in (None, 0):
        return API["math.bincount"](
            flat, of_each, minlength, maxlength, dtype, binary_output=binary_output
        )
    if axis != -1:
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    size = int(API["reduce_max"](flat)) + 1 if flat.shape[0] else 0
    size = size if minlength is None else max(int(minlength), size)
    size = size if maxlength is None else min(int(maxlength), size)
    count = convert_to_tensor(size, dtype=flat.dtype)
    given = convert_to_tensor([], dtype=dtype) if of_each is None else of_each
    if isinstance(arr, SparseTensor):
        parts = (arr.indices, flat, arr.dense_shape)
        return sparse_bincount(*parts, count, given, binary_output=binary_output)
    splits = API["cast"](arr.row_splits, int64)
    return ragged_bincount(splits, flat, count, given, binary_output=binary_output)


# Dispatch of ops outside ``tf.sparse`` that accept sparse tensors.


def dispatched(op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an op with a sparse input.

    Returns NotImplemented for ops that do not accept sparse tensors.
    """
    if op is OPS["Identity"]:
        return nest.map_structure(
            lambda part: execute(op, [part], attrs), inputs[0], expand_composites=True
        )
    if op.keeps_zero:
        return inputs[0].with_values(execute(op, [inputs[0].values], attrs))
    if op is OPS["Mul"] and not isinstance(inputs[0], SparseTensor):
        return inputs[1] * inputs[0]
    if op is OPS["Shape"]:
        return API["cast"](inputs[0].dense_shape, attrs["out_type"])
    return NotImplemented


COMPOSITES[SparseTensor] = dispatched
