"""What convolutions demand of their attributes and shapes, in the words of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.ops.conv.checks import check_padding, outer, spatial, spatial_pads, unimplemented
from twinflow._src.ops.conv.geometry import Geometry, geometry

# ------------------------------------------------------------------ attributes


def check_conv2d(
    strides: Any,
    padding: str,
    explicit: Any,
    data_format: str,
    dilations: Any,
    refused: Any = unimplemented,
) -> None:
    """Raises an error where an attribute of a two-dimensional convolution is not what it must be.

    Args:
        strides: The strides.
        padding: The padding.
        explicit: The numbers before and after each dimension, for explicit padding.
        data_format: The format.
        dilations: The dilations.
        refused: The error for steps over the batch or the channels.
    """
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
    """Raises an error where the steps of a three-dimensional convolution are not what they must be."""
    for name, steps in (("Dilation rates", dilations), ("Sliding window strides", strides)):
        if len(steps) != 5:
            raise invalid(f"{name} field must specify 5 dimensions")
    _check_outer(strides, data_format, "strides", invalid)
    _check_outer(dilations, data_format, "dilation rates", invalid)


def check_rates(dilations: Any) -> None:
    """Raises InvalidArgumentError where a step within windows is not positive."""
    if min(dilations) < 1:
        raise invalid("Dilated rates should be larger than 0.")


def _check_outer(steps: Any, data_format: str, what: str, error: Any) -> None:
    if any(steps[i] != 1 for i in outer(data_format)):
        raise error(
            f"Current implementation does not yet support {what} in the batch and depth dimensions."
        )


# ------------------------------------------------------------------ shapes


def groups_of(x: Any, filters: Any, data_format: str) -> int:
    """The number of groups of channels that a two-dimensional convolution has."""
    for array, what in ((x, "input"), (filters, "filter")):
        if array.ndim != 4:
            raise invalid(f"convolution {what} must be 4-dimensional: {text(array.shape)}")
    depth, part = x.shape[outer(data_format)[1]], filters.shape[2]
    if part == 0:
        raise invalid(f"filter depth must be stricly positive, got {part}")
    if depth % part:
        raise invalid(f"input depth must be evenly divisible by filter depth: {depth} vs {part}")
    return depth // part


def check_images(filters: Any, groups: int, data_format: str) -> None:
    """Raises an error where a two-dimensional convolution that gives something cannot be."""
    if data_format != "NHWC":
        raise unimplemented(
            "The Conv2D op currently only supports the NHWC tensor format on the CPU. The op was "
            f"given the format: {data_format}"
        )
    outputs = filters.shape[-1]
    if groups and outputs % groups:
        raise invalid(
            f"output depth must be evenly divisible by number of groups: {outputs} vs {groups}"
        )
    _check_elements(filters)


def _check_elements(filters: Any) -> None:
    if 0 in filters.shape:
        raise invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)")


def check_depths(x: Any, filters: Any, data_format: str) -> None:
    """Raises InvalidArgumentError where volumes and filters do not fit."""
    for array, what in ((x, "input"), (filters, "filter")):
        if array.ndim != 5:
            raise invalid(f"{what} must be 5-dimensional")
    depth, part = x.shape[outer(data_format)[1]], filters.shape[3]
    if part == 0:
        raise invalid("filter_depth must be non-zero")
    if depth % part:
        raise invalid(f"Input depth must be evenly divisible by filter depth: {depth} vs {part}")
    _check_elements(filters)


def check_volumes(depth: int, part: int, data_format: str) -> None:
    """Raises InvalidArgumentError where a three-dimensional convolution cannot be."""
    if data_format != "NDHWC":
        raise invalid(
            "CPU implementation of Conv3D currently only supports the NHWC tensor format."
        )
    if depth != part:
        raise invalid(
            f"Number of channels in filter ({part}) must match last dimension of input ({depth})"
        )


def windows_of(
    shape: Sequence[int],
    kernel: Sequence[int],
    strides: Any,
    padding: str,
    explicit: Any,
    data_format: str,
    dilations: Any,
) -> Geometry:
    """The geometry of a convolution of an array of a shape with filters of some sizes."""
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
    """Raises InvalidArgumentError where the derivative by a convolution's result does not fit.

    Args:
        name: How TensorFlow names the kernel.
        shape: The shape of the input.
        filters: The shape of the filters.
        dy: The derivative.
        g: The geometry of the convolution.
    """
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
