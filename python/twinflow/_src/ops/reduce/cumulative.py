"""Cumulative sum, product and logsumexp."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import bounds
from twinflow._src.backends.cpu.native import NativeLoop, for_range
from twinflow._src.backends.cpu.parallel import all_cores, shared
from twinflow._src.backends.cpu.reductions import LEAST, split_around_axis
from twinflow._src.backends.cpu.rows import TURNED, by_rows, pays
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import NUMBERS, REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same, text
from twinflow._src.dispatch.op import API, Call, Ints, documented_like, op
from twinflow._src.ops.array.shapes import sizes_of


def _running(
    xp: Any,
    x: Any,
    axis: Any,
    exclusive: bool,
    reverse: bool,
    function: Callable[[Any, int], Any],
    first: Any,
) -> Any:
    """Returns a cumulative reduction along an axis."""
    # ``function`` reduces an array along an axis; ``first`` is its neutral element.
    if axis.ndim:
        raise invalid(f"ScanOp: axis must be a scalar, not {text(axis.shape)}")
    where = int(axis)
    if not -x.ndim <= where < x.ndim:
        raise invalid(
            f"ScanOp: Expected scan axis in the range [{-x.ndim}, {x.ndim}), but got "
            f"{where + x.ndim if where < 0 else where}"
        )
    where %= x.ndim
    if not x.size:
        return x.copy()
    turned = xp.flip(x, where) if reverse else x
    if exclusive:
        shape = list(x.shape)
        shape[where] = 1
        kept = turned[(slice(None),) * where + (slice(-1),)]
        turned = xp.concatenate([xp.full(shape, first, dtype=x.dtype), kept], where)
    result = function(turned, where)
    return xp.asarray(xp.flip(result, where) if reverse else result, order="C")


# Elements per line, and stride in bytes along the axis, from which a NumPy call per line is faster.
_WIDE, _FAR = 256, 256


def _line_by_line(function: Any, x: Any, axis: int) -> Any:
    """Accumulates along an axis line by line, faster than NumPy's pass for large strides."""
    result = np.empty(x.shape, x.dtype)
    lines, x = np.moveaxis(result, axis, 0), np.moveaxis(x, axis, 0)
    lines[0] = x[0]
    for before, line, after in zip(lines, x[1:], lines[1:]):
        function(before, line, out=after)
    return result


def _accumulate_lines(function: Any, lines: Any) -> None:
    """Accumulates along the first axis in place."""
    for before, line in itertools.pairwise(lines):
        function(before, line, out=line)


def _accumulated(xp: Any, x: Any, axis: int, ufunc: str) -> Any:
    """Accumulates in the input dtype, for 16-bit floats in float32."""
    if x.dtype.itemsize == 2 and x.dtype.kind in "fV":
        return getattr(xp, ufunc)(x.astype(xp.float32), axis=axis).astype(x.dtype)
    function = getattr(xp, ufunc)
    if xp is not np or x.size < LEAST:
        return function(x, axis=axis, dtype=x.dtype)
    is_last, width = axis + 1 == x.ndim, math.prod(x.shape[axis + 1 :])
    loop = (_LOOPS if width == 1 else _LINE_LOOPS).get((ufunc, x.dtype.char))
    if width < _WIDE and loop is not None and loop.is_ready(x.size):
        return _accumulate_natively(loop, np.ascontiguousarray(x), x.shape[axis], width)
    if is_last and x.shape[axis] < TURNED and x.size >= 4 * LEAST:
        # for sums from the end it is a view
        x = np.ascontiguousarray(x)
    of_two = np.add if ufunc == "cumsum" else np.multiply
    if x.size // x.shape[axis] >= _WIDE and axis + 1 < x.ndim and abs(x.strides[axis]) >= _FAR:
        return _line_by_line(of_two, x, axis)
    if is_last and x.shape[axis] < TURNED and pays(xp, x):
        return by_rows(lambda columns, *_: _accumulate_lines(of_two, columns), x)
    if not x.flags.c_contiguous:
        return function(x, axis=axis, dtype=x.dtype)
    result = np.empty(x.shape, x.dtype)
    shared(
        lambda at: function(x[at], axis=axis, dtype=x.dtype, out=result[at]),
        split_around_axis(x.shape, axis),
    )
    return result


def _accumulate_natively(loop: NativeLoop, x: Any, length: int, width: int) -> Any:
    """Accumulates along the lines of matrices, which have a width, by a native loop over matrices."""
    result, size = np.empty(x.shape, x.dtype), length * width
    arrays = [x, result, np.array([size, width], np.uint64)]
    spans = bounds(x.size // size, max(_NATIVE_BLOCK // size, 1))
    shared(lambda span: loop(arrays, *span), spans, all_cores())
    return result


def _accumulation_body(
    type: str, instruction: str, neutral: float, ir: Any, b: Any, pointers: list[Any], index: Any
) -> None:
    x, out, sizes = pointers
    length = b.load(sizes)
    first = b.mul(index, length)

    def accumulate(column: Any, total: Any) -> Any:
        at = b.add(first, column)
        total = getattr(b, instruction)(total, b.load(b.gep(x, [at])))
        b.store(total, b.gep(out, [at]))
        return total

    start = ir.Constant(getattr(ir, type)(), neutral)
    for_range(ir, b, ir.Constant(index.type, 0), length, accumulate, start)


def _line_body(instruction: str, ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    x, out, sizes = pointers
    size, width = (b.load(b.gep(sizes, [ir.Constant(index.type, i)])) for i in (0, 1))
    first = b.mul(index, size)

    def copy(i: Any) -> None:
        at = b.add(first, i)
        b.store(b.load(b.gep(x, [at])), b.gep(out, [at]))

    def accumulate(i: Any) -> None:
        at = b.add(first, i)
        total = b.load(b.gep(out, [b.sub(at, width)]))
        b.store(getattr(b, instruction)(total, b.load(b.gep(x, [at]))), b.gep(out, [at]))

    for_range(ir, b, ir.Constant(index.type, 0), width, copy)
    for_range(ir, b, width, size, accumulate)


# Elements of a chunk of rows, for several threads.
_NATIVE_BLOCK = 1 << 18
_FORMS = {"cumsum": ("fadd", -0.0), "cumprod": ("fmul", 1.0)}
# Along the last axis, and along others.
_LOOPS = {
    (name, char): NativeLoop((key, key, "u8"), functools.partial(_accumulation_body, type, *form))
    for name, form in _FORMS.items()
    for char, key, type in (("f", "f4", "FloatType"), ("d", "f8", "DoubleType"))
}
_LINE_LOOPS = {
    (name, char): NativeLoop((key, key, "u8"), functools.partial(_line_body, instruction))
    for name, (instruction, _) in _FORMS.items()
    for char, key in (("f", "f4"), ("d", "f8"))
}


@op(
    "Cumsum",
    api=("cumsum", "math.cumsum"),
    r="cumsum",
    shape=same,
    dtypes=NUMBERS,
    converts=True,
    opens_scope=True,
)
def cumsum(
    xp: Any, x: Any, axis: Ints = 0, *, exclusive: bool = False, reverse: bool = False
) -> Any:
    """Computes the cumulative sum along an axis.

    Args:
        x: A numeric tensor.
        axis: The axis.
        exclusive: If True, the sum at an element excludes the element itself.
        reverse: If True, sums from the end.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: The axis is out of range.
    """
    return _running(
        xp, x, axis, exclusive, reverse, lambda a, i: _accumulated(xp, a, i, "cumsum"), 0
    )


@cumsum.gradient(reads=("axis",))
def _(call: Call, dy: Any) -> Any:
    attrs = call.attrs
    turned = not attrs["reverse"]
    return cumsum(dy, call.inputs[1], exclusive=attrs["exclusive"], reverse=turned), None


@op(
    "Cumprod",
    api=("math.cumprod",),
    r="cumprod",
    shape=same,
    dtypes=NUMBERS,
    converts=True,
    opens_scope=True,
)
@documented_like(cumsum)
def cumprod(
    xp: Any, x: Any, axis: Ints = 0, *, exclusive: bool = False, reverse: bool = False
) -> Any:
    """Computes the cumulative product along an axis.

    Args:
        exclusive: If True, the product at an element excludes the element itself.
        reverse: If True, multiplies from the end.
    """
    return _running(
        xp, x, axis, exclusive, reverse, lambda a, i: _accumulated(xp, a, i, "cumprod"), 1
    )


@cumprod.gradient
def _(call: Call, dy: Any) -> Any:
    x, axis = call.inputs
    exclusive, reverse = call.attrs["exclusive"], call.attrs["reverse"]
    # As in TensorFlow, products of complex numbers are not conjugated here.
    terms = cumsum(call.outputs * dy, axis, exclusive=exclusive, reverse=not reverse)
    return API["math.divide_no_nan"](terms, x), None


@op("CumulativeLogsumexp", api="math.cumulative_logsumexp", shape=same, dtypes=REALS, converts=True)
@documented_like(cumsum)
def cumulative_logsumexp(
    xp: Any, x: Any, axis: Ints = 0, *, exclusive: bool = False, reverse: bool = False
) -> Any:
    """Computes the cumulative ``log(sum(exp(x)))`` along an axis, without overflow.

    Args:
        x: A floating-point tensor.
        exclusive: If True, the value at an element excludes the element itself.
        reverse: If True, accumulates from the end.
    """
    wide = x.astype(xp.float32) if x.dtype.itemsize == 2 else x
    nothing = -xp.inf
    result = _running(xp, wide, axis, exclusive, reverse, lambda a, i: _log_sums(xp, a, i), nothing)
    return result.astype(x.dtype, copy=False)


@cumulative_logsumexp.gradient
def _(call: Call, dy: Any) -> Any:
    x, axis = call.inputs
    exclusive, reverse = call.attrs["exclusive"], call.attrs["reverse"]

    def part(share: Any) -> Any:
        """Returns the gradient for upstream gradients of one sign, given their logarithms."""
        terms = cumulative_logsumexp(
            share - call.outputs, axis, exclusive=exclusive, reverse=not reverse
        )
        return API["exp"](terms + x)

    lowest = API["fill"](sizes_of(dy), convert_to_tensor(x.dtype.min, dtype=x.dtype))
    positive = part(API["where"](dy > 0, API["math.log"](dy), lowest))
    return positive - part(API["where"](dy < 0, API["math.log"](-dy), lowest)), None


def _log_sums(xp: Any, x: Any, axis: int) -> Any:
    """Computes an inclusive scan by doubling: after k steps elements cover 2^k predecessors."""
    x = xp.moveaxis(x, axis, 0)
    step = 1
    while step < len(x):
        x = xp.concatenate([x[:step], xp.logaddexp(x[step:], x[:-step])])
        step *= 2
    return xp.moveaxis(x, 0, axis)


for function in (cumsum, cumprod, cumulative_logsumexp):
    function.batched(lambda call: call.along(1))
