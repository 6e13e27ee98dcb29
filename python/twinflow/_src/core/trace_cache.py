"""Trace cache: what was compiled for a signature, with a threshold and a bound."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from twinflow._src.core.fork import brief_lock

V = TypeVar("V")
_lock = brief_lock()


class TraceCache(Generic[V]):
    """Compiled values by key; at capacity the oldest is evicted.

    Args:
        capacity: The maximum number of entries.
        threshold: The occurrence of a key at which its value is compiled.
    """

    def __init__(self, capacity: int, threshold: int = 1) -> None:
        self._capacity, self._threshold = capacity, threshold
        self._entries: dict[Hashable, Any] = {}  # the number of occurrences until it is compiled

    def get(self, key: Hashable, build: Callable[[], V | None]) -> V | None:
        """Returns the value of a key; None below the threshold, and where ``build`` returns None.

        Raises:
            TypeError: The key is not hashable.
        """
        entry = self._entries.get(key, 0)
        if type(entry) is not int:
            value: V | None = entry
            return value
        if entry + 1 < self._threshold:
            self.put(key, entry + 1)
            return None
        built = build()
        self.put(key, built)
        return built

    def peek(self, key: Hashable) -> V | None:
        """Returns the value of a key, or None."""
        entry = self._entries.get(key)
        return None if type(entry) is int else entry

    def put(self, key: Hashable, value: Any) -> None:
        """Stores the value of a key."""
        with _lock:
            if key not in self._entries and len(self._entries) >= self._capacity:
                del self._entries[next(iter(self._entries))]
            self._entries[key] = value

    def values(self) -> list[V]:
        """Returns the compiled values."""
        return [x for x in self._entries.values() if x is not None and type(x) is not int]

    def __len__(self) -> int:
        return len(self._entries)
