"""Limits of the machine: memory bandwidth and the speed of matrix products.

A row that says how many bytes it must move, or multiplications it must do, is set against these.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

_BYTES, _SIZE = 1 << 27, 2048


class Limits(NamedTuple):
    """Bytes and multiplications with additions, each in a second."""

    bytes: float
    products: float

    def seconds(self, bytes: float, products: float) -> float | None:
        """The least time for so much work; None where a row does not say how much it is."""
        return max(bytes / self.bytes, products / self.products) or None


def _best(function: Callable[[], Any], times: int = 7) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return min(taken)


@functools.cache
def measured() -> Limits:
    """Copies memory with one thread and with all, multiplies matrices; the best counts."""
    import numpy as np

    cores = os.cpu_count() or 1
    source, target = np.ones(_BYTES, np.uint8), np.ones(_BYTES, np.uint8)
    step = -(-_BYTES // cores)
    parts = [slice(start, start + step) for start in range(0, _BYTES, step)]
    copy: Callable[[slice], None] = lambda part: np.copyto(target[part], source[part])
    with ThreadPoolExecutor(cores) as pool:
        together = _best(lambda: list(pool.map(copy, parts)))
    copying = min(together, _best(lambda: np.copyto(target, source)))
    matrix = np.ones((_SIZE, _SIZE), np.float32)
    return Limits(2 * _BYTES / copying, _SIZE**3 / _best(lambda: np.matmul(matrix, matrix), 5))
