"""The body of a function as a graph: it captures what it uses from outside."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from twinflow._src.conversion.constant import out_of_scope
from twinflow._src.core.context import entered, thread
from twinflow._src.core.errors import InaccessibleTensorError
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import observed
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.graph.graph import Graph
from twinflow._src.graph.ref_reads import reads_reference
from twinflow._src.graph.static_values import known_value
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.variables.variable import BaseResourceVariable

# As large a value from outside is known while the graph is made; shapes are computed of such.
_KNOWN_SIZE = 128


class Capturing:
    """What a body, or a part of one, uses from outside.

    Attributes:
        captures: Pairs of a tensor from outside and its placeholder, by the identity of the first.
        variables: The variables, in the order of their first use.
    """

    captures: dict[int, tuple[Any, SymbolicTensor]]
    variables: list[BaseResourceVariable]

    @property
    def external_captures(self) -> list[Any]:
        """What was captured from outside."""
        return [tensor for tensor, _ in self.captures.values()]

    @property
    def internal_captures(self) -> list[SymbolicTensor]:
        """The placeholders of what was captured."""
        return [stand_in for _, stand_in in self.captures.values()]

    @property
    def trainable_variables(self) -> tuple[BaseResourceVariable, ...]:
        """The variables that optimizers train."""
        return tuple(v for v in self.variables if v.trainable)


class FuncGraph(Capturing, Graph):
    """The graph of a function's body.

    Args:
        name: The name of the function.

    Attributes:
        inputs: The placeholders of the arguments, then those of what was captured.
        outputs: The results.
        outer_graph: The graph that surrounded the definition, or None.
        compiled: Whether operations have the formats that only compiled functions have.
        around: The device name of the blocks around it, or None: variables are made there. Operations do not know it.
    """

    building_function = True

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.outer_graph = thread.scope.graph
        self.around = thread.scope.around
        self.compiled = getattr(self.outer_graph, "compiled", False)
        if self.outer_graph is not None:
            self._inherit(self.outer_graph)
        self.inputs: list[SymbolicTensor] = []
        self.outputs: list[Any] = []
        self.captures = {}
        self.reads: dict[
            int, SymbolicTensor
        ] = {}  # of variables that are references, by what was read outside
        self.variables = []
        self._known_variables: set[int] = set()
        self.seed = getattr(self.outer_graph, "seed", None)
        self.awaited: list[
            Operation
        ] = []  # operations outside that run before what holds this graph
        self.creates: Any = None  # called for a variable that the body wants to make

    def __str__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"

    def argument(self, dtype: Any, dims: Any, name: str) -> SymbolicTensor:
        """Adds an argument."""
        tensor = self.placeholder(dtype, dims, name)
        self.inputs.append(tensor)
        return tensor

    def capture(
        self, tensor: Any, label: Callable[[], str] | None = None, known: bool = False
    ) -> SymbolicTensor:
        """The placeholder that stands for a tensor from outside.

        Args:
            tensor: A tensor with a value, or one of a graph around this one.
            label: Gives the placeholder's name where the tensor is one with a value; the other has its own.
            known: Whether the tensor is there where this graph will run, though not in a graph around it.

        Raises:
            InaccessibleTensorError: It belongs to a graph within this one. One of a graph that is not around
                this one has no value where the function is called; the error comes then.
        """
        found = self.captures.get(id(tensor))
        if found is not None:
            return self._seen(*found)
        if id(tensor) in self.reads:
            return self.reads[id(tensor)]
        if isinstance(tensor, SymbolicTensor) and not known and _is_within(tensor.graph, self):
            raise InaccessibleTensorError(str(out_of_scope(tensor, self)))
        if isinstance(tensor, SymbolicTensor) and reads_reference(tensor.op):
            return self._read_again(tensor)
        if isinstance(tensor, SymbolicTensor):
            name = tensor.op.name
        else:
            name = "Placeholder" if label is None else label()
        with entered(thread.scope.but(controls=(), observers=())):
            stand_in = self.placeholder(tensor.dtype, tensor.shape._dims, name)
        if isinstance(tensor, EagerTensor) and tensor._array.size <= _KNOWN_SIZE:
            stand_in._value = tensor._host()
        elif (
            isinstance(tensor, SymbolicTensor)
            and tensor.dtype.is_integer
            and tensor.shape.rank == 1
        ):
            stand_in._value = known_value(tensor)  # it may be a shape
        self.captures[id(tensor)] = tensor, stand_in
        return self._seen(tensor, stand_in)

    def _seen(self, tensor: Any, stand_in: SymbolicTensor) -> SymbolicTensor:
        """Tells each tape that looks on what stands for a tensor, those that began after its capture as well."""
        observed(thread.scope, OPS["Identity"], (tensor,), {}, stand_in)
        return stand_in

    def _read_again(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """The value of a variable that is a reference: read here, so that updates of this graph show."""
        with entered(thread.scope.but(name="", controls=(), observers=())):
            stand_in = self.add(
                tensor.op.definition, tensor.op.arguments, {}, self.unique_name("read")
            )
        self.reads[id(tensor)] = stand_in
        return stand_in

    def _operation(self, value: Any) -> Operation:
        element = getattr(value, "_as_graph_element", lambda: value)()
        node = getattr(element, "op", element)
        return (
            node
            if isinstance(node, Operation) and self._is_inside(node.graph)
            else super()._operation(value)
        )

    def waits_for(self, node: Operation) -> bool:
        """Whether an operation is of this graph; one of a graph around is awaited by what holds this one."""
        outside = self._is_inside(node.graph)
        if outside:
            self.awaited.append(node)
        return not outside

    def _is_inside(self, graph: Graph) -> bool:
        outer = self.outer_graph
        while outer is not None and outer is not graph:
            outer = getattr(outer, "outer_graph", None)
        return outer is not None

    def add(self, op: Op, arguments: tuple[Any, ...], attrs: dict[str, Any], name: str) -> Any:
        """Adds an operation on tensors of this graph; see ``call``."""
        if not self.compiled:
            return super().add(op, arguments, attrs, name)
        from twinflow._src.graph.layouts import is_channels_first, with_channels_last

        if not is_channels_first(op, attrs):
            return super().add(op, arguments, attrs, name)
        self.check(op, arguments, attrs, name)
        add = super().add
        with entered(thread.scope.but(graph=self, name=f"{name}/")):
            return with_channels_last(
                op, arguments, attrs, lambda given, changed: add(op, given, changed, name)
            )

    def _add_with_axes(
        self, op: Op, arguments: tuple[Any, ...], attrs: dict[str, Any], name: str
    ) -> Any:
        """Adds an operation of which a program names no axes: they are shown, the kernel needs none."""
        from twinflow._src.graph.static_values import filled

        before = self.version
        axes = filled(self, op, arguments, name)[-1]
        for node in islice(reversed(self._operations.values()), self.version - before):
            node.shown = True
        results = self.add(op, arguments, attrs, name)
        if isinstance(results, SymbolicTensor):
            results.op.implied = axes
        return results

    def _added(self, node: Operation) -> None:
        for value in node.arguments:
            if isinstance(value, BaseResourceVariable):
                self.uses(value)

    def uses(self, variable: BaseResourceVariable) -> None:
        """Takes note of a variable that the body uses."""
        if id(variable._handle) not in self._known_variables:
            self._known_variables.add(id(variable._handle))
            self.variables.append(variable)
        if isinstance(self.outer_graph, FuncGraph):
            self.outer_graph.uses(variable)


def _is_within(graph: Any, around: FuncGraph) -> bool:
    """Whether a graph is one of those inside another."""
    while graph is not None and graph is not around:
        graph = getattr(graph, "outer_graph", None)
    return graph is not None
