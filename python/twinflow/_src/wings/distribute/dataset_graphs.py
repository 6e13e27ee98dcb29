"""Datasets that travel: a pipeline as a graph with its functions, and its stages in another process.

A node has the type of the operation that makes the dataset and, in the attribute ``_recipe``, the
kind of its builder, the parameters and the types of its functions; the inputs are those of the
operation. Nothing is executed but operations of the op table and builders of datasets.
"""

from __future__ import annotations

import enum
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from twinflow._src.autograph.autograph import do_not_convert
from twinflow._src.compiler.program import Program, needed
from twinflow._src.control_flow.if_and_case_ops import effects
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import PLAIN, entered, quiet
from twinflow._src.core.dtypes import as_dtype, string
from twinflow._src.core.errors import UnimplementedError
from twinflow._src.core.protos import message
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph_serialization import own_ops
from twinflow._src.graph_serialization.attributes import attr_value
from twinflow._src.graph_serialization.function_calls import inlined
from twinflow._src.graph_serialization.functions import Library, _Function
from twinflow._src.graph_serialization.nodes import reader
from twinflow._src.wings.data import options
from twinflow._src.wings.data.dataset import DatasetSpec
from twinflow._src.wings.data.dataset_ops import (
    RECIPE,
    Recipe,
    build_variant,
    component_tensors,
    packed,
)
from twinflow._src.wings.data.functions import BoundFunction, StructuredFunction
from twinflow._src.wings.data.optional import OptionalSpec
from twinflow._src.wings.data.stages import Stage
from twinflow._src.wings.data.structure import Elements, NoneTensorSpec
from twinflow._src.wings.distribute.programs import _drop_outer, _Operations
from twinflow._src.wings.saved_model.structures import NotEncodableError, decode, encode

_COUNTS, _FUNCTIONS = "_counts", "_functions"
_ENUMS = {
    cls.__name__: cls
    for cls in vars(options).values()
    if isinstance(cls, type) and issubclass(cls, enum.Enum)
}


# ------------------------------------------------------------------ parameters and specs


def encode_value(value: Any) -> bytes:
    """Returns a structure of plain values, specs, ``Elements`` and enums as bytes."""
    data: bytes = encode(_plain(value)).SerializeToString(deterministic=True)
    return data


def decode_value(data: bytes) -> Any:
    """Returns the structure of bytes."""
    return _restored(decode(message("StructuredValue").FromString(data)))


def _plain(value: Any) -> Any:
    """Returns a value with pairs of a name and contents, marked by "!", for what has no message."""
    if isinstance(value, Elements):
        return "!", "elements", _plain(value.spec)
    if isinstance(value, DatasetSpec):
        return "!", "dataset", _plain(value.element_spec)
    if isinstance(value, OptionalSpec):
        return "!", "optional", _plain(value._element_spec)
    if isinstance(value, NoneTensorSpec):
        return "!", "none", None
    if isinstance(value, enum.Enum):
        return "!", type(value).__name__, int(value.value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_plain, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))
    return value


def _restored(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _restored(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(_restored, value))
    if not isinstance(value, (list, tuple)):
        return value
    if len(value) == 3 and value[0] == "!" and isinstance(value, tuple):
        kind, content = value[1], _restored(value[2])
        return _RESTORE[kind](content) if kind in _RESTORE else _ENUMS[kind](content)
    return type(value)(map(_restored, value))


_RESTORE: dict[str, Any] = {
    "elements": Elements,
    "dataset": DatasetSpec,
    "optional": OptionalSpec,
    "none": lambda _: NoneTensorSpec(),
}


# ------------------------------------------------------------------ from stages to graphs


class _Carried:
    """A function of which the captured tensors are constants of the graph that is being written."""

    variables: tuple[Any, ...] = ()

    def __init__(self, function: StructuredFunction, tensors: Sequence[Any]) -> None:
        self.function, self.tensors = function, list(tensors)


class _Source:
    """A dataset of the graph that is being written."""

    def __init__(self, tensor: Any) -> None:
        self._variant_tensor = tensor


def export_stage(stage: Stage) -> bytes:
    """Returns the serialized ``GraphDef`` of a dataset."""
    graph = FuncGraph("dataset")
    graph.outer = None
    with entered(PLAIN.but(graph=graph)):
        output = _replay(stage, {})
    library = Library(graph, own_ops=True)
    try:
        _Function(graph, [], [], library).written("dataset", [output])
    except (NotImplementedError, NotEncodableError) as error:
        raise _unsendable(str(error)) from error
    proto = message("GraphDef")()
    library.write(proto)
    for definition in proto.library.function:
        _drop_outer(definition)
        for node in definition.node_def:
            if node.op not in OPS and not own_ops.is_own_node(node) and reader(node.op) is None:
                raise _unsendable(
                    f"the operation '{node.name}' of the type {node.op} has no reader."
                )
    proto.node.add(name="main", op=definition.signature.name)
    data: bytes = proto.SerializeToString(deterministic=True)
    return data


def _unsendable(reason: str) -> UnimplementedError:
    return UnimplementedError(
        None, None, f"The dataset cannot be sent to another process: {reason}"
    )


def _replay(stage: Stage, tensors: dict[int, Any]) -> Any:
    """Adds the operations of a stage and of its inputs to the current graph; returns the variant."""
    if id(stage) in tensors:
        return tensors[id(stage)]
    recipe: Recipe | None = stage.recipe
    type, values = stage.origin
    if recipe is None:
        raise _unsendable(f"its operation {type or '(unknown)'} calls Python in this process.")
    first, last = recipe.datasets, recipe.datasets + recipe.tensors
    functions = []
    for function in values[last:]:
        if not isinstance(function, BoundFunction):
            raise _unsendable("its functions are those of the debug mode.")
        if function.function.variables:
            names = ", ".join(v.name for v in function.function.variables)
            raise _unsendable(f"a function of {type} uses the variable {names}.")
        captured = [_constant(value, tensors) for value in function.captures]
        functions.append(_Carried(function.function, captured))
    tensors[id(stage)] = build_variant(
        type,
        recipe.params,
        [_Source(_replay(source, tensors)) for source in values[:first]],
        [_constant(value, tensors) for value in values[first:last]],
        functions,  # type: ignore[arg-type]
        recipe.impure,
        recipe.kind,
    )
    return tensors[id(stage)]


def _constant(value: Any, tensors: dict[int, Any]) -> Any:
    """Returns an array as a tensor of the current graph, and that of a dataset as its variant."""
    if not isinstance(value, np.ndarray):
        raise _unsendable(f"a function uses a value of the type {type(value).__name__}.")
    if value.dtype != object:
        return convert_to_tensor(value, dtype=as_dtype(value.dtype))
    if value.shape == () and isinstance(value[()], Stage):
        return _replay(value[()], tensors)
    if any(not isinstance(item, (bytes, str)) for item in value.reshape(-1)):
        raise _unsendable("a function uses an object that is no tensor.")
    return convert_to_tensor(value, dtype=string)


def _write(node: Any, names: Any) -> Any:
    """Returns the ``NodeDef`` of an operation that makes a dataset."""
    recipe: Recipe = node.definition.fixed_attrs[RECIPE]
    functions = [getattr(f, "function", f) for f in recipe.functions]
    if any(function.variables for function in functions):
        raise NotImplementedError(f"A function of the operation '{node.name}' uses a variable.")
    proto = message("NodeDef")(name=node.name, op=node.type)
    proto.input.extend(names.name_of(x, node) for x in node.arguments)
    types = [(f.label, f.arguments, f.elements) for f in functions]
    counts = [recipe.datasets, recipe.tensors, *(len(f.tensors) for f in recipe.functions)]
    proto.attr[_COUNTS].CopyFrom(attr_value("list(int)", counts))
    proto.attr[RECIPE].s = encode_value((recipe.kind, recipe.params, recipe.impure, types))
    for function in functions:
        proto.attr[_FUNCTIONS].list.func.add(name=_write_function(function, names))
    return proto


def _write_function(function: StructuredFunction, library: Any) -> str:
    """Adds a function to the library; its captured tensors follow its arguments. Returns its name."""
    graph = function.graph
    tensors = [*graph.inputs, *graph.internal_captures]
    nodes = needed(graph.outputs, tensors, effects(graph))
    inputs = [tensor.op for tensor in tensors]
    writer = _Function(
        _Operations(graph, [*inputs, *(node for node in nodes if node not in inputs)]),
        [tensor.dtype.base_dtype for tensor in tensors],
        [(tensor, i) for i, tensor in enumerate(tensors)],
        library,
    )
    return writer.written(graph.name, graph.outputs)


# ------------------------------------------------------------------ from graphs to stages


def import_stage(data: bytes) -> Stage:
    """Returns the stage of a serialized ``GraphDef``."""
    importlib.import_module("twinflow._src.wings.data.datasets")  # the builders
    proto = message("GraphDef").FromString(data)
    library = {f.signature.name: f for f in proto.library.function}
    graph = FuncGraph("dataset")
    graph.outer = None
    with entered(PLAIN.but(graph=graph)):
        (output,) = inlined(library[proto.node[0].op], [], library)
    program = Program(needed([output], []), [], [output])
    (variant,) = quiet().run(program.within, [])
    stage: Stage = variant[()]
    return stage


def _read(node: Any) -> list[Any]:
    """Adds the operation of a node that makes a dataset; returns its result."""
    kind, params, impure, types = decode_value(node.proto.attr[RECIPE].s)
    datasets, tensors, *captures = node.proto.attr[_COUNTS].list.i
    inputs = list(node.inputs)
    sources = [_Source(x) for x in inputs[:datasets]]
    del inputs[:datasets]
    arguments, inputs = inputs[:tensors], inputs[tensors:]
    functions = []
    for call, count, described in zip(node.proto.attr[_FUNCTIONS].list.func, captures, types):
        definition = node.library[call.name]
        functions.append(_read_function(definition, inputs[:count], node.library, *described))
        del inputs[:count]
    return [build_variant(node.type, params, sources, arguments, functions, impure, kind)]


def _read_function(
    definition: Any,
    captures: Sequence[Any],
    library: dict[str, Any],
    label: str,
    arguments: Sequence[Elements],
    elements: Elements,
) -> StructuredFunction:
    """Returns a function of elements, which inlines the function of a graph."""

    @do_not_convert
    def call(*values: Any) -> Any:
        tensors = [x for kind, v in zip(arguments, values) for x in component_tensors(kind, v)]
        return packed(elements, inlined(definition, [*tensors, *captures], library))

    function = StructuredFunction(call, label, *arguments, unpacks=False)
    function.elements = elements
    return function


own_ops.CODECS[RECIPE] = own_ops.Codec(_write, _read)
