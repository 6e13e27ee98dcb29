"""Exchanges of the elements of a vector, one after the other.

Each step depends on those before it, so that NumPy has no operation for it. But LAPACK has: ``laswp``
exchanges the rows of a matrix in a given order, and the LAPACK that comes with NumPy (OpenBLAS) moves the
elements as they are, whatever they mean. It takes 1 to 6 nanoseconds a step, and lets go of the interpreter.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from twinflow._src.backends.cpu import blas

# The routines for elements of so many bytes, in the build whose integers have 64 bits. Others may have
# other integers under the same names, and are not looked for.
_ROUTINES = {4: "scipy_slaswp_64_", 8: "scipy_dlaswp_64_", 16: "scipy_zlaswp_64_"}


@functools.cache
def _routine(size: int) -> Any:
    """The routine for elements of a size, or None."""
    return getattr(blas.library(), _ROUTINES.get(size, ""), None)


def possible(size: int) -> bool:
    """Whether elements of so many bytes can be exchanged here."""
    return _routine(size) is not None


def exchange(vector: Any, places: Any) -> None:
    """Exchanges the first elements of a vector, in place: element i with the one at ``places[i]``.

    Args:
        vector: The elements, one after the other in memory.
        places: An int64 vector of places in the vector, the first one of which is 1.
    """
    one, count = ctypes.c_int64(1), ctypes.c_int64(len(places))
    address = [ctypes.c_void_p(array.ctypes.data) for array in (vector, places)]
    by = ctypes.byref
    # Columns, matrix, its column's length, first row, last row, places, their distance.
    _routine(vector.itemsize)(
        by(one),
        address[0],
        by(ctypes.c_int64(len(vector))),
        by(one),
        by(count),
        address[1],
        by(one),
    )
