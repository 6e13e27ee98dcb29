"""Serialization of tensors and examples as protocol buffers."""

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
    """Serializes a tensor to a string.

    Args:
        tensor: A tensor.
        T: Its dtype.

    Returns:
        A string: a serialized ``TensorProto``.
    """
    return content_proto(tensor, T).SerializeToString()


@export("io.serialize_tensor")
def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """Serializes a tensor to a string, the inverse of ``tf.io.parse_tensor``.

    Args:
        tensor: A tensor.
        name: A name for the operation.

    Returns:
        A string: a serialized ``TensorProto``.

    Raises:
        ImportError: The package protobuf is not installed.
    """
    x = dense(tensor)
    return _serialize_tensor(x, T=x.dtype, name=name)


@op("ParseTensor", api="io.parse_tensor", out="out_type", devices=_HOST, no_gradient=True)
def parse_tensor(xp: Any, serialized: Strings, *, out_type: Type) -> Any:
    """Parses a tensor from a serialized ``TensorProto``.

    Args:
        serialized: A string: a serialized ``TensorProto``.
        out_type: The dtype of the tensor.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The string is not a ``TensorProto``, or its dtype differs.
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
    """Converts JSON-encoded ``Example`` messages to the binary format of ``tf.io.parse_example``.

    Args:
        json_examples: A tensor of strings.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: A string is not a JSON-encoded ``Example``.
        ImportError: The package protobuf is not installed.
    """
    json_format = needed("google.protobuf.json_format", "protobuf")

    def converted(source: bytes) -> bytes:
        try:
            return json_format.Parse(source, message("Example")()).SerializeToString()
        except json_format.ParseError as error:
            raise invalid(f"Error while parsing JSON: {error}") from None

    return _each(converted, json_examples)
