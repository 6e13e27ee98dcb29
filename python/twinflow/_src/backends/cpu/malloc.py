"""The host's memory: what large arrays leave behind is kept for the next ones.

The C library gives the memory of each large array back to the system, and the system hands out the next
one page by page, each page filled with zeros first: for elementwise work that takes longer than the work
itself. So the library is told to keep what was freed, up to a limit; there it serves every allocation of
the process, NumPy's temporary arrays included, and no operation has to know. Where the C library is not
GNU's, nothing is changed.

The environment variable ``TWINFLOW_KEEP_MEMORY`` sets the limit in MiB; 0 leaves the library as it is.
"""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any

# Parameters of ``mallopt``: how much free memory stays, and how many blocks come from the system directly.
_TRIM_THRESHOLD, _MMAP_MAX = -1, -4
_VARIABLE = "TWINFLOW_KEEP_MEMORY"
# What ``madvise`` is told where all pages are to be there at once (Linux 5.14 and later), and from which size on.
_POPULATE_WRITE, _MANY = 23, 1 << 16
# At most an eighth of the machine's memory, and never more than this.
_SHARE, _MOST = 8, 1 << 30
_LARGEST = (1 << 31) - 1  # the parameter is a C integer


@functools.cache
def _library() -> Any:
    """GNU's C library, or None."""
    try:
        found = ctypes.CDLL(None)
    except (OSError, TypeError):  # a system without one library that a process is linked with
        return None
    return found if hasattr(found, "gnu_get_libc_version") else None


def _default_limit() -> int:
    """What is kept where nobody says how much, in bytes."""
    text = os.environ.get(_VARIABLE, "")
    if text.isdecimal():
        return int(text) << 20
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(whole // _SHARE, _MOST)


def keep(limit: int | None = None) -> bool:
    """Keeps freed memory for later arrays.

    Args:
        limit: How many bytes at the end of the heap are kept at most; where None, what the environment
            variable says, or an eighth of the machine's memory, at most 1 GiB. 0 changes nothing.

    Returns:
        Whether memory is kept from now on.
    """
    if _library() is None:
        return False
    limit = _default_limit() if limit is None else limit
    if limit <= 0:
        return False
    return bool(
        _library().mallopt(_MMAP_MAX, 0)
        and _library().mallopt(_TRIM_THRESHOLD, min(limit, _LARGEST))
    )


def release() -> bool:
    """Gives memory that is free back to the system.

    Returns:
        Whether there was any.
    """
    return _library() is not None and bool(_library().malloc_trim(0))


def populate(array: Any) -> bool:
    """Has the system give an array that is about to be filled all of its pages at once, in less time than one by one.

    Args:
        array: A contiguous NumPy array.

    Returns:
        Whether it did. Where it cannot, and where there are few pages, each comes when it is first written.
    """
    if array.nbytes < _MANY or _library() is None:
        return False
    start, page = array.ctypes.data, os.sysconf("SC_PAGE_SIZE")
    first, end = -(-start // page) * page, (start + array.nbytes) // page * page
    return not _library().madvise(
        ctypes.c_void_p(first), ctypes.c_size_t(end - first), _POPULATE_WRITE
    )


class _Info(ctypes.Structure):
    """What ``mallinfo2`` tells, in bytes and numbers of blocks."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "blocks", "small_blocks", "mapped_blocks", "mapped", "unused", "small_free", "used",
        "free", "at_end",
    )]  # fmt: skip


def info() -> dict[str, int]:
    """How the memory of the process is used.

    Returns:
        ``used`` and ``kept``, in bytes: what is allocated, and what is free but not the system's. Empty
        where the C library cannot tell.
    """
    if _library() is None or not hasattr(_library(), "mallinfo2"):
        return {}
    ask = _library().mallinfo2
    ask.restype = _Info
    found = ask()
    return {"used": found.used + found.mapped, "kept": found.free}


class Peak:
    """How much memory the process has and had: what is in use now, and the most that was held when somebody asked."""

    def __init__(self) -> None:
        self._most = 0

    def now(self) -> tuple[int, int] | None:
        """The bytes that are in use, and the most that were held; None where the C library cannot tell."""
        found = info()
        if not found:
            return None
        self._most = max(self._most, found["used"] + found["kept"])
        return found["used"], self._most

    def forget(self) -> None:
        """Gives back what nobody uses, and counts from now on."""
        release()
        self._most = 0
