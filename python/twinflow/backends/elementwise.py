"""Elementwise kernels on large arrays: block by block, the blocks shared among the threads of the host.

What a kernel makes on its way from a block of its inputs to a block of the result stays in the cache. Every
element goes through the same functions as without: the bits are the same at every number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import bfloat16
from ..errors import OpError
from ..schema import Op
from .halves import is_short_float, shortened, widened
from .pieces import shared

# A block that passes through several functions, which should stay in the cache; and one that one function fills.
BLOCK, _WIDE = 1 << 16, 1 << 18
# Fewer elements are not worth it: of a chain of operations, of one; and of one function, which NumPy runs as quickly.
LEAST, MANY, MANY_OF_ONE = 2 * BLOCK, 1 << 17, 2 * _WIDE
# On a GPU a chain saves the start of kernels; but small float32 arrays are computed in double.
LEAST_ELSEWHERE = 1 << 13
_BFLOAT16 = bfloat16.np


def is_blocked(op: Op) -> bool:
    """Whether large inputs of an op are run block by block; where it passes over them once, that copies for nothing."""
    return op.each and not op.light


def bounds(size: int, step: int = BLOCK) -> list[tuple[int, int]]:
    """Where blocks start and stop; the last one takes what is left.

    Args:
        size: How many elements there are, at least one; fewer than a block are one.
        step: How many elements a block has at least; kernels round small arrays otherwise.
    """
    starts = list(range(0, size - step + 1, step)) or [0]
    return list(zip(starts, [*starts[1:], size]))


def run(op: Op, arrays: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs a kernel on arrays of the host.

    Args:
        op: The op, an elementwise one.
        arrays: Its inputs.
        attrs: Its attributes.

    Returns:
        The result, or None where the arrays are not large or not of one shape, or the kernel fails: then it
        is to be run as it is.
    """
    whole = max(arrays, key=np.size)
    if whole.size < MANY or not all(_goes_along(array, whole) for array in arrays):
        return None
    short = is_short_float(arrays[-1].dtype)
    if op.bulk is not None and not short and min(whole.size, whole.nbytes // 4) < MANY_OF_ONE:
        return None  # NumPy is as quick
    flat = [a.reshape(-1) if a.size == whole.size else a.reshape(()) for a in arrays]
    try:
        if short and len(arrays) == 1 and not _is_quick(op.bulk, arrays[0].dtype):
            return _of_table(op, flat[0], attrs).reshape(whole.shape)
        if short and op.bulk in _ROUNDED_ONCE:
            return _in_single_precision(getattr(np, op.bulk), arrays, flat, whole)
        if op.bulk is None:
            return _of_kernel(op, flat, attrs, whole)
        return _of_function(getattr(np, op.bulk), flat, whole)
    except (OpError, ValueError, TypeError, MemoryError):
        return None  # the kernel says why, of the whole arrays


def _goes_along(array: Any, whole: Any) -> bool:
    if array.dtype.kind not in "fiubc" and array.dtype != _BFLOAT16:
        return False
    return array.size == 1 or (array.shape == whole.shape and array.flags.c_contiguous)


def _part(flat: list[Any], place: tuple[int, int]) -> list[Any]:
    return [array[slice(*place)] if array.ndim else array for array in flat]


def _of_function(function: Any, flat: list[Any], whole: Any) -> Any:
    """One NumPy function writes each block where it belongs."""
    dtype = function(*(array.reshape(-1)[:1] for array in flat)).dtype
    out = np.empty(whole.size, dtype)
    places = bounds(whole.size, _WIDE)
    shared(lambda place: function(*_part(flat, place), out=out[slice(*place)]), places)
    return out.reshape(whole.shape)


def _of_kernel(op: Op, flat: list[Any], attrs: dict[str, Any], whole: Any) -> Any:
    """The kernel makes each block, which is copied to where it belongs."""
    dtype = op.kernel(np, *(array.reshape(-1)[:1] for array in flat), **attrs).dtype
    out = np.empty(whole.size, dtype)

    def work(place: tuple[int, int]) -> None:
        out[slice(*place)] = op.kernel(np, *_part(flat, place), **attrs)

    shared(work, bounds(whole.size, BLOCK))
    return out.reshape(whole.shape)


def in_blocks(function: Any, x: Any, dtype: Any) -> Any:
    """What a function of an array's elements gives, block by block.

    Args:
        function: The function; it keeps the shape.
        x: A large array.
        dtype: The type of the result.
    """
    flat, out = x.reshape(-1), np.empty(x.size, dtype)

    def work(place: tuple[int, int]) -> None:
        out[slice(*place)] = function(flat[slice(*place)])

    shared(work, bounds(x.size))
    return out.reshape(x.shape)


def filled_in_blocks(function: Any, x: Any) -> Any:
    """An array that a function fills, block by block.

    Args:
        function: Called with a block of an array and with that of the result.
        x: A large array, C-ordered.
    """
    flat, out = x.reshape(-1), np.empty(x.size, x.dtype)
    shared(lambda place: function(flat[slice(*place)], out[slice(*place)]), bounds(x.size, _WIDE))
    return out.reshape(x.shape)


# ------------------------------------------------------------------ short floats

# Functions that look at bits only; those of float16 that NumPy vectorises, where the processor can; and those that
# compute in single precision and round once.
_ON_BITS = frozenset(["absolute", "negative", "isfinite", "isinf", "isnan"])
_VECTORISED = frozenset(
    ["arcsin", "arcsinh", "arccos", "arctan", "arctanh", "cosh", "exp", "expm1", "log", "log1p", "sin", "sinh", "tan", "tanh"]
)
_ROUNDED_ONCE = frozenset(
    ["add", "subtract", "multiply", "divide", "true_divide", "equal", "not_equal", "less", "less_equal", "greater",
     "greater_equal"]
)  # fmt: skip
_tables: dict[Any, Any] = {}
_MOST_TABLES = 64


def _is_quick(name: str | None, dtype: Any) -> bool:
    """Whether a function takes less time than looking its results up."""
    return name in _ON_BITS or (dtype.kind == "f" and name in _VECTORISED)


def _of_table(op: Op, x: Any, attrs: dict[str, Any]) -> Any:
    """A function of one short float: it has 65536 results, which are looked up."""
    key = op.type, x.dtype, *attrs.items()
    table = _tables.get(key)
    if table is None:
        if len(_tables) >= _MOST_TABLES:
            _tables.clear()
        every = np.arange(1 << 16, dtype=np.uint16).view(x.dtype)
        table = _tables[key] = op.kernel(np, every, **attrs)
    bits = table if table.dtype.kind != "V" else table.view(np.uint16)
    out = np.empty(x.size, bits.dtype)
    places, numbers = bounds(x.size, BLOCK), x.view(np.uint16)
    shared(lambda place: bits.take(numbers[slice(*place)], out=out[slice(*place)], mode="wrap"), places)
    return out.view(table.dtype)


def _in_single_precision(function: Any, arrays: list[Any], flat: list[Any], whole: Any) -> Any:
    """A function of two short floats: those of float32, rounded."""
    dtype = function(*(array.reshape(-1)[:1] for array in flat)).dtype
    out = np.empty(whole.size, dtype)
    distinct = flat[:1] if arrays[0] is arrays[1] else flat  # the square of an array widens it once

    def work(place: tuple[int, int]) -> None:
        parts = [widened(part) for part in _part(distinct, place)]
        value = function(parts[0], parts[-1])
        out[slice(*place)] = shortened(value, dtype) if is_short_float(dtype) else value

    shared(work, bounds(whole.size, BLOCK))
    return out.reshape(whole.shape)
