"""Export of graphs to ``GraphDef`` and ``NodeDef`` messages.

Most operations have the inputs of their op definition, in the same order; the others have a layout.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.core.dtypes import DType, as_dtype, resource, uint8
from twinflow._src.core.protos import message, shape_proto
from twinflow._src.core.shapes import TensorShape
from twinflow._src.graph.signatures import Attr, attributes, is_known, signature
from twinflow._src.graph.symbolic import Operation
from twinflow._src.graph_serialization.attributes import attr_value, mark, tensor_message
from twinflow._src.variables.ref_variable import REFERENCE_TYPES, RefVariable
from twinflow._src.variables.variable import BaseResourceVariable


class Written(NamedTuple):
    """An operation in the layout of its op definition.

    Attributes:
        type: The type.
        arguments: One value for each input of the definition: a tensor, a variable or a tuple.
        attrs: Attribute values, under the names in the definition.
    """

    type: str
    arguments: tuple[Any, ...]
    attrs: dict[str, Any]


# The ops on references, by the ops on resources with the same effect.
_ON_REFERENCES = {resource: reference for reference, resource in REFERENCE_TYPES.items()} | {
    "ReadVariableOp": "Identity"
}

# Attributes with other names in op definitions.
RENAMED = {
    "keep_dims": "keepdims",
    "squeeze_dims": "axis",
    "DstT": "dtype",
}


def written(node: Operation) -> Written:
    """Returns an operation in the layout of its op definition."""
    layout = node.definition.fixed_attrs.get("layout") or _LAYOUTS.get(node.type)
    if layout is not None:
        return layout(node)
    if node.definition.resource is not None:
        return _on_resource(node)
    type = node.type
    if node.arguments and isinstance(node.arguments[0], RefVariable):
        type = _ON_REFERENCES.get(type, type)
    return Written(type, node.arguments, node.attrs)


def _handle(node: Operation) -> Written:
    defaults = {"debug_name": f"{node.name}/", "allowed_devices": [], "container": ""}
    return Written(node.type, (), {**defaults, **node.attrs})


def _variable(node: Operation) -> Written:
    variable = node.arguments[0]
    attrs = {
        "dtype": variable.dtype.base_dtype,
        "shape": variable.shape,
        "container": "",
        "shared_name": "",
    }
    return Written(node.type, (), attrs)


def _on_resource(node: Operation) -> Written:
    """Returns an operation on a lookup table: the handle comes first, unless it is the result."""
    definition = node.definition
    handle = () if creates_resource(node) else (definition.resource,)
    return Written(node.type, (*handle, *node.arguments), {**definition.fixed_attrs, **node.attrs})


def creates_resource(node: Operation) -> bool:
    """True for an operation whose result is the handle of a lookup table."""
    return node.definition.resource is not None and [x.dtype for x in node.outputs] == [resource]


def _custom_gradient(node: Operation) -> Written:
    """Returns the identity of the results; their gradient functions are no part of graphs."""
    return Written("IdentityN", (tuple(node.arguments[: len(node.outputs)]),), {})


def _assertion(node: Operation) -> Written:
    condition, *data = node.arguments
    values = data[0] if len(data) == 1 and isinstance(data[0], tuple) else tuple(data)
    return Written("Assert", (condition, values), {**node.definition.fixed_attrs, **node.attrs})


def _formatting(node: Operation) -> Written:
    attrs = node.definition.fixed_attrs
    return Written("StringFormat", (tuple(node.arguments),) if attrs else (), attrs)


def _element(node: Operation) -> Written:
    """Returns an operation that yields an element of a dataset, whose types are attributes."""
    return Written(node.type, node.arguments, {**node.definition.fixed_attrs, **node.attrs})


def _examples(node: Operation) -> Written:
    """Returns a parser of examples, which has the number of sparse features."""
    attrs = {**node.attrs, "num_sparse": len(node.attrs["sparse_types"])}
    return Written(node.type, node.arguments, attrs)


def _sequences(node: Operation) -> Written:
    """Returns a parser of sequence examples, which has the numbers of features."""
    counts = {
        "Ncontext_sparse": "context_sparse_types",
        "Nfeature_list_sparse": "feature_list_sparse_types",
        "Nfeature_list_dense": "feature_list_dense_types",
    }
    attrs = {name: len(node.attrs[types]) for name, types in counts.items()}
    return Written(node.type, node.arguments, {**node.attrs, **attrs})


_LAYOUTS: dict[str, Callable[[Operation], Written]] = {
    "ParseExampleV2": _examples,
    "ParseSequenceExampleV2": _sequences,
    "VarHandleOp": _handle,
    "VariableV2": _variable,
    "CustomGradient": _custom_gradient,
    "RecomputeGrad": _custom_gradient,
    "Assert": _assertion,
    "StringFormat": _formatting,
    "AnonymousIteratorV3": _element,
    "IteratorGetNext": _element,
    "IteratorGetNextAsOptional": _element,
    "OptionalGetValue": _element,
}


# The graph version of TensorFlow 2.21.
PRODUCER = 2474


def graph_def(graph: Any, from_version: int | None = None, add_shapes: bool = False) -> Any:
    """Returns the ``GraphDef`` of a graph. As in TensorFlow 2.21 ``from_version`` has no effect."""
    from twinflow._src.graph_serialization.functions import Library

    proto, library = message("GraphDef")(), Library(graph)
    nodes = sorted(graph.get_operations(), key=lambda node: node.index)
    proto.node.extend(library.sources())
    for node in nodes:
        message_ = node_def(node, add_shapes, library)
        proto.node.extend([*library.before(), message_])
    proto.versions.producer = PRODUCER
    library.write(proto)
    return proto


def node_def(node: Operation, add_shapes: bool = False, library: Any = None) -> Any:
    """Returns the ``NodeDef`` of an operation; the functions that it calls are added to the library."""
    from twinflow._src.graph_serialization.function_calls import has_function
    from twinflow._src.graph_serialization.functions import Library, calling

    waited = list(dict.fromkeys(before.name for before in node.control_inputs))
    waited = waited if library is None else sorted(waited)  # sorted in a GraphDef
    library = library or Library(node.graph)
    if library.own_ops:
        from twinflow._src.graph_serialization import own_ops

        if own_ops.is_own(node.definition):
            proto = own_ops.own_node(node, library)
            proto.input.extend(f"^{name}" for name in waited)
            return proto
    layout = calling(node, library)
    if layout is None:
        layout = written(node)
        if has_function(node):  # TensorFlow's op of that name takes other arguments
            raise _unwritable(node, layout)
    gives = signature(layout.type)
    if gives is None or len(gives.inputs) != len(layout.arguments):
        raise _unwritable(node, layout)
    proto = message("NodeDef")(name=node.name, op=layout.type, device=node.device)
    proto.input.extend([*_inputs(node, layout, library), *(f"^{name}" for name in waited)])
    for name, value in attribute_messages(node, layout).items():
        proto.attr[name].CopyFrom(value)
    for name, value in node.marks.items():
        proto.attr[name].CopyFrom(mark(value))
    shapes = _shapes(node, layout) if add_shapes else []
    if shapes:
        proto.attr["_output_shapes"].list.shape.extend(map(shape_proto, shapes))
    return proto


def _unwritable(node: Operation, layout: Written) -> Exception:
    return NotImplementedError(
        f"The operation {node.name!r} of type {layout.type} cannot be written: TensorFlow has none like it."
    )


def _shapes(node: Operation, layout: Written) -> list[Any]:
    """Returns the dimensions of the results in the op definition."""
    if "output_shapes" in layout.attrs and layout.type in ("While", "StatelessWhile"):
        return [TensorShape(shape)._dims for shape in layout.attrs["output_shapes"]]
    gives = signature(layout.type)
    if node.outputs or gives is None or not gives.outputs:
        return [tensor._dims for tensor in node.outputs]
    return [layout.arguments[0].shape._dims]  # an update of a reference returns the reference


def attribute_of(node: Operation, name: str) -> Any:
    """Returns an attribute of an operation as a Python value; None where there is none."""
    if name in node.marks:
        proto = mark(node.marks[name])
    else:
        layout = written(node)
        attrs = attribute_messages(node, layout) if is_known(layout.type) else {}
        if name not in attrs:
            return node.attrs.get(name)
        proto = attrs[name]
    field = proto.WhichOneof("value")
    if field == "list":
        return [of_field(d.name, x) for d, values in proto.list.ListFields() for x in values]
    return None if field is None else of_field(field, getattr(proto, field))


def of_field(field: str, value: Any) -> Any:
    """Returns a field of an ``AttrValue``, with enum values of dtypes converted."""
    return as_dtype(value) if field == "type" else value


# ------------------------------------------------------------------ inputs


def _inputs(node: Operation, layout: Written, library: Any) -> list[str]:
    names = []
    for argument in layout.arguments:
        for value in argument if isinstance(argument, tuple) else (argument,):
            names.append(library.name_of(value, node))
    return names


# ------------------------------------------------------------------ attributes


def attribute_messages(node: Operation, layout: Written) -> dict[str, Any]:
    """Returns the ``AttrValue`` of each attribute in the op definition, by name."""
    inferred = _infer_attrs(node, layout)
    result = {}
    for attr in attributes(layout.type).values():
        value = _get_attr_value(attr, layout.attrs, inferred)
        if value is None and attr.kind not in ("shape", "tensor"):
            raise _unwritable(node, layout)
        is_tensor = attr.kind == "tensor"
        result[attr.name] = _tensor(node, attr.name) if is_tensor else attr_value(attr.kind, value)
    return result


def _tensor(node: Operation, name: str) -> Any:
    if name == "value":  # of a constant
        value = tensor_message(node.attrs["value"], node.attrs["dtype"])
    else:  # a color, by default red
        color = (255, 0, 0, 255) if node.attrs.get(name) is None else node.attrs[name]
        value = tensor_message(np.asarray(color, np.uint8), uint8)
    return message("AttrValue")(tensor=value)


def _get_attr_value(attr: Attr, attrs: dict[str, Any], inferred: dict[str, Any]) -> Any:
    for name in (attr.name, RENAMED.get(attr.name, attr.name)):
        if attrs.get(name) is not None:
            value = attrs[name]
            return (
                [value]
                if attr.kind.startswith("list(") and isinstance(value, (int, float, str))
                else value
            )
    return inferred.get(attr.name, attr.default)


def _infer_attrs(node: Operation, layout: Written) -> dict[str, Any]:
    """Returns the attributes inferred from inputs and results: dtypes and list lengths."""
    gives = signature(layout.type)
    assert gives is not None
    inferred: dict[str, Any] = {}
    for arg, value in zip(gives.inputs, layout.arguments):
        several = value if isinstance(value, tuple) else (value,)
        types = [_type(x) for x in several]
        if arg.number is not None and arg.number == arg.type:
            inferred[arg.type] = types
            continue
        if arg.number is not None:
            inferred[arg.number] = len(several)
        if arg.type == "resource":
            inferred |= {name: types[0] for name in ("dtype", "T") if types}
        elif types and types[0] is not None:
            inferred.setdefault(arg.type, types[0])
    return _of_results(node, gives.outputs, layout.attrs, inferred)


def _of_results(
    node: Operation, outputs: Sequence[Any], attrs: dict[str, Any], inferred: dict[str, Any]
) -> dict[str, Any]:
    tensors = list(node.outputs)
    for arg, count in zip(outputs, output_counts(outputs, len(tensors), {**attrs, **inferred})):
        part, tensors = tensors[:count], tensors[count:]
        types = [tensor.dtype.base_dtype for tensor in part]
        if arg.number is not None and arg.number == arg.type:
            inferred.setdefault(arg.type, types)
            continue
        if arg.number is not None:
            inferred.setdefault(arg.number, len(part))
        if types:
            inferred.setdefault(arg.type, types[0])
    return inferred


def output_counts(outputs: Sequence[Any], total: int, attrs: dict[str, Any]) -> list[int]:
    """Returns the number of tensors of each output in an op definition."""
    # Lists whose attribute is unknown share the tensors that the others leave.
    counts: list[int | None] = []
    for arg in outputs:
        value = 1 if arg.number is None else attrs.get(arg.number)
        counts.append(len(value) if isinstance(value, (list, tuple)) else value)
    unknown = sum(count is None for count in counts)
    each = (total - sum(count or 0 for count in counts)) // unknown if unknown else 0
    return [each if count is None else count for count in counts]


def _type(value: Any) -> DType | None:
    if isinstance(value, BaseResourceVariable):
        return value.dtype.base_dtype
    dtype: DType | None = getattr(value, "dtype", None)
    return None if dtype is None else dtype.base_dtype
