"""``tf.io.decode_proto`` and ``tf.io.encode_proto``: fields of protocol buffers as tensors.

Descriptors come from a file or bytes with a ``FileDescriptorSet``, or from those that are linked in.
Messages are read and written field by field in the wire format, so that only the fields that are
asked for are decoded.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np

from twinflow._src.core.dtypes import (
    DType,
    as_dtype,
    bool_,
    float32,
    float64,
    int32,
    int64,
    string,
    uint32,
    uint64,
)
from twinflow._src.core.errors import DataLossError, invalid
from twinflow._src.core.protos import message
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Kind, Strings, execute, export, op
from twinflow._src.dispatch.registry import OPS
from twinflow._src.io.varints import read_varint, varint

_VARINT, _FIXED64, _BYTES, _START, _END, _FIXED32 = range(6)
_LOCAL, _LITERAL = "local://", "bytes://"


class _Type(NamedTuple):
    """A type of fields.

    Attributes:
        name: Its name in messages.
        wire: The wire type.
        dtypes: The dtypes of its tensors; the first one is that of encoded ones, too.
        decode: Converts a varint, or raw bytes.
        encode: Converts a number, or a string, to bytes.
    """

    name: str
    wire: int
    dtypes: tuple[DType, ...]
    decode: Callable[[Any], Any]
    encode: Callable[[Any], bytes]


def _signed(bits: int) -> Callable[[int], int]:
    half, whole = 1 << (bits - 1), 1 << bits
    return lambda value: ((value + half) % whole) - half


def _unsigned(bits: int) -> Callable[[int], int]:
    return lambda value: value % (1 << bits)


def _unfolded(bits: int) -> Callable[[int], int]:
    narrow = _unsigned(bits)
    return lambda value: (narrow(value) >> 1) ^ -(value & 1)


def _varint(value: int) -> bytes:
    return varint(value % (1 << 64))


def _folded(value: int) -> bytes:
    return _varint(value * 2 if value >= 0 else -2 * value - 1)


def _packed(code: str) -> tuple[Callable[[Any], Any], Callable[[Any], bytes]]:
    form = struct.Struct(f"<{code}")
    return lambda raw: form.unpack(raw)[0], form.pack


def _sized(value: bytes) -> bytes:
    return _varint(len(value)) + value


# By the number of the type in descriptors.
_TYPES = {
    1: _Type("double", _FIXED64, (float64,), *_packed("d")),
    2: _Type("float", _FIXED32, (float32, float64), *_packed("f")),
    3: _Type("int64", _VARINT, (int64,), _signed(64), _varint),
    4: _Type("uint64", _VARINT, (uint64,), _unsigned(64), _varint),
    5: _Type("int32", _VARINT, (int32, int64), _signed(32), _varint),
    6: _Type("fixed64", _FIXED64, (uint64,), *_packed("Q")),
    7: _Type("fixed32", _FIXED32, (uint32, uint64), *_packed("I")),
    8: _Type("bool", _VARINT, (bool_,), bool, _varint),
    9: _Type("string", _BYTES, (string,), bytes, _sized),
    11: _Type("message", _BYTES, (string,), bytes, _sized),
    12: _Type("bytes", _BYTES, (string,), bytes, _sized),
    13: _Type("uint32", _VARINT, (uint32, uint64), _unsigned(32), _varint),
    14: _Type("enum", _VARINT, (int32,), _signed(32), _varint),
    15: _Type("sfixed32", _FIXED32, (int32, int64), *_packed("i")),
    16: _Type("sfixed64", _FIXED64, (int64,), *_packed("q")),
    17: _Type("sint32", _VARINT, (int32, int64), _unfolded(32), _folded),
    18: _Type("sint64", _VARINT, (int64,), _unfolded(64), _folded),
}
# The names in error messages are those of the types in C++.
_CPP = {"fixed64": "uint64", "fixed32": "uint32", "sfixed32": "int32", "sfixed64": "int64"}
_CPP |= {"sint32": "int32", "sint64": "int64", "bytes": "string"}


# ------------------------------------------------------------------ descriptors


def _descriptor(source: str, name: str) -> Any:
    """Returns the descriptor of a message type."""
    if not source or source == _LOCAL:
        from google.protobuf import descriptor_pool

        try:
            return descriptor_pool.Default().FindMessageTypeByName(name)
        except KeyError:
            return _own_descriptor(name)
    try:
        if source.startswith(_LITERAL):
            data = source[len(_LITERAL) :].encode("utf-8", "surrogateescape")
        else:
            with open(source, "rb") as file:
                data = file.read()
        pool = _pool(data)
    except Exception as error:  # protobuf's DecodeError is of another class in some versions
        raise invalid(
            "Source does not represent serialized file descriptor set proto. This may be due to a "
            "missing dependency on the file containing REGISTER_DESCRIPTOR_POOL"
            f'("{source}", ...);'
        ) from error
    try:
        return pool.FindMessageTypeByName(name)
    except KeyError:
        raise _unknown(name) from None


@functools.lru_cache(maxsize=16)
def _pool(data: bytes) -> Any:
    """Returns the pool of the descriptors in a serialized ``FileDescriptorSet``."""
    from google.protobuf import descriptor_pb2, descriptor_pool

    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
        pool.Add(file)
    return pool


def _own_descriptor(name: str) -> Any:
    package, _, short = name.rpartition(".")
    if package == "tensorflow":
        with contextlib.suppress(KeyError):
            return message(short).DESCRIPTOR
    raise _unknown(name)


def _unknown(name: str) -> Exception:
    return invalid(f"No descriptor found for message type {name}")


def _fields(descriptor: Any, names: Sequence[str]) -> list[Any]:
    fields = []
    for name in names:
        if name not in descriptor.fields_by_name:
            raise invalid(f"Unknown field: {name} in message type {descriptor.full_name}")
        fields.append(descriptor.fields_by_name[name])
    return fields


# ------------------------------------------------------------------ the wire format


_MALFORMED = (IndexError, ValueError)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value, at = read_varint(data, at)
    return value % (1 << 64), at


def _read_value(data: bytes, at: int, wire: int) -> tuple[Any, int]:
    """Returns a varint or raw bytes, and the position behind them; raises one of ``_MALFORMED``."""
    if wire == _VARINT:
        return _read_varint(data, at)
    if wire == _BYTES:
        size, at = _read_varint(data, at)
    elif wire in (_FIXED32, _FIXED64):
        size = 4 if wire == _FIXED32 else 8
    else:
        raise IndexError("a group")
    if at + size > len(data):
        raise IndexError("the end of the data")
    return data[at : at + size], at + size


def _entries(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """Yields the number, the wire type and the value of each field of a message."""
    at = 0
    while at < len(data):
        try:
            tag, at = _read_varint(data, at)
            if not tag >> 3:
                raise IndexError("field number 0")
        except _MALFORMED:
            raise DataLossError(
                None, None, "CountFields: Failed to consume entire buffer"
            ) from None
        try:
            value, at = _read_value(data, at, tag & 7)
        except _MALFORMED:
            raise DataLossError(
                None, None, "ReadValue: Failed skipping field when counting"
            ) from None
        yield tag >> 3, tag & 7, value


def _elements(kind: _Type, wire: int, value: Any) -> list[Any]:
    """Returns the elements of an entry: one, or those of a packed field; none of another type."""
    if wire == kind.wire:
        return [kind.decode(value)]
    if wire != _BYTES or kind.wire == _BYTES:
        return []
    result, at = [], 0
    try:
        while at < len(value):
            part, at = _read_value(value, at, kind.wire)
            result.append(kind.decode(part))
    except _MALFORMED:
        raise DataLossError(None, None, "ReadPackedValue: Failed reading value") from None
    return result


# ------------------------------------------------------------------ decode


def _decoded_shapes(data: Any, *, field_names: Any, **attrs: Any) -> Any:
    """Returns the shapes of the results."""
    if data is None:
        return [None] * (len(field_names) + 1)
    return [(*data, len(field_names)), *[(*data, None)] * len(field_names)]


def _decoded(node: Any) -> Any:
    """Returns the dtypes and shapes of the results of a graph node."""
    types = [int32, *map(as_dtype, node.attrs["output_types"])]
    return types, _decoded_shapes(node.arguments[0]._dims, **node.attrs), False


@op(
    "DecodeProtoV2",
    devices=("CPU",),
    shape=_decoded_shapes,
    infer=_decoded,
    no_gradient=True,
)
def decode_proto_v2(
    xp: Any,
    bytes: Strings,
    *,
    message_type: str,
    field_names: Any,
    output_types: Any,
    descriptor_source: str = _LOCAL,
    message_format: str = "binary",
    sanitize: bool = False,
) -> Any:
    """Decodes fields of serialized protocol buffers."""
    if len(field_names) != len(output_types):
        raise invalid("field_names and output_types attributes must have the same length")
    if message_format not in ("binary", "text"):
        raise invalid("format must be one of binary or text")
    descriptor = _descriptor(descriptor_source, message_type)
    fields = _fields(descriptor, field_names)
    dtypes = [as_dtype(each) for each in output_types]
    for field, dtype in zip(fields, dtypes):
        kind = _TYPES.get(field.type)
        if kind is None or dtype not in kind.dtypes:
            name = "group" if kind is None else _CPP.get(kind.name, kind.name)
            raise invalid(
                f"Unexpected output type for {field.full_name}: {name} to DT_{dtype.cname.upper()}"
            )
    if not bytes.size:
        raise invalid("Bufs argument must contain at least one value")
    is_binary = message_format == "binary"
    rows = [
        _row(data if is_binary and not sanitize else _normal(data, descriptor, is_binary), fields)
        for data in bytes.reshape(-1).tolist()
    ]
    sizes = np.array([[len(values) for values in row] for row in rows], np.int32)
    sizes = sizes.reshape(*bytes.shape, len(fields))
    columns = [
        _column([row[i] for row in rows], field, dtype, bytes.shape)
        for i, (field, dtype) in enumerate(zip(fields, dtypes))
    ]
    return [sizes, *columns]


def _normal(data: bytes, descriptor: Any, is_binary: bool) -> bytes:
    """Returns a message in the wire format, without unknown fields."""
    from google.protobuf import message_factory, text_format

    value = message_factory.GetMessageClass(descriptor)()
    try:
        if is_binary:
            value.ParseFromString(data)
        else:
            text_format.Parse(data, value)
    except Exception as error:  # protobuf's DecodeError is of another class in some versions
        kind = "binary" if is_binary else "text"
        raise DataLossError(None, None, f"Unable to parse {kind} protobuf") from error
    value.DiscardUnknownFields()
    result: bytes = value.SerializeToString()
    return result


def _row(data: bytes, fields: Sequence[Any]) -> list[list[Any]]:
    """Returns the values of each field of a message; the last one of a field that is not repeated."""
    by_number: dict[int, list[Any]] = {}
    first = {field.number: field for field in reversed(fields)}
    for number, wire, value in _entries(data):
        field = first.get(number)
        if field is not None:
            by_number.setdefault(number, []).extend(_elements(_TYPES[field.type], wire, value))
    row = []
    for i, field in enumerate(fields):
        is_first = all(other.number != field.number for other in fields[:i])
        values = by_number.get(field.number, []) if is_first else []
        row.append(values if _is_repeated(field) else values[-1:])
    return row


def _is_repeated(field: Any) -> bool:
    value = getattr(field, "is_repeated", None)
    return bool(value) if value is not None else field.label == 3


def _column(rows: list[list[Any]], field: Any, dtype: DType, shape: tuple[int, ...]) -> Any:
    """Returns the values of a field as an array, padded with its default value."""
    width = max(1, *map(len, rows))
    blank: Any = b"" if dtype is string else 0
    if not _is_repeated(field) and field.type != 11:
        value = field.default_value
        blank = value.encode() if isinstance(value, str) else value
    result = np.full((len(rows), width), blank, dtype.np)
    for i, values in enumerate(rows):
        result[i, : len(values)] = values
    return result.reshape(*shape, width)


DecodeProtoV2 = collections.namedtuple("DecodeProtoV2", "sizes values")


@export("io.decode_proto")
def decode_proto(
    bytes: Any,
    message_type: str,
    field_names: Any,
    output_types: Any,
    descriptor_source: Any = _LOCAL,
    message_format: str = "binary",
    sanitize: bool = False,
    name: str | None = None,
) -> Any:
    """Decodes fields of serialized protocol buffers.

    Args:
        bytes: A tensor of serialized messages, of any shape.
        message_type: The full name of the message type.
        field_names: The names of the fields.
        output_types: The dtype of each field: that of the field, or a wider one; strings for
            messages, which are not decoded.
        descriptor_source: ``"local://"`` for types that are linked in, the path of a file with a
            serialized ``FileDescriptorSet``, or ``b"bytes://"`` and such a set.
        message_format: ``"binary"`` or ``"text"``.
        sanitize: If True, unknown fields are dropped first.

    Returns:
        A named tuple: ``sizes``, the number of values of each field, int32 of shape
        ``bytes.shape + [fields]``; and ``values``, a list with the values of each field, padded with
        default values, of shape ``bytes.shape + [most values]``.

    Raises:
        InvalidArgumentError: The type or a field is unknown, or a dtype does not fit.
        DataLossError: A message is damaged.
        ImportError: The package protobuf is not installed.
    """
    attrs = {
        "message_type": message_type,
        "field_names": tuple(field_names),
        "output_types": tuple(as_dtype(each) for each in output_types),
        "descriptor_source": _source(descriptor_source),
        "message_format": message_format,
        "sanitize": sanitize,
        "name": name,
    }
    sizes, *values = execute(OPS["DecodeProtoV2"], [bytes], attrs)
    return DecodeProtoV2(sizes, values)


def _source(value: Any) -> str:
    """Returns a source as a string, in which bytes that are no UTF-8 are surrogates."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)


# ------------------------------------------------------------------ encode


_Sizes = Annotated[Any, Kind("int32", only=int32)]
_Values = Annotated[Any, Kind("Tinput_types", many=True, mixed=True)]


def _encoded_shape(sizes: Any, *values: Any, **attrs: Any) -> Any:
    """Returns the shape of the result."""
    return None if sizes is None else tuple(sizes[:-1])


def _encoded(node: Any) -> Any:
    """Returns the dtype and the shape of the result of a graph node."""
    return [string], [_encoded_shape(node.arguments[0]._dims)], True


@op("EncodeProto", devices=("CPU",), shape=_encoded_shape, infer=_encoded, no_gradient=True)
def encode_proto_op(
    xp: Any,
    sizes: _Sizes,
    values: _Values,
    *,
    field_names: Any,
    message_type: str,
    descriptor_source: str = _LOCAL,
) -> Any:
    """Encodes tensors as fields of serialized protocol buffers."""
    descriptor = _descriptor(descriptor_source, message_type)
    fields = _fields(descriptor, field_names)
    if len(values) != len(fields):
        raise invalid("Length of inputs list must match field_names")
    for field, array in zip(fields, values):
        if array.ndim < 2:
            raise invalid(
                f"Invalid shape for field {field.name}.  Saw shape {text(array.shape)} but it should "
                "be at least a matrix."
            )
    batch = values[0].shape[:-1]
    if any(array.shape[:-1] != batch for array in values):
        raise invalid("Values must match up to the last dimension")
    if sizes.shape != (*batch, len(fields)):
        raise invalid(
            "sizes should be batch_size + [len(field_names)].  Saw: "
            f"{text(sizes.shape)} but expected: {text((*batch, len(fields)))}"
        )
    for field, array in zip(fields, values):
        _check_input(field, as_dtype("string" if array.dtype == object else array.dtype))
    count = int(np.prod(batch, dtype=np.int64))
    result = np.empty(count, object)
    rows, counts = [a.reshape(count, -1) for a in values], sizes.reshape(count, -1)
    order = sorted(range(len(fields)), key=lambda i: fields[i].number)
    for row in range(count):
        parts = []
        for i in order:
            size = int(counts[row, i])
            if size > rows[i].shape[1]:
                raise invalid(
                    "Size to write must not be larger than value tensor; but saw: "
                    f"{size} > {rows[i].shape[1]} at message {row} field {i}"
                )
            parts.append(_written(fields[i], rows[i][row, : max(size, 0)].tolist()))
        result[row] = b"".join(parts)
    return result.reshape(batch)


def _check_input(field: Any, dtype: DType) -> None:
    """Raises InvalidArgumentError for values whose dtype is neither that of a field nor its wide one."""
    kind = _TYPES.get(field.type)
    wide = () if kind is None or kind.name == "float" else kind.dtypes
    if kind is None or dtype not in (*wide, kind.dtypes[0]):
        name = "group" if kind is None else _CPP.get(kind.name, kind.name)
        saw = {float32: "float", float64: "double"}.get(dtype, dtype.name)
        raise invalid(
            f"Incompatible type for field {field.name}.  Saw dtype: {saw} but field type is: {name}"
        )


def _is_packed(field: Any) -> bool:
    """True if the values of a field are written together; older releases do not tell."""
    value = getattr(field, "is_packed", None)
    if value is not None:
        return bool(value)
    options = field.GetOptions()
    if options.HasField("packed"):
        return bool(options.packed)
    from google.protobuf import descriptor_pb2

    file = descriptor_pb2.FileDescriptorProto()
    field.file.CopyToProto(file)
    is_number = _TYPES[field.type].wire != _BYTES
    return is_number and _is_repeated(field) and file.syntax == "proto3"


def _written(field: Any, values: list[Any]) -> bytes:
    """Returns values of a field in the wire format."""
    kind = _TYPES[field.type]
    if values and _is_packed(field):
        data = b"".join(map(kind.encode, values))
        return _varint(field.number << 3 | _BYTES) + _sized(data)
    tag = _varint(field.number << 3 | kind.wire)
    return b"".join([tag + kind.encode(value) for value in values])


@export("io.encode_proto")
def encode_proto(
    sizes: Any,
    values: Any,
    field_names: Any,
    message_type: str,
    descriptor_source: Any = _LOCAL,
    name: str | None = None,
) -> Any:
    """Encodes tensors as fields of serialized protocol buffers.

    Args:
        sizes: The number of values of each field, of shape ``batch + [fields]``.
        values: A list with the values of each field, of shape ``batch + [most values]``.
        field_names: The names of the fields.
        message_type: The full name of the message type.
        descriptor_source: The source of the message type, as for ``tf.io.decode_proto``.

    Returns:
        The messages, strings of the shape of the batch, with their fields in the order of numbers.

    Raises:
        InvalidArgumentError: The type or a field is unknown, or a dtype or a shape does not fit.
        ImportError: The package protobuf is not installed.
    """
    attrs = {
        "field_names": tuple(field_names),
        "message_type": message_type,
        "descriptor_source": _source(descriptor_source),
        "name": name,
    }
    return execute(OPS["EncodeProto"], [sizes, tuple(values)], attrs)
