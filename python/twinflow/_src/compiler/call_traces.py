"""Functions of tensors whose calls repeat: a GPU runs what is left of such a call where nobody is told of operations.

A call is known by the types and shapes of its tensors and by the values of all else. The first one runs operation by
operation; so does the second one, and what its operations read and gave becomes a program (``recorded.py``), which runs from
then on, without what Python does around and between operations. A call that looks at values of tensors has no program.

Programs: which kernels run one after the other in place of a call, for tensors of certain types and shapes.
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

# Programs: which kernels run one after the other in place of a call, for tensors of certain types
# and shapes.


class Step(NamedTuple):
    """A kernel, or a function of the array module.

    Attributes:
        run: Computes what the step gives.
        reads: The slots that it reads; a tuple of slots for a list.
        many: Whether it gives several arrays.
        dead: The slots that nothing reads afterwards.
    """

    run: Callable[..., Any]
    reads: tuple[Any, ...]
    many: bool
    dead: tuple[int, ...]


class Program:
    """How a call runs.

    Args:
        home: Where it runs.
        first: The first slot that a step fills: those before are given, or kept.
        kept: The arrays that no tensor changes, which come after those that are given.
        steps: The steps; each puts what it gives into the next slots.
        found: The slots of what the call gives.
        types: The types of these tensors.
        form: What makes the result of these tensors: ``None`` where it is one of them.

    Attributes:
        run: Takes the arrays of the call's tensors; gives the array of the result, or the arrays of several.
        dtype: The type of the result where it is a tensor.
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
        self.run = home.backend.placed(self._alone() or self._stepped, home.ordinal)

    def _alone(self) -> Callable[..., Any] | None:
        """The only step, where it takes all arrays in their order."""
        if len(self._steps) != 1 or self._form is not None:
            return None
        (run, reads, many, _), kept = self._steps[0], self._kept
        if many or reads != tuple(range(self._first)):
            return None
        return (lambda *arrays: run(*arrays, *kept)) if kept else run

    def results(self, arrays: list[Any]) -> Any:
        """The list or tuple that the call gives.

        Args:
            arrays: The arrays of the tensors.
        """
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
    """Steps that know which slots nothing reads after them.

    Args:
        steps: The steps.
        first: The first slot that a step gives.
        found: The slots that are read after all steps.
    """
    seen, made = set(found), []
    for step in reversed(steps):
        read = {i for each in step.reads for i in (each if type(each) is tuple else (each,))}
        made.append(step._replace(dead=tuple(i for i in read - seen if i >= first)))
        seen |= read
    return made[::-1]


# Functions of tensors whose calls repeat: a GPU runs what is left of such a call where nobody is
# told of operations.


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
    if any(
        x is y for x in found for y in given
    ):  # it gives what it got, which is to be that very object
        return function(*args, **kwargs), _NEVER
    if next(device.copies) > before + 1:  # it has looked at values
        return result, _NEVER
    return result, program(watcher.calls, given, result, home) or _NEVER
