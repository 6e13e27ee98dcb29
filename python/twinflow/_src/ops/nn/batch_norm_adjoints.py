"""The derivatives of normalisation over batches of images, as graphs of TensorFlow have them in one operation."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.core.dtypes import bfloat16, float16, float32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, text
from twinflow._src.dispatch.op import API, Call, Kind, op
from twinflow._src.ops.nn.batch_norms import channel_axes, steps
from twinflow._src.shape_rules.demands import merged, merged_size, ranked

_Scale = Annotated[Any, Kind("float", only=float32)]
_Kept = Annotated[Any, Kind("U", allowed=frozenset((float32,)))]
_HALVES = frozenset((float16, bfloat16, float32))


def _rule(
    dy: Dims | None, x: Dims | None, *channels: Dims | None, data_format: str = "NHWC", **_: Any
) -> list[Dims | None]:
    known = ranked(merged(dy, x), len(data_format))
    axis = channel_axes(data_format)[0]
    size = known[axis]
    for dims in channels[:3]:
        size = merged_size(size, ranked(dims, 1)[0])
    return [(*known[:axis], size, *known[axis + 1 :]), (size,), (size,), (0,), (0,)]


def _derivatives(
    xp: Any, dy: Any, x: Any, scale: Any, mean: Any, variance: Any, epsilon: float, data_format: str, is_training: bool
) -> tuple[Any, ...]:
    """The derivatives by images, scales and offsets, and twice nothing."""
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
    wide = dy.astype("float32")
    inverse = 1 / xp.sqrt(variance + xp.float32(epsilon))
    normal = (x.astype("float32") - mean.reshape(shape)) * inverse.reshape(shape)
    by_offset, by_scale = wide.sum(others, dtype="float32"), (wide * normal).sum(others, dtype="float32")
    if is_training:
        count = xp.float32(x.size // size)
        wide = wide - (by_offset / count).reshape(shape) - normal * (by_scale / count).reshape(shape)
    dx = wide * (scale * inverse).reshape(shape)
    return (dx.astype(x.dtype), by_scale, by_offset, none, none.copy())


@op("FusedBatchNormGrad", shape=_rule, dtypes=frozenset((float32,)))
def fused_batch_norm_grad(
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
    """Returns the derivatives of normalised images.

    Args:
        y_backprop: The derivative by the normalised images.
        x: The images.
        scale: What each channel was multiplied with.
        reserve_space_1: The means that were used.
        reserve_space_2: The variances that were used.
        epsilon: The small number that was added to the variances.
        data_format: Where the channels are.
        is_training: Whether means and variances were those of the batch, and move with the images.

    Returns:
        The derivatives by images, scales and offsets, and twice nothing.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    kept = reserve_space_1, reserve_space_2
    return _derivatives(xp, y_backprop, x, scale, *kept, epsilon, data_format, is_training)



@op("FusedBatchNormGradV2", shape=_rule, dtypes=_HALVES)
def fused_batch_norm_grad_v2(
    xp: Any,
    y_backprop: Any,
    x: Any,
    scale: _Scale,
    reserve_space_1: _Kept,
    reserve_space_2: _Kept,
    *,
    epsilon: float = 0.0001,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> Any:
    """Returns the derivatives of normalised images.

    Args:
        y_backprop: The derivative by the normalised images.
        x: The images.
        scale: What each channel was multiplied with.
        reserve_space_1: The means that were used.
        reserve_space_2: The variances that were used.
        epsilon: The small number that was added to the variances.
        data_format: Where the channels are.
        is_training: Whether means and variances were those of the batch, and move with the images.

    Returns:
        The derivatives by images, scales and offsets, and twice nothing.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    kept = reserve_space_1, reserve_space_2
    return _derivatives(xp, y_backprop, x, scale, *kept, epsilon, data_format, is_training)



@op("FusedBatchNormGradV3", shape=_rule, dtypes=_HALVES)
def fused_batch_norm_grad_v3(
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
    """Returns the derivatives of normalised images.

    Args:
        y_backprop: The derivative by the normalised images.
        x: The images.
        scale: What each channel was multiplied with.
        reserve_space_1: The means that were used.
        reserve_space_2: The variances that were used.
        reserve_space_3: What the normalisation kept for a GPU; it is not needed.
        epsilon: The small number that was added to the variances.
        data_format: Where the channels are.
        is_training: Whether means and variances were those of the batch, and move with the images.

    Returns:
        The derivatives by images, scales and offsets, and twice nothing.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    kept = reserve_space_1, reserve_space_2
    return _derivatives(xp, y_backprop, x, scale, *kept, epsilon, data_format, is_training)


def _gradient(call: Call, *upstream: Any) -> list[Any]:
    """The derivatives of the steps, by the derivatives, images and scales; the others have none, as in TensorFlow."""
    dy, x, scale, mean, variance = call.inputs[:5]
    with API["GradientTape"]() as tape:
        tape.watch([dy, x, scale])
        found = steps(x, scale, mean, variance, dy, call.attrs)
    by_each = tape.gradient(found, [dy, x, scale], list(upstream[:3]))
    return [*by_each, *[None] * (len(call.inputs) - 3)]


for _function in (fused_batch_norm_grad, fused_batch_norm_grad_v2, fused_batch_norm_grad_v3):
    _function.gradient(_gradient)
