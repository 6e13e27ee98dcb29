"""Early release of forward activations that no gradient function reads.

A tape keeps the tensors of the calls that it records. Of many of them, gradient functions read only
the shape: both terms of a sum, or the input of an activation function. Once the user has dropped
such a tensor and only the tape's own references remain, its array is replaced by its shape and
dtype. An access to its elements raises an error; it cannot return wrong values.
"""

from __future__ import annotations

import math
import sys
import types
import weakref
from typing import Any, cast

import numpy as np

from twinflow._src.core.context import runtime
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import Op
from twinflow._src.variables.handle import counts_are_exact

# Number of most recent tensors whose reference counts are checked.
_LATEST = 32


class Emptied:
    """Placeholder of a released array: its shape and dtype."""

    __slots__ = ("dtype", "shape")
    __array_ufunc__ = None

    def __init__(self, array: Any) -> None:
        self.shape, self.dtype = array.shape, array.dtype

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements of the released array."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The number of bytes of the released array."""
        return self.size * int(self.dtype.itemsize)

    def __array__(self, *_: Any, **__: Any) -> Any:
        """Raises RuntimeError, as the elements are gone."""
        raise RuntimeError(
            "The elements of this tensor are no longer there: its tape has let go of them."
        )


class Releases:
    """The release candidates of a tape.

    A tensor is released when all references to it are accounted for: those of calls whose gradients
    read at most its shape, and the tape's own. An unaccounted reference only delays the release.

    Attributes:
        least: Minimum size in bytes of a tensor to be considered.
        idle: The candidates by key, each with the number of references by calls.
    """

    least = 1 << 18

    def __init__(self) -> None:
        self.idle: dict[int, tuple[EagerTensor, int]] = {}

    def note(
        self, op: Op, inputs: tuple[Any, ...], result: EagerTensor, tracked: dict[int, Any]
    ) -> None:
        """Accounts for a call that the tape records, and releases the tensors that became free."""
        self.let_go(tracked)
        unread = op.unread
        for position, value in enumerate(inputs):
            if type(value) is EagerTensor:
                self._note(value, position in unread)
        self._note(result, "result" in unread)

    def _note(self, value: EagerTensor, is_unread: bool) -> None:
        key = id(value)
        if not is_unread:
            self.idle.pop(key, None)
        elif value._array.nbytes >= self.least and value._device is runtime.home:
            self.idle[key] = value, self.idle.get(key, (None, 0))[1] + 1

    def let_go(self, tracked: dict[int, Any]) -> None:
        """Releases the arrays of candidates that only the tape references."""
        for key in [*self.idle][-_LATEST:]:
            value, count = self.idle.pop(key)
            counted = count + (key in tracked) + _BASE
            if sys.getrefcount(value) > counted or weakref.getweakrefcount(value):
                self.idle[key] = value, count
            else:
                value._array = Emptied(value._array)


def _is_released(is_shared: bool) -> bool:
    """True if ``let_go`` releases a tensor that is (not) referenced elsewhere."""
    releases, value = Releases(), cast(Any, types.SimpleNamespace(_array=np.zeros(1)))
    releases.idle[0] = value, 0
    if not is_shared:
        del value
    releases.let_go({})
    return not releases.idle


def _calibrated() -> int:
    """Returns the number of references to a tensor inside ``let_go`` itself, by experiment."""
    global _BASE
    for _BASE in (1, 2):  # a local variable, and the argument of the count
        if _is_released(False) and not _is_released(True):
            return _BASE
    return -sys.maxsize


_BASE = -sys.maxsize  # nothing is released
if counts_are_exact:
    _BASE = _calibrated()
