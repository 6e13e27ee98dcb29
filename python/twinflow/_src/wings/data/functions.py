"""Functions of dataset elements: traced once, and run for each element by a program."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.autograph.autograph import converted
from twinflow._src.autograph.source import explained
from twinflow._src.compiler.program import Program, needed
from twinflow._src.control_flow.if_and_case_ops import effects
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered, thread
from twinflow._src.core.errors import OpError
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.dispatch.op import API
from twinflow._src.function.function import Maker
from twinflow._src.graph.execution_errors import HEADING, reason_of
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.random.seeds import seeds
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.wings.data.structure import (
    Element,
    Elements,
    flatten,
    is_nested,
    normalized,
    pack_like,
    spec_of,
    tensor_specs,
)

_CPU = "/device:CPU:0"


class StructuredFunction:
    """A function of elements, traced for their specs.

    Args:
        function: A Python function; it takes the components of a tuple as arguments.
        label: The method and its class for messages, such as ``Dataset.map()``.
        elements: The types of the arguments: the element, or those of several arguments.
        unpacks: If True, the components of an element that is a tuple are separate arguments.

    Attributes:
        elements: The type of the result.
        tensors: The captured tensors.
        variables: The captured variables.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        label: str,
        *arguments: Elements,
        unpacks: bool = True,
    ) -> None:
        if not callable(function):
            raise ValueError(
                f"Argument `func` must be a callable. Received func={function} (of type "
                f"{type(function)})"
            )
        name = getattr(function, "__name__", type(function).__name__)
        kind = label.removesuffix("()").replace(".", "_")
        self.arguments, self.label = arguments, label
        self._function, self._unpacks = function, unpacks
        self.graph = FuncGraph(f"{kind}_{name}")
        self.graph.seed = seeds.seed if thread.scope.graph is None else self.graph.seed
        self.graph.creates = Maker(self.graph, [], True)
        with entered(PLAIN.but(graph=self.graph)):
            args = self._placeholders(unpacks)
            try:
                result = converted(function)(*args)
            except Exception as error:
                raise explained(error, function) from error
            spec = self._add_outputs(result)
        self.elements = Elements(spec)
        feeds = [*self.graph.inputs, *self.graph.internal_captures]
        self._parts = (
            needed(self.graph.outputs, feeds, effects(self.graph)),
            [*feeds, *self.graph.variables],
            self.graph.outputs,
        )
        self._program: Program | None = None

    # ---------------------------------------------------------------- tracing
    def _placeholders(self, unpacks: bool) -> list[Any]:
        """Returns the arguments of the Python function: placeholders in structures."""
        values, index = [], 0
        for elements in self.arguments:
            leaves = []
            for leaf in elements.leaves:
                parts = []
                for spec in tensor_specs(leaf):
                    parts.append(self.graph.argument(spec.dtype, spec.shape._dims, f"args_{index}"))
                    index += 1
                is_tensor = isinstance(leaf.spec, TensorSpec)
                leaves.append(parts[0] if is_tensor else leaf.spec._from_components(parts))
            values.append(pack_like(elements.spec, leaves))
        if unpacks and len(values) == 1 and type(values[0]) is tuple:
            return list(values[0])
        return values

    def _add_outputs(self, result: Any) -> Any:
        """Sets the outputs of the graph; returns their structure of specs."""
        result = tuple(result) if type(result) is list else result
        leaves = flatten(result)
        specs = [self._add_output(leaf, result) for leaf in leaves]
        return pack_like(result, specs) if is_nested(result) else specs[0]

    def _add_output(self, value: Any, result: Any) -> Any:
        graph = self.graph
        add = lambda x: API["identity"](graph.own(convert_to_tensor(x)))
        if value is None:
            return spec_of(None)
        if isinstance(value, TensorArray):
            spec = spec_of(value)
            graph.outputs.append(add(value.flow))
            return spec
        spec = getattr(value, "_type_spec", None)
        if isinstance(spec, TypeSpec) and not isinstance(value, type):
            graph.outputs += [add(x) for x in nest.flatten(spec._to_components(value), True)]
            return spec
        try:
            tensor = add(value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Unsupported return value from function passed to {self.label}: {result}."
            ) from error
        graph.outputs.append(tensor)
        return spec_of(tensor)

    # ---------------------------------------------------------------- captures
    @property
    def tensors(self) -> list[Any]:
        """The captured tensors."""
        return self.graph.external_captures

    @property
    def variables(self) -> list[BaseResourceVariable]:
        """The captured variables."""
        return list(self.graph.variables)

    @property
    def is_stateful(self) -> bool:
        """True if the function has side effects or draws random numbers."""
        return bool(effects(self.graph))

    @property
    def draws_numbers(self) -> bool:
        """True if the function draws random numbers from streams that calls share."""
        return any("seed" in node.attrs for node in effects(self.graph))

    def call_eagerly(self, *elements: Element) -> Element:
        """Calls the Python function on an element of each argument."""
        values = [kind.wrap(element) for kind, element in zip(self.arguments, elements)]
        if self._unpacks and len(values) == 1 and type(values[0]) is tuple:
            values = list(values[0])
        with entered(PLAIN):
            result = self._function(*values)
            result = tuple(result) if type(result) is list else result
            specs = [leaf.spec for leaf in self.elements.leaves]
            return self.elements.unwrap(normalized(result, specs))

    def bind(self, captures: Sequence[Any], op: str = "") -> BoundFunction | DebuggedFunction:
        """Returns the function with values of its captured tensors, and with its variables."""
        if debug_mode.is_enabled:
            return DebuggedFunction(self)
        if self._program is None:
            self._program = Program(*self._parts, around=_CPU)
        return BoundFunction(self, self._program, tuple(captures), op)


class DebugMode:
    """The state of ``tf.data.experimental.enable_debug_mode``."""

    is_enabled = False


debug_mode = DebugMode()


class DebuggedFunction:
    """A function that Python calls for each element, without a program.

    Attributes:
        call: Computes the result for an element.
        captures: None, since the Python function has them.
    """

    captures: tuple[Any, ...] = ()

    def __init__(self, function: StructuredFunction) -> None:
        self.function, self.elements = function, function.elements
        self.call = function.call_eagerly


class BoundFunction:
    """A function with the values of its captures.

    Attributes:
        call: Computes the result for an element.
        captures: The values of the captured tensors, and the captured variables.
    """

    def __init__(
        self, function: StructuredFunction, program: Program, captures: tuple[Any, ...], op: str
    ) -> None:
        self.function, self.elements = function, function.elements
        self._run, self.captures, self._op = program.within, captures, op
        is_plain = self.elements.is_dense and all(e.is_dense for e in function.arguments)
        self.call: Callable[..., Element] = self._call_plain if is_plain else self._call
        if len(function.arguments) > 1:
            self.call = self._call_several

    def _call_plain(self, element: Element) -> Element:
        try:
            return tuple(self._run(element + self.captures))
        except OpError as error:
            raise self._explained(error) from error.__cause__

    def _call(self, element: Element) -> Element:
        return self._call_several(element)

    def _call_several(self, *elements: Element) -> Element:
        feeds = [
            array for kind, x in zip(self.function.arguments, elements) for array in kind.arrays(x)
        ]
        try:
            return self.elements.element(self._run([*feeds, *self.captures]))
        except OpError as error:
            raise self._explained(error) from error.__cause__

    def _explained(self, error: OpError) -> OpError:
        """Returns the error of a function with the name of the transformation."""
        said = reason_of(error.message).removeprefix(HEADING).lstrip()
        if not self._op or said.startswith("Error in user-defined function"):
            return error
        return type(error)(
            None,
            error.op,
            f"Error in user-defined function passed to {self._op} transformation with iterator: "
            f"Iterator::Root::{self._op.removesuffix('V2').removesuffix('Dataset')}: {said}",
        )
