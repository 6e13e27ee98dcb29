"""GPU kernels of softmax, log-softmax and cross entropies: one thread block per row.

A row is read three times: for its maximum, for the sum of the exponentials, and for the results.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

# Threads per row: as many as it has elements, within these bounds; longer rows are left to CuPy's
# functions, which split a row over several blocks.
_LEAST, _USUAL, _MOST = 32, 256, 1024
_LONG, _LONGEST = 1 << 13, 1 << 20
_ROWS = (1 << 31) - 1
_TYPES = {"f": "float", "d": "double"}

TEXT = """
#define twinflow_all(combined)                                              \\
    shared[t] = own;                                                        \\
    __syncthreads();                                                        \\
    for (int step = n / 2; step > 0; step /= 2) {                           \\
        if (t < step) { number a = shared[t], b = shared[t + step]; shared[t] = combined; } \\
        __syncthreads();                                                    \\
    }                                                                       \\
    own = shared[0];                                                        \\
    __syncthreads();

extern "C" __global__ void NAME(const number *x, const GIVEN *given, number *y, number *losses, long long width) {
    __shared__ number shared[1024];
    const int t = threadIdx.x, n = blockDim.x;
    const long long row = blockIdx.x, start = row * width;
    number own = x[start];
    for (long long j = t; j < width; j += n) { number v = x[start + j]; if (v > own || v != v) own = v; }
    twinflow_all(a > b || a != a ? a : b)
    const number most = own;
    own = 0;
    for (long long j = t; j < width; j += n) own += exp(x[start + j] - most);
    twinflow_all(a + b)
    RESULTS
}
"""
_EACH = "for (long long j = t; j < width; j += n)"
# By op: the results of a row, with ``own`` the sum of the exponentials. An out-of-range label has a
# NaN loss and gradient.
RESULTS = {
    "Softmax": f"const number scale = 1 / own; {_EACH} y[start + j] = exp(x[start + j] - most) * scale;",
    "LogSoftmax": f"const number whole = log(own); {_EACH} y[start + j] = x[start + j] - most - whole;",
    "SoftmaxCrossEntropyWithLogits": f"""
    const number whole = log(own);
    own = 0;
    {_EACH} {{
        const number v = x[start + j] - most - whole, p = given[start + j];
        own -= p * v;
        y[start + j] = exp(v) - p;
    }}
    twinflow_all(a + b)
    if (t == 0) losses[row] = own;""",
    "SparseSoftmaxCrossEntropyWithLogits": f"""
    const number whole = log(own), none = (number)nan("");
    const long long chosen = given[row];
    const bool known = chosen >= 0 && chosen < width;
    if (t == 0) losses[row] = known ? -(x[start + chosen] - most - whole) : none;
    {_EACH} y[start + j] = known ? exp(x[start + j] - most - whole) - (number)(j == chosen) : none;""",
}


def text(type: str, char: str, given: str) -> str:
    """Returns the source of a kernel.

    Args:
        type: The type of the op.
        char: The dtype character of the logits.
        given: The C type of the labels.
    """
    found = (
        TEXT.replace("RESULTS", RESULTS[type])
        .replace("NAME", f"twinflow_{type}")
        .replace("GIVEN", given)
    )
    return f"typedef {_TYPES[char]} number;\n{found}"


@functools.cache
def _kernel(cupy: Any, type: str, char: str, given: str) -> Any:
    return cupy.RawKernel(text(type, char, given), f"twinflow_{type}")


@functools.lru_cache(1 << 10)
def _groups(shape: tuple[int, ...]) -> tuple[tuple[int], tuple[int]] | None:
    """Returns the grid and block size (a power of two) for a shape; None if unsupported."""
    width = shape[-1] if shape else 0
    count = math.prod(shape[:-1])
    if not 0 < width <= _LONGEST or not 0 < count <= _ROWS:
        return None
    return (count,), (
        max(_LEAST, min(1 << (width - 1).bit_length(), _MOST if width >= _LONG else _USUAL)),
    )


def _fit(x: Any) -> tuple[tuple[int], tuple[int]] | None:
    """Returns the grid and block size for an array; None if unsupported."""
    return _groups(x.shape) if x.dtype.char in _TYPES else None


def _run(
    cupy: Any,
    type: str,
    fit: tuple[tuple[int], tuple[int]],
    x: Any,
    given: Any,
    name: str,
    losses: Any,
) -> Any:
    out = cupy.ndarray(x.shape, x.dtype)
    _kernel(cupy, type, x.dtype.char, name)(*fit, (x, given, out, losses, x.shape[-1]))
    return out


def _straight(cupy: Any, x: Any) -> Any:
    """Returns an array in C order."""
    return x if x.flags.c_contiguous else cupy.ascontiguousarray(x)


def row_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the GPU kernel of softmax or log-softmax.

    Args:
        cupy: The module.
        type: The type of the op.
        kernel: The op's own kernel, the fallback for other dtypes and shapes.
    """

    def run(xp: Any, logits: Any) -> Any:
        fit = _fit(logits)
        if fit is None:
            return kernel(xp, logits)
        x = _straight(cupy, logits)
        return _run(cupy, type, fit, x, x, _TYPES[x.dtype.char], x)

    return run


def loss_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the GPU kernel of a cross entropy; see ``row_kernel``."""
    sparse = {"i": "int", "l": "long long", "q": "long long"} if type.startswith("Sparse") else None

    def run(xp: Any, features: Any, labels: Any) -> Any:
        fit = _fit(features) if features.ndim == 2 else None
        wanted = features.shape if sparse is None else features.shape[:1]
        if fit is None or labels.shape != wanted:
            return kernel(xp, features, labels)
        name = _TYPES.get(features.dtype.char, "") if sparse is None else sparse[labels.dtype.char]
        x, given = _straight(cupy, features), _straight(cupy, labels)
        losses = cupy.ndarray(x.shape[:1], x.dtype)
        return [losses, _run(cupy, type, fit, x, given, name, losses)]

    return run


ROWS: dict[str, Callable[[Any, str, Callable[..., Any]], Callable[..., Any]]] = {
    "Softmax": row_kernel, "LogSoftmax": row_kernel,
    "SoftmaxCrossEntropyWithLogits": loss_kernel, "SparseSoftmaxCrossEntropyWithLogits": loss_kernel,
}  # fmt: skip
