"""Shape rules of convolutions, in the words of TensorFlow's shape inference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinflow._src.core.shapes import Dims, refused
from twinflow._src.ops.conv.checks import check_padding, outer, spatial, spatial_pads
from twinflow._src.shape_rules.demands import merged_size, minus, ranked, sizes_value, times

Size = int | None


def windowed(
    size: Size, kernel: Size, step: int, padding: str, dilation: int = 1, pads: int = 0
) -> Size:
    """The number of windows along a dimension.

    Args:
        size: The size of the dimension.
        kernel: The size of the windows.
        step: The step from one window to the next.
        padding: ``"SAME"``, ``"VALID"`` or ``"EXPLICIT"``.
        dilation: The step within a window.
        pads: What explicit padding adds to the size.
    """
    if step < 1:
        raise refused(f"Stride must be > 0, but got {step}")
    if dilation < 1:
        raise refused(f"Dilation rate must be >= 1, but got {dilation}")
    if padding == "SAME":
        return None if size is None else -(-size // step)
    if size is None or kernel is None or kernel < 0:
        return None
    reach = kernel if dilation == 1 else minus(kernel, 1) * dilation + 1  # type: ignore[operator]
    rest = minus(size + pads, reach)
    return None if rest is None else rest // step + 1


def windowed_all(
    sizes: Sequence[Size],
    kernel: Sequence[Size],
    strides: Sequence[int],
    padding: str,
    dilations: Sequence[int] = (),
    pads: Sequence[int] = (),
) -> tuple[Size, ...]:
    """The numbers of windows along the spatial dimensions."""
    extra = [a + b for a, b in zip(pads[::2], pads[1::2], strict=True)] or [0] * len(sizes)
    within = dilations or [1] * len(sizes)
    return tuple(
        windowed(n, k, s, padding, d, p)
        for n, k, s, d, p in zip(sizes, kernel, strides, within, extra, strict=True)
    )


def placed(data_format: str, batch: Size, space: Sequence[Size], channels: Size) -> Dims:
    """Dimensions in the order of a format."""
    ends = (batch, *space, channels) if data_format.endswith("C") else (batch, channels, *space)
    return tuple(ends)


# ------------------------------------------------------------------ convolutions


def conv2d_shape(
    input: Dims | None,
    filter: Dims | None,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Dims:
    """The shape of a two-dimensional convolution."""
    x, kernel = ranked(input, 4), ranked(filter, 4)
    if len(dilations) != 4:
        raise _wanted("Conv2D requires the dilation", 4, dilations)
    if len(strides) != 4:
        raise _wanted(f"Conv2D on data format {data_format} requires the stride", 4, strides)
    return _convolved(x, kernel, strides, padding, explicit_paddings, data_format, dilations)


def conv3d_shape(
    input: Dims | None,
    filter: Dims | None,
    *,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
) -> Dims:
    """The shape of a three-dimensional convolution."""
    x, kernel = ranked(input, 5), ranked(filter, 5)
    if len(dilations) != 5:
        raise _wanted("Conv3D requires the dilation", 5, dilations)
    if len(strides) != 5:
        raise _wanted("Conv3D requires the stride", 5, strides)
    return _convolved(x, kernel, strides, padding, (), data_format, dilations)


def _wanted(what: str, count: int, values: Sequence[int]) -> Exception:
    return refused(f"{what} attribute to contain {count} values, but got: {len(values)}")


def _convolved(
    x: Dims, kernel: Dims, strides: Any, padding: str, explicit: Any, data_format: str, rates: Any
) -> Dims:
    batch, channel = outer(data_format)
    _check_depths(x[channel], kernel[-2], kernel[-1])
    check_padding(padding, explicit, data_format, strict=True)
    space = windowed_all(
        spatial(x, data_format),
        kernel[:-2],
        spatial(strides, data_format),
        padding,
        spatial(rates, data_format),
        spatial_pads(padding, explicit, data_format),
    )
    return placed(data_format, x[batch], space, kernel[-1])


def _check_depths(depth: Size, part: Size, outputs: Size) -> None:
    if depth is None or part is None:
        return
    if part == 0:
        raise refused("Depth of filter must not be 0")
    if depth % part:
        raise refused(f"Depth of input ({depth}) is not a multiple of input depth of filter ({part})")
    groups = depth // part
    if outputs is not None and groups == 0:
        raise refused("Number of groups must not be 0")
    if outputs is not None and outputs % groups:
        raise refused(
            f"Depth of output ({outputs}) is not a multiple of the number of groups ({groups})"
        )


def depthwise_shape(
    input: Dims | None,
    filter: Dims | None,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Dims:
    """The shape of a convolution of each channel by itself."""
    x, kernel = ranked(input, 4), ranked(filter, 4)
    if len(strides) != 4:
        raise _wanted("DepthwiseConv2D requires the stride", 4, strides)
    batch, channel = outer(data_format)
    depth = merged_size(x[channel], kernel[2])
    check_padding(padding, explicit_paddings, data_format, strict=True)
    space = windowed_all(
        spatial(x, data_format),
        kernel[:2],
        spatial(strides, data_format),
        padding,
        pads=spatial_pads(padding, explicit_paddings, data_format),
    )
    return placed(data_format, x[batch], space, times(depth, kernel[3]))


# ------------------------------------------------------------------ their adjoints


def of_sizes(position: int, rank: int) -> Any:
    """The rule of an op whose result has the shape that a vector of sizes tells.

    Args:
        position: Which input the vector is.
        rank: How many sizes there must be.
    """

    def rule(*inputs: Any, **_: Any) -> Dims:
        return ranked(sizes_value(inputs[position]), rank)

    return rule


def conv2d_input_shape(
    sizes: Any, filter: Dims | None, derivative: Dims | None, *, data_format: str, **_: Any
) -> Dims:
    """The shape of the derivative of a two-dimensional convolution by its input."""
    found, kernel, dy = sizes_value(sizes), ranked(filter, 4), ranked(derivative, 4)
    if found is not None and len(found) not in (2, 4):
        raise refused(
            "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: "
            f"{len(found)}"
        )
    batch, channel = outer(data_format)
    merged_size(dy[channel], kernel[3])
    if found is not None and len(found) == 2:
        return placed(data_format, dy[batch], found, kernel[2])
    whole = ranked(found, 4)
    merged_size(whole[batch], dy[batch])
    return placed(data_format, dy[batch], spatial(whole, data_format), whole[channel])
