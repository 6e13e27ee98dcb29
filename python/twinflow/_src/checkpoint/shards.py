"""Data shards of a checkpoint: parallel reads into arrays, with checksums."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any

import numpy as np

from twinflow._src.backends.cpu import malloc
from twinflow._src.checkpoint import crc
from twinflow._src.checkpoint.damage_errors import lost, truncated
from twinflow._src.checkpoint.entries import Entry
from twinflow._src.core.errors import OpError
from twinflow._src.core.fork import LongLock
from twinflow._src.io.local_files import closing, explained

CHUNK = 8 << 20  # bytes per read of a thread
_OPENED_EARLY = 16
_THREADS = min(4, os.cpu_count() or 1)
Bytes = np.ndarray[Any, Any]


def shard_name(prefix: str, shard: int, shards: int) -> str:
    """Returns the name of a data shard.

    Args:
        prefix: The prefix of the checkpoint's files.
        shard: The index of the shard.
        shards: The number of shards.
    """
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


class Shard:
    """An open data shard."""

    def __init__(self, path: str) -> None:
        self.path = path
        with explained(path) as place:
            file: IO[bytes] = open(place, "rb", buffering=0)  # noqa: SIM115
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
    """The data shards of a checkpoint, opened on first use.

    Args:
        prefix: The prefix of their names.
        count: The number of shards.
    """

    def __init__(self, prefix: str, count: int) -> None:
        self._prefix, self._count = prefix, count
        self._open: dict[int, Shard] = {}

    def __getitem__(self, number: int) -> Shard:
        found = self._open.get(number)
        if found is None:
            found = Shard(shard_name(self._prefix, number, self._count))
            found = self._open.setdefault(number, found)
        return found

    def open_early(self) -> None:
        """Opens existing shards, unless there are many: a new checkpoint may remove them."""
        if self._count <= _OPENED_EARLY:
            for number in range(self._count):
                with suppress(OpError):  # raised later by a read
                    self[number]

    def fill(self, wanted: Iterable[tuple[Entry, Bytes]], progress: Callable[[int], None]) -> None:
        """Reads tensors into arrays, in parallel.

        Args:
            wanted: Entries, and arrays of the same number of bytes.
            progress: Called periodically with the number of bytes read.

        Raises:
            DataLossError: A checksum does not match the index.
        """
        wanted = list(wanted)
        for entry, _ in wanted:
            self[entry.shard].check(entry)
        jobs = list(_jobs(wanted))
        if len(jobs) == 1:
            found = [self._run(job) for job in jobs]
            progress(sum(len(view) for _, view in wanted))
        else:
            found = self._in_threads(jobs, progress)
        sums = (each for job in found for each in job)
        pieces = (piece for job in jobs for piece in job)
        self._compare(wanted, pieces, sums)

    def _in_threads(self, jobs: list[_Job], progress: Callable[[int], None]) -> list[list[int]]:
        found = []
        with ThreadPoolExecutor(_THREADS) as pool:
            try:
                for job, sums in zip(jobs, pool.map(self._run, jobs)):
                    found.append(sums)
                    progress(sum(len(view) for _, view, _ in job))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return found

    def _run(self, job: _Job) -> list[int]:
        return [self[entry.shard].fill(view, entry.offset + at) for entry, view, at in job]

    def _compare(self, wanted: list[Any], pieces: Iterable[_Piece], sums: Iterable[int]) -> None:
        """Combines the checksums of chunks, and compares them with those of the index."""
        rest = zip(pieces, sums)
        for entry, view in wanted:
            total = 0
            for _ in range(_piece_count(len(view))):
                (_, piece, _), each = next(rest)
                total = crc.combine(total, each, len(piece))
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

_Piece = tuple[Entry, Bytes, int]  # the tensor, the output, and the offset within the tensor
_Job = list[_Piece]


def _piece_count(size: int) -> int:
    return -(-size // CHUNK)


def _jobs(wanted: Iterable[tuple[Entry, Bytes]]) -> Iterable[_Job]:
    """Splits tensors into chunks, and groups chunks into jobs of about the same size."""
    job: _Job = []
    size = 0
    for entry, view in wanted:
        for at in range(0, len(view), CHUNK):
            piece = view[at : at + CHUNK]
            job.append((entry, piece, at))
            size += len(piece)
            if size >= CHUNK:
                yield job
                job, size = [], 0
    if job:
        yield job
