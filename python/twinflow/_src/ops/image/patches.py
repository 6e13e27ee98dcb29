"""Patches of images and volumes: the values under each position of a sliding window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinflow._src.core.dtypes import COMPLEXES, ORDERED, bool_
from twinflow._src.core.errors import OutOfRangeError, UnimplementedError, invalid
from twinflow._src.core.shapes import Dims, text
from twinflow._src.dispatch.op import API, OPS, Call, op
from twinflow._src.ops.conv.geometry import Geometry, geometry, padded, view, windowed_all
from twinflow._src.shape_rules.demands import ranked, times


def _check_window(values: Sequence[int], name: str, rank: int) -> None:
    if values[0] != 1 or values[-1] != 1:
        raise UnimplementedError(None, None, f"Only support {name} across space.")
    if min(values[1:-1]) < 1:
        raise OutOfRangeError(None, None, f"{name} is out of range.")


def _patches_shape(x: Dims | None, sizes: Any, steps: Any, rates: Any, padding: str) -> Dims:
    dims = ranked(x, len(sizes))
    space = windowed_all(dims[1:-1], sizes[1:-1], steps[1:-1], padding, rates[1:-1])
    depth = dims[-1]
    for size in sizes[1:-1]:
        depth = times(depth, size)
    return (dims[0], *(None if n is None else max(n, 0) for n in space), depth)


def _image_shape(
    images: Dims | None, *, ksizes: Any, strides: Any, rates: Any, padding: Any
) -> Dims:
    return _patches_shape(images, ksizes, strides, rates, padding)


def _volume_shape(input: Dims | None, *, ksizes: Any, strides: Any, padding: Any) -> Dims:
    return _patches_shape(input, ksizes, strides, [1] * 5, padding)


def _gather_patches(xp: Any, x: Any, g: Geometry) -> Any:
    """Returns the patches of all windows, a row for each: (batch, outputs, kernel * channels)."""
    depth = x.shape[-1]
    for size in g.kernel:
        depth *= size
    shape = (x.shape[0], *g.outputs, depth)
    if not x.size or 0 in g.outputs:
        return xp.zeros(shape, x.dtype)
    return xp.ascontiguousarray(view(xp, padded(xp, x, g), g)).reshape(shape)


@op("ExtractImagePatches", shape=_image_shape, dtypes=ORDERED | COMPLEXES | {bool_}, moves=True)
def extract_image_patches(
    xp: Any,
    images: Any,
    *,
    ksizes: Any,
    strides: Any,
    rates: Any,
    padding: str,
) -> Any:
    """Extracts the patches of images under a sliding window."""
    for name, values in (("ksizes", ksizes), ("strides", strides), ("rates", rates)):
        _check_window(values, name, 4)
    if images.ndim != 4:
        raise invalid(f"input must be 4-dimensional{text(images.shape)}")
    inner = (ksizes[1:3], strides[1:3], rates[1:3])
    return _gather_patches(xp, images, geometry(images.shape[1:3], *inner, padding))


extract_image_patches.batched(lambda call: call.folded(0))


@op("ExtractVolumePatches", shape=_volume_shape, dtypes=ORDERED, moves=True)
def extract_volume_patches(xp: Any, input: Any, *, ksizes: Any, strides: Any, padding: str) -> Any:
    """Extracts the patches of volumes under a sliding window."""
    for name, values in (("ksizes", ksizes), ("strides", strides)):
        _check_window(values, name, 5)
    if input.ndim != 5:
        raise invalid(f"input must be 5-dimensional{text(input.shape)}")
    g = geometry(input.shape[1:4], ksizes[1:4], strides[1:4], [1, 1, 1], padding)
    return _gather_patches(xp, input, g)


def _sum_patches(call: Call, dy: Any) -> Any:
    """Sums the upstream gradients of each value over the patches that it is in."""
    # The patches of an image of indices, from 1 on, name the values; padding is 0.
    shape, reshape, transpose = API["shape"], API["reshape"], API["transpose"]
    x = call.inputs[0]
    sizes = shape(x)
    count = API["reduce_prod"](sizes[1:-1])
    places = reshape(API["range"](1, count + 1), API["concat"]([[1], sizes[1:-1], [1]], 0))
    indices = reshape(OPS[call.op.type].public(places, **call.attrs), [-1])
    flat = reshape(dy, API["stack"]([sizes[0], shape(indices)[0], sizes[-1]]))
    rows = transpose(flat, [1, 0, 2])
    total = API["math.unsorted_segment_sum"](rows, indices, count + 1)[1:]
    return reshape(transpose(total, [1, 0, 2]), sizes)


extract_image_patches.gradient(_sum_patches, reads=())
extract_volume_patches.gradient(_sum_patches, reads=())
