"""Sparse tensors for samples: their three parts, and the dense arrays that they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._values import counted, ints

Array = np.ndarray[Any, Any]


def longs(*values: Any) -> Array:
    """An int64 array."""
    return np.array(values, np.int64)


def parts(dtype: str = "float32", shape: Any = (3, 4), step: int = 3) -> tuple[Array, Array, Array]:
    """The indices, values and shape of a tensor of which every few elements are there."""
    where = np.arange(0, int(np.prod(shape)), step)
    places = np.stack(np.unravel_index(where, shape), axis=1).astype(np.int64)
    return places, counted((len(where),), dtype), ints(*shape, dtype="int64")


def nothing(dtype: str = "float32", shape: Any = (3, 4)) -> tuple[Array, Array, Array]:
    """The parts of a tensor without elements."""
    return np.zeros((0, len(shape)), np.int64), counted((0,), dtype), ints(*shape, dtype="int64")


def dense(places: Array, values: Array, shape: Array, empty: Any = 0) -> Array:
    """The dense array of the same elements."""
    result = np.full(
        tuple(shape.tolist()), b"" if values.dtype.kind == "O" else empty, values.dtype
    )
    result[tuple(places.T)] = values
    return result


def there(places: Array, values: Array, shape: Array) -> Array:
    """Returns where there are elements."""
    return dense(places, np.ones(len(values), bool), shape)


def read(array: Array, mask: Array) -> list[Array]:
    """The indices and the values of a dense array where a mask is true."""
    return [np.argwhere(mask).astype(np.int64), array[mask]]
