"""Means and variances."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.dtypes import float16, float32
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.array.fill import zeros_like
from twinflow._src.ops.array.shapes import squeeze
from twinflow._src.ops.elementwise.arithmetic import (
    add,
    multiply,
    square,
    squared_difference,
    subtract,
)
from twinflow._src.ops.elementwise.cast import cast, stop_gradient
from twinflow._src.ops.elementwise.division import div_no_nan
from twinflow._src.ops.elementwise.math import reciprocal
from twinflow._src.ops.reduce.reduce import reduce_mean, reduce_sum


@export("nn.moments")
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns means and variances along dimensions.

    Args:
        x: A tensor of numbers.
        axes: The dimensions.
        shift: Accepted and without effect.
        keepdims: Whether the dimensions stay, with size 1.
        name: A name for the operation.

    Returns:
        Two tensors of the same type.
    """
    half = x.dtype == float16  # in which sums would lose too much
    y = cast(x, float32) if half else x
    mean = reduce_mean(y, axes, keepdims=True)
    variance = reduce_mean(squared_difference(y, stop_gradient(mean)), axes, keepdims=True)
    if not keepdims:
        mean, variance = squeeze(mean, axis=axes), squeeze(variance, axis=axes)
    return (cast(mean, float16), cast(variance, float16)) if half else (mean, variance)


@export("nn.weighted_moments")
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns means and variances along dimensions, of elements that count with weights.

    Args:
        x: A tensor of floating numbers.
        axes: The dimensions.
        frequency_weights: The weights, broadcast against x.
        keepdims: Whether the dimensions stay, with size 1.
        name: A name for the operation.

    Returns:
        Two tensors of the same type.
    """
    x, weights = convert_to_tensor(x), convert_to_tensor(frequency_weights)
    half = x.dtype is float16
    x = cast(x, float32) if half else x
    weights = cast(weights, x.dtype)
    total = reduce_sum(add(weights, zeros_like(x)), axes, keepdims=True)
    mean = div_no_nan(reduce_sum(multiply(weights, x), axes, keepdims=True), total)
    squares = multiply(weights, squared_difference(x, mean))
    variance = div_no_nan(reduce_sum(squares, axes, keepdims=True), total)
    if not keepdims:
        mean, variance = squeeze(mean, axis=axes), squeeze(variance, axis=axes)
    return (cast(mean, float16), cast(variance, float16)) if half else (mean, variance)


@export("nn.sufficient_statistics")
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Returns what means and variances can be computed from: counts, sums and sums of squares.

    Args:
        x: A tensor of numbers.
        axes: The dimensions.
        shift: A value near the mean, to subtract for the sake of exactness; or None.
        keepdims: Whether the dimensions stay, with size 1.
        name: A name for the operation.

    Returns:
        The count, the (shifted) sums, the (shifted) sums of squares, and the shift or None.
    """
    axes = list(set(axes))
    x = convert_to_tensor(x)
    counts = _count(x, axes)
    if shift is None:
        sums, squares = x, square(x)
    else:
        shift = convert_to_tensor(shift)
        sums, squares = subtract(x, shift), squared_difference(x, shift)
    return (
        counts,
        reduce_sum(sums, axes, keepdims=keepdims),
        reduce_sum(squares, axes, keepdims=keepdims),
        shift,
    )


def _count(x: Any, axes: list[int]) -> Any:
    """The number of elements along dimensions, in the type of a tensor."""
    sizes = None if x.shape.rank is None else [x.shape[axis] for axis in axes]
    if sizes is not None and None not in sizes:
        return constant(math.prod(sizes), dtype=x.dtype)
    return API["reduce_prod"](API["gather"](cast(API["shape"](x), x.dtype), axes))


@export("nn.normalize_moments")
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> Any:
    """Returns means and variances from what ``tf.nn.sufficient_statistics`` gives.

    Args:
        counts: The number of elements.
        mean_ss: The (shifted) sums.
        variance_ss: The (shifted) sums of squares.
        shift: What was subtracted, or None.
        name: A name for the operation.

    Returns:
        Two tensors of the same type.
    """
    divisor = reciprocal(counts)
    shifted = multiply(mean_ss, divisor)
    mean = shifted if shift is None else add(shifted, shift)
    return mean, subtract(multiply(variance_ss, divisor), square(shifted))
