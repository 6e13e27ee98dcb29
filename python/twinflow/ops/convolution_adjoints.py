"""The derivatives of convolutions."""

from __future__ import annotations

from typing import Any

from ..dtypes import REALS
from ..errors import invalid
from ..op import Call, Ints, op
from .convolution import _TYPES, _check_format, _check_steps, _geometry, _Numbers, _wide, conv2d_of
from .windows import (
    Geometry,
    correlate,
    spread,
)


def _check_outputs(name: str, g: Geometry, dy: Any, filters: Any) -> None:
    if filters.shape[-1] != dy.shape[-1]:
        raise invalid(f"{name}: filter and out_backprop must have the same out_depth")
    for i, (actual, computed) in enumerate(zip(dy.shape[1:-1], g.outputs, strict=True)):
        if actual != computed:
            raise invalid(
                f"{name}: Size of out_backprop doesn't match computed: actual = {actual}, "
                f"computed = {computed} spatial_dim: {i + 1} input: {g.sizes[i]} filter: "
                f"{g.kernel[i]} output: {actual} stride: {g.strides[i]} dilation: {g.dilations[i]}"
            )


def _transposed(xp: Any, name: str, sizes: Any, filters: Any, dy: Any, g: Geometry) -> Any:
    """The convolution's adjoint, group by group."""
    _check_outputs(name, g, dy, filters)
    depth, part = sizes[-1], filters.shape[-2]
    if sizes[0] != dy.shape[0]:
        raise invalid(
            f"{name}: input and out_backprop must have the same batch size. Input batch: {sizes[0]}, outbackprop batch: {dy.shape[0]}"
        )
    if part == 0 or depth % part:
        raise invalid(
            f"{name}: input depth must be evenly divisible by filter depth: {depth} vs {part}"
        )
    groups, dtype = depth // part, dy.dtype
    wide, narrow = _wide(xp, dy), _wide(xp, filters)
    outputs = filters.shape[-1] // groups
    parts = [
        spread(
            xp,
            wide[..., i * outputs : (i + 1) * outputs],
            narrow[..., i * outputs : (i + 1) * outputs],
            g,
        )
        for i in range(groups)
    ]
    result = parts[0] if groups == 1 else xp.concatenate(parts, axis=-1)
    return result.astype(dtype, copy=False)


@op("Conv2DBackpropInput", dtypes=_TYPES)
def conv2d_backprop_input(
    xp: Any,
    input_sizes: Ints,
    filter: Any,
    out_backprop: Any,
    *,
    strides: _Numbers,
    padding: str,
    explicit_paddings: _Numbers = (),
    data_format: str = "NHWC",
    dilations: _Numbers = (1, 1, 1, 1),
) -> Any:
    """Returns the derivative of a convolution by its input: a transposed convolution.

    Args:
        input_sizes: The shape of the input.
        filter: The filters of the convolution.
        out_backprop: The derivative by the convolution's result.
        strides: The strides of the convolution.
        padding: The padding of the convolution.
        explicit_paddings: The numbers before and after each dimension, for explicit padding.
        data_format: ``"NHWC"``.
        dilations: The dilations of the convolution.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    _check_format("Conv2DBackpropInput", data_format, padding, ("NHWC", "NCHW"))
    _check_steps(strides, dilations)
    sizes = [int(n) for n in input_sizes]
    g = _geometry(sizes[1:-1], filter.shape[:2], strides, dilations, padding, explicit_paddings)
    return _transposed(xp, "Conv2DCustomBackpropInput", sizes, filter, out_backprop, g)


@op("Conv3DBackpropInputV2", dtypes=REALS)
def conv3d_backprop_input(
    xp: Any,
    input_sizes: Ints,
    filter: Any,
    out_backprop: Any,
    *,
    strides: _Numbers,
    padding: str,
    data_format: str = "NDHWC",
    dilations: _Numbers = (1, 1, 1, 1, 1),
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
    _check_format("Conv3DBackpropInputV2", data_format, padding, ("NDHWC", "NCDHW"))
    _check_steps(strides, dilations)
    sizes = [int(n) for n in input_sizes]
    g = _geometry(sizes[1:-1], filter.shape[:3], strides, dilations, padding, ())
    return _transposed(xp, "Conv3DBackpropInput", sizes, filter, out_backprop, g)


@op("Conv2DBackpropFilter", dtypes=REALS)
def conv2d_backprop_filter(
    xp: Any,
    input: Any,
    filter_sizes: Ints,
    out_backprop: Any,
    *,
    strides: _Numbers,
    padding: str,
    explicit_paddings: _Numbers = (),
    data_format: str = "NHWC",
    dilations: _Numbers = (1, 1, 1, 1),
) -> Any:
    """Returns the derivative of a convolution by its filters.

    Args:
        input: The input of the convolution.
        filter_sizes: The shape of the filters.
        out_backprop: The derivative by the convolution's result.
        strides: The strides of the convolution.
        padding: The padding of the convolution.
        explicit_paddings: The numbers before and after each dimension, for explicit padding.
        data_format: ``"NHWC"``.
        dilations: The dilations of the convolution.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    _check_format("Conv2DBackpropFilter", data_format, padding, ("NHWC", "NCHW"))
    _check_steps(strides, dilations)
    sizes = [int(n) for n in filter_sizes]
    g = _geometry(input.shape[1:-1], sizes[:2], strides, dilations, padding, explicit_paddings)
    x, dy, part = _wide(xp, input), _wide(xp, out_backprop), sizes[-2]
    groups = max(1, input.shape[-1] // max(part, 1))
    outputs = sizes[-1] // groups
    parts = [
        correlate(
            xp, x[..., i * part : (i + 1) * part], dy[..., i * outputs : (i + 1) * outputs], g
        )
        for i in range(groups)
    ]
    result = parts[0] if groups == 1 else xp.concatenate(parts, axis=-1)
    return result.astype(input.dtype, copy=False)


# ------------------------------------------------------------------ gradients


@conv2d_of.gradient
def _(call: Call, dy: Any) -> Any:
    x, filters = call.inputs
    return (
        conv2d_backprop_input(x.shape.as_list(), filters, dy, **call.attrs),
        conv2d_backprop_filter(x, filters.shape.as_list(), dy, **call.attrs),
    )


@conv2d_backprop_input.gradient
def _(call: Call, dx: Any) -> Any:
    _, filters, dy = call.inputs
    dfilters = conv2d_backprop_filter(dx, filters.shape.as_list(), dy, **call.attrs)
    return None, dfilters, conv2d_of(dx, filters, **call.attrs)


@conv2d_backprop_filter.gradient
def _(call: Call, dfilters: Any) -> Any:
    x, _, dy = call.inputs
    dx = conv2d_backprop_input(x.shape.as_list(), dfilters, dy, **call.attrs)
    return dx, None, conv2d_of(x, dfilters, **call.attrs)
