"""CuPy as an array module for kernels: all differences from NumPy are handled here.

``Namespace`` exposes CuPy's functions except those in ``OWN``, each of which documents the
difference that it compensates, and the single-kernel implementations of operations that would take
several NumPy functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.gpu.kernels.categorical import categories
from twinflow._src.backends.gpu.kernels.conv import gather_windows, to_largest
from twinflow._src.backends.gpu.kernels.data_movement import (
    banded,
    concatenate,
    framed,
    one_hot,
    patches_of,
    shuffled,
)
from twinflow._src.backends.gpu.kernels.elementwise import elementwise_kernel, fused
from twinflow._src.backends.gpu.kernels.gather_scatter import (
    Ufunc,
    combinable,
    pick_inside,
    replace_inside,
    take_inside,
)
from twinflow._src.backends.gpu.kernels.launch import ALLOCATORS, check_size, compile_elementwise
from twinflow._src.backends.gpu.kernels.products import PRODUCTS
from twinflow._src.backends.gpu.kernels.random import draws, philox
from twinflow._src.backends.gpu.kernels.reductions import (
    FUNCTIONS,
    SOFTMAX,
    arg_kernel,
    reduction_kernel,
    softmax_kernel,
)


class Namespace:
    """CuPy's functions, with replacements for those that are missing or behave differently.

    Args:
        cupy: The module.
    """

    def __init__(self, cupy: Any) -> None:
        self.__name__ = "cupy"
        self._cupy = cupy
        self._kernels: dict[Any, Callable[..., Any]] = {}

    def kernel_of(self, op: Any) -> Callable[..., Any]:
        """Returns the GPU kernel of an op: its own, or a generated one."""
        kernel = self._kernels.get(op)
        if kernel is None:
            factory = KERNELS.get(op.type) or (elementwise_kernel if is_generated(op) else None)
            kernel = op.kernel if factory is None else factory(self._cupy, op)
            self._kernels[op] = kernel
        return kernel

    def __getattr__(self, name: str) -> Any:
        factory = OWN.get(name)
        value = getattr(self._cupy, name) if factory is None else factory(self._cupy)
        if combinable(name):
            value = Ufunc(self._cupy, value)
        setattr(self, name, value)  # cached as an attribute
        return value


def is_generated(op: Any) -> bool:
    """True if an op runs as a generated elementwise kernel, as CuPy has no function for it."""
    return op.cuda is not None and op.bulk is None


# ------------------------------------------------------------------ replacements of CuPy functions


def _repeat(cupy: Any) -> Callable[..., Any]:
    """Supports counts on the device; the size of the result depends on them."""

    def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
        if not isinstance(repeats, cupy.ndarray):
            return cupy.repeat(a, repeats, axis)
        size = a.size if axis is None else a.shape[axis]
        indices = np.repeat(np.arange(size), repeats.get())
        return cupy.take(a, cupy.asarray(indices), axis)

    return repeat


def _split(cupy: Any) -> Callable[..., Any]:
    """Converts index arrays to Python integers; CuPy reads them one by one."""

    def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
        if isinstance(indices_or_sections, np.ndarray):
            indices_or_sections = indices_or_sections.tolist()
        return cupy.split(ary, indices_or_sections, axis)

    return split


def _einsum_path(cupy: Any) -> Callable[..., Any]:
    """Computes the contraction order on the host; it depends on sizes only."""

    def einsum_path(subscripts: str, *operands: Any, optimize: Any = "greedy") -> Any:
        sized = [np.broadcast_to(np.zeros(()), x.shape) for x in operands]
        return np.einsum_path(subscripts, *sized, optimize=optimize)

    return einsum_path


def _extreme(name: str) -> Callable[[Any], Callable[..., Any]]:
    """Supports ``initial``, the result for arrays without elements."""

    def bind_extreme(cupy: Any) -> Callable[..., Any]:
        plain, either = getattr(cupy, name), getattr(cupy, f"{name}imum")

        def extreme(a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None) -> Any:
            if initial is None:
                return plain(a, axis, keepdims=keepdims)
            if a.size:
                return either(plain(a, axis, keepdims=keepdims), a.dtype.type(initial))
            dims = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
            axes = {i % a.ndim for i in dims}
            sizes = [
                (1 if i in axes else n) for i, n in enumerate(a.shape) if keepdims or i not in axes
            ]
            return cupy.full(tuple(sizes), initial, a.dtype)

        return extreme

    return bind_extreme


def _arange(cupy: Any) -> Callable[..., Any]:
    """Supports negative steps of unsigned dtypes, and checks the size."""

    def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
        check_size((start if stop is None else stop - start) // step)
        if dtype is None or step >= 0 or np.dtype(dtype).kind != "u":
            return cupy.arange(start, stop, step, dtype)
        return cupy.arange(start, stop, step, np.int64).astype(dtype)

    return arange


def _tile(cupy: Any) -> Callable[..., Any]:
    """Checks the size; CuPy has another error for a size overflow."""

    def tile(a: Any, reps: Any) -> Any:
        check_size(a.size * math.prod(map(int, reps)))
        return cupy.tile(a, reps)

    return tile


def _copyto(cupy: Any) -> Callable[..., Any]:
    """Copies contiguous memory by one memcpy; CuPy's function has much overhead."""

    def copyto(dst: Any, src: Any) -> None:
        alike = (
            dst.dtype is src.dtype
            and dst.shape == src.shape
            and dst.flags.c_contiguous
            and src.flags.c_contiguous
        )
        if alike and dst.size:
            dst.data.copy_from_device_async(src.data, dst.nbytes)
        else:
            cupy.copyto(dst, src)

    return copyto


_REMAINDER = "r = y == T(0) || (T(-1) < T(0) && y == T(-1)) ? T(0) : T(x % y)"


def _fmod(cupy: Any) -> Callable[..., Any]:
    """Computes integer remainders exactly; CuPy computes them in float64."""
    whole = compile_elementwise(cupy, "T x, T y", "T r", _REMAINDER, "twinflow_fmod")

    def fmod(x: Any, y: Any) -> Any:
        return whole(x, y) if x.dtype.kind in "iu" else cupy.fmod(x, y)

    return fmod


class _Linalg:
    """``cupy.linalg`` with errors for failed decompositions, where CuPy returns NaN by default."""

    def __init__(self, cupy: Any) -> None:
        self._linalg = cupy.linalg

    def __getattr__(self, name: str) -> Any:
        function = getattr(self._linalg, name)
        value = (
            _raising(function)
            if callable(function) and not isinstance(function, type)
            else function
        )
        setattr(self, name, value)
        return value


def _raising(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*args: Any, **options: Any) -> Any:
        from cupyx import errstate

        with errstate(linalg="raise"):
            return function(*args, **options)

    return run


# Factories of replacements for CuPy's functions, called with the module on first access.
OWN: dict[str, Callable[[Any], Any]] = {
    **ALLOCATORS,
    "repeat": _repeat,
    "split": _split,
    "einsum_path": _einsum_path,
    "arange": _arange,
    "tile": _tile,
    "copyto": _copyto,
    "fmod": _fmod,
    "max": _extreme("max"),
    "min": _extreme("min"),
    "linalg": _Linalg,
    "philox": philox,
    "draws": draws,
    "fused": fused,
    "categories": categories,
    "gather_windows": gather_windows,
    "to_largest": to_largest,
    "concatenate": concatenate,
    "framed": framed,
    "banded": banded,
    "patches_of": patches_of,
    "shuffled": shuffled,
    "one_hot": one_hot,
    "take_inside": take_inside,
    "pick_inside": pick_inside,
    "replace_inside": replace_inside,
}
# Factories of GPU kernels for ops, by type.
KERNELS: dict[str, Callable[[Any, Any], Callable[..., Any]]] = {
    **PRODUCTS,
    **dict.fromkeys(FUNCTIONS, reduction_kernel),
    **dict.fromkeys(("ArgMax", "ArgMin"), arg_kernel),
    **dict.fromkeys(SOFTMAX, softmax_kernel),
}
