"""The blocks of Philox4x32-10 as one kernel of a GPU.

The same rounds as in ``_src/random/philox.py``, on whole numbers, so that the bits are the same; written out because
eighty kernels, one for each step of each round, would read and write memory eighty times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_MASK64 = 2**64 - 1
INPUTS = "uint64 offset, uint64 low, uint64 high, uint64 key"
OUTPUTS = "uint64 first, uint64 second"
# The words c0 to c3 of the block at ``offset``.
ROUNDS = """
    unsigned long long lo = low + offset;
    unsigned long long hi = high + (lo < low ? 1ULL : 0ULL);
    unsigned int c0 = (unsigned int)lo, c1 = (unsigned int)(lo >> 32);
    unsigned int c2 = (unsigned int)hi, c3 = (unsigned int)(hi >> 32);
    unsigned int k0 = (unsigned int)key, k1 = (unsigned int)(key >> 32);
    for (int turn = 0; turn < 10; ++turn) {
        unsigned long long p0 = (unsigned long long)c0 * 0xD2511F53ULL;
        unsigned long long p1 = (unsigned long long)c2 * 0xCD9E8D57ULL;
        c0 = (unsigned int)(p1 >> 32) ^ c1 ^ k0;
        c1 = (unsigned int)p1;
        c2 = (unsigned int)(p0 >> 32) ^ c3 ^ k1;
        c3 = (unsigned int)p0;
        k0 += 0x9E3779B9U;
        k1 += 0xBB67AE85U;
    }
"""
BODY = ROUNDS + """
    first = ((unsigned long long)c0 << 32) | c1;
    second = ((unsigned long long)c2 << 32) | c3;
"""


def philox(cupy: Any) -> Callable[..., Any]:
    """The function that makes blocks.

    Args:
        cupy: The module.

    Returns:
        A function of the offsets of the blocks, a uint64 vector, and of a stream's key and counter. It gives two uint64
        vectors: words 0 and 1 of each block, and words 2 and 3.
    """
    kernel = cupy.ElementwiseKernel(INPUTS, OUTPUTS, BODY, "twinflow_philox")

    def blocks(offsets: Any, key: int, counter: int) -> tuple[Any, Any]:
        low, high = np.uint64(counter & _MASK64), np.uint64(counter >> 64)
        found: tuple[Any, Any] = kernel(offsets, low, high, np.uint64(key))
        return found

    return blocks
