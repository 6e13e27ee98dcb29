"""Products of matrices of a GPU: floats are the hardware's, whole numbers are CuPy's, and nothing waits.

CuPy multiplies two matrices of any type of floats as they are. Of many it copies those that are transposed, and makes
float32 of float16; bfloat16 it refuses. So many are given to the library here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

# float16 and bfloat16 are multiplied by tensor cores, which add in float32; whole numbers by a kernel of CuPy.
_PAIRS = frozenset("efdFDEbBhHiIlLqQ")
# By type: how the library names it, and in which type the sums are.
_MANY = {
    "e": ("CUDA_R_16F", "f"),
    "E": ("CUDA_R_16BF", "f"),
    "f": ("CUDA_R_32F", "f"),
    "d": ("CUDA_R_64F", "d"),
}
_SUMS = {"f": "CUBLAS_COMPUTE_32F", "d": "CUBLAS_COMPUTE_64F"}
_MOST = 1 << 16  # matrices, which older libraries count in so few bits
_DEFAULT_ALGORITHM = -1


@functools.cache
def _factor(char: str, value: int) -> tuple[int, Any]:
    """Where the library reads what it multiplies products by: on the host, as long as the array is kept."""
    array = np.array(value, char)
    return array.ctypes.data, array


def _multiplier(cupy: Any) -> Callable[..., Any] | None:
    """The library's function for many matrices, which lie behind each other; None where it is not there."""
    library, device = getattr(cupy.cuda, "cublas", None), getattr(cupy.cuda, "device", None)
    if library is None or device is None:
        return None
    types = {
        char: (
            getattr(cupy.cuda.runtime, name),
            getattr(library, _SUMS[wide]),
            _factor(wide, 1)[0],
            _factor(wide, 0)[0],
        )
        for char, (name, wide) in _MANY.items()
    }

    def multiply(a: Any, b: Any, turn_a: bool, turn_b: bool) -> Any:
        char = a.dtype.char
        kind, sums, one, zero = types[char]
        if char == "f" and shortened(np.float32):
            sums = library.CUBLAS_COMPUTE_32F_FAST_TF32
        m, k = a.shape[-1 if turn_a else -2], a.shape[-2 if turn_a else -1]
        n = b.shape[-2 if turn_b else -1]
        out = cupy.empty((*a.shape[:-2], m, n), a.dtype)
        # The library's matrices lie column by column: ours are their transposes, and the factors change places.
        library.gemmStridedBatchedEx(
            device.get_cublas_handle(), int(turn_b), int(turn_a), n, m, k, one,
            b.data.ptr, kind, b.shape[-1], k * n, a.data.ptr, kind, a.shape[-1], m * k, zero,
            out.data.ptr, kind, n, m * n, math.prod(a.shape[:-2]), sums, _DEFAULT_ALGORITHM,
        )  # fmt: skip
        return out

    return multiply


def shortened(dtype: Any) -> bool:
    """Whether CuPy is told to let the hardware round factors of a type to 10 bits."""
    from cupy._core import _routines_linalg as linalg

    found: bool = linalg.get_compute_type(dtype) == linalg.COMPUTE_TYPE_TF32
    return found


def pair_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a product of two matrices.

    Args:
        cupy: The module.
        type: The type of the operation.
        kernel: The operation's own, which says what does not fit.
    """

    def run(xp: Any, a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
        if a.ndim == b.ndim == 2 and a.dtype.char in _PAIRS:
            try:  # the method of arrays, as CuPy's functions look through their arguments once more
                return (a.T if transpose_a else a).dot(b.T if transpose_b else b)
            except ValueError:
                pass  # the sizes do not fit
        return kernel(xp, a, b, transpose_a=transpose_a, transpose_b=transpose_b)

    run.types = ("EE->E",)  # type: ignore[attr-defined]  # as CuPy's functions tell that bfloat16 may come
    return run


def many_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of products of many matrices; see ``pair_kernel``."""
    multiply = _multiplier(cupy)

    def run(xp: Any, a: Any, b: Any, adj_x: bool = False, adj_y: bool = False) -> Any:
        alike = (
            multiply is not None
            and a.ndim > 2
            and a.shape[:-2] == b.shape[:-2]
            and a.dtype.char in _MANY
        )
        inner = (a.shape[-2 if adj_x else -1], b.shape[-1 if adj_y else -2]) if alike else (0, 1)
        fits = inner[0] == inner[1] and a.size and b.size and math.prod(a.shape[:-2]) < _MOST
        if multiply is not None and fits and a.flags.c_contiguous and b.flags.c_contiguous:
            return multiply(a, b, adj_x, adj_y)
        return kernel(xp, a, b, adj_x=adj_x, adj_y=adj_y)

    return run


PRODUCTS: dict[str, Callable[[Any, str, Callable[..., Any]], Callable[..., Any]]] = {
    "MatMul": pair_kernel, "BatchMatMulV2": many_kernel,
}  # fmt: skip
