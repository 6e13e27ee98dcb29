"""Bounding boxes: non-maximum suppression, drawing, and random crops."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.dtypes import bool_, float32, int32
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, OPS, documented_like, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.image.boxes import SampledCrop, StatelessCrop
from twinflow._src.ops.image.suppression import CombinedBoxes, Proposals
from twinflow._src.random.seeds import seeds
from twinflow._src.wings.image.arguments import set_shape

_LEAST = float("-inf")


@export("image.non_max_suppression")
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _LEAST,
    name: str | None = None,
) -> Any:
    """Selects boxes in the order of their scores, without those that overlap others.

    Args:
        boxes: A matrix of (y1, x1, y2, x2), of which any two opposite corners.
        scores: The score of each box.
        max_output_size: The most boxes to select, a scalar.
        iou_threshold: Boxes whose overlap (intersection over union) is greater are left out.
        score_threshold: Boxes whose score is not greater are left out.

    Returns:
        The indices of the boxes, int32.

    Raises:
        InvalidArgumentError: The shapes do not agree, or a threshold is out of range.
    """
    select = OPS["NonMaxSuppressionV3"].public
    return select(boxes, scores, max_output_size, iou_threshold, score_threshold)


@export("image.non_max_suppression_with_scores")
@documented_like(non_max_suppression)
def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _LEAST,
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> Any:
    """Selects boxes in the order of their scores, which shrink where boxes overlap (soft NMS).

    Args:
        iou_threshold: Boxes whose overlap is greater are left out, if scores do not shrink.
        soft_nms_sigma: The width of the Gaussian by which scores shrink; 0 for none.

    Returns:
        A pair: the indices of the boxes, int32, and their scores.
    """
    select = OPS["NonMaxSuppressionV5"].public
    indices, values, _ = select(
        boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma
    )
    return indices, values


@export("image.non_max_suppression_overlaps")
@documented_like(non_max_suppression)
def non_max_suppression_with_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = _LEAST,
    name: str | None = None,
) -> Any:
    """Selects boxes in the order of their scores, without those that overlap others, by overlaps.

    Args:
        overlaps: A square matrix of overlaps.
        overlap_threshold: Boxes whose overlap is greater are left out.

    Raises:
        InvalidArgumentError: The shapes do not agree.
    """
    select = OPS["NonMaxSuppressionWithOverlaps"].public
    return select(overlaps, scores, max_output_size, overlap_threshold, score_threshold)


@export("image.non_max_suppression_padded")
def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _LEAST,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: int = 512,
) -> Any:
    """Selects boxes of batches about as ``tf.image.non_max_suppression`` does, and pads the result.

    Args:
        boxes: A tensor (..., boxes, 4) of (y1, x1, y2, x2).
        scores: A tensor (..., boxes).
        max_output_size: The most boxes to select, a scalar.
        iou_threshold: Boxes whose overlap is greater are left out.
        score_threshold: Boxes whose score is not greater are left out.
        pad_to_max_output_size: If True, indices are padded with zeros; batches need it.
        name: A name for the operation.
        sorted_input: If True, the boxes are in the order of their scores.
        canonicalized_coordinates: If True, y1 <= y2 and x1 <= x2; it changes no result.
        tile_size: The boxes that are compared at once.

    Returns:
        A pair: the indices of the boxes, int32, and the number of those that are valid.

    Raises:
        ValueError: A batch without padding.
        InvalidArgumentError: The shapes do not agree, or a threshold is out of range.
    """
    boxes, scores = convert_to_tensor(boxes, name="boxes"), convert_to_tensor(scores, name="scores")
    if boxes.shape.rank is not None and boxes.shape.rank > 2 and not pad_to_max_output_size:
        raise ValueError(
            f"'pad_to_max_output_size' (value {pad_to_max_output_size}) must be True for batched input"
        )
    reshape, concat = API["reshape"], API["concat"]
    most = convert_to_tensor(max_output_size, dtype=int32)
    head, sizes = API["shape"](scores)[:-1], API["shape"](boxes)
    indices, counts = select_padded(
        reshape(boxes, concat([[-1], sizes[-2:]], 0)),
        reshape(scores, [-1, sizes[-2]]),
        most,
        (convert_to_tensor(iou_threshold, dtype=float32), score_threshold),
        (sorted_input, canonicalized_coordinates),
        tile_size,
    )
    if not pad_to_max_output_size:
        return indices[0, : counts[0]], counts[0]
    size = None if array_of(most) is None else int(array_of(most))
    indices = reshape(indices, concat([head, most[None]], 0))
    set_shape(indices, scores.shape[:-1].concatenate([size]))
    return indices, reshape(counts, head)


@export("image.combined_non_max_suppression")
def combined_non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size_per_class: Any,
    max_total_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = _LEAST,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> Any:
    """Selects boxes of several classes by non-maximum suppression within each.

    Args:
        boxes: A tensor of shape (batch, boxes, classes or 1, 4).
        scores: A tensor of shape (batch, boxes, classes).
        max_output_size_per_class: The most boxes to select of a class, a scalar.
        max_total_size: The most boxes to select of all classes, a scalar.
        iou_threshold: Boxes whose overlap is greater are left out.
        score_threshold: Boxes whose score is not greater are left out.
        pad_per_class: If True, results are padded to the boxes of all classes at most.
        clip_boxes: If True, boxes are clipped to [0, 1].

    Returns:
        A named tuple of boxes, scores, classes and their number for each image, padded with zeros.

    Raises:
        InvalidArgumentError: The shapes do not agree, or a size or a threshold is out of range.
    """
    inputs = (boxes, scores, max_output_size_per_class, max_total_size)
    results = OPS["CombinedNonMaxSuppression"].public(
        *inputs,
        iou_threshold,
        score_threshold,
        pad_per_class=pad_per_class,
        clip_boxes=clip_boxes,
    )
    return CombinedBoxes(*results)


@export("image.generate_bounding_box_proposals")
def generate_bounding_box_proposals(
    scores: Any,
    bbox_deltas: Any,
    image_info: Any,
    anchors: Any,
    nms_threshold: Any = 0.7,
    pre_nms_topn: Any = 6000,
    min_size: Any = 16,
    post_nms_topn: int = 300,
    name: str | None = None,
) -> Any:
    """Selects regions from the scores and the moves of anchors, as in Faster R-CNN.

    Source: Ren et al., "Faster R-CNN: towards real-time object detection with region proposal
    networks" (2015).

    Args:
        scores: The score of each anchor: (images, height, width, anchors).
        bbox_deltas: Parts of the anchors' sizes by which they move (y, x), and the logarithms of the
            factors by which they grow (height, width): (images, height, width, 4 * anchors).
        image_info: For each image its height, width and scale, and two more numbers.
        anchors: The anchors (y1, x1, y2, x2) of each position: (height, width, 4 * anchors).
        nms_threshold: Regions whose overlap is greater are left out.
        pre_nms_topn: The most anchors of an image to look at.
        min_size: The least height and width of a region, before scaling.
        post_nms_topn: The number of regions of an image.

    Returns:
        A pair: the regions in pixels, (images, regions, 4), and their scores, padded with zeros.

    Raises:
        InvalidArgumentError: The shapes do not agree, or a limit is out of range.
    """
    generate = OPS["GenerateBoundingBoxProposals"].public
    limits = [convert_to_tensor(nms_threshold, dtype=float32)]
    limits += [convert_to_tensor(pre_nms_topn, dtype=int32)]
    limits += [convert_to_tensor(min_size, dtype=float32)]
    inputs = (scores, bbox_deltas, image_info, anchors)
    return Proposals(*generate(*inputs, *limits, post_nms_topn=post_nms_topn))


# ------------------------------------------------------------------ drawing


@export("image.draw_bounding_boxes")
@documented_like(non_max_suppression_with_overlaps)
def draw_bounding_boxes_v2(images: Any, boxes: Any, colors: Any, name: str | None = None) -> Any:
    """Draws boxes on images.

    Args:
        images: A batch of images with one, three or four channels, float32 or float16.
        boxes: A tensor (batch, boxes, 4) of (y1, x1, y2, x2), parts of the height and width.
        colors: A matrix of colours, one for each box, used in turns; None for ten colours.

    Returns:
        A tensor of the same dtype and shape.
    """
    if colors is None:
        return OPS["DrawBoundingBoxes"].public(images, boxes)
    return OPS["DrawBoundingBoxesV2"].public(images, boxes, colors)


@export("compat.v1.image.draw_bounding_boxes")
@documented_like(draw_bounding_boxes_v2)
def draw_bounding_boxes(
    images: Any, boxes: Any, name: str | None = None, colors: Any = None
) -> Any:
    """Draws boxes on images."""
    return draw_bounding_boxes_v2(images, boxes, colors)


# ------------------------------------------------------------------ random crops


def _ranges(
    aspect_ratio_range: Any, area_range: Any, max_attempts: Any, uses_image: Any
) -> dict[str, Any]:
    """Returns the attributes that are not None."""
    attributes = {
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": uses_image,
    }
    return {name: value for name, value in attributes.items() if value is not None}


@export("image.sample_distorted_bounding_box")
def sample_distorted_bounding_box_v2(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any = 0,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> Any:
    """Draws a crop of an image that covers a part of some box.

    Args:
        image_size: The height, the width and the number of channels.
        bounding_boxes: A tensor (batch, boxes, 4) of (y1, x1, y2, x2), parts of the height and width.
        seed: An op seed, an integer; 0 for none.
        min_object_covered: The part of some box that the crop covers at least.
        aspect_ratio_range: The bounds of the ratio of width and height; (0.75, 1.33) if None.
        area_range: The bounds of the area, parts of the image's; (0.05, 1) if None.
        max_attempts: The number of crops to try, 100 if None; then the whole image is taken.
        use_image_if_no_bounding_boxes: If True, no boxes stand for one of the whole image.

    Returns:
        The offset and the size of the crop, for ``tf.slice``, and the crop as a box.

    Raises:
        InvalidArgumentError: The shapes or the ranges are not valid, or there are no boxes.
    """
    first, second = seeds.of_op(seed) if seed else (0, 0)
    ranges = _ranges(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    sample = OPS["SampleDistortedBoundingBoxV2"].public
    inputs = (image_size, bounding_boxes, min_object_covered)
    return SampledCrop(*sample(*inputs, seed=first, seed2=second, **ranges))


@export("compat.v1.image.sample_distorted_bounding_box")
@documented_like(sample_distorted_bounding_box_v2)
def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any = None,
    seed2: Any = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> Any:
    """Draws a crop of an image that covers a part of some box.

    Args:
        seed: A seed.
        seed2: A second seed.
    """
    ranges = _ranges(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    sample = OPS["SampleDistortedBoundingBoxV2"].public
    inputs = (image_size, bounding_boxes, min_object_covered)
    return SampledCrop(*sample(*inputs, seed=seed or 0, seed2=seed2 or 0, **ranges))


@export("image.stateless_sample_distorted_bounding_box")
@documented_like(sample_distorted_bounding_box_v2)
def stateless_sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: Any,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> Any:
    """Draws a crop of an image that covers a part of some box, by a seed alone.

    Args:
        seed: A vector of two integers.
    """
    ranges = _ranges(aspect_ratio_range, area_range, max_attempts, use_image_if_no_bounding_boxes)
    sample = OPS["StatelessSampleDistortedBoundingBox"].public
    return StatelessCrop(*sample(image_size, bounding_boxes, min_object_covered, seed, **ranges))


# ------------------------------------------------------------------ non-maximum suppression of batches of boxes
# TensorFlow's function is an approximation of the sequential one: within a tile, boxes that suppress others
# are found by iterations, which end where the sum of the remaining overlaps changes by no more than the
# threshold. The same iterations are made here, so that the same boxes are selected. So is the order of the
# corners of the very first box taken for that of all.


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
