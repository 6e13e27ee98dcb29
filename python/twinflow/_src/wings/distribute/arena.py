"""Shared memory between processes of one host: segments, an allocator, and views of blocks.

The sender owns the segments, which are anonymous files: no name is left behind when a process is
killed. The receiver opens a segment by the process and descriptor that the sender names, and tells
the sender which blocks it has released.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import mmap
import os
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from twinflow._src.core.fork import around_forks

fcntl: Any = importlib.import_module("fcntl") if os.name == "posix" else None

_FIRST, _MOST = 64 << 20, 1 << 30
_ALIGNMENT = 64


@functools.cache
def machine() -> str:
    """Returns an identifier of the machine, its process namespace and the user; "" without shared memory."""
    if not hasattr(os, "memfd_create") or not hasattr(fcntl, "F_ADD_SEALS"):
        return ""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')} {os.getuid()}"
    except OSError:
        return ""


_fds: weakref.WeakSet[Any] = weakref.WeakSet()


class _File:
    """An anonymous file in memory, and its mapping."""

    def __init__(self, fd: int, size: int) -> None:
        self.fd, self.size, self.map = fd, size, mmap.mmap(fd, size)
        self.array = np.frombuffer(self.map, np.uint8)
        _fds.add(self)

    def close(self) -> None:
        """Closes the descriptor; the memory lives as long as the mappings."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        with contextlib.suppress(OSError, TypeError):  # TypeError while the interpreter ends
            self.close()


def _is_fixed(fd: int) -> bool:
    """True if a file cannot shrink: reading beyond its end would kill the process."""
    return bool(fcntl.fcntl(fd, fcntl.F_GET_SEALS) & fcntl.F_SEAL_SHRINK)


def _close_in_child() -> None:
    for file in list(_fds):
        file.close()


around_forks(child=_close_in_child)


class Arena:
    """The sender's side: allocates blocks and copies arrays into them.

    Args:
        most: The largest size in bytes.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._files: dict[int, _File] = {}
        self._free: dict[int, list[tuple[int, int]]] = {}  # offsets and sizes, in order
        self._used: dict[tuple[int, int], int] = {}
        self._lock = threading.Lock()
        self._announced: set[int] = set()
        self._count = 0

    def put(self, array: np.ndarray[Any, Any]) -> tuple[int, int] | None:
        """Copies bytes into a block; returns its segment and offset, or None if it is full."""
        with self._lock:
            block = self._allocate(array.nbytes)
        if block is not None:
            segment, offset = block
            self._files[segment].array[offset : offset + array.nbytes] = array
        return block

    def reserve(self, nbytes: int) -> tuple[int, int] | None:
        """Allocates a block; returns its segment and offset, or None if it is full."""
        with self._lock:
            return self._allocate(nbytes)

    def block(self, segment: int, offset: int, nbytes: int) -> np.ndarray[Any, Any]:
        """Returns the bytes of a block."""
        return self._files[segment].array[offset : offset + nbytes]

    def _allocate(self, nbytes: int) -> tuple[int, int] | None:
        size = -(-max(nbytes, 1) // _ALIGNMENT) * _ALIGNMENT
        for number, free in self._free.items():
            for i, (offset, length) in enumerate(free):
                if length >= size:
                    free[i : i + 1] = [(offset + size, length - size)] if length > size else []
                    self._used[number, offset] = size
                    return number, offset
        total = sum(file.size for file in self._files.values())
        if total + size > self._most:
            return None
        segment = self._grow(max(size, min(max(_FIRST, total), self._most - total)))
        return None if segment is None else self._allocate(nbytes)

    def _grow(self, size: int) -> int | None:
        try:
            fd = os.memfd_create("twinflow", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            os.ftruncate(fd, size)
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
            file = _File(fd, size)
        except (OSError, ValueError):
            return None
        self._count += 1
        self._files[self._count], self._free[self._count] = file, [(0, size)]
        return self._count

    def release(self, segment: int, offset: int) -> None:
        """Frees a block."""
        with self._lock:
            size = self._used.pop((segment, offset), None)
            if size is None:
                return
            free = sorted([*self._free[segment], (offset, size)])
            merged = [free[0]]
            for start, length in free[1:]:
                before, count = merged[-1]
                if before + count == start:
                    merged[-1] = before, count + length
                else:
                    merged.append((start, length))
            self._free[segment] = merged

    @property
    def in_use(self) -> int:
        """The bytes of blocks that the receiver has not released."""
        return sum(self._used.values())

    def announce(self, head: Any) -> None:
        """Adds the segments that the receiver does not know yet to a head."""
        for number, file in self._files.items():
            if number not in self._announced:
                self._announced.add(number)
                head.segments.add(number=number, pid=os.getpid(), fd=file.fd, size=file.size)

    def segments(self) -> Iterator[tuple[int, int, int]]:
        """Yields number, descriptor and size of each segment."""
        for number, file in self._files.items():
            yield number, file.fd, file.size

    def close(self) -> None:
        """Releases the memory."""
        self._files.clear()
        self._free.clear()


class _Block:
    """A block of a sender's segment; it is released when no array refers to it any more."""

    def __init__(self, views: Views, file: _File, segment: int, offset: int, length: int) -> None:
        self._views, self._file, self._place = views, file, (segment, offset)
        views.lent[self._place] = length
        address = file.array.__array_interface__["data"][0] + offset
        self.__array_interface__ = {
            "shape": (length,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }

    def __del__(self) -> None:
        self._views.lent.pop(self._place, None)
        self._views.dropped.append(self._place)


class Views:
    """The receiver's side: opens segments, and views blocks as arrays.

    Attributes:
        lent: The sizes of the blocks in use.
        dropped: The blocks that are no longer in use, to be reported to the sender.
    """

    def __init__(self) -> None:
        self._files: dict[int, _File] = {}
        self.lent: dict[tuple[int, int], int] = {}
        self.dropped: deque[tuple[int, int]] = deque()

    def learn(self, head: Any) -> None:
        """Opens the segments that a head announces."""
        for segment in head.segments:
            path = f"/proc/{segment.pid}/fd/{segment.fd}"
            try:
                if not os.readlink(path).startswith("/memfd:twinflow"):
                    continue
                fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
            except OSError:
                continue
            try:
                if not _is_fixed(fd) or not 0 < segment.size <= os.fstat(fd).st_size:
                    raise ValueError
                self._files[segment.number] = file = _File(fd, segment.size)
            except (OSError, ValueError):
                os.close(fd)
                continue
            file.close()  # the mapping is enough

    def open(self, segment: int, offset: int, length: int) -> np.ndarray[Any, Any]:
        """Returns the bytes of a block, as a view."""
        from twinflow._src.wings.distribute.messages import BadMessage

        file = self._files.get(segment)
        if file is None or offset + length > file.size:
            raise BadMessage(f"no block {offset} of {length} bytes in segment {segment}")
        return np.asarray(_Block(self, file, segment, offset, length))

    def peek(self, segment: int, offset: int, length: int) -> np.ndarray[Any, Any]:
        """Returns the bytes of a block that its owner will free without a release."""
        return self._files[segment].array[offset : offset + length]

    def report(self, head: Any) -> bool:
        """Adds the released blocks to a head; True if there are any."""
        any_ = False
        while self.dropped:
            segment, offset = self.dropped.popleft()
            head.released.add(segment=segment, offset=offset)
            any_ = True
        return any_
