"""Tables (SSTables): sorted key-value pairs, in blocks with checksums, some compressed by Snappy.

The format is that of LevelDB. A file consists of data blocks, an empty metaindex block, an index
block with the last key and the handle of each data block, and a footer with the handles of these
two blocks and a magic number.
"""

from __future__ import annotations

import bisect
import struct
from collections.abc import Iterable, Iterator
from typing import IO

from twinflow._src.io import crc
from twinflow._src.io.local_files import lost
from twinflow._src.io.snappy import decompress
from twinflow._src.io.varints import read_varint, varint

BLOCK = 262144  # the size in bytes at which a block is closed
_RESTART = 16  # the number of keys between restart points, which store full keys
_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48
_TRAILER = 5
_RAW, _SNAPPY = 0, 1


# ------------------------------------------------------------------ writing


class _Block:
    """Builder of a block."""

    def __init__(self, restart: int) -> None:
        self._restart = restart
        self._parts: list[bytes] = []
        self._length = 0
        self._restarts = [0]
        self._count = 0
        self.last = b""

    def __bool__(self) -> bool:
        return self._length > 0

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._count == self._restart:
            self._restarts.append(self._length)
            self._count = 0
        else:
            shared = _common(self.last, key)
        entry = b"".join(
            (varint(shared), varint(len(key) - shared), varint(len(value)), key[shared:], value)
        )
        self._parts.append(entry)
        self._length += len(entry)
        self._count += 1
        self.last = key

    @property
    def size(self) -> int:
        return self._length + 4 * (len(self._restarts) + 1)

    def contents(self) -> bytes:
        ends = struct.pack(f"<{len(self._restarts) + 1}I", *self._restarts, len(self._restarts))
        return b"".join((*self._parts, ends))


def _common(a: bytes, b: bytes) -> int:
    """Returns the length of the common prefix of two keys."""
    end = min(len(a), len(b))
    if a[:end] == b[:end]:
        return end
    return next(i for i in range(end) if a[i] != b[i])


def _separator(low: bytes, high: bytes) -> bytes:
    """Returns a short key that is at least ``low`` and less than ``high``."""
    at = _common(low, high)
    if at < min(len(low), len(high)) and low[at] + 1 < high[at]:
        return low[:at] + bytes((low[at] + 1,))
    return low


def _successor(key: bytes) -> bytes:
    """Returns a short key that is at least ``key``."""
    for at, byte in enumerate(key):
        if byte < 255:
            return key[:at] + bytes((byte + 1,))
    return key


def _seal_block(block: _Block) -> bytes:
    contents = block.contents() + bytes((_RAW,))
    return contents + struct.pack("<I", crc.mask(crc.extend(0, contents)))


class _Writer:
    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._offset = 0
        self._block = _Block(_RESTART)
        self._index = _Block(1)
        self._pending: tuple[bytes, bytes] | None = None  # the last key of a block, and its handle

    def _write_block(self, block: _Block) -> bytes:
        """Writes a block; returns its handle."""
        data = _seal_block(block)
        handle = varint(self._offset) + varint(len(data) - _TRAILER)
        self._parts.append(data)
        self._offset += len(data)
        return handle

    def _flush(self) -> None:
        if self._block:
            self._pending = self._block.last, self._write_block(self._block)
            self._block = _Block(_RESTART)

    def add(self, key: bytes, value: bytes) -> None:
        if len(key) + len(value) >= 2 * BLOCK:
            self._flush()
        if self._pending:
            last, handle = self._pending
            self._index.add(_separator(last, key), handle)
            self._pending = None
        self._block.add(key, value)
        if self._block.size >= BLOCK:
            self._flush()

    def finish(self) -> bytes:
        self._flush()
        meta = self._write_block(_Block(_RESTART))
        if self._pending:
            self._index.add(_successor(self._pending[0]), self._pending[1])
        handles = meta + self._write_block(self._index)
        self._parts.append(handles.ljust(_FOOTER - 8, b"\0") + struct.pack("<Q", _MAGIC))
        return b"".join(self._parts)


def write_table(entries: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Returns the contents of a table of key-value pairs, sorted by unique keys."""
    writer = _Writer()
    for key, value in entries:
        writer.add(key, value)
    return writer.finish()


# ------------------------------------------------------------------ reading


def _block_at(file: IO[bytes], offset: int, size: int, limit: int) -> bytes:
    """Returns the contents of a block; its checksum is verified."""
    if offset + size + _TRAILER > limit:
        raise lost("truncated block read")
    file.seek(offset)
    data = file.read(size + _TRAILER)
    if len(data) < size + _TRAILER:
        raise lost("truncated block read")
    if crc.mask(crc.extend(0, data[:-4])) != struct.unpack("<I", data[-4:])[0]:
        raise lost("block checksum mismatch")
    kind = data[size]
    if kind == _SNAPPY:
        return decompress(data[:size])
    if kind != _RAW:
        raise lost("bad block type")
    return data[:size]


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the key-value pairs of a block."""
    if len(block) < 4:
        raise lost("bad block contents")
    (restarts,) = struct.unpack("<I", block[-4:])
    end = len(block) - 4 * (restarts + 1)
    if end < 0:
        raise lost("bad block contents")
    offset, key = 0, b""
    while offset < end:
        try:
            shared, offset = read_varint(block, offset)
            unshared, offset = read_varint(block, offset)
            size, offset = read_varint(block, offset)
        except (IndexError, ValueError):
            raise lost("bad entry in block") from None
        if shared > len(key) or offset + unshared + size > end:
            raise lost("bad entry in block")
        key = key[:shared] + block[offset : offset + unshared]
        offset += unshared + size
        yield key, block[offset - size : offset]


def _handle(data: bytes, offset: int = 0) -> tuple[int, int, int]:
    """Returns offset and size in a block handle, and the offset after the handle."""
    try:
        start, offset = read_varint(data, offset)
        size, offset = read_varint(data, offset)
    except (IndexError, ValueError):
        raise lost("bad block handle") from None
    return start, size, offset


class Table:
    """A table, read block by block."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._limit = file.seek(0, 2)
        if self._limit < _FOOTER:
            raise lost("file is too short to be an sstable")
        file.seek(self._limit - _FOOTER)
        footer = file.read(_FOOTER)
        if len(footer) < _FOOTER or struct.unpack("<Q", footer[-8:])[0] != _MAGIC:
            raise lost("not an sstable (bad magic number)")
        _, _, offset = _handle(footer)
        self._block(footer)  # empty, but its checksum is verified
        self._index = list(_entries(self._block(footer, offset)))

    def _block(self, handle: bytes, offset: int = 0) -> bytes:
        start, size, _ = _handle(handle, offset)
        return _block_at(self._file, start, size, self._limit)

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """Yields all key-value pairs, in key order."""
        for _, handle in self._index:
            yield from _entries(self._block(handle))

    def get(self, key: bytes) -> bytes | None:
        """Returns the value of a key; None where it does not exist."""
        at = bisect.bisect_left(self._index, (key,))
        if at == len(self._index):
            return None
        return next((v for k, v in _entries(self._block(self._index[at][1])) if k == key), None)
