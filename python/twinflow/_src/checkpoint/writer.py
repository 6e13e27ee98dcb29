"""Writer of checkpoints, which replaces an old checkpoint atomically."""

from __future__ import annotations

import glob
import os
import queue
import re
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from twinflow._src.checkpoint import sstable
from twinflow._src.checkpoint.bundle import (
    header_of,
    index_name,
    shard_name,
    string_chunks,
    string_head,
)
from twinflow._src.checkpoint.entries import Entry, Part, encode_key, entry_proto, slice_key
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import CancelledError, OpError, invalid
from twinflow._src.core.protos import message
from twinflow._src.io import atomic_write as files
from twinflow._src.io import crc
from twinflow._src.io.atomic_write import create, write_all
from twinflow._src.io.local_files import failure, local, path_text

# ------------------------------------------------------------------ buffered files

# Data are copied to private buffers, so that checksums match what is written.


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
        """Passes a buffer with ``size`` bytes to the thread; returns a free one."""
        self._full.put(buffer[:size])
        other = self._free.get()
        if self._failure is not None:
            raise self._failure
        return other

    def finish(self, quiet: bool) -> None:
        """Waits for the thread; ``quiet`` ignores its failure, as another error is being raised."""
        self._full.put(None)
        try:
            self._thread.join()
        finally:
            self._thread.join()  # after an interrupt, too: the file will be closed
        if self._failure is not None and not quiet:
            raise self._failure


class Staged:
    """A new file opened for appending."""

    def __init__(
        self, path: str, size: int, durable: bool, on_progress: Callable[[int], None]
    ) -> None:
        self.path = path
        self.length = 0
        self._durable, self._on_progress = durable, on_progress
        self._buffer = np.empty(min(BUFFER, max(size, _LEAST)), np.uint8)
        self._descriptor = create(path)
        self._used = 0
        self._background = _Background(self._descriptor) if size > BUFFER else None

    def append(self, data: Bytes, total: int = 0) -> int:
        """Appends bytes; returns a checksum extended by them.

        The data may change concurrently: the checksum is of the bytes written.
        """
        offset = 0
        while offset < len(data):
            chunk = self._buffer[self._used :][: len(data) - offset]
            np.copyto(chunk, data[offset : offset + len(chunk)])
            total = crc.extend(total, chunk)
            self._used += len(chunk)
            self.length += len(chunk)
            offset += len(chunk)
            if self._used == len(self._buffer):
                self._flush()
        return total

    def _flush(self) -> None:
        if self._background:
            self._buffer = self._background.swap(self._buffer, self._used)
        else:
            write_all(self._descriptor, self._buffer[: self._used])
        self._used = 0
        self._on_progress(self.length)

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


# ------------------------------------------------------------------ checkpoints


_VERSION = 1
_DATA = re.compile(r"\.data-\d{5}-of-(\d{5})")


@dataclass(frozen=True, slots=True)
class Item:
    """A tensor to save.

    Attributes:
        key: Its name.
        read: Returns its host array at the time of writing: C-contiguous; byte strings as an object
            array.
        dtype: Its dtype.
        shape: Its shape.
        part: The slice of a partitioned tensor, or None.
        shard: The index of the data shard.
        array: The tensor in another task, or None.
    """

    key: str
    read: Callable[[], np.ndarray[Any, Any]]
    dtype: DType
    shape: tuple[int, ...]
    part: Part | None = None
    shard: int = 0
    array: Any = None

    @property
    def size(self) -> int:
        """The size in bytes, estimated for strings."""
        return int(np.prod(self.shape, dtype=np.int64)) * (self.dtype.size or 16)


def write(
    prefix: Any,
    items: Sequence[Item],
    *,
    shards: int = 1,
    durable: bool = True,
    progress: Callable[[int, int], None] | None = None,
    before_commit: Callable[[], None] | None = None,
) -> None:
    """Saves tensors as a checkpoint in TensorFlow's format."""
    # Readers see the old checkpoint of the prefix until the index is renamed, and the new one from
    # then on. ``before_commit`` is called when all data are written, before that. Without
    # ``durable`` (``fsync``), a crash of the machine, not of the program, may lose the checkpoint.
    # After an error no temporary file is left.
    prefix = path_text(prefix)
    _assert_writable(items, shards)
    save = Save(local(prefix), durable)
    try:
        with save:
            entries = save.data(items, shards, _make_progress_reporter(items, progress))
            if before_commit is not None:
                before_commit()
            save.commit(entries_by_key(entries))
    except OSError as error:
        raise failure(error, str(error.filename or prefix)) from error


def _make_progress_reporter(items: Sequence[Item], progress: Any) -> Callable[[int], None]:
    whole = sum(item.size for item in items)
    return (lambda done: progress(min(done, whole), whole)) if progress else lambda done: None


def _assert_writable(items: Sequence[Item], shards: int) -> None:
    seen = set()
    for item in items:
        key = _index_key(item)
        if not item.key or key in seen:
            raise invalid(f"Adding duplicate key: {item.key}" if item.key else "A key is empty")
        seen.add(key)
        if item.dtype.kind == "r":
            raise invalid(f"Key {item.key} is of type {item.dtype.name}, which files do not hold")
        if not 0 <= item.shard < shards:
            raise invalid(f"Key {item.key} goes into shard {item.shard} of {shards}")


def _index_key(item: Item) -> bytes:
    name = encode_key(item.key)
    return name if item.part is None or item.part.is_whole else slice_key(name, item.part)


# ------------------------------------------------------------------ save


class Save:
    """A save in progress: tracks its temporary files, and removes those left on exit."""

    def __init__(self, prefix: str, durable: bool) -> None:
        self._prefix, self._durable = prefix, durable
        self._folder = os.path.dirname(prefix)
        self._temporary: list[str] = []
        self._shards: list[str] = []
        self._adopted: set[str] = set()
        self._named: list[str] = []  # data shards under their final names
        self._index = (
            ""  # the index under its temporary name; these data are unused while it exists
        )

    def __enter__(self) -> Save:
        files.make_folder(self._folder, self._durable)
        with files.locked(self._folder):
            sweep(self._folder)
        return self

    def __exit__(self, *exc: Any) -> None:
        # The file system tells if the index was renamed: an interrupt may have followed at once.
        committed = not os.path.exists(self._index)
        for path in (*self._temporary, *(() if committed else self._named)):
            files.remove(path)

    def _new(self, path: str) -> str:
        name = files.temporary_name(path)
        self._temporary.append(name)
        return name

    def _file(
        self, path: str, size: int = 0, on_progress: Callable[[int], None] = lambda done: None
    ) -> Staged:
        return Staged(self._new(path), size, self._durable, on_progress)

    def data(
        self, items: Sequence[Item], shards: int, on_progress: Callable[[int], None]
    ) -> list[Entry]:
        """Writes the data; returns the entries of all tensors, in the order of the items."""
        entries: dict[int, Entry] = {}
        done = 0
        for shard in range(shards):
            mine = [(at, item) for at, item in enumerate(items) if item.shard == shard]
            name, size = shard_name(self._prefix, shard, shards), sum(item.size for _, item in mine)
            with self._file(name, size, _after(done, on_progress)) as file:
                for at, item in mine:
                    entries[at] = _append_tensor(file, item)
            self._shards.append(file.path)
            done += file.length
        on_progress(sys.maxsize)
        return [entry for _, entry in sorted(entries.items())]

    def adopt(self, paths: Sequence[str]) -> None:
        """Adds existing data shards, which are hard-linked, or renamed if that is not supported."""
        self._adopted.update(paths)
        self._shards += paths

    def _name(self, path: str, final: str) -> None:
        """Renames or links a data shard to its final name."""
        self._named.append(final)
        if path in self._adopted:
            files.remove(final)  # left by an aborted save
            with suppress(OSError):  # a file system without hard links
                os.link(path, final)
                return
        os.replace(path, final)

    def commit(self, entries: dict[bytes, Entry]) -> None:
        """Makes the new checkpoint visible, by renaming its files."""
        with files.locked(self._folder):
            moved = int(len(self._shards) == _live_count(self._prefix))
            if moved:  # the names are in use: an empty shard changes the count
                with self._file(shard_name(self._prefix, 0, 1)) as empty:
                    self._shards.insert(0, empty.path)
            count = len(self._shards)
            with self._file(index_name(self._prefix)) as index:
                contents = _index(
                    {key: _offset_shard_index(e, moved) for key, e in entries.items()}, count
                )
                index.append(np.frombuffer(contents, np.uint8))
            self._index = index.path
            for number, path in enumerate(self._shards):
                self._name(path, shard_name(self._prefix, number, count))
            files.sync_folder(self._folder, self._durable)
            os.replace(index.path, index_name(self._prefix))
            files.sync_folder(self._folder, self._durable)
            remove_data(self._prefix, except_of=count)


class TensorWriter:
    """Writer of a checkpoint whose tensors arrive one after the other.

    Args:
        prefix: The prefix of the files.
        size: The expected size of the data in bytes, for the buffer.
    """

    def __init__(self, prefix: str, size: int = BUFFER) -> None:
        self._prefix, self._entries = local(prefix), list[Entry]()
        self._save = Save(self._prefix, False)
        self._save.__enter__()
        self._file = self._save._file(shard_name(self._prefix, 0, 1), size)

    def add(self, item: Item) -> None:
        """Appends a tensor."""
        self._entries.append(_append_tensor(self._file, item))

    def commit(self) -> None:
        """Closes the files, and makes the checkpoint visible."""
        self._file.__exit__(None, None, None)
        self._save._shards.append(self._file.path)
        self._save.commit(entries_by_key(self._entries))
        self._save.__exit__(None, None, None)

    def abort(self) -> None:
        """Closes and removes the files."""
        self._file.__exit__(CancelledError, None, None)
        self._save.__exit__(CancelledError, None, None)


def _after(before: int, on_progress: Callable[[int], None]) -> Callable[[int], None]:
    """Returns a progress callback for one file, after the bytes of earlier files."""
    return lambda count: on_progress(before + count)


def _append_tensor(file: Staged, item: Item) -> Entry:
    """Writes a tensor; returns its entry."""
    array = np.asarray(item.read())
    if array.shape != item.shape or array.dtype != item.dtype.np:
        raise invalid(
            f"Key {item.key} is of type {item.dtype.name} and shape {list(item.shape)}, but its value "
            f"has type {array.dtype} and shape {list(array.shape)}"
        )
    start = file.length
    if item.dtype is dtypes.string:
        head, total = string_head(array)
        file.append(np.frombuffer(head, np.uint8))
        for chunk in string_chunks(array):
            total = file.append(np.frombuffer(chunk, np.uint8), total)
    else:
        total = file.append(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    parts = () if item.part is None or item.part.is_whole else (item.part,)
    size = file.length - start
    return Entry(item.key, item.dtype, item.shape, item.shard, start, size, crc.mask(total), parts)


# ------------------------------------------------------------------ index


def _index(entries: dict[bytes, Entry], shards: int) -> bytes:
    """Returns the contents of an index."""
    header = message("BundleHeaderProto")(num_shards=shards, endianness=int(sys.byteorder == "big"))
    header.version.producer = _VERSION
    messages = {b"": header, **{key: entry_proto(entry) for key, entry in entries.items()}}
    return sstable.write_table((key, messages[key].SerializeToString()) for key in sorted(messages))


def _offset_shard_index(entry: Entry, by: int) -> Entry:
    """Returns an entry with its shard index offset; an entry that lists slices has no data."""
    return entry if entry.parts else replace(entry, shard=entry.shard + by)


def entries_by_key(entries: Iterable[Entry]) -> dict[bytes, Entry]:
    """Returns entries by index key; a partitioned tensor has an entry that lists its slices."""
    keyed_entries: dict[bytes, Entry] = {}
    for entry in entries:
        name = encode_key(entry.key)
        for part in entry.parts:
            whole = Entry(entry.key, entry.dtype, part.full_shape, 0, 0, 0, 0, (part,))
            keyed_entries[name] = (
                merge_slices(keyed_entries[name], whole) if name in keyed_entries else whole
            )
            name = slice_key(name, part)
        keyed_entries[name] = replace(entry, parts=())
    return keyed_entries


def merge_slices(a: Entry, b: Entry) -> Entry:
    """Returns the entry of a partitioned tensor, from two entries that list slices."""
    if (a.dtype, a.shape) != (b.dtype, b.shape) or not (a.parts and b.parts):
        raise invalid(f"The parts of {a.key} are not of one type and one full shape")
    return replace(a, parts=(*a.parts, *b.parts))


def _live_count(prefix: str) -> int | None:
    """Returns the number of shards of the checkpoint of a prefix; None where there is none."""
    try:
        return header_of(index_name(prefix))[0].num_shards
    except OpError:
        return None


# ------------------------------------------------------------------ cleanup


def remove_data(prefix: str, except_of: int | None = None, of: int | None = None) -> None:
    """Removes data shards, all or those of a shard count, but not those of ``except_of`` shards."""
    for path in glob.glob(f"{glob.escape(prefix)}.data-*-of-*"):
        match = _DATA.fullmatch(path, len(prefix))
        if match and int(match[1]) != except_of and of in (None, int(match[1])):
            files.remove(path)


def sweep(folder: str) -> None:
    """Removes the files of aborted saves in a directory."""
    for path, final in files.leftovers(folder):
        with suppress(PermissionError):  # another user's file
            if final.endswith(".index"):
                _undo(path, final)
            files.remove(path)


def _undo(index: str, final: str) -> None:
    """Removes renamed data shards whose index was not renamed."""
    try:
        count = header_of(index)[0].num_shards
    except OpError:  # the index was incomplete, so that no shard was renamed
        return
    prefix = final.removesuffix(".index")
    if _live_count(prefix) != count:
        remove_data(prefix, of=count)
