"""Colour spaces and adjustments of hue, saturation and contrast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import (
    REALS,
    float16,
    float32,
)
from twinflow._src.core.errors import FailedPreconditionError, invalid
from twinflow._src.core.shapes import Dims, refused, text
from twinflow._src.dispatch.op import API, Call, Kind, documented_like, op
from twinflow._src.ops.conv.geometry import by_images
from twinflow._src.ops.nn.basics import wide
from twinflow._src.shape_rules.demands import at_least

_Images = Annotated[Any, Kind("T", default=float32, allowed=REALS)]
_Scalar = Annotated[Any, Kind("float", only=float32, host=True)]
_SHORT = frozenset((float16, float32))


def _by_pixels(xp: Any, function: Any, images: Any) -> Any:
    """Applies a function of red, green and blue arrays, which returns three arrays, to images."""

    def work(part: Any) -> Any:
        result = xp.empty(part.shape, part.dtype)
        planes = [xp.ascontiguousarray(part[..., i]) for i in range(3)]
        with np.errstate(all="ignore"):
            for i, plane in enumerate(function(*planes)):
                result[..., i] = plane
        return result

    flat = images.reshape(-1, 3)
    return by_images(xp, work, flat).reshape(images.shape)


# ------------------------------------------------------------------ hue, saturation, value


def _three_channels(images: Dims | None, *_: Any, **__: Any) -> Dims | None:
    dims = at_least(images, 1)
    if dims is None:
        return None
    if dims[-1] not in (3, None):
        raise refused(f"Dimension must be 3 but is {dims[-1]}")
    return (*dims[:-1], 3)


def _check_pixels(images: Any) -> None:
    if images.ndim < 1:
        raise invalid(f"input must be at least 1D{text(images.shape)}")
    if images.shape[-1] != 3:
        raise FailedPreconditionError(
            None,
            None,
            f"input must have 3 channels but input only has {images.shape[-1]} channels.",
        )


@op("RGBToHSV", api="image.rgb_to_hsv", shape=_three_channels, dtypes=REALS)
def rgb_to_hsv(xp: Any, images: _Images) -> Any:
    """Converts images from red, green and blue to hue, saturation and value.

    Args:
        images: A floating-point tensor with three channels in the last dimension, in [0, 1].

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        FailedPreconditionError: There are not three channels.
    """
    _check_pixels(images)

    def convert(r: Any, g: Any, b: Any) -> Any:
        number = r.dtype.type
        value = xp.maximum(xp.maximum(r, g), b)
        spread = value - xp.minimum(r, xp.minimum(g, b))
        saturation = xp.where(value > 0, spread / value, number(0))
        norm = (number(1) / spread) * number(1 / 6)
        rest = xp.where(g == value, norm * (b - r) + number(2 / 6), norm * (r - g) + number(4 / 6))
        hue = xp.where(r == value, norm * (g - b), rest)
        hue = xp.where(spread > 0, hue, number(0))
        return xp.where(hue < 0, hue + number(1), hue), saturation, value

    return _by_pixels(xp, convert, images)


@op("HSVToRGB", api="image.hsv_to_rgb", shape=_three_channels, dtypes=REALS, no_gradient=True)
@documented_like(rgb_to_hsv)
def hsv_to_rgb(xp: Any, images: _Images) -> Any:
    """Converts images from hue, saturation and value to red, green and blue."""
    _check_pixels(images)

    def convert(hue: Any, saturation: Any, value: Any) -> Any:
        number = hue.dtype.type
        turned = hue * number(6)
        less = number(1) - saturation
        parts = (
            xp.abs(turned - number(3)) - number(1),
            number(2) - xp.abs(turned - number(2)),
            number(2) - xp.abs(turned - number(4)),
        )
        return [(less + saturation * xp.clip(p, number(0), number(1))) * value for p in parts]

    return _by_pixels(xp, convert, images)


@rgb_to_hsv.gradient
def _(call: Call, dy: Any) -> Any:
    """Differentiates value, saturation and hue by each colour; colours that are not positive do not saturate."""
    rgb, hsv = call.inputs[0], call.outputs
    cast, no_nan = API["cast"], API["math.divide_no_nan"]
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    value, saturation = hsv[..., 2], hsv[..., 1]
    as_number = lambda condition: cast(condition, rgb.dtype)
    above = lambda a, b, c: as_number((a >= b) & (a >= c))
    # which colour is the largest, and which the smallest; ties go to the colour that comes first
    top_red = above(red, blue, green)
    top_green = as_number((green > red) & (green >= blue))
    top_blue = as_number((blue > red) & (blue > green))
    # of the smallest to the one that comes last
    low_blue = as_number((blue <= red) & (blue <= green))
    low_green = as_number((green <= red) & (green < blue))
    low_red = as_number((red < blue) & (red < green))
    colors, lows = (red, green, blue), (low_red, low_green, low_blue)
    value_slopes = (top_red, top_green, top_blue)
    least = red * low_red + green * low_green + blue * low_blue
    by_top = no_nan(least, value * value)
    by_low = no_nan(API["ones_like"](value), value)
    saturation_slopes = [
        as_number(color > 0) * (top * by_top - low * by_low)
        for color, top, low in zip(colors, value_slopes, lows)
    ]
    hue_slopes = _hue_slopes(colors, value_slopes, saturation * value, lows, no_nan)
    parts = [
        dy[..., 2] * v + dy[..., 1] * s + dy[..., 0] * h
        for v, s, h in zip(value_slopes, saturation_slopes, hue_slopes)
    ]
    return API["stack"](parts, axis=-1)


def _hue_slopes(colors: Any, tops: Any, spread: Any, lows: Any, no_nan: Any) -> list[Any]:
    """Returns the derivatives of the hue by each colour."""
    # Where colour i is the largest, the hue is (next - one after) / spread / 6 and a constant.
    sixth = no_nan(API["ones_like"](spread), spread * 6)
    slopes: list[Any] = [0.0, 0.0, 0.0]
    for i, top in enumerate(tops):
        second, third = (i + 1) % 3, (i + 2) % 3
        difference = no_nan(colors[second] - colors[third], spread * spread * 6)
        for k in range(3):
            own_part = sixth if k == second else -sixth if k == third else 0.0
            by_spread = difference * (tops[k] - lows[k])
            slopes[k] = slopes[k] + top * (own_part - by_spread)
    return slopes


# ------------------------------------------------------------------ adjustments


def _adjusted_shape(images: Dims | None, *_: Any, **__: Any) -> Dims | None:
    return at_least(images, 3)


def _check_adjusted(images: Any, factor: Any, name: str, channels: int | None = 3) -> None:
    if images.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{text(images.shape)}")
    if factor.ndim:
        raise invalid(f"{name} must be scalar: {text(factor.shape)}")
    if channels is not None and images.shape[-1] != channels:
        raise invalid(
            f"input must have {channels} channels but instead has {images.shape[-1]} channels."
        )


@op("AdjustHue", shape=_adjusted_shape, dtypes=_SHORT)
def adjust_hue(xp: Any, images: _Images, delta: _Scalar) -> Any:
    """Turns the hue of images."""
    _check_adjusted(images, delta, "delta")
    turn = xp.float32(np.float32(delta) * np.float32(6))

    def adjust(r: Any, g: Any, b: Any) -> Any:
        low, high = xp.minimum(xp.minimum(r, g), b), xp.maximum(xp.maximum(r, g), b)
        middle = xp.maximum(xp.minimum(r, g), xp.minimum(xp.maximum(r, g), b))
        one, six, sectors = xp.float32(1), xp.float32(6), np.arange(6, dtype=np.uint8)
        sector = xp.where(
            r < g,
            xp.where(b < r, sectors[1], xp.where(b > g, sectors[3], sectors[2])),
            xp.where(b < g, sectors[0], xp.where(b > r, sectors[4], sectors[5])),
        )
        spread = high - low
        ratio = (middle - low) / spread
        ratio = xp.where(sector & sectors[1], one - ratio, ratio)
        ratio += sector
        ratio[high == low] = 0
        hue = ratio + turn
        hue = xp.where(hue < 0, hue + six, hue)
        hue = xp.where(hue >= six, hue - six, hue)
        # NaN is sector 0
        sector = xp.fmin(xp.fmax(hue, xp.float32(0)), xp.float32(5)).astype("uint8")
        ratio = hue - sector
        ratio = xp.where(sector & sectors[1], one - ratio, ratio)
        middle = low + ratio * spread
        return _by_sector(xp, sector, (high, middle, low))

    return _by_pixels(xp, adjust, wide(xp, images)).astype(images.dtype, copy=False)


# By colour, for each sixth of the circle: the largest level (0), the one between, or the smallest.
_LEVELS = ((0, 1, 2, 2, 1, 0, 2), (1, 0, 0, 1, 2, 2, 2), (2, 2, 1, 0, 0, 1, 2))


def _by_sector(xp: Any, sector: Any, levels: Sequence[Any]) -> list[Any]:
    """Returns the three colours of pixels: the level of each in the pixel's sector."""
    high, middle, low = levels
    orders = [xp.asarray(order, "uint8").take(sector) for order in _LEVELS]
    return [xp.where(k == 0, high, xp.where(k == 1, middle, low)) for k in orders]


@op("AdjustSaturation", shape=_adjusted_shape, dtypes=_SHORT)
def adjust_saturation(xp: Any, images: _Images, scale: _Scalar) -> Any:
    """Multiplies the saturation of images."""
    _check_adjusted(images, scale, "scale")
    factor, f = xp.float32(scale), xp.float32

    def adjust(r: Any, g: Any, b: Any) -> Any:
        value = xp.maximum(r, xp.maximum(g, b))
        spread = value - xp.minimum(r, xp.minimum(g, b))
        saturation = xp.where(value > 0, spread / value, f(0))
        norm = f(1) / (f(6) * spread)
        offset = lambda part, sixths: (part.astype("float64") + sixths / 6.0).astype("float32")
        rest = xp.where(g == value, offset(norm * (b - r), 2.0), offset(norm * (r - g), 4.0))
        hue = xp.where(r == value, norm * (g - b), rest)
        hue = xp.where(spread <= 0, f(0), hue)
        hue = xp.where(hue < 0, hue + f(1), hue)
        saturation = xp.minimum(f(1), xp.maximum(f(0), saturation * factor))
        chroma = saturation * value
        least, turned = value - chroma, hue * f(6)
        sector = xp.fmin(xp.fmax(turned, f(0)), f(6)).astype("uint8")  # NaN is sector 0
        even = turned - f(2) * xp.floor(turned / f(2))
        middle = chroma * (f(1) - xp.abs(even - f(1)))
        return _by_sector(xp, sector, (chroma + least, middle + least, least))

    return _by_pixels(xp, adjust, wide(xp, images)).astype(images.dtype, copy=False)


def _mean_of_image(xp: Any, x: Any) -> Any:
    """Returns the means over pixels, summed by halves as in TensorFlow: (batch, 1, channels)."""
    count, size = x.shape[1], x.shape[1]
    while size > 1:
        half = size // 2
        first = size - half
        total = x[:, :first].copy()
        total[:, :half] += x[:, first:size]
        x, size = total, first
    return x[:, :1] * (x.dtype.type(1) / x.dtype.type(count))


@op("AdjustContrastv2", shape=_adjusted_shape, dtypes=_SHORT)
def adjust_contrast_v2(xp: Any, images: _Images, contrast_factor: _Scalar) -> Any:
    """Scales the differences of images from their means."""
    _check_adjusted(images, contrast_factor, "contrast_factor", None)
    if not images.size:
        return images.copy()
    factor = xp.float32(contrast_factor)
    flat = images.reshape(-1, images.shape[-3] * images.shape[-2], images.shape[-1])

    def adjust(part: Any) -> Any:
        part = wide(xp, part)
        mean = _mean_of_image(xp, part)
        result = (part - mean) * factor
        result += mean
        return result.astype(images.dtype, copy=False)

    return by_images(xp, adjust, flat).reshape(images.shape)
