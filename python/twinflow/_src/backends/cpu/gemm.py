"""Products of two matrices on the threads of BLAS, where these give the bits of our thread pool.

OpenBLAS' threads spin, so that they start at once; but beside a process that occupies a core they
wait for each other, and a product of a third of a millisecond takes fifty. Our threads sleep, and take
50 microseconds to wake. Products of a shape that occurs again are therefore left to the library, but
not for a while after one has taken far too long, nor where our threads are in use, which those of the
library would slow down. The library's order of additions depends on its version, the processor, the
number of threads and the shape; both ways are compared to the bit for each shape, once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu import blas
from twinflow._src.backends.cpu.parallel import idle_seconds

Product = Callable[[Any, Any], Any]

# Seconds, and multiplications of float32 a second, that BLAS threads take at most if they have cores of
# their own; the shortest and the longest time without them if they took longer.
_GRACE, _RATE, _SHORTEST, _LONGEST = 5e-3, 1 << 33, 0.2, 10.0
# Seconds that they spin on after a product.
_SPIN = 0.03
# Products of a shape before the two ways are compared, which takes as long as five; elements of a matrix
# at most, as the comparison allocates its like; shapes at most.
_OCCURRENCES, _ELEMENTS, _CAPACITY = 10, 1 << 22, 1024


class Backoff:
    """An exponential back-off: after work that took too long, none is due for a while."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._pause, self._end = clock, _SHORTEST, -math.inf

    def is_due(self) -> bool:
        """True unless work has taken too long lately."""
        return self._clock() >= self._end

    def run(self, work: Callable[[], Any], seconds: float) -> Any:
        """Calls a function; pauses if it took longer than it may, each time twice as long."""
        start = self._clock()
        result = work()
        now = self._clock()
        if now - start > seconds:
            self._end, self._pause = now + self._pause, min(2 * self._pause, _LONGEST)
        elif now > self._end + self._pause:
            self._pause = _SHORTEST
        return result


# The products on BLAS threads.
spinning = Backoff()
# By dtype, shapes, orders and number of threads: how often it occurred, then if both ways agree.
_shapes: dict[Any, int | bool] = {}


def multiply(a: Any, b: Any, ours: Product) -> Any:
    """Returns the product of two matrices as ``ours`` computes it on our threads, or by BLAS'."""
    threads = blas.threads()
    if threads < 2 or idle_seconds() <= _SPIN or not spinning.is_due() or not _is_plain(a, b):
        return ours(a, b)
    key = a.dtype.char, a.shape, b.shape, a.flags.c_contiguous, b.flags.c_contiguous, threads
    state = _shapes.get(key, 0)
    if state is False or (state is not True and not _agree(key, state, a, b, ours)):
        return ours(a, b)
    work = a.size * b.shape[1] * a.itemsize / 4
    return spinning.run(lambda: np.matmul(a, b), _GRACE + work / _RATE)


def _is_plain(a: Any, b: Any) -> bool:
    """True for contiguous matrices, but for one and its transpose, which BLAS treats differently."""
    views = a.base is b or b.base is a or (a.base is not None and a.base is b.base)
    largest = max(a.size, b.size, len(a) * b.shape[1])
    return a.flags.forc and b.flags.forc and not views and largest <= _ELEMENTS


def _agree(key: Any, occurrences: int, a: Any, b: Any, ours: Product) -> bool:
    """Counts an occurrence of a shape; from some number on, returns True if both ways agree."""
    if len(_shapes) >= _CAPACITY:
        _shapes.clear()
    _shapes[key] = occurrences + 1
    if occurrences < _OCCURRENCES:
        return False
    rng = np.random.default_rng(0)
    x, y = (_like(matrix, rng) for matrix in (a, b))
    with blas.alone():  # as products are while other threads are in this context
        single = np.matmul(x, y)
    spun = blas.on_all_threads(lambda: np.matmul(x, y))
    if spun is None:
        return False
    _shapes[key] = agree = ours(x, y).tobytes() == single.tobytes() == spun.tobytes()
    return agree


def _like(x: Any, rng: np.random.Generator) -> Any:
    """Returns random numbers in the shape, dtype and order of a matrix."""
    numbers = rng.random(x.shape) - 0.5
    if x.dtype.kind == "c":
        numbers = numbers + 1j * numbers[::-1]
    return numbers.astype(x.dtype, order="C" if x.flags.c_contiguous else "F")
