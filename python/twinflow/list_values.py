"""Lists of arrays as one value: a scalar array of objects that holds a tuple.

Loops of graphs keep such lists, and tensor arrays are such in graphs. An element that was not written
is None and counts as zeros.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np


def list_of(arrays: Iterable[Any]) -> Any:
    """The value of a list.

    Args:
        arrays: Its elements.
    """
    box = np.empty((), object)
    box[()] = tuple(arrays)
    return box


def elements(box: Any) -> tuple[Any, ...]:
    """The elements of a list."""
    return box[()]


def is_list(box: Any) -> bool:
    """Whether an array is the value of a list."""
    return box.dtype == object and not box.ndim and type(box[()]) is tuple


def added(lists: Iterable[Any]) -> Any:
    """The sum of lists, element by element; those that are shorter lack elements at the end."""
    columns = itertools.zip_longest(*map(elements, lists))
    return list_of(_sum([e for e in column if e is not None]) for column in columns)


def _sum(arrays: list[Any]) -> Any:
    return functools.reduce(operator.add, arrays) if arrays else None


def unwritten(box: Any) -> Any:
    """A list of as many elements, none of them written."""
    return list_of([None] * len(elements(box)))
