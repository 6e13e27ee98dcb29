"""``tf.function``: traces a Python function to a graph, once per kind of arguments.

The module also holds the process-wide settings of functions.
"""

from __future__ import annotations

import functools
import inspect
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.autograph.autograph import converted
from twinflow._src.autograph.source import explained
from twinflow._src.compiler.program import Program, needed
from twinflow._src.composite_tensors.component_specs import composite_spec, without_variables
from twinflow._src.control_flow.tensor_array import TensorArray, assert_of_graphs
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered, thread
from twinflow._src.core.fork import LongLock
from twinflow._src.core.protos import message
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API, export
from twinflow._src.function.arguments import (
    Bound,
    FunctionSpec,
    Parameters,
    array_of,
    key_of_tensors,
    placeholders,
    relaxed,
    serving,
)
from twinflow._src.function.concrete_function import ConcreteFunction
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.replay import copy_operation, replay
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.random.seeds import seeds
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.variables.graph_variable import first_value

_ONCE = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the "
    "tf.Variable is only created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)


class UnliftableError(Exception):
    """A tensor to be lifted out of a graph depends on a placeholder without a value."""

    _explained = True  # the message needs no further explanation


class Maker:
    """The creator of variables in the body of a function.

    The first trace may create variables. Their initial values are computed immediately, from the
    arguments of the first call if they depend on them.

    Args:
        graph: The graph of the body.
        leaves: The tensors and variables among the arguments; None where only the spec is known.
        allowed: True if the body may create variables.
    """

    def __init__(self, graph: FuncGraph, leaves: list[Any], allowed: bool) -> None:
        self._graph, self._leaves, self._allowed = graph, leaves, allowed
        self.initial_values: list[Any] = []

    def value(self, initial: Any) -> Any:
        """Returns the initial value of a variable, evaluated outside all scopes."""
        self._note(initial)
        with entered(PLAIN):
            return _now(initial)

    def lifted(self, value: Any, dtype: Any, outer: Any) -> Any:
        """Returns the initial value of a variable as a tensor of an outer graph."""
        initial = first_value(value, dtype)
        self._note(initial)
        if initial.graph is outer:
            return initial
        nodes = needed([initial], [])
        _check_liftable(initial, nodes, [])
        with entered(PLAIN.but(graph=outer, name=thread.scope.name)):
            return replay(nodes, [initial], {}, copy_operation)[0]

    def arguments(self, graph: FuncGraph) -> list[tuple[SymbolicTensor, Any]]:
        """Returns the placeholders of a graph with the known argument values of the first call."""
        if graph is not self._graph:
            return []
        tensors = [x for x in self._leaves if x is None or isinstance(x, Tensor)]
        return [(s, x) for s, x in zip(graph.inputs, tensors) if x is not None]

    def _note(self, initial: Any) -> None:
        if not self._allowed:
            raise ValueError(_ONCE)
        self.initial_values.append(initial)


def _now(tensor: Any) -> Any:
    """Evaluates a tensor with the arguments of the first call."""
    if not isinstance(tensor, SymbolicTensor):
        return tensor
    graph: Any = tensor.graph
    feedable = [*graph.creates.arguments(graph), *((s, x) for x, s in graph.captures.values())]
    nodes = needed([tensor], [s for s, _ in feedable])
    _check_liftable(tensor, nodes, [s for s, _ in feedable])
    used = {id(x) for node in nodes for x in node.tensors} | {id(tensor)}
    feeds = [(s, _now(x)) for s, x in feedable if id(s) in used]
    return Program(nodes, [s for s, _ in feeds], [tensor]).tensors([array_of(x) for _, x in feeds])[
        0
    ]


def _check_liftable(
    tensor: SymbolicTensor, nodes: list[Operation], fed: list[SymbolicTensor]
) -> None:
    for node in nodes:
        if node.type == "Placeholder":
            raise unliftable(node, [tensor], fed)


def unliftable(placeholder: Operation, fetches: list[Any], inputs: list[Any]) -> UnliftableError:
    """Returns the error for a placeholder without a value."""
    fed = {id(tensor) for tensor in inputs}
    for fetch in fetches:
        way = _way(fetch if isinstance(fetch, Operation) else fetch.op, placeholder, fed)
        if way:
            text = " <- ".join(f"{node.name} ({node.type})" for node in way)
            return UnliftableError(
                f"Unable to lift tensor {fetch!r} because it depends transitively on placeholder {placeholder!r} via "
                f"at least one path, e.g.: {text}"
            )
    return UnliftableError(f"The placeholder {placeholder!r} is not fed.")


def _way(node: Operation, goal: Operation, fed: set[int]) -> list[Operation]:
    """Returns a path from an operation to one that it depends on; empty if there is none."""
    if node is goal:
        return [node]
    before = [x.op for x in node.tensors if id(x) not in fed] + list(node.control_inputs)
    for other in before:
        rest = _way(other, goal, fed)
        if rest:
            return [node, *rest]
    return []


# Process-wide settings.


# Allowed function attributes. They are stored and have no effect here.
_ATTRIBUTES = [
    "_OutputsOnOpDevice",
    "_disable_acd",
    "_implements",
    "_noinline",
    "_tf_data_function",
    "api_implements",
    "api_preferred_device",
    "disable_summaries_at_runtime",
    "experimental_ints_on_device",
    "function_runs_at_most_once",
    "go_backwards",
    "runtime_constant_optimization",
    "time_major",
]


class Settings:
    """Process-wide settings of functions."""

    run_eagerly = False


settings = Settings()


@export("config.run_functions_eagerly", "config.experimental_run_functions_eagerly")
def run_functions_eagerly(run_eagerly: bool) -> None:
    """Enables or disables eager execution of all functions, without graphs.

    Args:
        run_eagerly: True to run them as Python code.
    """
    settings.run_eagerly = bool(run_eagerly)


@export("config.functions_run_eagerly", "config.experimental_functions_run_eagerly")
def functions_run_eagerly() -> bool:
    """Returns True if functions run eagerly, as Python code."""
    return settings.run_eagerly


def checked_attributes(implements: Any, others: Any) -> dict[str, Any]:
    """Returns the attributes of a function by name."""
    attributes = {} if implements is None else {"_implements": implements}
    attributes.update(others or {})
    for name in attributes:
        if name not in _ATTRIBUTES:
            raise ValueError(f"`{name} is not supported by tf.function as an attribute.")
    return attributes


def check_values(attributes: dict[str, Any]) -> None:
    """Raises ValueError if an attribute value has an unsupported type."""
    for name, value in attributes.items():
        if not isinstance(value, (bool, int, float, str, bytes, list, message("AttrValue"))):
            raise ValueError(
                f"Attribute {name} must be bool, int, float, string, list, or AttrValue. Got {type(value)}."
            )


# tf.function.


_STAGES = (
    "hlo",
    "hlo_serialized",
    "optimized_hlo",
    "optimized_hlo_serialized",
    "optimized_hlo_dot",
)


class Function(Trackable):
    """The callable that ``tf.function`` returns."""

    _is_traced = True  # for saved models, which hold the functions among the attributes

    def __init__(
        self,
        python_function: Callable[..., Any],
        name: str | None = None,
        input_signature: Any = None,
        autograph: bool = True,
        reduce_retracing: bool = False,
        attributes: dict[str, Any] | None = None,
        jit_compile: bool = False,
        **_: Any,
    ) -> None:
        self._python_function = python_function
        self._name = str(
            name or getattr(python_function, "__name__", type(python_function).__name__)
        )
        self._parameters = Parameters(inspect.signature(python_function), input_signature)
        self._autograph = self._explains = autograph
        self._relaxes = reduce_retracing
        self._attributes = attributes or {}
        self._jit_compile = jit_compile
        self._concrete: dict[Any, ConcreteFunction] = {}
        # Fast path of ``_concrete`` for arguments that are all eager tensors, with a cheap key.
        self._fast_path: dict[Any, ConcreteFunction] = {}
        self._traces: list[tuple[Bound, ConcreteFunction]] = []
        self._count, self._was_tried = 0, False
        self._initial_values: list[Any] = []
        self._methods: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        self._lock = LongLock()
        functools.update_wrapper(self, python_function, updated=())
        self.__signature__ = self._parameters.signature  # that `inspect` finds

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the Python function and the options; copies are traced anew."""
        specs = self._parameters.specs
        options = (self._autograph, self._relaxes, self._attributes, self._jit_compile)
        return type(self), (self._python_function, self._name, specs, *options)

    def _clone(self, python_function: Callable[..., Any] | None) -> Function:
        """Returns a function with the same options and without traces."""
        create, (same, *options) = self.__reduce__()
        twin: Function = create(same if python_function is None else python_function, *options)
        return twin

    def _decorate(self, decorator: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        """Replaces the Python function by a decorated one; libraries do this to methods of classes.

        Raises:
            ValueError: The function was called or traced.
        """
        if self._traces or self._was_tried:
            raise ValueError("Functions cannot be decorated after they have been traced.")
        self._python_function = decorator(self._python_function)
        signature = inspect.signature(self._python_function)
        self._parameters = Parameters(signature, self._parameters.specs)
        self.__signature__ = self._parameters.signature

    # ---------------------------------------------------------------- properties
    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python function."""
        return self._python_function

    @property
    def name(self) -> str:
        """The name of the function."""
        return self._name

    @property
    def function_spec(self) -> FunctionSpec:
        """The names and defaults of its parameters, and the specs of its arguments."""
        return FunctionSpec(self._parameters.fullargspec, self.input_signature)

    @property
    def input_signature(self) -> Any:
        """The specs of its arguments; empty if it takes none, None if unknown."""
        return self._parameters.specs if self._parameters.signature.parameters else ()

    def experimental_get_tracing_count(self) -> int:
        """Returns the number of successful traces."""
        return self._count

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """Returns the function that would return the intermediate representation of XLA.

        Args:
            *args: Arguments of the function.
            **kwargs: Keyword arguments.

        Raises:
            ValueError: The function has no ``jit_compile``; the function that is returned always
                raises it, as code is generated without XLA.
        """
        if not self._jit_compile:
            raise ValueError(
                "Compiler IR can only be returned for functions marked with 'jit_compile=True'"
            )
        name = self.get_concrete_function(*args, **kwargs).name.decode()

        def compiler_ir(
            stage: str = "hlo", device_name: str | None = None, platform_name: str | None = None
        ) -> Any:
            if stage not in _STAGES:
                stages = ", ".join(map(repr, _STAGES))
                raise ValueError(f"Invalid stage selected: {stage!r}. Valid values are: {stages}")
            raise ValueError(f"Failed getting HLO text: '{name} is compiled without XLA.'")

        return compiler_ir

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """Returns the signatures of all traces as a string."""
        traces = dict.fromkeys(self._concrete.values())
        return "\n\n".join(c.pretty_printed_signature(verbose) for c in traces)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        if composite_spec(instance) is not None:  # it is unhashable, and an argument like any other
            return types.MethodType(self, instance)
        method = self._methods.get(instance)
        if method is None:
            method = self._methods[instance] = self._method_of(weakref.ref(instance))
        return method

    def _method_of(self, instance: weakref.ref[Any]) -> Function:
        """Returns the function bound to an object, by a weak reference, with its own traces."""
        function = self._python_function

        def method(*args: Any, **kwargs: Any) -> Any:
            return (converted(function) if self._autograph else function)(
                instance(), *args, **kwargs
            )

        functools.update_wrapper(method, function)
        bound = Function(
            method, self._name, None, False, self._relaxes, self._attributes, self._jit_compile
        )
        bound._parameters = self._parameters.without_first()
        bound.__signature__ = vars(method)["__signature__"] = bound._parameters.signature
        bound._explains = self._autograph
        return bound

    # ---------------------------------------------------------------- calls
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if settings.run_eagerly:
            return self._python_function(*args, **kwargs)
        key = None if kwargs else key_of_tensors(args)
        concrete = self._fast_path.get(key)
        if concrete is not None:
            return concrete.run(args)
        concrete, leaves = self._prepare(args, kwargs)
        if key is not None and len(leaves) == len(args):
            self._fast_path[key] = concrete
        return concrete.run(leaves)

    def _prepare(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[ConcreteFunction, Sequence[Any]]:
        """Returns the trace for the arguments of a call, and the leaves that it runs on."""
        bound = self._parameters.bind(args, kwargs)
        return self._concrete.get(bound.key) or self._find_trace(bound), bound.leaves

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns the trace for arguments of certain dtypes and shapes.

        Args:
            *args: Arguments, or ``tf.TensorSpec`` values in place of tensors.
            **kwargs: Keyword arguments.

        Returns:
            A concrete function.
        """
        if not args and not kwargs and self._parameters.specs is not None:
            args = self._parameters.specs
        return self._prepare(args, kwargs)[0]

    def _trackable_children(
        self, save_type: Any = "checkpoint", cache: Any = None, **kwargs: Any
    ) -> dict[str, Any]:
        """Returns the traces, which SavedModels contain; checkpoints contain none."""
        if save_type == "checkpoint":
            return {}
        traces = self._list_all_concrete_functions_for_serialization()
        return {f"trace_{i}": trace for i, trace in enumerate(traces)}

    def _list_all_concrete_functions_for_serialization(self) -> list[ConcreteFunction]:
        """Returns the traces; a function with an input signature or no arguments is traced."""
        restored = getattr(self, "concrete_functions", None)
        if restored is not None:
            return list(restored)
        if self._parameters.specs is not None or not self._parameters.signature.parameters:
            self.get_concrete_function()
        if (
            thread.saves
        ):  # the body may use distributed variables: it is traced anew for each signature
            again = [b._replace(key=(thread.saves, b.key[1])) for b, _ in list(self._traces)]
            return list({id(t): t for t in map(self._find_trace, again)}.values())
        return self._list_all_concrete_functions()

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        """Returns the traces, oldest first, as libraries that print them ask for."""
        return [trace for _, trace in self._traces]

    # ---------------------------------------------------------------- tracing
    def _find_trace(self, bound: Bound) -> ConcreteFunction:
        with self._lock:
            trace = self._concrete.get(bound.key) or serving(self._traces, bound)
            if trace is None:
                if self._relaxes:
                    bound = self._relax(bound)
                trace = self._concrete.get(bound.key) or self._trace(bound)
                self._traces.append((bound, trace))
            self._concrete[bound.key] = trace
        return trace

    def _relax(self, bound: Bound) -> Bound:
        """Returns arguments whose shapes are generalized over those of all earlier traces."""
        for before, _ in self._traces:
            bound = relaxed(before, bound)
        return bound

    def _trace(self, bound: Bound) -> ConcreteFunction:
        first, self._was_tried = not self._was_tried, True
        trace = self._traced_once(bound, first)
        if first and self._initial_values:
            trace = self._traced_once(bound, False)
        return trace

    def _check_unmodified(self, before: dict[str, list[Any]], arguments: dict[str, Any]) -> None:
        after = {name: nest.flatten(value) for name, value in arguments.items()}
        changed = [n for n in arguments if list(map(id, before[n])) != list(map(id, after[n]))]
        if changed:
            raise ArgumentsModified(
                f"{self._name}{self._parameters.described()} should not modify its Python input "
                "arguments. Modifying a copy is allowed. The following parameter(s) were modified: "
                f"{', '.join(changed)}"
            )

    def _traced_once(self, bound: Bound, may_create: bool) -> ConcreteFunction:
        check_values(self._attributes)
        graph = FuncGraph(self._name)
        graph.seed = seeds.seed if thread.scope.graph is None else graph.seed
        graph.is_compiled = bool(self._jit_compile)
        maker = Maker(graph, bound.leaves, may_create)
        graph.creates = maker
        with entered(PLAIN.but(graph=graph)):
            arguments = placeholders(graph, self._parameters.signature, bound.structure)
            body = converted(self._python_function) if self._autograph else self._python_function
            try:
                before = {name: nest.flatten(value) for name, value in arguments.items()}
                result = self._parameters.call(body, arguments)
                self._check_unmodified(before, arguments)
                outputs = _outputs(graph, result, self._python_function)
            except Exception as error:
                if not self._explains:
                    raise
                raise explained(error, self._python_function) from error
        self._initial_values += maker.initial_values
        self._count += 1
        trace = ConcreteFunction(graph, bound.structure, outputs, self._parameters)
        trace.attributes = self._attributes
        return trace


def _outputs(graph: FuncGraph, result: Any, function: Any) -> Any:
    """Converts the results to tensors of the graph."""

    def output(value: Any) -> Any:
        if value is None:
            return None
        spec = composite_spec(value)
        if spec is not None:
            parts = spec._to_components(without_variables(value))
            return spec._from_components(nest.map_structure(output, parts))
        try:
            value = assert_of_graphs(value).flow if isinstance(value, TensorArray) else value
            tensor = graph.own(convert_to_tensor(value))
        except (TypeError, ValueError) as error:
            if is_tensor(value):
                raise
            raise TypeError(
                "To be compatible with tf.function, Python functions must return zero or more Tensors or "
                f"ExtensionTypes or None values; in compilation of {function}, found return value of type "
                f"{type(value).__name__}, which is not a Tensor or ExtensionType."
            ) from error
        tensor = _identity(tensor)
        graph.outputs.append(tensor)
        return tensor

    if not nest.is_nested(result):
        return output(result)
    return nest.pack_sequence_as(result, list(map(output, nest.flatten(result))))


def _identity(tensor: Any) -> Any:
    return API["identity"](tensor)


class ArgumentsModified(ValueError):
    """The body of a function modified its arguments."""

    _explained = True  # the message needs no further explanation


ArgumentsModified.__name__ = ArgumentsModified.__qualname__ = "ValueError"


@export("function")
def function(
    func: Any = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Creates a function that is traced to a graph and executed from it.

    Args:
        func: A Python function of tensors and other values.
        input_signature: The ``tf.TensorSpec`` values of its arguments; if set, there is one trace.
        autograph: If True, ``if``, ``while`` and ``for`` may depend on tensors.
        jit_compile: If True, and llvmlite is installed (``pip install 'twinflow[jit]'``), operations on
            tensors of static shapes on the CPU are compiled to native code, whole loops included, when
            the function first runs; without effect on all others.
        reduce_retracing: If True, a further trace generalizes the sizes that differ from earlier
            traces.
        experimental_implements: The attribute ``_implements``.
        experimental_autograph_options: Accepted and without effect.
        experimental_attributes: Further attributes by name; stored and without effect.
        experimental_relax_shapes: The older name of ``reduce_retracing``.
        experimental_compile: The older name of ``jit_compile``.
        experimental_follow_type_hints: Accepted and without effect.

    Returns:
        A callable; a decorator if ``func`` is None.

    Raises:
        TypeError: ``func`` is not callable.
        ValueError: An attribute name is unknown, or ``jit_compile`` is set under both names.
    """
    if jit_compile is not None and experimental_compile is not None:
        raise ValueError("Cannot specify both 'experimental_compile' and 'jit_compile'.")
    attributes = checked_attributes(experimental_implements, experimental_attributes)

    def decorated(inner: Any) -> Function:
        if not callable(inner):
            raise TypeError(f"{inner} is not a callable object")
        compiles = bool(jit_compile or experimental_compile)
        relaxes = bool(reduce_retracing or experimental_relax_shapes)
        return Function(inner, None, input_signature, autograph, relaxes, attributes, compiles)

    return decorated if func is None else decorated(func)
