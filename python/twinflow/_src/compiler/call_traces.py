"""Functions of tensors whose calls repeat: a GPU runs what is left of such a call where nobody is told of operations.

A call is known by the types and shapes of its tensors and by the values of all else. The first one runs operation by
operation; so does the second one, and what its operations read and gave becomes a program (``recorded.py``), which runs from
then on, without what Python does around and between operations. A call that looks at values of tensors has no program.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from twinflow._src.backends.gpu import device
from twinflow._src.compiler.call_program import Program
from twinflow._src.core.context import entered, quiet, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.fast_inputs import FAST
from twinflow._src.dispatch.registry import Call
from twinflow._src.dispatch.signature_errors import ASKED

F = TypeVar("F", bound=Callable[..., Any])

_TOLD = frozenset((int, bool, str, type(None), DType))
_MOST, _LONGEST = 256, 64
_ONCE, _NEVER = object(), object()


class _Watcher:
    """Keeps what it is told of operations, and with it their tensors."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def record(self, *call: Any) -> None:
        """Is told of an operation."""
        self.calls.append(Call(*call))


def blended(function: F) -> F:
    """The function, whose calls become programs where that can be.

    Args:
        function: A function of tensors and of values that tell what it does.

    Returns:
        A function that does the same.
    """
    known: dict[Any, Any] = {}
    tensor, told, others, settings, local, enter, allocate = EagerTensor, _TOLD, ASKED, runtime, thread, quiet, object.__new__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        home, scope = settings.home, local.scope
        if home is None or home.kind == "CPU" or not scope.eager or scope.observers or others:
            return function(*args, **kwargs)
        arrays: list[Any] = []
        key: list[Any] = [home, *kwargs]
        for value in (*args, *kwargs.values()) if kwargs else args:
            kind = type(value)
            if kind is tensor and value._device is home:
                array = value._array
                arrays.append(array)
                key += value.dtype, array.shape
            elif kind in told:
                key += kind, value
            elif not _tell(value, home, arrays, key):
                return function(*args, **kwargs)
        whole = tuple(key)
        found = known.get(whole)
        if type(found) is Program:
            try:
                result = enter().run(found.run, *arrays)
            except (ValueError, TypeError, IndexError, MemoryError):
                return function(*args, **kwargs)  # which fails again, and says why
            if found.dtype is None:
                return found.results(result)
            t = allocate(tensor)  # without a frame for __init__
            t._array, t._device, t.dtype = result, home, found.dtype
            return t
        if found is _ONCE:
            result, known[whole] = _watched(function, args, kwargs, home)
            return result
        if found is None:
            if len(known) >= _MOST:
                known.clear()
            known[whole] = _ONCE
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def _tell(value: Any, home: Device, arrays: list[Any], key: list[Any]) -> bool:
    """Adds an argument to what tells a call; gives whether that is possible.

    Args:
        value: The argument.
        home: Where operations run.
        arrays: The arrays of the tensors among the arguments.
        key: What tells the call.
    """
    kind = type(value)
    if kind in FAST:
        array = value._array
        if array is None or value._device is not home:
            return False
        arrays.append(array)
        key += value.dtype, array.shape
    elif kind in _TOLD:
        key += kind, value
    elif kind is float:
        key += kind, repr(value)  # 0.0 equals -0.0
    elif kind in (list, tuple) and len(value) <= _LONGEST:
        kinds = tuple(map(type, value))
        key += kind, kinds
        if _TOLD.issuperset(kinds):
            key += value
            return True
        return all(_tell(item, home, arrays, key) for item in value)
    else:
        return False
    return True


def _watched(function: Callable[..., Any], args: Any, kwargs: Any, home: Device) -> tuple[Any, Any]:
    """What a call gives, and how such calls run from then on."""
    from twinflow._src.compiler.call_capture import program

    given: list[EagerTensor] = []

    def plain(value: Any) -> Any:
        """A tensor with an array of its own for each argument, as they are told by identity."""
        if type(value) in (list, tuple):
            return type(value)(map(plain, value))
        if type(value) not in FAST:
            return value
        given.append(EagerTensor(value._array.view(), home, value.dtype))
        return given[-1]

    watcher, before = _Watcher(), next(device.copies)
    own = [plain(x) for x in args], {name: plain(x) for name, x in kwargs.items()}
    with entered(thread.scope.watched(watcher)):
        result = function(*own[0], **own[1])
    found = result if type(result) in (list, tuple) else (result,)
    if any(x is y for x in found for y in given):  # it gives what it got, which is to be that very object
        return function(*args, **kwargs), _NEVER
    if next(device.copies) > before + 1:  # it has looked at values
        return result, _NEVER
    return result, program(watcher.calls, given, result, home) or _NEVER
