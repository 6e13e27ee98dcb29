"""Shape rules of pooling, in the words of TensorFlow's shape inference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.core.shapes import Dims, refused
from twinflow._src.ops.conv.checks import check_padding, outer, spatial, spatial_pads
from twinflow._src.ops.conv.shapes import placed, windowed, windowed_all
from twinflow._src.shape_rules.demands import merged, ranked


def _checked(wanted: str, what: str, values: Sequence[int], count: int) -> None:
    if len(values) != count:
        raise refused(
            f"{wanted} the {what} attribute to contain {count} values, but got: {len(values)}"
        )


def average_shape(
    value: Dims | None, *, ksize: Any, strides: Any, padding: str, data_format: str = "NHWC"
) -> Dims:
    """The shape of means of windows over images."""
    x = ranked(value, 4)
    _checked("AvgPool requires", "stride", strides, 4)
    _checked("AvgPool requires", "ksize", ksize, 4)
    batch, channel = outer(data_format)
    steps = spatial(strides, data_format)
    space = windowed_all(spatial(x, data_format), spatial(ksize, data_format), steps, padding)
    return placed(data_format, x[batch], space, x[channel])


def max_pool_shape(
    input: Dims | None,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
) -> Dims:
    """The shape of the largest elements of windows over images."""
    x = ranked(input, 4)
    _checked("MaxPool requires", "stride", strides, 4)
    _checked("MaxPool requires", "ksize", ksize, 4)
    check_padding(padding, explicit_paddings, data_format, strict=True)
    batch, channel = outer(data_format)
    space = windowed_all(
        spatial(x, data_format),
        spatial(ksize, data_format),
        spatial(strides, data_format),
        padding,
        pads=spatial_pads(padding, explicit_paddings, data_format),
    )
    depth = windowed(x[channel], ksize[channel], strides[channel], padding)
    return placed(data_format, x[batch], space, depth)


def argmax_shape(input: Dims | None, *, ksize: Any, **attrs: Any) -> list[Dims]:
    """The rule of max pooling that also gives places."""
    for size in ksize:
        if size < 1:
            raise refused(f"ksize must be a positive int32 value, got:{size}")
    shape = max_pool_shape(input, ksize=ksize, **_windows(attrs))
    return [shape, shape]


def _windows(attrs: dict[str, Any]) -> dict[str, Any]:
    return {name: attrs[name] for name in ("strides", "padding")}


def volume_shape(
    input: Dims | None, *, ksize: Any, strides: Any, padding: str, data_format: str = "NDHWC"
) -> Dims:
    """The shape of pooling over volumes."""
    x = ranked(input, 5)
    _checked("Pool3D ops require", "stride", strides, 5)
    _checked("Pool3D requires", "ksize", ksize, 5)
    batch, channel = outer(data_format)
    steps = spatial(strides, data_format)
    space = windowed_all(spatial(x, data_format), spatial(ksize, data_format), steps, padding)
    return placed(data_format, x[batch], space, x[channel])


# ------------------------------------------------------------------ adjoints


def argmax_grad_grad_shape(
    input: Dims | None, derivative: Dims | None, places: Dims | None, *, ksize: Any, **attrs: Any
) -> Dims:
    """The rule of the adjoint of the derivative of max pooling from known places."""
    shape = max_pool_shape(input, ksize=ksize, **_windows(attrs))
    merged(input, derivative)
    merged(places, shape)
    return shape


def of_pooled(pooled: Callable[..., Dims]) -> Callable[..., Dims]:
    """The rule of an adjoint's adjoint: the shape of pooling, which that of the output must be.

    Args:
        pooled: The rule of the pooling.
    """

    def rule(
        input: Dims | None, output: Dims | None, derivative: Dims | None, **attrs: Any
    ) -> Dims:
        shape = pooled(input, **attrs)
        merged(input, derivative)
        merged(output, shape)
        return shape

    return rule
