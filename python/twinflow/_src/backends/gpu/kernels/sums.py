"""Sums, means, products and extreme elements on a GPU: by one kernel of ours, or CuPy's own for large arrays."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.gpu.kernels.along import Reduced, layout, text

# CuPy's function, by the type of the operation; of halves of sums of squares there is none.
FUNCTIONS = {"Sum": "sum", "Mean": "mean", "Prod": "prod", "Max": "max", "Min": "min", "Any": "any", "All": "all", "L2Loss": None}
_FLOATS, _WHOLE, _BOOLEANS = frozenset("fd"), frozenset("bBhHiIlLqQ"), frozenset("?")
# What is reduced and what becomes of it, where that is more than the reduction.
_OTHERS = {"Mean": ("Sum", "x0_", "total_ / all_.size"), "L2Loss": ("Sum", "x0_ * x0_", "total_ / 2")}
# Calls are known by shapes, so many of each operation, axes and type.
_KNOWN = 256


@functools.cache
def _kernel(cupy: Any, type: str, char: str) -> Any:
    """The kernel of a reduction on a type."""
    name, (along, value, then) = f"twinflow_{type}_{np.dtype(char).name}", _OTHERS.get(type, (type, "x0_", "total_"))
    step = Reduced(along, char, "total_", "", value, f"const auto result0_ = {then};")
    return cupy.RawKernel(text(name, [(char, True)], [(char, False)], [step]), name, options=("--fmad=false",))


def reduction_kernel(cupy: Any, type: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of a reduction.

    Args:
        cupy: The module.
        type: The type of the operation.
        kernel: The operation's own, which runs on other types and on nothing, and says which axes cannot be.
    """
    method, array = FUNCTIONS[type], cupy.ndarray
    chars = _BOOLEANS if method in ("any", "all") else _FLOATS if type in _OTHERS else _FLOATS | _WHOLE

    def others(xp: Any, x: Any, axis: Any, keepdims: bool) -> Any:
        """What the operation's own kernel gives."""
        return kernel(xp, x) if method is None else kernel(xp, x, axis, keepdims=keepdims)

    def run(xp: Any, x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if x.dtype.char not in chars:
            return others(xp, x, axis, keepdims)
        return whole(xp, x) if axis is None and not keepdims else way_of(xp, x, axis, keepdims)(x)

    def settled(xp: Any, own: Any, axis: Any = None, /, *, keepdims: bool = False) -> Callable[..., Any] | None:
        """The same for certain axes."""
        return functools.partial(along(axis, keepdims), xp) if own.char in chars else None

    def along(axis: Any, keepdims: bool) -> Callable[..., Any]:
        """A function of the module and an array, which remembers how arrays lay."""
        known: dict[Any, Callable[..., Any]] = {}

        def reduce(xp: Any, x: Any) -> Any:
            form = x.dtype, x.shape, x.strides
            way = known.get(form)
            if way is None:
                if len(known) >= _KNOWN:
                    known.clear()
                way = known[form] = way_of(xp, x, axis, keepdims)
            return way(x)

        return reduce

    def way_of(xp: Any, x: Any, axis: Any, keepdims: bool) -> Callable[..., Any]:
        """What reduces arrays that lie like this one."""
        axes = tuple(range(x.ndim)) if axis is None else _axes(x.ndim, axis.reshape(-1).tolist())
        if axes is None or not x.size:
            return lambda x: others(xp, x, axis, keepdims)
        found = layout(x.shape, axes) if x.flags.c_contiguous else None
        if found is None:
            if method is None or x.dtype.char in _WHOLE:
                return lambda x: others(xp, x, axis, keepdims)
            return operator.methodcaller(method, None if axis is None else axes, keepdims=keepdims)
        (groups, threads, told), launch, dtype = found, _kernel(cupy, type, x.dtype.char), x.dtype
        shape = tuple([1 if i in axes else n for i, n in enumerate(x.shape) if keepdims or i not in axes])

        def way(x: Any) -> Any:
            out = array(shape, dtype)
            launch(groups, threads, (x, out, told))
            return out

        return way

    whole = along(None, False)
    run.settled = settled  # type: ignore[attr-defined]
    return run


def _axes(rank: int, axes: list[int]) -> tuple[int, ...] | None:
    """The axes, not negative; None for none, and for those that cannot be."""
    fit = axes and rank and -rank <= min(axes) and max(axes) < rank and len({a % rank for a in axes}) == len(axes)
    return tuple([a % rank for a in axes]) if fit else None
