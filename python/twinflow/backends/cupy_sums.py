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
    method = FUNCTIONS[type]
    before = (None, None) if method in ("sum", "mean") else (None,)  # a type and a place for the result
    known: dict[Any, tuple[int, ...] | None] = {}

    def run(xp: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if x.dtype.char not in _FLOATS or not x.size:
            return kernel(xp, x, axis, keepdims=keepdims)
        axes = None
        if axis is not None:
            key = x.ndim, axis.size, axis.tobytes()
            axes = known.get(key, ())
            if axes == ():
                axes = known[key] = _axes(x.ndim, axis.reshape(-1).tolist())
            if axes is None:
                return kernel(xp, x, axis, keepdims=keepdims)
        return getattr(x, method)(axes, *before, keepdims)

    return run


def _axes(rank: int, axes: list[int]) -> tuple[int, ...] | None:
    """The axes as CuPy takes them; None for none, and for those that cannot be."""
    fit = axes and rank and -rank <= min(axes) and max(axes) < rank and len({a % rank for a in axes}) == len(axes)
    return tuple(axes) if fit else None
