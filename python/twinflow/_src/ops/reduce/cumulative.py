"""Running sums, products and the like."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.backends.cpu.reductions import LEAST, beside
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import NUMBERS, REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same, text
from twinflow._src.dispatch.op import API, Call, Ints, op
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
    """A running reduction along a dimension.

    Args:
        xp: The array module.
        x: An array.
        axis: The dimension, a scalar array.
        exclusive: Whether an element itself does not count.
        reverse: Whether to go from the end to the beginning.
        function: The reduction of an array along a dimension.
        first: What the reduction of no elements is.
    """
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


# What lies side by side, elements and bytes, that is worth a call of NumPy.
_WIDE, _FAR = 256, 256


def _line_by_line(function: Any, x: Any, axis: int) -> Any:
    """Running values along a dimension: NumPy's own goes along it element by element."""
    result = np.empty(x.shape, x.dtype)
    lines, x = np.moveaxis(result, axis, 0), np.moveaxis(x, axis, 0)
    lines[0] = x[0]
    for before, line, after in zip(lines, x[1:], lines[1:]):
        function(before, line, out=after)
    return result


def _accumulated(xp: Any, x: Any, axis: int, ufunc: str) -> Any:
    """NumPy's accumulation in the type itself; that of short floats is done in float32."""
    if x.dtype.itemsize == 2 and x.dtype.kind in "fV":
        return getattr(xp, ufunc)(x.astype(xp.float32), axis=axis).astype(x.dtype)
    function = getattr(xp, ufunc)
    if xp is not np or x.size < LEAST:
        return function(x, axis=axis, dtype=x.dtype)
    if x.size // x.shape[axis] >= _WIDE and axis + 1 < x.ndim and abs(x.strides[axis]) >= _FAR:
        return _line_by_line({"cumsum": np.add, "cumprod": np.multiply}[ufunc], x, axis)
    if not x.flags.c_contiguous:
        return function(x, axis=axis, dtype=x.dtype)
    result = np.empty(x.shape, x.dtype)
    shared(
        lambda at: function(x[at], axis=axis, dtype=x.dtype, out=result[at]), beside(x.shape, axis)
    )
    return result


@op("Cumsum", api=("cumsum", "math.cumsum"), r="cumsum", shape=same, dtypes=NUMBERS, converts=True)
def cumsum(
    xp: Any, x: Any, axis: Ints = 0, *, exclusive: bool = False, reverse: bool = False
) -> Any:
    """Returns running sums along a dimension.

    Args:
        x: A tensor of numbers.
        axis: The dimension.
        exclusive: Whether an element's sum is that of the elements before it, without itself.
        reverse: Whether to sum from the end to the beginning.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The axis lies outside the shape.
    """
    return _running(
        xp, x, axis, exclusive, reverse, lambda a, i: _accumulated(xp, a, i, "cumsum"), 0
    )


@cumsum.gradient
def _(call: Call, dy: Any) -> Any:
    attrs = call.attrs
    turned = not attrs["reverse"]
    return cumsum(dy, call.inputs[1], exclusive=attrs["exclusive"], reverse=turned), None


@op("Cumprod", api=("math.cumprod",), r="cumprod", shape=same, dtypes=NUMBERS, converts=True)
def cumprod(
    xp: Any, x: Any, axis: Ints = 0, *, exclusive: bool = False, reverse: bool = False
) -> Any:
    """Returns running products along a dimension.

    Args:
        x: A tensor of numbers.
        axis: The dimension.
        exclusive: Whether an element's product is that of the elements before it, without itself.
        reverse: Whether to multiply from the end to the beginning.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The axis lies outside the shape.
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
def cumulative_logsumexp(
    xp: Any, x: Any, axis: Ints = 0, *, exclusive: bool = False, reverse: bool = False
) -> Any:
    """Returns running values of log(sum(exp(x))) along a dimension, without overflow.

    Args:
        x: A tensor of floating numbers.
        axis: The dimension.
        exclusive: Whether an element's value is that of the elements before it, without itself.
        reverse: Whether to go from the end to the beginning.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The axis lies outside the shape.
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
        """What the gradients of one sign, given by their logarithms, add up to."""
        terms = cumulative_logsumexp(
            share - call.outputs, axis, exclusive=exclusive, reverse=not reverse
        )
        return API["exp"](terms + x)

    lowest = API["fill"](sizes_of(dy), convert_to_tensor(x.dtype.min, dtype=x.dtype))
    positive = part(API["where"](dy > 0, API["math.log"](dy), lowest))
    return positive - part(API["where"](dy < 0, API["math.log"](-dy), lowest)), None


def _log_sums(xp: Any, x: Any, axis: int) -> Any:
    """Doubling: after step k each element stands for the 2^k elements that end with it."""
    x = xp.moveaxis(x, axis, 0)
    step = 1
    while step < len(x):
        x = xp.concatenate([x[:step], xp.logaddexp(x[step:], x[:-step])])
        step *= 2
    return xp.moveaxis(x, 0, axis)
