"""Batched matrix functions on the host's thread pool."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu import blas

# Larger matrices are left to BLAS threads, which for smaller ones spend their time on
# synchronization. Less work than the minimum is not split.
_LARGE, _LEAST = 1024, 1 << 16
_PARTS = 16


def over_batch(xp: Any, function: Callable[..., Any], *arrays: Any) -> Any:
    """Calls a matrix function for chunks of the batch, in parallel."""
    first = arrays[0]
    if xp is not np or max(first.shape[-2:]) > _LARGE:
        return function(*arrays)
    batch = len(first) if first.ndim > 2 else 1
    if batch < 2 or first.size * min(first.shape[-2:]) < _LEAST:
        with blas.alone():
            return function(*arrays)
    chunks = blas.parts(batch, 1, _PARTS)
    results: list[Any] = [None] * len(chunks)

    def work(i: int) -> None:
        results[i] = function(*(array[chunks[i]] for array in arrays))

    blas.each(np, work, range(len(chunks)))
    if isinstance(results[0], tuple):
        return tuple(np.concatenate(column) for column in zip(*results))
    return np.concatenate(results)
