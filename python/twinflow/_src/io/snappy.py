"""Snappy, the compression of table blocks and of snapshots.

The compressor writes literals only: the format permits it, and every reader accepts it.
"""

from __future__ import annotations

from twinflow._src.io.local_files import lost
from twinflow._src.io.varints import read_varint, varint

_BLOCK = 1 << 16
_LARGEST = 1 << 30  # far above the size of a block


def _literal(data: bytes, offset: int) -> tuple[int, int]:
    """Returns the length of a literal, and the offset of its first byte."""
    length = data[offset] >> 2
    offset += 1
    if length < 60:
        return length + 1, offset
    width = length - 59
    return int.from_bytes(data[offset : offset + width], "little") + 1, offset + width


def _copy(data: bytes, start: int) -> tuple[int, int, int]:
    """Returns length and distance of a copy, and the offset after the tag."""
    tag = data[start]
    if tag & 3 == 1:
        return (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[start + 1], start + 2
    width = 2 if tag & 3 == 2 else 4
    offset = int.from_bytes(data[start + 1 : start + 1 + width], "little")
    return (tag >> 2) + 1, offset, start + 1 + width


def _repeat_run(output: bytearray, length: int, distance: int) -> bytes:
    """Returns the bytes of a copy, which may overlap with itself."""
    if not 0 < distance <= len(output):
        raise ValueError("a repetition of what is not there")
    run = bytes(output[len(output) - distance :][:length])
    return (run * (length // len(run) + 1))[:length]


def _decompress(data: bytes) -> bytearray:
    size, offset = read_varint(data, 0, 32)
    if size > _LARGEST:
        raise ValueError("too large")
    output = bytearray()
    while offset < len(data) and len(output) <= size:
        if data[offset] & 3:
            length, distance, offset = _copy(data, offset)
            output += _repeat_run(output, length, distance)
            continue
        length, offset = _literal(data, offset)
        if offset + length > len(data):
            raise ValueError("a run of bytes ends too late")
        output += data[offset : offset + length]
        offset += length
    if len(output) != size:
        raise ValueError("not of the length that it says")
    return output


def decompress(data: bytes) -> bytes:
    """Returns the uncompressed data."""
    try:
        return bytes(_decompress(data))
    except (IndexError, ValueError):
        raise lost("corrupted compressed block contents") from None


def compress(data: bytes) -> bytes:
    """Returns data as literals, at most four bytes in 65536 longer."""
    parts = [varint(len(data))]
    for start in range(0, len(data), 1 << 16):
        chunk = data[start : start + (1 << 16)]
        parts += [b"\xf4", (len(chunk) - 1).to_bytes(2, "little"), chunk]
    return b"".join(parts)


class Compressor:
    """Compressor of a stream into blocks, each after its compressed size, with zlib's methods."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def compress(self, data: bytes) -> bytes:
        """Returns the blocks that are full."""
        self._buffer += data
        if len(self._buffer) < _BLOCK:
            return b""
        end = len(self._buffer) // _BLOCK * _BLOCK
        full, self._buffer = bytes(self._buffer[:end]), self._buffer[end:]
        return b"".join(_sized(full[i : i + _BLOCK]) for i in range(0, end, _BLOCK))

    def flush(self, mode: int = 0) -> bytes:
        """Returns the last block."""
        rest, self._buffer = bytes(self._buffer), bytearray()
        return _sized(rest) if rest else b""


def _sized(data: bytes) -> bytes:
    block = compress(data)
    return len(block).to_bytes(4, "big") + block
