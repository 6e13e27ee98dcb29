"""Tuning of the host's memory allocator: freed memory is kept for later arrays.

By default, the C library returns the memory of each large array to the system, which maps the next
one page by page and zeroes each page: for elementwise work this takes longer than the work itself.
Therefore ``mallopt`` is set to keep freed memory up to a limit; this applies to all allocations of
the process, NumPy's temporaries included. All threads share one arena: what one frees, the others
use, while arenas of their own would each keep up to the limit. Without the GNU C library nothing is
changed.

The environment variable ``TWINFLOW_KEEP_MEMORY`` sets the limit in MiB; 0 leaves the library as it
is.
"""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any

# Parameters of ``mallopt``: the trim threshold, the maximum number of mmap allocations, and that of
# arenas.
_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8
_VARIABLE = "TWINFLOW_KEEP_MEMORY"
# The ``madvise`` advice to populate all pages (Linux 5.14 and later), and its minimum size.
_POPULATE_WRITE, _MANY = 23, 1 << 16
# At most an eighth of the machine's memory, and never more than this.
_SHARE, _MOST = 8, 1 << 30
_LARGEST = (1 << 31) - 1  # the parameter is a C integer


@functools.cache
def _library() -> Any:
    """Returns the GNU C library, or None."""
    try:
        library = ctypes.CDLL(None)
    except (OSError, TypeError):  # no global symbol namespace
        return None
    return library if hasattr(library, "gnu_get_libc_version") else None


def _default_limit() -> int:
    """Returns the default limit of kept memory in bytes."""
    text = os.environ.get(_VARIABLE, "")
    if text.isdecimal():
        return int(text) << 20
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(whole // _SHARE, _MOST)


def keep(limit: int | None = None) -> bool:
    """Keeps up to ``limit`` bytes of freed memory for later arrays; returns True if it does.

    None means the environment variable or an eighth of the machine's memory, at most 1 GiB; 0
    changes nothing.
    """
    if _library() is None:
        return False
    limit = _default_limit() if limit is None else limit
    if limit <= 0:
        return False
    return bool(
        _library().mallopt(_MMAP_MAX, 0)
        and _library().mallopt(_ARENA_MAX, 1)
        and _library().mallopt(_TRIM_THRESHOLD, min(limit, _LARGEST))
    )


def release() -> bool:
    """Returns free memory to the system; True if there was any."""
    return _library() is not None and bool(_library().malloc_trim(0))


def populate(array: Any) -> bool:
    """Populates all pages of an array at once, which is faster than page faults one by one.

    Returns False if that is unsupported or there are few; they are mapped on first write then.
    """
    if array.nbytes < _MANY or _library() is None:
        return False
    start, page = array.ctypes.data, os.sysconf("SC_PAGE_SIZE")
    first, end = -(-start // page) * page, (start + array.nbytes) // page * page
    return not _library().madvise(
        ctypes.c_void_p(first), ctypes.c_size_t(end - first), _POPULATE_WRITE
    )


class _Info(ctypes.Structure):
    """The struct of ``mallinfo2``, in bytes and numbers of blocks."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "blocks", "small_blocks", "mapped_blocks", "mapped", "unused", "small_free", "used",
        "free", "at_end",
    )]  # fmt: skip


def info() -> dict[str, int]:
    """Returns the memory that the process uses, and free memory not returned to the system.

    The keys are ``used`` and ``kept``; empty if the C library does not support it.
    """
    if _library() is None or not hasattr(_library(), "mallinfo2"):
        return {}
    ask = _library().mallinfo2
    ask.restype = _Info
    usage = ask()
    return {"used": usage.used + usage.mapped, "kept": usage.free}


class Peak:
    """Memory usage of the process: current bytes, and the peak of the values sampled so far."""

    def __init__(self) -> None:
        self._most = 0

    def now(self) -> tuple[int, int] | None:
        """Returns the bytes in use and the sampled peak; None if not supported by the C library."""
        usage = info()
        if not usage:
            return None
        self._most = max(self._most, usage["used"] + usage["kept"])
        return usage["used"], self._most

    def forget(self) -> None:
        """Returns free memory to the system and resets the peak."""
        release()
        self._most = 0
