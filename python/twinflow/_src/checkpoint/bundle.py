"""Reader of TensorFlow's checkpoint format V2 (tensor bundle): an index, and data shards."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any

import numpy as np

from twinflow._src.backends.cpu import malloc
from twinflow._src.checkpoint.entries import (
    Entry,
    decode_key,
    encode_key,
    entry_of,
    parse_message,
    slice_key,
)
from twinflow._src.checkpoint.sstable import Table
from twinflow._src.core import dtypes
from twinflow._src.core.errors import DataLossError, OpError
from twinflow._src.core.fork import LongLock, cached_property
from twinflow._src.io import crc
from twinflow._src.io.local_files import (
    closing,
    explained,
    local,
    lost,
    missing,
    refused,
    truncated,
)
from twinflow._src.io.varints import read_varint, varint

# ------------------------------------------------------------------ string tensors


_LONGEST = 10  # maximum number of bytes of a length
_STRING_CHUNK = 1 << 20
_SHORT = 0xFFFFFFFF  # the longest string whose length is four bytes in the checksum


def _encode_lengths(lengths: list[int]) -> bytes:
    """Returns lengths in the form that the checksum covers."""
    if not lengths or max(lengths) <= _SHORT:
        return np.array(lengths, "<u4").tobytes()
    return b"".join(struct.pack("<I" if n <= _SHORT else "<Q", n) for n in lengths)


def string_head(array: np.ndarray[Any, Any]) -> tuple[bytes, int]:
    """Returns the data before the strings in a file, and the checksum so far."""
    lengths = [len(each) for each in array.ravel().tolist()]
    total = crc.extend(0, _encode_lengths(lengths))
    check = struct.pack("<I", crc.mask(total))
    return b"".join(map(varint, lengths)) + check, crc.extend(total, check)


def string_chunks(array: np.ndarray[Any, Any]) -> Iterator[bytes]:
    """Yields the concatenated strings in chunks."""
    joined: list[bytes] = []
    size = 0
    for each in array.ravel().tolist():
        joined.append(each)
        size += len(each)
        if size >= _STRING_CHUNK:
            yield b"".join(joined)
            joined, size = [], 0
    yield b"".join(joined)


def _lengths(data: bytes, count: int, of: str) -> tuple[list[int], int]:
    lengths, offset = [], 0
    try:
        for _ in range(count):
            length, offset = read_varint(data, offset)
            lengths.append(length)
    except (IndexError, ValueError):
        raise lost(f"{of}: the lengths of the strings are not readable") from None
    return lengths, offset


def decode_strings(
    data: np.ndarray[Any, Any], count: int, of: str
) -> tuple[np.ndarray[Any, Any], int]:
    """Decodes an array of bytes to strings; returns them, and the checksum of all data."""
    lengths, offset = _lengths(data[: _LONGEST * count].tobytes(), count, of)
    total = crc.extend(0, _encode_lengths(lengths))
    check = data[offset : offset + 4].tobytes()
    offset += 4
    if offset > len(data) or check != struct.pack("<I", crc.mask(total)):
        stored = crc.unmask(int.from_bytes(check, "little"))
        raise lost(
            f"The length checksum does not match: expected {stored:08d} but actual is {total:08d}: {of}"
        )
    if offset + sum(lengths) != len(data):
        raise lost(f"Invalid size in bundle entry: {of}: the strings do not fill it")
    total = crc.extend(crc.extend(total, check), data[offset:])
    return _split_strings(data, lengths, offset), total


def _split_strings(
    data: np.ndarray[Any, Any], lengths: list[int], offset: int
) -> np.ndarray[Any, Any]:
    strings, view = np.empty(len(lengths), object), data.data
    for i, length in enumerate(lengths):
        strings[i] = bytes(view[offset : offset + length])
        offset += length
    return strings


# ------------------------------------------------------------------ data shards


CHUNK = 8 << 20  # bytes per read of a thread
_OPENED_EARLY = 16
_THREADS = min(4, os.cpu_count() or 1)
Bytes = np.ndarray[Any, Any]


def shard_name(prefix: str, shard: int, shards: int) -> str:
    """Returns the name of a data shard."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


class Shard:
    """An open data shard."""

    def __init__(self, path: str) -> None:
        self.path = path
        with explained(path) as local_path:
            file: IO[bytes] = open(local_path, "rb", buffering=0)  # noqa: SIM115
        self._file = closing(self, file)
        self.length = file.seek(0, 2)
        self._lock = LongLock()

    def check(self, entry: Entry) -> None:
        """Raises TruncatedError where the file ends before the data of a tensor."""
        if entry.offset + entry.size > self.length:
            raise truncated(self.path, f"key {entry.key}")

    def fill(self, view: Bytes, offset: int) -> int:
        """Reads a chunk of the file into an array of bytes; returns its checksum."""
        malloc.populate(view)
        rest = view.data
        with explained(self.path):
            while len(rest):
                count = self._read(rest, offset)
                if not count:
                    raise truncated(self.path, f"the bytes from {offset} on")
                rest, offset = rest[count:], offset + count
        return crc.extend(0, view)

    def _read(self, view: memoryview, offset: int) -> int:
        if hasattr(os, "preadv"):
            return os.preadv(self._file.fileno(), [view], offset)
        with self._lock:
            self._file.seek(offset)
            return self._file.readinto(view)  # type: ignore[attr-defined]


class Shards:
    """The data shards of a checkpoint, opened on first use."""

    def __init__(self, prefix: str, count: int) -> None:
        self._prefix, self._count = prefix, count
        self._open: dict[int, Shard] = {}

    def __getitem__(self, number: int) -> Shard:
        shard = self._open.get(number)
        if shard is None:
            shard = Shard(shard_name(self._prefix, number, self._count))
            shard = self._open.setdefault(number, shard)
        return shard

    def open_early(self) -> None:
        """Opens existing shards, unless there are many: a new checkpoint may remove them."""
        if self._count <= _OPENED_EARLY:
            for number in range(self._count):
                with suppress(OpError):  # raised later by a read
                    self[number]

    def fill(self, outputs: Iterable[tuple[Entry, Bytes]], progress: Callable[[int], None]) -> None:
        """Reads tensors into arrays, in parallel; DataLossError where a checksum does not match."""
        outputs = list(outputs)
        for entry, _ in outputs:
            self[entry.shard].check(entry)
        jobs = list(_jobs(outputs))
        if len(jobs) == 1:
            sums = [self._run(job) for job in jobs]
            progress(sum(len(view) for _, view in outputs))
        else:
            sums = self._in_threads(jobs, progress)
        flat = (total for job in sums for total in job)
        chunks = (chunk for job in jobs for chunk in job)
        self._compare(outputs, chunks, flat)

    def _in_threads(self, jobs: list[_Job], progress: Callable[[int], None]) -> list[list[int]]:
        totals = []
        with ThreadPoolExecutor(_THREADS) as pool:
            try:
                for job, sums in zip(jobs, pool.map(self._run, jobs)):
                    totals.append(sums)
                    progress(sum(len(view) for _, view, _ in job))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return totals

    def _run(self, job: _Job) -> list[int]:
        return [self[entry.shard].fill(view, entry.offset + at) for entry, view, at in job]

    def _compare(self, outputs: list[Any], chunks: Iterable[_Chunk], sums: Iterable[int]) -> None:
        """Combines the checksums of chunks, and compares them with those of the index."""
        pairs = zip(chunks, sums)
        for entry, view in outputs:
            total = 0
            for _ in range(_chunk_count(len(view))):
                (_, chunk, _), each = next(pairs)
                total = crc.combine(total, each, len(chunk))
            self.assert_sum(entry, total)

    def assert_sum(self, entry: Entry, total: int) -> None:
        """Raises DataLossError where the checksum of a tensor does not match the index."""
        stored = crc.unmask(entry.crc)
        if stored != total:
            raise lost(
                f"TensorBundle at {self._prefix} shard {entry.shard} ({entry.size} bytes): Checksum "
                f"does not match: stored {stored:08d} vs. calculated on the restored bytes {total}: "
                f"key {entry.key} in {self[entry.shard].path}"
            )


# ------------------------------------------------------------------ chunks and jobs

_Chunk = tuple[Entry, Bytes, int]  # the tensor, the output, and the offset within the tensor
_Job = list[_Chunk]


def _chunk_count(size: int) -> int:
    return -(-size // CHUNK)


def _jobs(outputs: Iterable[tuple[Entry, Bytes]]) -> Iterable[_Job]:
    """Splits tensors into chunks, and groups chunks into jobs of about the same size."""
    job: _Job = []
    size = 0
    for entry, view in outputs:
        for at in range(0, len(view), CHUNK):
            chunk = view[at : at + CHUNK]
            job.append((entry, chunk, at))
            size += len(chunk)
            if size >= CHUNK:
                yield job
                job, size = [], 0
    if job:
        yield job


# ------------------------------------------------------------------ bundles


_VERSION = 1  # of the format
_ATTEMPTS = 20  # to open a checkpoint that is being replaced
_FIXED = frozenset(d for d in dtypes.ALL.values() if d.kind not in "rs")


def index_name(prefix: str) -> str:
    """Returns the name of a checkpoint's index."""
    return f"{prefix}.index"


def _table(path: str) -> dict[bytes, bytes]:
    """Returns the key-value pairs of an index."""
    with explained(path) as local_path, open(local_path, "rb") as file:
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
        stat = os.stat(local(path))
    except OSError:
        return None
    return stat.st_ino, stat.st_mtime_ns, stat.st_size


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
    """Returns the header of an index, and its other values under encoded keys."""
    entries = _table(path)
    if b"" not in entries:
        raise lost(_unreadable(path, "there is no header"))
    header = parse_message("BundleHeaderProto", entries.pop(b""), f"Header of {path}")
    _assert_version(header.version)
    if header.num_shards < 1:
        raise lost(f"{path} says that there are {header.num_shards} files with data")
    return header, entries


class Bundle:
    """A checkpoint opened for reading."""

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
        self._entry_cache: dict[str, Entry] = {}  # cache of parsed entries
        self._swapped = (header.endianness == 1) != (sys.byteorder == "big")

    def _parsed(self, key: str, data: bytes) -> Entry:
        return entry_of(key, data, self.index, self.count)

    def stored(self) -> Iterator[tuple[bytes, Entry]]:
        """Yields the entries of the index, also those of slices, with their encoded keys."""
        for key, data in self._entries.items():
            yield key, self._parsed(decode_key(key), data)

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The entries of all tensors, without those of slices."""
        stored = dict(self.stored())
        parts = {slice_key(key, part) for key, entry in stored.items() for part in entry.parts}
        return {entry.key: entry for key, entry in stored.items() if key not in parts}

    def entry(self, key: str) -> Entry:
        """Returns the entry of a tensor."""
        cached = self._entry_cache.get(key)
        if cached is not None:
            return cached
        data = self._entries.get(encode_key(key))
        if data is None:
            raise missing(f"Key {key} not found in checkpoint")
        entry = self._entry_cache[key] = self._parsed(key, data)
        return entry

    def __contains__(self, key: str) -> bool:
        return encode_key(key) in self._entries

    def part(self, entry: Entry, part: Any) -> Entry:
        """Returns the entry of a slice of a tensor."""
        key = slice_key(encode_key(entry.key), part)
        if key not in self._entries:
            raise missing(
                f"Key {entry.key} has no slice {part.starts} {part.sizes} in {self.index}"
            )
        stored = self._parsed(entry.key, self._entries[key])
        if stored.dtype is not entry.dtype or stored.shape != part.shape:
            raise lost(f"A slice of key {entry.key} in {self.index} has another type or shape")
        return stored

    def fill(self, outputs: Iterable[tuple[Entry, np.ndarray[Any, Any]]], progress: Any) -> None:
        """Reads tensors into contiguous arrays."""
        outputs = list(outputs)
        self._assert_apart([entry for entry, _ in outputs])
        plain = [(e, array) for e, array in outputs if e.dtype in _FIXED]
        self._shards.fill([(e, array.reshape(-1).view(np.uint8)) for e, array in plain], progress)
        for entry, array in plain if self._swapped else ():
            _swap(array, entry)
        for entry, array in outputs:
            if entry.dtype is dtypes.string:
                array[...] = self._strings(entry)
                progress(entry.size)

    def check(self, entry: Entry) -> None:
        """Raises DataLossError, before memory is allocated, where size and shape do not match."""
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
        strings, total = decode_strings(data, entry.count, f"key {entry.key} in {shard.path}")
        self._shards.assert_sum(entry, total)
        return strings.reshape(entry.shape)


def _swap(array: np.ndarray[Any, Any], entry: Entry) -> None:
    """Swaps the byte order of an array, in place."""
    width = entry.dtype.size // (2 if entry.dtype.kind == "c" else 1)
    if width > 1:
        each = array.reshape(-1).view(np.uint8).reshape(-1, width)
        each[...] = each[:, ::-1].copy()
