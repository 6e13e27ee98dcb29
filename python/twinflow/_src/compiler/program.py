"""Programs: the operations of a graph in execution order, over a list of slots.

A program is compiled once for its feeds and fetches. Each instruction reads arrays from slots and
writes its results to slots; a slot is cleared after its last use. There are no look-ups or
conversions at run time.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from twinflow._src.compiler.executor import Executor, Segments, executor_of
from twinflow._src.compiler.fold import folded, handed_on, size_known
from twinflow._src.compiler.fuse_elementwise import fused, slots_of
from twinflow._src.compiler.lower import Step, line_of, with_dead
from twinflow._src.compiler.native import compile_clusters
from twinflow._src.compiler.place import able_of, elsewhere, holder, sent_once, try_transfer
from twinflow._src.compiler.subexpressions import Subexpressions
from twinflow._src.core import errors
from twinflow._src.core.context import quiet, runtime
from twinflow._src.core.devices import Device, repeats_one, within
from twinflow._src.core.tensor import EagerTensor, place_on_device
from twinflow._src.dispatch.registry import Kind
from twinflow._src.graph.ref_reads import (
    SOURCES,
    Readings,
    fed_reference,
    is_memory,
    reads_reference,
)
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.variables.variable import BaseResourceVariable


class Program:
    """A compiled program for some tensors of a graph, of operations in topological order.

    ``feeds`` are tensors that are fed, and variables that are replaced. ``state`` maps the variable
    of an operation to the one that its kernel uses. ``around`` is the device name of the scopes
    around the call, and ``place`` resolves a device name. In the body of a loop, the first ``carried``
    feeds of a run are the first fetches of the run before; the others stay.

    Attributes:
        template: The initial values of the slots: constants.
        constants: The values of the slots of constants.
        steps: The instructions before the passes over them.
        feeds: The slots of the feeds.
        fetches: The slots of the fetches.
        varying: The feeds that change from run to run in the body of a loop, None elsewhere.
        instructions: The lowered instructions, in order.
        elsewhere: True if there are devices other than the host.
    """

    def __init__(
        self,
        nodes: Sequence[Operation],
        feeds: Sequence[Any],
        fetches: Sequence[SymbolicTensor],
        state: Callable[[Any], Any] = lambda variable: variable,
        around: str | None = None,
        place: Callable[[str | None], Device] = runtime.place,
        carried: int | None = None,
    ) -> None:
        self._around, self._place, caller = around, place, place(around)
        self._slots: dict[int, int] = {}
        self._reread: dict[int, int] = {}  # newer slots of references, by older slot
        self.template: list[Any] = []
        self.constants: dict[int, Any] = {}
        self._state = state
        self.feeds = [self._slot(tensor) for tensor in feeds]
        self._devices: dict[int, Device] = dict.fromkeys(self.feeds, caller)
        self._readings = Readings(self._reading)
        self._subexpressions = Subexpressions(self._slot, self.constants, self._device)
        self._replaced: dict[
            int, int
        ] = {}  # the slots of the values fed for references, by variable
        steps = [self._replacing(tensor) for tensor in feeds if is_memory(tensor)]
        nodes = _pruned(nodes, fetches)
        read = {id(x) for node in nodes for x in node.tensors} | set(map(id, fetches))
        nodes = [node for node in nodes if node.type not in SOURCES or id(node.outputs[0]) in read]
        steps += [
            step for node in nodes if not self._is_passed_on(node) for step in self._steps_of(node)
        ]
        steps += self._readings.behind([self._slot(tensor) for tensor in fetches])
        self.fetches = [self._slot(tensor) for tensor in fetches]
        self.steps = _without_unread(steps, self.fetches)
        kept = {*self.fetches, *self._constants(), *self.feeds}
        self.elsewhere = elsewhere()
        passed = zip(self.feeds[:carried], self.fetches)
        self.varying = None if carried is None else [x for x, y in passed if x != y]
        steps = compile_clusters(self.steps, self.constants, set(self.fetches), self.varying)
        self._steps = with_dead(fused(steps, set(self.fetches)), kept)
        holders = [self._devices.get(slot, runtime.host) for slot in self.fetches]
        # As in TensorFlow, the results of a call are on its device; here only for CPUs, which share
        # one memory.
        holders = [caller if device.kind == caller.kind == "CPU" else device for device in holders]
        self._kinds = [(device, tensor.dtype) for device, tensor in zip(holders, fetches)]
        self.instructions = [line_of(step, self.constants) for step in self._steps]
        self._executor: Executor | Segments | None = None  # compiled when the program first runs
        self._transfers = (
            sent_once(self._steps, set(self.feeds) - set(self.fetches)) if self.elsewhere else []
        )

    # ---------------------------------------------------------------- compilation
    def _constants(self) -> set[int]:
        return {i for i, value in enumerate(self.template) if value is not None}

    def _is_passed_on(self, node: Operation) -> bool:
        """True if an operation needs no instruction: it is constant, an alias, or a repetition."""
        if node.type == "Const" and not repeats_one(
            node.attrs["value"]
        ):  # such a constant is materialized in each run
            device = self._place(within(node.device, self._around))
            tensor = EagerTensor(node.attrs["value"], runtime.host, node.attrs["dtype"])
            self._keep(node, place_on_device(tensor, device)._array)
            return True
        if not node.device and node.definition.no_op is not None:
            values = [self.constants.get(self._slots.get(id(x), -1)) for x in node.tensors]
            if self._alias(node, handed_on(node, values)):
                return True
        if reads_reference(node) and node.type not in SOURCES:
            variable = getattr(node.arguments[0], "_variable", None)
            if self._slots.get(id(variable)) in self.feeds:
                self._slots[id(node.outputs[0])] = self._slot(variable)
                return True
        return node.type == "NoOp" or self._is_folded(node) or self._is_repeated(node)

    def _is_repeated(self, node: Operation) -> bool:
        """True if an earlier operation computes the same results."""
        first = self._subexpressions.earlier(node)
        return first is not None and self._alias(node, first.outputs)

    def _alias(self, node: Operation, values: Sequence[SymbolicTensor]) -> bool:
        """Gives the results of an operation the slots of some tensors; False if there are none."""
        for result, value in zip(node.outputs, values):
            self._slots[id(result)] = self._slot(value)
        return bool(values)

    def _is_folded(self, node: Operation) -> bool:
        """True if an operation was folded to a constant."""
        result = size_known(node)
        values = [self._constant(x) for x in node.arguments]
        if result is None and values and not any(value is None for value in values):
            result = folded(node, values, self._device(node))
        if result is not None:
            self._keep(node, result)
        return result is not None

    def _constant(self, argument: Any) -> Any:
        """Returns the value of a constant argument, or the values of a list; None for others."""
        if not isinstance(argument, tuple):
            return self.constants.get(self._slots.get(id(argument), -1))
        values = [self._constant(x) for x in argument]
        return None if any(value is None for value in values) else values

    def _keep(self, node: Operation, value: Any) -> None:
        """Stores a constant result."""
        self._slots[id(node.outputs[0])] = slot = self._holding(value)
        self.constants[slot] = value

    def _steps_of(self, node: Operation) -> list[Step]:
        """Returns the instruction of an operation, after those that reread changed references."""
        slots = [self._slot(tensor) for tensor in node.tensors]
        steps = [*self._readings.behind(slots), self._step(node)]
        self._readings.note(node, self._slot)
        return steps

    def _replacing(self, tensor: SymbolicTensor) -> Step:
        """Returns the instruction that substitutes the value fed for a reference variable."""
        variable = tensor.op.arguments[0]
        self._replaced[id(variable)] = slot = self._holding(None)
        attrs = {"variable": self._state(variable)}
        return Step(
            fed_reference,
            (self._slot(tensor),),
            attrs,
            slot,
            (),
            tensor.op,
            self._device(tensor.op),
        )

    def _reading(self, tensor: SymbolicTensor) -> Step:
        """Returns the instruction that rereads a reference, to a slot that replaces its own."""
        step = self._step(tensor.op.arguments[0]._variable.op)
        old, new = self._slot(tensor), self._holding(None)
        self._reread[old], self._devices[new] = new, step.device
        return step._replace(writes=new)

    def _slot(self, value: Any) -> int:
        key = id(value._handle) if isinstance(value, BaseResourceVariable) else id(value)
        index = self._slots.get(key)
        if index is None:
            index = self._slots[key] = len(self.template)
            self.template.append(None)
        while index in self._reread:
            index = self._slots[key] = self._reread[index]
        return index

    def _holding(self, value: Any) -> int:
        self.template.append(value)
        return len(self.template) - 1

    def _step(self, node: Operation) -> Step:
        op = node.definition
        device = self._device(node)
        reads = tuple(
            self._read(kind, value, device) for kind, value in zip(op.kinds, node.arguments)
        )
        results = node.results
        writes: Any = tuple(map(self._slot, results)) if isinstance(results, list) else None
        if isinstance(results, SymbolicTensor):
            writes = self._slot(results)
        for slot in writes if isinstance(writes, tuple) else () if writes is None else (writes,):
            self._devices[slot] = device
        return Step(op.kernel, reads, node.attrs, writes, (), node, device)

    def _device(self, node: Operation) -> Device:
        op = node.definition
        variable = next((x for x in node.arguments if isinstance(x, BaseResourceVariable)), None)
        if variable is not None and op.expand is None:
            return self._state(variable)._device
        return able_of(node, self._place(within(node.device, self._around)))

    def _read(self, kind: Kind, value: Any, device: Device) -> Any:
        if isinstance(value, tuple):
            return tuple(self._read(kind, item, device) for item in value)
        if isinstance(value, SymbolicTensor) or self._is_fed(value):
            return self._slot(value)
        if id(value) in self._replaced:
            return self._replaced[id(value)]
        if value is None:
            self.constants[slot := self._holding(None)] = None
            return slot
        return self._holding(self._state(value))

    def _is_fed(self, value: Any) -> bool:
        return isinstance(value, BaseResourceVariable) and id(value._handle) in self._slots

    # ---------------------------------------------------------------- execution
    def run(self, arrays: Iterable[Any]) -> list[Any]:
        """Computes the arrays that are fetched from those that are fed."""
        return quiet().run(self.within, arrays)

    def within(self, arrays: Iterable[Any]) -> list[Any]:
        """Computes the fetches inside another program, which set NumPy's error state; see ``run``."""
        if self._executor is None:
            transfers = [
                (slot, functools.partial(_transferred, device=to)) for slot, to in self._transfers
            ]
            self._executor = executor_of(
                self.instructions, self.template, self.feeds, self.fetches, transfers
            )
        return self._executor(arrays)

    def tensors(self, arrays: Iterable[Any]) -> list[EagerTensor]:
        """Computes the fetches as tensors; see ``run``."""
        results = self.run(arrays)
        if self.elsewhere:
            return [
                EagerTensor(array, holder(array, device), dtype)
                for array, (device, dtype) in zip(results, self._kinds)
            ]
        return [EagerTensor(array, *kind) for array, kind in zip(results, self._kinds)]


def _pruned(nodes: Sequence[Operation], fetches: Iterable[SymbolicTensor]) -> Sequence[Operation]:
    """Removes what loops compute and nothing reads, and operations that only this depends on."""
    if all(node.definition.prune is None for node in nodes):
        return nodes
    before = {id(x) for node in nodes for x in node.tensors}
    read, kept = set(map(id, fetches)), []
    for node in reversed(nodes):
        results = set(map(id, node.outputs))
        is_unread = read.isdisjoint(results) and not before.isdisjoint(results)
        if is_unread and not node.definition.impure:
            continue
        if node.definition.prune is not None:
            node = node.definition.prune(node, read)
        kept.append(node)
        awaited = (x for other in node.control_inputs for x in other.outputs)
        read.update(map(id, (*node.tensors, *awaited)))
    return kept[::-1]


def _without_unread(steps: list[Step], fetches: Iterable[int]) -> list[Step]:
    """Removes constants that no instruction reads, or of which only the shape is used."""
    if not any(step.node.type == "Const" for step in steps):
        return steps
    read = {*fetches, *(slot for step in steps for slot in slots_of(step))}
    return [step for step in steps if step.node.type != "Const" or step.writes in read]


def _transferred(array: Any, device: Device) -> Any:
    """Returns a fed array on the device that reads it."""
    return try_transfer(array, device) if type(array) is np.ndarray else array


def in_function(error: errors.OpError, name: str) -> errors.OpError:
    """Returns the error of an operation in the body of a function."""
    return type(error)(None, error.op, f"{error.message} [Op:{name}]")


def needed(
    fetches: Iterable[Any], feeds: Iterable[Any], roots: Iterable[Operation] = ()
) -> list[Operation]:
    """Returns the operations that some tensors depend on, in execution order.

    ``roots`` are operations that have to run too.
    """
    fed = {id(tensor) for tensor in feeds}
    visited: dict[int, Operation] = {}
    todo = [*roots, *(tensor.op for tensor in fetches if id(tensor) not in fed)]
    while todo:
        node = todo.pop()
        if id(node) not in visited:
            visited[id(node)] = node
            todo += [
                x
                for x in node.control_inputs
                if not x.outputs or any(id(out) not in fed for out in x.outputs)
            ]
            todo += [x.op for x in node.tensors if id(x) not in fed]
    nodes = list(visited.values())
    return sorted(nodes, key=lambda node: node.index)
