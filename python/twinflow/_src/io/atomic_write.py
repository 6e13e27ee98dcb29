"""Atomic writes of files.

A file is written under a temporary name that identifies the writing process, and then renamed.
Files of terminated processes are removed by the next save into the directory.
"""

from __future__ import annotations

import errno
import functools
import itertools
import os
import platform
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

# Errors of ``fsync`` on file systems that support it for files only.
_NOT_FOR_FOLDERS = (errno.EINVAL, errno.ENOTSUP)
_COUNTER = itertools.count()
_TEMPORARY = re.compile(r"(.+)\.tf-([0-9a-f]{8})-(\d+)-(\d+)-\d+\.tmp")


@functools.cache
def _host() -> str:
    """Returns a hash of the host and PID namespace, in which process ids are unique."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return f"{zlib.crc32(f'{platform.node()} {space}'.encode()):08x}"


def _start_time(pid: int) -> int | None:
    """Returns the start time of a process in ticks; 0 if unknown, None if there is no process."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except OSError:
        if os.path.exists("/proc/self/stat"):
            return None
    if os.name != "posix":
        return 0
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except OSError:
        pass
    return 0


def temporary_name(path: str) -> str:
    """Returns a unique temporary name for a file to be written by this process."""
    pid = os.getpid()
    return f"{path}.tf-{_host()}-{pid}-{_start_time(pid) or 0}-{next(_COUNTER)}.tmp"


def _is_abandoned(match: re.Match[str]) -> bool:
    """True if the process that wrote a temporary file has terminated."""
    if match[2] != _host():
        return False
    started = _start_time(int(match[3]))
    return started is None or (started != int(match[4]) and 0 not in (started, int(match[4])))


def leftovers(folder: str) -> Iterator[tuple[str, str]]:
    """Yields the temporary files of terminated processes in a directory, with their final names."""
    for name in os.listdir(folder or "."):
        match = _TEMPORARY.fullmatch(name)
        if match and _is_abandoned(match):
            yield os.path.join(folder, name), os.path.join(folder, match[1])


def create(path: str) -> int:
    """Creates a new file; returns its descriptor."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    return os.open(path, flags | getattr(os, "O_CLOEXEC", 0), 0o666)


def write_all(descriptor: int, data: Any) -> None:
    """Writes a buffer completely."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def make_folder(folder: str, durable: bool) -> None:
    """Creates a directory and its parents where they do not exist."""
    if not folder or os.path.isdir(folder):
        return
    above = os.path.dirname(folder)
    make_folder(above, durable)
    os.makedirs(folder, exist_ok=True)
    sync_folder(above, durable)


def sync_folder(folder: str, durable: bool) -> None:
    """Flushes the entries of a directory to disk (``fsync``)."""
    if not durable or os.name != "posix":
        return
    descriptor = os.open(folder or ".", os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NOT_FOR_FOLDERS:
            raise
    finally:
        os.close(descriptor)


def remove(path: str) -> None:
    """Removes a file if it exists."""
    with suppress(FileNotFoundError):
        os.unlink(path)


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """Acquires an exclusive lock for saves into a directory, across threads and processes."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder or ".", os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        with suppress(OSError):  # a forked child keeps the descriptor, and with it the lock, open
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def replace(path: str, contents: bytes, durable: bool = True) -> None:
    """Replaces the contents of a file, atomically."""
    temporary = temporary_name(path)
    descriptor = create(temporary)
    try:
        try:
            write_all(descriptor, contents)
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        remove(temporary)
        raise
    sync_folder(os.path.dirname(path), durable)
