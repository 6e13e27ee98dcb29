"""Morphological dilation and erosion of images."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import ORDERED
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, documented, export, op
from twinflow._src.ops.conv.geometry import TEXTS, unimplemented
from twinflow._src.shape_rules.demands import merged_size, ranked

_HOST = ("CPU",)


def _sizes(size: int, window: int, stride: int, rate: int, padding: str) -> tuple[int, int]:
    """Returns the number of windows along a dimension, and the padding before it."""
    reach = (window - 1) * rate + 1
    if padding == "VALID":
        return max(-(-(size - reach + 1) // stride), 0), 0
    count = -(-size // stride)
    return count, max((count - 1) * stride + reach - size, 0) // 2


def _plan(
    image: Any, window: Any, strides: Any, rates: Any, padding: str
) -> tuple[list[int], list[int]]:
    if len(image) != 4:
        raise invalid(f"input must be 4-dimensional{text(image)}")
    if len(window) != 3:
        raise invalid(f"filter must be 3-dimensional: {text(window)}")
    if image[3] != window[2]:
        raise invalid(f"input and filter must have the same depth: {image[3]} vs {window[2]}")
    if len(rates) != 4:
        raise invalid("Input stride (atrous rate) field must specify 4 dimensions")
    for steps, what in ((strides, "Stride"), (rates, "Rate")):
        if steps[0] != 1 or steps[3] != 1:
            raise unimplemented(f"{what} is only supported across spatial dimensions.")
    pairs = [_sizes(image[i], window[i - 1], strides[i], rates[i], padding) for i in (1, 2)]
    return [n for n, _ in pairs], [before for _, before in pairs]


def _dilated(image: Any, window: Any, strides: Any, rates: Any, padding: str) -> Any:
    if image is not None and window is not None and None not in (*image, *window):
        counts, _ = _plan(image, window, strides, rates, padding)
        return (image[0], *counts, image[3])
    image, window = ranked(image, 4), ranked(window, 3)
    if None in (*image[1:3], *window[:2]):
        return (image[0], None, None, window[2])
    merged_size(image[3], window[2])
    pairs = (_sizes(image[i], window[i - 1], strides[i], rates[i], padding) for i in (1, 2))
    return (image[0], *(count for count, _ in pairs), window[2])


def _places(
    image: Any, window: Any, strides: Any, rates: Any, padding: str, step: tuple[int, int]
) -> tuple[Any, ...]:
    """Returns the pixel indices for one window offset (clipped), and a mask of those in bounds."""
    counts, before = _plan(image.shape, window.shape, strides, rates, padding)
    rows, columns = (
        np.arange(counts[i]) * strides[i + 1] - before[i] + step[i] * rates[i + 1] for i in (0, 1)
    )
    inside = ((rows >= 0) & (rows < image.shape[1]))[:, None] & (
        (columns >= 0) & (columns < image.shape[2])
    )
    clipped = np.clip(rows, 0, image.shape[1] - 1), np.clip(columns, 0, image.shape[2] - 1)
    return *clipped, inside


def _largest(image: Any, window: Any, strides: Any, rates: Any, padding: str) -> tuple[Any, Any]:
    """Returns the maxima of the sums, and the flat window offset of each."""
    shape = _dilated(image.shape, window.shape, strides, rates, padding)
    kind = image.dtype.kind
    lowest = np.iinfo(image.dtype).min if kind in "iu" else -np.inf
    best, which = np.full(shape, lowest).astype(image.dtype), np.zeros(shape, np.int64)
    if not math.prod(shape):
        return best, which
    for k, step in enumerate(np.ndindex(*window.shape[:2])):
        rows, columns, inside = _places(image, window, strides, rates, padding, step)
        sums = image[:, rows[:, None], columns] + window[step]
        better = (sums > best) & inside[None, :, :, None]
        best, which = np.where(better, sums, best), np.where(better, k, which)
    return best.astype(image.dtype), which


def _find_max_offsets(image: Any, window: Any, slopes: Any, *options: Any) -> Any:
    """Returns the flat window offset of each maximum; validates the shape of the gradient."""
    _, which = _largest(image, window, *options)
    if slopes.shape != which.shape:
        raise invalid("out_backprop has incompatible size.")
    return which


@op("Dilation2D", shape=_dilated, dtypes=ORDERED, devices=_HOST)
def dilation2d_op(
    xp: Any, input: Any, filter: Any, *, strides: Any, rates: Any, padding: str
) -> Any:
    """Computes the grayscale dilation of images: the maximum of image plus filter over a window."""
    return _largest(input, filter, strides, rates, padding)[0]


@dilation2d_op.gradient
def _(call: Call, dy: Any) -> Any:
    image, window = call.inputs
    return (
        _backprop_input(image, window, dy, **call.attrs),
        _backprop_filter(image, window, dy, **call.attrs),
    )


@op(
    "Dilation2DBackpropInput",
    shape=lambda image, *_, **__: image,
    dtypes=ORDERED,
    devices=_HOST,
)
def _backprop_input(
    xp: Any,
    input: Any,
    filter: Any,
    out_backprop: Any,
    *,
    strides: Any,
    rates: Any,
    padding: str,
) -> Any:
    """Computes the gradient of a dilation with respect to its images."""
    which = _find_max_offsets(input, filter, out_backprop, strides, rates, padding)
    result = np.zeros_like(input)
    for k, step in enumerate(np.ndindex(*filter.shape[:2])):
        rows, columns, inside = _places(input, filter, strides, rates, padding, step)
        part = np.where((which == k) & inside[None, :, :, None], out_backprop, 0)
        where: Any = (slice(None), rows[:, None], columns)
        np.add.at(result, where, part.astype(input.dtype))
    return result


@op(
    "Dilation2DBackpropFilter",
    shape=lambda image, window, *_, **__: window,
    dtypes=ORDERED,
    devices=_HOST,
)
def _backprop_filter(
    xp: Any,
    input: Any,
    filter: Any,
    out_backprop: Any,
    *,
    strides: Any,
    rates: Any,
    padding: str,
) -> Any:
    """Computes the gradient of a dilation with respect to its filter."""
    which = _find_max_offsets(input, filter, out_backprop, strides, rates, padding)
    result = np.zeros_like(filter)
    for k, step in enumerate(np.ndindex(*filter.shape[:2])):
        part = np.where(which == k, out_backprop, 0)
        result[step] = part.reshape(-1, filter.shape[2]).sum(axis=0)
    return result


def _replace_none(numbers: Any) -> Any:
    """Returns an empty list for None, so that the op's kernel raises the error."""
    return [] if numbers is None else numbers


def _options(strides: Any, padding: str, data_format: str, dilations: Any) -> dict[str, Any]:
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other than 'NHWC' are not supported. Received: "
            f"data_format={data_format}"
        )
    return {
        "strides": _replace_none(strides),
        "rates": _replace_none(dilations),
        "padding": padding,
    }


@export("nn.dilation2d")
@documented(
    TEXTS,
    "Computes the grayscale dilation of images: the maximum of image plus filter over a window.",
    "A tensor of images.",
    {
        "ValueError": 'The data format is not ``"NHWC"``.',
        "InvalidArgumentError": "The numbers of channels differ.",
    },
    filters="The filter, a tensor of shape (height, width, channels).",
    padding='``"VALID"`` or ``"SAME"``.',
    dilations="The dilation rates, four integers.",
)
def dilation2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Any:
    return dilation2d_op(input, filters, **_options(strides, padding, data_format, dilations))


@export("nn.erosion2d")
@documented(
    TEXTS,
    "Computes the grayscale erosion of images: the minimum of image minus filter over a window.",
    "A tensor of images.",
    {
        "ValueError": 'The data format is not ``"NHWC"``.',
        "InvalidArgumentError": "The numbers of channels differ.",
    },
    filters="The filter, a tensor of shape (height, width, channels).",
    padding='``"VALID"`` or ``"SAME"``.',
    dilations="The dilation rates, four integers.",
)
def erosion2d(
    value: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str,
    dilations: Any,
    name: str | None = None,
) -> Any:
    options = _options(strides, padding, data_format, dilations)
    turned = API["reverse"](filters, [0, 1])
    return API["negative"](dilation2d_op(API["negative"](value), turned, **options))
