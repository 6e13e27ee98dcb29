"""Messages between tasks: protobuf heads and raw buffers, with limits on what is accepted.

A message is a head and one part for each buffer. Nothing that arrives is executed or unpickled:
a head names ops, and a buffer holds the elements of a tensor. Large buffers between processes of
one host are in shared memory (``arena.py``).
"""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.core import errors
from twinflow._src.core.dtypes import DType, as_dtype, resource, variant
from twinflow._src.core.errors import OpError
from twinflow._src.core.protos import messages_of
from twinflow._src.core.shapes import TensorShape

PROTOCOL = 2

# Kinds of heads.
HELLO, ENQUEUE, ASK, REPLY, ACK, BYE, STOP = range(1, 8)
# Kinds of heads between the ranks of a group.
JOIN, TABLE, READY, GO, DONE, RESULT, CHUNK, ABORT, LEAVE = range(32, 41)
# Questions of an ASK.
SHAPES, VALUES, WAIT, HEALTH = range(1, 5)
# Kinds of items.
RUN, PUT, VARIABLE, CALL, STEP, STORE, RESET = range(1, 8)
# Kinds of inputs.
NOTHING, ID, TENSOR, HANDLE, LIST, FOREIGN = range(6)
# Places of a tensor's elements.
ABSENT, INLINE, ARENA, EMBEDDED = range(4)

# Limits of a message.
MAX_HEAD = 16 << 20
MAX_PARTS = 65_535
MAX_RANK = 254
# Elements up to this size are in the head; buffers of SHARED_BYTES go through shared memory.
EMBEDDED_BYTES = 4096
SHARED_BYTES = 32 << 10


@functools.cache
def head_class() -> Any:
    """Returns the message class of heads."""
    return messages_of("wings/distribute/cluster.proto", "twinflow")("Head")


def memory_limit() -> int:
    """Returns the largest size of a message in bytes: ``TWINFLOW_TASK_MEMORY``, or 80 % of memory."""
    limit = os.environ.get("TWINFLOW_TASK_MEMORY")
    if limit:
        return int(float(limit))
    try:
        return int(0.8 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (ValueError, OSError, AttributeError):  # not on this system
        return 1 << 40


class BadMessage(Exception):
    """A message that violates the protocol."""


def parse(parts: Sequence[Any]) -> Any:
    """Returns the head of a message; raises BadMessage if it exceeds a limit or is malformed."""
    if not parts or len(parts) > MAX_PARTS:
        raise BadMessage(f"{len(parts)} parts")
    size = len(parts[0])
    if size > MAX_HEAD:
        raise BadMessage(f"a head of {size} bytes")
    try:
        return head_class().FromString(bytes(parts[0]))
    except (
        Exception
    ) as error:  # protobuf's DecodeError; a class of the C extension in some versions
        raise BadMessage(f"a malformed head: {error}") from None


# ------------------------------------------------------------------ tensors


class Writer:
    """Encodes tensors and values into a head and the parts of its message.

    Args:
        arena: The shared memory with the receiver, or None.

    Attributes:
        parts: The buffers of the message.
    """

    def __init__(self, arena: Any = None) -> None:
        self.arena = arena
        self.parts: list[Any] = []

    @property
    def nbytes(self) -> int:
        """The size of the buffers that are sent."""
        return sum(memoryview(part).nbytes for part in self.parts)

    def write(self, spec: Any, array: np.ndarray[Any, Any], dtype: DType) -> None:
        """Writes a tensor: its dtype and shape to a ``Spec``, its elements to a buffer."""
        if dtype is resource or dtype is variant:
            raise errors.UnimplementedError(
                None, None, f"A tensor of the type {dtype.name} cannot be sent to another task."
            )
        spec.dtype = dtype.as_datatype_enum
        spec.dims.extend(array.shape)
        if array.dtype == object:
            self._write_strings(spec, array)
            return
        spec.length = array.nbytes
        if array.nbytes <= EMBEDDED_BYTES:
            spec.place, spec.raw = EMBEDDED, array.tobytes()
            return
        array = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        if self.arena is not None and array.nbytes >= SHARED_BYTES:
            block = self.arena.put(array)
            if block is not None:
                spec.place, (spec.segment, spec.offset) = ARENA, block
                return
        spec.place, spec.part = INLINE, self._add(array)

    def _add(self, buffer: Any) -> int:
        self.parts.append(buffer)
        if len(self.parts) >= MAX_PARTS:
            raise errors.InvalidArgumentError(None, None, "A message has too many tensors.")
        return len(self.parts)  # the head is part 0

    def _write_strings(self, spec: Any, array: np.ndarray[Any, Any]) -> None:
        items = [x if isinstance(x, bytes) else str(x).encode() for x in array.reshape(-1)]
        lengths = np.fromiter(map(len, items), "<u8", len(items))
        spec.place, spec.part = INLINE, self._add(lengths.view(np.uint8))
        blob = b"".join(items)
        spec.length = len(blob)
        self._add(blob)

    def value(self, proto: Any, value: Any) -> None:
        """Writes an attribute of an op to a ``Value``; UnimplementedError for other objects."""
        kind = next((k for k, (types, *_) in enumerate(_VALUES) if isinstance(value, types)), None)
        if kind is None:
            raise errors.UnimplementedError(
                None, None, f"A value of the type {type(value).__name__} cannot be sent."
            )
        proto.kind = kind
        _VALUES[kind][1](self, proto, value)


class Reader:
    """Decodes tensors and values of a message.

    Args:
        parts: The parts of the message.
        arena: Opens blocks of the sender's shared memory, or None.
    """

    def __init__(self, parts: Sequence[Any], arena: Any = None) -> None:
        self._parts, self._arena = parts, arena

    def tensor(self, spec: Any) -> tuple[np.ndarray[Any, Any], DType]:
        """Returns the elements of a ``Spec`` and their dtype; BadMessage if it is inconsistent."""
        dtype, dims = checked_spec(spec)
        count = math.prod(dims)
        if dtype.np.hasobject:
            return self._strings(spec, count).reshape(dims), dtype
        if count * dtype.np.itemsize != spec.length:
            raise BadMessage(f"{spec.length} bytes for {dims} of {dtype.name}")
        if spec.place == EMBEDDED:
            if len(spec.raw) != spec.length:
                raise BadMessage(f"{len(spec.raw)} bytes instead of {spec.length}")
            return np.frombuffer(spec.raw, dtype.np).reshape(dims), dtype
        if spec.place == ARENA:
            if self._arena is None:
                raise BadMessage("shared memory is not in use")
            raw = self._arena.open(spec.segment, spec.offset, spec.length)
        else:
            buffer = self._part(spec.part)
            if len(buffer) != spec.length:
                raise BadMessage(f"a buffer of {len(buffer)} bytes instead of {spec.length}")
            raw = np.frombuffer(buffer, np.uint8)
        return raw.view(dtype.np).reshape(dims), dtype

    def _part(self, number: int) -> Any:
        if not 0 < number < len(self._parts):
            raise BadMessage(f"no part {number}")
        return self._parts[number]

    def _strings(self, spec: Any, count: int) -> np.ndarray[Any, Any]:
        raw, blob = self._part(spec.part), bytes(self._part(spec.part + 1))
        if spec.place != INLINE or len(raw) != 8 * count or len(blob) != spec.length:
            raise BadMessage("strings of other lengths")
        lengths = np.frombuffer(raw, "<u8")
        ends = np.cumsum(lengths, dtype=np.uint64)
        is_whole = (lengths <= len(blob)).all() and (ends[-1] if count else 0) == len(blob)
        if not is_whole:
            raise BadMessage("strings of other lengths")
        result, start = np.empty(count, object), 0
        for i, end in enumerate(ends.tolist()):
            result[i], start = blob[start:end], end
        return result

    def value(self, proto: Any, depth: int = 0) -> Any:
        """Returns the value of a ``Value``."""
        if proto.kind >= len(_VALUES) or depth > 32:
            raise BadMessage(f"a value of the kind {proto.kind}")
        return _VALUES[proto.kind][2](self, proto, depth)


def checked_spec(spec: Any) -> tuple[DType, tuple[int, ...]]:
    """Returns dtype and dimensions of a ``Spec``; raises BadMessage if they are invalid."""
    try:
        dtype = as_dtype(spec.dtype)
    except (TypeError, KeyError):
        raise BadMessage(f"a dtype {spec.dtype}") from None
    dims = tuple(spec.dims)
    if dtype is resource or dtype is variant or dtype is not dtype.base_dtype:
        raise BadMessage(f"a tensor of the type {dtype.name}")
    if len(dims) > MAX_RANK or any(size < 0 for size in dims) or math.prod(dims) >= 2**62:
        raise BadMessage(f"a shape {dims}")
    return dtype, dims


def _set_int(writer: Writer, proto: Any, value: int) -> None:
    if -(2**63) <= value < 2**63:
        proto.number = value
    else:
        proto.raw = str(value).encode()


def _int(reader: Reader, proto: Any, depth: int) -> int:
    try:
        return int(proto.raw[:400]) if proto.raw else int(proto.number)
    except ValueError:
        raise BadMessage("a malformed number") from None


def _set_items(writer: Writer, proto: Any, value: Any) -> None:
    for item in value:
        writer.value(proto.items.add(), item)


def _items(reader: Reader, proto: Any, depth: int) -> list[Any]:
    return [reader.value(item, depth + 1) for item in proto.items]


def _set_shape(writer: Writer, proto: Any, value: Any) -> None:
    dims = value._dims
    proto.number = -1 if dims is None else 0
    _set_items(writer, proto, dims or ())


def _shape(reader: Reader, proto: Any, depth: int) -> TensorShape:
    dims = _items(reader, proto, depth)
    if any(not isinstance(size, (int, type(None))) or (size or 0) < 0 for size in dims):
        raise BadMessage(f"a shape {dims}")
    return TensorShape(None if proto.number < 0 else dims)


def _text(reader: Reader, proto: Any, depth: int) -> str:
    return bytes(proto.raw).decode("utf-8", "surrogateescape")


def _dtype(reader: Reader, proto: Any, depth: int) -> DType:
    try:
        return as_dtype(proto.number)
    except (TypeError, KeyError):
        raise BadMessage(f"a dtype {proto.number}") from None


def _set_array(writer: Writer, proto: Any, value: Any) -> None:
    array = np.asarray(value)
    writer.write(proto.tensor, array, as_dtype(array.dtype))


# By kind: the types, and the functions that write and read.
_VALUES: list[Any] = [
    (type(None), lambda w, p, v: None, lambda r, p, d: None),
    (bool, lambda w, p, v: setattr(p, "number", int(v)), lambda r, p, d: bool(p.number)),
    (int, _set_int, _int),
    (float, lambda w, p, v: setattr(p, "real", v), lambda r, p, d: p.real),
    (
        str,
        lambda w, p, v: setattr(p, "raw", v.encode("utf-8", "surrogateescape")),
        _text,
    ),
    (bytes, lambda w, p, v: setattr(p, "raw", v), lambda r, p, d: bytes(p.raw)),
    (DType, lambda w, p, v: setattr(p, "number", v.as_datatype_enum), _dtype),
    (TensorShape, _set_shape, _shape),
    (list, _set_items, _items),
    (tuple, _set_items, lambda r, p, d: tuple(_items(r, p, d))),
    ((np.ndarray, np.generic), _set_array, lambda r, p, d: r.tensor(p.tensor)[0]),
]


# ------------------------------------------------------------------ errors


_PYTHON = {
    error.__name__: error
    for error in (
        ValueError,
        TypeError,
        IndexError,
        KeyError,
        AttributeError,
        NotImplementedError,
        RuntimeError,
        ArithmeticError,
        ZeroDivisionError,
        OSError,
        StopIteration,
    )
}
_CODES = {
    getattr(errors, name)(None, None, "").error_code: getattr(errors, name)
    for name in dir(errors)
    if name.endswith("Error")
    and isinstance(getattr(errors, name), type)
    and issubclass(getattr(errors, name), OpError)
    and name != "OpError"
}


def write_error(status: Any, error: BaseException) -> None:
    """Writes an error to a ``Status``."""
    if isinstance(error, MemoryError):
        error = errors.ResourceExhaustedError(None, None, f"out of memory: {error}")
    if isinstance(error, OpError):
        status.code, text = error.error_code or errors.UNKNOWN, error.message
    else:
        name = next((c.__name__ for c in type(error).__mro__ if c.__name__ in _PYTHON), "")
        status.code, status.type = errors.UNKNOWN, name
        text = str(error) if name else f"{type(error).__name__}: {error}"
    # what it quotes may be no text: messages have UTF-8 alone
    status.message = text.encode("utf-8", "backslashreplace").decode("utf-8")


def read_error(status: Any) -> Exception | None:
    """Returns the error of a ``Status``, or None."""
    if not status.code:
        return None
    if status.type in _PYTHON:
        return _PYTHON[status.type](status.message)
    cls = _CODES.get(status.code, errors.UnknownError)
    return cls(None, None, status.message)
