"""Readers of ``tf.compat.v1``: records of the files whose names a queue holds."""

from __future__ import annotations

import gzip
import itertools
import threading
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from twinflow._src.control_flow.py_function import later
from twinflow._src.core.dtypes import int64, string
from twinflow._src.core.errors import DataLossError, UnimplementedError, invalid
from twinflow._src.core.fork import is_own
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.graph.default_graph import executing_eagerly
from twinflow._src.io.gfile import GFile
from twinflow._src.io.records import TFRecordOptions, frame, tf_record_iterator
from twinflow._src.io.varints import read_varint, varint

_MODULE = "twinflow.compat.v1"
_EAGER = (
    "Readers are not supported when eager execution is enabled. Instead, please use tf.data to "
    "get data into your model."
)

Record = tuple[bytes, bytes]


class ReaderBase:
    """Base class of readers: operations that take names of files from a queue and return records.

    Args:
        reader_ref: The operation of the reader.
        supports_serialize: Whether the state can be written as a string.

    Raises:
        RuntimeError: Eager execution is on.
    """

    __module__ = _MODULE

    def __init__(self, reader_ref: Any, supports_serialize: bool = False) -> None:
        if executing_eagerly():
            raise RuntimeError(_EAGER)
        self._reader_ref, self._supports_serialize = reader_ref, supports_serialize
        self._lock = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        self._started = self._finished = self._produced = 0
        self._work, self._records = b"", None  # type: tuple[bytes, Iterator[Record] | None]

    def _read_work(self, work: bytes) -> Iterator[Record]:
        """Yields the keys and values of the records of an entry of the queue."""
        raise NotImplementedError

    # The state that operations change. A lock of the process makes a read one step.

    def _own_lock(self) -> Any:
        if not is_own(self._lock):  # of a parent process
            self._lock = threading.RLock()
        return self._lock

    def _open(self, queue: Any) -> Iterator[Record]:
        if self._records is None:
            self._work = b""
            (name, *_), *_ = queue._store.take(1)
            value = np.asarray(name).item()
            self._work = value if isinstance(value, bytes) else str(value).encode()
            self._started += 1
            self._records = self._read_work(self._work)
        return self._records

    def _close(self) -> None:
        self._records, self._finished = None, self._finished + 1

    def _next(self, queue: Any) -> Record:
        with self._own_lock():
            while True:
                record = next(self._open(queue), None)
                if record is None:
                    self._close()
                    continue
                self._produced += 1
                if self._is_whole:
                    self._close()
                return record

    def _next_up_to(self, queue: Any, count: int) -> list[Record]:
        with self._own_lock():
            while True:
                records = list(itertools.islice(self._open(queue), count))
                self._produced += len(records)
                if len(records) < count or self._is_whole:
                    self._close()
                if records:
                    return records

    _is_whole = False  # True where an entry of the queue has one record

    # What programs call.

    @property
    def reader_ref(self) -> Any:
        """The operation of the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """True if the state can be written as a string."""
        return self._supports_serialize

    def read(self, queue: Any, name: str | None = None) -> Any:
        """Returns the key and the value of the next record, scalars of strings.

        Args:
            queue: A queue of names of files.
            name: The name of the operation.

        Raises:
            OutOfRangeError: In the run: the queue is closed and has no more elements.
        """
        results = ([string, string], [(), ()], False)
        return later("ReaderReadV2", lambda: _strings(self._next(queue)), [], results, name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """Returns the keys and values of the next records of a file, vectors of strings.

        Args:
            queue: A queue of names of files.
            num_records: The largest number of records; a file's last ones may be fewer.
            name: The name of the operation.

        Raises:
            OutOfRangeError: In the run: the queue is closed and has no more elements.
        """

        def run(count: Any) -> Any:
            number = int(count.numpy())
            if number < 1:
                raise invalid("num_records must be > 0")
            keys, values = zip(*self._next_up_to(queue, number))
            return _strings((list(keys), list(values)))

        results = ([string, string], [(None,), (None,)], False)
        number = np.asarray(num_records, np.int64) if isinstance(num_records, int) else num_records
        return later("ReaderReadUpToV2", run, [number], results, name)

    def num_records_produced(self, name: str | None = None) -> Any:
        """Returns the number of records that were read, an int64.

        Args:
            name: The name of the operation.
        """
        return self._count("ReaderNumRecordsProducedV2", "_produced", name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """Returns the number of entries of the queue that were read to their end, an int64.

        Args:
            name: The name of the operation.
        """
        return self._count("ReaderNumWorkUnitsCompletedV2", "_finished", name)

    def _count(self, type: str, what: str, name: str | None) -> Any:
        run = lambda: np.asarray(getattr(self, what), np.int64)
        return later(type, run, [], ([int64], [()], True), name)

    def serialize_state(self, name: str | None = None) -> Any:
        """Returns the state as a string.

        Args:
            name: The name of the operation.

        Raises:
            UnimplementedError: In the run: the reader does not support it.
        """

        def run() -> Any:
            if not self._supports_serialize:
                raise UnimplementedError(None, None, "Reader SerializeState")
            with self._own_lock():
                counts = (self._started, self._finished, self._produced)
            state = b"".join(bytes((8 * i,)) + varint(n) for i, n in enumerate(counts, 1) if n)
            work = self._work
            return _bytes(state + (b'"' + varint(len(work)) + work if work else b""))

        return later("ReaderSerializeStateV2", run, [], ([string], [()], True), name)

    def restore_state(self, state: Any, name: str | None = None) -> Any:
        """Returns an operation that restores the state.

        Args:
            state: A string of ``serialize_state``.
            name: The name of the operation.

        Raises:
            UnimplementedError: In the run: the reader does not support it.
            InvalidArgumentError: In the run: the string is no state.
        """

        def run(text: Any) -> None:
            if not self._supports_serialize:
                raise UnimplementedError(None, None, "Reader RestoreState")
            counts, work = _parsed(text.numpy())
            with self._own_lock():
                self._started, self._finished, self._produced = counts
                self._work, self._records = work, None
                if self._started > self._finished:
                    self._records = self._read_work(work)

        return later("ReaderRestoreStateV2", run, [state], name=name)

    def reset(self, name: str | None = None) -> Any:
        """Returns an operation that resets the reader to its first state.

        Args:
            name: The name of the operation.
        """

        def run() -> None:
            with self._own_lock():
                self._forget()

        return later("ReaderResetV2", run, [], name=name)


def _bytes(value: bytes) -> Any:
    return np.array(value, object)


def _strings(pair: Any) -> Any:
    return [np.array(part, object) for part in pair]


def _parsed(text: bytes) -> tuple[list[int], bytes]:
    """Returns the three counters and the entry of a reader's state."""
    counts, work, offset = [0, 0, 0], b"", 0
    try:
        while offset < len(text):
            tag, offset = read_varint(text, offset)
            number, offset = read_varint(text, offset)
            if tag == 34:
                work, offset = text[offset : offset + number], offset + number
            else:
                counts[tag // 8 - 1] = number
    except (IndexError, ValueError):
        raise invalid(f"Could not parse state for reader: {text!r}") from None
    return counts, work


def _node(type: str, name: str | None) -> Any:
    """Returns the operation that stands for a reader in a graph."""
    if executing_eagerly():
        raise RuntimeError(_EAGER)
    return later(type, lambda: _bytes(b""), [], ([string], [()], True), name)


class WholeFileReader(ReaderBase):
    """A reader whose records are whole files; keys are their names.

    Args:
        name: The name of the operation.
    """

    __module__ = _MODULE
    _is_whole = True

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_node("WholeFileReaderV2", name), supports_serialize=True)

    def _read_work(self, work: bytes) -> Iterator[Record]:
        yield work, _content(work)


@documented_like(WholeFileReader)
class IdentityReader(ReaderBase):
    """A reader whose records are the entries of the queue, keys and values."""

    __module__ = _MODULE
    _is_whole = True

    def __init__(self, name: str | None = None) -> None:
        super().__init__(_node("IdentityReaderV2", name), supports_serialize=True)

    def _read_work(self, work: bytes) -> Iterator[Record]:
        yield work, work


class TextLineReader(ReaderBase):
    """A reader of lines; keys are the name of the file and the number of the line.

    Args:
        skip_header_lines: The number of lines to skip at the beginning of each file.
        name: The name of the operation.
    """

    __module__ = _MODULE

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(_node("TextLineReaderV2", name))
        self._skipped = skip_header_lines or 0

    def _read_work(self, work: bytes) -> Iterator[Record]:
        with GFile(work.decode(), "rb") as file:
            for number in itertools.count(1):
                line = file.readline()
                if not line:
                    return
                if number > self._skipped:
                    yield b"%s:%d" % (work, number), line.rstrip(b"\n").removesuffix(b"\r")


class FixedLengthRecordReader(ReaderBase):
    """A reader of records of equal length; keys are the name of the file and the record's number.

    Args:
        record_bytes: The length of a record.
        header_bytes: The number of bytes before the first record.
        footer_bytes: The number of bytes after the last one.
        hop_bytes: The distance of the beginnings of records; by default their length.
        name: The name of the operation.
        encoding: The compression of files: ``""``, ``"ZLIB"`` or ``"GZIP"``.
    """

    __module__ = _MODULE

    def __init__(
        self,
        record_bytes: int,
        header_bytes: int | None = None,
        footer_bytes: int | None = None,
        hop_bytes: int | None = None,
        name: str | None = None,
        encoding: str | None = None,
    ) -> None:
        super().__init__(_node("FixedLengthRecordReaderV2", name))
        if record_bytes < 0:
            raise invalid("record_bytes must be >= 0")
        self._length, self._header = record_bytes, header_bytes or 0
        self._footer, self._hop = footer_bytes or 0, hop_bytes or record_bytes
        self._encoding = encoding or ""

    def _read_work(self, work: bytes) -> Iterator[Record]:
        content = _decompressed(_content(work), self._encoding)
        end, offset = len(content) - self._footer, self._header
        for number in itertools.count():
            if offset + self._length > end:
                return
            yield b"%s:%d" % (work, number), content[offset : offset + self._length]
            offset += self._hop


class TFRecordReader(ReaderBase):
    """A reader of TFRecord files; keys are the name of the file and the offset of the record.

    Args:
        name: The name of the operation.
        options: A ``tf.io.TFRecordOptions``, or the type of compression.
    """

    __module__ = _MODULE

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        super().__init__(_node("TFRecordReaderV2", name))
        is_options = isinstance(options, TFRecordOptions)
        self._options = options if is_options else TFRecordOptions(options)

    def _read_work(self, work: bytes) -> Iterator[Record]:
        offset = 0
        for record in tf_record_iterator(work.decode(), self._options):
            yield b"%s:%d" % (work, offset), record
            offset += len(frame(record))


def _content(work: bytes) -> bytes:
    with GFile(work.decode(), "rb") as file:
        content: bytes = file.read()
        return content


def _decompressed(content: bytes, encoding: str) -> bytes:
    if not encoding:
        return content
    try:
        return gzip.decompress(content) if encoding == "GZIP" else zlib.decompress(content)
    except (zlib.error, OSError) as error:
        raise DataLossError(None, None, f"Failed to inflate: {error}") from None
