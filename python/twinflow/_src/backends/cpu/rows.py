"""Functions along the rows of large arrays of the host: so many rows at a time, on its threads.

NumPy needs ten nanoseconds to begin a row wherever a number for each row meets its elements. So short rows are turned
into columns first, and the result is turned back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import bounds
from twinflow._src.backends.cpu.parallel import shared

# Less is left to one call of the function; so many elements are one block at least, and there are so many of them at most.
_LEAST, _BLOCK, _PARTS = 1 << 17, 1 << 16, 8
_TURNED = 24  # rows of fewer elements are turned, one block after the other


def pays(xp: Any, x: Any) -> bool:
    """Whether an array is one for ``by_rows``.

    Args:
        xp: The array module.
        x: An array of rank 1 or more.
    """
    return xp is np and x.size >= _LEAST and x.dtype.char in "fd" and x.flags.c_contiguous


def pays_short(xp: Any, x: Any) -> bool:
    """Whether an array is one of float16 for ``by_rows``, whose rows are not turned.

    Args:
        xp: The array module.
        x: An array of rank 1 or more.
    """
    return (
        xp is np
        and x.size >= _LEAST
        and x.dtype == np.float16
        and x.shape[-1] >= _TURNED
        and x.flags.c_contiguous
    )


def by_rows(function: Callable[[Any, int, Any], None], x: Any) -> Any:
    """What a function along the last dimension makes of an array.

    Args:
        function: Called with a matrix, the dimension of it that is the last one of the array, and the array for the result,
            of the same shape; it works for each row by itself.
        x: An array of floating numbers of the host, C-ordered.
    """
    size = x.shape[-1]
    rows, result = x.reshape(-1, size), np.empty((x.size // size, size), x.dtype)
    elements = _BLOCK if size < _TURNED else max(2 * _BLOCK, x.size // _PARTS)

    def work(place: tuple[int, int]) -> None:
        part, into = rows[slice(*place)], result[slice(*place)]
        if size >= _TURNED:
            function(part, 1, into)
            return
        columns = np.ascontiguousarray(part.T)
        function(columns, 0, columns)
        into[...] = columns.T

    shared(work, bounds(len(rows), max(elements // size, 1)))
    return result.reshape(x.shape)
