"""Random categories of a GPU: from the logarithms of probabilities and the counter of a block to the categories in one kernel.

The same steps as in ``_src/random/categorical.py``: each number goes along the sums of its row's weights.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.backends.gpu import checks
from twinflow._src.backends.gpu.kernels.elementwise import groups, signed
from twinflow._src.backends.gpu.kernels.random import PREAMBLE, ROUNDS

# Rows of more categories are left to functions that add up with many threads.
_MOST_CLASSES = 1024
# By NumPy's letter: C's name, and the least finite number.
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
        long long found = 0;
        for (; found < classes; ++found) {{
            const double x = row[found];
            if (isfinite(x)) sum += exp(x - most);
            if (value < sum) break;
        }}
        out[i] = ({result})found;
    }}
}}"""


def text(char: str, result: str) -> str:
    """The text of a kernel.

    Args:
        char: The letter of the type of the logarithms.
        result: The letter of the type of the categories.
    """
    type, least = TYPES[char]
    return PREAMBLE + _TEXT.format(type=type, least=least, result=RESULTS[result], rounds=ROUNDS)


@functools.cache
def _kernel(cupy: Any, char: str, result: str) -> Any:
    return cupy.RawKernel(text(char, result), "twinflow_categories")


def categories(cupy: Any) -> Callable[..., Any]:
    """The function that draws categories.

    Args:
        cupy: The module.

    Returns:
        A function of a stream's key and counter, of a matrix of logarithms, of how many categories to draw for each row, and
        of their type. It gives a matrix, or None where there is no such kernel.
    """

    array = checks.array(cupy)

    def drawn(key: int, counter: int, logits: Any, samples: int, dtype: Any) -> Any:
        rows, classes = logits.shape
        if logits.dtype.char not in TYPES or dtype.char not in RESULTS or classes > _MOST_CLASSES:
            return None
        out = array((rows, samples), dtype)
        start = signed(counter), signed(counter >> 64), signed(key), out.size
        _kernel(cupy, logits.dtype.char, dtype.char)(
            *groups(out.size), (*start, cupy.ascontiguousarray(logits), classes, samples, out)
        )
        return out

    return drawn
