"""Where extremes are, and how values vary."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.backends.cpu.argminmax import counts_extremes, first_extreme
from twinflow._src.backends.host_checks import is_host
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import ORDERED, DType
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.op import API, Ints, Type, export, op
from twinflow._src.ops.elementwise.arithmetic import square, subtract
from twinflow._src.ops.elementwise.complex_numbers import conj, real
from twinflow._src.ops.elementwise.math import sqrt
from twinflow._src.ops.reduce.reduce import reduce_mean
from twinflow._src.shape_rules.gather import arg_reduced

_ARG_TYPES = ORDERED | {dtypes.bool_}


def _arg_axis(x: Any, dimension: Any) -> int:
    if dimension.ndim:
        raise invalid(f"dim must be a scalar, but received tensor of shape: {text(dimension.shape)}")
    axis = int(dimension)
    if not -x.ndim <= axis < x.ndim:
        raise invalid(f"Expected dimension in the range [{-x.ndim}, {x.ndim}), but got {axis}")
    if not x.shape[axis]:
        raise invalid(f"Reduction axis {axis} is empty in shape {list(x.shape)}".replace(", ", ","))
    return axis


_INDEX_TYPES = (dtypes.int16, dtypes.uint16, dtypes.int32, dtypes.int64)


def _arg_of(xp: Any, which: str, x: Any, dimension: Any, output_type: DType) -> Any:
    """The index of an extreme element; NaN is none, unless there is nothing else."""
    if output_type not in _INDEX_TYPES:
        opdefs.check_attr("ArgMax" if which == "argmax" else "ArgMin", "output_type", output_type)
    axis, find = _arg_axis(x, dimension) % x.ndim, getattr(xp, which)
    numbers = x.dtype.kind in "fV" and x.size
    if not is_host(xp):
        worst = x.dtype.type(-xp.inf if which == "argmax" else xp.inf) if numbers else None
        found = find(xp.fmax(x, worst) if which == "argmax" else xp.fmin(x, worst), axis=axis) if numbers else find(x, axis=axis)
        return found.astype(output_type.np, copy=False)
    found = first_extreme(which, x, axis)
    if numbers and not counts_extremes(x, axis) and xp.isnan(_at(xp, x, axis, found)).any():
        worst = -xp.inf if which == "argmax" else xp.inf
        found = find(xp.where(xp.isnan(x), x.dtype.type(worst), x), axis=axis)
    return found.astype(output_type.np)


def _at(xp: Any, x: Any, axis: int, places: Any) -> Any:
    """The elements at places along a dimension."""
    inner = math.prod(x.shape[axis + 1 :])
    rows, columns = xp.arange(places.size // inner), xp.arange(inner)
    return x.reshape(-1, x.shape[axis], inner)[rows[:, None], places.reshape(-1, inner), columns]


def _arg_input(axis: Any) -> Any:
    """The dimension: a number, or a tensor of integers, of which those of odd types become int32."""
    if axis is None:
        return 0
    if isinstance(axis, int):
        return axis
    if not hasattr(axis, "dtype"):
        raise TypeError("axis must be int or Tensor with integer datatype")
    if not is_tensor(axis) or not axis.dtype.is_integer:
        raise TypeError(f"axis tensor dtypes {axis.dtype} is not supported")
    return axis if axis.dtype.size >= 4 else API["cast"](axis, dtypes.int32)


@op("ArgMax", shape=arg_reduced, no_gradient=True, dtypes=_ARG_TYPES, out="output_type")
def arg_max(xp: Any, input: Any, dimension: Ints, *, output_type: Type = dtypes.int64) -> Any:
    """Returns the index of the largest element along a dimension.

    Args:
        input: A tensor of numbers.
        dimension: The dimension.
        output_type: int32 or int64.

    Returns:
        A tensor of a dimension less.

    Raises:
        InvalidArgumentError: The axis lies outside the shape, or is empty.
    """
    return _arg_of(xp, "argmax", input, dimension, output_type)


@op("ArgMin", shape=arg_reduced, no_gradient=True, dtypes=_ARG_TYPES, out="output_type")
def arg_min(xp: Any, input: Any, dimension: Ints, *, output_type: Type = dtypes.int64) -> Any:
    """Returns the index of the smallest element along a dimension.

    Args:
        input: A tensor of numbers.
        dimension: The dimension.
        output_type: int32 or int64.

    Returns:
        A tensor of a dimension less.

    Raises:
        InvalidArgumentError: The axis lies outside the shape, or is empty.
    """
    return _arg_of(xp, "argmin", input, dimension, output_type)


@export("argmax", "math.argmax")
def argmax(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Any:
    """Returns the index of the largest element along a dimension; of several, the first.

    Args:
        input: A tensor of numbers.
        axis: The dimension; the first where None.
        output_type: int32 or int64.
        name: A name for the operation.

    Returns:
        A tensor of a dimension less.

    Raises:
        InvalidArgumentError: The axis lies outside the shape, or is empty.
    """
    return arg_max(input, _arg_input(axis), output_type)


@export("argmin", "math.argmin")
def argmin(
    input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None
) -> Any:
    """Returns the index of the smallest element along a dimension; of several, the first.

    Args:
        input: A tensor of numbers.
        axis: The dimension; the first where None.
        output_type: int32 or int64.
        name: A name for the operation.

    Returns:
        A tensor of a dimension less.

    Raises:
        InvalidArgumentError: The axis lies outside the shape, or is empty.
    """
    return arg_min(input, 0 if axis is None else axis, output_type)


@export("math.reduce_variance")
def reduce_variance(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns variances along dimensions (divided by the number of elements).

    Args:
        input_tensor: A tensor of floating or complex numbers.
        axis: The dimensions; all of them where None.
        keepdims: Whether the dimensions stay, with size 1.
        name: A name for the operation.

    Returns:
        A tensor of the real type.

    Raises:
        TypeError: The tensor is one of integers.
    """
    x = input_tensor if is_tensor(input_tensor) else convert_to_tensor(input_tensor)
    means = reduce_mean(x, axis, keepdims=True)
    if means.dtype.is_integer:
        raise TypeError(
            f"Input must be either real or complex. Received integer type {means.dtype}."
        )
    difference = subtract(x, means)
    squares = (
        real(difference * conj(difference)) if difference.dtype.is_complex else square(difference)
    )
    return reduce_mean(squares, axis, keepdims=keepdims)


@export("math.reduce_std")
def reduce_std(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns standard deviations along dimensions (of all elements, not of a sample).

    Args:
        input_tensor: A tensor of floating or complex numbers.
        axis: The dimensions; all of them where None.
        keepdims: Whether the dimensions stay, with size 1.
        name: A name for the operation.

    Returns:
        A tensor of the real type.

    Raises:
        TypeError: The tensor is one of integers.
    """
    return sqrt(API["math.reduce_variance"](input_tensor, axis, keepdims))
