"""Call cache of composite functions on a GPU: repeated calls are captured and replayed.

The cache key consists of the dtypes and shapes of the tensor arguments and the values of all
others. The first call runs op by op. The second one does, too, and its operations are captured as a
``Program`` (``call_capture.py``), which later calls replay without the Python overhead around and
between operations. Calls that read values of tensors cannot be captured; calls with observers are
not replayed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from twinflow._src.backends.gpu import device
from twinflow._src.core.context import entered, quiet, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.inputs import FAST
from twinflow._src.dispatch.registry import Call
from twinflow._src.dispatch.signature_errors import ASKED

# Programs: the captured kernels for tensors of certain dtypes and shapes.


class Step(NamedTuple):
    """An instruction: a kernel or a function of the array module.

    Attributes:
        run: Computes the results.
        reads: The input slots; a tuple of slots for a list.
        many: True if there are several results.
        dead: The slots that are not read afterwards.
    """

    run: Callable[..., Any]
    reads: tuple[Any, ...]
    many: bool
    dead: tuple[int, ...]


class Program:
    """A captured call.

    Args:
        home: The device.
        first: The first slot that an instruction writes; arguments and constants come before it.
        kept: The constant arrays, whose slots follow the arguments.
        steps: The instructions; each writes its results to the next slots.
        found: The slots of the results of the call.
        types: The dtypes of the results.
        form: The type of the result, list or tuple; None for a single tensor.

    Attributes:
        run: Takes the arrays of the tensor arguments; returns the array of the result, or a list of
            arrays.
        dtype: The dtype of the result if it is a single tensor.
    """

    def __init__(
        self,
        home: Device,
        first: int,
        kept: list[Any],
        steps: list[Step],
        found: list[int],
        types: list[DType],
        form: type | None,
    ) -> None:
        self._home, self._kept, self._steps, self._found, self._types, self._form = (
            home,
            kept,
            steps,
            found,
            types,
            form,
        )
        self.dtype, self._first = types[0] if form is None else None, first
        self.run = home.backend.bind_device(self._alone() or self._stepped, home.ordinal)

    def _alone(self) -> Callable[..., Any] | None:
        """Returns the only instruction if it takes all arrays in their order, else None."""
        if len(self._steps) != 1 or self._form is not None:
            return None
        (run, reads, many, _), kept = self._steps[0], self._kept
        if many or reads != tuple(range(self._first)):
            return None
        return (lambda *arrays: run(*arrays, *kept)) if kept else run

    def results(self, arrays: list[Any]) -> Any:
        """Returns the list or tuple that the call returns."""
        assert self._form is not None
        return self._form(
            [EagerTensor(x, self._home, dtype) for x, dtype in zip(arrays, self._types)]
        )

    def _stepped(self, *arrays: Any) -> Any:
        slots = [*arrays, *self._kept]
        for run, reads, many, dead in self._steps:
            result = run(*[slots[i] if type(i) is int else [slots[j] for j in i] for i in reads])
            if many:
                slots += result
            else:
                slots.append(result)
            for i in dead:
                slots[i] = None
        return slots[self._found[0]] if self._form is None else [slots[i] for i in self._found]


def freeing(steps: list[Step], first: int, found: list[int]) -> list[Step]:
    """Liveness pass: returns the instructions with the slots that die after each.

    Args:
        steps: The instructions.
        first: The first slot that an instruction writes.
        found: The slots of the results.
    """
    seen, made = set(found), []
    for step in reversed(steps):
        read = {i for each in step.reads for i in (each if type(each) is tuple else (each,))}
        made.append(step._replace(dead=tuple(i for i in read - seen if i >= first)))
        seen |= read
    return made[::-1]


# The call cache.


F = TypeVar("F", bound=Callable[..., Any])

_TOLD = frozenset((int, bool, str, type(None), DType))
_MOST, _LONGEST = 256, 64
_ONCE, _NEVER = object(), object()


class _Watcher:
    """An observer that keeps all calls, and thereby their tensors alive."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def record(self, *call: Any) -> None:
        """Records a call."""
        self.calls.append(Call(*call))


def blended(function: F) -> F:
    """Decorates a function so that repeated calls on a GPU are captured and replayed.

    Args:
        function: A function of tensors and of hashable values that determine its operations.

    Returns:
        An equivalent function.
    """
    known: dict[Any, Any] = {}
    tensor, told, others, settings, local, enter, allocate = (
        EagerTensor,
        _TOLD,
        ASKED,
        runtime,
        thread,
        quiet,
        object.__new__,
    )

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
                return function(*args, **kwargs)  # fails again and raises the proper error
            if found.dtype is None:
                return found.results(result)
            t = allocate(tensor)  # avoids the call of __init__
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
    """Adds an argument to the cache key; returns False if it is not supported.

    Args:
        value: The argument.
        home: The device on which ops run.
        arrays: Receives the arrays of the tensor arguments.
        key: The cache key.
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
    """Runs and captures a call; returns its result, and the cache entry."""
    from twinflow._src.compiler.call_capture import program

    given: list[EagerTensor] = []

    def plain(value: Any) -> Any:
        """Returns tensors with arrays of their own, as arguments are identified by array."""
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
    if any(
        x is y for x in found for y in given
    ):  # an argument is returned, and must be the same object
        return function(*args, **kwargs), _NEVER
    if next(device.copies) > before + 1:  # values of tensors were read
        return result, _NEVER
    return result, program(watcher.calls, given, result, home) or _NEVER
