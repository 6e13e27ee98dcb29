"""bfloat16 on devices: numbers that are moved stay as they are, others are computed in float32 and rounded once.

The array module of a device holds bfloat16 and moves it, adds it and multiplies matrices of it; in sorting, sums
and many functions it knows nothing of it, or goes on in float32. TensorFlow's kernels of GPUs compute in float32,
too.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import DType, bfloat16, string
from twinflow._src.dispatch.registry import Op
from twinflow._src.graph.signatures import output_types, result_types, signature

_SHORT, _WIDE = bfloat16.np, np.dtype(np.float32)
# Besides operations that take texts, which only move what they get: products, whose terms the hardware adds in
# float32, and what tells types apart itself.
_AS_THEY_ARE = frozenset(
    (
        "MatMul",
        "BatchMatMulV2",
        "BatchMatMulV3",
        "Cast",
        "Bitcast",
        "UnsortedSegmentMax",
        "UnsortedSegmentMin",
    )
)


def _is_short(x: Any) -> bool:
    """Whether something is an array of a device, or a variable, of bfloat16; of a list, whether anything in it is."""
    if type(x) is list:
        return _any_short(x)
    found = getattr(x, "dtype", None)
    return (found is _SHORT or found is bfloat16) and type(x) is not np.ndarray


def _any_short(arrays: Sequence[Any]) -> bool:
    return True in map(_is_short, arrays)  # a third of the time of any() of a generator


def has_short(arrays: Sequence[Any], attrs: dict[str, Any]) -> bool:
    """Whether a call has to do with bfloat16 on a device, or may give it.

    Args:
        arrays: The inputs.
        attrs: The attributes.
    """
    for value in attrs.values():  # "in" would ask types and numbers whether they are equal
        if value is bfloat16:
            return True
    return True in map(_is_short, arrays)


def _wide(x: Any) -> Any:
    if type(x) is list:
        return [_wide(item) for item in x]
    return x.astype(_WIDE) if _is_short(x) else x


@functools.cache
def _moves(op: Op) -> bool:
    """Whether a kernel gets numbers of bfloat16 as they are."""
    return string in op.dtypes or op.type in _AS_THEY_ARE or op.impure


def run_rounded(
    op: Op, kernel: Callable[..., Any], arrays: tuple[Any, ...], attrs: dict[str, Any]
) -> Any:
    """Runs a kernel on arrays of a device, some of which may be of bfloat16.

    Args:
        op: The op.
        kernel: A function of the arrays.
        arrays: Its inputs.
        attrs: The attributes of the call, which the kernel knows already.
    """
    if not has_short(arrays, attrs):
        return kernel(*arrays)
    result = kernel(*arrays) if _moves(op) else kernel(*map(_wide, arrays))
    return _rounded(result, _result_types(op, arrays, attrs, result))


def _result_types(
    op: Op, arrays: tuple[Any, ...], attrs: dict[str, Any], result: Any
) -> list[DType | None]:
    """The types of the results, as the op's definition has them."""
    several = isinstance(result, (list, tuple))
    count = len(result) if several else 1
    found = signature(op.type)
    if result is None or found is None or not found.outputs:
        return [None] * count
    types = [bfloat16 if _any_short((x,)) else None for x in arrays]
    return [*result_types(op, output_types(op, types, attrs), count)]


def _rounded(result: Any, types: list[DType | None]) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(map(_to, result, types))
    return _to(result, types[0])


def _to(x: Any, dtype: DType | None) -> Any:
    """A result in its type; results of the host (sizes, say) are as they should be."""
    wrong = dtype is bfloat16 and type(x) is not np.ndarray and getattr(x, "dtype", None) == _WIDE
    return x.astype(_SHORT) if wrong else x
