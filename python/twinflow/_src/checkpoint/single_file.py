"""Checkpoints of TensorFlow's first format: a table with tensors for values, in one file or several."""

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

_MOST_FOR_A_BYTE = 32  # elements; a block is compressed to a twentieth at best


class _File:
    """One of the files."""

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
        """The tensors of which the file has parts."""
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
    """A checkpoint of the first format that is open for reading.

    Args:
        paths: Its files.

    Raises:
        DataLossError: One of them is damaged, or is something else.
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
                    found[entry.key] = _joined(other, entry, file.path)
        return found

    def entry(self, key: str) -> Entry:
        """The entry of a tensor.

        Raises:
            NotFoundError: There is none.
        """
        if key not in self.entries:
            raise missing(f"{key} not found in checkpoint file")
        return self.entries[key]

    def __contains__(self, key: str) -> bool:
        return key in self.entries

    def part(self, entry: Entry, part: Part) -> Entry:
        """The entry of a part of a tensor."""
        size = math.prod(part.shape) * entry.dtype.size
        return Entry(entry.key, entry.dtype, part.shape, 0, 0, size, 0, (part,))

    def check(self, entry: Entry) -> None:
        """Raises an error where the files are too small to hold a tensor; memory is not asked for before."""
        most = _MOST_FOR_A_BYTE * sum(file.length for file in self._files)
        if entry.count > most or not entry.parts:
            raise lost(
                f"Key {entry.key} in {self._files[0].path} has too little data for its shape"
            )

    def fill(self, wanted: Iterable[tuple[Entry, np.ndarray[Any, Any]]], progress: Any) -> None:
        """Reads parts of tensors into arrays.

        Args:
            wanted: Entries of parts, with arrays of their types and shapes.
            progress: Called with the number of bytes that have been read.
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
    """The elements in a message, as many as the entry says."""
    if saved.data.dtype not in (
        0,
        entry.dtype.as_datatype_enum,
    ):  # TensorFlow says it once, in the metadata
        raise lost(f"The data of key {entry.key} in {path} are of another type")
    found = _read_values(saved.data, entry.dtype)
    if found.size != entry.count:
        raise lost(f"Key {entry.key} in {path} has {found.size} elements instead of {entry.count}")
    return found


def _joined(a: Entry, b: Entry, path: str) -> Entry:
    if a.dtype is not b.dtype or a.shape != b.shape:
        raise lost(f"Key {a.key} in {path} has another type or shape than in another file")
    return Entry(a.key, a.dtype, a.shape, 0, 0, a.size, 0, a.parts + b.parts)
