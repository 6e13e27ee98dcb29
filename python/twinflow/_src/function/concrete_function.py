"""Concrete functions: a traced graph and its execution.

Without observers a compiled ``Program`` runs. Under a tape, every operation runs through ``execute``,
so that the tape records each of them. Inside the trace of another function, the operations are
inlined into its graph.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import itertools
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

from twinflow._src.compiler.program import Program, in_function, needed
from twinflow._src.conversion.constant import convert_to_tensor, out_of_scope
from twinflow._src.conversion.sequences import unsupported
from twinflow._src.core import nest
from twinflow._src.core.context import entered, runtime, substituted, thread
from twinflow._src.core.devices import within
from twinflow._src.core.dtypes import resource
from twinflow._src.core.errors import OpError, invalid
from twinflow._src.core.specs import TensorSpec
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Op
from twinflow._src.function import trace_types
from twinflow._src.function.arguments import Parameters, array_of, leaves_of
from twinflow._src.function.atomic_function import AtomicFunction
from twinflow._src.function.trace_types import VariableSpec, cast
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.graph_scopes import assert_in_function
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.variables.variable import BaseResourceVariable

# Op-by-op execution and inlining.


def replay(nodes: list[Operation], fetches: list[Any], env: dict[int, Any], one: Any) -> list[Any]:
    """Replays operations with other tensors in place of their own; returns the replaced fetches.

    ``env`` has the replacement of each tensor or variable handle by identity, and is extended;
    ``one`` runs an operation.
    """
    for node in nodes:
        if node.type == "Placeholder" or node.shown:
            continue
        arguments = tuple(_replacement(x, env) for x in node.arguments)
        results = one(node, _bound(node.definition, env, nodes), arguments)
        for symbol, result in zip(_as_list(node.results), _as_list(results)):
            env[id(symbol)] = result
    return [env[id(fetch)] for fetch in fetches]


def after_effects(graph: Any, before: int) -> Any:
    """Returns a context manager that adds control dependencies on the side effects of a call.

    A session runs only what its fetches depend on.
    """
    if graph.building_function:
        return nullcontext()  # side effects run in any case
    return graph.control_dependencies(
        [n for n in graph.get_operations()[before:] if n.definition.impure]
    )


def _as_list(results: Any) -> list[Any]:
    return [] if results is None else results if isinstance(results, list) else [results]


def _replacement(value: Any, env: dict[int, Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_replacement(item, env) for item in value)
    if isinstance(value, BaseResourceVariable):
        return env.get(id(value._handle), value)
    return value if value is None else env[id(value)]


def run_operation(node: Operation, op: Op, arguments: tuple[Any, ...]) -> Any:
    """Runs an operation of a graph eagerly, visible to observers."""
    with _asked_for(node):
        if op.expand is not None:
            return op.expand(node, arguments)
        thread.node = node
        try:
            return execute(op, list(arguments), dict(node.attrs))
        finally:
            thread.node = None


def _asked_for(node: Operation) -> Any:
    """Returns a scope with the device that an operation requests, if any."""
    scope = thread.scope
    return (
        entered(scope.but(device=within(node.device, scope.device)))
        if node.device
        else nullcontext()
    )


def copy_operation(node: Operation, op: Op, arguments: tuple[Any, ...]) -> Any:
    """Copies an operation into the current graph."""
    graph = thread.scope.graph
    with _asked_for(node):
        return graph.add(op, arguments, node.attrs, graph.unique_name(node.name))


def _bound(op: Op, env: dict[int, Any], nodes: list[Operation]) -> Op:
    """Returns an op with a custom gradient whose captured tensors are replaced, too.

    The gradient keeps the operations alive, because ``env`` identifies their tensors by id.
    """
    if op.infer is None or op.gradient is None:
        return op

    def gradient(call: Any, *dys: Any) -> Any:
        with substituted(env):
            return op.gradient(call, *dys)  # type: ignore[misc]

    gradient.of = nodes  # type: ignore[attr-defined]
    return dataclasses.replace(op, gradient=gradient)


# ConcreteFunction.


_numbers = itertools.count()


class ConcreteFunction:
    """A traced function for arguments of certain dtypes and shapes.

    Args:
        graph: The graph of the body.
        structure: The arguments by name, with specs in place of tensors.
        outputs: The structure of results, with symbolic tensors.
        parameters: The parameters of the Python function.
    """

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
        self._programs: dict[str | None, Program] = {}  # by the device scope of the call

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
            results = self._copy_into_graph(leaves)
        elif scope.observers:
            results = self._run_watched(leaves)
        else:
            results = self._run_program(leaves)
        return self._pack(results)

    def _pack(self, results: list[Any]) -> Any:
        if isinstance(self.structured_outputs, SymbolicTensor):
            return results[0]
        values = iter(results)
        return nest.map_structure(
            lambda x: next(values) if isinstance(x, SymbolicTensor) else x,
            self.structured_outputs,
            expand_composites=True,
        )

    def _run_program(self, leaves: Sequence[Any]) -> list[Any]:
        around = thread.scope.device
        program = self._programs.get(around)
        if program is None and around is not None and runtime.place(around).remote:
            return self._run_remotely(runtime.place(around), leaves)
        if program is None:
            self._check_reach()
            self._collect_graph()
            program = self._program(
                around
            )  # its error names the function if there is no such device
            self._programs[around] = program
        inputs = leaves if not self._variables else _variables_first(leaves)
        inputs = [*inputs, *self.graph.external_captures]
        runtime.log(self.name.decode(), runtime.place(around))
        try:
            return program.tensors(map(array_of, inputs))
        except OpError as error:
            raise in_function(error, self.name.decode()) from error

    def _run_remotely(self, device: Any, leaves: Sequence[Any]) -> list[Any]:
        """Runs the function in another task."""
        self._check_reach()
        runtime.log(self.name.decode(), device)
        inputs = leaves if not self._variables else _variables_first(leaves)
        results: list[Any] = device.backend.call_function(self, inputs)
        return results

    def _program(self, around: str | None) -> Program:
        try:
            assert_in_function(self._nodes)
            return Program(
                self._nodes, [*self._variables, *self.inputs], self.graph.outputs, around=around
            )
        except OpError as error:  # there is no such device
            raise in_function(error, self.name.decode()) from error

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

    def _run_watched(self, leaves: Sequence[Any]) -> list[Any]:
        self._check_reach()
        self._collect_graph()
        for leaf in leaves:
            if isinstance(leaf, TensorSpec):
                raise unsupported(leaf)
        for variable in self.graph.variables:
            for observer in thread.scope.observers:
                observer.accessed(variable)
        return self._replay(leaves, run_operation)

    def _copy_into_graph(self, leaves: Sequence[Any]) -> list[Any]:
        graph = thread.scope.graph
        for leaf in leaves:
            if isinstance(leaf, TensorSpec):
                raise TypeError(
                    f"Expected {leaf.dtype.name}, but got {leaf!r} of type 'TensorSpec'."
                )
        inputs = [x if isinstance(x, BaseResourceVariable) else graph.own(x) for x in leaves]
        before = graph.version
        name = f"{graph.unique_name(self._call_type())}/"
        with entered(thread.scope.but(name=name)):
            results = self._replay(inputs, copy_operation, graph.own)
            with after_effects(graph, before):
                return [API["identity"](x, name=None if i else name) for i, x in enumerate(results)]

    def _call_type(self) -> str:
        """Returns the type of TensorFlow's op that calls the function."""
        effects = bool(self.graph.variables) or any(node.definition.impure for node in self._nodes)
        return f"{'Stateful' * effects}PartitionedCall"

    def _replay(
        self, leaves: Sequence[Any], one: Any, taken: Any = lambda tensor: tensor
    ) -> list[Any]:
        """Replays the operations one by one with the arguments in place of the placeholders."""
        variables = [x for x in leaves if isinstance(x, BaseResourceVariable)]
        tensors = [x for x in leaves if not isinstance(x, BaseResourceVariable)]
        env = {id(v._handle): new for v, new in zip(self._variables, variables)}
        env |= {id(s): t for s, t in zip(self.graph.inputs, tensors)}
        env |= {id(stand_in): taken(outer) for outer, stand_in in self.graph.captures.values()}
        return replay(self._observable_nodes, self.graph.outputs, env, one)

    @functools.cached_property
    def _observable_nodes(self) -> list[Operation]:
        """The operations that a tape has to see: those of custom gradients, too."""
        inside = [x for node in self._nodes for x in node.definition.inside]
        if not inside:
            return self._nodes
        return needed(self.graph.outputs, self.inputs, [*self._nodes, *inside])

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

    @functools.cached_property
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
    return nest.flatten(list(structure.values()))


def _variables_first(leaves: Sequence[Any]) -> list[Any]:
    return sorted(leaves, key=lambda leaf: not isinstance(leaf, BaseResourceVariable))
