"""What holds the elements of a queue; threads wait here."""

from __future__ import annotations

import itertools
import random
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from twinflow._src.core.context import thread
from twinflow._src.core.errors import CancelledError, DeadlineExceededError, OutOfRangeError
from twinflow._src.core.fork import around_forks, is_own

Element = tuple[Any, ...]
_numbers = itertools.count()
_stores: weakref.WeakSet[Store] = weakref.WeakSet()


class Store:
    """Elements in the order in which they came.

    Args:
        kind: What messages call the queue.
        capacity: How many elements it holds; any number where negative.
        least: How many stay while it is open.
    """

    def __init__(self, kind: str, capacity: int, least: int = 0) -> None:
        self._kind, self._capacity, self._least = kind, capacity, least
        self._held: list[Element] = []
        self._changed, self.closed, self._number = threading.Condition(), False, next(_numbers)
        _stores.add(self)

    def __len__(self) -> int:
        return len(self._held)

    def _full(self) -> bool:
        return 0 <= self._capacity <= len(self._held)

    def put(self, elements: list[Element]) -> None:
        """Adds elements, and waits for room.

        Args:
            elements: The elements.

        Raises:
            CancelledError: The queue is closed.
            DeadlineExceededError: The time of the session's run is over.
        """
        with self._changed:
            for element in elements:
                self._wait_for(lambda: self.closed or not self._full())
                if self.closed:
                    raise CancelledError(None, None, f"{self._kind} '{self._number}' is closed.")
                self._held.append(element)
                self._changed.notify_all()

    def take(self, count: int, fewer: bool = False) -> list[Element]:
        """Removes elements, and waits for them.

        Args:
            count: How many.
            fewer: Whether a closed queue may give fewer of them.

        Raises:
            OutOfRangeError: The queue is closed and does not have so many.
            DeadlineExceededError: The time of the session's run is over.
        """
        with self._changed:
            self._wait_for(lambda: self.closed or len(self._held) >= count + self._least)
            if len(self._held) < count and not (fewer and self._held):
                raise OutOfRangeError(
                    None,
                    None,
                    f"{self._kind} '{self._number}' is closed and has insufficient elements (requested {count}, current "
                    f"size {len(self._held)})",
                )
            found = [self._next() for _ in range(min(count, len(self._held)))]
            self._changed.notify_all()
            return found

    def _wait_for(self, holds: Callable[[], bool]) -> None:
        """Waits for a condition, as long as the run of the session may."""
        left = None if thread.deadline is None else max(0.0, thread.deadline - time.monotonic())
        if not self._changed.wait_for(holds, left):
            raise DeadlineExceededError(None, None, "Graph execution error:\n\nTimed out waiting for notification")

    def _next(self) -> Element:
        return self._held.pop(0)

    def close(self) -> None:
        """Lets nothing more in."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()


class Sorted(Store):
    """Elements of which the one with the smallest first component comes first."""

    def _next(self) -> Element:
        place = min(range(len(self._held)), key=lambda i: int(self._held[i][0]))
        return self._held.pop(place)


class Shuffled(Store):
    """Elements in random order.

    Args:
        kind: What messages call the queue.
        capacity: How many elements it holds.
        least: How many stay while it is open.
        seed: For the random numbers, or None.
    """

    def __init__(self, kind: str, capacity: int, least: int, seed: int | None) -> None:
        super().__init__(kind, capacity, least)
        self._draw: Callable[[int], int] = random.Random(seed).randrange

    def _next(self) -> Element:
        return self._held.pop(self._draw(len(self._held)))


def _renew() -> None:
    for store in list(_stores):
        if not is_own(store._changed):
            store._changed = threading.Condition()


around_forks(child=_renew)
