"""Convolutions: blocks of patches, multiplied as matrices."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import REALS, int32
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, OPS, Call, op
from twinflow._src.ops.conv.convolution_checks import (
    check_conv2d,
    check_conv3d,
    check_depths,
    check_images,
    check_rates,
    check_volumes,
    groups_of,
    windows_of,
)
from twinflow._src.ops.conv.geometry import Geometry, convolve
from twinflow._src.ops.conv.shapes import conv2d_shape, conv3d_shape, placed
from twinflow._src.ops.nn.basics import wide

TYPES = REALS | {int32}


def _grouped(xp: Any, x: Any, filters: Any, g: Geometry, groups: int) -> Any:
    if groups <= 1:
        return convolve(xp, x, filters, g)
    part, outputs = filters.shape[-2], filters.shape[-1] // groups
    return xp.concatenate(
        [
            convolve(
                xp,
                xp.ascontiguousarray(x[..., i * part : (i + 1) * part]),
                xp.ascontiguousarray(filters[..., i * outputs : (i + 1) * outputs]),
                g,
            )
            for i in range(groups)
        ],
        axis=-1,
    )


@op("Conv2D", shape=conv2d_shape, dtypes=TYPES)
def conv2d_of(
    xp: Any,
    input: Any,
    filter: Any,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Returns the two-dimensional convolution of images with filters.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        filter: A tensor of the same type, of shape (height, width, channels, outputs).
        strides: The step of the filter in each dimension.
        padding: ``"SAME"``, ``"VALID"`` or ``"EXPLICIT"``.
        explicit_paddings: The numbers before and after each dimension, for explicit padding.
        data_format: ``"NHWC"``.
        dilations: The step between the filter's elements in each dimension.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
        UnimplementedError: Another format, or steps over batch or channels, are asked for.
    """
    steps = (strides, padding, explicit_paddings, data_format, dilations)
    check_conv2d(*steps)
    groups = groups_of(input, filter, data_format)
    g = windows_of(input.shape, filter.shape[:2], *steps)
    shape = placed(data_format, input.shape[0], g.outputs, filter.shape[-1])
    if 0 in shape:
        return xp.zeros(shape, input.dtype)
    check_images(filter, groups, data_format)
    return _grouped(xp, wide(xp, input), wide(xp, filter), g, groups).astype(
        input.dtype, copy=False
    )


@conv2d_of.gradient
def _(call: Call, dy: Any) -> Any:
    x, filters = call.inputs
    sizes, kernel = API["shape_n"]([x, filters])
    return (
        lambda: OPS["Conv2DBackpropInput"].public(sizes, filters, dy, **call.attrs),
        lambda: OPS["Conv2DBackpropFilter"].public(x, kernel, dy, **call.attrs),
    )


@op("Conv3D", shape=conv3d_shape, dtypes=REALS)
def conv3d_of(
    xp: Any,
    input: Any,
    filter: Any,
    *,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
) -> Any:
    """Returns the three-dimensional convolution of volumes with filters.

    Args:
        input: A tensor of shape (batch, depth, height, width, channels).
        filter: A tensor of the same type, of shape (depth, height, width, channels, outputs).
        strides: The step of the filter in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.
        dilations: The step between the filter's elements in each dimension.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit, or another format, or steps over batch or
            channels, are asked for.
    """
    check_conv3d(strides, data_format, dilations)
    if min(strides) < 1:
        raise invalid("Spatial strides should be larger than 0.")
    check_rates(dilations)
    check_depths(input, filter, data_format)
    g = windows_of(input.shape, filter.shape[:3], strides, padding, (), data_format, dilations)
    shape = placed(data_format, input.shape[0], g.outputs, filter.shape[-1])
    if 0 in shape:
        return xp.zeros(shape, input.dtype)
    check_volumes(input.shape[-1], filter.shape[-2], data_format)
    return convolve(xp, wide(xp, input), wide(xp, filter), g).astype(input.dtype, copy=False)


@conv3d_of.gradient
def _(call: Call, dy: Any) -> Any:
    x, filters = call.inputs
    sizes, kernel = API["shape_n"]([x, filters])
    return (
        OPS["Conv3DBackpropInputV2"].public(sizes, filters, dy, **call.attrs),
        OPS["Conv3DBackpropFilterV2"].public(x, kernel, dy, **call.attrs),
    )
