"""Elementwise kernels on large arrays: block by block, the blocks shared among the threads of the host.

What a kernel makes on its way from a block of its inputs to a block of the result stays in the cache. Every
element goes through the same functions as without: the bits are the same at every number of threads.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu.float16 import is_short_float, shortened, widened
from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.core.dtypes import bfloat16
from twinflow._src.core.errors import OpError
from twinflow._src.core.shapes import broadcast
from twinflow._src.dispatch.registry import Op

# A block that passes through several functions, which should stay in the cache; one that one function fills, or several do
# where there are so many parts of it.
BLOCK, _WIDE, _PARTS = 1 << 16, 1 << 18, 8
# Fewer elements are not worth it: of a chain of operations, of one; and of one function, which NumPy runs as quickly.
LEAST, MANY, MANY_OF_ONE = 2 * BLOCK, 1 << 17, 2 * _WIDE
# Of short floats less pays: NumPy computes them one by one.
MANY_SHORT = 1 << 15
# NumPy begins each row of another array anew; shorter ones are laid side by side.
_NARROW = 32
# On a GPU a chain saves the start of kernels; but small float32 arrays are computed in double.
LEAST_ELSEWHERE = 1 << 13
_BFLOAT16 = bfloat16.np


def is_blocked(op: Op) -> bool:
    """Whether large inputs of an op are run block by block; where it passes over them once, that copies for nothing."""
    return op.each and not op.light


def is_large(x: Any) -> bool:
    """Whether an array has so many elements that ``run`` has ways of its own.

    Args:
        x: An array.
    """
    return bool(x.size >= MANY or (x.size >= MANY_SHORT and is_short_float(x.dtype)))


def bounds(size: int, step: int = BLOCK) -> list[tuple[int, int]]:
    """Where blocks start and stop; the last one takes what is left.

    Args:
        size: How many elements there are, at least one; fewer than a block are one.
        step: How many elements a block has at least; kernels round small arrays otherwise.
    """
    starts = list(range(0, size - step + 1, step)) or [0]
    return list(zip(starts, [*starts[1:], size]))


def block_of(size: int) -> int:
    """How many elements of so many pass through several functions at a time: calls of NumPy are to be few, and parts to be many.

    Args:
        size: How many elements there are.
    """
    return min(max(BLOCK, 1 << (size // _PARTS - 1).bit_length()), _WIDE)


class _Inputs(NamedTuple):
    """Arrays of which one, the whole, has the shape of the result, and the others go along with it."""

    flat: list[
        Any
    ]  # each as a vector; one element as a scalar; a row again and again, within a matrix of one row
    whole: Any
    width: int  # of rows; 1 where there are none

    def part(self, place: tuple[int, int]) -> list[Any]:
        """What belongs to a block of the result."""
        start, stop = place
        parts = (None, slice(start, stop), (0, slice(stop - start)))
        return [array[parts[array.ndim]] if array.ndim else array for array in self.flat]

    def places(self, block: int = 0) -> list[tuple[int, int]]:
        """Where blocks of a size, or of one that suits several functions, start and stop: with whole rows."""
        if self.width > 1:
            return bounds(self.whole.size, BLOCK // self.width * self.width)
        return bounds(self.whole.size, block or block_of(self.whole.size))

    def first(self) -> list[Any]:
        """An element of each."""
        return [array.reshape(-1)[:1] for array in self.flat]


def run(op: Op, arrays: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs a kernel on arrays of the host.

    Args:
        op: The op, an elementwise one.
        arrays: Its inputs.
        attrs: Its attributes.

    Returns:
        The result, or None where the arrays are not large, or none of them has the shape of the result with the
        others equal to it, one element or a row, or the kernel fails: then it is to be run as it is.
    """
    inputs = _together(arrays)
    if inputs is None and op.bulk in _ROUNDED_ONCE and arrays[0].dtype == np.float16:
        return _of_float16(op.bulk, arrays)
    if inputs is None or (inputs.width > 1 and op.shape is not broadcast):
        return None
    try:
        if (
            len(arrays) == 1
            and is_short_float(arrays[0].dtype)
            and not _is_quick(op.bulk, arrays[0].dtype)
        ):
            key = op.type, arrays[0].dtype, *attrs.items()
            return _of_table(
                key, lambda every: op.kernel(np, every, **attrs), inputs.flat[0]
            ).reshape(arrays[0].shape)
        return _of_kernel(op, inputs, attrs) if op.bulk is None else _of_name(op.bulk, inputs)
    except (OpError, ValueError, TypeError, MemoryError):
        return None  # the kernel says why, of the whole arrays


def applied(xp: Any, name: str, *arrays: Any) -> Any:
    """What a function of the array module gives; of many elements block by block.

    Args:
        xp: The array module.
        name: The function.
        *arrays: Its arguments.
    """
    inputs = _together(arrays) if xp is np else None
    found = None if inputs is None else _of_name(name, inputs)
    return getattr(xp, name)(*arrays) if found is None else found


def _together(arrays: Sequence[Any]) -> _Inputs | None:
    whole = max(arrays, key=np.size)
    if not is_large(whole):
        return None
    widths = {_width(array, whole) for array in arrays} - {1}
    if 0 in widths or len(widths) > 1 or (widths and whole.size < MANY):
        return None
    width = widths.pop() if widths else 1
    flat: dict[int, Any] = {}
    for array in arrays:
        shape = -1 if array.size == whole.size else () if array.size == 1 else (1, -1)
        flat[id(array)] = (
            np.tile(array.reshape(-1), 2 * BLOCK // width)[None]
            if shape == (1, -1)
            else array.reshape(shape)
        )
    return _Inputs([flat[id(array)] for array in arrays], whole, width)


def _width(array: Any, whole: Any) -> int:
    """The size of a row that goes along with each of the whole; 1 for one element and the whole itself, 0 where nothing goes."""
    if (array.dtype.kind not in "fiubc" and array.dtype != _BFLOAT16) or array.ndim > whole.ndim:
        return 0
    if array.size == 1:
        return 1
    if not array.flags.c_contiguous or array.shape == whole.shape:
        return int(array.flags.c_contiguous)
    row = array.shape[next((i for i, size in enumerate(array.shape) if size != 1), 0) :]
    return array.size if row == whole.shape[-len(row) :] and 0 < array.size < _NARROW else 0


def _of_name(name: str, inputs: _Inputs) -> Any:
    """One of NumPy's functions; None where NumPy is as quick."""
    whole = inputs.whole
    if (
        is_short_float(whole.dtype) and name in _ROUNDED_ONCE
    ):  # bfloat16 has quick loops, which keep the interpreter
        return (
            None
            if whole.size < MANY and whole.dtype == _BFLOAT16
            else _in_single_precision(name, inputs)
        )
    if (
        inputs.width == 1
        and not is_short_float(whole.dtype)
        and min(whole.size, whole.nbytes // 4) < MANY_OF_ONE
    ):
        return None
    return _of_function(getattr(np, name), inputs)


def _of_function(function: Any, inputs: _Inputs) -> Any:
    """One NumPy function writes each block where it belongs."""
    out = np.empty(inputs.whole.size, function(*inputs.first()).dtype)
    shared(
        lambda place: function(*inputs.part(place), out=out[slice(*place)]), inputs.places(_WIDE)
    )
    return out.reshape(inputs.whole.shape)


def _of_kernel(op: Op, inputs: _Inputs, attrs: dict[str, Any]) -> Any:
    """The kernel makes each block, which is copied to where it belongs, or is made there."""
    out = np.empty(inputs.whole.size, op.kernel(np, *inputs.first(), **attrs).dtype)
    fill = op.fill if out.dtype.char in "fd" else None

    def work(place: tuple[int, int]) -> None:
        if fill:
            fill(np, *inputs.part(place), out[slice(*place)])
        else:
            out[slice(*place)] = op.kernel(np, *inputs.part(place), **attrs)

    shared(work, inputs.places())
    return out.reshape(inputs.whole.shape)


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

    shared(work, bounds(x.size, block_of(x.size)))
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

# Functions that look at bits only; and those that compute in single precision and round once.
_ON_BITS = frozenset(["absolute", "negative", "isfinite", "isinf", "isnan"])
_ROUNDED_ONCE = frozenset(
    ["add", "subtract", "multiply", "divide", "true_divide", "equal", "not_equal", "less", "less_equal", "greater",
     "greater_equal", "minimum", "maximum"]
)  # fmt: skip
_FIRST = {
    "minimum": np.less_equal,
    "maximum": np.greater_equal,
}  # whether it is the first of two numbers, or NaN
_tables: dict[Any, Any] = {}
_MOST_TABLES = 64


def _is_quick(name: str | None, dtype: Any) -> bool:
    """Whether a function takes less time than looking its results up."""
    return name in _ON_BITS or (dtype.kind == "f" and name is not None and _is_vectorised(name))


@functools.cache
def _is_vectorised(name: str) -> bool:
    """Whether NumPy has a loop for a function of float16 that is made for this processor."""
    try:
        from numpy.lib import introspect
    except ImportError:  # before NumPy 2.2
        return False
    loops = introspect.opt_func_info(func_name=f"^{name}$", signature="float16").get(name, {})
    return any(not loop["current"].startswith("baseline") for loop in loops.values())


def _of_table(key: Any, function: Any, x: Any) -> Any:
    """A function of one short float: it has 65536 results, which are looked up."""
    table = _tables.get(key)
    if table is None:
        if len(_tables) >= _MOST_TABLES:
            _tables.clear()
        table = _tables[key] = function(np.arange(1 << 16, dtype=np.uint16).view(x.dtype))
    bits = table if table.dtype.kind != "V" else table.view(np.uint16)
    out = np.empty(x.size, bits.dtype)
    places, numbers = bounds(x.size, BLOCK), x.view(np.uint16)
    shared(
        lambda place: bits.take(numbers[slice(*place)], out=out[slice(*place)], mode="wrap"), places
    )
    return out.view(table.dtype)


def _in_single_precision(name: str, inputs: _Inputs) -> Any:
    """A function of two short floats: those of float32, rounded."""
    function, one = getattr(np, name), inputs.flat[0] is inputs.flat[1]
    dtype = function(*inputs.first()).dtype

    def rounded(first: Any, second: Any) -> Any:
        wide = widened(first)
        if name in _FIRST:
            return _picked(_FIRST[name](wide, widened(second)) | (wide != wide), first, second)
        value = function(wide, wide if one else widened(second))
        return shortened(value, dtype) if is_short_float(dtype) else value

    if one and dtype == np.float16:  # a square, the double of a number
        return _of_table(
            (name, dtype), lambda every: rounded(every, every), inputs.flat[0]
        ).reshape(inputs.whole.shape)
    out = np.empty(inputs.whole.size, dtype)

    def work(place: tuple[int, int]) -> None:
        out[slice(*place)] = rounded(*inputs.part(place))

    shared(work, inputs.places())
    return out.reshape(inputs.whole.shape)


def _picked(chosen: Any, first: Any, second: Any) -> Any:
    """Short floats of one array or else of another, bit by bit: NumPy's choice waits for each number."""
    other = second.view(np.int16)
    bits = -chosen.astype(np.int16)
    bits &= first.view(np.int16) ^ other
    bits ^= other
    return bits.view(first.dtype)


def _of_float16(name: str, arrays: list[Any]) -> Any:
    """A function of float16 that are broadcast in any way, by parts of the first dimension; None of few, or where they do not fit."""
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        return None  # the kernel says why
    size = math.prod(shape)
    if size < MANY_SHORT:
        return None
    function = getattr(np, name)
    out = np.empty(shape, function(*(array.reshape(-1)[:1] for array in arrays)).dtype)
    wide = [widened(array) if 2 * array.size <= size else array for array in arrays]

    def work(place: tuple[int, int]) -> None:
        at = slice(*place)
        parts = [
            array[at] if array.ndim == len(shape) and len(array) == shape[0] else array
            for array in wide
        ]
        value = function(*map(widened, parts))
        out[at] = shortened(value, out.dtype) if is_short_float(out.dtype) else value

    shared(work, bounds(shape[0], max(BLOCK * shape[0] // size, 1)))
    return out
