"""Colour spaces and adjustments of hue, saturation and contrast."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np

from twinflow._src.backends.cpu.elementwise import bounds
from twinflow._src.backends.cpu.native import TAKES_SECOND_ZERO, NativeLoop
from twinflow._src.backends.cpu.parallel import all_cores, shared
from twinflow._src.core.dtypes import (
    REALS,
    float16,
    float32,
)
from twinflow._src.core.errors import FailedPreconditionError, invalid
from twinflow._src.core.shapes import Dims, refused, text
from twinflow._src.dispatch.op import API, Call, Kind, documented_like, op
from twinflow._src.ops.array.select import select_elements as select
from twinflow._src.ops.conv.geometry import by_images
from twinflow._src.ops.nn.basics import wide
from twinflow._src.shape_rules.demands import at_least

_Images = Annotated[Any, Kind("T", default=float32, allowed=REALS)]
_Scalar = Annotated[Any, Kind("float", only=float32, host=True)]
_SHORT = frozenset((float16, float32))
# Pixels per chunk on the host.
_PIXELS = 1 << 16
# A function of the array module, of red, green and blue arrays, and of scalars, which returns three arrays.
_Formula = Callable[..., Sequence[Any]]


def _by_pixels(xp: Any, formula: _Formula, images: Any, *scalars: Any) -> Any:
    """Applies a formula to images."""
    flat = images.reshape(-1, 3)
    loop = _LOOPS[formula] if xp is np and images.dtype.char == "f" else None
    if loop is not None and TAKES_SECOND_ZERO and loop.is_ready(images.size):
        return _by_pixels_natively(loop, flat, scalars).reshape(images.shape)
    result = xp.empty(flat.shape, flat.dtype)

    def work(span: tuple[int, int]) -> None:
        part = slice(*span)
        planes = [xp.ascontiguousarray(flat[part, i]) for i in range(3)]
        with np.errstate(all="ignore"):
            for i, plane in enumerate(formula(xp, *planes, *scalars)):
                result[part, i] = plane

    shared(work, bounds(len(flat), _PIXELS if xp is np else max(len(flat), 1)))
    return result.reshape(images.shape)


def _by_pixels_natively(loop: NativeLoop, flat: Any, scalars: Sequence[Any]) -> Any:
    """Applies a formula to pixels (pixels, 3) by a native loop."""
    flat, result = np.ascontiguousarray(flat), np.empty(flat.shape, np.float32)
    arrays = [flat, result, *(np.array(scalar, np.float32) for scalar in scalars)]
    shared(lambda span: loop(arrays, *span), bounds(len(flat), _PIXELS), all_cores())
    return result


def _pixel_body(formula: _Formula, ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    import twinflow._src.backends.cpu.llvm as llvm

    number = lambda value: ir.Constant(index.type, value)
    x, out, *scalars = pointers
    first = b.mul(index, number(3))
    load = lambda array, at: llvm.Register(b, b.load(b.gep(array, [at])))
    places = [b.add(first, number(i)) for i in range(3)]
    numbers = [load(x, at) for at in places] + [load(scalar, number(0)) for scalar in scalars]
    for at, color in zip(places, formula(llvm.RegisterNamespace(b), *numbers)):
        b.store(color.value, b.gep(out, [at]))


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
    return _by_pixels(xp, _hsv_of_rgb, images)


def _hsv_of_rgb(xp: Any, r: Any, g: Any, b: Any) -> Sequence[Any]:
    number = r.dtype.type
    value = xp.maximum(xp.maximum(r, g), b)
    spread = value - xp.minimum(r, xp.minimum(g, b))
    saturation = select(xp, value > 0, spread / value, number(0))
    norm = (number(1) / spread) * number(1 / 6)
    rest = select(xp, g == value, norm * (b - r) + number(2 / 6), norm * (r - g) + number(4 / 6))
    hue = select(xp, r == value, norm * (g - b), rest)
    hue = select(xp, spread > 0, hue, number(0))
    return select(xp, hue < 0, hue + number(1), hue), saturation, value


@op("HSVToRGB", api="image.hsv_to_rgb", shape=_three_channels, dtypes=REALS, no_gradient=True)
@documented_like(rgb_to_hsv)
def hsv_to_rgb(xp: Any, images: _Images) -> Any:
    """Converts images from hue, saturation and value to red, green and blue."""
    _check_pixels(images)
    return _by_pixels(xp, _rgb_of_hsv, images)


def _rgb_of_hsv(xp: Any, hue: Any, saturation: Any, value: Any) -> Sequence[Any]:
    number = hue.dtype.type
    turned = hue * number(6)
    less = number(1) - saturation
    parts = (
        xp.abs(turned - number(3)) - number(1),
        number(2) - xp.abs(turned - number(2)),
        number(2) - xp.abs(turned - number(4)),
    )
    return [(less + saturation * xp.clip(p, number(0), number(1))) * value for p in parts]


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
    return _by_pixels(xp, _turn_hue, wide(xp, images), turn).astype(images.dtype, copy=False)


def _turn_hue(xp: Any, r: Any, g: Any, b: Any, turn: Any) -> Sequence[Any]:
    """Returns colours whose hue is moved by a number of sectors, of which there are six."""
    f = np.float32
    low, high = xp.minimum(xp.minimum(r, g), b), xp.maximum(xp.maximum(r, g), b)
    middle = xp.maximum(xp.minimum(r, g), xp.minimum(xp.maximum(r, g), b))
    sector = select(
        xp,
        r < g,
        select(xp, b < r, f(1), select(xp, b > g, f(3), f(2))),
        select(xp, b < g, f(0), select(xp, b > r, f(4), f(5))),
    )
    spread = high - low
    ratio = (middle - low) / spread
    ratio = select(xp, _is_odd(sector), f(1) - ratio, ratio) + sector
    hue = select(xp, high == low, f(0), ratio) + turn
    hue = select(xp, hue < f(0), hue + f(6), hue)
    hue = select(xp, hue >= f(6), hue - f(6), hue)
    sector = xp.floor(xp.fmin(xp.fmax(hue, f(0)), f(5)))  # NaN is sector 0
    ratio = hue - sector
    ratio = select(xp, _is_odd(sector), f(1) - ratio, ratio)
    return _by_sector(xp, sector, (high, low + ratio * spread, low))


def _is_odd(sector: Any) -> Any:
    return (sector == 1) | (sector == 3) | (sector == 5)


def _by_sector(xp: Any, sector: Any, levels: Sequence[Any]) -> Sequence[Any]:
    """Returns the colours of pixels: the level of each in the sector; sector 6 has the lowest one."""
    high, middle, low = levels
    second, third, fourth, fifth, sixth, last = (sector >= i for i in range(1, 7))
    return (
        select(
            xp, ~second | (sixth & ~last), high, select(xp, (third & ~fifth) | last, low, middle)
        ),
        select(xp, fifth, low, select(xp, second & ~fourth, high, middle)),
        select(xp, ~third | last, low, select(xp, fourth & ~sixth, high, middle)),
    )


@op("AdjustSaturation", shape=_adjusted_shape, dtypes=_SHORT)
def adjust_saturation(xp: Any, images: _Images, scale: _Scalar) -> Any:
    """Multiplies the saturation of images."""
    _check_adjusted(images, scale, "scale")
    result = _by_pixels(xp, _scale_saturation, wide(xp, images), xp.float32(scale))
    return result.astype(images.dtype, copy=False)


def _scale_saturation(xp: Any, r: Any, g: Any, b: Any, factor: Any) -> Sequence[Any]:
    """Returns colours whose saturation is multiplied."""
    f = np.float32
    value = xp.maximum(r, xp.maximum(g, b))
    spread = value - xp.minimum(r, xp.minimum(g, b))
    saturation = select(xp, value > 0, spread / value, f(0))
    norm = f(1) / (f(6) * spread)
    offset = lambda part, sixths: (part.astype("float64") + sixths / 6.0).astype("float32")
    rest = select(xp, g == value, offset(norm * (b - r), 2.0), offset(norm * (r - g), 4.0))
    hue = select(xp, r == value, norm * (g - b), rest)
    hue = select(xp, spread <= 0, f(0), hue)
    hue = select(xp, hue < 0, hue + f(1), hue)
    saturation = xp.minimum(f(1), xp.maximum(f(0), saturation * factor))
    chroma = saturation * value
    least, turned = value - chroma, hue * f(6)
    sector = xp.floor(xp.fmin(xp.fmax(turned, f(0)), f(6)))  # NaN is sector 0
    even = turned - f(2) * xp.floor(turned / f(2))
    middle = chroma * (f(1) - xp.abs(even - f(1)))
    return _by_sector(xp, sector, (chroma + least, middle + least, least))


_LOOPS = {
    formula: NativeLoop(("f4",) * (2 + scalars), functools.partial(_pixel_body, formula))
    for formula, scalars in (
        (_hsv_of_rgb, 0),
        (_rgb_of_hsv, 0),
        (_turn_hue, 1),
        (_scale_saturation, 1),
    )
}


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
    factor, width = xp.float32(contrast_factor), images.shape[-2]
    flat = images.reshape(-1, images.shape[-3] * images.shape[-2], images.shape[-1])

    def adjust(part: Any) -> Any:
        part = wide(xp, part)
        mean = xp.tile(_mean_of_image(xp, part), (1, 1, width))  # long rows: a short axis is slow
        result = part.reshape(len(part), images.shape[-3], mean.shape[2]) - mean
        result *= factor
        result += mean
        result = result.reshape(part.shape)
        return result.astype(images.dtype, copy=False)

    return by_images(xp, adjust, flat).reshape(images.shape)


for function in (rgb_to_hsv, hsv_to_rgb, adjust_hue, adjust_saturation, adjust_contrast_v2):
    function.batched(lambda call: call.first())
