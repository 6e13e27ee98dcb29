"""Encoding of strings: base64, raw numbers, compression, and protocol buffers."""

from __future__ import annotations

import base64
import re
import zlib
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import dense
from twinflow._src.core.context import runtime
from twinflow._src.core.devices import repeats_one, written_out
from twinflow._src.core.dtypes import bool_, int32, string
from twinflow._src.core.errors import DataLossError, UnimplementedError, invalid
from twinflow._src.core.protos import message, needed
from twinflow._src.core.shapes import same, scalar, text
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.attributes import convert_attributes
from twinflow._src.dispatch.op import Kind, Strings, Type, documented_like, export, op
from twinflow._src.graph_serialization.tensor_proto import content_proto, values_of
from twinflow._src.ops.strings.text import _each

_HOST = ("CPU",)
_Length = Annotated[Any, Kind("fixed_length", only=int32, default=int32, host=True)]


@op("EncodeBase64", api="io.encode_base64", shape=same, devices=_HOST, no_gradient=True, flat=True)
def encode_base64(xp: Any, input: Strings, *, pad: bool = False) -> Any:
    """Encodes strings in web-safe base64.

    Args:
        input: A tensor of strings.
        pad: If True, pads the encoding with ``=``.
    """
    encode = base64.urlsafe_b64encode
    return _each(encode if pad else lambda s: encode(s).rstrip(b"="), input)


_BASE64 = re.compile(rb"[A-Za-z0-9_-]*")


def _decoded(encoded: bytes) -> bytes:
    cut = (len(encoded) - 1) // 4 * 4 if encoded else 0
    body, tail = encoded[:cut], encoded[cut:]
    if len(tail) == 4:  # only a complete group can have padding
        tail = tail[:2] if tail.endswith(b"==") else tail.removesuffix(b"=")
    if not _BASE64.fullmatch(body) or not (len(tail) == 1 or _BASE64.fullmatch(tail)):
        raise invalid("Invalid character found in base64.")
    if len(tail) == 1:
        raise invalid("Base64 string length cannot be 1 modulo 4.")
    return base64.urlsafe_b64decode(body + tail + b"=" * (-len(tail) % 4))


@op("DecodeBase64", api="io.decode_base64", shape=same, devices=_HOST, no_gradient=True, flat=True)
def decode_base64(xp: Any, input: Strings) -> Any:
    """Decodes strings in web-safe base64.

    Args:
        input: A tensor of strings, with or without padding.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: A string is not valid base64.
    """
    return _each(_decoded, input)


# ------------------------------------------------------------------ raw numbers


def _numbers(data: bytes, dtype: Any, little_endian: bool) -> Any:
    """Reinterprets bytes as numbers of a dtype and byte order."""
    if dtype is bool_:
        return np.frombuffer(data, np.uint8) != 0
    if little_endian or dtype.size == 1:
        return np.frombuffer(data, dtype.np)
    # The bytes of real and imaginary part are swapped separately.
    word = dtype.size // 2 if dtype.kind == "c" else dtype.size
    swapped = np.frombuffer(data, np.uint8).reshape(-1, word)[:, ::-1]
    return np.frombuffer(swapped.tobytes(), dtype.np)


def _raw_shape(input: Any, **_: Any) -> Any:
    return None if input is None else (*input, None)


@op("DecodeRaw", out="out_type", shape=_raw_shape, devices=_HOST, no_gradient=True)
def _decode_raw(xp: Any, bytes: Strings, *, out_type: Type, little_endian: bool = True) -> Any:
    """Reinterprets the bytes of strings as numbers."""
    items = bytes.ravel().tolist()
    size = len(items[0]) if items else 0
    for item in items:
        if len(item) != size:
            raise invalid(
                "DecodeRaw requires input strings to all be the same size, "
                f"but element 1 has size {size} != {len(item)}"
            )
    if size % out_type.size:
        raise invalid(
            f"Input to DecodeRaw has length {size} that is not a multiple of {out_type.size}, "
            f"the size of {out_type.cname}"
        )
    numbers = _numbers(b"".join(items), out_type, little_endian).copy()
    return numbers.reshape(*bytes.shape, size // out_type.size)


def _padded_shape(input: Any, length: Any, *, out_type: Any, **_: Any) -> Any:
    is_static = isinstance(length, np.ndarray) and length.ndim == 0
    return None if input is None else (*input, int(length) // out_type.size if is_static else None)


@op("DecodePaddedRaw", out="out_type", shape=_padded_shape, devices=_HOST, no_gradient=True)
def _decode_padded_raw(
    xp: Any,
    input_bytes: Strings,
    fixed_length: _Length,
    *,
    out_type: Type,
    little_endian: bool = True,
) -> Any:
    """Reinterprets the bytes of strings as numbers, after padding or truncation to a fixed length."""
    if fixed_length.ndim:
        raise invalid(f"k must be scalar, got shape {text(fixed_length.shape)}")
    length = int(fixed_length)
    if length <= 0:
        raise invalid(f"fixed_length ({length}) must be greater than zero.")
    if length % out_type.size:
        raise invalid(
            f"fixed_length ({length}) must be a multiple of the size of out_type ({out_type.size})"
        )
    data = b"".join(item[:length].ljust(length, b"\0") for item in input_bytes.ravel())
    numbers = _numbers(data, out_type, little_endian).copy()
    return numbers.reshape(*input_bytes.shape, length // out_type.size)


@export("io.decode_raw")
def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: bool = True,
    fixed_length: Any = None,
    name: str | None = None,
) -> Any:
    """Reinterprets the bytes of strings as numbers.

    Args:
        input_bytes: A tensor of strings; of one length if ``fixed_length`` is None.
        out_type: The dtype of the numbers.
        little_endian: If True, the bytes are in little-endian order.
        fixed_length: The length in bytes to which strings are truncated or zero-padded, or None.

    Returns:
        A tensor with one dimension more.

    Raises:
        InvalidArgumentError: The length is not a multiple of the element size, or the dtype is not
            supported.
    """
    function = _decode_raw if fixed_length is None else _decode_padded_raw
    lengths = () if fixed_length is None else (fixed_length,)
    options = {"out_type": out_type, "little_endian": little_endian, "name": name}
    (options["out_type"],) = convert_attributes(function.op.type, out_type=out_type)
    opdefs.check_attr(function.op.type, "out_type", options["out_type"])
    return function(input_bytes, *lengths, **options)


# ------------------------------------------------------------------ compression


_WINDOWS = {"ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS | 16}


def inflate(data: bytes, compression: str) -> bytes:
    """Decompresses a byte string."""
    try:
        return zlib.decompressobj(_WINDOWS[compression]).decompress(data)
    except zlib.error as error:
        raise DataLossError(None, None, inflate_message(error)) from None


def inflate_message(error: Exception) -> str:
    """Returns TensorFlow's error message for an error of zlib."""
    match = re.search(r"Error (-?\d+) .*?: (.*)", str(error))
    return f"inflate() failed with error {match[1]}: {match[2]}" if match else str(error)


@op("DecodeCompressed", api="io.decode_compressed", shape=same, devices=_HOST, no_gradient=True)
def decode_compressed(xp: Any, bytes: Strings, *, compression_type: str = "") -> Any:
    """Decompresses strings.

    Args:
        bytes: A tensor of strings.
        compression_type: ``""``, ``"ZLIB"`` or ``"GZIP"``.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: The compression type is unknown.
        DataLossError: A string is corrupted.
    """
    if compression_type == "ZSTD":
        raise UnimplementedError(None, None, "ZSTD compression is not supported.")
    if compression_type not in ("", *_WINDOWS):
        raise invalid("Only ZLIB, ZSTD, GZIP or NONE are supported compressions")
    if not compression_type:
        return bytes.copy()
    return _each(lambda s: inflate(s, compression_type), bytes)


# ------------------------------------------------------------------ protocol buffers


@op("SerializeTensor", shape=scalar, devices=_HOST, out=string, no_gradient=True)
def _serialize_tensor(xp: Any, tensor: Any, *, T: Type) -> Any:
    """Serializes a tensor to a string."""
    return content_proto(tensor, T).SerializeToString()


@export("io.serialize_tensor")
def serialize_tensor(tensor: Any, name: str | None = None) -> Any:
    """Serializes a tensor to a string, the inverse of ``tf.io.parse_tensor``.

    Args:
        tensor: A tensor.

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
@documented_like(encode_base64)
def decode_json_example(xp: Any, json_examples: Strings) -> Any:
    """Converts JSON-encoded ``Example`` messages to the binary format of ``tf.io.parse_example``.

    Args:
        json_examples: A tensor of strings.

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
