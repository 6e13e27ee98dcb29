"""A file being written: bytes go through buffers of our own, so that what is summed is what is written."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.checkpoint import crc
from twinflow._src.checkpoint.atomic_write import create, write_all

BUFFER = 1 << 20
_BUFFERS = 3
_LEAST = 1 << 16
Bytes = np.ndarray[Any, Any]


class _Background:
    """A thread that writes full buffers while others are filled."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._full: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._free: queue.SimpleQueue[Bytes] = queue.SimpleQueue()
        self._failure: BaseException | None = None
        for _ in range(_BUFFERS - 1):
            self._free.put(np.empty(BUFFER, np.uint8))
        self._thread = threading.Thread(target=self._run, name="twinflow-save", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while (view := self._full.get()) is not None:
            try:
                if self._failure is None:
                    write_all(self._descriptor, view)
            except BaseException as error:
                self._failure = error
            self._free.put(view.base)

    def swap(self, buffer: Bytes, size: int) -> Bytes:
        """Hands over a buffer with so many bytes in it; gives another one."""
        self._full.put(buffer[:size])
        other = self._free.get()
        if self._failure is not None:
            raise self._failure
        return other

    def finish(self, quiet: bool) -> None:
        """Waits for what was handed over.

        Args:
            quiet: Whether a failure is of no interest, as another one is on its way.
        """
        self._full.put(None)
        try:
            self._thread.join()
        finally:
            self._thread.join()  # after an interrupt, too: the file is going to be closed
        if self._failure is not None and not quiet:
            raise self._failure


class Staged:
    """A new file that bytes are appended to.

    Args:
        path: Its name; there is no file of that name yet.
        size: About how many bytes it is going to have.
        durable: Whether it is on the disk when it is closed.
        told: Called with the number of bytes written so far, now and then.
    """

    def __init__(self, path: str, size: int, durable: bool, told: Callable[[int], None]) -> None:
        self.path = path
        self.length = 0
        self._durable, self._told = durable, told
        self._buffer = np.empty(min(BUFFER, max(size, _LEAST)), np.uint8)
        self._descriptor = create(path)
        self._used = 0
        self._background = _Background(self._descriptor) if size > BUFFER else None

    def append(self, data: Bytes, total: int = 0) -> int:
        """Writes bytes; gives their checksum.

        Args:
            data: An array of bytes. It may change meanwhile: the checksum is of what is written.
            total: A checksum to continue.
        """
        place = 0
        while place < len(data):
            piece = self._buffer[self._used :][: len(data) - place]
            np.copyto(piece, data[place : place + len(piece)])
            total = crc.extend(total, piece)
            self._used += len(piece)
            self.length += len(piece)
            place += len(piece)
            if self._used == len(self._buffer):
                self._flush()
        return total

    def _flush(self) -> None:
        if self._background:
            self._buffer = self._background.swap(self._buffer, self._used)
        else:
            write_all(self._descriptor, self._buffer[: self._used])
        self._used = 0
        self._told(self.length)

    def __enter__(self) -> Staged:
        return self

    def __exit__(self, kind: Any, *exc: Any) -> None:
        try:
            if kind is None:
                self._flush()
        finally:
            try:
                self._finish(kind)
            finally:
                os.close(self._descriptor)

    def _finish(self, kind: Any) -> None:
        if self._background:
            self._background.finish(quiet=kind is not None)
        if kind is None and self._durable:
            os.fsync(self._descriptor)
