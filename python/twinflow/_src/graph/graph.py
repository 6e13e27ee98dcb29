"""Graphs: calls of ops within a graph add operations to it.

``execute`` dispatches such a call to ``Graph.call``, which converts the inputs like an eager call,
infers dtypes and shapes of the results, and returns symbolic tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from twinflow._src.core.context import Scope, altered, entered, thread
from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import UNKNOWN, Dims, TensorShape, Unknown
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import observed, own
from twinflow._src.dispatch.inputs import converted
from twinflow._src.dispatch.opdefs import not_allowed_in_graphs, short_list
from twinflow._src.dispatch.registry import Kind, Op
from twinflow._src.graph.call_stack import CallStacks
from twinflow._src.graph.collections import Collections
from twinflow._src.graph.graph_scopes import Blocks
from twinflow._src.graph.naming import Elements, Names
from twinflow._src.graph.ops import CONST, PLACEHOLDER
from twinflow._src.graph.overrides import with_gradient
from twinflow._src.graph.signatures import input_name, output_types, result_types, signature
from twinflow._src.graph.static_values import known_value
from twinflow._src.graph.symbolic import Operation, SymbolicTensor, serializer
from twinflow._src.graph_serialization.node_def_text import described


class Graph(Blocks, Collections, Elements, Names):
    """A graph of operations.

    Attributes:
        building_function: Whether this is the body of a function.
        seed: The seed of its random operations, or None.
        kept_sizes: Cache of the shapes, paired with the same shape after a reduction that keeps the
            dimensions, for which the quotient was already added.
    """

    __module__ = "twinflow"

    building_function = False

    @property
    def _variable_creator_stack(self) -> tuple[Any, ...]:
        """The variable creators in scope, which optimizers of libraries look for."""
        from twinflow._src.variables.options import creators

        return tuple(creators.stack)

    def _get_control_flow_context(self) -> None:
        """Returns None: loops and branches are functions, not contexts; libraries ask."""

    # The indices of operations that calls of functions with ``jit_compile`` added.
    compiled_ranges: tuple[range, ...] = ()

    def __init__(self) -> None:
        for part in Graph.__bases__:
            part.__init__(self)  # type: ignore[misc]
        self._operations: dict[str, Operation] = {}
        self._call_stacks = CallStacks()
        self._finalized = False
        self._seeded = 0
        self.seed: Any = None
        self.kept_sizes: set[tuple[Dims, Dims]] = set()
        # Arguments and results of the calls of functions that other ones may replace, by interface.
        self.implemented: dict[str, tuple[list[Any], list[Any]]] = {}

    # ---------------------------------------------------------------- contents
    @property
    def version(self) -> int:
        """The number of operations."""
        return len(self._operations)

    def get_operations(self) -> list[Operation]:
        """Returns the operations in the order of their creation."""
        return list(self._operations.values())

    @property
    def newest(self) -> Operation:
        """The newest operation."""
        return next(reversed(self._operations.values()))

    @property
    def finalized(self) -> bool:
        """True if no more operations can be added."""
        return self._finalized

    def finalize(self) -> None:
        """Makes the graph read-only: no more operations can be added."""
        self._finalized = True

    def _assert_open(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def as_default(self) -> Any:
        """Returns a context manager for the default graph; it resets device and name scopes."""
        return altered(
            thread, "scope", lambda scope: scope if scope.graph is self else Scope(graph=self), self
        )

    def seed_of_operation(self) -> int:
        """Returns the default seed of the next random operation: the number of those before it."""
        self._seeded += 1
        return self._seeded - 1

    # ---------------------------------------------------------------- protocol buffers
    def as_graph_def(
        self, from_version: int | None = None, add_shapes: bool = False, **_: Any
    ) -> Any:
        """Returns the ``GraphDef`` of the graph.

        Args:
            from_version: Accepted and without effect, as in TensorFlow 2.21.
            add_shapes: Whether to include the shapes of the results.

        Raises:
            NotImplementedError: An operation has no counterpart in TensorFlow.
        """
        return serializer.graph_def(self, from_version, add_shapes)

    @property
    def graph_def_versions(self) -> Any:
        """The ``VersionDef`` of the graph, with the producer version."""
        from twinflow._src.core.protos import message

        return message("VersionDef")(producer=serializer.PRODUCER)

    # ---------------------------------------------------------------- operations
    def call(self, op: Op, values: list[Any], attrs: dict[str, Any]) -> Any:
        """Adds the operation for a call of an op.

        Args:
            op: The op.
            values: One value for each tensor parameter.
            attrs: A value for each attribute, and ``name``.

        Returns:
            Its results.

        Raises:
            TypeError: The dtypes of the inputs are invalid.
            ValueError: The shapes of the inputs are invalid.
        """
        other = other_graph(self, values)
        if other is not None:
            with entered(thread.scope.but(graph=other, name="", controls=())):
                return other.call(op, values, attrs)
        attrs = dict(attrs)
        name = self.labelled(op.type, op.tf_name or op.type, attrs.pop("name", None))
        scope = thread.scope
        with entered(scope.but(name=f"{name}/")):
            op, tensors, _ = converted(op, values, check_types)
            arguments = tuple(self._argument(op, i, tensor) for i, tensor in enumerate(tensors))
        if any(tensor is None for tensor in tensors):
            return self._add_with_axes(op, arguments, attrs, name)
        return self.add(op, arguments, attrs, name)

    def _add_with_axes(
        self, op: Op, arguments: tuple[Any, ...], attrs: dict[str, Any], name: str
    ) -> Any:
        """Adds an operation with implied axes, which serialized graphs require."""
        from twinflow._src.graph.static_values import filled

        result = self.add(op, filled(self, op, arguments, name), attrs, name)
        if op.implied_axes == "all" and not attrs.get("keepdims"):
            result.set_shape(())
        return result

    def add(self, op: Op, arguments: tuple[Any, ...], attrs: dict[str, Any], name: str) -> Any:
        """Adds an operation on tensors of this graph; see ``call``."""
        self._assert_open()
        override = self._overrides.get(op.type)
        if override is not None:
            op = with_gradient(op, override)
        node = Operation(self, op, name, arguments, attrs, *self._surroundings())
        node.scope, node.call_stack = thread.scope.name, self._call_stacks.current()
        placed = self._placed
        if placed.devices:
            self.place(node)
        if self._marks:
            node.marks.update(self._marks)
        if placed.colocated:
            self.colocate(node)
        if self._containers[-1]:
            self.contain(node)
        if override is not None:
            node.marks["_gradient_op_type"] = override.encode()
        if node.control_inputs:
            self.wait(node)
        dtypes, shapes, single = _infer_shapes(node)
        self._operations[name] = node
        results = node.give(dtypes, shapes, single)
        self._on_add(node)
        if thread.scope.observers:
            observed(thread.scope, *node.call())
        if results is None:
            return node
        return own(results)

    def check(self, op: Op, arguments: tuple[Any, ...], attrs: dict[str, Any], name: str) -> None:
        """Raises the error of an invalid operation without adding it."""
        _infer_shapes(Operation(self, op, name, arguments, attrs, *self._surroundings()))

    def _surroundings(self) -> tuple[str, tuple[Operation, ...]]:
        scope = thread.scope
        return scope.device or "", scope.controls

    def _on_add(self, node: Operation) -> None:
        """Called for each new operation."""

    def _argument(self, op: Op, position: int, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(
                self.own(item, partial(_label, op, position, i)) for i, item in enumerate(value)
            )
        if value is None or op.kinds[position].attr == "resource":
            return value
        return self.own(value, partial(_label, op, position))

    def own(self, tensor: Any, label: Callable[[], str] | None = None) -> SymbolicTensor:
        """Returns the tensor of this graph for a tensor: itself, or its capture.

        ``label`` returns the name for a captured value.
        """
        if isinstance(tensor, SymbolicTensor) and tensor.graph is self:
            if tensor.op.shown:
                tensor.op.use()
            return tensor
        return self.capture(tensor, label)

    def capture(self, tensor: Any, label: Callable[[], str] | None = None) -> SymbolicTensor:
        """Returns the tensor of this graph for an outer one; see ``own``."""
        if isinstance(tensor, EagerTensor):
            return self.constant(tensor._host(), tensor.dtype, "Const")
        raise ValueError(
            f"{tensor} must be from the same graph as the operation that takes it (graphs are {tensor.graph} and {self})."
        )

    # ---------------------------------------------------------------- sources
    def constant(self, array: Any, dtype: DType, name: str | None) -> SymbolicTensor:
        """Adds a constant."""
        attrs = {"value": array, "dtype": dtype}
        if name is None or name == "Const":
            name = self.step("Const", "Const")
        return self.add(CONST, (), attrs, self._name_of_node(name))

    def placeholder(self, dtype: DType, dims: Dims | None, name: str) -> SymbolicTensor:
        """Adds a placeholder, which is fed when the graph runs."""
        attrs = {"dtype": dtype, "shape": TensorShape.of(dims)}
        return self.add(PLACEHOLDER, (), attrs, self._name_of_node(name))


def _label(op: Op, position: int, item: int | None = None) -> str:
    """Returns the name for a captured value: that of the input, with the index within a list."""
    name = input_name(op, position)
    return name if item is None else f"{name}_{item}"


# ------------------------------------------------------------------ dtypes and shapes


def check_types(
    op: Op, position: int, kind: Kind, tensor: Any, types_by_attr: dict[str, DType]
) -> None:
    """Raises TypeError where an input of an operation has an invalid dtype."""
    if tensor is None or kind.attr == "resource":
        return
    name = input_name(op, position)
    if kind.mixed:
        types = kind.allowed
        wrong = (
            None
            if types is None
            else next((x.dtype.base_dtype for x in tensor if x.dtype.base_dtype not in types), None)
        )
        if types is not None and wrong is not None:
            raise not_allowed_in_graphs(op.type, position, name, wrong, types)
        return
    if kind.many and not tensor:
        raise short_list(op.type, position, name)
    dtype = kind.only or types_by_attr[kind.attr]
    allowed = kind.allowed or op.dtypes
    if kind.many:
        _assert_list(op, name, tensor, None if kind.only is None else dtype)
    for item in tensor if kind.many else (tensor,):
        if item.dtype is not dtype and item.dtype.base_dtype is not dtype:
            owner = next(i for i, k in enumerate(op.kinds) if k.attr == kind.attr)
            raise TypeError(
                f"Input '{name}' of '{op.type}' Op has type {item.dtype.name} that does not match "
                + (
                    f"expected type of {dtype.name}."
                    if kind.only is not None
                    else f"type {dtype.name} of argument '{input_name(op, owner)}'."
                )
            )
        if kind.only is None and dtype not in allowed:
            raise not_allowed_in_graphs(op.type, position, name, dtype, allowed)


def _assert_list(op: Op, name: str, tensors: tuple[Any, ...], expected: DType | None) -> None:
    """Raises TypeError where the tensors of a list differ in dtype, or are not of ``expected``."""
    types = [tensor.dtype.base_dtype for tensor in tensors]
    if any(dtype is not (expected or types[0]) for dtype in types):
        raise TypeError(
            f"Tensors in list passed to '{name}' of '{op.type}' Op have types [{', '.join(t.name for t in types)}] that "
            + (
                "don't all match."
                if expected is None
                else f"do not match expected type {expected.name}."
            )
        )


def _infer_shapes(node: Operation) -> tuple[list[DType], list[Dims | None], bool]:
    """Returns dtypes and shapes of the results of an operation, and True for a single result."""
    op = node.definition
    if op.infer is not None:
        return op.infer(node)
    shape = inferred_shape(node, op)
    types = output_types(op, [_type(x) for x in node.arguments], node.attrs)
    gives = signature(op.type)
    assert gives is not None  # checked by output_types
    if gives.is_single:
        return types, [shape], True
    if isinstance(shape, list):
        return result_types(op, types, len(shape)), shape, False
    if gives.outputs and gives.outputs[0].number is not None:
        raise ValueError(f"Cannot infer argument `num` from shape {node.tensors[-1].shape}")
    return types, [None] * len(types), False


# The names of the inputs whose dtype must be that of the updated variable.
UPDATES = frozenset(("value", "updates"))


def inferred_shape(node: Operation, op: Op) -> Any:
    """Returns the shape of the result, or a list of shapes, by the shape function of an op."""
    arguments = [_make_inference_argument(kind, x) for kind, x in zip(op.kinds, node.arguments)]
    try:
        if op.impure and op.kinds and op.kinds[0].attr == "resource":
            _assert_types_of_variable(op, *node.arguments)
        return op.shape(*arguments, **node.attrs)
    except InvalidArgumentError as error:
        said = error.inferred or error.message
        raise ValueError(f"{said}{described(node, said)}.") from error


def _assert_types_of_variable(op: Op, variable: Any, *values: Any) -> None:
    """Raises InvalidArgumentError where an update and its variable differ in dtype."""
    stored = variable.dtype.base_dtype
    for param, value in zip(op.tensors[1:], values):
        if param.name in UPDATES and value.dtype.base_dtype is not stored:
            raise invalid(
                f"Trying to read variable with wrong dtype. Expected {stored.cname} got {value.dtype.base_dtype.cname}"
            )


def _make_inference_argument(kind: Kind, value: Any) -> Any:
    """Returns the argument of a shape function: static shape, or static value for host inputs."""
    if isinstance(value, tuple):
        return tuple(_make_inference_argument(kind, item) for item in value)
    if value is None:
        return None
    dims = value.shape._dims
    if not kind.host:
        return dims
    static = known_value(value)
    return Unknown(dims) if static is UNKNOWN else static


def _type(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_type, value))
    dtype = getattr(value, "dtype", None)
    return None if dtype is None else dtype.base_dtype


def other_graph(graph: Any, values: Iterable[Any]) -> Any:
    """Returns the graph of the inputs where it differs from the current graph, else None."""
    if all(value.graph is graph for value in values if type(value) is SymbolicTensor) and not any(
        hasattr(value, "_graph_element") or isinstance(value, (list, tuple)) for value in values
    ):
        return None
    elements = list(_elements(values))
    if not elements or graph.building_function or any(x.graph.building_function for x in elements):
        return None  # function bodies capture instead
    first = elements[0]
    for element in elements[1:]:
        if element.graph is not first.graph:
            raise ValueError(
                f"{element} must be from the same graph as {first} (graphs are {element.graph} and {first.graph})."
            )
    return None if first.graph is graph else first.graph


def _elements(values: Iterable[Any]) -> Iterator[SymbolicTensor]:
    """Yields the symbolic tensors among values, and those of variables."""
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _elements(value)
            continue
        element = getattr(value, "_graph_element", value)
        if isinstance(element, SymbolicTensor):
            yield element
