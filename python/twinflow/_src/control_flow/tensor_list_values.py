"""Lists of arrays as one value: a scalar array of objects that holds a tuple.

Loops of graphs keep such lists, and tensor arrays are such in graphs. An element that was not written
is None and counts as zeros. An open list, of which gradients make some, has no end: what lies beyond
counts as zeros, too.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np


class Open(tuple[Any, ...]):
    """The elements of an open list."""

    __slots__ = ()


def list_of(arrays: Iterable[Any], kind: type[tuple[Any, ...]] = tuple) -> Any:
    """The value of a list.

    Args:
        arrays: Its elements.
        kind: ``Open`` for an open list.
    """
    box = np.empty((), object)
    box[()] = kind(arrays)
    return box


def elements(box: Any) -> tuple[Any, ...]:
    """The elements of a list."""
    return box[()]


def is_list(box: Any) -> bool:
    """Whether an array is the value of a list."""
    return box.dtype == object and not box.ndim and type(box[()]) in (tuple, Open)


def added(lists: Iterable[Any]) -> Any:
    """The sum of lists, element by element; those that are shorter lack elements at the end."""
    rows = list(map(elements, lists))
    kind = Open if all(type(row) is Open for row in rows) else tuple
    columns = itertools.zip_longest(*rows)
    return list_of((_sum([e for e in column if e is not None]) for column in columns), kind)


def _sum(arrays: list[Any]) -> Any:
    if arrays and is_list(arrays[0]):
        return added(arrays)
    return functools.reduce(operator.add, arrays) if arrays else None


def unwritten(box: Any) -> Any:
    """A list of as many elements, none of them written."""
    return list_of([None] * len(elements(box)), type(elements(box)))
