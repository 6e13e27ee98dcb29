"""Event files: TFRecord files of ``Event`` messages, which TensorBoard reads.

Events are queued and written as whole records in one system call, so that a file ends with a whole
record even where a process is killed.
"""

from __future__ import annotations

import itertools
import os
import socket
import struct
import time
import weakref
from collections.abc import Iterator
from typing import Any

from twinflow._src.core.errors import NotFoundError
from twinflow._src.core.fork import LongLock, around_forks
from twinflow._src.core.protos import message
from twinflow._src.dispatch.op import export
from twinflow._src.io import crc
from twinflow._src.io.local_files import failure, local
from twinflow._src.io.records import tf_record_iterator

FILE_VERSION = "brain.Event:2"
_WRITER = "tensorflow.core.util.events_writer"
_counter = itertools.count()
_files: weakref.WeakSet[EventFile] = weakref.WeakSet()


def record_of(data: bytes) -> bytes:
    """Returns the record of a TFRecord file that holds data."""
    length = struct.pack("<Q", len(data))
    checksums = (struct.pack("<I", crc.mask(crc.extend(0, part))) for part in (length, data))
    return b"".join((length, next(checksums), data, next(checksums)))


class EventFile:
    """An event file that is open for writing.

    It is flushed once more than ``max_queue`` events wait, or the last flush is ``flush_millis``
    ago. A child process writes to a file of its own.

    Args:
        logdir: The directory; created if it does not exist.
        max_queue: The number of events that may wait.
        flush_millis: The time in milliseconds after which an event flushes the others.
        suffix: The end of the file's name.
        unique: True if the name has the process and a counter.
    """

    def __init__(
        self, logdir: str, max_queue: int, flush_millis: int, suffix: str, unique: bool = True
    ) -> None:
        self._logdir, self._suffix, self._unique = logdir, suffix, unique
        self._max_queue, self._interval = max_queue, flush_millis / 1000
        self._queue: list[bytes] = []
        self._lock = LongLock()
        self._descriptor: int | None = None
        self.path = ""
        self.is_closed = False
        self._open()
        _files.add(self)

    def _open(self) -> None:
        """Creates the file, with the event that has the version."""
        folder, now = local(self._logdir), int(time.time())
        name = f"events.out.tfevents.{now:010d}.{socket.gethostname()}"
        if self._unique:
            separator = "" if self._suffix.startswith(".") else "."
            name += f".{os.getpid()}.{next(_counter)}{separator}"
        self.path = os.path.join(folder, f"{name}{self._suffix}")
        try:
            if folder:
                os.makedirs(folder, exist_ok=True)
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise failure(error, error.filename or self.path) from None
        first = message("Event")(wall_time=now, file_version=FILE_VERSION)
        first.source_metadata.writer = _WRITER
        self._write_all(record_of(first.SerializeToString()))
        self._last_flush = time.monotonic()

    def _write_all(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            assert self._descriptor is not None
            rest = rest[os.write(self._descriptor, rest) :]

    def add(self, event: Any) -> None:
        """Queues an event, a message or its bytes; flushes if the queue is full or old.

        Raises NotFoundError if the file is closed.
        """
        data = event if isinstance(event, bytes) else event.SerializeToString()
        with self._lock:
            if self.is_closed:
                raise NotFoundError(
                    None, None, f"Resource {self.path}/SummaryWriterInterface does not exist."
                )
            self._queue.append(record_of(data))
            waited = time.monotonic() - self._last_flush
            if len(self._queue) > self._max_queue or waited > self._interval:
                self.flush()

    def flush(self) -> None:
        """Writes the events that wait."""
        with self._lock:
            self._last_flush = time.monotonic()
            if not self._queue or self.is_closed:
                return
            if self._descriptor is None or not os.path.exists(self.path):
                self._close_descriptor()  # of a parent process, or of a file that was deleted
                self._open()
            data = b"".join(self._queue)
            self._queue.clear()
            self._write_all(data)

    def close(self) -> None:
        """Flushes and closes the file; further calls have no effect."""
        with self._lock:
            if not self.is_closed:
                self.flush()
                self._close_descriptor()
                self.is_closed = True

    def _close_descriptor(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _forget(self) -> None:
        """Drops, in a child process, the parent's events and its file."""
        self._queue.clear()
        self._close_descriptor()


def _forget_all() -> None:
    for file in list(_files):
        file._forget()


around_forks(child=_forget_all)


# ------------------------------------------------------------------ reading of event files


@export("compat.v1.train.summary_iterator")
def summary_iterator(path: Any) -> Iterator[Any]:
    """Returns an iterator of the events of an event file.

    Args:
        path: The path of the file.

    Returns:
        An iterator of ``Event`` messages.

    Raises:
        NotFoundError: There is no such file.
        DataLossError: The file is corrupted (raised while reading).
    """
    event = message("Event")
    return (event.FromString(record) for record in tf_record_iterator(path))
