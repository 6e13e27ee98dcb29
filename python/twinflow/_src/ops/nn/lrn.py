"""Local response normalization and its gradient."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import REALS, float64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims
from twinflow._src.dispatch.op import API, Call, op
from twinflow._src.ops.conv.geometry import check_rank
from twinflow._src.ops.elementwise.math import rounded
from twinflow._src.shape_rules.demands import merged, of_rank, ranked

_TYPES = REALS - {float64}


def _sums(xp: Any, x: Any, radius: int) -> Any:
    """Returns windowed sums along the last dimension, of elements within ``radius``."""
    channels = xp.arange(x.shape[-1])
    near = xp.abs(channels[:, None] - channels) <= radius
    return xp.matmul(x, near.astype(x.dtype))


def _check_radius(radius: int) -> None:
    if not 0 <= radius < 1 << 31:
        raise invalid(f"depth_radius = {radius} larger than int max")


def _scale(xp: Any, x: Any, radius: int, bias: float, alpha: float) -> Any:
    """Returns the divisor before the power: ``bias + alpha * windowed sum of squares``."""
    return xp.float32(bias) + xp.float32(alpha) * _sums(xp, x * x, radius)


@op(
    "LRN",
    api=("nn.local_response_normalization", "nn.lrn"),
    shape=of_rank(4),
    dtypes=_TYPES,
    flat=False,
)
def lrn(
    xp: Any,
    input: Any,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Any:
    """Computes local response normalization: ``input / (bias + alpha * sqr_sum) ** beta``.

    Args:
        input: A tensor of rank 4.
        depth_radius: The half-width of the window in the last dimension.
        bias: The offset of the divisor.
        alpha: The scale of the sum of squares.
        beta: The exponent.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: The rank is not 4.
    """
    _check_radius(depth_radius)
    check_rank(input, 4, "in must be 4-dimensional")
    x = input.astype(xp.float32)
    scale = _scale(xp, x, depth_radius, bias, alpha)
    return (x * rounded(lambda s: s ** -float(beta), scale)).astype(input.dtype)


lrn.batched(lambda call: call.folded(0))


def _three(grads: Dims | None, image: Dims | None, output: Dims | None, **_: Any) -> Dims | None:
    """Returns the common shape of three tensors of rank 4."""
    return merged(merged(ranked(grads, 4), image), output)


@op("LRNGrad", shape=_three, dtypes=_TYPES)
def lrn_grad(
    xp: Any,
    input_grads: Any,
    input_image: Any,
    output_image: Any,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Any:
    """Computes the gradient of local response normalization."""
    _check_radius(depth_radius)
    for array in (input_grads, input_image):
        check_rank(array, 4, "inputs must be 4-dimensional")
    if not input_grads.shape == input_image.shape == output_image.shape:
        raise invalid("input_grads, input_image, and out_image should have the same shape")
    dy, x, y = (a.astype(xp.float32) for a in (input_grads, input_image, output_image))
    scale = _scale(xp, x, depth_radius, bias, alpha)
    direct = dy * rounded(lambda s: s ** -float(beta), scale)
    shared = _sums(xp, dy * y / scale, depth_radius)
    return (direct - xp.float32(2 * alpha * beta) * x * shared).astype(input_grads.dtype)


lrn_grad.batched(lambda call: call.folded(0, 1, 2))


# ------------------------------------------------------------------ gradients


lrn.gradient(lambda call, dy: lrn_grad(dy, call.inputs[0], call.outputs, **call.attrs))


@lrn_grad.gradient
def _(call: Call, v: Any) -> Any:
    g, x, y = call.inputs
    alpha, beta = float(call.attrs["alpha"]), float(call.attrs["beta"])
    near = _neighbours(x, call.attrs["depth_radius"])
    scale = call.attrs["bias"] + alpha * API["matmul"](x * x, near)
    factor = 2 * alpha * beta
    shared = API["matmul"](v * x, near) / scale
    power = scale**-beta
    by_scale = v * g * power / scale - 2 * alpha * g * y * shared / scale
    by_x = v * API["matmul"](g * y / scale, near) + x * API["matmul"](by_scale, near)
    return v * power - factor * y * shared, -factor * by_x, -factor * g * shared


def _neighbours(x: Any, radius: int) -> Any:
    """Returns the band matrix that sums elements within ``radius`` of the last dimension."""
    channels = API["range"](API["shape"](x)[-1])
    distance = API["abs"](API["expand_dims"](channels, 1) - channels)
    return API["cast"](distance <= radius, x.dtype)
