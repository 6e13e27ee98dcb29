"""Crops and pads of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import is_tensor
from twinflow._src.core.dtypes import float64, int32
from twinflow._src.dispatch.op import API, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.wings.image.arguments import (
    Batch,
    as_image,
    check_least_rank,
    require,
    set_shape,
    sizes_of,
    static,
)


@export("image.crop_to_bounding_box")
def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """Crops images to a box.

    Args:
        image: A tensor of shape (height, width, channels), or a batch of them.
        offset_height: The first row of the box.
        offset_width: The first column of the box.
        target_height: The height of the box.
        target_width: The width of the box.

    Returns:
        A tensor of the same dtype and rank.

    Raises:
        ValueError: The box is not within the image.
    """
    batch = Batch(as_image(image))
    images = batch.images
    count, height, width, depth = sizes_of(images)
    require(offset_width >= 0, "offset_width must be >= 0.")
    require(offset_height >= 0, "offset_height must be >= 0.")
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    require(width >= target_width + offset_width, "width must be >= target + offset.")
    require(height >= target_height + offset_height, "height must be >= target + offset.")
    begin = API["stack"]([0, offset_height, offset_width, 0])
    cropped = API["slice"](images, begin, API["stack"]([count, target_height, target_width, depth]))
    set_shape(cropped, [static(n) for n in (count, target_height, target_width, depth)])
    return batch.unpack(cropped)


@export("image.pad_to_bounding_box")
def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    """Pads images with zeros to a height and width.

    Args:
        image: A tensor of shape (height, width, channels), or a batch of them.
        offset_height: The number of rows of zeros above the image.
        offset_width: The number of columns of zeros left of the image.
        target_height: The height of the result.
        target_width: The width of the result.

    Returns:
        A tensor of the same dtype and rank.

    Raises:
        ValueError: The image does not fit into the result.
    """
    return _pad_within(image, offset_height, offset_width, target_height, target_width)


def _pad_within(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Any:
    batch = Batch(as_image(image))
    images = batch.images
    count, height, width, depth = sizes_of(images)
    below = target_height - offset_height - height
    right = target_width - offset_width - width
    require(offset_height >= 0, "offset_height must be >= 0")
    require(offset_width >= 0, "offset_width must be >= 0")
    require(right >= 0, "width must be <= target - offset")
    require(below >= 0, "height must be <= target - offset")
    edges = [0, 0, offset_height, below, offset_width, right, 0, 0]
    padded = API["pad"](images, API["reshape"](API["stack"](edges), [4, 2]))
    set_shape(padded, [static(n) for n in (count, target_height, target_width, depth)])
    return batch.unpack(padded)


@export("image.resize_with_crop_or_pad", "compat.v1.image.resize_image_with_crop_or_pad")
def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Any:
    """Crops images centrally or pads them evenly with zeros to a height and width.

    Args:
        image: A tensor of shape (height, width, channels), or a batch of them.
        target_height: The height of the result.
        target_width: The width of the result.

    Returns:
        A tensor of the same dtype and rank.

    Raises:
        ValueError: A size is not positive.
    """
    batch = Batch(as_image(image))
    images = batch.images
    require(target_width > 0, "target_width must be > 0.")
    require(target_height > 0, "target_height must be > 0.")
    _, height, width, _ = sizes_of(images)
    offsets = [_offsets(target_height - height), _offsets(target_width - width)]
    (top, above), (left, before) = offsets
    smaller = [_least(target_height, height), _least(target_width, width)]
    cropped = crop_to_bounding_box(images, top, left, *smaller)
    return batch.unpack(pad_to_bounding_box(cropped, above, before, target_height, target_width))


def _offsets(difference: Any) -> tuple[Any, Any]:
    """Returns the offsets of the crop and of the pad along a dimension."""
    if is_tensor(difference):
        most = API["maximum"]
        return most(-difference // 2, 0), most(difference // 2, 0)
    return max(-difference // 2, 0), max(difference // 2, 0)


def _least(a: Any, b: Any) -> Any:
    return API["minimum"](a, b) if is_tensor(a) or is_tensor(b) else min(a, b)


@export("image.central_crop")
def central_crop(image: Any, central_fraction: Any) -> Any:
    """Crops the central part of images.

    Args:
        image: A tensor of shape (height, width, channels), or a batch of them.
        central_fraction: The part of the height and width that is kept, in (0, 1]; a number or a
            scalar tensor.

    Returns:
        A tensor of the same dtype and rank.

    Raises:
        ValueError: The fraction is not within (0, 1], or the rank is neither 3 nor 4.
    """
    image = as_image(image)
    check_least_rank(image)
    fraction = _known_fraction(central_fraction)
    if not is_tensor(fraction):
        if not 0.0 < fraction <= 1.0:
            raise ValueError("central_fraction must be within (0, 1]")
        if fraction == 1.0:
            return image
    else:
        inside = API["logical_and"](fraction > 0.0, fraction <= 1.0)
        require(inside, "central_fraction must be within (0, 1]")
    rank = image.shape.rank
    if rank not in (3, 4):
        raise ValueError(
            f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {rank}."
        )
    batch = Batch(image)
    count, height, width, depth = sizes_of(batch.images)
    top, rows = _central(height, fraction)
    left, columns = _central(width, fraction)
    begin = API["stack"]([0, top, left, 0])
    cropped = API["slice"](batch.images, begin, API["stack"]([count, rows, columns, depth]))
    set_shape(cropped, [static(n) for n in (count, rows, columns, depth)])
    return batch.unpack(cropped)


def _known_fraction(value: Any) -> Any:
    """Returns a fraction as a number where it is known, and as a float64 tensor elsewhere."""
    if not is_tensor(value):
        return value
    number = array_of(value)
    return float(np.asarray(number)) if number is not None else API["cast"](value, float64)


def _central(size: Any, fraction: Any) -> tuple[Any, Any]:
    """Returns the offset and the size of the central part of a dimension."""
    if is_tensor(size) or is_tensor(fraction):
        wide = API["cast"](size, float64)
        start = API["cast"]((wide - wide * fraction) / 2, int32)
    else:
        start = int((size - size * fraction) / 2)
    return start, size - start * 2
