"""Capture of calls: the operations of a call become a program, a list of instructions.

Observers record the operations. Consecutive elementwise operations are fused into the source of one
kernel, which recomputes values that several kernels need. Other operations are reduced to the calls
of the array module that their kernels make (``trace_kernel.py``).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.gpu.kernels import elementwise
from twinflow._src.compiler.call_traces import Program, Step, freeing
from twinflow._src.compiler.fuse_reductions import Rows
from twinflow._src.compiler.trace_kernel import UntraceableError, traced
from twinflow._src.core.context import PLAIN, entered, quiet
from twinflow._src.core.devices import Device
from twinflow._src.core.errors import OpError
from twinflow._src.core.tensor import EagerTensor, transfer_tensor
from twinflow._src.dispatch.call_cache import repeated
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import Call, Kind
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import SymbolicTensor

# Ops that return their input.
# Limits: bytes of constant arrays that are kept, and statements per kernel source.
_KEPT, _LINES = 1 << 14, 64


def program(
    calls: list[Call], given: list[EagerTensor], result: Any, home: Device
) -> Program | None:
    """Returns the program of a call, or None if its operations cannot be captured.

    Args:
        calls: The operations that ran.
        given: The tensor arguments, each with an array of its own.
        result: The result of the call.
        home: The device.
    """
    try:
        return _Maker(calls, given, home).made(result)
    except _UnknownError:
        return None


class _UnknownError(Exception):
    """A call that cannot be captured."""


class _Maker:
    """Builds the program of a call; see ``program``."""

    def __init__(self, calls: list[Call], given: list[EagerTensor], home: Device) -> None:
        self._home, self._own = home, {_key(x) for x in given}
        self._slots = {_key(x): i for i, x in enumerate(given)}
        # calls that depend on the arguments, by the key of each result
        self._calls: dict[int, Call] = {}
        self._same: dict[int, Any] = {}  # the source of each tensor that an identity op returned
        # by tensor: depth in the dependency graph, in instructions
        self._levels = dict.fromkeys(self._slots, 0)
        self._texts: dict[
            int, dict[tuple[int, ...], list[EagerTensor]]
        ] = {}  # results of fused kernels, by level and shape
        self._others: dict[int, dict[int, Call]] = {}  # operations that are not fused, by level
        self._kept: list[Any] = []
        self._constant: set[int] = set()  # results of operations on constants only
        self._steps: list[Step] = []
        self._next = 0
        for call in calls:
            self._note(call)

    def _note(self, call: Call) -> None:
        """Records an operation, in execution order."""
        if call.op.impure:
            raise _UnknownError
        inputs, outputs = _flat(call.inputs), _flat((call.outputs,))
        levels = [
            self._levels[_key(x)] for x in map(self._passed, inputs) if _key(x) in self._levels
        ]
        if not _tells_sizes(call):
            raise _UnknownError
        if not levels or call.op.sizes:  # they follow from shapes, which are part of the cache key
            self._constant.update(map(_key, outputs))
            return
        if call.op.is_identity and _key(outputs[0]) not in self._levels:
            self._same[_key(outputs[0])] = self._passed(inputs[0])
            return
        for x in outputs:
            if x._device is not self._home:
                raise _UnknownError
            if _key(x) in self._levels:  # the result is an input
                continue
            self._calls[_key(x)] = call
            self._levels[_key(x)] = max(levels) + (not _is_each(call))

    def _passed(self, x: Any) -> Any:
        return self._same.get(_key(x), x)

    def made(self, result: Any) -> Program:
        """Returns the program.

        Args:
            result: The result of the call.
        """
        form = None if type(result) is EagerTensor else type(result)
        found = list(map(self._passed, _flat((result,))))
        if form not in (None, list, tuple) or not found or any(_key(x) in self._own for x in found):
            raise _UnknownError
        wanted = list({_key(x): x for x in found}.values())
        rows = Rows(self._calls, self._passed, self._constant_number, _is_each).made(
            wanted, self._home.xp
        )
        for x in wanted if rows is None else rows[1]:
            self._want(x)
        first = self._next = len(self._slots)
        for level in sorted({*self._texts, *self._others}):
            for each in self._texts.get(level, {}).values():
                self._add_text(each)
            for call in self._others.get(level, {}).values():
                self._add(call)
        if rows is not None:
            self._append(rows[0], [self._slots[_key(x)] for x in rows[1]], len(wanted) > 1, wanted)
        reads = [self._slots[_key(x)] for x in found]
        return Program(
            self._home,
            first,
            self._kept,
            freeing(self._steps, first, reads),
            reads,
            [x.dtype for x in found],
            form,
        )

    # ---------------------------------------------------------------- dependency analysis
    def _want(self, x: Any) -> None:
        """Schedules the computation of a tensor and of its dependencies."""
        call, level = self._calls.get(_key(x)), self._levels.get(_key(x), 0)
        if _key(x) in self._slots:
            return
        if call is None:
            self._keep(x)
        elif not _is_each(call):
            others = self._others.setdefault(level - 1, {})
            if id(call) not in others:
                others[id(call)] = call
                for y in _on_device(call):
                    self._want(self._passed(y))
        else:
            wanted = self._texts.setdefault(level, {}).setdefault(x._array.shape, [])
            if not any(x._array is y._array for y in wanted):
                wanted.append(x)
                for y in self._leaves([x])[1]:
                    self._want(y)

    def _keep(self, x: Any) -> None:
        """Keeps the array of a tensor that does not depend on the arguments."""
        made = _key(x) in self._constant or x._device is not self._home or not x.ndim
        if not made or x._array.nbytes > _KEPT or not self._home.backend.holds(x.dtype.np):
            raise _UnknownError
        self._slots[_key(x)] = len(self._slots)
        self._kept.append(transfer_tensor(x, self._home)._array)

    def _constant_number(self, x: EagerTensor) -> str | None:
        """Returns the source literal of a constant scalar, or None."""
        return None if _key(x) in self._calls or _key(x) in self._own else _number(x)

    def _leaves(self, wanted: list[EagerTensor]) -> tuple[list[EagerTensor], list[EagerTensor]]:
        """Returns the tensors that a fused kernel computes, in order, and its inputs."""
        inner: dict[int, EagerTensor] = {}
        leaves: dict[int, EagerTensor] = {}

        def visit(x: EagerTensor) -> None:
            call = self._calls.get(_key(x))
            if _key(x) in inner or _key(x) in leaves or self._constant_number(x) is not None:
                return
            if call is None or not _is_each(call):
                leaves[_key(x)] = x
                return
            for y in call.inputs:
                visit(self._passed(y))
            inner[_key(x)] = x

        for x in wanted:
            visit(x)
        return list(inner.values()), list(leaves.values())

    # ---------------------------------------------------------------- instructions
    def _add_text(self, wanted: list[EagerTensor]) -> None:
        """Appends a fused elementwise kernel."""
        inner, leaves = self._leaves(wanted)
        leaves.sort(
            key=lambda x: self._slots[_key(x)]
        )  # a program of one instruction then takes its arrays in order
        shape = np.broadcast_shapes(*(x._array.shape for x in leaves))
        if len(inner) > _LINES or shape != wanted[0]._array.shape:
            raise _UnknownError
        names = {_key(x): f"x{i}_" for i, x in enumerate(leaves)}
        lines = []
        for i, x in enumerate(inner):
            call = self._calls[_key(x)]
            names[_key(x)] = f"t{i}_"
            said = [
                (y.dtype.np.char, names.get(_key(y)) or _number(y) or "")
                for y in map(self._passed, call.inputs)
            ]
            lines.append(
                elementwise.line(f"t{i}_", call.op.type, said, call.attrs, x.dtype.np.char) or ""
            )
        lines += [f"result{i}_ = {names[_key(x)]};" for i, x in enumerate(wanted)]
        read, gives = ("".join(x.dtype.np.char for x in each) for each in (leaves, wanted))
        kernel = elementwise.kernel(self._home.xp, read, gives, "\n".join(lines))
        self._append(kernel, [self._slots[_key(x)] for x in leaves], len(wanted) > 1, wanted)

    def _add(self, call: Call) -> None:
        """Appends an operation: as its traced array-module calls, or as one instruction."""
        home, kinds = self._home, call.op.kinds
        given = [
            [self._slots[_key(self._passed(x))] for x in y]
            if type(y) in (list, tuple)
            else self._slots[_key(self._passed(y))]
            for kind, y in zip(kinds, call.inputs)
            if not kind.host and y is not None
        ]
        outputs = _flat((call.outputs,))
        run, noted = _ways(call, home)
        if noted is None:
            self._append(run, given, type(call.outputs) in (list, tuple), outputs)
            return
        calls, found, _ = noted
        slots = [i for each in given for i in (each if type(each) is list else (each,))]
        for own in calls:
            self._append(own.run, [slots[i] for i in own.reads], own.many, range(own.gives))
            slots += range(self._next - own.gives, self._next)
        for x, i in zip(outputs, found):
            self._slots[_key(x)] = slots[i]

    def _append(self, run: Callable[..., Any], reads: list[Any], many: bool, gives: Any) -> None:
        """Appends an instruction and assigns the slots of its results (tensors, or a count)."""
        reads = [tuple(each) if type(each) is list else each for each in reads]
        self._steps.append(Step(run, tuple(reads), many, ()))
        for x in gives:
            if type(x) is EagerTensor:
                self._slots[_key(x)] = self._next
            self._next += 1


def _ways(call: Call, home: Device) -> tuple[Callable[..., Any], Any]:
    """Returns the runner of an operation, and its traced array-module calls or None."""
    kinds = call.op.kinds
    if any(
        kind.host and type(x) is EagerTensor and x._device.kind != "CPU"
        for kind, x in zip(kinds, call.inputs)
    ):
        raise _UnknownError
    values = [list(x) if kind.many else x for kind, x in zip(kinds, call.inputs)]
    values = [
        x if kind.host or type(x) is not EagerTensor else transfer_tensor(x, home)
        for kind, x in zip(kinds, values)
    ]
    found = repeated(call.op, values, call.attrs, home)
    if found is None:
        raise _UnknownError
    run, last, options = found.run, found.last, found.options
    if found.settled:
        return run, None
    arrays = [
        x._array if type(x) is EagerTensor else [y._array for y in x] if type(x) is list else x
        for x in values
    ]
    try:
        kernel, note = (
            home.xp.kernel_of(call.op.type, call.op.kernel),
            home.backend.bind_device(traced, home.ordinal),
        )
        noted = quiet().run(note, kernel, home.xp, arrays, call.attrs)
    except (UntraceableError, TypeError, ValueError, AttributeError):
        noted = None
    return (lambda *given: run(*given, *last, **options)) if last or options else run, noted


def _key(x: EagerTensor) -> int:
    """Returns the key of a tensor: its array, as some functions rewrap an array unobserved."""
    return id(x._array)


def _flat(values: Any) -> list[Any]:
    """Returns the tensors among values and in nested lists."""
    found = []
    for value in values:
        if type(value) in (list, tuple):
            found += _flat(value)
        elif type(value) is EagerTensor:
            found.append(value)
        elif value is not None:
            raise _UnknownError
    return found


def _on_device(call: Call) -> list[Any]:
    """Returns the inputs of an operation that its kernel does not read on the host."""
    return _flat([x for kind, x in zip(call.op.kinds, call.inputs) if not kind.host])


def _tells_sizes(call: Call) -> bool:
    """True if an operation's result shapes depend on input shapes, not on device values."""
    graph = FuncGraph("sizes")

    def stand_in(kind: Kind, value: Any) -> Any:
        if type(value) in (list, tuple):
            return [stand_in(kind, item) for item in value]
        if type(value) is not EagerTensor or kind.host:
            return value
        return graph.argument(value.dtype, value._array.shape, "x")

    with entered(PLAIN.but(graph=graph)):
        inputs = [stand_in(kind, x) for kind, x in zip(call.op.kinds, call.inputs)]
        try:
            made = execute(call.op, inputs, dict(call.attrs))
        except (TypeError, ValueError, OpError):  # not supported in graphs
            return False
    made = made if type(made) in (list, tuple) else [made]
    return all(
        isinstance(x, SymbolicTensor) and x.shape.is_fully_defined() for x in made
    )  # an Operation means no results


def _is_each(call: Call) -> bool:
    """True if an operation can be part of a fused elementwise kernel."""
    tensors = [*call.inputs, call.outputs]
    if any(type(x) is not EagerTensor or x.dtype.np.char not in elementwise.TYPES for x in tensors):
        return False
    *said, char = [x.dtype.np.char for x in tensors]
    return (
        elementwise.line("t", call.op.type, [(each, "x") for each in said], call.attrs, char)
        is not None
    )


def _number(x: EagerTensor) -> str | None:
    """Returns the source literal of a finite float scalar, or None."""
    if x._array.size != 1 or x.ndim or x.dtype.np.char not in "fd":
        return None
    number = float(x.numpy())
    return f"({number!r})" if math.isfinite(number) else None
