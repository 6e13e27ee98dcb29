"""Reader of checkpoints: full tensors and slices by name; merging of sharded checkpoints."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from twinflow._src.checkpoint import values
from twinflow._src.checkpoint.bundle import Bundle, index_name
from twinflow._src.checkpoint.damage_errors import lost, missing, refused
from twinflow._src.checkpoint.entries import Entry, Part
from twinflow._src.checkpoint.shards import shard_name
from twinflow._src.checkpoint.single_file import SingleFile
from twinflow._src.checkpoint.writer import Save, merge_slices, remove_data
from twinflow._src.core.dtypes import DType
from twinflow._src.core.errors import invalid
from twinflow._src.io.local_files import explained, local, matching, path_text

# Reading.


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
    """A checkpoint opened for reading.

    Args:
        prefix: The prefix of its files.

    Raises:
        NotFoundError: The checkpoint does not exist.
        DataLossError: The index is damaged.
        InvalidArgumentError: The index has a newer format.
        ImportError: The package protobuf or google-crc32c is not installed.
    """

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
        """Returns a tensor.

        Args:
            key: Its name.
            out: A contiguous output array of its dtype and shape; a new one where None. Its
                contents are undefined after an error.

        Raises:
            NotFoundError: The tensor or its data file does not exist.
            DataLossError: The files are damaged.
        """
        return self._read([key], {} if out is None else {key: out}, _nothing)[key]

    def read_all(self, keys: Iterable[str], progress: Progress | None = None) -> dict[str, Array]:
        """Returns several tensors; all checksums are verified first.

        Args:
            keys: Their names.
            progress: Called periodically with the bytes read and the total.
        """
        wanted = list(dict.fromkeys(keys))
        if progress is None:
            return self._read(wanted, {}, _nothing)
        whole, done = sum(map(self.size, wanted)), 0

        def report_progress(count: int) -> None:
            nonlocal done
            done += count
            progress(done, whole)

        return self._read(wanted, {}, report_progress)

    def _read(
        self, keys: list[str], into: dict[str, Array], progress: Callable[[int], None]
    ) -> dict[str, Array]:
        """Reads full tensors: unpartitioned ones directly into arrays, others slice by slice."""
        entries = [self._source.entry(key) for key in keys]
        plain = [entry for entry in entries if not entry.parts]
        for entry in plain:
            self._source.check(entry)
        found = {e.key: _room(e, into.get(e.key)) for e in plain}
        self._source.fill(((e, found[e.key]) for e in plain), progress)
        for entry in entries:
            if entry.parts:
                whole = Part(entry.shape, (0,) * len(entry.shape), entry.shape)
                found[entry.key] = self._gathered(entry, whole, progress, into.get(entry.key))
        return {key: found[key] for key in keys}

    def read_part(self, key: str, starts: Sequence[int], sizes: Sequence[int]) -> Array:
        """Returns a rectangular slice of a tensor.

        Args:
            key: The tensor's name.
            starts: The offset of the slice along each dimension.
            sizes: Its size along each dimension; -1 for the full dimension.

        Raises:
            InvalidArgumentError: The slice has another rank, or is not completely in the files.
            InternalError: The slice is out of bounds.
            NotFoundError: The tensor or its data file does not exist.
            DataLossError: The files are damaged.
        """
        entry = self._source.entry(key)
        region = Part(entry.shape, tuple(starts), tuple(sizes))
        if not len(region.starts) == len(region.sizes) == len(entry.shape):
            raise refused(
                f"A slice of {len(region.starts)} dimensions of {key}, which has {len(entry.shape)}"
            )
        values.assert_within(region)
        if entry.parts:
            return self._gathered(entry, region, _nothing, None)
        return np.ascontiguousarray(self.read(key)[region.places])

    def _gathered(self, entry: Entry, region: Part, progress: Any, out: Array | None) -> Array:
        """Returns a region of a partitioned tensor."""
        touching = [part for part in entry.parts if _common(part, region) is not None]
        _assert_covered(entry, touching, region)
        pieces = [(self._source.part(entry, part), part) for part in touching]
        for piece, _ in pieces:
            self._source.check(piece)
        result = _room(entry, out, region.shape)
        for piece, part in pieces:
            array = np.empty(piece.shape, piece.dtype.np)
            self._source.fill([(piece, array)], progress)
            common = _common(part, region)
            result[_shift_slices(common, region.starts)] = array[_shift_slices(common, part.starts)]
        return result


def _room(entry: Entry, out: Array | None, shape: tuple[int, ...] | None = None) -> Array:
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
    pairs = zip(a.places, b.places)
    found = tuple(slice(max(x.start, y.start), min(x.stop, y.stop)) for x, y in pairs)
    return found if all(s.start < s.stop for s in found) else None


def _shift_slices(places: Any, starts: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(s.start - a, s.stop - a) for s, a in zip(places, starts))


def _assert_covered(entry: Entry, parts: list[Part], region: Part) -> None:
    """Raises an error where slices overlap, or do not cover a region."""
    if any(_common(a, b) is not None for a, b in itertools.combinations(parts, 2)):
        raise lost(f"Overlapping slices of key {entry.key}")
    found = [_common(part, region) or () for part in parts]
    covered = sum(math.prod(s.stop - s.start for s in each) for each in found)
    if covered != math.prod(region.shape):
        raise refused(
            f"Does not have sufficient slices for partitioned tensor {entry.key} to restore in "
            f"slice_spec: {values.text(region)}"
        )


# Merging of sharded checkpoints: data files are renamed, indices are joined.


def merge(
    prefixes: Sequence[str],
    destination: str,
    delete_old_dirs: bool = True,
    allow_missing_files: bool = False,
    durable: bool = True,
) -> None:
    """Merges several checkpoints into one, and removes them.

    Args:
        prefixes: The prefixes of their files.
        destination: The prefix of the new checkpoint.
        delete_old_dirs: Whether to remove their directories if empty.
        allow_missing_files: Whether to skip missing checkpoints.
        durable: Whether to call ``fsync``.

    Raises:
        InvalidArgumentError: A checkpoint does not exist, or a tensor is in two of them.
        DataLossError: A checkpoint is damaged.
    """
    found = [prefix for prefix in prefixes if _is_there(prefix, allow_missing_files)]
    if not found:
        raise invalid("At least one prefix checkpoint file must exist, but none existed.")
    entries: dict[bytes, Entry] = {}
    paths: list[str] = []
    for prefix in found:
        bundle = Bundle(prefix)
        _add(entries, bundle, len(paths), prefix)
        paths += [local(shard_name(prefix, i, bundle.count)) for i in range(bundle.count)]
    with explained(destination) as place, Save(place, durable) as save:
        save.adopt(paths)
        save.commit(entries)
    for prefix in found:
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
