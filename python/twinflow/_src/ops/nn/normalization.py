"""Normalisation."""

from __future__ import annotations

from typing import Any

from twinflow._src.compiler.call_traces import blended
from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core.dtypes import float32, int32, int64
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.array.fill import zeros_like
from twinflow._src.ops.elementwise.arithmetic import add, multiply, square
from twinflow._src.ops.elementwise.cast import cast, identity
from twinflow._src.ops.elementwise.complex_numbers import complex as make_complex
from twinflow._src.ops.elementwise.complex_numbers import imag, real
from twinflow._src.ops.elementwise.division import truediv
from twinflow._src.ops.elementwise.math import rsqrt
from twinflow._src.ops.elementwise.minmax import maximum
from twinflow._src.ops.reduce.reduce import reduce_sum
from twinflow._src.ops.reduce.size_and_rank import size as size_of


@export("nn.batch_normalization")
@blended
def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Any:
    """Returns x with a mean taken away, divided by a standard deviation, scaled and shifted.

    Args:
        x: A tensor of floating numbers.
        mean: The means, broadcast against x.
        variance: The variances, broadcast against x.
        offset: What is added at the end, or None.
        scale: A factor, or None.
        variance_epsilon: A small number that keeps variances from being zero.
        name: A name for the operation.

    Returns:
        A tensor of the type of x.
    """
    factor = rsqrt(variance + variance_epsilon)
    if scale is not None:
        factor = factor * scale
    x = dense(x)
    scaled = x * cast(factor, x.dtype)
    rest = -mean * factor if offset is None else offset - mean * factor
    return scaled + cast(rest, x.dtype)


@export("math.l2_normalize", "linalg.l2_normalize", "nn.l2_normalize")
def l2_normalize(
    x: Any, axis: Any = None, epsilon: Any = 1e-12, name: str | None = None, dim: Any = None
) -> Any:
    """Returns a tensor divided by its Euclidean norm along dimensions.

    Args:
        x: A tensor of floating or complex numbers.
        axis: The dimensions; all of them where None.
        epsilon: The least squared norm to divide by.
        name: A name for the operation.
        dim: The older name of ``axis``.

    Returns:
        A tensor of the same type and shape.
    """
    axis = dim if axis is None else axis
    x = convert_to_tensor(x)
    if x.dtype.is_complex:
        squares = add(square(real(x)), square(imag(x)))
        factor = rsqrt(maximum(reduce_sum(squares, axis, keepdims=True), epsilon))
        return make_complex(multiply(real(x), factor), multiply(imag(x), factor))
    return _divided(x, reduce_sum(square(x), axis, keepdims=True), epsilon)


@blended
def _divided(x: Any, total: Any, epsilon: Any) -> Any:
    """A tensor divided by the roots of sums of squares."""
    return multiply(x, rsqrt(maximum(total, epsilon)))


@export("nn.zero_fraction", "math.zero_fraction")
def zero_fraction(value: Any, name: str | None = None) -> Any:
    """Returns the fraction of elements that are zero.

    Args:
        value: A tensor of numbers.
        name: A name for the operation.

    Returns:
        A float32 scalar; NaN for a tensor without elements.
    """
    value = convert_to_tensor(value)
    count = cast(size_of(value, out_type=int64), float32)
    zeros = reduce_sum(cast(API["equal"](value, zeros_like(value)), int32))
    return identity(truediv(cast(zeros, float32), count))
