"""Functions along the rows of large host arrays, in chunks of rows on the thread pool.

NumPy has an overhead of ten nanoseconds per row when per-row values are broadcast. Therefore short
rows are transposed to columns first, and the result is transposed back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import bounds
from twinflow._src.backends.cpu.parallel import shared

# Minimum number of elements; minimum of elements per chunk, and maximum number of chunks.
_LEAST, _BLOCK, _PARTS = 1 << 17, 1 << 18, 8
TURNED = 24  # shorter rows are transposed, chunk by chunk
_MANY_ROWS = 192  # minimum number of such rows


def pays(xp: Any, x: Any) -> bool:
    """True if ``by_rows`` is faster for an array."""
    return xp is np and x.size >= _LEAST and x.dtype.char in "fd" and x.flags.c_contiguous


def pays_in_columns(xp: Any, x: Any) -> bool:
    """True if ``by_rows`` is faster because many short rows are transposed."""
    return (
        xp is np
        and 0 < x.shape[-1] < TURNED
        and x.size >= _MANY_ROWS * x.shape[-1]
        and x.dtype.char in "fd"
        and x.flags.c_contiguous
    )


def pays_short(xp: Any, x: Any) -> bool:
    """True if ``by_rows`` is faster for a float16 array, whose rows are not transposed."""
    return (
        xp is np
        and x.size >= _LEAST
        and x.dtype == np.float16
        and x.shape[-1] >= TURNED
        and x.flags.c_contiguous
    )


def by_rows(function: Callable[[Any, int, Any], None], x: Any) -> Any:
    """Applies a function along the last dimension of a C-contiguous floating-point array.

    ``function`` takes a matrix, the axis of it that is the array's last one, and the array of
    the result; it works for each row independently.
    """
    size = x.shape[-1]
    rows, result = x.reshape(-1, size), np.empty((x.size // size, size), x.dtype)
    elements = _BLOCK if size < TURNED else max(_BLOCK, x.size // _PARTS)

    def work(span: tuple[int, int]) -> None:
        part, into = rows[slice(*span)], result[slice(*span)]
        if size >= TURNED:
            function(part, 1, into)
            return
        columns = np.ascontiguousarray(part.T)
        function(columns, 0, columns)
        into[...] = columns.T

    shared(work, bounds(len(rows), max(elements // size, 1)))
    return result.reshape(x.shape)
