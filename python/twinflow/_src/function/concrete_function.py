"""Concrete functions: a traced graph and its execution.

Outside of graphs its ``GraphFunction`` runs. Inside the trace of another function, the operations
are inlined into its graph.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from twinflow._src.compiler.program import needed
from twinflow._src.conversion.constant import convert_to_tensor, out_of_scope
from twinflow._src.conversion.sequences import unsupported
from twinflow._src.core import nest
from twinflow._src.core.context import entered, runtime, thread
from twinflow._src.core.dtypes import resource
from twinflow._src.core.errors import invalid
from twinflow._src.core.fork import cached_property
from twinflow._src.core.specs import TensorSpec
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API, export
from twinflow._src.function import trace_types
from twinflow._src.function.arguments import Parameters, leaves_of
from twinflow._src.function.graph_function import GraphFunction, owned
from twinflow._src.function.trace_types import VariableSpec, VariablesSpec, cast
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.replay import copy_operation
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.variables.variable import BaseResourceVariable


@export("types.experimental.AtomicFunction")
class AtomicFunction:
    """A concrete function whose captured tensors are arguments like the others.

    Args:
        concrete: The concrete function.
    """

    __module__ = "twinflow.types.experimental"

    def __init__(self, concrete: ConcreteFunction) -> None:
        self._concrete = concrete

    @property
    def name(self) -> bytes:
        """The name of the function."""
        return self._concrete.name

    @property
    def graph(self) -> Any:
        """The graph of the body."""
        return self._concrete.graph

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._concrete.captured_inputs:
            raise ValueError(
                "The FunctionType defines captured inputs. Use call_with_captures instead."
            )
        return self._concrete(*args, **kwargs)

    def call_with_captures(self, args: Any, kwargs: Any, captures: Any) -> Any:
        """Calls the function.

        Args:
            args: The positional arguments.
            kwargs: The named arguments.
            captures: The captured tensors, those of the function.

        Returns:
            The structure that the Python function returns.

        Raises:
            ValueError: The captured tensors are others.
        """
        self._check_captures(captures)
        return self._concrete(*args, **kwargs)

    def call_flat(self, *args: Any) -> list[Any]:
        """Calls the function with the tensors of its arguments, then its captured tensors.

        Args:
            *args: The tensors.

        Returns:
            A flat list of results.

        Raises:
            ValueError: The captured tensors are others than those of the function.
        """
        count = len(args) - len(self._concrete.captured_inputs)
        self._check_captures(args[count:])
        return nest.flatten(self._concrete.run(list(args[:count])), expand_composites=True)

    def _check_captures(self, captures: Any) -> None:
        expected = self._concrete.captured_inputs
        if len(captures) != len(expected) or any(
            a is not b for a, b in zip(captures, expected, strict=True)
        ):
            raise ValueError("The captured tensors have to be those of the function.")


def after_effects(graph: Any, before: int) -> Any:
    """Returns a context manager that adds control dependencies on the side effects of a call.

    A session runs only what its fetches depend on.
    """
    if graph.building_function:
        return nullcontext()  # side effects run in any case
    return graph.control_dependencies(
        [n for n in graph.get_operations()[before:] if n.definition.impure]
    )


_numbers = itertools.count()
# Attributes of functions that are implementations of the same interface for kinds of devices.
_INTERFACE, _DEVICE_KIND = "api_implements", "api_preferred_device"


class ConcreteFunction:
    """A traced function for arguments of certain dtypes and shapes.

    Args:
        graph: The graph of the body.
        structure: The arguments by name, with specs in place of tensors.
        outputs: The structure of results, with symbolic tensors.
        parameters: The parameters of the Python function.
    """

    _is_traced = True  # for saved models, which hold the functions among the attributes

    def __init__(
        self, graph: FuncGraph, structure: dict[str, Any], outputs: Any, parameters: Parameters
    ) -> None:
        self.graph, self._structure, self._parameters = graph, structure, parameters
        self.structured_outputs = outputs
        self._variables = [s.variable for s in _specs(structure) if isinstance(s, VariableSpec)]
        self._arguments = len(graph.inputs)
        self.name = f"__inference_{graph.name}_{next(_numbers)}".encode()
        impure = [node for node in graph.get_operations() if node.definition.impure]
        self._nodes = needed(graph.outputs, self.inputs, impure)
        self.attributes: dict[str, Any] = {}  # those of ``tf.function``

    # ---------------------------------------------------------------- properties
    @property
    def inference_fn(self) -> AtomicFunction:
        """The function of tensors alone."""
        return AtomicFunction(self)

    @property
    def inputs(self) -> list[SymbolicTensor]:
        """The placeholders of arguments and captures."""
        return [*self.graph.inputs, *self.graph.internal_captures]

    @property
    def outputs(self) -> list[SymbolicTensor]:
        """The output tensors."""
        return list(self.graph.outputs)

    @property
    def captured_inputs(self) -> list[Any]:
        """The captured tensors."""
        return self.graph.external_captures

    def set_external_captures(self, captures: Sequence[Any]) -> None:
        """Replaces the captured tensors.

        Args:
            captures: As many tensors as ``captured_inputs``, of the same dtypes.

        Raises:
            ValueError: The number of tensors differs.
            InvalidArgumentError: A dtype differs.
        """
        stand_ins = self.graph.internal_captures
        if len(captures) != len(stand_ins):
            raise ValueError(
                f"Signature specifies {len(stand_ins)} captures, got: {len(captures)}."
            )
        tensors = [
            self._as_wanted(x, i, s)
            for i, (x, s) in enumerate(zip(captures, stand_ins), self._arguments)
        ]
        self.graph.captures = {id(s): (x, s) for x, s in zip(tensors, stand_ins)}

    @property
    def _arg_keywords(self) -> list[str]:
        """The names of the tensors and variables among the arguments."""
        return trace_types.names_of_leaves(self._structure, self.graph.inputs)

    @property
    def _num_positional_args(self) -> int:
        """The number of arguments that can be positional."""
        return len(self._arg_keywords)

    @property
    def variables(self) -> tuple[BaseResourceVariable, ...]:
        """The variables that the body uses."""
        return tuple(self.graph.variables)

    @property
    def trainable_variables(self) -> tuple[BaseResourceVariable, ...]:
        """The trainable variables that the body uses."""
        return self.graph.trainable_variables

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results."""
        return nest.map_structure(lambda x: getattr(x, "shape", x), self.structured_outputs)

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results."""
        return nest.map_structure(lambda x: getattr(x, "dtype", x), self.structured_outputs)

    # ---------------------------------------------------------------- execution
    def run(self, leaves: Sequence[Any]) -> Any:
        """Runs the function on the tensors and variables among the arguments."""
        scope = thread.scope
        if scope.graph is not None:
            return self._pack(self._copy_into_graph(leaves))
        self._check_reach()
        self._collect_graph()
        if scope.observers:
            for leaf in leaves:
                if isinstance(leaf, TensorSpec):
                    raise unsupported(leaf)
            return self._pack(self._body.run_observed(self._values(leaves)))
        return self._pack(self._body.run_program(self._values(leaves)))

    def _values(self, leaves: Sequence[Any]) -> list[Any]:
        """Returns the values of the inputs of the body."""
        inputs = leaves if not self._variables else _variables_first(leaves)
        return [*inputs, *self.graph.external_captures]

    @cached_property
    def _body(self) -> GraphFunction:
        """The operations as a function of tensors and variables."""
        inputs = [*self._variables, *self.inputs]
        return GraphFunction(
            self.name.decode(), self._nodes, inputs, self.graph.outputs, self._used_variables()
        )

    def _pack(self, results: list[Any]) -> Any:
        if isinstance(self.structured_outputs, SymbolicTensor):
            return results[0]
        values = iter(results)
        return nest.map_structure(
            lambda x: next(values) if isinstance(x, SymbolicTensor) else x,
            self.structured_outputs,
            expand_composites=True,
        )

    def _check_reach(self) -> None:
        """Raises TypeError if the body captured a symbolic tensor of another function."""
        for tensor in self.graph.external_captures:
            if isinstance(tensor, SymbolicTensor):
                raise out_of_scope(tensor)

    def _collect_graph(self) -> None:
        """Adds the graph to those that ``tf.summary.trace_export`` writes."""
        graphs = runtime.traced_graphs
        if graphs is not None and self.graph not in graphs:
            graphs.append(self.graph)

    def _copy_into_graph(self, leaves: Sequence[Any]) -> list[Any]:
        graph = thread.scope.graph
        for leaf in leaves:
            if isinstance(leaf, TensorSpec):
                raise TypeError(
                    f"Expected {leaf.dtype.name}, but got {leaf!r} of type 'TensorSpec'."
                )
        inputs = [owned(x, graph) for x in leaves]
        before = graph.version
        name = f"{graph.unique_name(self._call_type())}/"
        with entered(thread.scope.but(name=name)):
            values = [owned(x, graph) for x in self._values(inputs)]
            results = self._body.replay(values, copy_operation)
            if self.graph.is_compiled:
                graph.compiled_ranges += (range(before, graph.version),)
            with after_effects(graph, before):
                results = [
                    API["identity"](x, name=None if i else name) for i, x in enumerate(results)
                ]
        if _INTERFACE in self.attributes:
            graph.implemented[self.attributes[_INTERFACE]] = list(leaves), results
        return results

    def add_to_graph(self, g: Any = None, overwrite: bool = False) -> None:
        """Adds the function to a graph.

        If it implements, for the device of the calls, the interface (``api_implements``) of a function
        that the graph has called, its results replace those of that call, which must not have been
        used. Any other function has no effect on the graph.

        Args:
            g: The graph; the current one where None.
            overwrite: Without effect.
        """
        graph = thread.scope.graph if g is None else g
        interface, kind = (self.attributes.get(name) for name in (_INTERFACE, _DEVICE_KIND))
        call = getattr(graph, "implemented", {}).get(interface)
        if call is None or kind != runtime.place(thread.scope.device).kind:
            return
        leaves, results = call
        for old, new in zip(results, self._copy_into_graph(leaves), strict=True):
            old.exchange(new)

    def add_gradient_functions_to_graph(self, g: Any = None) -> None:
        """Has no effect: the gradient is that of the operations.

        Args:
            g: The graph; the current one where None.
        """

    def _call_type(self) -> str:
        """Returns the type of TensorFlow's op that calls the function."""
        effects = bool(self.graph.variables) or any(node.definition.impure for node in self._nodes)
        return f"{'Stateful' * effects}PartitionedCall"

    # ---------------------------------------------------------------- calls
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            leaves = self._bound(args, kwargs)
        except TypeError as error:
            try:
                leaves = self._flat(list(args), dict(kwargs))
            except TypeError as flat:
                said = f"{error}\nFallback to flat signature also failed due to: {flat}"
                raise TypeError(said) from error
        return self.run(self._check_inputs(leaves))

    def _bound(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Returns the tensors of arguments that match the structure of the trace."""
        kind = trace_types.FunctionType(self._describe_arguments(), self.structured_outputs)
        try:
            values = kind.bind(*args, **kwargs).arguments
            return leaves_of([cast(values[a.name], a.value) for a in self._describe_arguments()])
        except (TypeError, ValueError) as error:
            raise trace_types.refused(error, args, kwargs, kind) from error

    def _flat(self, args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
        """Returns arguments passed as flat tensors, in order or by placeholder name."""
        names = self._arg_keywords
        what = f"{self.graph.name}({', '.join(names)})"
        if len(args) > len(names):
            raise TypeError(f"{what} takes {len(names)} positional arguments, got {len(args)}.")
        by_position, lacking = (
            names[: len(args)],
            [n for n in names[len(args) :] if n not in kwargs],
        )
        if lacking:
            raise TypeError(f"{what} missing required arguments: {', '.join(sorted(lacking))}.")
        args += [kwargs.pop(name) for name in names[len(args) :]]
        for name in kwargs:
            if name in by_position:
                raise TypeError(f"{what} got two values for '{name}'.")
        if kwargs:
            raise TypeError(
                f"{what} got unexpected keyword arguments: {', '.join(sorted(kwargs))}."
            )
        for i, value in enumerate(args):
            if not isinstance(value, (Tensor, BaseResourceVariable)):
                raise TypeError(
                    f"{what}: expected argument #{i}(zero-based) to be a Tensor; got "
                    f"{type(value).__name__} ({value})."
                )
        return args

    def _check_inputs(self, leaves: list[Any]) -> list[Any]:
        return [
            self._as_wanted(leaf, *expected)
            for leaf, expected in zip(leaves, self._expected_specs, strict=True)
        ]

    @cached_property
    def _expected_specs(self) -> list[tuple[int, Any]]:
        """The index of each tensor and variable argument, with its placeholder or spec."""
        return list(
            enumerate(
                x for _, x in trace_types.places_of_leaves(self._structure, self.graph.inputs)
            )
        )

    def _as_wanted(self, value: Any, position: int, spec: Any) -> Any:
        if isinstance(spec, VariableSpec):
            if not isinstance(value, BaseResourceVariable):
                raise self._unfit(position, "resource", convert_to_tensor(value).dtype)
            dtype = spec.variable.dtype.base_dtype
            if value.dtype.base_dtype is not dtype:
                raise invalid(
                    f"Trying to read variable with wrong dtype. Expected {dtype.cname} got {value.dtype.cname}"
                )
            return value
        tensor = convert_to_tensor(value)
        if tensor.dtype is not spec.dtype:
            raise self._unfit(position, spec.dtype.cname, tensor.dtype)
        return tensor

    def _unfit(self, position: int, expected: str, dtype: Any) -> Exception:
        name = self.name.decode()
        return invalid(
            f"cannot compute {name} as input #{position}(zero-based) was expected to be a {expected} tensor but is a "
            f"{dtype.cname} tensor [Op:{name}]"
        )

    # ---------------------------------------------------------------- text
    def _describe_arguments(self) -> list[trace_types.Argument]:
        return trace_types.arguments(self._parameters.signature, self._structure)

    @property
    def function_type(self) -> trace_types.FunctionType:
        """The types of inputs, outputs and captures."""
        return trace_types.FunctionType(
            self._describe_arguments(), self.structured_outputs, self._captures()
        )

    def _captures(self) -> list[tuple[int, Any]]:
        """Returns an id and a spec for each captured variable and tensor."""
        captures: list[tuple[int, Any]] = [
            (id(v), TensorSpec((), resource)) for v in self._used_variables()
        ]
        return captures + [(id(t), TensorSpec(t.shape, t.dtype)) for t in self.captured_inputs]

    @property
    def structured_input_signature(self) -> tuple[Any, dict[str, Any]]:
        """The specs of the positional and of the keyword arguments."""
        arguments = [
            a._replace(value=trace_types.with_names(a.value, a.name))
            for a in self._describe_arguments()
        ]
        keywords = {a.name: a.value for a in arguments if a.kind is inspect.Parameter.KEYWORD_ONLY}
        return tuple(a.value for a in arguments if a.name not in keywords), keywords

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """Returns the inputs, outputs and captures as a string.

        Args:
            verbose: If True, each argument is on a line of its own.
        """
        if not verbose:
            return str(self.function_type)
        return repr(self.function_type)

    def _used_variables(self) -> list[BaseResourceVariable]:
        """Returns the captured variables, without those that are arguments."""
        handles = {id(v._handle) for v in self._variables}
        return [v for v in self.graph.variables if id(v._handle) not in handles]

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.pretty_printed_signature(False)} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"


def _specs(structure: Any) -> list[Any]:
    specs = nest.flatten(list(structure.values()))
    nested = [spec.variables if isinstance(spec, VariablesSpec) else (spec,) for spec in specs]
    return [spec for group in nested for spec in group]


def _variables_first(leaves: Sequence[Any]) -> list[Any]:
    return sorted(leaves, key=lambda leaf: not isinstance(leaf, BaseResourceVariable))
