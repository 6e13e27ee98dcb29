"""Times expressions alternately with the bare work beneath them."""

from __future__ import annotations

import statistics
import time
import timeit
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from . import limits

WARM = 12  # calls before anything is measured
# Seconds in one sample: of a small operation; and after a rest, which leaves caches cold, or of what programs do in rounds.
SAMPLE, LONG_SAMPLE = 1e-3, 3e-2


class Row(NamedTuple):
    """A measurement: seconds, and the budget as a ratio or in seconds."""

    what: str
    seconds: float
    bare: float | None = None
    ratio: float | None = None
    most: float | None = None
    most_seconds: float | None = None
    note: str = ""
    limit: float | None = None  # the least seconds that the machine can do it in

    @property
    def verdict(self) -> str:
        """True if the budget was kept; a dash where there is none."""
        if self.most is not None and self.ratio is not None:
            return "ok" if self.ratio <= self.most else "OVER"
        if self.most_seconds is not None:
            return "ok" if self.seconds <= self.most_seconds else "OVER"
        return "-"


class Pair(NamedTuple):
    """An expression, the bare work beneath it, and the budget."""

    what: str
    ours: Callable[[], Any]
    bare: Callable[[], Any]
    most: float | None = None
    most_seconds: float | None = None
    bytes: float = 0  # what has to be read and written at least
    products: float = 0  # and multiplied and added
    rounds: bool = False  # whether programs do it again and again, so that caches are warm


def calls_per_sample(function: Callable[[], Any], sample: float) -> int:
    """Returns how often to call a function in one sample of so many seconds."""
    timer = timeit.Timer(function)
    for _ in range(WARM):  # the first calls may trace, or make what later ones find
        if timer.timeit(1) > LONG_SAMPLE:
            break
    number = 1
    while (took := timer.timeit(number)) < sample and number < 1_000_000:
        number = max(number * 2, int(number * sample / max(took, 1e-9)))
    return number


def after(rest: float, timer: timeit.Timer, number: int) -> float:
    """Seconds of a call, some time after what ran before."""
    time.sleep(rest)
    return timer.timeit(number) / number


def measured(pairs: list[Pair], rounds: int, rest: float = 0) -> Iterator[Row]:
    """A row for each pair: medians over the rounds, and of the ratio round by round.

    Args:
        pairs: What is measured.
        rounds: How often.
        rest: Seconds between two samples: the threads of OpenBLAS go on spinning for a while after NumPy's products,
            and take half of a core from whoever comes next.

    Each round times every pair once, so that what else the machine does for a second or two falls on
    a few samples of each row and not on all samples of one.
    """
    sample = [LONG_SAMPLE if rest or pair.rounds else SAMPLE for pair in pairs]
    timers = [
        [(timeit.Timer(f), calls_per_sample(f, s)) for f in (p.ours, p.bare)]
        for p, s in zip(pairs, sample, strict=True)
    ]
    samples: list[list[list[float]]] = [[] for _ in pairs]
    for _ in range(rounds):
        for times, both in zip(samples, timers, strict=True):
            times.append([after(rest, timer, n) for timer, n in both])
    for pair, times in zip(pairs, samples, strict=True):
        ours, bare = (statistics.median(t[i] for t in times) for i in (0, 1))
        ratio = statistics.median(a / b for a, b in times)
        known = pair.bytes or pair.products
        limit = limits.measured().seconds(pair.bytes, pair.products) if known else None
        yield Row(pair.what, ours, bare, ratio, pair.most, pair.most_seconds, limit=limit)


def in_units(seconds: float | None) -> str:
    """Seconds for people."""
    if seconds is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"
