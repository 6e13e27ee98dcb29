"""Convolution ops in 2-D and 3-D as im2col and matrix multiplication, and their gradients."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from twinflow._src.core.dtypes import REALS, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, OPS, Call, OpFunction, Sizes, op
from twinflow._src.ops.conv.geometry import (
    Geometry,
    Lengths,
    arrange_dims,
    check_padding,
    check_rank,
    conv2d_input_shape,
    conv2d_shape,
    conv3d_shape,
    convolve,
    convolve_backprop_input,
    correlate,
    geometry,
    of_sizes,
    outer,
    spatial,
    spatial_pads,
    unimplemented,
)
from twinflow._src.ops.nn.basics import wide

# Validation of attributes and shapes, with the error messages of TensorFlow's kernels.


# ------------------------------------------------------------------ attributes


def check_conv2d(
    strides: Any,
    padding: str,
    explicit: Any,
    data_format: str,
    dilations: Any,
    refused: Any = unimplemented,
) -> None:
    """Validates the attributes of a 2-D convolution."""
    # ``refused`` makes the error for strides or dilations in the batch or channel dimension.
    for name, steps in (("dilations", dilations), ("strides", strides)):
        if len(steps) != 4:
            raise invalid(f"Sliding window {name} field must specify 4 dimensions")
    _check_outer(strides, data_format, "strides", refused)
    if min(strides) < 1:
        raise invalid("Row and column strides should be larger than 0.")
    _check_outer(dilations, data_format, "dilations", refused)
    check_rates(dilations)
    check_padding(padding, explicit, data_format, strict=True)


def check_conv3d(strides: Any, data_format: str, dilations: Any) -> None:
    """Validates the strides, data format and dilations of a 3-D convolution."""
    for name, steps in (("Dilation rates", dilations), ("Sliding window strides", strides)):
        if len(steps) != 5:
            raise invalid(f"{name} field must specify 5 dimensions")
    _check_outer(strides, data_format, "strides", invalid)
    _check_outer(dilations, data_format, "dilation rates", invalid)


def check_rates(dilations: Any) -> None:
    """Raises InvalidArgumentError if a dilation rate is not positive."""
    if min(dilations) < 1:
        raise invalid("Dilated rates should be larger than 0.")


def _check_outer(steps: Any, data_format: str, what: str, error: Any) -> None:
    if any(steps[i] != 1 for i in outer(data_format)):
        raise error(
            f"Current implementation does not yet support {what} in the batch and depth dimensions."
        )


# ------------------------------------------------------------------ shapes


def groups_of(x: Any, filters: Any, data_format: str) -> int:
    """Returns the number of channel groups of a 2-D convolution."""
    for array, what in ((x, "input"), (filters, "filter")):
        if array.ndim != 4:
            raise invalid(f"convolution {what} must be 4-dimensional: {text(array.shape)}")
    depth, part = x.shape[outer(data_format)[1]], filters.shape[2]
    if part == 0:
        raise invalid(f"filter depth must be stricly positive, got {part}")
    if depth % part:
        raise invalid(f"input depth must be evenly divisible by filter depth: {depth} vs {part}")
    return depth // part


def check_images(filters: Any, groups: int) -> None:
    """Validates the filters and groups of a 2-D convolution with a non-empty result."""
    _check_outputs(filters, groups)
    _check_elements(filters)


def _check_outputs(filters: Any, groups: int) -> None:
    outputs = filters.shape[-1]
    if groups and outputs % groups:
        raise invalid(
            f"output depth must be evenly divisible by number of groups: {outputs} vs {groups}"
        )


def _check_elements(filters: Any) -> None:
    if 0 in filters.shape:
        raise invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)")


def check_depths(x: Any, filters: Any, data_format: str) -> None:
    """Raises InvalidArgumentError if the channels of volumes and filters are incompatible."""
    for array, what in ((x, "input"), (filters, "filter")):
        if array.ndim != 5:
            raise invalid(f"{what} must be 5-dimensional")
    depth, part = x.shape[outer(data_format)[1]], filters.shape[3]
    if part == 0:
        raise invalid("filter_depth must be non-zero")
    if depth % part:
        raise invalid(f"Input depth must be evenly divisible by filter depth: {depth} vs {part}")
    _check_elements(filters)


def windows_of(
    shape: Sequence[int],
    kernel: Sequence[int],
    strides: Any,
    padding: str,
    explicit: Any,
    data_format: str,
    dilations: Any,
) -> Geometry:
    """Returns the window geometry of a convolution for an input shape and kernel sizes."""
    return geometry(
        spatial(shape, data_format),
        kernel,
        spatial(strides, data_format),
        spatial(dilations, data_format),
        padding,
        spatial_pads(padding, explicit, data_format),
    )


def check_derivatives(
    name: str, shape: Sequence[int], filters: Sequence[int], dy: Any, g: Geometry
) -> None:
    """Raises InvalidArgumentError if an upstream gradient has the wrong shape."""
    if shape[0] != dy.shape[0]:
        raise invalid(
            f"{name}: input and out_backprop must have the same batch size. Input batch: {shape[0]}, "
            f"outbackprop batch: {dy.shape[0]}, batch_dim: 0"
        )
    if filters[-2] == 0 or shape[-1] % filters[-2]:
        raise invalid(f"{name}: input depth must be evenly divisible by filter depth")
    if filters[-1] != dy.shape[-1]:
        raise invalid(f"{name}: filter and out_backprop must have the same out_depth")
    _check_groups(shape[-1], filters)
    for i, (actual, computed) in enumerate(zip(dy.shape[1:-1], g.outputs, strict=True)):
        if actual != computed:
            raise invalid(
                f"{name}: Size of out_backprop doesn't match computed: actual = {actual}, "
                f"computed = {computed} spatial_dim: {i + 1} input: {g.sizes[i]} filter: "
                f"{g.kernel[i]} output: {actual} stride: {g.strides[i]} dilation: {g.dilations[i]}"
            )


def _check_groups(depth: int, filters: Sequence[int]) -> None:
    if filters[-1] % (depth // filters[-2] or 1):
        raise invalid(
            "Gradients for grouped convolutions are not supported on CPU. Please file a feature request if "
            f"you run into this issue. Computed input depth {depth} doesn't match filter input depth "
            f"{filters[-2]}"
        )


# Forward ops: blocks of patches (im2col) times the filter matrix.


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


@op("Conv2D", shape=conv2d_shape, dtypes=TYPES, layout=("image", "", "image"))
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
    """Computes the 2-D convolution of images with filters."""
    steps = (strides, padding, explicit_paddings, data_format, dilations)
    check_conv2d(*steps)
    groups = groups_of(input, filter, data_format)
    g = windows_of(input.shape, filter.shape[:2], *steps)
    shape = arrange_dims(data_format, input.shape[0], g.outputs, filter.shape[-1])
    if 0 in shape:
        return xp.zeros(shape, input.dtype)
    check_images(filter, groups)
    return _grouped(xp, wide(xp, input), wide(xp, filter), g, groups).astype(
        input.dtype, copy=False
    )


@conv2d_of.gradient(reads=("input", "filter"))
def _(call: Call, dy: Any) -> Any:
    x, filters = call.inputs
    sizes, kernel = API["shape_n"]([x, filters])
    return (
        lambda: OPS["Conv2DBackpropInput"].public(sizes, filters, dy, **call.attrs),
        lambda: OPS["Conv2DBackpropFilter"].public(x, kernel, dy, **call.attrs),
    )


@op("Conv3D", shape=conv3d_shape, dtypes=REALS, layout=("image", "", "image"))
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
    """Computes the 3-D convolution of volumes with filters."""
    check_conv3d(strides, data_format, dilations)
    if min(strides) < 1:
        raise invalid("Spatial strides should be larger than 0.")
    check_rates(dilations)
    check_depths(input, filter, data_format)
    g = windows_of(input.shape, filter.shape[:3], strides, padding, (), data_format, dilations)
    shape = arrange_dims(data_format, input.shape[0], g.outputs, filter.shape[-1])
    if 0 in shape:
        return xp.zeros(shape, input.dtype)
    groups = input.shape[-1] // filter.shape[-2]
    _check_outputs(filter, groups)
    return _grouped(xp, wide(xp, input), wide(xp, filter), g, groups).astype(
        input.dtype, copy=False
    )


@conv3d_of.gradient
def _(call: Call, dy: Any) -> Any:
    x, filters = call.inputs
    sizes, kernel = API["shape_n"]([x, filters])
    return (
        OPS["Conv3DBackpropInputV2"].public(sizes, filters, dy, **call.attrs),
        OPS["Conv3DBackpropFilterV2"].public(x, kernel, dy, **call.attrs),
    )


# Gradients of 2-D convolutions.


def by_input(xp: Any, shape: Any, filters: Any, dy: Any, g: Geometry) -> Any:
    """Returns the gradient of a convolution with respect to its input, group by group."""
    groups = max(1, shape[-1] // max(filters.shape[-2], 1))
    whole, kernel = wide(xp, dy), wide(xp, filters)
    count = filters.shape[-1] // groups
    parts = [
        convolve_backprop_input(xp, whole[..., at], xp.ascontiguousarray(kernel[..., at]), g)
        for at in (slice(i * count, (i + 1) * count) for i in range(groups))
    ]
    return _concat_groups(xp, parts, dy.dtype)


def by_filters(xp: Any, x: Any, filters: Any, dy: Any, g: Geometry) -> Any:
    """Returns the gradient of a convolution with respect to its filters, group by group."""
    part = filters[-2]
    groups = max(1, x.shape[-1] // max(part, 1))
    whole, change = wide(xp, x), wide(xp, dy)
    count = filters[-1] // groups
    parts = [
        correlate(
            xp,
            whole[..., i * part : (i + 1) * part],
            change[..., i * count : (i + 1) * count],
            g,
        )
        for i in range(groups)
    ]
    return _concat_groups(xp, parts, x.dtype)


def _concat_groups(xp: Any, parts: list[Any], dtype: Any) -> Any:
    result = parts[0] if len(parts) == 1 else xp.concatenate(parts, axis=-1)
    return result.astype(dtype, copy=False)


def _sizes(name: str, value: Any, what: str) -> list[int]:
    """Returns a shape vector as a list of integers."""
    if value.ndim != 1:
        raise invalid(f"{name}: {what}_sizes input must be 1-dim, not {value.ndim}")
    dims: list[int] = value.tolist()
    for n in dims:
        if n < 0:
            raise invalid(f"Dimension {n} must be >= 0")
    return dims


@op(
    "Conv2DBackpropInput",
    shape=conv2d_input_shape,
    dtypes=TYPES,
    layout=("sizes", "", "image", "image"),
)
def conv2d_backprop_input(
    xp: Any,
    input_sizes: Lengths,
    filter: Any,
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Computes the gradient of conv2d with respect to its input (a transposed convolution)."""
    steps = (strides, padding, explicit_paddings, data_format, dilations)
    name = "Conv2DCustomBackpropInput"
    check_conv2d(*steps)
    sizes = _sizes("Conv2DBackpropInput", input_sizes, "input")
    if len(sizes) not in (2, 4):
        raise invalid(
            "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: "
            f"{len(sizes)}"
        )
    check_rank(out_backprop, 4, f"input_sizes must be 4-dimensional, got: {out_backprop.ndim}")
    check_rank(filter, 4, f"{name}: filter must be 4-dimensional")
    if filter.shape[2] == 0:
        raise invalid(f"{name}: filter depth must be strictly greated than zero")
    if len(sizes) == 2:
        sizes = [out_backprop.shape[0], *sizes, filter.shape[2]]
    g = windows_of(sizes, filter.shape[:2], *steps)
    check_derivatives(name, sizes, filter.shape, out_backprop, g)
    return by_input(xp, sizes, filter, out_backprop, g)


@op("Conv2DBackpropFilter", shape=of_sizes(1, 4), dtypes=REALS, layout=("image", "", "image", ""))
def conv2d_backprop_filter(
    xp: Any,
    input: Any,
    filter_sizes: Lengths,
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Computes the gradient of conv2d with respect to its filters."""
    steps = (strides, padding, explicit_paddings, data_format, dilations)
    name = "Conv2DCustomBackpropFilter"
    check_conv2d(*steps, refused=invalid)
    sizes = _sizes(name, filter_sizes, "filter")
    check_rank(input, 4, f"{name}: input must be 4-dimensional")
    if len(sizes) != 4:
        raise invalid(f"{name}: filter must be 4-dimensional")
    check_rank(out_backprop, 4, f"{name}: out_backprop must be 4-dimensional")
    g = windows_of(input.shape, sizes[:2], *steps)
    check_derivatives(name, input.shape, sizes, out_backprop, g)
    return by_filters(xp, input, sizes, out_backprop, g)


@conv2d_backprop_filter.batched
def _(call: Any) -> Any:
    attrs, sizes = call.attrs, call.static_value(1)
    if attrs["data_format"] != "NHWC" or attrs["padding"] not in ("SAME", "VALID"):
        return call.looped()
    depth = call.node.arguments[0].shape.as_list()[-1]
    if depth != sizes[2]:  # unknown, or in groups
        return call.looped()
    patches = OPS["ExtractImagePatches"].public(
        call.fold(0),
        ksizes=[1, *sizes[:2], 1],
        strides=attrs["strides"],
        rates=attrs["dilations"],
        padding=attrs["padding"],
    )
    rows = [API["shape"](patches)[0] // call.size * math.prod(patches.shape.as_list()[1:3])]
    x = API["reshape"](patches, [call.size, *rows, math.prod(sizes[:3])])
    dy = API["reshape"](call.full(2), [call.size, *rows, sizes[3]])
    return API["reshape"](API["matmul"](x, dy, transpose_a=True), [call.size, *sizes])


def set_second_gradients(
    convolve: OpFunction, backprop_input: OpFunction, backprop_filter: OpFunction
) -> None:
    """Registers the gradients of the two gradient ops of a convolution."""

    @backprop_input.gradient
    def _(call: Call, dx: Any) -> Any:
        _, filters, dy = call.inputs
        dfilters = backprop_filter(dx, API["shape"](filters), dy, **call.attrs)
        return None, dfilters, convolve(dx, filters, **call.attrs)

    @backprop_filter.gradient
    def _(call: Call, dfilters: Any) -> Any:
        x, _, dy = call.inputs
        dx = backprop_input(API["shape"](x), dfilters, dy, **call.attrs)
        return dx, None, convolve(x, dfilters, **call.attrs)


set_second_gradients(conv2d_of, conv2d_backprop_input, conv2d_backprop_filter)


# Gradients of 3-D convolutions.


def _check(sizes: Any, what: str, strides: Any, data_format: str, dilations: Any) -> list[int]:
    """Validates the attributes and the shape vector of a 3-D gradient op, and returns the shape."""
    check_conv3d(strides, data_format, dilations)
    check_rates(dilations)
    if sizes.ndim != 1 and what == "input":
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {text(sizes.shape)}")
    if sizes.ndim != 1:
        raise invalid(f"{what}_sizes shape must be rank 1 but is rank {sizes.ndim}")
    dims: list[int] = sizes.tolist()
    for n in dims:
        if n < 0:
            raise invalid(f"Dimension {n} must be >= 0")
    return dims


def _check_channels(shape: Any, filters: Any, dy: Any) -> None:
    for one, other, name, fits in (
        (shape[-1], filters[-2], "input", filters[-2] and not shape[-1] % filters[-2]),
        (dy.shape[-1], filters[-1], "out_backprop", dy.shape[-1] == filters[-1]),
    ):
        if not fits:
            raise invalid(
                f"{name} and filter_sizes must have the same number of channels. Got {one} for "
                f"{name} and {other} for filter_sizes"
            )


@op(
    "Conv3DBackpropInputV2",
    shape=of_sizes(0, 5),
    dtypes=REALS,
    layout=("sizes", "", "image", "image"),
)
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
    """Computes the gradient of conv3d with respect to its input."""
    steps = (strides, data_format, dilations)
    sizes = _check(input_sizes, "input", *steps)
    if len(sizes) != 5:
        raise invalid("input tensor must have 5 dimensions")
    check_rank(filter, 5, "filter_sizes tensor must have 5 dimensions")
    check_rank(out_backprop, 5, "out_backprop tensor must have 5 dimensions")
    _check_channels(sizes, filter.shape, out_backprop)
    g = windows_of(sizes, filter.shape[:3], strides, padding, (), data_format, dilations)
    check_derivatives("Conv3DBackpropInputOp", sizes, filter.shape, out_backprop, g)
    return by_input(xp, sizes, filter, out_backprop, g)


@op("Conv3DBackpropFilterV2", shape=of_sizes(1, 5), dtypes=REALS, layout=("image", "", "image", ""))
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
    """Computes the gradient of conv3d with respect to its filters."""
    steps = (strides, data_format, dilations)
    sizes = _check(filter_sizes, "filter", *steps)
    check_rank(input, 5, "input tensor must have 5 dimensions")
    if len(sizes) != 5:
        raise invalid("filter_sizes tensor must have 5 dimensions")
    check_rank(out_backprop, 5, "out_backprop tensor must have 5 dimensions")
    _check_channels(input.shape, sizes, out_backprop)
    g = windows_of(input.shape, sizes[:3], strides, padding, (), data_format, dilations)
    check_derivatives("Conv3DBackpropFilterOp", input.shape, sizes, out_backprop, g)
    return by_filters(xp, input, sizes, out_backprop, g)


set_second_gradients(conv3d_of, conv3d_backprop_input, conv3d_backprop_filter)
