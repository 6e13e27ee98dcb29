"""The nodes of a ``GraphDef`` and the operations that are made of them."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from twinflow._src.core import errors
from twinflow._src.core.context import entered, thread
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.op_definitions import attributes, is_known
from twinflow._src.graph.ops import NO_OP
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.graph_serialization.attribute_values import of_message
from twinflow._src.graph_serialization.node_readers import READERS, Made, Node, read


class Nodes:
    """The nodes of a message, on their way into a graph.

    Args:
        proto: A ``GraphDef``.
        library: The functions that it calls by name; those of the message where None.

    Attributes:
        prefix: What stands before the names of the operations.
    """

    def __init__(self, proto: Any, library: dict[str, Any] | None = None) -> None:
        self.prefix = ""
        own = {f.signature.name: f for f in proto.library.function}
        self._library = own if library is None else library
        self._nodes: dict[str, Any] = {}
        for node in proto.node:
            if node.name in self._nodes:
                raise ValueError(f"Node '{node.name}' is not unique")
            self._nodes[node.name] = node
        self._made: dict[str, Made] = {}
        self._given: dict[str, Any] = {}
        self._used: set[str] = set()

    # ---------------------------------------------------------------- adding
    def add_all(self, given: dict[str, Any]) -> None:
        """Adds all operations to the graph that surrounds.

        Args:
            given: Tensors to take in the place of others, by the names of these.
        """
        self._given = given
        for node in self._ordered():
            self._made[node.name] = self._add(node)

    def assert_all_used(self, given: Iterable[str]) -> None:
        """Raises ValueError where tensors are given in the place of some that nothing takes."""
        unused = [n for n in given if n not in self._used and not self._exists(n)]
        if unused:
            raise ValueError(
                f"Attempted to map inputs that were not found in graph_def: [{', '.join(unused)}]"
            )

    def _exists(self, name: str) -> bool:
        return name.removeprefix("^").partition(":")[0] in self._nodes

    def _ordered(self) -> list[Any]:
        """The nodes, each after those that it needs, else in the order of the message."""
        found: list[Any] = []
        state: dict[str, int] = {}  # 1: its inputs are being looked at; 2: it is in its place
        for first in self._nodes.values():
            todo = [first]
            while todo:
                node = todo[-1]
                if state.get(node.name) == 2:
                    todo.pop()
                    continue
                state[node.name] = 1
                waiting = [self._nodes[n] for n in self._sources(node) if state.get(n) != 2]
                if any(state.get(other.name) == 1 for other in waiting):
                    rest = len(self._nodes) - len(found)
                    raise ValueError(f"{rest} nodes in a cycle")
                if not waiting:
                    state[node.name] = 2
                    found.append(todo.pop())
                todo += waiting[:1]
        return found

    def _sources(self, node: Any) -> list[str]:
        names = []
        for text in node.input:
            name, _ = _parted(text)
            if self._mapped(text) is not None:
                continue
            if name not in self._nodes:
                raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
            names.append(name)
        return names

    def _mapped(self, text: str) -> Any:
        key = text if text.startswith("^") else ":".join(map(str, _parted(text)))
        if key in self._given:
            self._used.add(key)
            return self._given[key]
        return None

    def _add(self, proto: Any) -> Made:
        if proto.op not in OPS and proto.op not in READERS:
            raise _unknown(proto)
        graph = thread.scope.graph
        tensors = [self._tensor(proto, text) for text in proto.input if not text.startswith("^")]
        waits = [self._operation(text) for text in proto.input if text.startswith("^")]
        name = graph.uniquely(self.prefix + proto.name)
        node = Node(proto, name, tensors, _attrs(proto), self._library)
        count = graph.version
        with entered(_surroundings(proto, waits)):
            made = read(node)
        if made.operation is None:
            inside = [n for n in graph.get_operations()[count:] if n.definition.impure]
            with entered(_surroundings(proto, waits + inside)):
                made = made._replace(operation=graph.add(NO_OP, (), {}, name))
        self._finish(proto, made)
        return made

    def _finish(self, proto: Any, made: Made) -> None:
        node = made.operation
        assert node is not None
        own = attributes(proto.op)
        for key, value in proto.attr.items():
            if key == "_class":
                node.marks[key] = [self._located(text) for text in value.list.s]
            elif key == "_output_shapes":
                _take_shapes(made.tensors, of_message(value))
            elif key.startswith("_") or key in _KEPT or key not in own:
                node.marks[key] = value

    def _located(self, text: bytes) -> bytes:
        start = b"loc:@"
        return start + self.prefix.encode() + text[len(start) :] if text.startswith(start) else text

    # ---------------------------------------------------------------- what nodes take
    def _tensor(self, node: Any, text: str) -> Any:
        found = self._mapped(text)
        if found is not None:
            return found
        name, index = _parted(text)
        tensors = self._made[name].tensors
        if index >= len(tensors):
            raise ValueError(
                f"Node '{node.name}': Connecting to invalid output {index} of source node {name} which has "
                f"{len(tensors)} outputs."
            )
        return tensors[index]

    def _operation(self, text: str) -> Operation:
        found = self._mapped(text)
        if found is not None:
            return found
        operation = self._made[text[1:]].operation
        assert operation is not None
        return operation

    def element(self, name: str) -> Any:
        """The operation or tensor of a name in the message.

        Args:
            name: ``"node"`` or ``"node:0"``.

        Raises:
            ValueError: There is none.
        """
        source, colon, index = name.partition(":")
        if source not in self._made:
            kind = "tensor" if colon else "node"
            raise ValueError(f"Requested return {kind} '{name}' not found in graph def")
        made = self._made[source]
        if not colon:
            return made.operation
        if int(index) >= len(made.tensors):
            raise ValueError(
                f"Invalid return output {index} of node '{source}', which has {len(made.tensors)} output(s)"
            )
        return made.tensors[int(index)]


# Attributes that nothing here asks for, but other programs may.
_KEPT = frozenset(("use_locking", "grad_a", "grad_b"))


@functools.cache
def _parted(text: str) -> tuple[str, int]:
    name, _, index = text.removeprefix("^").partition(":")
    return name, int(index or 0)


def _attrs(proto: Any) -> dict[str, Any]:
    kept = {name: value for name, value in proto.attr.items() if not name.startswith("_")}
    late = "value" if proto.op == "Const" else None  # which may be large: its reader looks at it once
    return {name: None if name == late else of_message(value) for name, value in kept.items()}


def _surroundings(proto: Any, waits: list[Operation]) -> Any:
    scope = thread.scope
    device = DeviceSpec.from_string(scope.device or "")
    device = device.make_merged_spec(DeviceSpec.from_string(proto.device)) if proto.device else device
    return scope.but(name="", device=device.to_string() or None, controls=tuple(waits), observers=())


def _take_shapes(tensors: list[Any], shapes: list[Any]) -> None:
    """Adds what a message says of the shapes of results, as far as it does not contradict."""
    for tensor, shape in zip(tensors, shapes or ()):
        if isinstance(tensor, SymbolicTensor) and tensor.shape.is_compatible_with(shape):
            tensor.set_shape(shape)


def _unknown(proto: Any) -> Exception:
    known = "TensorFlow has it, twinflow does not. " if is_known(proto.op) else ""
    return errors.NotFoundError(
        None,
        None,
        f"Op type not registered '{proto.op}' in this process: the node '{proto.name}' of the graph needs it. {known}"
        "A graph can be imported where all of its operations are in the reference of operations.",
    )

