"""Resizing by sampling kernels that widen where images shrink (antialiasing), with offsets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import float32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims
from twinflow._src.dispatch.op import OPS, Call, op
from twinflow._src.numerics.libmf import sincosf
from twinflow._src.ops.conv.geometry import by_images
from twinflow._src.ops.image.resize import RESIZABLE
from twinflow._src.ops.image.sampling import (
    HostFloats,
    SizePair,
    Taps,
    check_images,
    check_output,
    check_sizes,
    flatten,
    resized_shape,
    scatter_taps,
    sum_columns,
    sum_rows,
)
from twinflow._src.shape_rules.demands import ranked

_F = np.float32


# ------------------------------------------------------------------ kernels of distances


def _lanczos(radius: float) -> Callable[[Any], Any]:
    def kernel(x: Any) -> Any:
        pi, size = _F(3.14159265359), _F(radius)
        inner = np.where((x <= _F(1e-3)) | (x > size), _F(1), x)
        sines = sincosf(np, pi * inner)[0] * size * sincosf(np, pi * inner / size)[0]
        value = sines / (pi * pi * inner * inner)
        return np.where(x > size, _F(0), np.where(x <= _F(1e-3), _F(1), value))

    return kernel


def _gaussian(x: Any) -> Any:
    sigma = _F(1.5) / _F(3)
    exponent = -x * x / (_F(2) * sigma * sigma)
    value = np.exp(exponent.astype(np.float64)).astype(_F)
    return np.where(x >= _F(1.5), _F(0), value)


def _cubic(far: tuple[float, ...], near: tuple[float, ...]) -> Callable[[Any], Any]:
    """Returns a kernel of two cubic polynomials, with coefficients from the highest power on."""

    def polynomial(c: tuple[float, ...], x: Any) -> Any:
        return ((_F(c[0]) * x + _F(c[1])) * x + _F(c[2])) * x + _F(c[3])

    def kernel(x: Any) -> Any:
        inner = np.where(x >= _F(1), polynomial(far, x), polynomial(near, x))
        return np.where(x >= _F(2), _F(0), inner)

    return kernel


# By name: the radius in pixels, and the weight at a distance.
_KERNELS: dict[str, tuple[float, Callable[[Any], Any]]] = {
    "lanczos1": (1.0, _lanczos(1.0)),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, _gaussian),
    "box": (1.0, lambda x: np.where(x < _F(0.5), _F(1), np.where(x == _F(0.5), _F(0.5), _F(0)))),
    "triangle": (1.0, lambda x: np.where(x < _F(1), _F(1) - x, _F(0))),
    "keyscubic": (2.0, _cubic((-0.5, 2.5, -4.0, 2.0), (1.5, -2.5, 0.0, 1.0))),
    "mitchellcubic": (
        2.0,
        _cubic((-7 / 18, 2.0, -10 / 3, 16 / 9), (7 / 6, -2.0, 0.0, 8 / 9)),
    ),
}


def _taps(
    kernel_type: str, antialias: bool, inputs: int, outputs: int, scale: Any, offset: Any
) -> Taps:
    """Returns the input pixels within the kernel around each output pixel, and their weights."""
    radius, kernel = _KERNELS[kernel_type]
    inverse = _F(1) / _F(scale)
    width = max(inverse, _F(1)) if antialias else _F(1)
    reach = _F(radius) * width
    center = (np.arange(outputs, dtype=_F) + _F(0.5)) * inverse - inverse * _F(offset)
    inside = (center >= 0) & (center <= _F(inputs))
    center = np.where(inside, center, _F(0))
    first = np.clip(np.ceil(center - reach - _F(0.5)).astype(np.int64), 0, inputs - 1)
    last = np.clip(np.floor(center + reach - _F(0.5)).astype(np.int64), 0, inputs - 1)
    places = first[:, None] + np.arange(int((last - first).max()) + 1)
    distance = np.abs((places.astype(_F) + _F(0.5) - center[:, None]) * (_F(1) / width))
    weights = kernel(distance).astype(_F)
    weights = np.where((places <= last[:, None]) & inside[:, None], weights, _F(0))
    total = np.add.accumulate(weights, axis=1, dtype=_F)[:, -1:]
    usable = np.abs(total) >= _F(1000) * np.finfo(_F).tiny
    factor = np.where(usable, _F(1) / np.where(usable, total, _F(1)), _F(0))
    return Taps(np.minimum(places, inputs - 1), weights * factor)


def _both_taps(
    kernel_type: str, antialias: bool, inputs: Any, outputs: Any, scale: Any, translation: Any
) -> list[Taps]:
    if kernel_type not in _KERNELS:
        raise invalid(f"Unrecognized kernel type: {kernel_type}")
    for pair in (scale, translation):
        check_sizes(pair, "t")
    if not (scale > 0).all():
        raise invalid("Scale must be greater than zero.")
    with np.errstate(all="ignore"):
        return [
            _taps(kernel_type, antialias, *sides)
            for sides in zip(inputs, outputs, scale, translation)
        ]


# ------------------------------------------------------------------ ops


@op("ScaleAndTranslate", shape=resized_shape, dtypes=RESIZABLE, out=float32)
def scale_and_translate(
    xp: Any,
    images: Any,
    size: SizePair,
    scale: HostFloats,
    translation: HostFloats,
    *,
    kernel_type: str = "lanczos3",
    antialias: bool = True,
) -> Any:
    """Scales and translates images with a sampling kernel."""
    outputs = check_output(images, size, "output_shape_t")
    down, across = _both_taps(
        kernel_type, antialias, images.shape[1:3], outputs, scale, translation
    )

    def resized(part: Any) -> Any:
        rows = sum_rows(xp, flatten(part).astype("float32"), down)
        return sum_columns(xp, rows, images.shape[3], across).reshape(
            len(part), *outputs, images.shape[3]
        )

    return by_images(xp, resized, images)


def _original(grads: Any, image: Dims | None, *_: Any, **__: Any) -> Dims:
    return ranked(image, 4)


@op("ScaleAndTranslateGrad", shape=_original, dtypes=frozenset((float32,)))
def scale_and_translate_grad(
    xp: Any,
    grads: Any,
    original_image: Any,
    scale: HostFloats,
    translation: HostFloats,
    *,
    kernel_type: str = "lanczos3",
    antialias: bool = True,
) -> Any:
    """Computes the gradient of ``ScaleAndTranslate``."""
    check_images(grads, "input_grad")
    check_images(original_image, "original_image")
    height, width = original_image.shape[1:3]
    if not (grads.size and original_image.size):
        return xp.zeros((len(grads), height, width, grads.shape[3]), grads.dtype)
    down, across = _both_taps(
        kernel_type, antialias, (height, width), grads.shape[1:3], scale, translation
    )
    return scatter_taps(xp, grads, down, across, (height, width))


@scale_and_translate.gradient(reads=("scale", "translation"))
def _(call: Call, dy: Any) -> Any:
    image, _, scale, translation = call.inputs
    if image.dtype is not float32:
        return None, None, None, None
    dx = OPS["ScaleAndTranslateGrad"].public(dy, image, scale, translation, **call.attrs)
    return dx, None, None, None
