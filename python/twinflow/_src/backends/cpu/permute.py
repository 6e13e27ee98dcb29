"""Sequential element swaps in a vector, by LAPACK.

Each swap depends on the previous ones, so that NumPy has no operation for it. LAPACK's ``laswp``
swaps the rows of a matrix in a given order; the LAPACK bundled with NumPy (OpenBLAS) moves elements
without interpreting them. It takes 1 to 6 nanoseconds per swap and releases the GIL.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from twinflow._src.backends.cpu import blas

# Routines by element size in bytes, of the build with 64-bit integers. Other builds may have other
# integers under the same names, and are not used.
_ROUTINES = {4: "scipy_slaswp_64_", 8: "scipy_dlaswp_64_", 16: "scipy_zlaswp_64_"}


@functools.cache
def _routine(size: int) -> Any:
    """Returns the routine for an element size, or None."""
    return getattr(blas.library(), _ROUTINES.get(size, ""), None)


def possible(size: int) -> bool:
    """True if elements of a size in bytes are supported."""
    return _routine(size) is not None


def exchange(vector: Any, indices: Any) -> None:
    """Swaps elements of a vector sequentially, in place: element i with the one at ``indices[i]``.

    ``indices`` are int64 and 1-based.
    """
    one, count = ctypes.c_int64(1), ctypes.c_int64(len(indices))
    address = [ctypes.c_void_p(array.ctypes.data) for array in (vector, indices)]
    by = ctypes.byref
    # Number of columns, matrix, leading dimension, first row, last row, pivots, increment.
    _routine(vector.itemsize)(
        by(one),
        address[0],
        by(ctypes.c_int64(len(vector))),
        by(one),
        by(count),
        address[1],
        by(one),
    )
