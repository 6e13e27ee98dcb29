"""The derivatives of three-dimensional convolutions."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Sizes, op
from twinflow._src.ops.conv.arguments import Lengths
from twinflow._src.ops.conv.checks import check_rank
from twinflow._src.ops.conv.convolution import conv3d_of
from twinflow._src.ops.conv.convolution_adjoints import by_filters, by_input
from twinflow._src.ops.conv.convolution_checks import (
    check_conv3d,
    check_derivatives,
    check_rates,
    windows_of,
)
from twinflow._src.ops.conv.shapes import of_sizes


def _check(
    kernel: str, sizes: Any, what: str, strides: Any, data_format: str, dilations: Any
) -> list[int]:
    """Checks the attributes and the sizes of a derivative; gives the sizes."""
    check_conv3d(strides, data_format, dilations)
    check_rates(dilations)
    if data_format != "NDHWC":
        raise invalid(f"{kernel} only supports NDHWC on the CPU.")
    if sizes.ndim != 1 and what == "input":
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {text(sizes.shape)}")
    if sizes.ndim != 1:
        raise invalid(f"{what}_sizes shape must be rank 1 but is rank {sizes.ndim}")
    found: list[int] = sizes.tolist()
    for n in found:
        if n < 0:
            raise invalid(f"Dimension {n} must be >= 0")
    return found


def _check_channels(shape: Any, filters: Any, dy: Any) -> None:
    for one, other, name, at in (
        (shape[-1], filters[-2], "input", -2),
        (dy.shape[-1], filters[-1], "out_backprop", -1),
    ):
        if one != other:
            raise invalid(
                f"{name} and filter_sizes must have the same number of channels. Got {one} for "
                f"{name} and {filters[at]} for filter_sizes"
            )


@op("Conv3DBackpropInputV2", shape=of_sizes(0, 5), dtypes=REALS)
def conv3d_backprop_input(
    xp: Any,
    input_sizes: Sizes,
    filter: Any,
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
) -> Any:
    """Returns the derivative of a three-dimensional convolution by its input.

    Args:
        input_sizes: The shape of the input.
        filter: The filters of the convolution.
        out_backprop: The derivative by the convolution's result.
        strides: The strides of the convolution.
        padding: The padding of the convolution.
        data_format: ``"NDHWC"``.
        dilations: The dilations of the convolution.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    steps = (strides, data_format, dilations)
    sizes = _check("Conv3DBackpropInputOpV2", input_sizes, "input", *steps)
    if len(sizes) != 5:
        raise invalid("input tensor must have 5 dimensions")
    check_rank(filter, 5, "filter_sizes tensor must have 5 dimensions")
    check_rank(out_backprop, 5, "out_backprop tensor must have 5 dimensions")
    _check_channels(sizes, filter.shape, out_backprop)
    g = windows_of(sizes, filter.shape[:3], strides, padding, (), data_format, dilations)
    check_derivatives("Conv3DBackpropInputOp", sizes, filter.shape, out_backprop, g)
    return by_input(xp, sizes, filter, out_backprop, g)


@op("Conv3DBackpropFilterV2", shape=of_sizes(1, 5), dtypes=REALS)
def conv3d_backprop_filter(
    xp: Any,
    input: Any,
    filter_sizes: Lengths,
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
) -> Any:
    """Returns the derivative of a three-dimensional convolution by its filters.

    Args:
        input: The input of the convolution.
        filter_sizes: The shape of the filters.
        out_backprop: The derivative by the convolution's result.
        strides: The strides of the convolution.
        padding: The padding of the convolution.
        data_format: ``"NDHWC"``.
        dilations: The dilations of the convolution.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    steps = (strides, data_format, dilations)
    sizes = _check("Conv3DBackpropFilterOpV2", filter_sizes, "filter", *steps)
    check_rank(input, 5, "input tensor must have 5 dimensions")
    if len(sizes) != 5:
        raise invalid("filter_sizes tensor must have 5 dimensions")
    check_rank(out_backprop, 5, "out_backprop tensor must have 5 dimensions")
    _check_channels(input.shape, sizes, out_backprop)
    g = windows_of(input.shape, sizes[:3], strides, padding, (), data_format, dilations)
    check_derivatives("Conv3DBackpropFilterOp", input.shape, sizes, out_backprop, g)
    return by_filters(xp, input, sizes, out_backprop, g)


# ------------------------------------------------------------------ gradients


@conv3d_backprop_input.gradient
def _(call: Call, dx: Any) -> Any:
    _, filters, dy = call.inputs
    dfilters = conv3d_backprop_filter(dx, API["shape"](filters), dy, **call.attrs)
    return None, dfilters, conv3d_of(dx, filters, **call.attrs)


@conv3d_backprop_filter.gradient
def _(call: Call, dfilters: Any) -> Any:
    x, _, dy = call.inputs
    dx = conv3d_backprop_input(API["shape"](x), dfilters, dy, **call.attrs)
    return dx, None, conv3d_of(x, dfilters, **call.attrs)
