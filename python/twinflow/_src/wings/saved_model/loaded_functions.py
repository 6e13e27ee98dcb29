"""Functions of SavedModels: concrete functions from ``FunctionDef``, and callables over several."""

from __future__ import annotations

import inspect
import pprint
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from twinflow._src.autodiff.custom_gradient import stated
from twinflow._src.composite_tensors.component_specs import component_specs, is_composite_spec
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.errors import NotFoundError, OpError
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import OPS
from twinflow._src.function.arguments import Bound, Parameters
from twinflow._src.function.concrete_function import ConcreteFunction
from twinflow._src.function.function import Function
from twinflow._src.function.trace_types import VariableSpec
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.signatures import is_known
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph_serialization.function_calls import inlined
from twinflow._src.graph_serialization.graph_only_ops import ResourceArgument
from twinflow._src.graph_serialization.nodes import Made, reader
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.wings.raw_ops import functions as raw_ops
from twinflow._src.wings.saved_model.structures import UnknownSpec, decode

_Parameter = inspect.Parameter

# ------------------------------------------------------------------ signatures


class Spec:
    """The Python signature of a saved function.

    Args:
        proto: A ``FunctionSpec``, or None where the file has none.

    Attributes:
        signature: The signature.
        input_signature: The specs that it was defined with, or None.
        compiled: Whether it was defined with ``jit_compile=True``.
    """

    def __init__(self, proto: Any) -> None:
        spec = decode(proto.fullargspec)
        fields = ("args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults")
        if any(not hasattr(spec, field) for field in fields):
            raise ValueError(f"The signature of a function is incomplete: {spec!r}")
        args = list(spec.args or ())
        if proto.is_method or args[:1] == ["self"]:
            if not args:
                raise NotImplementedError(
                    "Cannot deserialize a method function without a named 'self' argument."
                )
            args = args[1:]
        self.signature = inspect.Signature(list(_parameters(spec, args)))
        self.input_signature = decode(proto.input_signature)
        self.compiled = proto.jit_compile == 1


def _parameters(spec: Any, args: list[str]) -> Iterator[_Parameter]:
    defaults = list(spec.defaults or ())[-len(args) :] if args else []
    required = len(args) - len(defaults)
    for i, name in enumerate(args):
        default = defaults[i - required] if i >= required else _Parameter.empty
        yield _Parameter(_identifier(name), _Parameter.POSITIONAL_OR_KEYWORD, default=default)
    if spec.varargs:
        yield _Parameter(_identifier(spec.varargs), _Parameter.VAR_POSITIONAL)
    defaults_by_name = spec.kwonlydefaults or {}
    for name in spec.kwonlyargs or ():
        default = defaults_by_name.get(name, _Parameter.empty)
        yield _Parameter(_identifier(name), _Parameter.KEYWORD_ONLY, default=default)
    if spec.varkw:
        yield _Parameter(_identifier(spec.varkw), _Parameter.VAR_KEYWORD)


def _identifier(name: str) -> str:
    """Returns the name as that of a parameter: signatures may have keywords such as ``in``."""
    return "".join(c if c.isalnum() or c == "_" else "_" for c in name) or "arg"


def _flat_signature(args: Sequence[Any], kwargs: dict[str, Any]) -> inspect.Signature:
    """Returns the signature of a function of which only the specs of its arguments are known."""
    either, only = _Parameter.POSITIONAL_OR_KEYWORD, _Parameter.KEYWORD_ONLY
    names = [_identifier(getattr(spec, "name", None) or f"arg_{i}") for i, spec in enumerate(args)]
    if len({*names, *kwargs}) < len(names) + len(kwargs):
        names = [f"arg_{i}" for i in range(len(args))]
    return inspect.Signature(
        [
            *(_Parameter(name, either) for name in names),
            *(_Parameter(_identifier(key), only) for key in sorted(kwargs)),
        ]
    )


def bound_structure(
    signature: inspect.Signature, args: Sequence[Any], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Returns the arguments of a canonicalized call by parameter name, in the order of the call."""
    left, named = list(args), {_identifier(key): value for key, value in kwargs.items()}
    structure: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is _Parameter.VAR_POSITIONAL:
            structure[name], left = tuple(left), []
        elif parameter.kind is _Parameter.VAR_KEYWORD:
            structure[name], named = named, {}
        elif parameter.kind is _Parameter.KEYWORD_ONLY or not left:
            structure[name] = named.pop(name, parameter.default)
        else:
            structure[name] = left.pop(0)
    if left or named or any(value is _Parameter.empty for value in structure.values()):
        raise ValueError(f"The arguments {args}, {kwargs} do not match the signature {signature}.")
    return structure


# ------------------------------------------------------------------ concrete functions


class Definitions(dict[str, Any]):
    """Definitions of functions by name, with gradients of operations by their registered type."""

    def __init__(self, items: Iterable[tuple[str, Any]]) -> None:
        super().__init__(items)
        self.gradients: dict[str, RegisteredGradient] = {}


class CapturedTensor(NamedTuple):
    """A tensor of a function that the function of a custom gradient captures."""

    function: str
    name: str


class RegisteredGradient:
    """A custom gradient of a file.

    Args:
        functions: The functions of the file.
        name: The name of the function that computes the gradient.
        captures: Returns the captured objects: variables, tensors and ``CapturedTensor`` values.
    """

    def __init__(
        self, functions: Functions, name: str, captures: Callable[[], Sequence[Any]]
    ) -> None:
        self._functions, self._name, self._captures = functions, name, captures
        self._concrete: ConcreteFunction | None = None

    def apply(self, node: Any, nodes: Any) -> Made:
        """Adds the results of a function with the gradient, for the identity in a file.

        The identity has the results and the arguments as inputs; the gradient takes the upstream
        gradients of all of them.
        """
        definition = self._functions.definition(self._name)
        count = len(node.inputs) - len(definition.signature.output_arg)
        if count < 0:
            raise ValueError(f"The function '{self._name}' is no gradient of '{node.name}'.")
        results, sources = node.inputs[:count], node.inputs[count:]

        def gradient(*dys: Any) -> list[Any]:
            zeros = API["zeros_like"]
            upstream = [zeros(x) if dy is None else dy for x, dy in zip(results, dys)]
            upstream += [zeros(x) for x in sources]
            captured = [self._value(value, nodes) for value in self._captures()]
            tensors = [
                convert_to_tensor(x) for x in captured if not isinstance(x, ResourceArgument)
            ]
            result = self._function([*upstream, *tensors], captured).run([*upstream, *tensors])
            return list(result)

        inside = self._captured_operations(nodes)
        outputs = stated("CustomGradient", results, sources, gradient, False, inside)
        return Made(None, [*outputs, *sources])

    def _captured_operations(self, nodes: Any) -> tuple[Any, ...]:
        """Returns the operations of the function whose results the gradient captures."""
        operations = []
        for value in self._captures():
            if isinstance(value, CapturedTensor) and nodes.has(value.name):
                tensor = nodes.tensor(value.name)
                if isinstance(tensor, SymbolicTensor) and tensor.op.type != "Placeholder":
                    operations.append(tensor.op)
        return tuple(operations)

    def _value(self, value: Any, nodes: Any) -> Any:
        if isinstance(value, CapturedTensor):
            try:
                value = nodes.tensor(value.name)
            except KeyError:
                raise ValueError(
                    f"The gradient '{self._name}' captures the tensor '{value.name}' of '{value.function}', which is not "
                    "the function that is differentiated."
                ) from None
            return value
        return value if isinstance(value, Tensor) else ResourceArgument(value)

    def _function(self, tensors: list[Any], captured: list[Any]) -> ConcreteFunction:
        """Returns the gradient as a function of the upstream gradients and captured tensors."""
        if self._concrete is None:
            graph = FuncGraph(_plain_name(self._name))
            graph.outer = None
            with entered(PLAIN.but(graph=graph)):
                arguments = [
                    graph.argument(x.dtype.base_dtype, None, f"arg_{i}")
                    for i, x in enumerate(tensors)
                ]
                left = iter(arguments[len(tensors) - _count_tensors(captured) :])
                values = [x if isinstance(x, ResourceArgument) else next(left) for x in captured]
                upstream = arguments[: len(tensors) - _count_tensors(captured)]
                results = self._functions.body(self._name, [*upstream, *values])
                graph.outputs.extend(map(graph.own, results))
            specs = {f"arg_{i}": TensorSpec(None, x.dtype) for i, x in enumerate(arguments)}
            kind = _Parameter.POSITIONAL_OR_KEYWORD
            signature = inspect.Signature([_Parameter(name, kind) for name in specs])
            outputs = tuple(graph.outputs)
            self._concrete = ConcreteFunction(graph, specs, outputs, Parameters(signature))
        return self._concrete


def _count_tensors(values: Sequence[Any]) -> int:
    return sum(not isinstance(value, ResourceArgument) for value in values)


class Functions:
    """The functions of a SavedModel.

    Args:
        library: A ``FunctionDefLibrary``.
        path: The directory, for messages.
    """

    def __init__(self, library: Any, path: str) -> None:
        self.definitions = Definitions((f.signature.name, f) for f in library.function)
        self.path = path
        self.lock = threading.RLock()

    def definition(self, name: str) -> Any:
        """Returns a ``FunctionDef``; raises ValueError where there is none."""
        if name not in self.definitions:
            raise ValueError(f"The SavedModel at {self.path} has no function '{name}'.")
        return self.definitions[name]

    def assert_supported(self, name: str) -> None:
        """Raises NotFoundError where a function needs operations that do not exist here."""
        missing: dict[str, str] = {}
        for node in self.nodes(name):
            if node.op not in OPS and reader(node.op) is None:
                missing.setdefault(node.op, node.name)
        if not missing:
            return
        ops = ", ".join(f"'{op}' (node '{node}')" for op, node in sorted(missing.items()))
        hint = " TensorFlow has them, twinflow does not." if all(map(is_known, missing)) else ""
        raise NotFoundError(
            None,
            None,
            f"Op type not registered {ops}: the function '{name}' of the SavedModel at "
            f"{self.path} needs operations that do not exist here.{hint}",
        )

    def nodes(self, name: str) -> Iterator[Any]:
        """Yields the nodes of a function and of those that it calls."""
        todo, seen = [name], {name}
        while todo:
            for node in self.definition(todo.pop()).node_def:
                yield node
                for called in _called(node):
                    if called not in seen and called in self.definitions:
                        seen.add(called)
                        todo.append(called)

    def body(self, name: str, values: Sequence[Any]) -> list[Any]:
        """Inlines a function in the current graph; returns its results."""
        definition = self.definition(name)
        self.assert_supported(name)
        expected = len(definition.signature.input_arg)
        if len(values) != expected:
            raise ValueError(
                f"The function '{name}' takes {expected} inputs, but the SavedModel describes {len(values)}."
            )
        return inlined(definition, values, self.definitions)


def _called(node: Any) -> Iterator[str]:
    """Yields the names of the functions in the attributes of a node."""
    for value in node.attr.values():
        kind = value.WhichOneof("value")
        if kind == "func":
            yield value.func.name
        elif kind == "list":
            yield from (func.name for func in value.list.func)


class LoadedConcreteFunction(ConcreteFunction, Trackable):
    """A concrete function of a file. Its graph is built when it is first used.

    Args:
        functions: The functions of the file.
        name: The name in the file.
        proto: The ``SavedConcreteFunction``.
        captures: Returns the captured objects: variables, tensors and tables.
    """

    def __init__(self, functions: Functions, name: str, proto: Any, captures: Any) -> None:
        self._functions, self.saved_name, self._captured = functions, name, captures
        canonical = decode(proto.canonicalized_input_signature)
        if not isinstance(canonical, tuple) or len(canonical) != 2:
            raise ValueError(f"The function '{name}' has no signature of its inputs.")
        self.saved_args, self.saved_kwargs = list(canonical[0]), dict(canonical[1])
        self._proto, self._output_signature = proto, proto.output_signature
        self.use_signature(_flat_signature(self.saved_args, self.saved_kwargs))

    def use_signature(self, signature: inspect.Signature) -> None:
        """Sets the Python signature."""
        self._structure = bound_structure(signature, self.saved_args, self.saved_kwargs)
        self._parameters = Parameters(signature)

    def __getattr__(self, name: str) -> Any:
        if name in _BUILT and "graph" not in vars(self):
            with self._functions.lock:
                if "graph" not in vars(self):
                    self._build()
            return getattr(self, name)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _build(self) -> None:
        graph = FuncGraph(_plain_name(self.saved_name))
        graph.outer = None
        with entered(PLAIN.but(graph=graph)):
            placeholders = {
                id(spec): list(_placeholders(graph, spec))
                for spec in nest.flatten(list(self._structure.values()))
            }
            order = nest.flatten((self.saved_args, self.saved_kwargs))
            leaves = [leaf for spec in order for leaf in placeholders.get(id(spec), ())]
            captured = [_capture(graph, value) for value in self._captured()]
            results = self._functions.body(self.saved_name, [*leaves, *captured])
            outputs = decode(self._output_signature)
            _add_outputs(graph, outputs, results)
        super().__init__(graph, self._structure, outputs, self._parameters)

    def run(self, leaves: Sequence[Any]) -> Any:
        """Runs the function on the tensors and variables among the arguments."""
        return super(LoadedConcreteFunction, self._of_replica()).run(leaves)

    def _of_replica(self) -> LoadedConcreteFunction:
        """Returns the function on the variables' components of the replica that runs."""
        number = 0 if thread.replica is None or not runtime.replicated else thread.replica[1]
        if not number:
            return self
        with self._functions.lock:
            replicas = vars(self).setdefault("_replicas", {})  # by the number of the replica
            if number not in replicas:
                new = LoadedConcreteFunction(
                    self._functions, self.saved_name, self._proto, self._captured
                )
                vars(new).update({k: v for k, v in vars(self).items() if k in _SIGNATURE})
                replicas[number] = new
            return replicas[number]

    def use_keywords(self, keywords: list[str], positional: int) -> None:
        """Sets the names of the tensor arguments, and how many of them can be positional."""
        self._keywords, self._positional = keywords, positional

    def resource(self) -> Any:
        """Returns the resource that the function creates."""
        graph = FuncGraph(_plain_name(self.saved_name))
        graph.outer = None
        with entered(PLAIN.but(graph=graph)):
            captured = [_capture(graph, value) for value in self._captured()]
            results = self._functions.body(self.saved_name, captured)
        (result,) = results if len(results) == 1 else (None,)
        if isinstance(result, ResourceArgument):
            return result.value
        if not isinstance(result, SymbolicTensor) or result.op.type != "VarHandleOp":
            raise ValueError(f"The function '{self.saved_name}' creates no resource.")
        variable = result.op.variable
        with entered(PLAIN):
            return raw_ops.function("VarHandleOp")(
                dtype=variable.dtype, shape=variable.shape
            ).variable()

    @property
    def _arg_keywords(self) -> list[str]:
        """The names of the tensor arguments."""
        keywords = vars(self).get("_keywords")
        return super()._arg_keywords if keywords is None else keywords

    @property
    def _num_positional_args(self) -> int:
        """The number of arguments that can be positional."""
        positional = vars(self).get("_positional")
        return super()._num_positional_args if positional is None else positional

    def _pack(self, results: list[Any]) -> Any:
        left = iter(results)

        def value(spec: Any) -> Any:
            if isinstance(spec, TensorSpec):
                return next(left)
            if is_composite_spec(spec):
                return spec._from_components([next(left) for _ in component_specs(spec)])
            return spec

        return nest.map_structure(value, self.structured_outputs)


_SIGNATURE = frozenset(
    ("saved_args", "saved_kwargs", "_structure", "_parameters", "_keywords", "_positional")
)
# The attributes of concrete functions that exist once the graph is built.
_BUILT = frozenset(
    ("graph", "structured_outputs", "_variables", "_arguments", "name", "_nodes", "_programs")
)


def _plain_name(name: str) -> str:
    """Returns the name of the Python function in ``__inference_f_12``."""
    inner = name.removeprefix("__inference_")
    head, _, number = inner.rpartition("_")
    return head if head and number.isdecimal() else inner


def _placeholders(graph: FuncGraph, spec: Any) -> Iterator[Any]:
    """Yields the placeholders of an argument; for a variable the variable itself."""
    if isinstance(spec, TensorSpec):
        yield _placeholder(graph, spec)
    elif isinstance(spec, VariableSpec):
        yield ResourceArgument(spec.variable)
    elif isinstance(spec, UnknownSpec):
        raise NotImplementedError(
            f"The function takes an argument of the type {spec}, which does not exist here."
        )
    elif is_composite_spec(spec):
        yield from (_placeholder(graph, part) for part in component_specs(spec))


def _placeholder(graph: FuncGraph, spec: TensorSpec) -> Any:
    name = _identifier(spec.name or "input")
    tensor = graph.argument(
        spec.dtype, spec.shape._dims, name if name[0].isalpha() else f"arg_{name}"
    )
    tensor.op.marks["_user_specified_name"] = (spec.name or "").encode()
    return tensor


def _capture(graph: FuncGraph, value: Any) -> Any:
    if isinstance(value, Tensor):
        return graph.capture(value)
    return ResourceArgument(value)


def _add_outputs(graph: FuncGraph, structure: Any, results: list[Any]) -> None:
    """Sets the results of a graph, which have a structure of specs."""
    left = iter(results)
    for spec in nest.flatten(structure):
        if isinstance(spec, UnknownSpec):
            raise NotImplementedError(
                f"The function returns a value of the type {spec}, which does not exist here."
            )
        parts = component_specs(spec) if isinstance(spec, TypeSpec) else []
        for part in parts:
            result = next(left, None)
            if isinstance(result, ResourceArgument) and result.tensor is not None:
                result = result.tensor
            if result is None or isinstance(result, ResourceArgument):
                raise ValueError(f"The function '{graph.name}' does not return {spec!r}.")
            result = graph.own(result)
            if result.shape.is_compatible_with(part.shape):
                result.set_shape(part.shape)
            graph.outputs.append(result)


# ------------------------------------------------------------------ functions with several traces


class RestoredFunction(Function):
    """A ``tf.function`` of a file: a callable over its concrete functions.

    Args:
        concrete_functions: The concrete functions, in the order of the file.
        spec: The Python signature.
    """

    def __init__(self, concrete_functions: Sequence[LoadedConcreteFunction], spec: Spec) -> None:
        self.concrete_functions = list(concrete_functions)
        for function in self.concrete_functions:
            function.use_signature(spec.signature)

        def restored_function_body(*args: Any, **kwargs: Any) -> Any:
            return self._dispatch(args, kwargs)

        restored_function_body.__signature__ = spec.signature  # type: ignore[attr-defined]
        super().__init__(
            restored_function_body,
            input_signature=spec.input_signature,
            autograph=False,
            jit_compile=spec.compiled,
        )

    def __reduce__(self) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")

    def __get__(self, instance: Any, owner: Any = None) -> RestoredFunction:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from twinflow._src.function import function as functions

        if not functions.settings.run_eagerly:
            return super().__call__(*args, **kwargs)
        bound = self._parameters.bind(args, kwargs)  # there is no Python code to run
        return (self._concrete.get(bound.key) or self._find_trace(bound)).run(bound.leaves)

    def _find_trace(self, bound: Bound) -> ConcreteFunction:
        """Returns the concrete function for exactly these arguments, else a trace that converts."""
        same = next((f for f in self.concrete_functions if _takes(f, bound.structure)), None)
        if same is None:
            return super()._find_trace(bound)
        self._concrete[bound.key] = same
        return same

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """Returns a concrete function for arguments of certain dtypes and shapes."""
        if not args and not kwargs and self._parameters.specs is not None:
            args = self._parameters.specs
        bound = self._parameters.bind(args, kwargs)
        function = self._find_trace(bound)
        if isinstance(function, LoadedConcreteFunction) and function._structure != bound.structure:
            return self._trace(bound)
        return function

    def _dispatch(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the concrete function that matches arguments, which may be converted."""
        if not self.concrete_functions:
            raise ValueError("Found zero restored functions for caller function.")
        for convert in (False, True):
            for function in self.concrete_functions:
                leaves = _matched(function, args, kwargs, convert)
                if leaves is not None:
                    return function.run(leaves)
        raise ValueError(self._mismatch(args, kwargs))

    def _mismatch(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        options = []
        for i, function in enumerate(self.concrete_functions, 1):
            positional, keyword = tuple(function.saved_args), function.saved_kwargs
            options.append(
                f"Option {i}:\n  {_positional(positional)}\n  Keyword arguments: {keyword}"
            )
        said = "\n\n".join(options)
        return (
            f"Could not find matching concrete function to call loaded from the SavedModel. Got:\n  "
            f"{_positional(args)}\n  Keyword arguments: {kwargs}\n\n Expected these arguments to match one of the "
            f"following {len(options)} option(s):\n\n{said}"
        )


def _positional(args: tuple[Any, ...]) -> str:
    items = "\n    * ".join(map(pprint.pformat, args))
    return f"Positional arguments ({len(args)} total):\n    * {items}"


def _takes(function: LoadedConcreteFunction, structure: dict[str, Any]) -> bool:
    """True if a function takes arguments as they are: the same tensors and equal other values."""
    try:
        nest.assert_same_structure(function._structure, structure)
    except (TypeError, ValueError):
        return False
    pairs = zip(nest.flatten(function._structure), nest.flatten(structure), strict=True)
    return all(_fits(expected, value) for expected, value in pairs)


def _fits(expected: Any, value: Any) -> bool:
    if isinstance(expected, TensorSpec):
        return (
            isinstance(value, TensorSpec)
            and value.dtype is expected.dtype
            and bool(expected.shape.is_compatible_with(value.shape))
        )
    if isinstance(expected, VariableSpec):
        if not isinstance(value, VariableSpec) or value.alias != expected.alias:
            return False
        ours, theirs = expected.variable, value.variable
        return ours.dtype is theirs.dtype and bool(ours.shape.is_compatible_with(theirs.shape))
    if isinstance(expected, TypeSpec):
        return isinstance(value, TypeSpec) and expected.is_compatible_with(value)
    return not isinstance(value, (TypeSpec, VariableSpec)) and _are_equal(expected, value)


def _are_equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except (TypeError, ValueError):  # arrays
        return False


def _matched(
    function: LoadedConcreteFunction, args: Any, kwargs: Any, convert: bool
) -> list[Any] | None:
    """Returns the tensors of a call, converted if needed; None where the function takes others."""
    try:
        values = bound_structure(function._parameters.signature, args, kwargs)
        pairs = [p for k, spec in function._structure.items() for p in _pairs(spec, values[k])]
    except (TypeError, ValueError):
        return None
    leaves: list[Any] = []
    for spec, value in pairs:
        parts = _components(spec, value, convert)
        if parts is None:
            return None
        leaves += parts
    return leaves


def _pairs(expected: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """Yields the leaves of a structure with the parts of a value at the same places."""
    if not nest.is_nested(expected):
        yield expected, value
        return
    if isinstance(expected, dict):
        if not isinstance(value, dict) or expected.keys() != value.keys():
            raise ValueError
        for key in sorted(expected):
            yield from _pairs(expected[key], value[key])
        return
    if not isinstance(value, (list, tuple)) or len(expected) != len(value):
        raise ValueError
    for spec, item in zip(expected, value):
        yield from _pairs(spec, item)


def _components(spec: Any, value: Any, convert: bool) -> list[Any] | None:
    if isinstance(spec, TensorSpec):
        tensor = _converted(spec, value, convert)
        return None if tensor is None else [tensor]
    if isinstance(spec, VariableSpec):
        return [value] if isinstance(value, BaseResourceVariable) else None
    if isinstance(spec, TypeSpec):
        return list(spec._to_components(value)) if spec.is_compatible_with(value) else None
    if isinstance(value, (Tensor, BaseResourceVariable)):
        return None
    return [] if _are_equal(spec, value) else None


def _converted(spec: TensorSpec, value: Any, convert: bool) -> Any:
    if not isinstance(value, (Tensor, BaseResourceVariable)):
        if not convert or value is None:
            return None
        try:
            value = convert_to_tensor(value, dtype_hint=spec.dtype)
        except (TypeError, ValueError, OpError):
            return None
    if value.dtype.base_dtype is not spec.dtype or not spec.shape.is_compatible_with(value.shape):
        return None
    return convert_to_tensor(value)
