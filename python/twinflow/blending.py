"""Functions made of operations on each element: a GPU runs such a function as one kernel where nobody is told of operations.

A call is known by the types and shapes of its tensors and by the values of all else. The first one runs operation by
operation; so does the second one, and what its operations read and gave becomes the text of a kernel, which runs from then
on. Numbers that do not depend on the tensors stand in the text as they are.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .backends import cupy_blends
from .context import alone, entered, thread
from .devices import Device
from .direct import FAST
from .dtypes import DType, float32, float64
from .schema import Call
from .tensor import EagerTensor

F = TypeVar("F", bound=Callable[..., Any])

_FLOATS = frozenset((float32, float64))
_TOLD = frozenset((int, bool, str, float, type(None), DType))
_MOST = 256
_ONCE, _NEVER = object(), object()


class _Watcher:
    """Keeps what it is told of operations, and with it their tensors."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def record(self, *call: Any) -> None:
        """Is told of an operation."""
        self.calls.append(Call(*call))


class _Blend(NamedTuple):
    """How a call runs."""

    kernel: Callable[..., Any]
    dtype: DType


def blended(function: F) -> F:
    """The function, as one kernel where that can be.

    Args:
        function: A function of tensors and of values that tell what it does; it gives one tensor.

    Returns:
        A function that does the same.
    """
    known: dict[Any, Any] = {}

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        home = alone()
        if home is None:
            return function(*args, **kwargs)
        arrays, key = [], [home, *kwargs]
        for value in (*args, *kwargs.values()):
            kind = type(value)
            if kind in FAST:
                array = value._array
                if array is None or value._device is not home or value.dtype not in _FLOATS:
                    return function(*args, **kwargs)
                arrays.append(array)
                key += value.dtype, array.shape
            elif kind in _TOLD:
                key += kind, repr(value) if kind is float else value  # 0.0 equals -0.0
            else:
                return function(*args, **kwargs)
        found = known.get(tuple(key))
        if type(found) is _Blend:
            try:
                return EagerTensor(home.backend.run(found.kernel, home.ordinal, *arrays), home, found.dtype)
            except MemoryError:
                return function(*args, **kwargs)  # whose operations say for what there is no room
        if found is _ONCE:
            result, known[tuple(key)] = _watched(function, args, kwargs, home)
            return result
        if found is None:
            if len(known) >= _MOST:
                known.clear()
            known[tuple(key)] = _ONCE
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def _watched(function: Callable[..., Any], args: Any, kwargs: Any, home: Device) -> tuple[Any, Any]:
    """What a call gives, and how such calls run from then on."""
    given: list[EagerTensor] = []

    def plain(value: Any) -> Any:
        """A tensor of its own for each argument, as they are told by identity."""
        if type(value) not in FAST:
            return value
        given.append(EagerTensor(value._array, home, value.dtype))
        return given[-1]

    watcher = _Watcher()
    args, kwargs = [plain(x) for x in args], {name: plain(x) for name, x in kwargs.items()}
    with entered(thread.scope.watched(watcher)):
        result = function(*args, **kwargs)
    text = _text(watcher.calls, given, result)
    if text is None or result._array.shape != np.broadcast_shapes(*(x._array.shape for x in given)):
        return result, _NEVER
    chars = tuple(x.dtype.np.char for x in (*given, result))
    return result, _Blend(cupy_blends.kernel(home.xp, chars, text), result.dtype)


def _text(calls: list[Call], given: list[EagerTensor], result: Any) -> str | None:
    """The text of a kernel that does what operations did; None where something among them is not of each element.

    Args:
        calls: The operations.
        given: The tensors that were given.
        result: What came of it.
    """
    names = {id(x): f"x{i}_" for i, x in enumerate(given)}
    lines: list[str | None] = []
    for i, call in enumerate(calls):
        if not call.op.impure and not any(id(x) in names for x in call.inputs):
            continue  # of numbers alone
        inputs = [named for x in call.inputs if (named := _named(x, names)) is not None]
        found = call.outputs
        if len(inputs) < len(call.inputs) or type(found) is not EagerTensor or found.dtype.np.char not in "fd?":
            return None
        names[id(found)] = f"t{i}_"
        lines.append(cupy_blends.line(f"t{i}_", call.op.type, inputs, call.attrs, found.dtype.np.char))
    known = [line for line in lines if line is not None]
    if len(known) < max(len(lines), 1) or id(result) not in names or result.dtype not in _FLOATS:
        return None
    return "\n".join([*known, f"result_ = {names[id(result)]};"])


def _named(value: Any, names: dict[int, str]) -> tuple[str, str] | None:
    """The type and the name of a tensor, or of one number what it is; None of more."""
    if type(value) is not EagerTensor or value.dtype.np.char not in "fd?":
        return None
    char = value.dtype.np.char
    if id(value) in names:
        return char, names[id(value)]
    if value._array.size != 1 or value.ndim or char == "?":
        return None
    number = float(value.numpy())
    return (char, f"({number!r})") if math.isfinite(number) else None
