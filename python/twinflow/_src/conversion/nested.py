"""Nested Python sequences: their shape, their leaves, and strings in them as arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from twinflow._src.conversion.sequences import as_bytes


def is_sequence(value: Any) -> bool:
    """Whether a value is a sequence of leaves rather than a leaf."""
    return isinstance(value, (list, tuple)) or (
        isinstance(value, (Sequence, bytearray, memoryview)) and not isinstance(value, (str, bytes))
    )


def first_path(value: Any) -> tuple[int, ...]:
    """The shape that the first elements of a nested sequence suggest."""
    shape: list[int] = []
    while is_sequence(value) or (isinstance(value, np.ndarray) and value.ndim):
        shape.append(len(value))
        if not len(value):
            break
        value = value[0]
    return tuple(shape)


def leaves_of(value: Any) -> Iterator[Any]:
    """The elements of nested lists, one after the other."""
    if isinstance(value, np.ndarray):
        yield from value.ravel().tolist()
    elif is_sequence(value):
        for item in value:
            yield from leaves_of(item)
    else:
        yield value


def string_array(value: Any) -> np.ndarray[Any, Any]:
    """Strings in nested lists as an array of bytes."""
    if not is_sequence(value):
        result = np.empty((), object)
        result[()] = as_bytes(value)
        return result
    shape, items = first_path(value), [value]
    for size in shape:
        if any(isinstance(row, (str, bytes)) or len(row) != size for row in items):
            raise ValueError("rows of different lengths")
        items = list(itertools.chain.from_iterable(items))
    if not all(isinstance(item, (str, bytes)) for item in items):
        raise ValueError("rows of different depths")
    flat = np.empty(len(items), object)
    flat[:] = list(map(as_bytes, items))
    return flat.reshape(shape)
