"""GPU kernels of matrix products: cuBLAS for floats, CuPy for integers, without synchronization.

CuPy multiplies two matrices of any float dtype directly. For batches it copies transposed operands
and converts float16 to float32; it rejects bfloat16. Batches therefore call cuBLAS here.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

# float16 and bfloat16 use tensor cores, which accumulate in float32; integers use a kernel of CuPy.
_PAIRS = frozenset("efdFDEbBhHiIlLqQ")
# By dtype character: cuBLAS's name of the dtype, and the dtype of the accumulation.
_MANY = {
    "e": ("CUDA_R_16F", "f"),
    "E": ("CUDA_R_16BF", "f"),
    "f": ("CUDA_R_32F", "f"),
    "d": ("CUDA_R_64F", "d"),
}
_SUMS = {"f": "CUBLAS_COMPUTE_32F", "d": "CUBLAS_COMPUTE_64F"}
_MOST = 1 << 16  # maximum batch size, which older cuBLAS versions store in 16 bits
_DEFAULT_ALGORITHM = -1


@functools.cache
def _factor(char: str, value: int) -> tuple[int, Any]:
    """Returns the host address of a scale factor for cuBLAS, and the array that keeps it alive."""
    array = np.array(value, char)
    return array.ctypes.data, array


def _multiplier(cupy: Any) -> Callable[..., Any] | None:
    """Returns cuBLAS's strided batched product, or None if unavailable."""
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
        # cuBLAS is column-major and sees transposes, so the factors are swapped.
        library.gemmStridedBatchedEx(
            device.get_cublas_handle(), int(turn_b), int(turn_a), n, m, k, one,
            b.data.ptr, kind, b.shape[-1], k * n, a.data.ptr, kind, a.shape[-1], m * k, zero,
            out.data.ptr, kind, n, m * n, math.prod(a.shape[:-2]), sums, _DEFAULT_ALGORITHM,
        )  # fmt: skip
        return out

    return multiply


def shortened(dtype: Any) -> bool:
    """True if TF32 is enabled for products of a dtype."""
    from cupy._core import _routines_linalg as linalg

    is_short: bool = linalg.get_compute_type(dtype) == linalg.COMPUTE_TYPE_TF32
    return is_short


def pair_kernel(cupy: Any, op: Any) -> Callable[..., Any]:
    """Returns the GPU kernel of a product of two matrices; the op's own kernel refuses shapes."""
    kernel = op.kernel

    def run(xp: Any, a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
        if a.ndim == b.ndim == 2 and a.dtype.char in _PAIRS:
            try:  # the array method, as CuPy's functions inspect their arguments again
                return (a.T if transpose_a else a).dot(b.T if transpose_b else b)
            except ValueError:
                pass  # incompatible shapes
        return kernel(xp, a, b, transpose_a=transpose_a, transpose_b=transpose_b)

    # like a CuPy ufunc, declares a bfloat16 loop
    run.types = ("EE->E",)  # type: ignore[attr-defined]
    return run


def batch_kernel(cupy: Any, op: Any) -> Callable[..., Any]:
    """Returns the GPU kernel of batched matrix products; see ``pair_kernel``."""
    multiply, kernel = _multiplier(cupy), op.kernel

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


PRODUCTS: dict[str, Callable[[Any, Any], Callable[..., Any]]] = {
    "MatMul": pair_kernel,
    "BatchMatMulV2": batch_kernel,
}
