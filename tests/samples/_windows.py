"""Windows over arrays one after the other, for references that compute what they mean."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


def starts(size: int, kernel: int, step: int, padding: str) -> list[int]:
    """Returns where the windows along a dimension begin; before 0 where there is padding."""
    if padding == "VALID":
        return list(range(0, size - kernel + 1, step))
    count = math.ceil(size / step)
    before = max((count - 1) * step + kernel - size, 0) // 2
    return [i * step - before for i in range(count)]


def windows(
    shape: Sequence[int], ksize: Sequence[int], strides: Sequence[int], padding: str
) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """The index of each window and what part of an array it is, for all images and channels at once.

    Args:
        shape: The shape of the array: batch, space, channels.
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
    """
    begins = [
        starts(n, k, s, padding)
        for n, k, s in zip(shape[1:-1], ksize[1:-1], strides[1:-1], strict=True)
    ]
    for index in np.ndindex(*map(len, begins)):
        corner = [b[i] for b, i in zip(begins, index, strict=True)]
        part = tuple(slice(max(c, 0), c + k) for c, k in zip(corner, ksize[1:-1], strict=True))
        yield (slice(None), *index), (slice(None), *part)


def pooled_shape(
    shape: Sequence[int], ksize: Sequence[int], strides: Sequence[int], padding: str
) -> tuple[int, ...]:
    """The shape of what pooling gives."""
    sizes = zip(shape[1:-1], ksize[1:-1], strides[1:-1], strict=True)
    return (shape[0], *(len(starts(*each, padding)) for each in sizes), shape[-1])
