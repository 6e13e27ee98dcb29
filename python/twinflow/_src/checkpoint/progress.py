"""A line in the terminal that says how far a save or a restore has come."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

_PATIENCE, _PAUSE = 2.0, 0.1  # seconds before the line appears, and between two versions of it
_WIDTH = 30


class Bar:
    """What is called with the bytes done and those of all; it shows nothing where that is quick.

    Args:
        doing: What the line begins with.
        stream: Where it goes; standard error where None. Nothing is shown where nobody watches.
    """

    def __init__(self, doing: str, stream: Any = None) -> None:
        self._doing, self._stream = doing, stream or sys.stderr
        self._start, self._next = time.monotonic(), time.monotonic() + _PATIENCE
        self._shown = False

    def __call__(self, done: int, whole: int) -> None:
        now = time.monotonic()
        ends = self._shown and done >= whole
        if not ends and (now < self._next or not self._stream.isatty()):
            return
        self._next, self._shown = now + _PAUSE, not ends
        self._stream.write("\r" + self._line(done, whole, now - self._start) + "\x1b[K" + "\n" * ends)
        self._stream.flush()

    def _line(self, done: int, whole: int, seconds: float) -> str:
        share = min(done / whole, 1.0) if whole else 1.0
        bar = ("=" * round(share * _WIDTH)).ljust(_WIDTH)
        left = seconds * (1.0 / share - 1.0) if share else 0.0
        time_ = f"{seconds:.0f} s" if share == 1.0 else f"{left:.0f} s left"
        return f"{self._doing} [{bar}] {share:4.0%} of {_size(whole)}, {time_}"


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def told(progress: Callable[[int, int], Any] | bool | None, doing: str) -> Callable[[int, int], Any] | None:
    """What is to be called with the bytes done and those of all.

    Args:
        progress: A function; True for a line in the terminal; None or False for nothing.
        doing: What the line begins with.
    """
    if callable(progress):
        return progress
    return Bar(doing) if progress else None
