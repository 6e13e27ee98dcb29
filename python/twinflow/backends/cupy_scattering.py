"""``ufunc.at`` on a GPU, for all functions and types.

CuPy has it for functions and types of which the hardware combines elements of memory in one step. Others
are computed in a wider type, or in rounds in which no place occurs twice: then they come in NumPy's order.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# The functions of which CuPy's kernels change elements of memory, and the types that they take as they are.
_AT_ONCE = {
    "add": frozenset("iIfdeFDLQ"),
    "subtract": frozenset("iIfdeFDLQ"),
    "maximum": frozenset("iIfdLQ"),
    "minimum": frozenset("iIfdLQ"),
}
# The others of which kernels ask for ``at``.
_IN_ROUNDS = frozenset(["multiply", "true_divide", "floor_divide"])
# Types that are computed in another one, which holds all that they hold; and back.
_WIDER = {"?": "i", "b": "i", "B": "I", "h": "i", "H": "I", "e": "f"}


def combinable(name: str) -> bool:
    """Whether kernels may ask for ``at`` of a function."""
    return name in _AT_ONCE or name in _IN_ROUNDS


class Ufunc:
    """A function of CuPy with an ``at`` that takes all types.

    Args:
        cupy: The module.
        plain: The function.

    Attributes:
        plain: The function, to call without a frame in between.
    """

    def __init__(self, cupy: Any, plain: Any) -> None:
        self._cupy, self.plain = cupy, plain
        self.__name__ = plain.__name__.removeprefix("cupy_")

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.plain(*args, **options)

    def at(self, target: Any, where: Any, updates: Any) -> None:
        """Combines elements or rows with updates, in place.

        Args:
            target: The array that is changed.
            where: The places: an array, or a tuple of one for each of the first dimensions.
            updates: One for each place, or one for all.
        """
        allowed = _AT_ONCE.get(self.__name__, frozenset())
        char = target.dtype.char
        if char in allowed:
            self.plain.at(target, where, updates)
        elif char in "lq" and allowed:
            self._as_unsigned(target, where, updates)
        elif _WIDER.get(char, char) in allowed:
            wide = target.astype(_WIDER[char])
            self.plain.at(wide, where, self._as(updates, wide.dtype))
            target[...] = wide.astype(target.dtype)
        else:
            self._in_rounds(target, where, updates)

    def _as(self, updates: Any, dtype: Any) -> Any:
        return self._cupy.asarray(updates).astype(dtype)

    def _as_unsigned(self, target: Any, where: Any, updates: Any) -> None:
        """Sums wrap round alike, and without their sign's bit turned integers have the order of unsigned ones."""
        bits, values = target.view(np.uint64), self._as(updates, target.dtype).view(np.uint64)
        turned = np.uint64(0 if self.__name__ in ("add", "subtract") else 1 << 63)
        if turned:
            bits ^= turned
        self.plain.at(bits, where, values ^ turned)
        if turned:
            bits ^= turned

    def _in_rounds(self, target: Any, where: Any, updates: Any) -> None:
        where = where if isinstance(where, tuple) else (where,)
        rest = target.shape[len(where) :]
        rows = target.reshape(math.prod(target.shape[: len(where)]), *rest)
        places = _flat(where, target.shape)
        given = self._cupy.broadcast_to(self._cupy.asarray(updates), (*where[0].shape, *rest))
        values = given.reshape(places.size, *rest)
        for chosen in _rounds(places.get()):
            turn = self._cupy.asarray(chosen)
            at = places[turn]
            rows[at] = self.plain(rows[at], values[turn])


def _flat(where: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """The numbers of rows, which index vectors name."""
    found = where[0].reshape(-1).astype(np.int64)
    for places, size in zip(where[1:], shape[1:]):
        found = found * size + places.reshape(-1)
    return found


def _rounds(places: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The updates of each round: no place occurs twice in one, and later updates of a place come later."""
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    turns = np.arange(places.size) - np.repeat(starts, np.diff(starts, append=places.size))
    return [order[turns == turn] for turn in range(int(turns.max(initial=-1)) + 1)]
