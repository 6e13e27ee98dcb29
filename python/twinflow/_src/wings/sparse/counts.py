"""Bincount of dense, sparse and ragged tensors to sparse or dense tensors."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Kind, export, op
from twinflow._src.ops.array.shapes import reshape
from twinflow._src.ops.reduce.bincount import bin_count
from twinflow._src.shape_rules.demands import value_dims, vector
from twinflow._src.wings.sparse.parts import HOST, Lengths, Places, depth, infer_new_indices

# Bincount of dense, sparse and ragged tensors to sparse tensors (``tf.sparse.bincount``).


_EITHER = frozenset((int32, int64))
_COUNTS = _EITHER | {dtypes.float32, dtypes.float64}
Values = Annotated[Any, Kind("T", default=int32, allowed=_EITHER)]
Weights = Annotated[Any, Kind("output_type", allowed=_COUNTS)]
Splits = Annotated[Any, Kind("splits", only=int64)]


def _sparsely(rank: int | None) -> list[Any]:
    return [*infer_new_indices(rank), (rank,)]


def _count_sparsely(
    rows: Any, values: Any, weights: Any, batches: int | None, limits: tuple[int, int], binary: bool
) -> list[Any]:
    """Returns sparse counts of integers by row.

    ``weights`` is empty for weights of 1; ``batches`` is None for a vector of counts; ``limits`` are the
    minimum and maximum number of counts, -1 for none; ``binary`` counts each integer once.
    """
    if weights.size and weights.shape != values.shape:
        raise invalid(
            "Weights and data must have the same shape. Weight shape: "
            f"{text(weights.shape)}; data shape: {text(values.shape)}"
        )
    if (values < 0).any():
        raise invalid("Input values must all be non-negative")
    least, most = limits
    size = most if most > 0 else max(int(values.max(initial=0)) + 1, least)
    is_kept = values < most if most > 0 else np.ones(values.shape, bool)
    keys, which = np.unique(rows[is_kept] * size + values[is_kept], return_inverse=True)
    result = np.zeros(len(keys), weights.dtype)
    if binary:
        result[:] = 1
    else:
        np.add.at(result, which.reshape(-1), weights[is_kept] if weights.size else 1)
    indices = np.stack(np.divmod(keys, max(size, 1)), axis=1).astype(np.int64)
    shape = [size] if batches is None else [batches, size]
    indices = np.ascontiguousarray(indices[:, -len(shape) :])
    return [indices, result, np.array(shape, np.int64)]


@op(
    "DenseCountSparseOutput",
    shape=lambda values, weights, **_: _sparsely(None if values is None else len(values)),
    devices=HOST,
)
def _dense_count(
    xp: Any,
    values: Values,
    weights: Weights,
    *,
    binary_output: bool,
    minlength: int = -1,
    maxlength: int = -1,
) -> list[Any]:
    """Counts the occurrences of integers in a vector or in each matrix row, as a sparse tensor."""
    if values.ndim not in (1, 2):
        raise invalid(f"Input tensor must be of rank 1 or 2, but is of rank {values.ndim}")
    batches = len(values) if values.ndim == 2 else None
    rows = np.zeros(values.shape, np.int64) + np.arange(batches or 1)[:, None]
    rows = rows.reshape(values.shape)
    return _count_sparsely(rows, values, weights, batches, (minlength, maxlength), binary_output)


@op(
    "SparseCountSparseOutput",
    shape=lambda indices, *_, **__: _sparsely(depth(indices)),
    devices=HOST,
)
def _sparse_count(
    xp: Any,
    indices: Places,
    values: Values,
    dense_shape: Lengths,
    weights: Weights,
    *,
    binary_output: bool,
    minlength: int = -1,
    maxlength: int = -1,
) -> list[Any]:
    """Counts the occurrences of integers in each row of a sparse matrix, as a sparse tensor."""
    batches = int(dense_shape[0]) if len(dense_shape) > 1 else None
    rows = indices[:, 0] if batches is not None else np.zeros(len(values), np.int64)
    return _count_sparsely(rows, values, weights, batches, (minlength, maxlength), binary_output)


@op("RaggedCountSparseOutput", shape=lambda *_, **__: _sparsely(2), devices=HOST)
def _ragged_count(
    xp: Any,
    splits: Splits,
    values: Values,
    weights: Weights,
    *,
    binary_output: bool,
    minlength: int = -1,
    maxlength: int = -1,
) -> list[Any]:
    """Counts the occurrences of integers in each row of a ragged tensor, as a sparse tensor."""
    batches = len(splits) - 1
    rows = np.repeat(np.arange(batches), np.diff(splits))
    return _count_sparsely(rows, values, weights, batches, (minlength, maxlength), binary_output)


# ------------------------------------------------------------------ tf.sparse.bincount


def _weights(values: Any, weights: Any) -> Any:
    """Returns the flat weights of a tensor of the same kind; an empty tensor for None."""
    if weights is None:
        inner = values.values if isinstance(values, SparseTensor) else values
        inner = inner.flat_values if is_ragged(inner) else inner
        return convert_to_tensor([], dtype=inner.dtype if inner.dtype in _EITHER else int32)
    if isinstance(values, SparseTensor):
        if not isinstance(weights, SparseTensor):
            raise ValueError(
                "Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received "
                f"weights={weights} of type: {type(weights).__name__}"
            )
        return weights.values
    if is_ragged(values):
        if not is_ragged(weights):
            raise ValueError(
                "`weights` must be a RaggedTensor if `values` is a RaggedTensor. Received "
                f"argument weights={weights} of type: {type(weights).__name__}."
            )
        return weights.values
    return weights


@export("sparse.bincount")
def bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """Counts the occurrences of each integer, as a sparse tensor.

    Args:
        values: Non-negative integers: a dense, sparse or ragged tensor.
        weights: The weight of each integer, a tensor of the same kind and shape; 1 if None.
        axis: -1 to count each row separately; 0 or None to count all elements.
        minlength: The minimum number of counts.
        maxlength: The maximum number of counts; larger integers are ignored.
        binary_output: If True, returns 1 for each integer that occurs instead of its count.

    Returns:
        A sparse tensor of counts.

    Raises:
        ValueError: The axis is not supported, or the weights are of another kind.
        InvalidArgumentError: An integer is negative, or the number of weights differs.
    """
    values, weights = (_tensor(x) for x in (values, weights))
    if weights is not None and binary_output:
        raise ValueError(
            "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one."
        )
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )
    if axis != -1:
        checked = None if weights is None else _weights(values, weights)
        values = getattr(values, "values", None) if _composite(values) else reshape(values, [-1])
        weights = checked if checked is None or _composite(checked) else reshape(checked, [-1])
    counts = _weights(values, weights)
    options = {
        "minlength": -1 if minlength is None else int(minlength),
        "maxlength": -1 if maxlength is None else int(maxlength),
        "binary_output": binary_output,
    }
    if isinstance(values, SparseTensor):
        parts = (values.indices, values.values, values.dense_shape)
        return SparseTensor(*_sparse_count(*parts, counts, **options))
    if is_ragged(values):
        return SparseTensor(*_ragged_count(values.row_splits, values.values, counts, **options))
    return SparseTensor(*_dense_count(values, counts, **options))


def _composite(value: Any) -> bool:
    return isinstance(value, SparseTensor) or is_ragged(value)


def _tensor(value: Any) -> Any:
    return value if value is None or _composite(value) else convert_to_tensor(value)


# Bincount of sparse and ragged tensors to dense tensors.


Integers = Annotated[Any, Kind("Tidx", default=int32, allowed=_EITHER)]
Size = Annotated[Any, Kind("Tidx", default=int32, allowed=_EITHER, host=True)]


def _known_size(size: Any) -> int | None:
    return int(size.reshape(-1)[0]) if isinstance(size, np.ndarray) and size.size else None


def _count_densely(
    rows: Any, values: Any, size: int, weights: Any, shape: Any, binary: bool
) -> Any:
    """Counts integers by row; ``rows`` are the row indices of the values."""
    if size < 0:
        raise invalid(f"size ({size}) must be non-negative")
    if (values < 0).any():
        raise invalid("Input must be non-negative")
    is_kept = values < size
    result = np.zeros(shape, weights.dtype)
    index = rows[is_kept] * size + values[is_kept]
    flat = result.reshape(-1)
    if binary:
        flat[index] = 1
    else:
        np.add.at(flat, index, weights[is_kept] if weights.size else 1)
    return result


def _sparse_shape(
    indices: Any, values: Any, dense_shape: Any, size: Any, weights: Any, **_: Any
) -> Any:
    rank = vector(value_dims(dense_shape))
    if not isinstance(dense_shape, np.ndarray):
        return None
    count = _known_size(size)
    return (count,) if rank == 1 or not rank else (int(dense_shape[0]), count)


@op("SparseBincount", shape=_sparse_shape, dtypes=_COUNTS, devices=HOST, no_gradient=True)
def sparse_bincount(
    xp: Any,
    indices: Places,
    values: Integers,
    dense_shape: Lengths,
    size: Size,
    weights: Any,
    *,
    binary_output: bool = False,
) -> Any:
    """Counts the occurrences of integers in a sparse vector or in each row of a sparse matrix."""
    count = int(size.reshape(-1)[0])
    alone = len(dense_shape) == 1
    rows = np.zeros(len(values), np.int64) if alone else indices[:, 0]
    shape = (count,) if alone else (int(dense_shape[0]), count)
    return _count_densely(rows, values, count, weights, shape, binary_output)


@op(
    "RaggedBincount",
    shape=lambda splits, values, size, weights, **_: (
        splits[0] - 1 if splits and splits[0] is not None else None,
        _known_size(size),
    ),
    dtypes=_COUNTS,
    devices=HOST,
    no_gradient=True,
)
def ragged_bincount(
    xp: Any,
    splits: Splits,
    values: Integers,
    size: Size,
    weights: Any,
    *,
    binary_output: bool = False,
) -> Any:
    """Counts the occurrences of integers in each row of a ragged matrix."""
    count, batches = int(size.reshape(-1)[0]), len(splits) - 1
    rows = np.repeat(np.arange(batches), np.diff(splits))
    return _count_densely(rows, values, count, weights, (batches, count), binary_output)


def dense_bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Any:
    """Implements ``tf.math.bincount`` for sparse and ragged tensors."""
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
    count = bin_count(flat, minlength, maxlength)
    weight_values = convert_to_tensor([], dtype=dtype) if of_each is None else of_each
    if isinstance(arr, SparseTensor):
        parts = (arr.indices, flat, arr.dense_shape)
        return sparse_bincount(*parts, count, weight_values, binary_output=binary_output)
    splits = API["cast"](arr.row_splits, int64)
    return ragged_bincount(splits, flat, count, weight_values, binary_output=binary_output)
