"""Projective transforms of images, for preprocessing layers (rotation, translation, zoom)."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import bfloat16, float16, float32, float64, int32, int64, uint8
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, text
from twinflow._src.dispatch.op import API, OPS, Call, Kind, op
from twinflow._src.ops.conv.geometry import by_images
from twinflow._src.shape_rules.demands import ranked

_TYPES = frozenset((uint8, int32, int64, float16, bfloat16, float32, float64))
_Transforms = Annotated[Any, Kind("float", only=float32)]
_Size = Annotated[Any, Kind("int32", only=int32, host=True)]
_Fill = Annotated[Any, Kind("fill", only=float32, host=True)]
_MODES = ("CONSTANT", "REFLECT", "WRAP", "NEAREST")


def _rule(images: Dims | None, transforms: Any, size: Any, *_: Any, **__: Any) -> Dims:
    dims = ranked(images, 4)
    known_size = (
        size.tolist() if isinstance(size, np.ndarray) and size.shape == (2,) else (None, None)
    )
    return (dims[0], *known_size, dims[3])


def _check(images: Any, transforms: Any, size: Any, interpolation: str, mode: str) -> None:
    if images.ndim != 4:
        raise invalid("Input images must have rank 4")
    if transforms.ndim != 2 or transforms.shape[1] != 8 or len(transforms) not in (1, len(images)):
        raise invalid("Input transform should be num_images x 8 or 1 x 8")
    if size.ndim != 1:
        raise invalid(f"output shape must be 1-dimensional{text(size.shape)}")
    if len(size) != 2:
        raise invalid(f"output shape must have two elements{text(size.shape)}")
    if (size <= 0).any():
        raise invalid("output dimensions must be positive")
    if interpolation not in ("NEAREST", "BILINEAR"):
        raise invalid(f"Invalid interpolation {interpolation}. Supported types: NEAREST, BILINEAR")
    if mode not in _MODES:
        raise invalid(f"Invalid mode {mode}. Supported types: {', '.join(_MODES)}")


def _mapped(xp: Any, position: Any, length: int, mode: str) -> Any:
    """Maps coordinates outside an image to coordinates inside it, by the fill mode."""
    if mode == "CONSTANT":
        return position
    one = xp.float32(1)
    if mode != "NEAREST" and length <= 1:
        position = xp.where((position < 0) | (position > length - 1), 0 * one, position)
    elif mode == "REFLECT":
        twice = xp.float32(2 * length)
        below = xp.where(position < twice, twice * xp.trunc(-position / twice) + position, position)
        below = xp.where(below < -length, below + twice, -below - one)
        above = position - twice * xp.trunc(position / twice)
        above = xp.where(above >= length, twice - above - one, above)
        position = xp.where(position < 0, below, xp.where(position > length - 1, above, position))
    elif mode == "WRAP":
        whole, less = xp.float32(length), xp.float32(length - 1)
        below = position + whole * (xp.trunc(-position / less) + one)
        above = position - whole * xp.trunc(position / less)
        position = xp.where(position < 0, below, xp.where(position > less, above, position))
    return position.clip(0, xp.float32(length - 1))


def _transformed(
    xp: Any, images: Any, transforms: Any, size: Any, fill: Any, interpolation: str, mode: str
) -> Any:
    _check(images, transforms, size, interpolation, mode)
    count, depth = len(images), images.shape[3]
    shape = (count, int(size[0]), int(size[1]), depth)
    kind = images.dtype
    filling = xp.asarray(
        fill.astype("int64").astype(kind) if kind.kind in "iu" else fill.astype(kind)
    )
    if not images.size:
        return xp.full(shape, filling, kind)
    transforms = xp.broadcast_to(transforms, (count, 8))
    work = lambda images, transforms: _sampled(
        xp, images, transforms, shape[1:3], filling, interpolation, mode
    )
    return by_images(xp, work, images, transforms)


def _sampled(
    xp: Any, images: Any, transforms: Any, size: Any, filling: Any, interpolation: str, mode: str
) -> Any:
    """Returns images at the positions of transformed pixels."""
    count, height, width, depth = images.shape
    kind = images.dtype
    y = xp.arange(size[0], dtype="float32")[:, None]
    x = xp.arange(size[1], dtype="float32")
    a, b, c, d, e, f, g, h = (transforms[:, i, None, None] for i in range(8))
    with np.errstate(all="ignore"):
        projection = g * x + h * y + xp.float32(1)
        flat = projection == 0
        projection[flat] = 1
        across = _mapped(xp, (a * x + b * y + c) / projection, width, mode)
        down = _mapped(xp, (d * x + e * y + f) / projection, height, mode)
        pixels = images.reshape(-1, depth)
        first = (xp.arange(count) * (height * width))[:, None, None]

        def read(rows: Any, columns: Any) -> Any:
            outside = ~((rows >= 0) & (rows < height) & (columns >= 0) & (columns < width))
            index = first + (rows * xp.float64(width) + columns).astype("int64")
            index[outside] = 0
            values = pixels.take(index, 0)
            values[outside] = filling
            return values

        if interpolation == "NEAREST":
            half = xp.float32(0.5)
            nearest = (xp.copysign(xp.floor(xp.abs(v) + half), v) for v in (down, across))
            result = read(*nearest)
        else:
            top, left = xp.floor(down), xp.floor(across)
            bottom, right = top + xp.float32(1), left + xp.float32(1)
            wide = lambda rows, columns: read(rows, columns).astype("float32", copy=False)
            lefts, rights = (right - across)[..., None], (across - left)[..., None]
            upper = lefts * wide(top, left) + rights * wide(top, right)
            lower = lefts * wide(bottom, left) + rights * wide(bottom, right)
            result = (bottom - down)[..., None] * upper + (down - top)[..., None] * lower
            result = result.astype(kind, copy=False)
        result[flat] = filling
        return result


@op("ImageProjectiveTransformV2", shape=_rule, dtypes=_TYPES)
def image_projective_transform_v2(
    xp: Any,
    images: Any,
    transforms: _Transforms,
    output_shape: _Size,
    *,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Any:
    """Applies projective transforms to images, with zero fill."""
    fill = np.float32(0)
    return _transformed(xp, images, transforms, output_shape, fill, interpolation, fill_mode)


@op("ImageProjectiveTransformV3", shape=_rule, dtypes=_TYPES)
def image_projective_transform_v3(
    xp: Any,
    images: Any,
    transforms: _Transforms,
    output_shape: _Size,
    fill_value: _Fill,
    *,
    interpolation: str,
    fill_mode: str = "CONSTANT",
) -> Any:
    """Applies projective transforms to images."""
    if fill_value.ndim:
        raise invalid(f"fill_value must be a scalar{text(fill_value.shape)}")
    return _transformed(xp, images, transforms, output_shape, fill_value, interpolation, fill_mode)


def _gradient(call: Call, dy: Any) -> list[Any]:
    """Transforms the upstream gradient by the inverse transforms, as TensorFlow does."""
    # Gradients of several outputs that read the same pixel are not accumulated.
    images, transforms = call.inputs[:2]
    ones = API["ones"]([API["shape"](transforms)[0], 1], float32)
    matrices = API["reshape"](API["concat"]([transforms, ones], 1), [-1, 3, 3])
    inverse = API["reshape"](API["linalg.inv"](matrices), [-1, 9])
    dx = OPS["ImageProjectiveTransformV3"].public(
        dy, inverse[:, :8] / inverse[:, 8:], API["shape"](images)[1:3], 0.0, **call.attrs
    )
    return [dx, *[None] * (len(call.inputs) - 1)]


image_projective_transform_v2.gradient(_gradient)
image_projective_transform_v3.gradient(_gradient)
