"""Blocked elementwise kernels for large arrays on the host's thread pool.

Intermediate results of a block stay in the cache. Every element passes through the same functions
as without blocks, so results are identical to the bit for any number of threads.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu.float16 import (
    arithmetic_loop,
    is_short_float,
    shortened,
    widened,
)
from twinflow._src.backends.cpu.float32_functions import VECTOR, host_function
from twinflow._src.backends.cpu.parallel import all_cores, shared
from twinflow._src.core.dtypes import bfloat16
from twinflow._src.core.errors import OpError
from twinflow._src.core.shapes import broadcast
from twinflow._src.dispatch.registry import Op

# Elements of a block. With fewer, NumPy's calls are so short that two threads wait for each other's GIL.
BLOCK = 1 << 18
# Elements of a block of tiled rows, whose tile is copied in each call, and of 16-bit floats.
_SMALL_BLOCK = 1 << 16
# Minimum number of elements: for a chain of operations, for rows and conversions, and for several
# threads.
LEAST, MANY, MANY_OF_ONE = 1 << 17, 1 << 17, 2 * BLOCK
# Elements of a block of a native loop, for several threads.
_NATIVE_BLOCK = 1 << 20
# Minimum for 16-bit floats, which NumPy computes one by one.
MANY_SHORT = 1 << 15
# NumPy restarts its inner loop for each row of a broadcast operand; shorter rows are tiled.
_NARROW = 32
# On a GPU a chain saves launches and memory traffic, but each one is compiled for itself.
LEAST_ELSEWHERE = 1 << 13
_BFLOAT16 = bfloat16.np


def is_blocked(op: Op) -> bool:
    """True if large inputs of an op are computed in blocks.

    For an op that makes one pass, the copies of blocks would not pay.
    """
    return op.each and not op.light


def is_large(x: Any) -> bool:
    """True if an array is large enough for ``run``."""
    return bool(x.size >= MANY or (x.size >= MANY_SHORT and is_short_float(x.dtype)))


def bounds(size: int, step: int) -> list[tuple[int, int]]:
    """Returns the start and stop of blocks; the last one includes the remainder.

    ``step`` is the minimum block size: kernels may round small arrays differently. Fewer
    elements are one block.
    """
    starts = list(range(0, size - step + 1, step)) or [0]
    return list(zip(starts, [*starts[1:], size]))


class _Inputs(NamedTuple):
    """Operands of which one, the whole, has the shape of the result; the others broadcast to it."""

    flat: list[Any]  # as vectors; single elements as scalars; a tiled row as a matrix of one row
    whole: Any
    width: int  # of rows; 1 if there are none

    def part(self, span: tuple[int, int]) -> list[Any]:
        """Returns the operands of a block of the result."""
        start, stop = span
        parts = (None, slice(start, stop), (0, slice(stop - start)))
        return [array[parts[array.ndim]] if array.ndim else array for array in self.flat]

    def spans(self) -> list[tuple[int, int]]:
        """Returns the start and stop of blocks, aligned to whole rows and vectors."""
        if self.width > 1:
            rows = VECTOR * self.width
            return bounds(self.whole.size, _SMALL_BLOCK // rows * rows)
        is_slow = self.whole.size < MANY_OF_ONE and is_short_float(self.whole.dtype)
        return bounds(self.whole.size, _SMALL_BLOCK if is_slow else BLOCK)

    def first(self) -> list[Any]:
        """Returns one element of each operand."""
        return [array.reshape(-1)[:1] for array in self.flat]


def run(op: Op, arrays: list[Any], attrs: dict[str, Any]) -> Any:
    """Runs an elementwise kernel on host arrays in blocks.

    Returns None if the arrays are not large, or none has the shape of the result with the
    others being equal to it, single elements or rows, or if the kernel fails. The kernel is
    then to be run as usual.
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
        return None  # the kernel raises the error, for the whole arrays


def applied(xp: Any, name: str, *arrays: Any) -> Any:
    """Applies a function of the array module, in blocks if there are many elements."""
    inputs = _together(arrays) if xp is np else None
    result = None if inputs is None else _of_name(name, inputs)
    return getattr(xp, name)(*arrays) if result is None else result


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
            np.tile(array.reshape(-1), 2 * _SMALL_BLOCK // width)[None]
            if shape == (1, -1)
            else array.reshape(shape)
        )
    return _Inputs([flat[id(array)] for array in arrays], whole, width)


def _width(array: Any, whole: Any) -> int:
    """Returns the row size of a broadcast operand: 1 for a scalar or the whole, 0 if invalid."""
    if (array.dtype.kind not in "fiubc" and array.dtype != _BFLOAT16) or array.ndim > whole.ndim:
        return 0
    if array.size == 1:
        return 1
    if not array.flags.c_contiguous or array.shape == whole.shape:
        return int(array.flags.c_contiguous)
    row = array.shape[next((i for i, size in enumerate(array.shape) if size != 1), 0) :]
    return array.size if row == whole.shape[-len(row) :] and 0 < array.size < _NARROW else 0


def _of_name(name: str, inputs: _Inputs) -> Any:
    """Applies a NumPy function in blocks; None if NumPy alone is as fast."""
    whole = inputs.whole
    if (
        is_short_float(whole.dtype) and name in _ROUNDED_ONCE
    ):  # bfloat16 has fast loops, but they hold the GIL
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
    return _of_function(host_function(name, whole.dtype), inputs)


def _of_function(function: Any, inputs: _Inputs) -> Any:
    """Applies a NumPy function, which writes each block to its slice of the result."""
    out = np.empty(inputs.whole.size, function(*inputs.first()).dtype)
    shared(lambda span: function(*inputs.part(span), out=out[slice(*span)]), inputs.spans())
    return out.reshape(inputs.whole.shape)


def _of_kernel(op: Op, inputs: _Inputs, attrs: dict[str, Any]) -> Any:
    """Runs a kernel for each block, which fills its slice of the result or is copied to it.

    Returns None if there is one block only.
    """
    spans = inputs.spans()
    if len(spans) == 1:
        return None
    out = np.empty(inputs.whole.size, op.kernel(np, *inputs.first(), **attrs).dtype)
    fill = op.fill if out.dtype.char in "fd" else None

    def work(span: tuple[int, int]) -> None:
        if fill:
            fill(np, *inputs.part(span), out[slice(*span)])
        else:
            out[slice(*span)] = op.kernel(np, *inputs.part(span), **attrs)

    shared(work, spans)
    return out.reshape(inputs.whole.shape)


def in_blocks(function: Any, x: Any, dtype: Any) -> Any:
    """Applies an elementwise function block by block."""
    flat, out = x.reshape(-1), np.empty(x.size, dtype)

    def work(span: tuple[int, int]) -> None:
        out[slice(*span)] = function(flat[slice(*span)])

    shared(work, bounds(x.size, BLOCK))
    return out.reshape(x.shape)


def filled_in_blocks(function: Any, x: Any) -> Any:
    """Returns an array that a function of the input's and the result's block fills block by block."""
    flat, out = x.reshape(-1), np.empty(x.size, x.dtype)
    shared(lambda span: function(flat[slice(*span)], out[slice(*span)]), bounds(x.size, BLOCK))
    return out.reshape(x.shape)


# ------------------------------------------------------------------ short floats

# Functions of the bits only; and functions that are computed in float32 and rounded once.
_ON_BITS = frozenset(["absolute", "negative", "isfinite", "isinf", "isnan"])
_ROUNDED_ONCE = frozenset(
    ["add", "subtract", "multiply", "divide", "true_divide", "equal", "not_equal", "less", "less_equal", "greater",
     "greater_equal", "minimum", "maximum"]
)  # fmt: skip
_FIRST = {
    "minimum": np.less_equal,
    "maximum": np.greater_equal,
}  # True if the first operand is the result
_tables: dict[Any, Any] = {}
_MOST_TABLES = 64


def _is_quick(name: str | None, dtype: Any) -> bool:
    """True if a function is faster than a table lookup."""
    return name in _ON_BITS or (dtype.kind == "f" and name is not None and _is_vectorised(name))


@functools.cache
def _is_vectorised(name: str) -> bool:
    """True if NumPy has a SIMD loop of a float16 function for this processor."""
    try:
        from numpy.lib import introspect
    except ImportError:  # before NumPy 2.2
        return False
    loops = introspect.opt_func_info(func_name=f"^{name}$", signature="float16").get(name, {})
    return any(not loop["current"].startswith("baseline") for loop in loops.values())


def _of_table(key: Any, function: Any, x: Any) -> Any:
    """Applies a unary function of a 16-bit float by a lookup table of its 65536 results."""
    table = _tables.get(key)
    if table is None:
        if len(_tables) >= _MOST_TABLES:
            _tables.clear()
        table = _tables[key] = function(np.arange(1 << 16, dtype=np.uint16).view(x.dtype))
    bits = table if table.dtype.kind != "V" else table.view(np.uint16)
    out = np.empty(x.size, bits.dtype)
    spans, numbers = bounds(x.size, BLOCK), x.view(np.uint16)
    shared(lambda span: bits.take(numbers[slice(*span)], out=out[slice(*span)], mode="wrap"), spans)
    return out.view(table.dtype)


def _in_single_precision(name: str, inputs: _Inputs) -> Any:
    """Applies a binary function of 16-bit floats in float32, and rounds the result."""
    function, one = getattr(np, name), inputs.flat[0] is inputs.flat[1]
    dtype = function(*inputs.first()).dtype

    def rounded(first: Any, second: Any) -> Any:
        wide = widened(first)
        if name in _FIRST:
            return _select_bitwise(
                _FIRST[name](wide, widened(second)) | (wide != wide), first, second
            )
        value = function(wide, wide if one else widened(second))
        return shortened(value, dtype) if is_short_float(dtype) else value

    loop, first, second = arithmetic_loop(name, inputs.whole.dtype), *inputs.flat
    if loop and first.size == second.size and loop.is_ready(first.size):
        out = np.empty(first.size, dtype)
        spans = bounds(first.size, _NATIVE_BLOCK)
        shared(lambda span: loop([first, second, out], *span), spans, all_cores())
        return out.reshape(inputs.whole.shape)
    if one and dtype == np.float16:  # a square or a doubling
        return _of_table(
            (name, dtype), lambda every: rounded(every, every), inputs.flat[0]
        ).reshape(inputs.whole.shape)
    out = np.empty(inputs.whole.size, dtype)

    def work(span: tuple[int, int]) -> None:
        out[slice(*span)] = rounded(*inputs.part(span))

    shared(work, inputs.spans())
    return out.reshape(inputs.whole.shape)


def _select_bitwise(chosen: Any, first: Any, second: Any) -> Any:
    """Selects between 16-bit floats bitwise, which is faster than ``np.where``."""
    other = second.view(np.int16)
    bits = -chosen.astype(np.int16)
    bits &= first.view(np.int16) ^ other
    bits ^= other
    return bits.view(first.dtype)


def _of_float16(name: str, arrays: list[Any]) -> Any:
    """Applies a binary function to broadcast float16 arrays, in blocks along the first axis.

    Returns None for small arrays, or if the shapes are incompatible.
    """
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        return None  # the kernel raises the error
    size = math.prod(shape)
    if size < MANY_SHORT:
        return None
    function = getattr(np, name)
    out = np.empty(shape, function(*(array.reshape(-1)[:1] for array in arrays)).dtype)
    wide = [widened(array) if 2 * array.size <= size else array for array in arrays]

    def work(span: tuple[int, int]) -> None:
        at = slice(*span)
        parts = [
            array[at] if array.ndim == len(shape) and len(array) == shape[0] else array
            for array in wide
        ]
        value = function(*map(widened, parts))
        out[at] = shortened(value, out.dtype) if is_short_float(out.dtype) else value

    shared(work, bounds(shape[0], max(_SMALL_BLOCK * shape[0] // size, 1)))
    return out
