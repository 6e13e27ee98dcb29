"""Resizing of images by the nearest pixel, linear and cubic interpolation, and areas."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.native import NativeLoop
from twinflow._src.core.dtypes import (
    REALS,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
)
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, refused
from twinflow._src.dispatch.op import API, OPS, Call, op
from twinflow._src.ops.conv.geometry import by_images
from twinflow._src.ops.image.native_sampling import bilinear_loop, interpolate
from twinflow._src.ops.image.sampling import (
    Floats,
    SizePair,
    Taps,
    check_images,
    check_output,
    check_sizes,
    column_weights,
    flatten,
    known_size,
    resized_shape,
    row_weights,
    scatter_taps,
    sum_columns,
    sum_rows,
    take_columns,
    take_rows,
    used_rows,
)
from twinflow._src.shape_rules.demands import ranked

RESIZABLE = REALS | {int8, int16, int32, int64, uint8, uint16}
_F = np.float32


# ------------------------------------------------------------------ positions


def _check_centers(align_corners: bool, half_pixel_centers: bool) -> None:
    if align_corners and half_pixel_centers:
        raise invalid("If half_pixel_centers is True, align_corners must be False.")


def scale_of(inputs: int, outputs: int, align_corners: bool) -> Any:
    """Returns the distance of output pixels in the input, as float32."""
    if align_corners and inputs > 1 and outputs > 1:
        return _F(inputs - 1) / _F(outputs - 1)
    return _F(inputs) / _F(outputs)


def _positions(inputs: int, outputs: int, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Returns the coordinates of output pixels in the input."""
    scale, index = scale_of(inputs, outputs, align_corners), np.arange(outputs, dtype=_F)
    if half_pixel_centers:
        return (index + _F(0.5)) * scale - _F(0.5)
    return index * scale


def _neighbours(inputs: int, outputs: int, *flags: bool) -> tuple[Any, Any, Any]:
    """Returns the pixels on both sides of each position, and the part of the way between them."""
    position = _positions(inputs, outputs, *flags)
    low = np.floor(position)
    lower = np.maximum(low.astype(np.int64), 0)
    upper = np.minimum(np.ceil(position).astype(np.int64), inputs - 1)
    return lower, upper, position - low


# ------------------------------------------------------------------ bilinear


def _interpolate(xp: Any, start: Any, end: Any, part: Any) -> Any:
    """Returns the values at a part of the way between two arrays, in the second one if it can."""
    can_hold = end.dtype.char == "f" and end.flags.owndata
    step = xp.subtract(end, start, dtype="float32", out=end if can_hold else None)
    step *= part
    step += start
    return step


def _interpolate_natively(loop: NativeLoop, images: Any, down: Any, across: Any) -> Any:
    """Resizes images by a native loop."""
    first = np.arange(len(images))[:, None] * images.shape[1]
    part = np.broadcast_to(down[2], (len(images), len(down[2])))
    rows = first + down[0], first + down[1], part
    shape = (*part.shape, len(across[0]), images.shape[3])
    columns = tuple(array[None] for array in across)
    return interpolate(loop, images, rows, columns, np.empty(shape, _F))


@op("ResizeBilinear", shape=resized_shape, dtypes=RESIZABLE, out=float32)
def resize_bilinear(
    xp: Any,
    images: Any,
    size: SizePair,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Any:
    """Resizes images by bilinear interpolation."""
    _check_centers(align_corners, half_pixel_centers)
    height, width = check_output(images, size)
    channels = images.shape[3]
    if images.shape[1:3] == (height, width):
        return images.astype("float32")
    down = _neighbours(images.shape[1], height, align_corners, half_pixel_centers)
    across = _neighbours(images.shape[2], width, align_corners, half_pixel_centers)
    loop = bilinear_loop(images, len(images) * height * width * channels) if xp is np else None
    if loop is not None:
        return _interpolate_natively(loop, images, down, across)

    def resized(part: Any) -> Any:
        rows, *ends = used_rows(xp, flatten(part), *down[:2])
        if rows.dtype.kind not in "iu" or rows.itemsize > 2:  # small integers stay as they are
            rows = rows.astype("float32", copy=False)
        left, right = (take_columns(xp, rows, channels, indices) for indices in across[:2])
        wide = _interpolate(xp, left, right, column_weights(xp, across[2], channels))
        above, below = (take_rows(xp, wide, indices) for indices in ends)
        result = _interpolate(xp, above, below, row_weights(xp, down[2]))
        return result.reshape(len(part), height, width, channels)

    return by_images(xp, resized, images)


resize_bilinear.batched(lambda call: call.folded(0))


def _original(grads: Any, image: Dims | None, *_: Any, **__: Any) -> Dims:
    return ranked(image, 4)


def _check_grads(grads: Any, image: Any, align_corners: bool, half_pixel_centers: bool) -> None:
    _check_centers(align_corners, half_pixel_centers)
    check_images(grads, "input_grad")
    check_images(image, "original_image")


def _linear_taps(inputs: int, outputs: int, *flags: bool) -> Taps:
    lower, upper, part = _neighbours(inputs, outputs, *flags)
    return Taps(np.stack([lower, upper], 1), np.stack([_F(1) - part, part], 1))


def _spread_back(xp: Any, grads: Any, image: Any, taps: Any) -> Any:
    """Returns the gradient of images: the adjoint of sums over the taps of both axes."""
    height, width = image.shape[1:3]
    if not (grads.size and image.size):
        return xp.zeros((len(grads), height, width, grads.shape[3]), image.dtype)
    down, across = taps(height, grads.shape[1]), taps(width, grads.shape[2])
    wide = grads.astype("float64") if image.dtype.char == "d" else grads
    return scatter_taps(xp, wide, down, across, (height, width)).astype(image.dtype, copy=False)


@op("ResizeBilinearGrad", shape=_original, dtypes=REALS, no_gradient=True)
def resize_bilinear_grad(
    xp: Any,
    grads: Floats,
    original_image: Any,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Any:
    """Computes the gradient of ``ResizeBilinear``."""
    _check_grads(grads, original_image, align_corners, half_pixel_centers)
    taps = lambda inputs, outputs: _linear_taps(inputs, outputs, align_corners, half_pixel_centers)
    return _spread_back(xp, grads, original_image, taps)


resize_bilinear_grad.batched(lambda call: call.folded(0, 1))


@resize_bilinear.gradient(reads=())
def _(call: Call, dy: Any) -> Any:
    image = call.inputs[0]
    if image.dtype not in REALS:
        return None, None
    return OPS["ResizeBilinearGrad"].public(dy, image, **call.attrs), None


# ------------------------------------------------------------------ nearest neighbour


def _nearest(inputs: int, outputs: int, align_corners: bool, half_pixel_centers: bool) -> Any:
    """Returns the pixel that is nearest to each output pixel."""
    scale, index = scale_of(inputs, outputs, align_corners), np.arange(outputs, dtype=_F)
    position = ((index + _F(0.5)) if half_pixel_centers else index) * scale
    whole = np.floor(position + _F(0.5)) if align_corners else np.floor(position)
    return np.clip(whole.astype(np.int64), 0, inputs - 1)


@op("ResizeNearestNeighbor", shape=resized_shape, dtypes=RESIZABLE, moves=True)
def resize_nearest_neighbor(
    xp: Any,
    images: Any,
    size: SizePair,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Any:
    """Resizes images by the nearest pixel."""
    _check_centers(align_corners, half_pixel_centers)
    height, width = check_output(images, size)
    rows = _nearest(images.shape[1], height, align_corners, half_pixel_centers)
    columns = _nearest(images.shape[2], width, align_corners, half_pixel_centers)

    def resized(part: Any) -> Any:
        few, inside = used_rows(xp, flatten(part), rows)
        result = take_rows(xp, take_columns(xp, few, images.shape[3], columns), inside)
        return result.reshape(len(part), height, width, images.shape[3])

    return by_images(xp, resized, images)


resize_nearest_neighbor.batched(lambda call: call.folded(0))


def _size_shape(grads: Dims | None, size: Any, **_: Any) -> Dims:
    dims = ranked(grads, 4)
    height, width = known_size(size)
    if any(n is not None and n <= 0 for n in (height, width)):
        raise refused("shape_t's elements must be positive")
    return (dims[0], height, width, dims[3])


_SUMMABLE = REALS | {uint8, int8, int32}


def _sources(indices: Any, size: int) -> Any:
    """Returns for each index the positions that have it, in order, and then their number."""
    # Indices do not decrease; the result has a row for each index.
    starts = np.searchsorted(indices, np.arange(size + 1))
    width = max(int(np.diff(starts).max(initial=0)), 1)
    places = starts[:-1, None] + np.arange(width)
    return np.where(places < starts[1:, None], places, len(indices))


def _sum_equal(xp: Any, x: Any, axis: int, indices: Any, size: int) -> Any:
    """Sums the rows or columns that have the same index."""
    shape = list(x.shape)
    shape[axis] = 1
    x = xp.concatenate([x, xp.zeros(shape, x.dtype)], axis)
    first, *others = _sources(indices, size).T
    take = lambda which: (
        take_rows(xp, flatten(x), which)
        if axis == 1
        else take_columns(xp, flatten(x), x.shape[3], which)
    )
    total = xp.ascontiguousarray(take(first))
    for which in others:
        total += take(which)
    shape = list(x.shape)
    shape[axis] = size
    return total.reshape(shape)


@op("ResizeNearestNeighborGrad", shape=_size_shape, dtypes=_SUMMABLE)
def resize_nearest_neighbor_grad(
    xp: Any,
    grads: Any,
    size: SizePair,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Any:
    """Computes the gradient of ``ResizeNearestNeighbor``."""
    _check_centers(align_corners, half_pixel_centers)
    check_images(grads)
    height, width = check_sizes(size)
    if height <= 0 or width <= 0:
        raise invalid("shape_t's elements must be positive")
    rows = _nearest(height, grads.shape[1], align_corners, half_pixel_centers)
    columns = _nearest(width, grads.shape[2], align_corners, half_pixel_centers)
    sum_part = lambda part: _sum_equal(xp, _sum_equal(xp, part, 1, rows, height), 2, columns, width)
    return by_images(xp, sum_part, grads)


resize_nearest_neighbor_grad.batched(lambda call: call.folded(0))


@resize_nearest_neighbor.gradient(reads=())
def _(call: Call, dy: Any) -> Any:
    size = API["shape"](call.inputs[0])[1:3]
    return OPS["ResizeNearestNeighborGrad"].public(dy, size, **call.attrs), None


# ------------------------------------------------------------------ bicubic

_STEPS = 1 << 10


@functools.cache
def _cubic_table(keys: bool) -> tuple[Any, Any]:
    """Returns the cubic kernel at distances from 0 to 1 and from 1 to 2, in 1024 steps each."""
    # Keys' kernel has the parameter -1/2; TensorFlow 1's has -3/4.
    a = -0.5 if keys else -0.75
    x = (np.arange(_STEPS + 1) * 1.0 / _STEPS).astype(_F).astype(np.float64)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    x = (x + 1.0).astype(_F).astype(np.float64)
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return near.astype(_F), far.astype(_F)


def _cubic_taps(inputs: int, outputs: int, *flags: bool) -> Taps:
    """Returns four taps for each output; with centres at halves, those outside have no weight."""
    keys = flags[1]
    position = _positions(inputs, outputs, *flags)
    whole = np.floor(position).astype(np.int64)
    offset = np.rint((position - whole.astype(_F)) * _F(_STEPS)).astype(np.int64)
    near, far = _cubic_table(keys)
    back = _STEPS - offset
    weights = np.stack([far[offset], near[offset], near[back], far[back]], 1)
    places = whole[:, None] + np.arange(-1, 3)
    indices = np.clip(places, 0, inputs - 1)
    if keys:
        weights = np.where(indices == places, weights, _F(0))
        total = ((weights[:, 0] + weights[:, 1]) + weights[:, 2]) + weights[:, 3]
        usable = np.abs(total) >= _F(1000) * np.finfo(_F).tiny
        factor = np.where(usable, _F(1) / np.where(usable, total, _F(1)), _F(1))
        weights = weights * factor[:, None]
    return Taps(indices, weights)


@op("ResizeBicubic", shape=resized_shape, dtypes=RESIZABLE, out=float32)
def resize_bicubic(
    xp: Any,
    images: Any,
    size: SizePair,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Any:
    """Resizes images by bicubic interpolation."""
    _check_centers(align_corners, half_pixel_centers)
    height, width = check_output(images, size)
    down = _cubic_taps(images.shape[1], height, align_corners, half_pixel_centers)
    across = _cubic_taps(images.shape[2], width, align_corners, half_pixel_centers)

    def resized(part: Any) -> Any:
        rows = sum_rows(xp, flatten(part).astype("float32"), down)
        return sum_columns(xp, rows, images.shape[3], across).reshape(
            len(part), height, width, images.shape[3]
        )

    return by_images(xp, resized, images)


resize_bicubic.batched(lambda call: call.folded(0))


@op("ResizeBicubicGrad", shape=_original, dtypes=frozenset((float32, float64)))
def resize_bicubic_grad(
    xp: Any,
    grads: Floats,
    original_image: Any,
    *,
    align_corners: bool = False,
    half_pixel_centers: bool = False,
) -> Any:
    """Computes the gradient of ``ResizeBicubic``."""
    _check_grads(grads, original_image, align_corners, half_pixel_centers)
    taps = lambda inputs, outputs: _cubic_taps(inputs, outputs, align_corners, half_pixel_centers)
    return _spread_back(xp, grads, original_image, taps)


resize_bicubic_grad.batched(lambda call: call.folded(0, 1))


@resize_bicubic.gradient(reads=())
def _(call: Call, dy: Any) -> Any:
    image = call.inputs[0]
    if image.dtype not in (float32, float64):
        return None, None
    return OPS["ResizeBicubicGrad"].public(dy, image, **call.attrs), None


# ------------------------------------------------------------------ area


def _area_taps(inputs: int, outputs: int, align_corners: bool) -> tuple[Taps, Any]:
    """Returns the overlaps of input pixels with each output pixel, and the size of the latter."""
    scale = scale_of(inputs, outputs, align_corners)
    index = np.arange(outputs, dtype=_F)
    start, end = index * scale, (index + _F(1)) * scale
    first, last = np.floor(start).astype(np.int64), np.ceil(end).astype(np.int64)
    places = first[:, None] + np.arange(max(int((last - first).max()), 1))
    low, high = places.astype(_F), (places + 1).astype(_F)
    start, end = start[:, None], end[:, None]
    leading = np.where(high > end, scale, high - start)
    weights = np.where(low < start, leading, np.where(high > end, end - low, _F(1)))
    weights = np.where(places < last[:, None], weights, _F(0)).astype(_F)
    return Taps(np.clip(places, 0, inputs - 1), weights), scale


@op("ResizeArea", shape=resized_shape, dtypes=RESIZABLE, out=float32)
def resize_area(xp: Any, images: Any, size: SizePair, *, align_corners: bool = False) -> Any:
    """Resizes images by means over the areas of pixels."""
    height, width = check_output(images, size)
    down, down_scale = _area_taps(images.shape[1], height, align_corners)
    across, across_scale = _area_taps(images.shape[2], width, align_corners)
    scale = xp.float32(_F(1) / (down_scale * across_scale))

    def resized(part: Any) -> Any:
        columns = sum_columns(xp, flatten(part).astype("float32"), images.shape[3], across)
        result = sum_rows(xp, columns, down)
        result *= scale
        return result.reshape(len(part), height, width, images.shape[3])

    return by_images(xp, resized, images)


resize_area.batched(lambda call: call.folded(0))
