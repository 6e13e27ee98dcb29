"""Batch normalization, moments and L2 normalization.

The fused ops (``FusedBatchNorm`` and ``FusedBatchNormGrad``, versions 1 to 3) are those of
TensorFlow's graphs; images are in ``NHWC`` or ``NCHW`` format.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

from twinflow._src.conversion.constant import constant, convert_to_tensor, dense
from twinflow._src.core.dtypes import DType, bfloat16, float16, float32, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, static_size, text
from twinflow._src.dispatch.op import (
    API,
    Call,
    Kind,
    OpFunction,
    documented_like,
    export,
    named,
    op,
)
from twinflow._src.ops.array.fill import zeros_like
from twinflow._src.ops.array.shapes import squeeze
from twinflow._src.ops.elementwise.arithmetic import (
    add,
    multiply,
    square,
    squared_difference,
    subtract,
)
from twinflow._src.ops.elementwise.cast import cast, identity, stop_gradient
from twinflow._src.ops.elementwise.complex_numbers import complex as make_complex
from twinflow._src.ops.elementwise.complex_numbers import imag, real
from twinflow._src.ops.elementwise.division import div_no_nan, truediv
from twinflow._src.ops.elementwise.math import reciprocal, rsqrt
from twinflow._src.ops.elementwise.minmax import maximum
from twinflow._src.ops.reduce.reduce import reduce_mean, reduce_sum
from twinflow._src.ops.reduce.reduce import size as size_of
from twinflow._src.shape_rules.demands import merged, merged_size, ranked
from twinflow._src.shape_rules.nn import normalized_batches

# Fused batch normalization.


_Channels = Annotated[Any, Kind("U", allowed=frozenset((float32,)))]
_HALVES = frozenset((float16, bfloat16, float32))


def channel_axes(data_format: str) -> tuple[int, tuple[int, ...]]:
    """Returns the channel axis, and the other axes."""
    rank = len(data_format)
    axis = 1 if data_format.startswith("NC") else rank - 1
    return axis, tuple(i for i in range(rank) if i != axis)


def _assert_fit(
    x: Any, channels: tuple[Any, ...], data_format: str, is_training: bool, factor: float
) -> None:
    if x.ndim != len(data_format):
        raise invalid(f"input must be {len(data_format)}-dimensional{text(x.shape)}")
    for name, value in zip(("scale", "offset", "estimated_mean", "estimated_variance"), channels):
        if value.ndim != 1:
            raise invalid(f"{name} must be 1-dimensional{text(value.shape)}")
    size = x.shape[channel_axes(data_format)[0]]
    needed = "When is_training=false, " if not is_training else "When exponential_avg_factor != 1, "
    for name, value in zip(("scale", "offset", "mean", "variance"), channels):
        is_parameter = name in ("scale", "offset")
        if (is_parameter or not is_training or factor != 1) and len(value) != size:
            raise invalid(
                f"{'' if is_parameter else needed}{name} must have the same number of elements as the channels of x, "
                f"got {len(value)} and {size}"
            )


def _normalized(
    xp: Any,
    x: Any,
    channels: tuple[Any, ...],
    epsilon: float,
    factor: float,
    data_format: str,
    is_training: bool,
) -> tuple[Any, ...]:
    """Returns normalized images, running means and variances, and the means and variances used."""
    _assert_fit(x, channels, data_format, is_training, factor)
    scale, offset, mean, variance = channels
    axis, others = channel_axes(data_format)
    shape = [1] * x.ndim
    shape[axis] = x.shape[axis]
    wide = x.astype("float32", copy=False)
    if not x.size:
        none = xp.full(shape[axis], xp.nan, "float32")
        return (x.copy(), none, none.copy(), xp.zeros_like(none), xp.zeros_like(none))
    running = mean, variance
    if is_training:
        mean = wide.mean(others, dtype="float32")
    y = wide - mean.reshape(shape)
    if is_training:
        variance = xp.square(y).mean(others, dtype="float32")
        count = x.size // shape[axis]
        unbiased = variance * xp.float32(count / max(count - 1, 1))
        running = mean, unbiased
        if factor != 1:
            old, share = channels[2:], xp.float32(factor)
            running = tuple(b * (1 - share) + a * share for a, b in zip(running, old))
    slope = scale / xp.sqrt(variance + xp.float32(epsilon))
    y *= slope.reshape(shape)
    y += offset.reshape(shape)
    return (
        y.astype(x.dtype, copy=False),
        running[0].copy(),
        running[1].copy(),
        mean.copy(),
        variance.copy(),
    )


def _gradient(call: Call, dy: Any, *_: Any) -> list[Any]:
    """Returns gradients for images, scales and offsets; None for the others, as in TensorFlow."""
    x, scale, _offset, mean, variance = call.inputs
    return [*steps(x, scale, mean, variance, dy, call.attrs), None, None]


def steps(
    x: Any, scale: Any, mean: Any, variance: Any, dy: Any, attrs: dict[str, Any]
) -> list[Any]:
    """Returns gradients for images, scales and offsets, composed of differentiable functions."""
    axis, others = channel_axes(attrs["data_format"])
    shape = [-1 if i == axis else 1 for i in range(len(attrs["data_format"]))]
    column = lambda value: API["reshape"](value, shape)
    average = lambda value: API["reduce_mean"](value, others, True)
    wide, dy = API["cast"](x, float32), API["cast"](dy, float32)
    used = column(mean) if not attrs["is_training"] else average(wide)
    centered = wide - used
    spread = column(variance) if not attrs["is_training"] else average(API["square"](centered))
    inverse = API["math.rsqrt"](spread + attrs["epsilon"])
    normal = centered * inverse
    inner = dy - average(dy) - normal * average(dy * normal) if attrs["is_training"] else dy
    dx = API["cast"](column(scale) * inverse * inner, x.dtype)
    total = lambda value: API["reduce_sum"](value, others)
    return [dx, total(dy * normal), total(dy)]


def _define(
    version: str,
    rank: int,
    dtypes: frozenset[DType],
    channels: str,
    of: str,
    reserves: bool = False,
) -> OpFunction:
    """Defines a version of the op; ``channels`` is the annotation of the inputs for channels."""

    def kernel(
        xp: Any,
        x: Any,
        scale: Any,
        offset: Any,
        mean: Any,
        variance: Any,
        *,
        epsilon: float = 0.0001,
        exponential_avg_factor: float = 1.0,
        data_format: str = "NHWC",
        is_training: bool = True,
    ) -> Any:
        inputs, factor = (scale, offset, mean, variance), exponential_avg_factor
        results = _normalized(xp, x, inputs, epsilon, factor, data_format, is_training)
        return (*results, xp.zeros(0, "float32")) if reserves else results

    kernel.__annotations__ |= dict.fromkeys(("scale", "offset", "mean", "variance"), channels)
    name = f"fused_batch_norm{version and '_'}{version.lower()}"
    define = op(f"FusedBatchNorm{version}", shape=normalized_batches(rank), dtypes=dtypes)
    function = define(named(kernel, name, f"Computes batch normalization of {of}."))
    function.gradient(_gradient)
    function.batched(
        lambda call: call.looped() if call.attrs["is_training"] else _normalize_batch(call)
    )
    return function


def _normalize_batch(call: Any) -> Any:
    """Normalizes the images of all elements of a batch by statistics that they share."""
    images, *others = call.folded(0, results=(0,))
    return [images, *map(call.unbatched, others)]


_HALF = "images, which may be 16-bit floats"
fused_batch_norm = _define("", 4, frozenset((float32,)), "Any", "images")
fused_batch_norm_v2 = _define("V2", 4, _HALVES, "_Channels", _HALF)
fused_batch_norm_v3 = _define(
    "V3", 5, _HALVES, "_Channels", "images or volumes, which may be 16-bit floats", True
)


# Gradient ops of fused batch normalization.


_Scale = Annotated[Any, Kind("float", only=float32)]
_Kept = Annotated[Any, Kind("U", allowed=frozenset((float32,)))]


def _rule(
    dy: Dims | None, x: Dims | None, *channels: Dims | None, data_format: str = "NHWC", **_: Any
) -> list[Dims | None]:
    shape = ranked(merged(dy, x), len(data_format))
    axis = channel_axes(data_format)[0]
    size = shape[axis]
    for dims in channels[:3]:
        size = merged_size(size, ranked(dims, 1)[0])
    return [(*shape[:axis], size, *shape[axis + 1 :]), (size,), (size,), (0,), (0,)]


def _derivatives(
    xp: Any,
    dy: Any,
    x: Any,
    scale: Any,
    mean: Any,
    variance: Any,
    epsilon: float,
    data_format: str,
    is_training: bool,
) -> tuple[Any, ...]:
    """Returns the gradients for images, scales and offsets, and two empty arrays."""
    for array in (dy, x):
        if array.ndim != len(data_format):
            raise invalid(f"input must be {len(data_format)}-dimensional{text(array.shape)}")
    for name, value in (("scale", scale), ("saved mean", mean), ("saved variance", variance)):
        if value.ndim != 1:
            raise invalid(f"{name} must be 1-dimensional{text(value.shape)}")
    if x.shape != dy.shape:
        raise invalid(
            "x and y_backprop must have same shape, but x has shape "
            f"{text(x.shape)} and y_backprop has shape {text(dy.shape)}"
        )
    axis, others = channel_axes(data_format)
    size = x.shape[axis]
    for name, value in (("scale", scale), ("reserve_space_1", mean), ("reserve_space_2", variance)):
        if len(value) != size:
            raise invalid(
                f"{name} must have the same number of elements as the channels of x, got {len(value)} and {size}"
            )
    none = xp.zeros(0, "float32")
    if not x.size:
        return (x.copy(), xp.zeros(size, "float32"), xp.zeros(size, "float32"), none, none.copy())
    shape = [1] * x.ndim
    shape[axis] = size
    wide = dy.astype("float32", copy=False)
    inverse = 1 / xp.sqrt(variance + xp.float32(epsilon))
    normal = x.astype("float32", copy=False) - mean.reshape(shape)
    normal *= inverse.reshape(shape)
    by_offset, by_scale = (
        wide.sum(others, dtype="float32"),
        (wide * normal).sum(others, dtype="float32"),
    )
    if is_training:
        count = xp.float32(x.size // size)
        normal *= (by_scale / count).reshape(shape)
        wide = wide - (by_offset / count).reshape(shape)
        wide -= normal
    dx = wide * (scale * inverse).reshape(shape)
    return (dx.astype(x.dtype, copy=False), by_scale, by_offset, none, none.copy())


def _second_gradient(call: Call, *upstream: Any) -> list[Any]:
    """Returns second derivatives for gradients, images and scales; None for the others."""
    dy, x, scale, mean, variance = call.inputs[:5]
    with API["GradientTape"]() as tape:
        tape.watch([dy, x, scale])
        gradients = steps(x, scale, mean, variance, dy, call.attrs)
    by_each = tape.gradient(gradients, [dy, x, scale], list(upstream[:3]))
    return [*by_each, *[None] * (len(call.inputs) - 3)]


def _define_grad(kernel: Callable[..., Any], version: str) -> OpFunction:
    """Defines a version of the gradient op."""
    name = f"fused_batch_norm_grad{version and '_'}{version.lower()}"
    dtypes = _HALVES if version else frozenset((float32,))
    define = op(f"FusedBatchNormGrad{version}", shape=_rule, dtypes=dtypes)
    function = define(named(kernel, name, "Computes the gradients of fused batch normalization."))
    function.gradient(_second_gradient)
    return function


def _grad_kernel(scale_type: str, kept_type: str) -> Callable[..., Any]:
    def kernel(
        xp: Any,
        y_backprop: Any,
        x: Any,
        scale: Any,
        reserve_space_1: Any,
        reserve_space_2: Any,
        *,
        epsilon: float = 0.0001,
        data_format: str = "NHWC",
        is_training: bool = True,
    ) -> Any:
        kept = reserve_space_1, reserve_space_2
        return _derivatives(xp, y_backprop, x, scale, *kept, epsilon, data_format, is_training)

    kernel.__annotations__ |= {
        "scale": scale_type,
        "reserve_space_1": kept_type,
        "reserve_space_2": kept_type,
    }
    return kernel


def _third_kernel(
    xp: Any,
    y_backprop: Any,
    x: Any,
    scale: _Scale,
    reserve_space_1: _Kept,
    reserve_space_2: _Kept,
    reserve_space_3: _Kept,
    *,
    epsilon: float = 0.0001,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> Any:
    kept = reserve_space_1, reserve_space_2
    return _derivatives(xp, y_backprop, x, scale, *kept, epsilon, data_format, is_training)


fused_batch_norm_grad = _define_grad(_grad_kernel("Any", "Any"), "")
fused_batch_norm_grad_v2 = _define_grad(_grad_kernel("_Scale", "_Kept"), "V2")
fused_batch_norm_grad_v3 = _define_grad(_third_kernel, "V3")


# Moments.


@export("nn.moments")
def moments(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Computes the mean and variance of a tensor along axes.

    Args:
        x: A numeric tensor.
        axes: The axes.
        shift: Accepted and without effect.
        keepdims: If True, keeps the reduced axes with size 1.

    Returns:
        Two tensors of the same dtype.
    """
    half = x.dtype == float16  # computed in float32 for precision
    y = cast(x, float32) if half else x
    mean = reduce_mean(y, axes, keepdims=True)
    variance = reduce_mean(squared_difference(y, stop_gradient(mean)), axes, keepdims=True)
    if not keepdims:
        mean, variance = squeeze(mean, axis=axes), squeeze(variance, axis=axes)
    return (cast(mean, float16), cast(variance, float16)) if half else (mean, variance)


@export("nn.weighted_moments")
@documented_like(moments)
def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, keepdims: bool = False, name: str | None = None
) -> Any:
    """Computes the weighted mean and variance of a tensor along axes.

    Args:
        x: A floating-point tensor.
        frequency_weights: The weights, broadcast against x.
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
@documented_like(moments)
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> Any:
    """Computes the sufficient statistics for mean and variance: count, sums and sums of squares.

    Args:
        shift: A value near the mean to subtract for numerical stability, or None.

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
    """Returns the number of elements along axes, in the dtype of a tensor."""
    sizes = None if x.shape.rank is None else [static_size(x.shape, axis) for axis in axes]
    if sizes is not None and None not in sizes:
        return constant(math.prod(sizes), dtype=x.dtype)
    return API["reduce_prod"](API["gather"](cast(API["shape"](x), x.dtype), axes))


@export("nn.normalize_moments")
@documented_like(moments)
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> Any:
    """Computes mean and variance from sufficient statistics, see ``tf.nn.sufficient_statistics``.

    Args:
        counts: The number of elements.
        mean_ss: The (shifted) sums.
        variance_ss: The (shifted) sums of squares.
        shift: The value that was subtracted, or None.
    """
    divisor = reciprocal(counts)
    shifted = multiply(mean_ss, divisor)
    mean = shifted if shift is None else add(shifted, shift)
    return mean, subtract(multiply(variance_ss, divisor), square(shifted))


# Normalization composed of other ops.


@export("nn.batch_normalization")
def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Any:
    """Normalizes ``x`` by mean and variance, then applies scale and offset.

    Args:
        x: A floating-point tensor.
        mean: The means, broadcast against x.
        variance: The variances, broadcast against x.
        offset: The offset (beta), or None.
        scale: The scale (gamma), or None.
        variance_epsilon: A small constant added to the variance to avoid division by zero.

    Returns:
        A tensor of the dtype of x.
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
    """Normalizes a tensor along axes by its L2 norm.

    Args:
        x: A floating-point or complex tensor.
        axis: The axes; all of them if None.
        epsilon: The lower bound of the squared norm.
        name: A name for the operation.
        dim: Deprecated alias of ``axis``.

    Returns:
        A tensor of the same dtype and shape.
    """
    axis = dim if axis is None else axis
    x = convert_to_tensor(x)
    if x.dtype.is_complex:
        squares = add(square(real(x)), square(imag(x)))
        factor = rsqrt(maximum(reduce_sum(squares, axis, keepdims=True), epsilon))
        return make_complex(multiply(real(x), factor), multiply(imag(x), factor))
    return _divided(x, reduce_sum(square(x), axis, keepdims=True), epsilon)


def _divided(x: Any, total: Any, epsilon: Any) -> Any:
    """Divides a tensor by the square roots of sums of squares, which are at least epsilon."""
    return multiply(x, rsqrt(maximum(total, epsilon)))


@export("nn.zero_fraction", "math.zero_fraction")
def zero_fraction(value: Any, name: str | None = None) -> Any:
    """Computes the fraction of elements that are zero.

    Args:
        value: A numeric tensor.

    Returns:
        A float32 scalar; NaN for an empty tensor.
    """
    value = convert_to_tensor(value)
    count = cast(size_of(value, out_type=int64), float32)
    zeros = reduce_sum(cast(API["equal"](value, zeros_like(value)), int32))
    return identity(truediv(cast(zeros, float32), count))
