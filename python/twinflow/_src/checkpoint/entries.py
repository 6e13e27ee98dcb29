"""Entries of a checkpoint index: keys, protocol buffers, and slices of partitioned tensors."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import DType
from twinflow._src.core.protos import message, needed, shape_proto
from twinflow._src.io.local_files import lost, refused

FULL = -1  # the size of a slice along a dimension that is not partitioned
_MOST_DIMENSIONS = 64  # NumPy's maximum rank
_LARGEST = 1 << 63
_ESCAPES = {b"\0": b"\xff", b"\xff": b"\0"}
_SPECIAL = re.compile(rb"[\0\xff]")


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangular slice of a tensor.

    Attributes:
        full_shape: The shape of the full tensor.
        starts: The offset of the slice along each dimension.
        sizes: Its size along each dimension; ``FULL`` where the dimension is not partitioned.
    """

    full_shape: tuple[int, ...]
    starts: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the slice."""
        return tuple(f if s == FULL else s for f, s in zip(self.full_shape, self.sizes))

    @property
    def is_whole(self) -> bool:
        """True if the slice is the full tensor."""
        return self.shape == self.full_shape and not any(self.starts)

    @property
    def slices(self) -> tuple[slice, ...]:
        """The slice as an index into the full tensor."""
        return tuple(slice(a, a + n) for a, n in zip(self.starts, self.shape))


@dataclass(frozen=True, slots=True)
class Entry:
    """Location, dtype and shape of a tensor.

    Attributes:
        key: Its name.
        dtype: Its dtype.
        shape: Its shape.
        shard: The index of the data shard.
        offset: The offset in the shard.
        size: The size in bytes.
        crc: The masked checksum.
        parts: The slices of a partitioned tensor, each with an entry of its own; usually empty.
    """

    key: str
    dtype: DType
    shape: tuple[int, ...]
    shard: int
    offset: int
    size: int
    crc: int
    parts: tuple[Part, ...] = ()

    @property
    def count(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)


# ------------------------------------------------------------------ keys


def encode_key(key: str) -> bytes:
    """Returns a key as bytes in the index."""
    return key.encode("utf-8", "surrogateescape")


def decode_key(key: bytes) -> str:
    """Returns a key of the index as a string."""
    return key.decode("utf-8", "surrogateescape")


def _number(value: int) -> bytes:
    """Returns the order-preserving encoding of a non-negative integer."""
    digits = value.to_bytes((value.bit_length() + 7) // 8, "big")
    return bytes((len(digits),)) + digits


def _encode_signed(value: int) -> bytes:
    """Returns the order-preserving encoding of a signed integer."""
    length = (value ^ (value >> 63)).bit_length() // 7 + 1
    header = (0xFFFF << (16 - length) & 0xFFFF) << 8 * length >> 16
    digits = value & ((1 << 8 * length) - 1)
    return (digits ^ header).to_bytes(length, "big")


def slice_key(name: bytes, part: Part) -> bytes:
    """Returns the key of a slice of a tensor."""
    escaped = _SPECIAL.sub(lambda match: match[0] + _ESCAPES[match[0]], name)
    numbers = [_encode_signed(n) for both in zip(part.starts, part.sizes) for n in both]
    return b"".join((_number(0), escaped, b"\0\x01", _number(len(part.starts)), *numbers))


# ------------------------------------------------------------------ protocol buffers


def slice_proto(part: Part) -> Any:
    """Returns the ``TensorSliceProto`` of a slice."""
    extents = [
        {} if size == FULL else {"start": start, "length": size}
        for start, size in zip(part.starts, part.sizes)
    ]
    return message("TensorSliceProto")(extent=extents)


def entry_proto(entry: Entry) -> Any:
    """Returns the ``BundleEntryProto`` of an entry."""
    where = {
        "shard_id": entry.shard,
        "offset": entry.offset,
        "size": entry.size,
        "crc32c": entry.crc,
    }
    return message("BundleEntryProto")(
        dtype=entry.dtype.as_datatype_enum,
        shape=shape_proto(entry.shape),
        slices=[slice_proto(part) for part in entry.parts],
        **where,
    )


def dims_of(proto: Any, of: str) -> tuple[int, ...]:
    """Returns the shape in a message; DataLossError where it is invalid."""
    dims = tuple([dim.size for dim in proto.dim])
    if proto.unknown_rank or len(dims) > _MOST_DIMENSIONS or min(dims, default=0) < 0:
        raise lost(f"Invalid tensor shape: {of}: {list(dims)} is the shape of no tensor")
    if math.prod(filter(None, dims)) >= _LARGEST:
        raise lost(f"Invalid tensor shape: {of}: {list(dims)} has too many elements")
    return dims


def dtype_of(number: int, of: str) -> DType:
    """Returns the dtype of an enum value."""
    dtype = _TYPES.get(number)
    if dtype is None:
        raise lost(f"Invalid tensor type: {of}: {number} is the number of no type of elements")
    return dtype


_TYPES = {dtype.as_datatype_enum: dtype for dtype in dtypes.ALL.values()}


def part_of(proto: Any, shape: tuple[int, ...], of: str) -> Part:
    """Returns the slice in a message; DataLossError where it exceeds the tensor."""
    if len(proto.extent) != len(shape):
        raise lost(f"{of}: a slice of {len(proto.extent)} dimensions of a tensor of {len(shape)}")
    starts, sizes = [], []
    for dimension, (extent, full) in enumerate(zip(proto.extent, shape)):
        size = extent.length if extent.HasField("length") else FULL
        if extent.start < 0 or size < FULL or extent.start + max(size, 0) > full:
            raise lost(f"Extent in dimension {dimension} out of bounds: {of}")
        starts.append(extent.start)
        sizes.append(size)
    return Part(shape, tuple(starts), tuple(sizes))


def parse_message(name: str, data: bytes, proto: str) -> Any:
    """Parses a message of the index."""
    try:
        return message(name).FromString(data)
    except needed("google.protobuf.message", "protobuf").DecodeError:
        raise lost(f"{proto} not parseable") from None


def entry_of(key: str, data: bytes, file: str, shards: int) -> Entry:
    """Parses the entry of a tensor."""
    proto = parse_message("BundleEntryProto", data, f"Entry for key {key} in {file}")
    of = f"key {key} in {file}"
    dtype, shape = dtype_of(proto.dtype, of), dims_of(proto.shape, of)
    if not 0 <= proto.shard_id < shards:
        raise lost(f"Invalid shard: {of}: shard {proto.shard_id} of {shards}")
    if proto.offset < 0:
        raise refused(f"Seeking to a negative position: {proto.offset}: {of}")
    if proto.size < 0:
        raise lost(f"Invalid size in bundle entry: {of}; stored size {proto.size}")
    parts = tuple(part_of(each, shape, of) for each in proto.slices)
    if (
        len(parts) == 1 and parts[0].is_whole
    ):  # a single full slice has the data of the tensor itself
        parts = ()
    where = proto.shard_id, proto.offset, proto.size, proto.crc32c
    return Entry(key, dtype, shape, *where, parts)
