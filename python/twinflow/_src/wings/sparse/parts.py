"""Helpers of sparse ops: input checks, row-major flat indices, shape functions."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorValue
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Kind
from twinflow._src.shape_rules.demands import value_dims, vector

# Indices on the device; a shape or another vector of sizes in host memory.
Places = Annotated[Any, Kind("places", only=int64)]
Lengths = Annotated[Any, Kind("lengths", only=int64, host=True)]
# The same with a configurable dtype.
_EITHER = frozenset((int32, int64))
AnyPlaces = Annotated[Any, Kind("Tindices", default=int64, allowed=_EITHER)]
AnyLengths = Annotated[Any, Kind("Tindices", default=int64, allowed=_EITHER, host=True)]
HOST = ("CPU",)


def sparse(x: Any) -> SparseTensor:
    """Returns a sparse tensor or that of a ``SparseTensorValue``; raises TypeError otherwise."""
    x = from_session(x)
    if not isinstance(x, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return x


def from_session(x: Any) -> Any:
    """Converts a ``SparseTensorValue`` to a sparse tensor; returns other values unchanged."""
    return SparseTensor.from_value(x) if isinstance(x, SparseTensorValue) else x


def to_tensor(x: Any) -> Any:
    """Returns a sparse tensor unchanged, other values as dense tensors."""
    x = from_session(x)
    return x if isinstance(x, SparseTensor) else convert_to_tensor(x)


def check_range(indices: Any, shape: Any) -> None:
    """Raises an error if an index is out of range of the shape."""
    outside = ((indices < 0) | (indices >= shape)).any(axis=1)
    if outside.any():
        i = int(outside.argmax())
        raise invalid(
            f"Sparse index tuple indices[{i}, :] = [{', '.join(map(str, indices[i].tolist()))}] is out of bounds"
        )


def flatten_indices(indices: Any, shape: Any) -> Any:
    """Returns the int64 row-major flat indices of a matrix of indices."""
    result = np.zeros(len(indices), np.int64)
    for column, size in zip(indices.T, shape, strict=True):
        result = result * int(size) + column
    return result


def unflatten_indices(flat: Any, shape: Any) -> Any:
    """Converts row-major flat indices to a matrix of indices, the inverse of ``flatten_indices``.

    Positions outside the shape get a first index that is out of range.
    """
    columns: list[Any] = []
    for size in reversed([int(n) for n in shape[1:]]):
        flat, column = np.divmod(flat, size) if size else (np.zeros_like(flat), np.zeros_like(flat))
        columns.insert(0, column)
    columns = [flat, *columns] if len(shape) else []
    return np.stack(columns, axis=1) if columns else np.zeros((len(flat), 0), np.int64)


def lexsort(indices: Any) -> Any:
    """Returns the stable permutation that sorts rows of indices."""
    if not indices.shape[1]:
        return np.arange(len(indices))
    return np.lexsort(indices.T[::-1])


def find_runs(indices: Any, columns: Any) -> Any:
    """Returns a mask that is True at the first row of each run that agrees in some columns."""
    new = np.ones(len(indices), bool)
    if len(indices):
        new[1:] = (indices[1:, columns] != indices[:-1, columns]).any(axis=1)
    return new


# ------------------------------------------------------------------ shape functions


def count(indices: Any) -> int | None:
    """Returns the number of elements, from the shape of a matrix of indices."""
    return indices[0] if indices else None


def depth(indices: Any, shape: Any = None) -> int | None:
    """Returns the rank, from the shape of a matrix of indices or the static value of a shape."""
    if isinstance(shape, (np.ndarray, list)):
        return vector(value_dims(shape))
    return indices[1] if indices is not None and len(indices) == 2 else None


def sizes(shape: Any) -> Any:
    """Returns the dimensions from the static value of a shape."""
    if isinstance(shape, np.ndarray):
        return tuple(int(n) for n in shape.reshape(-1))
    return tuple(shape) if isinstance(shape, list) else None


def infer_new_indices(rank: int | None) -> list[Any]:
    """Returns the shapes of indices and values whose number depends on values."""
    return [(None, rank), (None,)]


def infer_new_tensor(indices: Any, _: Any, shape: Any, *__: Any) -> list[Any]:
    """Returns the shapes of the parts of a sparse tensor of the rank of the first input."""
    rank = depth(indices, shape)
    return [*infer_new_indices(rank), (rank,)]


def infer_same_indices(indices: Any, values: Any, *_: Any, **__: Any) -> list[Any]:
    """Returns the shape of values with unchanged indices."""
    return [indices, values]


def check_rank(first: Any, second: Any) -> None:
    """Raises InvalidArgumentError if two shapes differ in rank or size."""
    for i, (m, n) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        if m != n:
            raise invalid(f"Operands' shapes do not match: got {m} and {n} for dimension {i}")


def check_order(indices: Any, shape: Any) -> None:
    """Raises InvalidArgumentError unless indices are in range, sorted and unique."""
    inside = (indices >= 0) & (indices < np.asarray(shape))
    if inside.all() and (np.diff(flatten_indices(indices, shape)) > 0).all():
        return
    outside = ~inside.all(axis=1)
    steps = np.diff(
        flatten_indices(np.clip(indices, 0, np.maximum(np.asarray(shape) - 1, 0)), shape)
    )
    bad = outside | np.concatenate([[False], steps <= 0])[: len(indices)]
    i = int(bad.argmax())
    what = f"indices[{i}] = {text(tuple(indices[i].tolist()))}"
    if outside[i]:
        raise invalid(f"{what} is out of bounds: need 0 <= index < {text(tuple(shape))}")
    if not steps[i - 1]:
        raise invalid(f"{what} is repeated")
    raise invalid(
        f"{what} is out of order. Many sparse ops require sorted indices.\n"
        "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n"
    )
