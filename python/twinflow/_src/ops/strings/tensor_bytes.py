"""Tensors as strings, in the form that TensorFlow's files have."""

from __future__ import annotations

import base64
from typing import Any

from twinflow._src.conversion.constant import dense
from twinflow._src.core.allocation import repeats_one, written_out
from twinflow._src.core.context import runtime
from twinflow._src.core.dtypes import string
from twinflow._src.core.errors import invalid
from twinflow._src.core.protos import message, needed
from twinflow._src.core.shapes import scalar, text
from twinflow._src.dispatch.op import Strings, Type, export, op
from twinflow._src.graph_serialization.tensor_proto import content_proto, values_of
from twinflow._src.ops.strings.text import _each

_HOST = ("CPU",)


@op("SerializeTensor", shape=scalar, devices=_HOST, out=string, no_gradient=True)
def _serialize_tensor(xp: Any, tensor: Any, *, T: Type) -> Any:
    """Returns a tensor as a string.

    Args:
        tensor: A tensor.
        T: The type of its elements.

    Returns:
        A string: the tensor as a protocol buffer.
    """
    return content_proto(tensor, T).SerializeToString()


@export("io.serialize_tensor")
def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """Returns a tensor as a string, which ``tf.io.parse_tensor`` makes a tensor of again.

    Args:
        tensor: A tensor.
        name: A name for the operation.

    Returns:
        A string: a protocol buffer ``TensorProto``.

    Raises:
        ImportError: The package protobuf is not installed.
    """
    x = dense(tensor)
    return _serialize_tensor(x, T=x.dtype, name=name)


@op("ParseTensor", api="io.parse_tensor", out="out_type", devices=_HOST, no_gradient=True)
def parse_tensor(xp: Any, serialized: Strings, *, out_type: Type) -> Any:
    """Returns the tensor that a string holds.

    Args:
        serialized: A string: a protocol buffer ``TensorProto``.
        out_type: The type of the tensor's elements.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The string is no such thing, or its elements have another type.
        ImportError: The package protobuf is not installed.
    """
    if serialized.ndim:
        raise invalid(f"Expected `serialized` to be a scalar, got shape: {text(serialized.shape)}")
    data = serialized[()]
    try:
        proto = message("TensorProto").FromString(data)
    except needed("google.protobuf.message", "protobuf").DecodeError:
        encoded = base64.b64encode(data).decode()
        raise invalid(f"Could not parse `serialized` as TensorProto, base64: {encoded}") from None
    try:
        array, dtype = values_of(proto)
    except (TypeError, LookupError, ValueError):
        raise invalid(f"Cannot parse tensor from proto: {proto}") from None
    if dtype is not out_type:
        raise invalid(
            f"Type mismatch between parsed tensor ({dtype.cname}) and dtype ({out_type.cname})"
        )
    return written_out(array, dtype, runtime.host.name) if repeats_one(array) else array


@op(
    "DecodeJSONExample",
    api="io.decode_json_example",
    shape=lambda x: x,
    devices=_HOST,
    no_gradient=True,
)
def decode_json_example(xp: Any, json_examples: Strings) -> Any:
    """Returns examples written in JSON as the strings that ``tf.io.parse_example`` reads.

    Args:
        json_examples: A tensor of strings.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: A string is not an example in JSON.
        ImportError: The package protobuf is not installed.
    """
    json_format = needed("google.protobuf.json_format", "protobuf")

    def converted(source: bytes) -> bytes:
        try:
            return json_format.Parse(source, message("Example")()).SerializeToString()
        except json_format.ParseError as error:
            raise invalid(f"Error while parsing JSON: {error}") from None

    return _each(converted, json_examples)
