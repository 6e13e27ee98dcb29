"""``ufunc.at`` on a GPU, for all functions and types.

CuPy has it for functions and types of which the hardware combines elements of memory in one step, where a number
that is none may be lost in a maximum, and counts places that lie outside round and round. Here each combination is
one exchange of a word of memory. Numbers that are longer than a word are combined in rounds in which no place
occurs twice.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twinflow._src.backends.gpu.kernels.gather import COMBINED, combiner, rows_of, write_rows


def combinable(name: str) -> bool:
    """Whether kernels may ask for ``at`` of a function."""
    return name in COMBINED


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
        """Combines elements or rows with updates, in place; updates of places outside are passed over.

        Args:
            target: The array that is changed.
            where: The places: an array, or a tuple of one for each of the first dimensions.
            updates: One for each place, or one for all.
        """
        kernel = combiner(self._cupy, self.__name__, target.dtype)
        if kernel is None:
            self._in_rounds(target, where, updates)
        else:
            write_rows(self._cupy, kernel, target, where, updates)

    def _in_rounds(self, target: Any, where: Any, updates: Any) -> None:
        where = where if isinstance(where, tuple) else (where,)
        rest = target.shape[len(where) :]
        rows = target.reshape(math.prod(target.shape[: len(where)]), *rest)
        places = rows_of(self._cupy, where, target.shape)
        given = self._cupy.broadcast_to(self._cupy.asarray(updates), (*where[0].shape, *rest))
        values = given.reshape(places.size, *rest)
        for chosen in _rounds(places.get()):
            turn = self._cupy.asarray(chosen)
            at = places[turn]
            rows[at] = self.plain(rows[at], values[turn])


def _rounds(places: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """The updates of each round: no place occurs twice in one, and later updates of a place come later."""
    order = np.argsort(places, kind="stable")
    order = order[places[order] >= 0]
    ordered = places[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    turns = np.arange(order.size) - np.repeat(starts, np.diff(starts, append=order.size))
    return [order[turns == turn] for turn in range(int(turns.max(initial=-1)) + 1)]
