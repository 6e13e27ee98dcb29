"""Sums of rows of the host, by the function of NumPy that adds the numbers of a row in one loop.

NumPy's own sum of a row takes 20 nanoseconds to begin; ``einsum`` takes four, and adds whole vectors of the processor at a
time. Such a loop has few sums side by side, so longer rows are cut into pieces, and so are the sums of the pieces: as
many additions follow each other as in NumPy's halves of halves. What the sum of a row is depends on that row alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.backends.cpu.float16 import is_short_float, widened
from twinflow._src.backends.cpu.parallel import shared

# A row of so many bytes is added in one loop; a longer one in pieces of half as many.
_LOOP = 1024
# So many numbers of a vector are added in one loop.
_PIECE = 256
# Less is done by one thread; so many elements a thread adds at a time at least, and so many parts there are at most.
_ALONE, _BLOCK, _PARTS = 1 << 20, 1 << 17, 16


def pays(dtype: Any, size: int) -> bool:
    """Whether sums of rows are quicker here than by NumPy's reduction: of long ones those in single precision are.

    Args:
        dtype: A NumPy type.
        size: The size of the rows.
    """
    if dtype.kind == "f" or is_short_float(dtype):
        return dtype.itemsize <= 4 or size * dtype.itemsize <= _LOOP
    return dtype.kind in "iu" and size * dtype.itemsize <= _LOOP


def total(x: Any) -> Any:
    """The sum of a vector of float32 or short floats: its pieces are rows, whose sums NumPy adds in pairs.

    Args:
        x: An array of rank 1, C-ordered.
    """
    whole = x.size - x.size % _PIECE
    return np.add.reduce(row_sums(x[:whole].reshape(-1, _PIECE))) + np.add.reduce(widened(x[whole:]))


def row_sums(x: Any) -> Any:
    """The sums of the rows of a matrix of whole or floating numbers; of short floats in single precision.

    Args:
        x: An array of rank 2, C-ordered.
    """
    short = is_short_float(x.dtype)
    result = np.empty(len(x), np.float32 if short else x.dtype)
    if x.size < _ALONE and not short:
        _added(x, result)
        return result
    elements = _BLOCK if short else max(_BLOCK, x.size // _PARTS)
    step = max(elements // x.shape[1], 1)
    parts = [slice(start, start + step) for start in range(0, len(x), step)]
    shared(lambda at: _added(widened(x[at]), result[at]), parts)
    return result


def _added(x: Any, out: Any) -> None:
    """The sums of rows, each in one loop, or of the sums of their pieces."""
    rows, size = x.shape
    piece = _LOOP // 2 // x.itemsize
    if size <= 2 * piece:
        np.einsum("ij->i", x, out=out)
        return
    whole = size - size % piece
    sums = np.empty((rows, -(-size // piece)), x.dtype)
    np.einsum("ijk->ij", x[:, :whole].reshape(rows, -1, piece), out=sums[:, : whole // piece])
    if whole < size:
        np.einsum("ij->i", x[:, whole:], out=sums[:, -1])
    _added(sums, out)
