"""Normalisation over batches of images, as layers of older graphs have it in one operation."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.core.dtypes import bfloat16, float16, float32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, op
from twinflow._src.shape_rules.normalization import normalized_batches

_Channels = Annotated[Any, Kind("U", allowed=frozenset((float32,)))]
_HALVES = frozenset((float16, bfloat16, float32))


def channel_axes(data_format: str) -> tuple[int, tuple[int, ...]]:
    """The dimension of the channels, and the others."""
    rank = len(data_format)
    axis = 1 if data_format.startswith("NC") else rank - 1
    return axis, tuple(i for i in range(rank) if i != axis)


def _assert_fit(x: Any, channels: tuple[Any, ...], data_format: str, is_training: bool, factor: float) -> None:
    if x.ndim != len(data_format):
        raise invalid(f"input must be {len(data_format)}-dimensional{text(x.shape)}")
    for name, value in zip(("scale", "offset", "estimated_mean", "estimated_variance"), channels):
        if value.ndim != 1:
            raise invalid(f"{name} must be 1-dimensional{text(value.shape)}")
    size = x.shape[channel_axes(data_format)[0]]
    needed = "When is_training=false, " if not is_training else "When exponential_avg_factor != 1, "
    for name, value in zip(("scale", "offset", "mean", "variance"), channels):
        given = name in ("scale", "offset")
        if (given or not is_training or factor != 1) and len(value) != size:
            raise invalid(
                f"{'' if given else needed}{name} must have the same number of elements as the channels of x, "
                f"got {len(value)} and {size}"
            )


def _normalized(
    xp: Any, x: Any, channels: tuple[Any, ...], epsilon: float, factor: float, data_format: str, is_training: bool
) -> tuple[Any, ...]:
    """The normalised images, the running means and variances, and those that were used."""
    _assert_fit(x, channels, data_format, is_training, factor)
    scale, offset, mean, variance = channels
    axis, others = channel_axes(data_format)
    shape = [1] * x.ndim
    shape[axis] = x.shape[axis]
    wide = x.astype("float32")
    if not x.size:
        none = xp.full(shape[axis], xp.nan, "float32")
        return (x.copy(), none, none.copy(), xp.zeros_like(none), xp.zeros_like(none))
    running = mean, variance
    if is_training:
        mean = wide.mean(others, dtype="float32")
        variance = xp.square(wide - mean.reshape(shape)).mean(others, dtype="float32")
        count = x.size // shape[axis]
        unbiased = variance * xp.float32(count / max(count - 1, 1))
        running = mean, unbiased
        if factor != 1:
            old, share = channels[2:], xp.float32(factor)
            running = tuple(b * (1 - share) + a * share for a, b in zip(running, old))
    slope = scale / xp.sqrt(variance + xp.float32(epsilon))
    y = (wide - mean.reshape(shape)) * slope.reshape(shape) + offset.reshape(shape)
    return (y.astype(x.dtype), running[0].copy(), running[1].copy(), mean.copy(), variance.copy())


def _gradient(call: Call, dy: Any, *_: Any) -> list[Any]:
    """The gradients by images, scales and offsets; means and variances have none, as in TensorFlow."""
    x, scale, _offset, mean, variance = call.inputs
    return [*steps(x, scale, mean, variance, dy, call.attrs), None, None]


def steps(x: Any, scale: Any, mean: Any, variance: Any, dy: Any, attrs: dict[str, Any]) -> list[Any]:
    """The derivatives by images, scales and offsets, by public functions."""
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


@op("FusedBatchNorm", shape=normalized_batches(4), dtypes=frozenset((float32,)))
def fused_batch_norm(
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
    """Normalises each channel of images.

    Args:
        x: The images.
        scale: What each channel is multiplied with.
        offset: What is added to each channel.
        mean: The running means; empty where there are none yet.
        variance: The running variances; empty where there are none yet.
        epsilon: A small number that is added to the variances.
        exponential_avg_factor: The share of the batch in the running means and variances.
        data_format: Where the channels are.
        is_training: Whether the batch's own means and variances are used.

    Returns:
        The normalised images, the running means and variances, and those that were used.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    channels = scale, offset, mean, variance
    return _normalized(xp, x, channels, epsilon, exponential_avg_factor, data_format, is_training)


@op("FusedBatchNormV2", shape=normalized_batches(4), dtypes=_HALVES)
def fused_batch_norm_v2(
    xp: Any,
    x: Any,
    scale: _Channels,
    offset: _Channels,
    mean: _Channels,
    variance: _Channels,
    *,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> Any:
    """Normalises each channel of images, which may have half precision.

    Args:
        x: The images.
        scale: What each channel is multiplied with.
        offset: What is added to each channel.
        mean: The running means; empty where there are none yet.
        variance: The running variances; empty where there are none yet.
        epsilon: A small number that is added to the variances.
        exponential_avg_factor: The share of the batch in the running means and variances.
        data_format: Where the channels are.
        is_training: Whether the batch's own means and variances are used.

    Returns:
        The normalised images, the running means and variances, and those that were used.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    channels = scale, offset, mean, variance
    return _normalized(xp, x, channels, epsilon, exponential_avg_factor, data_format, is_training)


@op("FusedBatchNormV3", shape=normalized_batches(5), dtypes=_HALVES)
def fused_batch_norm_v3(
    xp: Any,
    x: Any,
    scale: _Channels,
    offset: _Channels,
    mean: _Channels,
    variance: _Channels,
    *,
    epsilon: float = 0.0001,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> Any:
    """Normalises each channel of images or volumes, which may have half precision.

    Args:
        x: The images.
        scale: What each channel is multiplied with.
        offset: What is added to each channel.
        mean: The running means; empty where there are none yet.
        variance: The running variances; empty where there are none yet.
        epsilon: A small number that is added to the variances.
        exponential_avg_factor: The share of the batch in the running means and variances.
        data_format: Where the channels are.
        is_training: Whether the batch's own means and variances are used.

    Returns:
        The normalised images, the running means and variances, those that were used, and nothing.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    channels = scale, offset, mean, variance
    found = _normalized(xp, x, channels, epsilon, exponential_avg_factor, data_format, is_training)
    return (*found, xp.zeros(0, "float32"))


for _function in (fused_batch_norm, fused_batch_norm_v2, fused_batch_norm_v3):
    _function.gradient(_gradient)
