"""GPU kernel of categorical sampling, from logits and a random counter to categories.

The algorithm is that of ``_src/random/categorical.py``: each random number is located in the
cumulative sums of its row's weights.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.backends.gpu.kernels.launch import allocator, compile_raw, grid_of, signed
from twinflow._src.backends.gpu.kernels.random import PREAMBLE, ROUNDS

# Rows of more categories are left to the implementation with parallel cumulative sums.
_MOST_CLASSES = 1024
# By dtype character: the C type, and the lowest finite number.
TYPES = {"f": ("float", "-3.4028234663852886e+38"), "d": ("double", "-1.7976931348623157e+308")}
RESULTS = {"i": "int", "l": "long long", "q": "long long"}

_TEXT = """
extern "C" __global__ void twinflow_categories(
        unsigned long long low, unsigned long long high, unsigned long long key, long long count,
        const {type} *logits, long long classes, long long samples, {result} *out) {{
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step) {{
        unsigned long long offset = i / 2;
        {rounds}
        const double drawn = i % 2 ? twinflow_unit2(c2, c3) : twinflow_unit2(c0, c1);
        const {type} *row = logits + i / samples * classes;
        double most = {least}, whole = 0.0, sum = 0.0;
        for (long long j = 0; j < classes; ++j) {{
            const double x = row[j];
            if (isfinite(x) && x > most) most = x;
        }}
        for (long long j = 0; j < classes; ++j) {{
            const double x = row[j];
            if (isfinite(x)) whole += exp(x - most);
        }}
        const double value = twinflow_mul(drawn, whole);
        long long category = 0;
        for (; category < classes; ++category) {{
            const double x = row[category];
            if (isfinite(x)) sum += exp(x - most);
            if (value < sum) break;
        }}
        out[i] = ({result})category;
    }}
}}"""


def text(char: str, result: str) -> str:
    """Returns the source of a kernel for the dtype characters of logits and categories."""
    type, least = TYPES[char]
    return PREAMBLE + _TEXT.format(type=type, least=least, result=RESULTS[result], rounds=ROUNDS)


@functools.cache
def _kernel(cupy: Any, char: str, result: str) -> Any:
    return compile_raw(cupy, text(char, result), "twinflow_categories")


def categories(cupy: Any) -> Callable[..., Any]:
    """Returns the sampling function."""
    # It takes a random stream's key and counter, a matrix of logits, the number of samples per row,
    # and their dtype. It returns a matrix, or None if there is no kernel.

    array = allocator(cupy)

    def draw_categories(key: int, counter: int, logits: Any, samples: int, dtype: Any) -> Any:
        rows, classes = logits.shape
        if logits.dtype.char not in TYPES or dtype.char not in RESULTS or classes > _MOST_CLASSES:
            return None
        out = array((rows, samples), dtype)
        start = signed(counter), signed(counter >> 64), signed(key), out.size
        _kernel(cupy, logits.dtype.char, dtype.char)(
            *grid_of(out.size), (*start, cupy.ascontiguousarray(logits), classes, samples, out)
        )
        return out

    return draw_categories
