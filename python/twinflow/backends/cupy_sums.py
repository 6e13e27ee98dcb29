"""Sums, means and extreme elements of floats on a GPU: CuPy's own, without what the host's ways need on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_FLOATS = frozenset("fd")
# CuPy's function, by the type of the operation.
FUNCTIONS = {"Sum": "sum", "Mean": "mean", "Max": "max", "Min": "min"}


def reduction_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a reduction.

    Args:
        cupy: The module.
        type: The type of the operation.
        kernel: The operation's own, which runs on other types and on nothing, and says which axes cannot be.
    """
    reduce = getattr(cupy, FUNCTIONS[type])

    def run(xp: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if x.dtype.char not in _FLOATS or not x.size:
            return kernel(xp, x, axis, keepdims=keepdims)
        if axis is None:
            return reduce(x, axis=None, keepdims=keepdims)
        axes, rank = tuple(axis.reshape(-1).tolist()), x.ndim
        if not axes or not rank or min(axes) < -rank or max(axes) >= rank or len({a % rank for a in axes}) < len(axes):
            return kernel(xp, x, axis, keepdims=keepdims)
        return reduce(x, axis=axes, keepdims=keepdims)

    return run
