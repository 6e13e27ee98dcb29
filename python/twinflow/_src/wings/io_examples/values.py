"""Values of the features of examples, decoded from their serialized form for a whole batch at once.

A feature on the wire is the tag of its list, the size of the list, the tag of the values, their size
and the values, packed; a list of one string is alike. So the header follows from the size of the
feature, and the values of a batch are one buffer. Features in any other form are parsed as messages
and serialized anew.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.core.dtypes import DType, float32, int64, string
from twinflow._src.core.errors import OpError, invalid
from twinflow._src.core.protos import message, messages_of, needed
from twinflow._src.core.shapes import text
from twinflow._src.io.varints import varint
from twinflow._src.numerics.object_arrays import object_array

# The three list types of a feature, with their dtypes and names in error messages.
_LISTS: dict[str, tuple[DType, str]] = {
    "bytes_list": (string, "bytes"),
    "float_list": (float32, "float"),
    "int64_list": (int64, "int64"),
}
# Integers of less bytes than this are decoded one by one.
_FEW_BYTES = 64
_TAGS = {dtype: bytes([number << 3 | 2]) for number, (dtype, _) in enumerate(_LISTS.values(), 1)}


class Column(NamedTuple):
    """The values of a feature in several examples.

    Attributes:
        values: The values of all examples, a vector.
        counts: The number of values in each example, a vector of int64.
        is_missing: True for each example without the feature, a vector; None if there is none.
    """

    values: Any
    counts: Any
    is_missing: Any


class WrongType(Exception):
    """A feature of another dtype.

    Args:
        row: The index of its example.
        dtype: Its dtype.
    """

    def __init__(self, row: int, dtype: DType) -> None:
        super().__init__()
        self.row, self.dtype = row, dtype


@functools.cache
def _raw_message(kind: str) -> Any:
    """Returns the message class of a kind whose features are serialized."""
    return messages_of("wings/io_examples/raw_examples.proto", "twinflow.raw")(kind)


def parse_messages(kind: str, data: list[bytes], otherwise: Callable[[int], OpError]) -> list[Any]:
    """Parses serialized messages of a kind but for their features.

    Raises ``otherwise(row)`` for the first that is invalid.
    """
    parse, damage = _raw_message(kind).FromString, _damage()
    try:
        return [parse(each) for each in data]
    except damage:
        for row, each in enumerate(data):
            try:
                parse(each)
            except damage:
                raise otherwise(row) from None
        raise


def _damage() -> Any:
    """Returns the class of protobuf's errors about invalid messages."""
    return needed("google.protobuf.message", "protobuf").DecodeError


def list_field(dtype: DType) -> tuple[str, str]:
    """Returns the list field of a dtype, and the dtype's name in error messages."""
    return next((kind, name) for kind, (list_dtype, name) in _LISTS.items() if list_dtype is dtype)


# Decoding.


def decode_column(
    features: Iterable[bytes | None], dtype: DType, otherwise: Callable[[int], OpError]
) -> Column:
    """Decodes a feature of several examples, None or empty where it is missing.

    Raises ``otherwise(row)`` for a feature that is no message, WrongType for one of another dtype.
    """
    data = [feature or b"" for feature in features]
    headers = {size: _header(dtype, size) for size in set(map(len, data))}
    payloads: list[Any] = [feature.removeprefix(headers[len(feature)]) for feature in data]
    missing = []
    for row, (payload, feature) in enumerate(zip(payloads, data)):
        if payload is feature:  # another form, or none
            other = _unusual(row, feature, dtype, otherwise) if feature else None
            if other is None:
                missing.append(row)
                other = [] if dtype is string else b""
            payloads[row] = other
    decode: Callable[..., tuple[Any, Any]]
    decode = _strings if dtype is string else _floats if dtype is float32 else _integers
    values, counts = decode(payloads, otherwise)
    if not missing:
        return Column(values, counts, None)
    is_missing = np.zeros(len(payloads), bool)
    is_missing[missing] = True
    return Column(values, counts, is_missing)


@functools.lru_cache(1024)
def _header(dtype: DType, size: int) -> bytes:
    """Returns the header of a feature of a size in its usual form; what is too long to be one if it has none."""
    none = bytes(size + 1)
    if size == 2 and dtype is not string:
        return _TAGS[dtype] + b"\0"
    outer = _prefix(_TAGS[dtype], size)
    inner = None if outer is None else _prefix(b"\x0a", size - len(outer))
    if outer is None or inner is None:
        return none
    count = size - len(outer) - len(inner)
    is_usual = dtype is string or (count > 0 and (count % 4 == 0 or dtype is int64))
    return outer + inner if is_usual else none


def _prefix(tag: bytes, size: int) -> bytes | None:
    """Returns the tag and the length of a field of a size, which includes them."""
    for width in range(1, 6):
        length = varint(max(size - 1 - width, 0))
        if len(length) == width and size > width:
            return tag + length
    return None


def _unusual(row: int, feature: bytes, dtype: DType, otherwise: Callable[[int], OpError]) -> Any:
    """Returns the values of a feature in any form: packed, or a list of strings; None for no list."""
    try:
        parsed = message("Feature").FromString(feature)
    except _damage():
        raise otherwise(row) from None
    kind = parsed.WhichOneof("kind")
    if kind is None:
        return None
    if _LISTS[kind][0] is not dtype:
        raise WrongType(row, _LISTS[kind][0])
    values = getattr(parsed, kind).value
    if dtype is string:
        return list(values)
    if dtype is float32:
        return np.array(values, "<f4").tobytes()
    return b"".join(varint(value & (1 << 64) - 1) for value in values)


def _strings(payloads: list[Any], otherwise: Any) -> tuple[Any, Any]:
    """Returns the strings of payloads, which are one string or a list of them, and their numbers."""
    counts = [1 if type(payload) is bytes else len(payload) for payload in payloads]
    if list in set(map(type, payloads)):
        rows = [[payload] if type(payload) is bytes else payload for payload in payloads]
        payloads = [value for row in rows for value in row]
    return object_array(payloads), np.array(counts, np.int64)


def _floats(payloads: list[bytes], otherwise: Any) -> tuple[Any, Any]:
    """Returns the floats of packed ones, and their numbers."""
    values = np.frombuffer(bytearray().join(payloads), "<f4").astype(np.float32, copy=False)
    return values, np.array([len(payload) >> 2 for payload in payloads], np.int64)


def _integers(payloads: list[bytes], otherwise: Callable[[int], OpError]) -> tuple[Any, Any]:
    """Returns the integers of packed varints, and their numbers."""
    joined = b"".join(payloads)
    if len(joined) <= _FEW_BYTES:
        rows = [_few_integers(row, payload, otherwise) for row, payload in enumerate(payloads)]
        counts = np.array([len(row) for row in rows], np.int64)
        return np.array([value for row in rows for value in row], np.int64), counts
    sizes = np.array([len(payload) for payload in payloads], np.int64)
    data = np.frombuffer(joined, np.uint8)
    (ends,) = (data < 128).nonzero()
    if len(ends) == len(data):
        return data.astype(np.int64), sizes
    stops = sizes.cumsum()
    (torn,) = ((sizes > 0) & (data[stops - 1] > 127)).nonzero()
    starts = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
    lengths = ends - starts + 1
    if len(torn) or lengths.max() > 10:
        wrong = torn[0] if len(torn) else np.searchsorted(stops, starts[lengths.argmax()], "right")
        raise otherwise(int(wrong))
    values = (data[starts] & 127).astype(np.uint64)
    for k in range(1, int(lengths.max())):
        (longer,) = (lengths > k).nonzero()
        more = (data[starts[longer] + k] & 127).astype(np.uint64)
        values[longer] |= more << np.uint64(7 * k)
    return values.view(np.int64), np.diff(np.searchsorted(ends, stops), prepend=0)


def _few_integers(row: int, payload: bytes, otherwise: Callable[[int], OpError]) -> list[int]:
    """Returns the integers of packed varints, one after the other."""
    values, number, shift = [], 0, 0
    for byte in payload:
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            number &= (1 << 64) - 1
            values.append(number - (1 << 64) if number >> 63 else number)
            number = shift = 0
        elif shift == 70:
            raise otherwise(row)
    if shift:
        raise otherwise(row)
    return values


# Arrangement of the values of several examples.


def sparse(column: Column, single: bool) -> tuple[Any, Any, Any]:
    """Returns the indices, values and shape of a sparse matrix with a row for each example.

    With ``single`` it is a vector, that of the only example.
    """
    values, counts, _ = column
    if single:
        count = len(values)
        return np.arange(count).reshape(count, 1), values, np.array([count], np.int64)
    rows = len(counts)
    indices = np.empty((len(values), 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(rows), counts)
    indices[:, 1] = positions(counts)
    width = counts.max() if rows else 0
    return indices, values, np.array([rows, width], np.int64)


def fill(column: Column, count: int, default: Any) -> Any:
    """Returns a matrix of the values of examples, ``count`` of each, with a default for missing ones."""
    values, counts, is_missing = column
    if is_missing is None or not count:
        return values.reshape(len(counts), count)
    result = np.empty((len(counts), count), values.dtype)
    result[~is_missing] = values.reshape(-1, count)
    result[is_missing] = default.reshape(-1)
    return result


def positions(counts: Any) -> Any:
    """Returns the index of each value within its row."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)


def splits(counts: Any, dtype: DType) -> Any:
    """Returns the row splits of rows of some lengths."""
    result = np.zeros(len(counts) + 1, dtype.np)
    np.cumsum(counts, out=result[1:])
    return result


def pad(values: Any, counts: Any, item: tuple[int, ...], filler: Any) -> Any:
    """Pads rows of items of one shape to an array with filler items; ``counts`` are those of values."""
    stride, rows = math.prod(item), len(counts)
    most = int(counts.max()) // stride if stride and rows else 0
    if (counts == most * stride).all():
        return values.reshape(rows, most, *item)
    result = np.full((rows, most * stride), filler, values.dtype)
    result[np.arange(most * stride) < counts[:, None]] = values
    return result.reshape(rows, most, *item)


def assert_names(names: Any, serialized: Any) -> None:
    """Raises InvalidArgumentError unless there is one name for each message."""
    if serialized.ndim > 1:
        raise invalid(
            f"Expected serialized to be a scalar or vector, got shape: {text(serialized.shape)}"
        )
    if names.size and names.shape != serialized.shape:
        raise invalid(
            "Expected names have the same shape as serialized: "
            f"name.shape={text(names.shape)}, serialized.shape={text(serialized.shape)}"
        )


def name_of(names: Any, row: int) -> str:
    """Returns the name of an example for error messages."""
    return names.reshape(-1)[row].decode("utf-8", "replace") if names.size else "<unknown>"
