"""Nested lists of plain numbers as arrays, without a look at each number in Python.

``marshal`` writes a list as a mark, its length and its elements, and each number as a mark of its type and its
value. Where all rows have one length and all numbers one type, what it wrote is an array of records.
"""

from __future__ import annotations

import marshal
import math
from typing import Any

import numpy as np

# The format's second version: the later ones refer to values that they wrote before.
_VERSION = 2
# Fewer numbers are looked at one by one in the same time.
LEAST = 32
_LIST, _TUPLE, _TRUE, _FALSE = b"[(TF"
_BOOLS = np.dtype([("mark", "u1")])
_NUMBERS = {
    float: ("f", ord("g"), np.dtype([("mark", "u1"), ("value", "<f8")])),
    int: ("i", ord("i"), np.dtype([("mark", "u1"), ("value", "<i4")])),
}


def numbers_of(values: Any, shape: tuple[int, ...]) -> tuple[Any, str] | None:
    """The numbers in nested lists and tuples, as an array, and their kind: b(ool), i(nteger) or f(loat).

    Args:
        values: The lists.
        shape: The shape that their first elements suggest.

    Returns:
        None where they are few, not all of one of these types, integers of more than 32 bits, or in rows of different lengths.
    """
    if math.prod(shape) < LEAST:
        return None
    first = values
    for _ in shape:
        first = first[0]
    if type(first) not in (float, int, bool):
        return None
    try:
        written = marshal.dumps(values, _VERSION)
    except ValueError:  # something that is no plain value
        return None
    kind, mark, layout = _NUMBERS.get(type(first), ("b", 0, _BOOLS))
    rows = _rows(written, shape, layout)
    if rows is None:
        return None
    marks = rows["mark"]
    if kind == "b":
        true = marks == _TRUE
        return (true, kind) if (true | (marks == _FALSE)).all() else None
    return (rows["value"], kind) if (marks == mark).all() else None


def _rows(written: bytes, shape: tuple[int, ...], layout: Any) -> Any:
    """What was written as records, one for each number; None where rows have other lengths."""
    for size in reversed(shape):
        layout = np.dtype([("mark", "u1"), ("size", "<i4"), ("items", layout, (size,))])
    if layout.itemsize != len(written):
        return None
    rows = np.frombuffer(written, layout).reshape(())
    for size in shape:
        lists = (rows["mark"] == _LIST) | (rows["mark"] == _TUPLE)
        if not (lists & (rows["size"] == size)).all():
            return None
        rows = rows["items"]
    return rows
