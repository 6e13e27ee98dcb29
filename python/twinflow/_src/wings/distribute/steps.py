"""Runs of sessions in a task: parts of graphs, and the variables, queues and accumulators by name.

The sessions of all clients share what has a name. A part of a graph is sent once, and kept as a
program that is bound to the task's variables.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from typing import Any

from twinflow._src.compat_v1.session.session import State
from twinflow._src.compiler.program import Program, needed
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.core.protos import message
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.graph.graph import Graph
from twinflow._src.graph.ops import PLACEHOLDER
from twinflow._src.graph_serialization.nodes import Nodes
from twinflow._src.wings.distribute.programs import Cache, localize
from twinflow._src.wings.queue import accumulators, queues

# The container of what is created outside all containers.
DEFAULT_CONTAINER = "localhost"
# The most programs of a task, and the most clients whose random numbers are kept apart.
_MOST_STEPS, _MOST_CLIENTS = 256, 1024


class _Container(State):
    """The variables of a task by container and name."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def of(self, variable: Any) -> Any:
        """Returns the kernel input for a variable."""
        with self._lock:
            return super().of(variable)

    def clear(self, containers: Sequence[str]) -> None:
        """Drops the variables of some containers; of all if there are none."""
        with self._lock:
            for key in [k for k in self._entries if _is_in(k, containers)]:
                del self._entries[key]


def _is_in(key: str, containers: Sequence[str]) -> bool:
    return not containers or key.partition("/")[0] in containers


class Shared:
    """The variables, queues and programs of a task, which the sessions of all clients share.

    Args:
        place: The job and the index of the task.
    """

    def __init__(self, place: tuple[str, int]) -> None:
        self._place, self._lock = place, threading.Lock()
        self._state = _Container()
        self._stores: dict[str, tuple[Any, dict[str, Any]]] = {}  # with their recipes
        self._definitions, self._steps = Cache(1024), Cache(_MOST_STEPS)
        self._clients = Cache(_MOST_CLIENTS)

    def reset(self, containers: Sequence[str]) -> None:
        """Drops the variables and queues of some containers; all if there are none."""
        self._state.clear(containers)
        self._steps = Cache(_MOST_STEPS)  # they are bound to the variables
        with self._lock:
            for key in [k for k in self._stores if _is_in(k, containers)]:
                del self._stores[key]

    # ---------------------------------------------------------------- queues and accumulators
    def run_store(self, type: str, name: str, recipe: dict[str, Any], inputs: Sequence[Any]) -> Any:
        """Runs an op on a queue or accumulator, which is created on its first use."""
        with self._lock, entered(PLAIN):
            store, first = self._stores.get(name, (None, recipe))
            if store is None:
                module: Any = accumulators if "reduction_type" in recipe else queues
                store = module.restored(recipe)
                self._stores[name] = store, recipe
        _assert_same(name, first, recipe)
        with entered(PLAIN):
            return store.run_op(type, inputs)

    # ---------------------------------------------------------------- parts of graphs
    def run_step(
        self,
        key: bytes,
        definition: dict[str, Any] | None,
        inputs: Sequence[Any],
        client: str,
    ) -> list[Any]:
        """Runs a part of a graph, and returns the values of its fetches."""
        if definition is not None:
            if digest(definition) != key:
                raise InvalidArgumentError(None, None, "The digest of a graph is wrong.")
            self._definitions.put(key, definition)
        step = self._steps.get(key)
        if step is None:
            definition = self._definitions.get(key)
            if definition is None:
                raise InvalidArgumentError(None, None, "The task does not have the graph.")
            step = _Step(definition, self._place, self._state)
            self._steps.put(key, step)
        token = self._clients.get(client)
        if token is None:
            token = Client()
            self._clients.put(client, token)
        outer = thread.session
        try:
            thread.session = token
            with entered(PLAIN):
                return step(inputs)
        finally:
            thread.session = outer


# What two queues of a name have in common, in the words of the errors.
_RECIPE = {
    "kind": "type",
    "capacity": "capacity",
    "dtypes": "component types",
    "shapes": "component shapes",
    "dtype": "type",
    "shape": "shape",
    "reduction_type": "reduction type",
}


def _assert_same(name: str, first: dict[str, Any], recipe: dict[str, Any]) -> None:
    """Raises InvalidArgumentError if a queue is not what an operation takes it for."""
    for key, word in _RECIPE.items():
        if first.get(key) != recipe.get(key):
            raise InvalidArgumentError(
                None,
                None,
                f"Shared queue '{name.partition('/')[2]}' has {word} {first.get(key)} but requested {word} was "
                f"{recipe.get(key)}",
            )


class Client:
    """Stands for the session of a client, to which the states of random operations belong."""


def digest(definition: dict[str, Any]) -> bytes:
    """Returns the digest of a part of a graph."""
    names = [sorted((k, repr(v)) for k, v in definition.items() if k != "graph")]
    return hashlib.sha256(definition["graph"] + repr(names).encode()).digest()


class _Step:
    """A part of a graph, bound to the variables of the task."""

    def __init__(
        self, definition: dict[str, Any], place: tuple[str, int], state: _Container
    ) -> None:
        proto = message("GraphDef").FromString(definition["graph"])
        for each in (proto.node, *(f.node_def for f in proto.library.function)):
            for node in each:
                localize(node, place)
        graph, feeds = Graph(), {}
        with entered(PLAIN.but(graph=graph)):
            nodes = Nodes(proto)
            for name, dtype, dims in definition["feeds"]:
                attrs = {"dtype": dtype, "shape": TensorShape(dims)}
                feeds[name] = graph.add(PLACEHOLDER, (), attrs, graph.unique_name("_arg"))
            nodes.add_all(feeds)
            fetches = [nodes.tensor(name) for name in definition["fetches"]]
            roots = [nodes.element(name) for name in definition["roots"]]
        for node in graph.get_operations():
            _name_variable(node)
        kept = needed(fetches, list(feeds.values()), roots)
        self._kept = graph
        self._program = Program(
            kept,
            list(feeds.values()),
            fetches,
            state.of,
            place=runtime.place_softly if definition["soft"] else runtime.place,
        )

    def __call__(self, values: Sequence[Any]) -> list[EagerTensor]:
        tensors = self._program.tensors(tensor._array for tensor in values)
        return [EagerTensor(x._array, x._device, x.dtype.base_dtype) for x in tensors]


def _name_variable(node: Any) -> None:
    """Sets the name under which the sessions share the variable of an operation."""
    variable = node.variable
    if variable is None or node.type not in ("VarHandleOp", "VariableV2"):
        return
    container = node.marks.get("container") or node.attrs.get("container") or DEFAULT_CONTAINER
    if not isinstance(container, (str, bytes)):
        container = container.s
    text = container.decode() if isinstance(container, bytes) else container
    handle = variable._handle
    handle.shared = f"{text or DEFAULT_CONTAINER}/{handle.shared or handle.name}"
