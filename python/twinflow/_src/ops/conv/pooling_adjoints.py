"""The derivatives of mean pooling."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import REALS
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import Call, op
from twinflow._src.ops.conv.arguments import Lengths
from twinflow._src.ops.conv.checks import check_shape, unimplemented
from twinflow._src.ops.conv.geometry import Geometry, along, by_images, unpadded
from twinflow._src.ops.conv.pooling import avg_pool3d_of, avg_pool_of, counts
from twinflow._src.ops.conv.pooling_checks import (
    check_batch,
    check_depth,
    check_windows,
    geometry_of,
)
from twinflow._src.ops.conv.shapes import of_sizes
from twinflow._src.ops.nn.basics import wide


def _shared(xp: Any, dy: Any, g: Geometry) -> Any:
    """Each derivative in equal parts on the elements of its window: the adjoint of the mean."""
    whole = wide(xp, dy)
    part = whole / counts(xp, g, whole.dtype)
    for axis in reversed(range(len(g.kernel))):
        shape = list(part.shape)
        shape[axis + 1] = g.sizes[axis] + sum(g.pads[axis])
        total = xp.zeros(shape, whole.dtype)
        for place in range(g.kernel[axis]):
            total[(slice(None),) * (axis + 1) + (along(g, axis, place),)] += part
        part = total
    return unpadded(xp, part, g).astype(dy.dtype, copy=False)


def _windows(sizes: Any, grad: Any, ksize: Any, strides: Any, padding: str) -> Geometry:
    """The geometry of the pooling whose derivative is given."""
    shape = sizes.tolist()
    for n in shape:
        if n < 0:
            raise invalid(f"Expected a non-negative size, got {n}")
    g = geometry_of(shape, ksize, strides, padding)
    check_shape(grad, (shape[0], *g.outputs, shape[-1]), "grad")
    return g


@op("AvgPoolGrad", shape=of_sizes(0, 4), dtypes=REALS)
def avg_pool_grad(
    xp: Any,
    orig_input_shape: Lengths,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
) -> Any:
    """Returns the derivative of mean pooling over images by the images.

    Args:
        orig_input_shape: The shape of the images.
        grad: The derivative by the means.
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.

    Returns:
        A tensor of the type of the derivative and the shape of the images.

    Raises:
        InvalidArgumentError: The arguments do not fit each other.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    check_windows("AvgPoolingGradOp", data_format, ksize, strides, "strides")
    check_batch(ksize, strides)
    if orig_input_shape.shape != (4,):
        raise invalid("out_backprop must be 1-dimensional and 4 elements")
    if grad.ndim != 4:
        raise invalid("out_backprop must be 4-dimensional")
    if ksize[3] != 1:
        raise unimplemented("Non-spatial pooling is not yet supported. Volunteers? :)")
    g = _windows(orig_input_shape, grad, ksize, strides, padding)
    return by_images(xp, lambda dy: _shared(xp, dy, g), grad)


@op("AvgPool3DGrad", shape=of_sizes(0, 5), dtypes=REALS)
def avg_pool3d_grad(
    xp: Any,
    orig_input_shape: Lengths,
    grad: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Returns the derivative of mean pooling over volumes by the volumes.

    Args:
        orig_input_shape: The shape of the volumes.
        grad: The derivative by the means.
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.

    Returns:
        A tensor of the type of the derivative and the shape of the volumes.

    Raises:
        InvalidArgumentError: The arguments do not fit each other.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    check_windows("AvgPooling3dGradOp", data_format, ksize, strides)
    check_batch(ksize, strides)
    check_depth(ksize, strides, "Pooling is not yet supported on the depth dimension.")
    if orig_input_shape.shape != (5,):
        raise invalid("tensor_in must be 1-dimensional and 5 elements")
    if grad.ndim != 5:
        raise invalid("out_backprop must be 5-dimensional")
    g = _windows(orig_input_shape, grad, ksize, strides, padding)
    return by_images(xp, lambda dy: _shared(xp, dy, g), grad)


# ------------------------------------------------------------------ gradients


@avg_pool_grad.gradient
def _(call: Call, dx: Any) -> Any:
    return None, avg_pool_of(dx, **call.attrs)


@avg_pool3d_grad.gradient
def _(call: Call, dx: Any) -> Any:
    return None, avg_pool3d_of(dx, **call.attrs)
