"""Large copies between host and GPU, in chunks through two pinned buffers.

The hardware copies only between its memory and pinned host memory. While it copies one chunk, the
host copies the next one to the other buffer, or the previous one out of it. CuPy alone would pin as
much memory as the array takes, or copy unpinned at a fraction of the speed.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.parallel import shared

# Chunk size, and the size that each host thread copies of a chunk.
PART, _PIECE = 1 << 24, 1 << 22


class _Buffers:
    """Two pinned buffers of a GPU, each with an event for the end of its last use by the GPU."""

    def __init__(self, cupy: Any) -> None:
        from cupyx import empty_pinned

        self._lock = threading.Lock()
        self._stream = cupy.cuda.Stream.null  # the default stream
        self.pairs = [
            (empty_pinned((PART,), np.uint8), cupy.cuda.Event(disable_timing=True))
            for _ in range(2)
        ]

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, kind: type | None, *_: Any) -> None:
        """Leaves no copy pending, also if an interrupt came before its event was recorded."""
        try:
            if kind is not None:
                self._stream.synchronize()
        finally:
            self._lock.release()


@functools.cache
def _buffers(cupy: Any, ordinal: int) -> _Buffers:
    return _Buffers(cupy)


def _parts(size: int) -> Iterator[tuple[int, int, int]]:
    """Yields the buffer index, start and size in bytes of each chunk."""
    for turn, start in enumerate(range(0, size, PART)):
        yield turn % 2, start, min(PART, size - start)


def _copied(to: Any, what: Any) -> None:
    """Copies bytes on the thread pool."""
    chunks = [slice(start, start + _PIECE) for start in range(0, len(to), _PIECE)]
    shared(lambda chunk: np.copyto(to[chunk], what[chunk]), chunks)


def up(cupy: Any, array: np.ndarray[Any, Any], ordinal: int) -> Any:
    """Copies a host array to the current GPU; the source may be modified immediately."""
    runtime, stream = cupy.cuda.runtime, cupy.cuda.get_current_stream()
    out, values = cupy.empty(array.shape, array.dtype), array.reshape(-1).view(np.uint8)
    buffers = _buffers(cupy, ordinal)
    with buffers:
        for turn, start, size in _parts(array.nbytes):
            buffer, done = buffers.pairs[turn]
            done.synchronize()
            _copied(buffer[:size], values[start : start + size])
            to = out.data.ptr + start
            runtime.memcpyAsync(
                to, buffer.ctypes.data, size, runtime.memcpyHostToDevice, stream.ptr
            )
            done.record(stream)
    return out


def down(cupy: Any, array: Any, ordinal: int, out: np.ndarray[Any, Any]) -> None:
    """Copies an array of the current GPU to a host array, with synchronization."""
    runtime, stream = cupy.cuda.runtime, cupy.cuda.get_current_stream()
    values, buffers = out.reshape(-1).view(np.uint8), _buffers(cupy, ordinal)
    under_way: list[tuple[int, int, int]] = []
    with buffers:
        for part in [*_parts(array.nbytes), None]:
            if part is not None:
                turn, start, size = part
                buffer, done = buffers.pairs[turn]
                at = array.data.ptr + start
                runtime.memcpyAsync(
                    buffer.ctypes.data, at, size, runtime.memcpyDeviceToHost, stream.ptr
                )
                done.record(stream)
                under_way.append(part)
            while len(under_way) > (1 if part is not None else 0):
                turn, start, size = under_way.pop(0)
                buffers.pairs[turn][1].synchronize()
                _copied(values[start : start + size], buffers.pairs[turn][0][:size])
