"""Variables of graphs: their handles, and the ops for their initialization, reads and updates.

Each session holds its own value of such a variable.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import Scope, entered, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import DType, as_dtype, resource
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, OPS, execute
from twinflow._src.dispatch.registry import Op
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import get_default_graph, plain_graph
from twinflow._src.graph.graph import Graph
from twinflow._src.graph.symbolic import Operation, SymbolicTensor, session_of
from twinflow._src.variables.handle import BOTH_GIVEN, NONE_GIVEN, Handle
from twinflow._src.variables.options import (
    VariableAggregation,
    VariableSynchronization,
    assert_collections,
)
from twinflow._src.variables.variable import BaseResourceVariable

# Handles and initial values.


class GraphHandle(Handle):
    """The symbolic handle of a variable, whose storage belongs to a session."""

    __slots__ = ("shared", "tensor")

    tensor: SymbolicTensor

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.shared: str | None = None  # the shared name, under which handles refer to one storage

    def __del__(self) -> None:
        """Does nothing: there is no storage to release."""


def _unreadable(xp: Any, **_: Any) -> Any:
    raise AssertionError("a handle is no value")


VAR_HANDLE = Op(
    "VarHandleOp", _unreadable, infer=lambda node: ([resource], [()], True), no_gradient=True
)


def first_value(value: Any, dtype: DType | None) -> Any:
    """Returns the initial value as a tensor."""
    value = value() if callable(value) else value
    return convert_to_tensor(value, dtype, name="initial_value")


# Variables.


class GraphVariable(BaseResourceVariable):
    """A variable of a graph.

    Args:
        initial_value: The initial value, or a callable that returns it.
        trainable: Whether optimizers train it; True where None.
        collections: The collections of the graph to add it to; ``GLOBAL_VARIABLES`` where None.
        validate_shape: Whether the variable has the static shape of its initial value.
        caching_device: Accepted and without effect.
        name: The name, ``"Variable"`` where None; a suffix makes it unique.
        dtype: The dtype; that of the initial value where None.
        constraint: A function that an optimizer applies to the value after each update.
        synchronization: The synchronization mode of distributed copies.
        aggregation: The aggregation mode of distributed copies.
        shape: The static shape, possibly partial; that of the initial value where None.

    Raises:
        ValueError: There is no initial value, or its shape is unknown where it is required.
    """

    _none_text, _both_text = NONE_GIVEN, BOTH_GIVEN
    _constraint_text = "Argument `constraint` must be None or a callable. a callable. Got a {}:  {}"
    _inside_text = (
        "The `initial_value` passed to `tf.Variable` {} is from inside a control-flow  construct, such as a loop or "
        "conditional. When creating a `tf.Variable` inside a loop or conditional, use a lambda as the `initial_value`. "
        "Got: initial_value=({})"
    )
    _by_name = True  # True if variables of the same name share their storage

    def __init__(
        self,
        initial_value: Any = None,
        trainable: Any = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        dtype: Any = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        shape: Any = None,
        **_: Any,
    ) -> None:
        if initial_value is None:
            raise ValueError(self._none_text)
        assert_collections(collections)
        if constraint is not None and not callable(constraint):
            raise ValueError(self._constraint_text.format(type(constraint), constraint))
        late = synchronization is VariableSynchronization.ON_READ
        self._trainable = not late if trainable is None else trainable
        self._constraint, self._validates = constraint, validate_shape
        self._synchronization = synchronization or VariableSynchronization.AUTO
        self._aggregation = aggregation or VariableAggregation.NONE
        self._graph: Graph = plain_graph() or get_default_graph()
        expected = None if dtype is None else as_dtype(dtype).base_dtype
        maker = getattr(thread.scope.graph, "creates", None)
        if maker is not None:
            initial_value = maker.lifted(initial_value, expected, self._graph)
        with _outside(self._graph), self._graph.name_scope(name or "Variable") as path:
            self._build(path, initial_value, expected, validate_shape, shape)
        if maker is not None:  # variables of a function are added to no other collection
            self._graph.add_to_collections([GraphKeys.GLOBAL_VARIABLES], self)
        else:
            self._join([GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections))

    def _join(self, collections: list[Any]) -> None:
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections.append(GraphKeys.TRAINABLE_VARIABLES)
        self._graph.add_to_collections(collections, self)

    def _build(
        self, path: str, value: Any, dtype: DType | None, validate: bool, shape: Any
    ) -> None:
        """Adds the ops of the variable: initial value, handle, initializer and read."""
        graph, together = self._graph, [f"loc:@{path[:-1]}".encode()]
        with graph.name_scope("Initializer"), graph.marked(_class=together):
            initial = self._from_outside(path, first_value(value, dtype))
        static = TensorShape(shape) if shape is not None else initial.shape
        if not static.is_compatible_with(initial.shape):
            raise ValueError(
                "In this `tf.Variable` creation, the initial value's shape "
                f"({initial.shape}) is not compatible with the explicitly supplied `shape` argument ({shape})."
            )
        self._create(path, initial, static)
        with graph.marked(_class=together):
            self._stands(graph.add(VAR_HANDLE, (), _described(self), path[:-1]))
        with self._graph.name_scope("IsInitialized"):
            execute(OPS["VarIsInitializedOp"], [self], {})
        assigned = OPS["AssignVariableOp"], (self, initial)
        self._initializer = self._graph.add(*assigned, {}, self._graph.unique_name("Assign"))
        self._initializer.marks.pop("_class", None)
        with self._graph.name_scope("Read"):
            self._graph_element = self._read()

    def _from_outside(self, path: str, initial: Any) -> Any:
        """Returns the initial value; ValueError for a tensor of a branch or of a loop body."""
        if isinstance(initial, SymbolicTensor) and initial.graph is not self._graph:
            raise ValueError(self._inside_text.format(path, initial))
        return initial

    def _stands(self, tensor: Any) -> None:
        """Sets the tensor that represents the storage."""
        assert isinstance(self._handle, GraphHandle)
        self._handle.tensor = tensor
        self._op, tensor.op.variable = tensor.op, self

    def _create(self, path: str, initial: SymbolicTensor, static: TensorShape) -> None:
        self._shape, self._initial_value = static, initial
        self._handle = GraphHandle(None, runtime.host, initial.dtype.base_dtype, path[:-1])
        self._handle.shared = self._handle.name if self._by_name else None

    # ---------------------------------------------------------------- properties
    @property
    def op(self) -> Operation:  # type: ignore[override]
        """The operation that produces the handle."""
        return self._op

    @property
    def graph(self) -> Graph:  # type: ignore[override]
        """The graph that the variable belongs to."""
        return self._graph

    @property
    def device(self) -> str:
        """The requested device, ``""`` where there is none."""
        return self._op.device

    @property
    def handle(self) -> Any:
        """The tensor of the handle."""
        return self._handle.tensor  # type: ignore[attr-defined]

    @property
    def initializer(self) -> Any:
        """The operation that assigns the initial value."""
        return self._initializer

    @property
    def create(self) -> Any:
        """The operation that assigns the initial value."""
        return self._initializer

    @property
    def initial_value(self) -> Any:
        """The tensor of the initial value."""
        return self._initial_value

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the ``VariableDef``; None where the name is not in ``export_scope``.

        Args:
            export_scope: A name scope that is stripped from the names, or None.
        """
        from twinflow._src.variables.variable_def import to_proto

        return to_proto(self, export_scope)

    def _as_graph_element(self) -> Any:
        return self._graph_element

    def _read(self) -> Any:
        return execute(OPS["ReadVariableOp"], [self], {})

    def value(self) -> Any:
        """Returns the tensor of the value."""
        return self._read()

    def read_value(self) -> Any:
        """Returns the tensor of the value, from a new read op."""
        graph = thread.scope.graph
        with graph.name_scope("Read"):
            value = self._read()
        return API["identity"](value)

    def initialized_value(self) -> Any:
        """Returns the value, or the initial value of an uninitialized variable, as a tensor."""
        return API["cond"](self.is_initialized(), self.read_value, lambda: self.initial_value)

    def is_initialized(self, name: str | None = None) -> Any:
        """Returns a boolean tensor: True if the variable is initialized."""
        return execute(OPS["VarIsInitializedOp"], [self], {"name": name})

    # ---------------------------------------------------------------- sessions
    def eval(self, session: Any = None) -> Any:
        """Returns the value in a session, the default session where None."""
        return self._graph_element.eval(session=session)

    def load(self, value: Any, session: Any = None) -> None:
        """Assigns a value in a session, the default session where None."""
        said = "load a variable", "the variable", "`load()`", "load("
        owner = session_of(self._graph, session, *said)
        owner.run(self.initializer, {self.initializer.inputs[-1]: value})

    # ---------------------------------------------------------------- updates
    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds an operation that replaces the value.

        Args:
            value: A value of the variable's shape.
            use_locking: Without effect: updates are atomic.
            name: The name of the operation.
            read_value: Whether to return the updated variable, or else the operation.

        Raises:
            ValueError: The shapes are incompatible.
        """
        tensor = convert_to_tensor(value, dtype=self.dtype)
        if not self._shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape "
                f"{self._shape}, and the assigned value shape {tensor.shape} are incompatible."
            )
        return self._update(OPS["AssignVariableOp"], tensor, name, read_value)

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds an operation that adds to the value; see ``assign``."""
        delta = convert_to_tensor(delta, dtype=self.dtype)
        return self._update(OPS["AssignAddVariableOp"], delta, name, read_value)

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds an operation that subtracts from the value; see ``assign``."""
        delta = convert_to_tensor(delta, dtype=self.dtype)
        return self._update(OPS["AssignSubVariableOp"], delta, name, read_value)

    def _update(self, op: Op, value: Any, name: str | None, read_value: bool) -> Any:
        execute(op, [self, value], {"name": name, **self._validating(op)})
        return self._updated(read_value)

    def _updated(self, read_value: bool) -> Any:
        """Returns the result of the newest update op: the updated variable, or the operation."""
        node = thread.scope.graph.newest
        return _UnreadVariable(self, node) if read_value else node

    # ---------------------------------------------------------------- Python protocols
    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __copy__(self) -> Any:
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __deepcopy__(self, memo: Any) -> Any:
        raise NotImplementedError(
            "__deepcopy__() is only available when eager execution is enabled."
        )

    @property
    def _device(self) -> Device:
        return runtime.default


class _UnreadVariable(GraphVariable):
    """The result of an update: the variable with its reads after the update."""

    def __init__(self, origin: GraphVariable, node: Operation) -> None:
        self.__dict__.update(origin.__dict__)
        self._parent, self._origin, self._initializer = (
            node,
            getattr(origin, "_origin", origin),
            None,
        )
        self._graph_element = self._read()

    @property
    def name(self) -> str:
        """The name of the update operation."""
        return self._parent.name

    @property
    def op(self) -> Operation:  # type: ignore[override]
        """The update operation."""
        return self._parent

    def _read(self) -> Any:
        with thread.scope.graph.control_dependencies([self._parent]):
            return super()._read()

    def read_value(self) -> Any:
        """Returns the tensor of the value after the update."""
        return self._read()


def _after(name: str) -> Callable[..., Any]:
    method = getattr(GraphVariable, name)

    @functools.wraps(method)
    def update(self: Any, *args: Any, **kwargs: Any) -> Any:
        with thread.scope.graph.control_dependencies([self._parent]):
            return method(self, *args, **kwargs)

    return update


# Updates of an update run after it.
for _name in (
    "assign",
    "assign_add",
    "assign_sub",
    *(n for n in dir(GraphVariable) if re.match("(batch_)?scatter_", n)),
):
    setattr(_UnreadVariable, _name, _after(_name))

GraphVariable.__name__ = GraphVariable.__qualname__ = "ResourceVariable"


# ------------------------------------------------------------------ construction


def _outside(graph: Graph) -> Any:
    """Returns a scope of the outermost graph, without control dependencies."""
    scope = thread.scope
    if scope.graph is graph:
        return entered(scope.but(controls=()))
    return entered(Scope(graph=graph, name=scope.name))


def _described(variable: GraphVariable) -> dict[str, Any]:
    return {"dtype": variable.dtype, "shape": variable.shape, "shared_name": variable._shared_name}


def _bound(name: str, reflected: bool) -> Callable[[Any, Any], Any]:
    method = f"__{'r' * reflected}{name}__"

    def operator(self: Any, other: Any) -> Any:
        return getattr(self.value(), method)(other)

    return operator


# Python's operators read the variable first, outside the name scope of the operator.
for _name in (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
):
    for _reflected in (False, True):
        _method = f"__{'r' * _reflected}{_name}__"
        setattr(GraphVariable, _method, _bound(_name, _reflected))
