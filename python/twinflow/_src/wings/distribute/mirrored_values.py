"""Mirrored values that can be used as one tensor."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.wings.distribute import strategy_context, values

_BOTH = "add sub mul truediv floordiv mod pow and_ or_ xor matmul"
_LEFT = "lt le gt ge getitem neg abs invert"


class Mirrored(values.Mirrored):
    """Mirrored values; an op on them uses the value of the current replica."""

    def _here(self) -> Any:
        """Returns the value of the replica that runs or is updated, by default the first one."""
        number = strategy_context.replica_or_none()
        return self._values[number if number and len(self._values) > 1 else 0]

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return convert_to_tensor(self._here(), dtype, name=name)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self._here(), dtype, copy=copy)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._here(), name)


def _add_operators() -> None:
    def straight(function: Any) -> Any:
        return lambda self, *other: function(self._here(), *other)

    def swapped(function: Any) -> Any:
        return lambda self, other: function(other, self._here())

    for name in (*_BOTH.split(), *_LEFT.split()):
        function = getattr(operator, name)
        setattr(Mirrored, f"__{name.strip('_')}__", straight(function))
        if name in _BOTH.split():
            setattr(Mirrored, f"__r{name.strip('_')}__", swapped(function))


_add_operators()
