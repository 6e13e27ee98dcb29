"""What kernels of a GPU are told besides arrays, and how many threads run them."""

from __future__ import annotations

import functools
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

_MASK64, _SIGN = 2**64 - 1, 2**63
# Threads of a group, and the most groups: a thread does several things where there are more.
_THREADS, _MOST_GROUPS = 128, 1 << 16


@functools.lru_cache(1 << 12)
def numbers(*values: int) -> Any:
    """Whole numbers of 64 bits, which come again, as one argument of a kernel that has a structure for them.

    CuPy passes it on as it is, and takes half a microsecond for each number elsewhere.
    """
    return np.void(struct.pack(f"={len(values)}q", *values))


def structure(names: Sequence[str]) -> tuple[str, str]:
    """The text of a structure ``twinflow_numbers``, and what finds its numbers in one that is called ``told``."""
    return f"struct twinflow_numbers {{ long long {', '.join(names)}; }};", " ".join(f"const long long {name} = told.{name};" for name in names)


def signed(value: int) -> int:
    """A number of 64 bits as the integer with the same bits."""
    return (value & _MASK64) - ((value & _SIGN) << 1)


@functools.lru_cache(1 << 12)
def groups(count: int) -> tuple[tuple[int], tuple[int]]:
    """How many groups of how many threads do so many things."""
    return (min(-(-count // _THREADS), _MOST_GROUPS),), (_THREADS,)
