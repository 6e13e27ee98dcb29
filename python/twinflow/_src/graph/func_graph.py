"""Function bodies as graphs, which capture outer tensors."""

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
from twinflow._src.graph.default_graph import own_graph
from twinflow._src.graph.graph import Graph
from twinflow._src.graph.ref_reads import reads_reference
from twinflow._src.graph.static_values import known_value
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.variables.variable import BaseResourceVariable

# Values of captured eager tensors up to this size are known while tracing: shapes are computed from
# them.
_KNOWN_SIZE = 128


class Capturing:
    """Mixin for the captures and variables of a body, or of a part of one.

    Attributes:
        captures: Pairs of an outer tensor and its placeholder, by the ``id`` of the former.
        variables: The variables, in the order of their first use.
    """

    captures: dict[int, tuple[Any, SymbolicTensor]]
    variables: list[BaseResourceVariable]

    @property
    def external_captures(self) -> list[Any]:
        """The captured outer tensors."""
        return [tensor for tensor, _ in self.captures.values()]

    @property
    def internal_captures(self) -> list[SymbolicTensor]:
        """The placeholders of the captured tensors."""
        return [stand_in for _, stand_in in self.captures.values()]

    @property
    def trainable_variables(self) -> tuple[BaseResourceVariable, ...]:
        """The trainable variables."""
        return tuple(v for v in self.variables if v.trainable)


class FuncGraph(Capturing, Graph):
    """The graph of a function body.

    Args:
        name: The name of the function.

    Attributes:
        inputs: The placeholders of the arguments, then those of the captures.
        outputs: The results.
        outer: The graph around the definition, or None in eager execution.
        around: The device name of the enclosing scope, or None. Variables are created there;
            operations of the graph do not inherit it.
    """

    building_function = True
    # Whether its function has ``jit_compile``, which libraries ask for.
    is_compiled = False

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.outer = thread.scope.graph
        self.around = thread.scope.around
        if self.outer is not None:
            self._inherit(self.outer)
        self.inputs: list[SymbolicTensor] = []
        self.outputs: list[Any] = []
        self.captures = {}
        self.reads: dict[
            int, SymbolicTensor
        ] = {}  # reads of reference variables, by the id of the outer read
        self.variables = []
        self._known_variables: set[int] = set()
        self.seed = getattr(self.outer, "seed", None)
        self.awaited: list[
            Operation
        ] = []  # outer operations that must run before the op of this graph
        self.creates: Any = None  # creates the variables of the body, called on tf.Variable

    def __str__(self) -> str:
        return f"FuncGraph(name={self.name}, id={id(self)})"

    @property
    def outer_graph(self) -> Graph:
        """The graph around the definition; in eager execution the default graph of the thread."""
        return self.outer or own_graph()

    def argument(self, dtype: Any, dims: Any, name: str) -> SymbolicTensor:
        """Adds a placeholder for an argument."""
        tensor = self.placeholder(dtype, dims, name)
        self.inputs.append(tensor)
        return tensor

    def capture(
        self, tensor: Any, label: Callable[[], str] | None = None, is_available: bool = False
    ) -> SymbolicTensor:
        """Returns the placeholder of a captured outer tensor.

        ``label`` names that of an eager tensor. A tensor of an inner graph is an error; that of an
        unrelated graph is raised by the call of the function, unless it ``is_available`` where
        this graph runs.
        """
        pair = self.captures.get(id(tensor))
        if pair is not None:
            return self._notify_tapes(*pair)
        if id(tensor) in self.reads:
            return self.reads[id(tensor)]
        if (
            isinstance(tensor, SymbolicTensor)
            and not is_available
            and _is_within(tensor.graph, self)
        ):
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
            stand_in._value = known_value(tensor)  # possibly a shape
        self.captures[id(tensor)] = tensor, stand_in
        return self._notify_tapes(tensor, stand_in)

    def _notify_tapes(self, tensor: Any, stand_in: SymbolicTensor) -> SymbolicTensor:
        """Records a capture on each tape that observes, also on tapes started after the capture."""
        observed(thread.scope, OPS["Identity"], (tensor,), {}, stand_in)
        return stand_in

    def _read_again(self, tensor: SymbolicTensor) -> SymbolicTensor:
        """Reads a reference variable in this graph, so that updates of this graph are visible."""
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
        """True for an operation of this graph; an outer one is awaited by the op of this graph."""
        outside = self._is_inside(node.graph)
        if outside:
            self.awaited.append(node)
        return not outside

    def _is_inside(self, graph: Graph) -> bool:
        outer = self.outer
        while outer is not None and outer is not graph:
            outer = getattr(outer, "outer", None)
        return outer is not None

    def _add_with_axes(
        self, op: Op, arguments: tuple[Any, ...], attrs: dict[str, Any], name: str
    ) -> Any:
        """Adds an operation with implied axes; their operations are only displayed, not run."""
        from twinflow._src.graph.static_values import filled

        before = self.version
        axes = filled(self, op, arguments, name)[-1]
        for node in islice(reversed(self._operations.values()), self.version - before):
            node.shown = True
        results = self.add(op, arguments, attrs, name)
        if isinstance(results, SymbolicTensor):
            results.op.implied = axes
        return results

    def _on_add(self, node: Operation) -> None:
        for value in node.arguments:
            if isinstance(value, BaseResourceVariable):
                self.uses(value)

    def uses(self, variable: BaseResourceVariable) -> None:
        """Registers a variable that the body uses, also with the outer functions."""
        if id(variable._handle) not in self._known_variables:
            self._known_variables.add(id(variable._handle))
            self.variables.append(variable)
        if isinstance(self.outer, FuncGraph):
            self.outer.uses(variable)


def _is_within(graph: Any, around: FuncGraph) -> bool:
    """True if ``graph`` is ``around`` or nested in it."""
    while graph is not None and graph is not around:
        graph = getattr(graph, "outer", None)
    return graph is not None


def is_compiled(node: Operation) -> bool:
    """True for operations of functions with ``jit_compile``, and of graphs inside of them."""
    graph: Any = node.graph
    if any(node.index in indices for indices in graph.compiled_ranges):
        return True
    while graph is not None:
        if getattr(graph, "is_compiled", False):
            return True
        graph = getattr(graph, "outer", None)
    return False
