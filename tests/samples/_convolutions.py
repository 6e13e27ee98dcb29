"""Derivatives of convolutions as sums over windows, for references."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._values import wide
from ._windows import starts


def _pairs(shape: Any, kernel: Any, strides: Any, padding: str) -> Any:
    """Each window's index, each place in it, and the place in the array, where it is in the array."""
    begins = [
        starts(n, k, s, padding) for n, k, s in zip(shape[1:-1], kernel, strides[1:-1], strict=True)
    ]
    for index in np.ndindex(*map(len, begins)):
        for place in np.ndindex(*kernel):
            at = tuple(b[i] + p for b, i, p in zip(begins, index, place, strict=True))
            if all(0 <= a < n for a, n in zip(at, shape[1:-1], strict=True)):
                yield (slice(None), *index), place, (slice(None), *at)


def by_input(sizes: Any, filters: Any, dy: Any, strides: Any, padding: str) -> Any:
    """The derivative of a convolution by its input."""
    result, kernel = np.zeros(sizes), filters.shape[:-2]
    for index, place, at in _pairs(sizes, kernel, strides, padding):
        result[at] += wide(dy)[index] @ wide(filters)[place].T
    return result.astype(dy.dtype)


def by_filters(x: Any, sizes: Any, dy: Any, strides: Any, padding: str) -> Any:
    """The derivative of a convolution by its filters."""
    result = np.zeros(sizes)
    for index, place, at in _pairs(x.shape, sizes[:-2], strides, padding):
        result[place] += wide(x)[at].T @ wide(dy)[index]
    return result.astype(dy.dtype)


def each_by_input(sizes: Any, filters: Any, dy: Any, strides: Any, padding: str) -> Any:
    """The derivative of a convolution of each channel by its input."""
    result, kernel = np.zeros(sizes), filters.shape[:2]
    apart = wide(dy).reshape(*dy.shape[:3], *filters.shape[2:])
    for index, place, at in _pairs(sizes, kernel, strides, padding):
        result[at] += (apart[index] * wide(filters)[place]).sum(-1)
    return result.astype(dy.dtype)


def each_by_filters(x: Any, sizes: Any, dy: Any, strides: Any, padding: str) -> Any:
    """The derivative of a convolution of each channel by its filters."""
    result = np.zeros(sizes)
    apart = wide(dy).reshape(*dy.shape[:3], *sizes[2:])
    for index, place, at in _pairs(x.shape, sizes[:2], strides, padding):
        result[place] += (apart[index] * wide(x)[at][..., None]).sum(0)
    return result.astype(dy.dtype)
