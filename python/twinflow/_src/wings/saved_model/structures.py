"""Messages of SavedModels: nested structures of Python values and specs, and variables."""

from __future__ import annotations

import collections
import functools
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.indexed_slices import IndexedSlicesSpec
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensorSpec
from twinflow._src.control_flow.tensor_array import TensorArraySpec
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.bounded_spec import BoundedTensorSpec
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.protos import message, shape_proto
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.function.trace_types import VariableSpec
from twinflow._src.graph_serialization.tensor_proto import make_tensor_proto, shape_of, values_of
from twinflow._src.variables.creation import uninitialized_variable
from twinflow._src.variables.options import (
    VariableAggregationV2,
    VariableSynchronization,
)
from twinflow._src.wings.private_api import type_specs

# The classes of specs, by the name of the value in the enum ``TypeSpecClass``.
_SPECS: dict[str, Any] = {
    "SPARSE_TENSOR_SPEC": SparseTensorSpec,
    "INDEXED_SLICES_SPEC": IndexedSlicesSpec,
    "RAGGED_TENSOR_SPEC": RaggedTensorSpec,
    "TENSOR_ARRAY_SPEC": TensorArraySpec,
}
# The same for specs that are registered with a name, and for those of extension types.
_REGISTERED, _EXTENSION = "REGISTERED_TYPE_SPEC", "EXTENSION_TYPE_SPEC"
_DEPTH = 100  # the nesting that files may have


class NotEncodableError(Exception):
    """A value has no message."""


class UnknownSpec:
    """A spec in a file that has no class here.

    Attributes:
        name: The name of its class in TensorFlow.
        count: The number of its component tensors.
    """

    def __init__(self, name: str, count: int) -> None:
        self.name, self.count = name, count

    def __repr__(self) -> str:
        return self.name


# ------------------------------------------------------------------ to messages


def encode(value: Any) -> Any:
    """Returns the ``StructuredValue`` of a value; raises NotEncodableError for other values."""
    proto = message("StructuredValue")()
    kind = type(value)
    if value is None:
        proto.none_value.SetInParent()
    elif isinstance(value, (bool, np.bool_)):
        proto.bool_value = bool(value)
    elif isinstance(value, (int, np.integer)) and not isinstance(value, DType):
        _set_integer(proto, int(value))
    elif isinstance(value, float):
        proto.float64_value = value
    elif isinstance(value, str):
        proto.string_value = value
    elif isinstance(value, TensorShape):
        proto.tensor_shape_value.CopyFrom(shape_proto(value._dims))
    elif isinstance(value, DType):
        proto.tensor_dtype_value = value.as_datatype_enum
    elif isinstance(value, BoundedTensorSpec):
        proto.bounded_tensor_spec_value.CopyFrom(_bounded_spec(value))
    elif isinstance(value, TensorSpec):
        proto.tensor_spec_value.CopyFrom(_tensor_spec(value))
    elif isinstance(value, (TypeSpec, VariableSpec)):
        proto.type_spec_value.CopyFrom(_type_spec(value))
    elif isinstance(value, EagerTensor):
        proto.tensor_value.CopyFrom(make_tensor_proto(value._host(), value.dtype))
    elif isinstance(value, np.ndarray):
        proto.numpy_value.CopyFrom(make_tensor_proto(value))
    elif isinstance(value, tuple) and hasattr(kind, "_fields"):
        _set_named(proto, value)
    elif isinstance(value, (list, tuple)):
        field = proto.list_value if isinstance(value, list) else proto.tuple_value
        field.SetInParent()
        field.values.extend(map(encode, value))
    elif isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        proto.dict_value.SetInParent()
        for key, item in value.items():
            proto.dict_value.fields[key].CopyFrom(encode(item))
    else:
        raise NotEncodableError(f"No encoder for object {value} of type {kind}.")
    return proto


def _set_integer(proto: Any, value: int) -> None:
    if not -(2**63) <= value < 2**63:
        raise NotEncodableError(f"No encoder for object {value} of type {int}.")
    proto.int64_value = value


def _set_named(proto: Any, value: Any) -> None:
    proto.named_tuple_value.name = type(value).__name__
    for key, item in zip(value._fields, value):
        proto.named_tuple_value.values.add(key=key).value.CopyFrom(encode(item))


def _tensor_spec(spec: TensorSpec) -> Any:
    return message("TensorSpecProto")(
        name=spec.name,
        shape=shape_proto(spec.shape._dims),
        dtype=spec.dtype.as_datatype_enum,
    )


def _bounded_spec(spec: BoundedTensorSpec) -> Any:
    return message("BoundedTensorSpecProto")(
        name=spec.name,
        shape=shape_proto(spec.shape._dims),
        dtype=spec.dtype.as_datatype_enum,
        minimum=make_tensor_proto(spec.minimum),
        maximum=make_tensor_proto(spec.maximum),
    )


def _type_spec(spec: Any) -> Any:
    numbers = message("TypeSpecProto").DESCRIPTOR.enum_types_by_name["TypeSpecClass"]
    number = numbers.values_by_name
    fields: Any
    if isinstance(spec, VariableSpec):
        v = spec.variable
        kind, fields = "VARIABLE_SPEC", (v.shape, v.dtype.base_dtype, v.trainable, spec.alias)
        count, name = 1, "VariableSpec"
    else:
        kind = next((k for k, cls in _SPECS.items() if type(spec) is cls), "")
        fields, name = spec._serialize(), type(spec).__name__
        if not kind:
            try:
                name = type_specs.get_name(type(spec))
            except ValueError:
                raise NotEncodableError(
                    f"No encoder for object {spec} of type {type(spec)}."
                ) from None
            names = getattr(spec, "_fields_of", None)
            kind = _REGISTERED if names is None else _EXTENSION
            fields = fields if names is None else tuple(zip(names, fields))
        count = _component_count(spec)
    return message("TypeSpecProto")(
        type_spec_class=number[kind].number,
        type_state=encode(tuple(fields)),
        type_spec_class_name=name,
        num_flat_components=count,
    )


def _component_count(spec: Any) -> int:
    from twinflow._src.composite_tensors.component_specs import component_specs

    return 1 if isinstance(spec, TensorArraySpec) else len(component_specs(spec))


# ------------------------------------------------------------------ from messages


def decode(proto: Any, depth: int = 0) -> Any:
    """Returns the value of a ``StructuredValue``; None where it is empty.

    Raises:
        ValueError: The message is invalid, or nested too deeply.
    """
    kind = proto.WhichOneof("kind")
    if kind is None or kind == "none_value":
        return None
    if depth > _DEPTH:
        raise ValueError(f"A structured value is nested more than {_DEPTH} times.")
    value = getattr(proto, kind)
    if kind in _DECODERS:
        return _DECODERS[kind](value)
    if kind == "type_spec_value":
        return _decode_type_spec(value, depth + 1)
    if kind == "dict_value":
        return {key: decode(value.fields[key], depth + 1) for key in sorted(value.fields)}
    if kind == "named_tuple_value":
        pairs = [(pair.key, decode(pair.value, depth + 1)) for pair in value.values]
        return named_tuple(value.name, tuple(key for key, _ in pairs))(*(v for _, v in pairs))
    items = [decode(item, depth + 1) for item in value.values]
    return items if kind == "list_value" else tuple(items)


@functools.lru_cache(maxsize=256)
def named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """Returns the class of named tuples with a name and fields."""
    return collections.namedtuple(name, fields)


def _decode_tensor_spec(proto: Any) -> TensorSpec:
    return TensorSpec(shape_of(proto.shape), as_dtype(proto.dtype), proto.name or None)


def _decode_bounded_spec(proto: Any) -> BoundedTensorSpec:
    minimum, maximum = (values_of(bound)[0] for bound in (proto.minimum, proto.maximum))
    shape, dtype = shape_of(proto.shape), as_dtype(proto.dtype)
    return BoundedTensorSpec(shape, dtype, minimum, maximum, proto.name or None)


def _decode_type_spec(proto: Any, depth: int) -> Any:
    numbers = message("TypeSpecProto").DESCRIPTOR.enum_types_by_name["TypeSpecClass"]
    entry = numbers.values_by_number.get(proto.type_spec_class)
    kind, state = entry.name if entry is not None else "UNKNOWN", decode(proto.type_state, depth)
    if kind == "VARIABLE_SPEC":
        return _variable_spec(*state)
    registered = type_specs.find(proto.type_spec_class_name)
    if kind == _EXTENSION:
        return _extension_spec(proto.type_spec_class_name, registered, state)
    if kind == _REGISTERED and registered is not None:
        return registered._deserialize(state)
    if kind not in _SPECS:
        return UnknownSpec(proto.type_spec_class_name or kind, proto.num_flat_components)
    try:
        return _SPECS[kind](*state)
    except TypeError as error:
        raise ValueError(
            f"The state {state!r} is not that of a {proto.type_spec_class_name}."
        ) from error


def _extension_spec(name: str, spec_class: Any, fields: Any) -> Any:
    """Returns the spec of an extension type; of an anonymous one if it is not registered."""
    from twinflow._src.wings.extension_types.type import anonymous_spec, spec_from_fields

    if spec_class is None:
        warnings.warn(
            f"The type {name!r} has not been registered. "
            "Falling back to using AnonymousExtensionTypeSpec instead.",
            stacklevel=2,
        )
        spec_class = anonymous_spec(tuple(field for field, _ in fields))
    return spec_from_fields(spec_class, fields)


def _variable_spec(shape: Any, dtype: Any = None, trainable: Any = True, alias: Any = 0) -> Any:
    """Returns the spec of a variable argument, for a variable without a value."""
    variable = uninitialized_variable("Variable", dtype, shape, bool(trainable))
    return VariableSpec(variable, alias or 0)


_DECODERS: dict[str, Any] = {
    "float64_value": float,
    "int64_value": int,
    "string_value": str,
    "bool_value": bool,
    "tensor_shape_value": shape_of,
    "tensor_dtype_value": as_dtype,
    "tensor_spec_value": _decode_tensor_spec,
    "bounded_tensor_spec_value": _decode_bounded_spec,
    "tensor_value": lambda proto: convert_to_tensor(*values_of(proto)),
    "numpy_value": lambda proto: np.array(values_of(proto)[0]),
}


# ------------------------------------------------------------------ variables of files


def variable_from_proto(proto: Any, with_device: bool = False, name: str | None = None) -> Any:
    """Returns the variable of a ``SavedVariable``, without a value."""
    return uninitialized_variable(
        name or proto.name or "Variable",
        proto.dtype,
        shape_of(proto.shape),
        proto.trainable,
        VariableSynchronization(proto.synchronization),
        VariableAggregationV2(proto.aggregation),
        proto.device if with_device else "",
    )


def variable_to_proto(variable: Any, with_device: bool = False) -> Any:
    """Returns the ``SavedVariable`` of a variable."""
    return message("SavedVariable")(
        dtype=variable.dtype.base_dtype.as_datatype_enum,
        shape=shape_proto(variable.shape._dims),
        trainable=bool(variable.trainable),
        synchronization=variable.synchronization.value,
        aggregation=variable.aggregation.value,
        name=variable._shared_name,
        device=variable.device if with_device else "",
    )
