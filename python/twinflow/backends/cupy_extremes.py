"""Where the extreme elements of floats are on a GPU, by one kernel: a number that is none is less than all others.

CuPy's function takes such a number for the extreme one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_TYPES = {"e": "float16", "f": "float32", "d": "float64"}
_RESULTS = {"h": "int16", "H": "uint16", "i": "int32", "l": "int64", "q": "int64"}
_WIDE = {"e": "float", "f": "float", "d": "double"}
# The better one of two: the larger number, and of equal ones, as of those that are none, the first.
_PREAMBLE = """
struct twinflow_place {{
    {wide} value; long long at;
    __device__ twinflow_place() : value(0), at(-1) {{}}
    __device__ twinflow_place({wide} x, long long i) : value(x != x ? ({wide})(-1.0 / 0.0) : x), at(i) {{}}
}};
__device__ twinflow_place twinflow_better(const twinflow_place &a, const twinflow_place &b) {{
    if (a.at < 0) return b;
    if (b.at < 0) return a;
    if (a.value == b.value) return a.at < b.at ? a : b;
    return a.value > b.value ? a : b;
}}
"""


@functools.cache
def _kernel(cupy: Any, type: str, char: str, result: str) -> Any:
    """The kernel for a type of floats and one of places; CuPy may replace names in the texts, which are no part of others."""
    sign = "-" if type == "ArgMin" else ""
    return cupy.ReductionKernel(
        f"{_TYPES[char]} element_", f"{_RESULTS[result]} found_", f"twinflow_place({sign}({_WIDE[char]})element_, _J)",
        "twinflow_better(a, b)", "found_ = a.at", "twinflow_place()", f"twinflow_{type}", reduce_type="twinflow_place", preamble=_PREAMBLE.format(wide=_WIDE[char]),
    )  # fmt: skip


def extreme_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel that finds extreme elements along a dimension.

    Args:
        cupy: The module.
        type: The type of the operation.
        kernel: The operation's own, which runs on other types, and says which dimensions cannot be.
    """

    def run(xp: Any, x: Any, dimension: Any, *, output_type: Any) -> Any:
        made = settled(xp, x.dtype, dimension, output_type=output_type)
        return kernel(xp, x, dimension, output_type=output_type) if made is None or not x.size else made(x)

    def settled(xp: Any, own: Any, dimension: Any, /, *, output_type: Any) -> Callable[..., Any] | None:
        if own.char not in _TYPES or output_type.np.char not in _RESULTS or dimension.ndim:
            return None
        return functools.partial(_kernel(cupy, type, own.char, output_type.np.char), axis=int(dimension))

    run.settled = settled  # type: ignore[attr-defined]
    return run
