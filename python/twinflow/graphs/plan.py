"""Plans: the operations of a graph in the order in which they run, over a list of slots.

A plan is made once for what is fed and fetched. Each step takes arrays from slots and puts its results
into slots; a slot is emptied after its last use. Nothing is looked up or converted while it runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import errors
from ..context import quiet, runtime, thread
from ..devices import Device
from ..execute import explained
from ..schema import Kind
from ..tensor import EagerTensor, settled
from ..variable import BaseResourceVariable
from .folding import folded, keeps_shape, size_known
from .fusion import Chain, fused
from .lifetimes import with_dead
from .located import able_of, elsewhere, holder, located
from .references import Readings
from .symbolic import Operation, SymbolicTensor


class Step(NamedTuple):
    """An operation that runs.

    Attributes:
        kernel: The kernel.
        reads: The slot of each argument; a tuple of slots for a list of tensors.
        attrs: The kernel's attributes.
        writes: The slot of the result, a tuple of slots of several, or None.
        dead: The slots that nothing reads afterwards, without those of small arrays.
        node: The operation.
        device: Where it runs.
    """

    kernel: Callable[..., Any]
    reads: tuple[Any, ...]
    attrs: dict[str, Any]
    writes: Any
    dead: tuple[int, ...]
    node: Operation
    device: Device


class Plan:
    """What runs to compute some tensors of a graph.

    Args:
        nodes: The operations, in an order in which each comes after those that it needs.
        feeds: The tensors whose values are given, and the variables in whose place others come.
        fetches: The tensors whose values are wanted.
        state: Gives the variable that a kernel works on, for one that an operation names.

    Attributes:
        template: What is in the slots before anything runs: constants.
        feeds: The slots of what is fed.
        fetches: The slots of what is fetched.
        program: What runs, in order.
        elsewhere: Whether anything is on other devices than the host.
    """

    def __init__(
        self,
        nodes: Iterable[Operation],
        feeds: Sequence[Any],
        fetches: Sequence[SymbolicTensor],
        state: Callable[[Any], Any] = lambda variable: variable,
    ) -> None:
        self._slots: dict[int, int] = {}
        self.template: list[Any] = []
        self._values: dict[int, Any] = {}  # of the slots of constants
        self._state = state
        self.feeds = [self._slot(tensor) for tensor in feeds]
        self._devices: dict[int, Device] = dict.fromkeys(self.feeds, runtime.default)
        self._readings = Readings(self._reading)
        steps = [step for node in nodes if not self._is_passed_on(node) for step in self._steps_of(node)]
        self.fetches = [self._slot(tensor) for tensor in fetches]
        steps += self._readings.behind(self.fetches)
        kept = {*self.fetches, *self._constants(), *self.feeds}
        self.elsewhere = elsewhere()
        self._steps = with_dead(fused(steps, set(self.fetches)), kept)
        holders = [self._devices.get(slot, runtime.host) for slot in self.fetches]
        self._kinds = [(device, tensor.dtype) for device, tensor in zip(holders, fetches)]
        self.program = list(map(_line, self._steps))

    # ---------------------------------------------------------------- making it
    def _constants(self) -> set[int]:
        return {i for i, value in enumerate(self.template) if value is not None}

    def _is_passed_on(self, node: Operation) -> bool:
        """Whether an operation needs no step: its value is known, or is that of another."""
        if node.type == "Const":
            device = runtime.place(node.device or None)
            tensor = EagerTensor(node.attrs["value"], runtime.host, node.attrs["dtype"])
            self._keep(node, settled(tensor, device)._array)
            return True
        if keeps_shape(node) and not node.device:
            self._slots[id(node.outputs[0])] = self._slot(node.tensors[0])
            return True
        if node.type == "Identity" and not node.device and node.tensors:
            self._slots[id(node.outputs[0])] = self._slot(node.tensors[0])
            return True
        if node.type == "Identity" and node.arguments and not node.tensors:
            variable = getattr(node.arguments[0], "_variable", None)
            if self._slots.get(id(variable)) in self.feeds:
                self._slots[id(node.outputs[0])] = self._slot(variable)
                return True
        return node.type == "NoOp" or self._is_folded(node)

    def _is_folded(self, node: Operation) -> bool:
        """Whether the value of an operation is known before anything runs."""
        found = size_known(node)
        slots = [self._slots.get(id(x), -1) for x in node.arguments]
        if found is None and slots and self._values.keys() >= set(slots):
            found = folded(node, [self._values[slot] for slot in slots], self._device(node))
        if found is not None:
            self._keep(node, found)
        return found is not None

    def _keep(self, node: Operation, value: Any) -> None:
        """Takes note of a result that is a constant."""
        self._slots[id(node.outputs[0])] = slot = self._holding(value)
        self._values[slot] = value

    def _steps_of(self, node: Operation) -> list[Step]:
        """The step of an operation, and before it those that read again what has changed."""
        slots = [self._slot(tensor) for tensor in node.tensors]
        steps = [*self._readings.behind(slots), self._step(node)]
        self._readings.note(node, self._slot)
        return steps

    def _reading(self, tensor: SymbolicTensor) -> Step:
        variable = tensor.op.arguments[0]._variable
        return self._step(variable.op)._replace(writes=self._slot(tensor))

    def _slot(self, value: Any) -> int:
        key = id(value._handle) if isinstance(value, BaseResourceVariable) else id(value)
        index = self._slots.get(key)
        if index is None:
            index = self._slots[key] = len(self.template)
            self.template.append(None)
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
        held = next((x for x in node.arguments if isinstance(x, BaseResourceVariable)), None)
        if held is not None and op.expand is None:
            return self._state(held)._device
        return able_of(node, runtime.place(node.device or None))

    def _read(self, kind: Kind, value: Any, device: Device) -> Any:
        if isinstance(value, tuple):
            return tuple(self._read(kind, item, device) for item in value)
        if isinstance(value, SymbolicTensor) or self._is_fed(value):
            return self._slot(value)
        return self._holding(value if value is None else self._state(value))

    def _is_fed(self, value: Any) -> bool:
        return isinstance(value, BaseResourceVariable) and id(value._handle) in self._slots

    # ---------------------------------------------------------------- running it
    def run(self, arrays: Iterable[Any]) -> list[Any]:
        """Computes the fetches.

        Args:
            arrays: The arrays that are fed.

        Returns:
            The arrays that are fetched.
        """
        return quiet().run(self.within, arrays)

    def within(self, arrays: Iterable[Any]) -> list[Any]:
        """Computes the fetches in the course of another plan; see ``run``."""
        slots = self.template.copy()
        for slot, array in zip(self.feeds, arrays, strict=True):
            slots[slot] = array
        outer = thread.node
        try:
            self._loop(slots)
        finally:
            thread.node = outer
        return [slots[slot] for slot in self.fetches]

    def tensors(self, arrays: Iterable[Any]) -> list[EagerTensor]:
        """Computes the fetches as tensors; see ``run``."""
        found = self.run(arrays)
        if self.elsewhere:
            return [EagerTensor(array, holder(array), dtype) for array, (_, dtype) in zip(found, self._kinds)]
        return [EagerTensor(array, *kind) for array, kind in zip(found, self._kinds)]

    def _loop(self, slots: list[Any]) -> None:
        array_type, scalar, converted = np.ndarray, (np.number, np.bool_), np.asarray
        for run, first, second, writes, dead, step in self.program:
            try:
                if second is not None:
                    result = run(slots[first], slots[second])
                elif first is not None:
                    result = run(slots[first])
                else:
                    result = self._called(run, step, slots)
            except (errors.OpError, ValueError, TypeError, MemoryError) as error:
                raise failed(step, _arguments(step, slots), error) from error
            if type(result) is array_type:
                slots[writes] = result
            elif isinstance(result, scalar):  # of rank 0, the usual case in loops
                slots[writes] = converted(result)
            else:
                _stored(step, slots, result)
            for slot in dead:
                slots[slot] = None

    def _called(self, run: Callable[..., Any], step: Step, slots: list[Any]) -> Any:
        """Runs a step that takes lists, many inputs or none, or has effects."""
        if step.node.definition.impure:
            thread.node = step.node
        return run(*_arguments(step, slots))


def _arguments(step: Step, slots: list[Any]) -> list[Any]:
    return [slots[i] if type(i) is int else [slots[j] for j in i] for i in step.reads]


def _stored(step: Step, slots: list[Any], result: Any) -> None:
    """Puts results into slots that are not one array: scalars, several ones, or none."""
    writes = step.writes
    if isinstance(writes, int):
        slots[writes] = as_array(result)
    elif writes is not None:
        for slot, item in zip(writes, result):
            slots[slot] = as_array(item)


class Line(NamedTuple):
    """What the loop of a plan reads of a step: the fields of those with one or two plain inputs."""

    run: Callable[..., Any]
    first: Any
    second: Any
    writes: Any
    dead: tuple[int, ...]
    step: Step


def _line(step: Step) -> Line:
    op, reads = step.node.definition, step.reads
    plain = not op.impure and 0 < len(reads) <= 2 and all(type(i) is int for i in reads)
    plain = plain and (isinstance(step.writes, int) or not isinstance(step.kernel, Chain))
    first, second = (*reads, None)[:2] if plain else (None, None)
    kernel, module, on_gpu = step.kernel, step.device.xp, step.device.kind == "GPU"
    whole = (op.bulk if on_gpu else op.ufunc) if kernel is op.kernel else None
    if on_gpu and kernel is op.kernel:
        kernel = module.kernel_of(op.type, kernel)
    run = functools.partial(kernel, module, **step.attrs) if whole is None else getattr(module, whole)
    run = located(step, run) if elsewhere() else run
    return Line(run, first, second, step.writes, step.dead, step)


def as_array(result: Any) -> Any:
    """The array of a kernel's result; NumPy gives some as scalars."""
    if isinstance(result, (np.generic, bytes)):
        return np.asarray(result, dtype=object if isinstance(result, bytes) else None)
    return result


def failed(step: Step, arguments: list[Any], error: Exception) -> Exception:
    """The error of an operation of a graph: what its kernel says, and which operation it was."""
    node = step.node
    if not isinstance(error, errors.OpError):
        inputs = [_tensor(x, value) for x, value in zip(node.arguments, arguments)]
        error = explained(node.definition, inputs, node.attrs, _dtype(node), step.device, error)
    if not isinstance(error, errors.OpError) or error.message.startswith(_HEADING):
        return error
    said = error.message.split(f" [Op:{node.type}]")[0]
    text = f"{_HEADING}\n\nDetected at node {node.name}\n{said}\n\t [[{{{{node {node.name}}}}}]]"
    return type(error)(None, node, text)


_HEADING = "Graph execution error:"


def in_function(error: errors.OpError, name: str) -> errors.OpError:
    """An error of an operation in the body of a function."""
    return type(error)(None, error.op, f"{error.message} [Op:{name}]")


def _dtype(node: Operation) -> Any:
    return node.outputs[0].dtype if node.outputs else None


def _tensor(symbol: Any, value: Any) -> Any:
    """A tensor of what a step was given, for the message of an error."""
    if isinstance(symbol, tuple):
        return tuple(map(_tensor, symbol, value))
    if isinstance(symbol, SymbolicTensor):
        return EagerTensor(value, holder(value), symbol.dtype)
    return value


def needed(fetches: Iterable[Any], feeds: Iterable[Any], roots: Iterable[Operation] = ()) -> list[Operation]:
    """The operations that some tensors need, in an order in which they can run.

    Args:
        fetches: The tensors.
        feeds: Tensors whose values are given.
        roots: Operations that have to run too.
    """
    given = {id(tensor) for tensor in feeds}
    found: dict[int, Operation] = {}
    todo = [*roots, *(tensor.op for tensor in fetches if id(tensor) not in given)]
    while todo:
        node = todo.pop()
        if id(node) not in found:
            found[id(node)] = node
            todo += node.control_inputs
            todo += [x.op for x in node.tensors if id(x) not in given]
    nodes = list(found.values())
    return sorted(nodes, key=lambda node: node.index)
