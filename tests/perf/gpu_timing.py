"""Times work of a GPU: ours and others' in turns; and what the card can do.

A figure is the median of several rounds. Work that the card has most to do with is timed until the card is done, what
mostly the host has to do with is timed over so many calls that waiting for the last one does not count.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

SAMPLE = 0.02  # seconds
ROUNDS, LEAST_ROUNDS, LONGEST = 15, 5, 4.0  # fewer rounds where a row would take more seconds
WARM, SLOW = (
    12,
    0.05,
)  # calls before anything is measured; fewer of slow ones, once what has to be compiled is
LARGE, SMALL = 1.05, 2e-6  # the budgets: of CuPy's time; seconds over CuPy's
NAMES = ("twinflow", "CuPy", "PyTorch")


class Row(NamedTuple):
    """A measurement: seconds of each side, and the least that the card needs.

    Attributes:
        above: What ours takes more than the one that the budget is set against: the median of all rounds.
        against: That one's name.
        note: What went wrong.
    """

    what: str
    seconds: tuple[float | None, ...] = (None, None, None)
    limit: float | None = None
    above: float | None = None
    against: str = "CuPy"
    note: str = ""

    @property
    def budget(self) -> str:
        """The budget of a row."""
        if self.against != "CuPy":
            return f"at most {self.against}'s time"
        large = (self.seconds[1] or 0) * (LARGE - 1) > SMALL
        return (
            f"at most {LARGE} of CuPy's time"
            if large
            else f"at most {SMALL * 1e6:.0f} us over CuPy"
        )

    @property
    def kept(self) -> bool | None:
        """True if it was; None where there is nothing to compare with."""
        if self.above is None:
            return None
        other = self.seconds[NAMES.index(self.against)] or 0
        return self.above <= (max(SMALL, (LARGE - 1) * other) if self.against == "CuPy" else 0)

    @property
    def verdict(self) -> str:
        """The same in words."""
        words = {True: f"ok: {self.budget}", False: f"OVER: {self.budget}", None: "-"}[self.kept]
        return (
            f"{words}; {self.note}" if self.note and self.kept is not None else self.note or words
        )


def row(
    wait: Callable[[], None],
    what: str,
    *functions: Any,
    limit: float | None = None,
    against: str = "CuPy",
) -> Row:
    """Measures ours, CuPy's and PyTorch's way to do something; None stands for one that is not there.

    Args:
        wait: Waits for the card.
        what: What it is.
        *functions: The three.
        limit: The least seconds that the card needs.
        against: Whose time the budget is set against; where CuPy has no such function it is PyTorch's.
    """
    counts, notes = [], []
    for name, function in zip(NAMES, functions, strict=True):
        try:
            counts.append(_count(wait, function) if function is not None else 0)
        except (
            Exception
        ) as error:  # the rows that follow, and the others of this one, are worth as much
            counts.append(0)
            notes.append(f"{name} FAILED: {told(error)}")
    try:
        times = _in_turns(wait, functions, counts)
    except Exception as error:
        return Row(what, limit=limit, note=f"FAILED: {told(error)}")
    seconds = tuple(statistics.median(t) if t else None for t in times)
    if against == "CuPy" and functions[1] is None:
        against = "PyTorch"
    both = list(zip(times[0], times[NAMES.index(against)], strict=False))
    above = statistics.median(own - other for own, other in both) if both else None
    return Row(what, seconds, limit, above, against, "; ".join(notes))


def told(error: Exception) -> str:
    """An error in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}".replace("|", "/")


def _in_turns(wait: Callable[[], None], functions: Any, counts: list[int]) -> list[list[float]]:
    """The seconds of a call of each function, round by round; a function whose count is 0 has none."""
    times: list[list[float]] = [[] for _ in functions]
    start = time.perf_counter()
    for turn in range(ROUNDS):
        if turn >= LEAST_ROUNDS and time.perf_counter() - start > LONGEST:
            break
        for function, count, found in zip(functions, counts, times, strict=True):
            if count:
                found.append(_timed(wait, function, count) / count)
    return times


def _count(wait: Callable[[], None], function: Callable[[], Any]) -> int:
    """Returns how many calls fill a sample, once everything is compiled, traced and remembered."""
    for i in range(WARM):
        if _timed(wait, function, 1) > SLOW and i > 3:
            break
    count = 1
    while (took := _timed(wait, function, count)) < SAMPLE:
        count = max(2 * count, int(count * SAMPLE / max(took, 1e-7)))
    return count


def _timed(wait: Callable[[], None], function: Callable[[], Any], count: int) -> float:
    wait()
    start = time.perf_counter()
    for _ in range(count):
        function()
    wait()
    return time.perf_counter() - start


class Card:
    """Limits of the card, measured first, which raises its clocks, too.

    Attributes:
        bandwidth: Bytes a second, of a copy in its memory: what is read and what is written.
        flops: float32 operations a second, of a product of matrices.
        up: Bytes a second to the card, from pinned memory.
        down: Bytes a second from it.
        cache: The bytes of its cache.
    """

    def __init__(self, cupy: Any, wait: Callable[[], None], matrix: int = 8192) -> None:
        self._cupy, self._wait = cupy, wait
        self.cache = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)["l2CacheSize"]
        free = cupy.cuda.runtime.memGetInfo()[0]
        normal = cupy.random.standard_normal
        square = normal((matrix, matrix), dtype=cupy.float32)
        self.flops = 2 * matrix**3 / self._seconds(lambda: cupy.matmul(square, square))
        x = normal(min(1 << 28, free // 32), dtype=cupy.float32)
        y = cupy.empty_like(x)
        self.bandwidth = 2 * x.nbytes / self._seconds(lambda: cupy.copyto(y, x))
        self.up, self.down = self._bus(x[: 1 << 26])

    def _seconds(self, function: Callable[[], Any]) -> float:
        found = row(self._wait, "", function, None, None).seconds[0]
        if found is None:
            raise MemoryError("there is no room to measure what the card can do")
        return found

    def _bus(self, x: Any) -> tuple[float, float]:
        from cupyx import empty_pinned

        runtime, pinned = self._cupy.cuda.runtime, empty_pinned(x.shape, np.float32)
        host, there, size = pinned.ctypes.data, x.data.ptr, x.nbytes
        copy = runtime.memcpyAsync
        down = self._seconds(lambda: copy(host, there, size, runtime.memcpyDeviceToHost, 0))
        up = self._seconds(lambda: copy(there, host, size, runtime.memcpyHostToDevice, 0))
        return size / up, size / down

    def seconds(self, size: float, flops: float = 0) -> float | None:
        """The least time for work; None where all of its bytes may stay in the card's cache.

        Args:
            size: The bytes that are read and written at least.
            flops: The operations.
        """
        moved = size / self.bandwidth if size >= 4 * self.cache else 0
        return max(moved, flops / self.flops) or None

    def clear(self, torch: Any) -> None:
        """Gives back the memory that nobody uses."""
        gc.collect()
        self._cupy.get_default_memory_pool().free_all_blocks()
        self._cupy.get_default_pinned_memory_pool().free_all_blocks()
        if torch is not None:
            torch.cuda.empty_cache()

    def __str__(self) -> str:
        return (
            f"The card: {self.bandwidth / 1e9:,.0f} GB/s in its memory, {self.flops / 1e12:,.1f} TFLOP/s of float32, "
            f"{self.up / 1e9:,.1f} GB/s from pinned memory and {self.down / 1e9:,.1f} GB/s to it, {self.cache >> 20} MiB of cache"
        )
