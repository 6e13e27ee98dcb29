"""Reader of checkpoints: full tensors and slices by name; merging of sharded checkpoints."""

from __future__ import annotations

import itertools
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import IO, Any

import numpy as np

from twinflow._src.checkpoint import values
from twinflow._src.checkpoint.bundle import Bundle, index_name, shard_name
from twinflow._src.checkpoint.entries import (
    Entry,
    Part,
    dims_of,
    dtype_of,
    encode_key,
    parse_message,
    part_of,
    slice_key,
)
from twinflow._src.checkpoint.sstable import Table
from twinflow._src.checkpoint.writer import Save, merge_slices, remove_data
from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import OpError, invalid
from twinflow._src.core.fork import cached_property
from twinflow._src.graph_serialization.tensor_proto import _read_values
from twinflow._src.io.local_files import (
    closing,
    explained,
    local,
    lost,
    matching,
    missing,
    path_text,
    refused,
)

# ------------------------------------------------------------------ format V1


_MOST_FOR_A_BYTE = 32  # elements; blocks compress to a twentieth at best


class _File:
    """One file of the checkpoint."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            with explained(path) as local_path:
                file: IO[bytes] = open(local_path, "rb")  # noqa: SIM115
            self.table = Table(closing(self, file))
            self.length = file.seek(0, 2)
            meta = self.table.get(b"")
        except OpError as error:
            raise lost(_unreadable(path, error)) from None
        if meta is None:
            raise lost(
                f"Failed to find the saved tensor slices at the beginning of the file: {path}"
            )
        self.meta = parse_message("SavedTensorSlices", meta, f"Metadata in {path}").meta

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
    """A checkpoint in format V1, opened for reading."""

    def __init__(self, paths: list[str]) -> None:
        self._files = [_File(path) for path in paths]

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries of all tensors."""
        entries: dict[str, Entry] = {}
        for file in self._files:
            for entry in file.entries():
                other = entries.setdefault(entry.key, entry)
                if other is not entry:
                    entries[entry.key] = _merge_entries(other, entry, file.path)
        return entries

    def entry(self, key: str) -> Entry:
        """Returns the entry of a tensor."""
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

    def fill(self, outputs: Iterable[tuple[Entry, np.ndarray[Any, Any]]], progress: Any) -> None:
        """Reads slices of tensors into arrays."""
        for entry, array in outputs:
            array[...] = self._values(entry).reshape(entry.shape)
            progress(entry.size)

    def _values(self, entry: Entry) -> np.ndarray[Any, Any]:
        key = slice_key(encode_key(entry.key), entry.parts[0])
        for file in self._files:
            data = file.table.get(key)
            if data is not None:
                return _values(
                    parse_message("SavedTensorSlices", data, key.hex()).data, entry, file.path
                )
        raise missing(f"Key {entry.key} has no data in {self._files[0].path}")


def _values(saved: Any, entry: Entry, path: str) -> np.ndarray[Any, Any]:
    """Returns the elements in a message, after validation against the entry."""
    if saved.data.dtype not in (
        0,
        entry.dtype.as_datatype_enum,
    ):  # TensorFlow stores it once, in the metadata
        raise lost(f"The data of key {entry.key} in {path} are of another type")
    elements = _read_values(saved.data, entry.dtype)
    if elements.size != entry.count:
        raise lost(
            f"Key {entry.key} in {path} has {elements.size} elements instead of {entry.count}"
        )
    return elements


def _merge_entries(a: Entry, b: Entry, path: str) -> Entry:
    if a.dtype is not b.dtype or a.shape != b.shape:
        raise lost(f"Key {a.key} in {path} has another type or shape than in another file")
    return Entry(a.key, a.dtype, a.shape, 0, 0, a.size, 0, a.parts + b.parts)


# ------------------------------------------------------------------ both formats


Array = np.ndarray[Any, Any]
Progress = Callable[[int, int], None]


def _opened(prefix: str) -> Bundle | SingleFile:
    """Opens the checkpoint of a prefix, in either format."""
    if os.path.exists(local(index_name(prefix))):
        return Bundle(prefix)
    files = sorted(matching(prefix))
    if not files:
        raise missing(
            f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {prefix}"
        )
    return SingleFile(files)


def _nothing(count: int) -> None:
    """Does nothing: the default progress callback."""


class Reader:
    """A checkpoint opened for reading."""

    def __init__(self, prefix: Any) -> None:
        self.prefix = path_text(prefix)
        self._source = _opened(self.prefix)

    def keys(self) -> list[str]:
        """Returns the names of all tensors, sorted."""
        return sorted(self._source.entries)

    def __contains__(self, key: str) -> bool:
        return key in self._source

    def dtype(self, key: str) -> DType:
        """Returns the dtype of a tensor."""
        return self._source.entry(key).dtype

    def shape(self, key: str) -> tuple[int, ...]:
        """Returns the shape of a tensor."""
        return self._source.entry(key).shape

    def size(self, key: str) -> int:
        """Returns the size of a tensor in the files, in bytes."""
        entry = self._source.entry(key)
        return sum(self._source.part(entry, p).size for p in entry.parts) or entry.size

    def read(self, key: str, out: Array | None = None) -> Array:
        """Returns a tensor; after an error the contents of ``out`` are undefined."""
        return self._read([key], {} if out is None else {key: out}, _nothing)[key]

    def read_all(self, keys: Iterable[str], progress: Progress | None = None) -> dict[str, Array]:
        """Returns several tensors; all checksums are verified first."""
        unique_keys = list(dict.fromkeys(keys))
        if progress is None:
            return self._read(unique_keys, {}, _nothing)
        whole, done = sum(map(self.size, unique_keys)), 0

        def report_progress(count: int) -> None:
            nonlocal done
            done += count
            progress(done, whole)

        return self._read(unique_keys, {}, report_progress)

    def _read(
        self, keys: list[str], into: dict[str, Array], progress: Callable[[int], None]
    ) -> dict[str, Array]:
        """Reads full tensors: unpartitioned ones directly into arrays, others slice by slice."""
        entries = [self._source.entry(key) for key in keys]
        plain = [entry for entry in entries if not entry.parts]
        for entry in plain:
            self._source.check(entry)
        arrays = {e.key: _output_array(e, into.get(e.key)) for e in plain}
        self._source.fill(((e, arrays[e.key]) for e in plain), progress)
        for entry in entries:
            if entry.parts:
                whole = Part(entry.shape, (0,) * len(entry.shape), entry.shape)
                arrays[entry.key] = self._gather_slices(entry, whole, progress, into.get(entry.key))
        return {key: arrays[key] for key in keys}

    def read_part(self, key: str, starts: Sequence[int], sizes: Sequence[int]) -> Array:
        """Returns a rectangular slice of a tensor; a size of -1 means the full dimension."""
        entry = self._source.entry(key)
        region = Part(entry.shape, tuple(starts), tuple(sizes))
        if not len(region.starts) == len(region.sizes) == len(entry.shape):
            raise refused(
                f"A slice of {len(region.starts)} dimensions of {key}, which has {len(entry.shape)}"
            )
        values.assert_within(region)
        if entry.parts:
            return self._gather_slices(entry, region, _nothing, None)
        return np.ascontiguousarray(self.read(key)[region.slices])

    def _gather_slices(self, entry: Entry, region: Part, progress: Any, out: Array | None) -> Array:
        """Returns a region of a partitioned tensor."""
        touching = [part for part in entry.parts if _common(part, region) is not None]
        _assert_covered(entry, touching, region)
        sources = [(self._source.part(entry, part), part) for part in touching]
        for source, _ in sources:
            self._source.check(source)
        result = _output_array(entry, out, region.shape)
        for source, part in sources:
            array = np.empty(source.shape, source.dtype.np)
            self._source.fill([(source, array)], progress)
            common = _common(part, region)
            result[_shift_slices(common, region.starts)] = array[_shift_slices(common, part.starts)]
        return result


def _output_array(entry: Entry, out: Array | None, shape: tuple[int, ...] | None = None) -> Array:
    """Returns the output array for a tensor: a new one, or ``out`` after validation."""
    shape = entry.shape if shape is None else shape
    if out is None:
        return np.empty(shape, entry.dtype.np)
    if out.shape != shape or out.dtype != entry.dtype.np or not out.flags.c_contiguous:
        raise ValueError(
            f"{entry.key} has type {entry.dtype.name} and shape {shape}; the array to read it into "
            f"has {out.dtype} and {out.shape}, or is not contiguous"
        )
    return out


# ------------------------------------------------------------------ slices


def _common(a: Part, b: Part) -> tuple[slice, ...] | None:
    """Returns the intersection of two slices of a tensor, or None."""
    pairs = zip(a.slices, b.slices)
    common = tuple(slice(max(x.start, y.start), min(x.stop, y.stop)) for x, y in pairs)
    return common if all(s.start < s.stop for s in common) else None


def _shift_slices(slices: Any, starts: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(s.start - a, s.stop - a) for s, a in zip(slices, starts))


def _assert_covered(entry: Entry, parts: list[Part], region: Part) -> None:
    """Raises an error where slices overlap, or do not cover a region."""
    if any(_common(a, b) is not None for a, b in itertools.combinations(parts, 2)):
        raise lost(f"Overlapping slices of key {entry.key}")
    regions = [_common(part, region) or () for part in parts]
    covered = sum(math.prod(s.stop - s.start for s in each) for each in regions)
    if covered != math.prod(region.shape):
        raise refused(
            f"Does not have sufficient slices for partitioned tensor {entry.key} to restore in "
            f"slice_spec: {values.slice_spec(region)}"
        )


# ------------------------------------------------------------------ merging

# Data files are renamed, indices are joined.


def merge(
    prefixes: Sequence[str],
    destination: str,
    delete_old_dirs: bool = True,
    allow_missing_files: bool = False,
    durable: bool = True,
) -> None:
    """Merges several checkpoints into one, and removes them."""
    existing = [prefix for prefix in prefixes if _is_there(prefix, allow_missing_files)]
    if not existing:
        raise invalid("At least one prefix checkpoint file must exist, but none existed.")
    entries: dict[bytes, Entry] = {}
    paths: list[str] = []
    for prefix in existing:
        bundle = Bundle(prefix)
        _add(entries, bundle, len(paths), prefix)
        paths += [local(shard_name(prefix, i, bundle.count)) for i in range(bundle.count)]
    with explained(destination) as local_path, Save(local_path, durable) as save:
        save.adopt(paths)
        save.commit(entries)
    for prefix in existing:
        if os.path.abspath(local(prefix)) != os.path.abspath(local(destination)):
            _clear(local(prefix), delete_old_dirs)


def _is_there(prefix: str, may_be_missing: bool) -> bool:
    there = os.path.exists(local(index_name(prefix)))
    if not (there or may_be_missing):
        raise invalid(
            f"allow_missing_files was set to false and {prefix} did not exist.NOT_FOUND: {prefix} not found"
        )
    return there


def _add(entries: dict[bytes, Entry], bundle: Bundle, before: int, prefix: str) -> None:
    """Adds the entries of a checkpoint, with its shard indices offset by ``before``."""
    for key, entry in bundle.stored():
        other = entries.get(key)
        if other is not None and not (other.parts and entry.parts):
            raise invalid(
                f"Duplicate tensor keyed by {entry.key} encountered, when merging prefix: {prefix}"
            )
        moved = entry if entry.parts else replace(entry, shard=entry.shard + before)
        entries[key] = moved if other is None else merge_slices(other, moved)


def _clear(prefix: str, with_folder: bool) -> None:
    """Removes the index of a checkpoint and the old names of its data files."""
    os.unlink(index_name(prefix))
    remove_data(prefix)
    if with_folder:
        with suppress(OSError):  # the directory is not empty
            os.rmdir(os.path.dirname(prefix))
