"""Reader of TensorFlow's checkpoint format V2 (tensor bundle): an index, and data shards."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from twinflow._src.checkpoint import strings
from twinflow._src.checkpoint.damage_errors import lost, missing, refused
from twinflow._src.checkpoint.entries import Entry, decoded, encoded, entry_of, parsed, slice_key
from twinflow._src.checkpoint.shards import Shards
from twinflow._src.checkpoint.sstable import Table
from twinflow._src.core import dtypes
from twinflow._src.core.errors import DataLossError
from twinflow._src.io.local_files import explained, local

_VERSION = 1  # of the format
_ATTEMPTS = 20  # to open a checkpoint that is being replaced
_FIXED = frozenset(d for d in dtypes.ALL.values() if d.kind not in "rs")


def index_name(prefix: str) -> str:
    """Returns the name of a checkpoint's index."""
    return f"{prefix}.index"


def _table(path: str) -> dict[bytes, bytes]:
    """Returns the key-value pairs of an index."""
    with explained(path) as place, open(place, "rb") as file:
        try:
            table = Table(file)
        except DataLossError as error:
            raise lost(f"{error}: {path}") from None
        try:
            return dict(table.items())
        except DataLossError as error:
            raise lost(_unreadable(path, str(error))) from None


def _version(path: str) -> tuple[int, ...] | None:
    """Returns inode, modification time and size, which detect the replacement of a file."""
    try:
        found = os.stat(local(path))
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _unreadable(path: str, why: str) -> str:
    return (
        f"Unable to read file ({path}). Perhaps the file is corrupt or was produced by a newer version "
        f"of TensorFlow with format changes (failed to seek to header entry): {why}"
    )


def _assert_version(version: Any) -> None:
    """Raises InvalidArgumentError for a file that requires another consumer version."""
    if version.min_consumer > _VERSION:
        raise refused(
            f"Checkpoint min consumer version {version.min_consumer} above current version {_VERSION} "
            "for TensorFlow 2.21.0.  Please upgrade TensorFlow."
        )
    if _VERSION in version.bad_consumers:
        raise refused(
            f"Checkpoint disallows consumer version {_VERSION}.  Please upgrade TensorFlow: this "
            "version is likely buggy."
        )


def header_of(path: str) -> Any:
    """Returns the header of an index, and its other values under encoded keys.

    Raises:
        NotFoundError: The index does not exist.
        DataLossError: It is damaged.
    """
    entries = _table(path)
    if b"" not in entries:
        raise lost(_unreadable(path, "there is no header"))
    header = parsed("BundleHeaderProto", entries.pop(b""), f"Header of {path}")
    _assert_version(header.version)
    if header.num_shards < 1:
        raise lost(f"{path} says that there are {header.num_shards} files with data")
    return header, entries


class Bundle:
    """A checkpoint opened for reading.

    Args:
        prefix: The prefix of its files.

    Raises:
        DataLossError: The index is damaged.
        InvalidArgumentError: The index has a newer format.
    """

    def __init__(self, prefix: str) -> None:
        self.index = index_name(prefix)
        for _ in range(_ATTEMPTS):
            version = _version(self.index)
            header, self._entries = header_of(self.index)
            self.count = header.num_shards
            self._shards = Shards(prefix, self.count)
            self._shards.open_early()
            if _version(self.index) == version:
                break  # else the index was replaced meanwhile, and the data with it
        self._known: dict[str, Entry] = {}  # cache of parsed entries
        self._swapped = (header.endianness == 1) != (sys.byteorder == "big")

    def _parsed(self, key: str, data: bytes) -> Entry:
        return entry_of(key, data, self.index, self.count)

    def stored(self) -> Iterator[tuple[bytes, Entry]]:
        """Yields the entries of the index, also those of slices, with their encoded keys."""
        for key, data in self._entries.items():
            yield key, self._parsed(decoded(key), data)

    @functools.cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries of all tensors, without those of slices."""
        found = dict(self.stored())
        parts = {slice_key(key, part) for key, entry in found.items() for part in entry.parts}
        return {entry.key: entry for key, entry in found.items() if key not in parts}

    def entry(self, key: str) -> Entry:
        """Returns the entry of a tensor.

        Raises:
            NotFoundError: The key does not exist.
            DataLossError: The entry is damaged.
        """
        known = self._known.get(key)
        if known is not None:
            return known
        data = self._entries.get(encoded(key))
        if data is None:
            raise missing(f"Key {key} not found in checkpoint")
        found = self._known[key] = self._parsed(key, data)
        return found

    def __contains__(self, key: str) -> bool:
        return encoded(key) in self._entries

    def part(self, entry: Entry, part: Any) -> Entry:
        """Returns the entry of a slice of a tensor."""
        key = slice_key(encoded(entry.key), part)
        if key not in self._entries:
            raise missing(
                f"Key {entry.key} has no slice {part.starts} {part.sizes} in {self.index}"
            )
        found = self._parsed(entry.key, self._entries[key])
        if found.dtype is not entry.dtype or found.shape != part.shape:
            raise lost(f"A slice of key {entry.key} in {self.index} has another type or shape")
        return found

    def fill(self, wanted: Iterable[tuple[Entry, np.ndarray[Any, Any]]], progress: Any) -> None:
        """Reads tensors into contiguous arrays.

        Args:
            wanted: Entries with arrays of their dtypes and shapes.
            progress: Called with the number of bytes read.
        """
        wanted = list(wanted)
        self._assert_apart([entry for entry, _ in wanted])
        plain = [(e, array) for e, array in wanted if e.dtype in _FIXED]
        self._shards.fill([(e, array.reshape(-1).view(np.uint8)) for e, array in plain], progress)
        for entry, array in plain if self._swapped else ():
            _swap(array, entry)
        for entry, array in wanted:
            if entry.dtype is dtypes.string:
                array[...] = self._strings(entry)
                progress(entry.size)

    def check(self, entry: Entry) -> None:
        """Checks the entry of a tensor before memory is allocated.

        Raises:
            DataLossError: The size does not match the shape, or exceeds the file.
        """
        if entry.dtype not in _FIXED and entry.dtype is not dtypes.string:
            raise lost(
                f"Key {entry.key} in {self.index} is of type {entry.dtype.name}, which is not read"
            )
        fixed = entry.dtype in _FIXED
        least = entry.count * entry.dtype.size if fixed else entry.count + 4
        if entry.size != least if fixed else entry.size < least:
            expected = least if fixed else f"is at least {least}"
            raise lost(
                f"Invalid size in bundle entry: key {entry.key}; stored size {entry.size}; "
                f"expected size {expected}"
            )
        self._shards[entry.shard].check(entry)

    def _assert_apart(self, entries: list[Entry]) -> None:
        """Raises DataLossError where tensors overlap: memory is bounded by the file size."""
        totals: dict[int, int] = {}
        for entry in entries:
            totals[entry.shard] = totals.get(entry.shard, 0) + entry.size
        for shard, total in totals.items():
            if total > self._shards[shard].length:
                raise lost(f"Entries of {self.index} share data of {self._shards[shard].path}")

    def _strings(self, entry: Entry) -> np.ndarray[Any, Any]:
        data = np.empty(entry.size, np.uint8)
        shard = self._shards[entry.shard]
        shard.fill(data, entry.offset)
        found, total = strings.decoded(data, entry.count, f"key {entry.key} in {shard.path}")
        self._shards.assert_sum(entry, total)
        return found.reshape(entry.shape)


def _swap(array: np.ndarray[Any, Any], entry: Entry) -> None:
    """Swaps the byte order of an array, in place."""
    width = entry.dtype.size // (2 if entry.dtype.kind == "c" else 1)
    if width > 1:
        each = array.reshape(-1).view(np.uint8).reshape(-1, width)
        each[...] = each[:, ::-1].copy()
