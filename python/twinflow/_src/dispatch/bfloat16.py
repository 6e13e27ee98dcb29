"""bfloat16 on devices: float32 arithmetic, rounded once to bfloat16 at the end.

A device's array module can store, copy, add and matrix-multiply bfloat16. Its sorts, reductions and
many elementwise functions do not support the dtype or return float32. Kernels therefore get float32
casts of their bfloat16 inputs, except ops that only move data. TensorFlow's GPU kernels compute in
float32, too.
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


def _is_short(x: Any) -> bool:
    """True if ``x`` is a device array or a variable of bfloat16, or a list that contains one."""
    if type(x) is list:
        return _any_short(x)
    dtype = getattr(x, "dtype", None)
    return (dtype is _SHORT or dtype is bfloat16) and type(x) is not np.ndarray


def _any_short(arrays: Sequence[Any]) -> bool:
    # map() takes a third of the time of any() with a generator
    return True in map(_is_short, arrays)


def has_short(arrays: Sequence[Any], attrs: dict[str, Any]) -> bool:
    """True if an input of a call is bfloat16 on a device, or an attribute is the dtype bfloat16."""
    for value in attrs.values():  # "in" would compare dtypes and numbers with ==
        if value is bfloat16:
            return True
    return True in map(_is_short, arrays)


def _wide(x: Any) -> Any:
    if type(x) is list:
        return [_wide(item) for item in x]
    return x.astype(_WIDE) if _is_short(x) else x


@functools.cache
def _moves(op: Op) -> bool:
    """True if an op's kernel gets bfloat16 arrays without a cast to float32.

    Such are ops that take strings (pure data movement), matrix products, which the hardware
    accumulates in float32, and ops that distinguish the dtypes themselves.
    """
    return string in op.dtypes or op.keeps_bfloat16 or op.impure


def run_rounded(
    op: Op, kernel: Callable[..., Any], arrays: tuple[Any, ...], attrs: dict[str, Any]
) -> Any:
    """Runs a kernel on device arrays in float32 where they are bfloat16, and rounds its results.

    The attributes are already bound to the kernel; the result dtypes are inferred from them.
    """
    if not has_short(arrays, attrs):
        return kernel(*arrays)
    result = kernel(*arrays) if _moves(op) else kernel(*map(_wide, arrays))
    return _rounded(result, _result_types(op, arrays, attrs, result))


def _result_types(
    op: Op, arrays: tuple[Any, ...], attrs: dict[str, Any], result: Any
) -> list[DType | None]:
    """Returns the dtypes of the results by the op definition; None where unknown."""
    several = isinstance(result, (list, tuple))
    count = len(result) if several else 1
    op_signature = signature(op.type)
    if result is None or op_signature is None or not op_signature.outputs:
        return [None] * count
    if any(kind.mixed for kind in op.kinds):  # only data movement; each result has its own dtype
        return [None] * count
    types = [bfloat16 if _any_short((x,)) else None for x in arrays]
    return [*result_types(op, output_types(op, types, attrs), count)]


def _rounded(result: Any, types: list[DType | None]) -> Any:
    if isinstance(result, (list, tuple)):
        return type(result)(map(_to, result, types))
    return _to(result, types[0])


def _to(x: Any, dtype: DType | None) -> Any:
    """Casts a float32 device result to bfloat16 if that is its dtype; host results stay float32."""
    wrong = dtype is bfloat16 and type(x) is not np.ndarray and getattr(x, "dtype", None) == _WIDE
    return x.astype(_SHORT) if wrong else x
