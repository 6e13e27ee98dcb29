"""Sums, means and extreme elements of floats on a GPU: CuPy's own, without what the host's ways need on the way."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

# CuPy's function, by the type of the operation, and the types of which it is all that there is.
FUNCTIONS = {"Sum": "sum", "Mean": "mean", "Max": "max", "Min": "min", "Any": "any", "All": "all"}
_FLOATS, _BOOLEANS = frozenset("fd"), frozenset("?")


def reduction_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a reduction.

    Args:
        cupy: The module.
        type: The type of the operation.
        kernel: The operation's own, which runs on other types and on nothing, and says which axes cannot be.
    """
    method = FUNCTIONS[type]
    chars = _BOOLEANS if method in ("any", "all") else _FLOATS

    def run(xp: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if x.dtype.char not in chars or not x.size:
            return kernel(xp, x, axis, keepdims=keepdims)
        axes = None
        if axis is not None:
            axes = _axes(x.ndim, axis.reshape(-1).tolist())
            if axes is None:
                return kernel(xp, x, axis, keepdims=keepdims)
        return getattr(x, method)(axes, keepdims=keepdims)

    def settled(xp: Any, own: Any, axis: Any, /, *, keepdims: bool) -> Callable[..., Any] | None:
        """The same for certain axes."""
        fit: dict[int, Callable[..., Any]] = {}  # by rank

        def reduce(x: Any) -> Any:
            called = fit.get(x.ndim)
            if called is None or not x.size:
                return first(x)
            return called(x)

        def first(x: Any) -> Any:
            axes = None if axis is None else _axes(x.ndim, axis.reshape(-1).tolist())
            if axes is not None or axis is None:
                fit[x.ndim] = operator.methodcaller(method, axes, keepdims=keepdims)
            return run(xp, x, axis, keepdims)

        return reduce if own.char in chars else None

    run.settled = settled  # type: ignore[attr-defined]
    return run


def _axes(rank: int, axes: list[int]) -> tuple[int, ...] | None:
    """The axes as CuPy takes them; None for none, and for those that cannot be."""
    fit = axes and rank and -rank <= min(axes) and max(axes) < rank and len({a % rank for a in axes}) == len(axes)
    return tuple(axes) if fit else None
