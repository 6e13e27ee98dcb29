"""Stages that read the records of files: one file after the other, or several in turn."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import IO, Any

from twinflow._src.core.dtypes import string
from twinflow._src.core.errors import DataLossError, InternalError, invalid
from twinflow._src.core.specs import TensorSpec
from twinflow._src.io.local_files import explained
from twinflow._src.io.records import open_compressed, tf_record_iterator
from twinflow._src.numerics.object_arrays import box, object_array
from twinflow._src.wings.data.stages import Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Element, Elements

STRINGS = Elements(TensorSpec([], string))

# Opens a file; returns an iterator of its records.
Open = Callable[[str], Iterator[bytes]]


def path_of(element: Element) -> str:
    """Returns the path in an element that is a string."""
    name: bytes = element[0][()]
    return name.decode("utf-8", "surrogateescape")


# Records of one file.


def open_records(path: str, kind: str) -> Iterator[bytes]:
    """Yields the records of a TFRecord file, which is opened for the first one."""
    yield from tf_record_iterator(path, kind)


def open_lines(path: str, kind: str) -> Iterator[bytes]:
    """Yields the lines of a text file, without line feeds and carriage returns."""
    with explained(path), open_compressed(path, kind) as file:
        for line in file:
            yield line.rstrip(b"\n") if b"\r" not in line else line.translate(None, b"\r\n")


def open_blocks(path: str, kind: str, size: int, header: int, footer: int) -> Iterator[bytes]:
    """Yields the records of a file of records of one size, in bytes."""
    with explained(path), open_compressed(path, kind) as file:
        if kind:
            yield from _blocks_of_stream(file, path, size, header, footer)
            return
        length = file.seek(0, 2)
        if length < header + footer:
            raise InternalError(
                None,
                None,
                'Iterator "Iterator::Root::FixedLengthRecordV2" returned `OutOfRange`. This indicates '
                "an implementation error as `OutOfRange` errors are not expected to be returned "
                "here. Original message: Read less bytes than requested",
            )
        _check_length(path, length, size, header, footer)
        file.seek(header)
        for _ in range((length - header - footer) // size):
            yield file.read(size)


def _blocks_of_stream(
    file: IO[bytes], path: str, size: int, header: int, footer: int
) -> Iterator[bytes]:
    """Yields the records of a stream, whose length is known at the end."""
    length = len(file.read(header))
    rest = b""
    while chunk := file.read(max(size, 1 << 16)):
        length += len(chunk)
        rest += chunk
        end = (len(rest) - footer) // size * size
        yield from (rest[i : i + size] for i in range(0, end, size))
        rest = rest[max(end, 0) :]
    _check_length(path, length, size, header, footer, DataLossError)


def _check_length(
    path: str, length: int, size: int, header: int, footer: int, error: Any = None
) -> None:
    body = length - header - footer
    if body % size:
        message = (
            f"Excluding the header ({header} bytes) and footer ({footer} bytes), input file "
            f'"{path}" has body length {body} bytes, which is not an exact multiple of the record '
            f"length ({size} bytes)."
        )
        raise invalid(message) if error is None else error(None, None, message)


# Stages.


class FilesStage(Stage):
    """The records of files.

    Args:
        source: The stage of the file names.
        open: Opens a file.
        cycle: The number of files that are read in turn; 1 for one after the other.
    """

    def __init__(self, source: Stage, open: Open, cycle: int = 1) -> None:
        self.elements, self.inputs, self._open, self._cycle = STRINGS, (source,), open, cycle

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator at the first record of the first file."""
        source = self.inputs[0].iterate(run)
        if self._cycle == 1:
            return FilesIterator(source, self._open)
        return FilesInTurn(source, self._open, self._cycle)


class OpenFile:
    """The records of a file from some record on.

    Args:
        path: The path.
        open: Opens a file.
        count: The number of records to skip.
    """

    def __init__(self, path: str, open: Open, count: int = 0) -> None:
        self.path, self.count, self._records = path, count, open(path)
        for _ in itertools.islice(self._records, count):
            pass

    def next(self) -> bytes:
        """Returns the next record; raises StopIteration at the end."""
        record = next(self._records)
        self.count += 1
        return record

    def pull(self, count: int) -> list[bytes]:
        """Returns the next records, fewer than ``count`` at the end."""
        records = list(itertools.islice(self._records, count))
        self.count += len(records)
        return records

    @property
    def position(self) -> list[Any]:
        """The path, and the number of records read."""
        return [self.path, self.count]


class RecordsIterator(StageIterator):
    """Base class of iterators over the records of files."""

    elements = STRINGS

    def __init__(self, source: StageIterator, open: Open) -> None:
        self.upstream, self._source, self._open = (source,), source, open

    def next_record(self) -> bytes:
        """Returns the next record; raises StopIteration at the end."""
        raise NotImplementedError

    def pull_records(self, count: int) -> list[bytes]:
        """Returns the next records, fewer than ``count`` at the end."""
        return list(itertools.islice(iter(self.next_record, None), count))

    def __next__(self) -> Element:
        return (box(self.next_record()),)

    def block(self, count: int) -> Element | None:
        """Returns a vector of the next records."""
        records = self.pull_records(count)
        return (object_array(records),) if records else None


class FilesIterator(RecordsIterator):
    """An iterator over the records of files, one file after the other.

    A file that cannot be read is an error once; then the next one follows.
    """

    _file: OpenFile | None = None

    def _current(self) -> OpenFile:
        if self._file is None:
            self._file = OpenFile(path_of(next(self._source)), self._open)
        return self._file

    def next_record(self) -> bytes:
        """Returns the next record; raises StopIteration after the last file."""
        while True:
            file = self._current()
            self._file = None
            try:
                record = file.next()
            except StopIteration:
                continue
            self._file = file
            return record

    def pull_records(self, count: int) -> list[bytes]:
        """Returns the next records, fewer than ``count`` after the last file."""
        records: list[bytes] = []
        while len(records) < count:
            try:
                file = self._current()
            except StopIteration:
                break
            self._file = None
            records += file.pull(count - len(records))
            if len(records) == count:
                self._file = file
        return records

    def position(self) -> dict[str, Any]:
        """Returns the open file, and the number of records read from it."""
        return {"file": self._file.position if self._file is not None else []}

    def move(self, saved: dict[str, Any]) -> None:
        """Opens the file of a position again."""
        self._file = (
            OpenFile(saved["file"][0], self._open, saved["file"][1]) if saved["file"] else None
        )


class FilesInTurn(RecordsIterator):
    """An iterator over the records of several files, one record of each in turn.

    The next file takes the turn of a file that has ended, from the following round on.
    """

    def __init__(self, source: StageIterator, open: Open, cycle: int) -> None:
        super().__init__(source, open)
        self._files: list[OpenFile | None] = []
        self._cycle, self._turn, self._is_started = cycle, 0, False

    def _next_file(self) -> OpenFile | None:
        for element in self._source:
            return OpenFile(path_of(element), self._open)
        return None

    def next_record(self) -> bytes:
        """Returns the next record; raises StopIteration after the last file."""
        if not self._is_started:
            self._is_started = True
            self._files = [self._next_file() for _ in range(self._cycle)]
        while any(self._files):
            turn = self._turn
            self._turn = (turn + 1) % len(self._files)
            file = self._files[turn]
            if file is None:
                continue
            try:
                return file.next()
            except StopIteration:
                self._files[turn] = None
                self._files[turn] = self._next_file()
        raise StopIteration

    def position(self) -> dict[str, Any]:
        """Returns the open files, and the numbers of records read from them."""
        files = [file.position if file else [] for file in self._files]
        return {"files": files, "turn": self._turn, "is_started": self._is_started}

    def move(self, saved: dict[str, Any]) -> None:
        """Opens the files of a position again."""
        self._files = [OpenFile(f[0], self._open, f[1]) if f else None for f in saved["files"]]
        self._turn, self._is_started = saved["turn"], saved["is_started"]
