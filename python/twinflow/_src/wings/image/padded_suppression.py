"""Non-maximum suppression of batches of boxes, tile by tile, with results of fixed sizes.

TensorFlow's function is an approximation of the sequential one: within a tile, boxes that suppress others
are found by iterations, which end where the sum of the remaining overlaps changes by no more than the
threshold. The same iterations are made here, so that the same boxes are selected. So is the order of the
corners of the very first box taken for that of all.
"""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import constant
from twinflow._src.core.dtypes import bool_, float32, int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API
from twinflow._src.wings.image.arguments import set_shape

_TINY = 1e-8  # keeps quotients of empty boxes finite


def _sides(boxes: Any) -> list[Any]:
    return [boxes[..., k] for k in range(4)]


def _overlaps(a: Any, b: Any) -> Any:
    """Returns the intersection over union of two lists of boxes of each batch: a matrix."""
    most, least = API["maximum"], API["minimum"]
    top_a, left_a, bottom_a, right_a = (side[:, :, None] for side in _sides(a))
    top_b, left_b, bottom_b, right_b = (side[:, None, :] for side in _sides(b))
    width = most(least(right_a, right_b) - most(left_a, left_b), 0)
    height = most(least(bottom_a, bottom_b) - most(top_a, top_b), 0)
    common = width * height
    area_a = (bottom_a - top_a) * (right_a - left_a)
    area_b = (bottom_b - top_b) * (right_b - left_b)
    return common / (area_a + area_b - common + _TINY)


def _suppress_by_tile(boxes: Any, tile: Any, threshold: Any) -> Any:
    """Sets the boxes of a tile to zero that overlap one of the given, earlier boxes."""
    free = API["reduce_all"](_overlaps(boxes, tile) < threshold, [1])
    return API["cast"](free, tile.dtype)[:, :, None] * tile


def _suppress_within(tile: Any, size: int, threshold: Any) -> Any:
    """Sets the boxes of a tile to zero that overlap an earlier one of it."""
    cast, most, total = API["cast"], API["reduce_max"], API["reduce_sum"]
    position = API["range"](size)
    later = position[None, :] > position[:, None]
    overlaps = _overlaps(tile, tile)
    overlaps *= cast(API["logical_and"](later, overlaps >= threshold), tile.dtype)

    def improve(overlaps: Any, _: Any, before: Any) -> list[Any]:
        free = cast(most(overlaps, 1) < threshold, tile.dtype)[:, :, None]
        kept = cast(most(free * overlaps, 1) < threshold, tile.dtype)[:, :, None]
        result = kept * overlaps
        after = total(result, [1, 2])
        return [result, API["reduce_any"](before - after > threshold), after]

    start = [overlaps, constant(True, bool_), total(overlaps, [1, 2])]
    result, _, _ = API["while_loop"](lambda _, goes_on, __: goes_on, improve, start)
    suppressed = cast(total(result, 1) > 0, tile.dtype)
    return tile * (1.0 - suppressed)[:, :, None]


def _suppress(boxes: Any, most: Any, threshold: Any, size: int) -> tuple[Any, Any]:
    """Returns boxes of which those that are left out are zero, and the number of the others.

    Tiles that are not needed stay as they are.
    """
    shape, concat = API["shape"], API["concat"]
    batch, count = shape(boxes)[0], shape(boxes)[1]

    def continues(boxes: Any, selected: Any, index: Any) -> Any:
        return API["logical_and"](API["reduce_min"](selected) < most, index * size < count)

    def suppress_tile(boxes: Any, selected: Any, index: Any) -> list[Any]:
        first = index * size
        tile = API["slice"](boxes, [0, first, 0], [batch, size, 4])
        whole = API["slice"](boxes, [0, 0, 0], [batch, first, 4])
        tile = _suppress_by_tile(whole, tile, threshold)
        tile = _suppress_within(tile, size, threshold)
        rest = API["slice"](boxes, [0, first + size, 0], [batch, count - first - size, 4])
        chosen = API["reduce_any"](tile > 0, [2])
        selected = selected + API["reduce_sum"](API["cast"](chosen, int32), [1])
        boxes = concat([whole, tile, rest], 1)
        return [set_shape(boxes, [None, None, 4]), selected, index + 1]

    shapes = [TensorShape([None, None, 4]), TensorShape([None]), TensorShape([])]
    start = [boxes, API["zeros"]([batch], int32), constant(0)]
    boxes, selected, _ = API["while_loop"](continues, suppress_tile, start, shape_invariants=shapes)
    return boxes, API["minimum"](selected, most)


def _turn_corners(boxes: Any) -> Any:
    """Swaps rows, and columns, of all corners if those of the very first box are in descending order."""
    top, left, bottom, right = _sides(boxes)
    where = API["where"]
    upright, forward = top[0, 0] <= bottom[0, 0], left[0, 0] <= right[0, 0]
    corners = [
        where(upright, top, bottom),
        where(forward, left, right),
        where(upright, bottom, top),
        where(forward, right, left),
    ]
    return API["stack"](corners, axis=2)


def select_padded(
    boxes: Any,
    scores: Any,
    most: Any,
    thresholds: tuple[Any, Any],
    ways: tuple[bool, bool],
    size: int,
) -> tuple[Any, Any]:
    """Returns indices, padded with zeros, and the number of those that are valid.

    ``thresholds`` are those of overlaps and scores, ``ways`` is True for boxes in the order of their scores,
    and for boxes with the smaller corner first; ``size`` is that of a tile.
    """
    cast, gather, shape = API["cast"], API["gather"], API["shape"]
    count, order = shape(boxes)[1], None
    if not ways[1]:
        boxes = _turn_corners(boxes)
    if not ways[0]:
        order = API["argsort"](scores, axis=1, direction="DESCENDING")
        scores, boxes = gather(scores, order, batch_dims=1), gather(boxes, order, batch_dims=1)
    boxes = cast(boxes, float32)
    if thresholds[1] != float("-inf"):
        boxes *= cast(scores > thresholds[1], float32)[:, :, None]
    length = -(-API["maximum"](count, most) // size) * size
    boxes = API["pad"](boxes, [[0, 0], [0, length - count], [0, 0]])
    boxes, valid = _suppress(boxes, most, thresholds[0], size)
    chosen = cast(API["reduce_any"](boxes > 0, [2]), int32)
    ranks = API["math.top_k"](chosen * API["range"](length, 0, -1)[None], most)[0]
    indices = API["minimum"](length - ranks, count - 1)
    if order is not None:
        indices = gather(order, indices, batch_dims=1)
    is_valid = API["range"](most)[None] < valid[:, None]
    return API["where"](is_valid, indices, API["zeros_like"](indices)), valid
