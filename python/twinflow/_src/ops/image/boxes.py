"""Bounding boxes: drawing, random crops that cover them, and proposals of regions."""

from __future__ import annotations

import collections
import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import (
    float16,
    float32,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, text
from twinflow._src.dispatch.op import Kind, op
from twinflow._src.ops.image.sampling import Floats, HostFloats
from twinflow._src.ops.random.stateless import Seed
from twinflow._src.random.philox import Stream, Words
from twinflow._src.random.seeds import scrambled, seeds
from twinflow._src.shape_rules.demands import at_least

_SHORT = frozenset((float16, float32))
_Images = Annotated[Any, Kind("T", default=float32, allowed=_SHORT)]

# The colours of boxes where none are given, used in turns: red, green, blue and opacity.
_COLORS = np.array(
    [
        [1, 1, 0, 1],
        [0, 0, 1, 1],
        [1, 0, 0, 1],
        [0, 1, 0, 1],
        [0.5, 0, 0.5, 1],
        [0.5, 0.5, 0, 1],
        [0.5, 0, 0, 1],
        [0, 0, 0.5, 1],
        [0, 1, 1, 1],
        [1, 0, 1, 1],
    ],
    np.float32,
)


# ------------------------------------------------------------------ drawing


def _drawn_shape(images: Dims | None, *_: Any, **__: Any) -> Dims | None:
    return at_least(images, 3)


def _check_drawn(images: Any, boxes: Any) -> None:
    if images.ndim != 4:
        raise invalid("The rank of the images should be 4")
    if boxes.ndim != 3:
        raise invalid("The rank of the boxes tensor should be 3")
    if len(images) != len(boxes):
        raise invalid("The batch sizes should be the same")
    if images.shape[3] not in (1, 3, 4):
        raise invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    if boxes.shape[2] != 4:
        raise invalid(
            f"The size of the third dimension of the box must be 4. Received: {boxes.shape[2]}"
        )


def _sides(box: Any, height: int, width: int) -> list[int]:
    """Returns the rows and columns of a box, outside of any image for NaN and infinity."""
    scaled = box * np.array([height - 1, width - 1] * 2, np.float32)
    return [int(v) if math.isfinite(v) else -(1 << 62) for v in scaled.tolist()]


def _draw(xp: Any, images: Any, boxes: Any, colors: Any) -> Any:
    result = images.copy()
    height, width = images.shape[1:3]
    for image, rows in zip(result, boxes):
        for k, box in enumerate(rows):
            top, left, bottom, right = _sides(box, height, width)
            if top > bottom or left > right or top >= height or left >= width:
                continue
            if bottom < 0 or right < 0:
                continue
            color = colors[k % len(colors)]
            across = slice(max(left, 0), min(right, width - 1) + 1)
            down = slice(max(top, 0), min(bottom, height - 1) + 1)
            for row in (top, bottom):
                if 0 <= row < height:
                    image[row, across] = color
            for column in (left, right):
                if 0 <= column < width:
                    image[down, column] = color
    return result


def _default_colors(xp: Any, images: Any) -> Any:
    channels = images.shape[3]
    colors = np.ones((len(_COLORS), 1), np.float32) if channels == 1 else _COLORS[:, :channels]
    return xp.asarray(colors.astype(images.dtype))


@op("DrawBoundingBoxes", shape=_drawn_shape, dtypes=_SHORT, no_gradient=True)
def draw_bounding_boxes(xp: Any, images: _Images, boxes: HostFloats) -> Any:
    """Draws boxes on images in ten colours."""
    _check_drawn(images, boxes)
    return _draw(xp, images, boxes, _default_colors(xp, images))


@op("DrawBoundingBoxesV2", shape=_drawn_shape, dtypes=_SHORT)
def draw_bounding_boxes_v2(xp: Any, images: _Images, boxes: HostFloats, colors: Floats) -> Any:
    """Draws boxes on images."""
    _check_drawn(images, boxes)
    if colors.ndim != 2:
        raise invalid(f"colors must be a 2-D matrix{text(colors.shape)}")
    if colors.shape[1] < images.shape[3]:
        raise invalid(
            f"colors must have equal or more channels than the image provided: {text(colors.shape)}"
        )
    if not len(colors):
        return _draw(xp, images, boxes, _default_colors(xp, images))
    return _draw(xp, images, boxes, colors[:, : images.shape[3]].astype(images.dtype))


# ------------------------------------------------------------------ random crops


_SIZE_TYPES = frozenset((uint8, int8, int16, int32, int64))
_Size = Annotated[Any, Kind("T", default=int32, allowed=_SIZE_TYPES, host=True)]
SampledCrop = collections.namedtuple("SampleDistortedBoundingBoxV2", "begin size bboxes")  # type: ignore[name-match]
StatelessCrop = collections.namedtuple(  # type: ignore[name-match]
    "StatelessSampleDistortedBoundingBox", "begin size bboxes"
)


def _crop_shapes(image_size: Any, *_: Any, **__: Any) -> list[Dims]:
    return [(3,), (3,), (1, 1, 4)]


def _area(box: tuple[int, ...]) -> Any:
    return np.float32(box[2] - box[0]) * np.float32(box[3] - box[1])


def _covers(crop: tuple[int, ...], boxes: list[tuple[int, ...]], least: Any) -> bool:
    """True if a crop covers enough of some box; both are (top, left, bottom, right) in pixels."""
    for box in boxes:
        if _area(box) < 1:
            continue
        top, left, bottom, right = (
            max(crop[0], box[0]),
            max(crop[1], box[1]),
            min(crop[2], box[2]),
            min(crop[3], box[3]),
        )
        common = _area((top, left, bottom, right)) if bottom > top and right > left else 0
        if np.float32(common) / _area(box) >= least:
            return True
    return False


def _rounded(value: Any) -> int:
    return int(np.rint(value))


def _try_crop(words: Words, size: tuple[int, int], areas: Any, ratio: Any) -> Any:
    """Returns a crop of an aspect ratio at random, or None if its area is out of bounds."""
    height, width = size
    least, most = (a * np.float32(width) * np.float32(height) for a in areas)
    if areas[1] <= 0 or ratio <= 0 or width <= 0 or height <= 0 or areas[0] > areas[1]:
        return None
    rows, most_rows = (_rounded(np.sqrt(area / ratio)) for area in (least, most))
    if _rounded(np.float32(most_rows) * ratio) > width:
        most_rows = int((width + 0.5 - float(np.float32(1e-7))) / float(ratio))
        if _rounded(np.float32(most_rows) * ratio) > width:
            most_rows -= 1
    most_rows = min(most_rows, height)
    rows = min(rows, most_rows)
    if rows < most_rows:
        rows += words.below(most_rows - rows + 1)
    columns = _rounded(np.float32(rows) * ratio)
    if np.float32(columns * rows) < least:  # rounding has made it too small
        rows += 1
        columns = _rounded(np.float32(rows) * ratio)
    if np.float32(columns * rows) > most:
        rows -= 1
        columns = _rounded(np.float32(rows) * ratio)
    area = np.float32(columns * rows)
    if not least <= area <= most or not 0 < columns <= width or not 0 < rows <= height:
        return None
    top = words.below(height - rows) if rows < height else 0
    left = words.below(width - columns) if columns < width else 0
    return top, left, top + rows, left + columns


def _check_ranges(ratios: Any, areas: Any, max_attempts: int) -> None:
    if len(ratios) != 2:
        raise invalid("Aspect ratio range field must specify 2 dimensions")
    if not (ratios[0] > 0 and ratios[1] > 0):
        raise invalid(f"Aspect ratio range must be non-negative: [{ratios[0]:g}, {ratios[1]:g}]")
    if len(areas) != 2:
        raise invalid("Area range field must specify 2 dimensions")
    if not (areas[0] > 0 and areas[1] > 0):
        raise invalid(f"Area range must be non-negative: [{areas[0]:g}, {areas[1]:g}]")
    if not (areas[0] <= 1 and areas[1] <= 1):
        raise invalid(f"Area range must be less then or equal to 1.0: [{areas[0]:g}, {areas[1]:g}]")
    if max_attempts <= 0:
        raise invalid(f"Max attempts must be non-negative: {max_attempts}")


def _pixel_boxes(image_size: Any, boxes: Any, covered: Any, uses_image: bool) -> list[Any]:
    """Returns the boxes in pixels."""
    if image_size.ndim != 1:
        raise invalid(f"image_size must be 1-dimensional{text(image_size.shape)}")
    if len(image_size) != 3:
        raise invalid(f"image_size must contain 3 elements{text(image_size.shape)}")
    height, width = image_size[:2].tolist()
    for name, value in (("height", height), ("width", width)):
        if not 0 <= value < 1 << 31:
            raise invalid(f"image {name} cannot be >= int32 max")
    if boxes.size and boxes.ndim != 3:
        raise invalid(
            f"input boxes must be 3-dimensional [batch, num_boxes, coords]: {text(boxes.shape)}"
        )
    if boxes.size and boxes.shape[-1] != 4:
        raise invalid(f"bounding boxes must have shape [4] or [*, 4], got {text(boxes.shape)}")
    if covered.ndim:
        raise invalid(f"min_object_covered must be 0-D, got shape {text(covered.shape)}")
    if not boxes.size:
        if not uses_image:
            raise invalid(
                "No bounding boxes provided as input. One must enable "
                "use_image_if_no_bounding_boxes if you wish to not provide any bounding boxes."
            )
        return [(0, 0, height, width)]
    for value in boxes.ravel():
        if not 0 <= value <= 1:
            raise invalid(f"All bounding box coordinates must be in [0.0, 1.0]: {value:g}")
    scaled = boxes.reshape(-1, 4) * np.array([height, width] * 2, np.float32)
    return [tuple(map(int, row)) for row in scaled]


def _sample_crop(
    stream_of: Callable[[], Stream],
    image_size: Any,
    boxes: Any,
    covered: Any,
    ranges: tuple[Any, Any],
    attempts: int,
    uses_image: bool,
) -> list[Any]:
    ratios, areas = (np.array(values, np.float32) for values in ranges)
    _check_ranges(ratios, areas, attempts)
    objects = _pixel_boxes(image_size, boxes, covered, uses_image)
    height, width = image_size[:2].tolist()
    words, crop = Words(stream_of()), (0, 0, height, width)
    for _ in range(attempts):
        ratio = words.part() * (ratios[1] - ratios[0]) + ratios[0]
        candidate = _try_crop(words, (height, width), areas, ratio)
        if candidate is not None and _covers(candidate, objects, np.float32(covered)):
            crop = candidate
            break
    top, left, bottom, right = crop
    with np.errstate(all="ignore"):
        box = np.array([crop], np.float32) / np.array([height, width] * 2, np.float32)
    kind = image_size.dtype
    offset, extent = np.array([top, left, 0]), np.array([bottom - top, right - left, -1])
    return [offset.astype(kind), extent.astype(kind), box.reshape(1, 1, 4)]


@op(
    "SampleDistortedBoundingBox",
    shape=_crop_shapes,
    dtypes=_SIZE_TYPES,
    impure=True,
    no_gradient=True,
    devices=("CPU",),
)
def sample_distorted_bounding_box(
    xp: Any,
    image_size: _Size,
    bounding_boxes: HostFloats,
    *,
    seed: int = 0,
    seed2: int = 0,
    min_object_covered: float = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1),
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> Any:
    """Draws a crop that covers a part of some box."""
    covered = np.array(min_object_covered, np.float32)
    if not covered >= 0:
        raise invalid(f"Min object covered must be non-negative: {covered:g}")
    kernel = "SampleDistortedBoundingBox", image_size.dtype
    stream_of = lambda: seeds.reserve(kernel, (seed, seed2), max_attempts)
    ranges = (aspect_ratio_range, area_range)
    arguments = (ranges, max_attempts, use_image_if_no_bounding_boxes)
    return _sample_crop(stream_of, image_size, bounding_boxes, covered, *arguments)


@op(
    "SampleDistortedBoundingBoxV2",
    shape=_crop_shapes,
    dtypes=_SIZE_TYPES,
    impure=True,
    no_gradient=True,
    devices=("CPU",),
)
def sample_distorted_bounding_box_v2(
    xp: Any,
    image_size: _Size,
    bounding_boxes: HostFloats,
    min_object_covered: HostFloats,
    *,
    seed: int = 0,
    seed2: int = 0,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1),
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> Any:
    """Draws a crop that covers a part of some box."""
    kernel = "SampleDistortedBoundingBoxV2", image_size.dtype
    stream_of = lambda: seeds.reserve(kernel, (seed, seed2), max_attempts)
    ranges = (aspect_ratio_range, area_range)
    arguments = (ranges, max_attempts, use_image_if_no_bounding_boxes)
    return _sample_crop(stream_of, image_size, bounding_boxes, min_object_covered, *arguments)


@op(
    "StatelessSampleDistortedBoundingBox",
    shape=_crop_shapes,
    dtypes=_SIZE_TYPES,
    devices=("CPU",),
)
def stateless_sample_distorted_bounding_box(
    xp: Any,
    image_size: _Size,
    bounding_boxes: HostFloats,
    min_object_covered: HostFloats,
    seed: Seed,
    *,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1),
    max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> Any:
    """Draws a crop that covers a part of some box, by a seed alone."""
    if seed.shape != (2,):
        raise invalid(f"seed must have shape [2], not {text(seed.shape)}")
    ranges = (aspect_ratio_range, area_range)
    arguments = (ranges, max_attempts, use_image_if_no_bounding_boxes)
    stream_of = lambda: scrambled(seed)
    return _sample_crop(stream_of, image_size, bounding_boxes, min_object_covered, *arguments)
