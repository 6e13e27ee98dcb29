"""Reader of TensorFlow's checkpoint format V1: one or several tables with tensors as values."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np

from twinflow._src.checkpoint.damage_errors import lost, missing
from twinflow._src.checkpoint.entries import (
    Entry,
    Part,
    dims_of,
    dtype_of,
    encoded,
    parsed,
    part_of,
    slice_key,
)
from twinflow._src.checkpoint.sstable import Table
from twinflow._src.core.errors import OpError
from twinflow._src.graph_serialization.tensor_proto import _read_values
from twinflow._src.io.local_files import closing, explained

_MOST_FOR_A_BYTE = 32  # elements; blocks compress to a twentieth at best


class _File:
    """One file of the checkpoint."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            with explained(path) as place:
                file: IO[bytes] = open(place, "rb")  # noqa: SIM115
            self.table = Table(closing(self, file))
            self.length = file.seek(0, 2)
            meta = self.table.get(b"")
        except OpError as error:
            raise lost(_unreadable(path, error)) from None
        if meta is None:
            raise lost(
                f"Failed to find the saved tensor slices at the beginning of the file: {path}"
            )
        self.meta = parsed("SavedTensorSlices", meta, f"Metadata in {path}").meta

    def entries(self) -> Iterator[Entry]:
        """Yields the entries of the tensors that have slices in the file."""
        for each in self.meta.tensor:
            of = f"key {each.name} in {self.path}"
            dtype, shape = dtype_of(each.type, of), dims_of(each.shape, of)
            parts = tuple(part_of(proto, shape, of) for proto in each.slice)
            size = math.prod(shape) * dtype.size
            yield Entry(each.name, dtype, shape, 0, 0, size, 0, parts)


def _unreadable(path: str, error: OpError) -> str:
    code = re.sub("(?<=[a-z])(?=[A-Z])", "_", type(error).__name__.removesuffix("Error")).upper()
    return (
        f"Unable to open table file {path}: {code}: {error}: perhaps your file is in a different file "
        "format and you need to use a different restore operator?"
    )


class SingleFile:
    """A checkpoint in format V1, opened for reading.

    Args:
        paths: Its files.

    Raises:
        DataLossError: A file is damaged or has another format.
    """

    def __init__(self, paths: list[str]) -> None:
        self._files = [_File(path) for path in paths]

    @functools.cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries of all tensors."""
        found: dict[str, Entry] = {}
        for file in self._files:
            for entry in file.entries():
                other = found.setdefault(entry.key, entry)
                if other is not entry:
                    found[entry.key] = _merge_entries(other, entry, file.path)
        return found

    def entry(self, key: str) -> Entry:
        """Returns the entry of a tensor.

        Raises:
            NotFoundError: The key does not exist.
        """
        if key not in self.entries:
            raise missing(f"{key} not found in checkpoint file")
        return self.entries[key]

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def part(self, entry: Entry, part: Part) -> Entry:
        """Returns the entry of a slice of a tensor."""
        size = math.prod(part.shape) * entry.dtype.size
        return Entry(entry.key, entry.dtype, part.shape, 0, 0, size, 0, (part,))

    def check(self, entry: Entry) -> None:
        """Raises DataLossError, before allocation, where the files are too small for a tensor."""
        most = _MOST_FOR_A_BYTE * sum(file.length for file in self._files)
        if entry.count > most or not entry.parts:
            raise lost(
                f"Key {entry.key} in {self._files[0].path} has too little data for its shape"
            )

    def fill(self, wanted: Iterable[tuple[Entry, np.ndarray[Any, Any]]], progress: Any) -> None:
        """Reads slices of tensors into arrays.

        Args:
            wanted: Entries of slices, with arrays of their dtypes and shapes.
            progress: Called with the number of bytes read.
        """
        for entry, array in wanted:
            array[...] = self._values(entry).reshape(entry.shape)
            progress(entry.size)

    def _values(self, entry: Entry) -> np.ndarray[Any, Any]:
        key = slice_key(encoded(entry.key), entry.parts[0])
        for file in self._files:
            data = file.table.get(key)
            if data is not None:
                return _values(parsed("SavedTensorSlices", data, key.hex()).data, entry, file.path)
        raise missing(f"Key {entry.key} has no data in {self._files[0].path}")


def _values(saved: Any, entry: Entry, path: str) -> np.ndarray[Any, Any]:
    """Returns the elements in a message, after validation against the entry."""
    if saved.data.dtype not in (
        0,
        entry.dtype.as_datatype_enum,
    ):  # TensorFlow stores it once, in the metadata
        raise lost(f"The data of key {entry.key} in {path} are of another type")
    found = _read_values(saved.data, entry.dtype)
    if found.size != entry.count:
        raise lost(f"Key {entry.key} in {path} has {found.size} elements instead of {entry.count}")
    return found


def _merge_entries(a: Entry, b: Entry, path: str) -> Entry:
    if a.dtype is not b.dtype or a.shape != b.shape:
        raise lost(f"Key {a.key} in {path} has another type or shape than in another file")
    return Entry(a.key, a.dtype, a.shape, 0, 0, a.size, 0, a.parts + b.parts)
