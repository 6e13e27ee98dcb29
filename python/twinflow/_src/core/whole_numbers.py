"""Whole floats in the place of integers, for callers whose numbers are floats (R).

R writes 2 where Python writes 2, but sends 2.0. Where a value is refused because it is no integer,
and the caller is R, a whole one is taken. Only the places that would raise ask, so that other calls
cost nothing. No result of such a conversion is cached: its key would let other floats pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# Tells whether the running call comes from such a caller; None where there is none.
_is_asked: Callable[[], bool] | None = None
# The number of conversions so far.
count = 0


def accept_from(is_asked: Callable[[], bool]) -> None:
    """Sets the function that recognizes calls whose whole floats are integers."""
    global _is_asked
    _is_asked = is_asked


def may_come() -> bool:
    """True in a process in which some calls have whole floats for integers."""
    return _is_asked is not None


class _NotWhole(Exception):
    pass


def as_integers(value: Any) -> Any:
    """Returns a value with integers for its whole floats; None if it has others, or is not such a call's."""
    global count
    if _is_asked is None:
        return None
    try:
        result = _converted(value)
    except _NotWhole:
        return None
    if result is value or not _is_asked():
        return None
    count += 1
    return result


def with_integers(value: Any) -> Any:
    """Returns a value with integers for the whole floats of such a call, others as they are."""
    whole = as_integers(value)
    return value if whole is None else whole


def _converted(value: Any) -> Any:
    if isinstance(value, (float, np.floating)):
        if value != value // 1:  # NaN and inf, too
            raise _NotWhole
        return int(value)
    if isinstance(value, np.ndarray):
        return _of_array(value)
    if type(value) in (list, tuple):
        items = [_converted(item) for item in value]
        is_same = all(new is old for new, old in zip(items, value))
        return value if is_same else type(value)(items)
    return value


def _of_array(array: Any) -> Any:
    if array.dtype.kind != "f":
        return array
    if not (np.isfinite(array) & (np.trunc(array) == array) & (np.abs(array) < 2.0**63)).all():
        raise _NotWhole
    whole = array.astype(np.int64)
    narrow = whole.astype(np.int32)
    return narrow if (narrow == whole).all() else whole
