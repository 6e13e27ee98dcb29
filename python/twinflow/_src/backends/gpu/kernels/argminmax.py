"""Where the extreme elements of floats are on a GPU, by one kernel: a number that is none is less than all others.

CuPy's function takes such a number for the extreme one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.backends.gpu.kernels.along import PLACE, Reduced, layout, text

_TYPES = {"e": "float16", "f": "float32", "d": "float64"}
_RESULTS = {"h": "int16", "H": "uint16", "i": "int32", "l": "int64", "q": "int64"}
# Calls are known by shapes, so many of each operation and dimension.
_KNOWN = 256
_WIDE = {"e": "float", "f": "float", "d": "double"}
# The better one of two: the larger number, and of equal ones, as of those that are none, the first. There is none yet where ``next`` is 0.
_PREAMBLE = """
struct twinflow_place {{
    {wide} value; long long next;
    twinflow_place() = default;
    __device__ twinflow_place({wide} x, long long i) : value(x != x ? ({wide})(-1.0 / 0.0) : x), next(i + 1) {{}}
}};
__device__ twinflow_place twinflow_better(const twinflow_place &a, const twinflow_place &b) {{
    if (!a.next) return b;
    if (!b.next) return a;
    if (a.value == b.value) return a.next < b.next ? a : b;
    return a.value > b.value ? a : b;
}}
"""


@functools.cache
def _kernel(cupy: Any, type: str, char: str, result: str) -> Any:
    """CuPy's kernel for a type of floats and one of places; CuPy may replace names in the texts, which are no part of others."""
    sign = "-" if type == "ArgMin" else ""
    return cupy.ReductionKernel(
        f"{_TYPES[char]} element_", f"{_RESULTS[result]} found_", f"twinflow_place({sign}({_WIDE[char]})element_, _J)",
        "twinflow_better(a, b)", "found_ = a.next - 1", "twinflow_place()", f"twinflow_{type}", reduce_type="twinflow_place", preamble=_PREAMBLE.format(wide=_WIDE[char]),
    )  # fmt: skip


@functools.cache
def _quick(cupy: Any, type: str, char: str, result: str) -> Any:
    """The kernel of rows for float32 and float64."""
    value = f"twinflow_place({'-' if type == 'ArgMin' else ''}x0_, k_)"
    step = Reduced("Better", PLACE, "best_", "", value, "const long long result0_ = best_.next - 1;")
    code = text(f"twinflow_{type}", [(char, True)], [(result, False)], [step], preamble=_PREAMBLE.format(wide=_WIDE[char]))
    return cupy.RawKernel(code, f"twinflow_{type}")


def extreme_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel that finds extreme elements along a dimension.

    Args:
        cupy: The module.
        type: The type of the operation.
        kernel: The operation's own, which runs on other types, and says which dimensions cannot be.
    """

    def run(xp: Any, x: Any, dimension: Any, *, output_type: Any) -> Any:
        made = settled(xp, x.dtype, dimension, output_type=output_type) if x.size else None
        if made is None or not -x.ndim <= int(dimension) < x.ndim:
            return kernel(xp, x, dimension, output_type=output_type)
        return made(x)

    def settled(xp: Any, own: Any, dimension: Any, /, *, output_type: Any) -> Callable[..., Any] | None:
        if own.char not in _TYPES or output_type.np.char not in _RESULTS or dimension.ndim:
            return None
        axis, result, array = int(dimension), output_type.np, cupy.ndarray
        whole = functools.partial(_kernel(cupy, type, own.char, result.char), axis=axis)

        @functools.lru_cache(_KNOWN)
        def way_of(shape: tuple[int, ...]) -> tuple[Any, tuple[int, ...]] | None:
            """How the quick kernel is asked for, and the shape of what it gives; None where there is none."""
            fits = own.char in "fd" and -len(shape) <= axis < len(shape)
            laid = layout(shape, (axis % len(shape),)) if fits else None
            return None if laid is None else (laid, (*shape[: axis % len(shape)], *shape[axis % len(shape) + 1 :]))

        def found(x: Any) -> Any:
            if not x.size:
                raise ValueError("no elements")  # what runs then says in which words
            way = way_of(x.shape) if x.flags.c_contiguous else None
            if way is None:
                return whole(x)
            (groups, threads, told), out = way[0], array(way[1], result)
            _quick(cupy, type, own.char, result.char)(groups, threads, (x, out, told))
            return out

        return found

    run.settled = settled  # type: ignore[attr-defined]
    return run
