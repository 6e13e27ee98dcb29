"""Non-maximum suppression: boxes in the order of their scores, without those that overlap others.

The loop over boxes runs on the host, over blocks: a block is compared with all boxes that were
selected before in one pass, and then box by box within itself.
"""

from __future__ import annotations

import collections
import heapq
from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import float16, float32, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, text
from twinflow._src.dispatch.op import Kind, op
from twinflow._src.ops.image.sampling import Floats
from twinflow._src.shape_rules.demands import (
    merged_size,
    ranked,
    scalar_value,
    sized,
    value_dims,
)

_SHORT = frozenset((float16, float32))
_Boxes = Annotated[Any, Kind("T", default=float32, allowed=_SHORT)]
_Count = Annotated[Any, Kind("int32", only=int32, host=True)]
_Level = Annotated[Any, Kind("T", default=float32, allowed=_SHORT, host=True)]
_Threshold = Annotated[Any, Kind("T_threshold", default=float32, allowed=_SHORT, host=True)]
_HostFloat = Annotated[Any, Kind("float", only=float32, host=True)]
_CPU = ("CPU",)
# The results of public functions, named as TensorFlow names them.
CombinedBoxes = collections.namedtuple(  # type: ignore[name-match]
    "CombinedNonMaxSuppression", "nmsed_boxes nmsed_scores nmsed_classes valid_detections"
)
Proposals = collections.namedtuple("GenerateBoundingBoxProposals", "rois roi_probabilities")  # type: ignore[name-match]
_BLOCK = 256


# ------------------------------------------------------------------ validation


def _check_scalar(value: Any, name: str) -> None:
    if value.ndim:
        raise invalid(
            f"{name} must be 0-D, got shape {text(value.shape)} "
            f"(Shape must be rank 0 but is rank {value.ndim})"
        )


def _check_scores(scores: Any, count: int) -> None:
    if scores.ndim != 1:
        raise invalid(
            f"scores must be 1-D{text(scores.shape)} "
            f"(Shape must be rank 1 but is rank {scores.ndim})"
        )
    if len(scores) != count:
        raise invalid(
            "scores has incompatible shape "
            f"(Dimensions must be equal, but are {count} and {len(scores)})"
        )


def _check_boxes(boxes: Any, scores: Any, most: Any, threshold: Any) -> int:
    """Validates the arguments, and returns the most boxes to select."""
    _check_scalar(most, "max_output_size")
    if most < 0:
        raise invalid("output size must be non-negative")
    _check_scalar(threshold, "iou_threshold")
    if not 0 <= threshold <= 1:
        raise invalid("iou_threshold must be in [0, 1]")
    if boxes.ndim != 2:
        raise invalid(
            f"boxes must be 2-D{text(boxes.shape)} (Shape must be rank 2 but is rank {boxes.ndim})"
        )
    if boxes.shape[1] != 4:
        raise invalid(f"boxes must have 4 columns (Dimension must be 4 but is {boxes.shape[1]})")
    _check_scores(scores, len(boxes))
    return int(most)


def _selected_shape(
    boxes: Dims | None, scores: Dims | None, most: Any, *rest: Any, **_: Any
) -> Dims:
    rows = ranked(boxes, 2)
    merged_size(rows[0], ranked(scores, 1)[0])
    if rows[1] is not None:
        sized(rows[1], 4)
    for value in (most, *rest):
        ranked(value_dims(value), 0)
    return (None,)


# ------------------------------------------------------------------ overlaps


class _Corners:
    """Boxes by their sides, with the smaller side first, and their areas."""

    def __init__(self, boxes: Any) -> None:
        self.top, self.bottom = (
            np.minimum(boxes[:, 0], boxes[:, 2]),
            np.maximum(boxes[:, 0], boxes[:, 2]),
        )
        self.left, self.right = (
            np.minimum(boxes[:, 1], boxes[:, 3]),
            np.maximum(boxes[:, 1], boxes[:, 3]),
        )
        self.area = (self.bottom - self.top) * (self.right - self.left)

    def overlaps(self, these: Any, others: Any) -> Any:
        """Returns the intersection over union of two lists of boxes, by indices: a matrix."""
        at = lambda side: (side[these][:, None], side[others][None, :])
        zero = self.area.dtype.type(0)
        height = np.minimum(*at(self.bottom))
        height -= np.maximum(*at(self.top))
        width = np.minimum(*at(self.right))
        width -= np.maximum(*at(self.left))
        common = np.maximum(height, zero, out=height)
        common *= np.maximum(width, zero, out=width)
        own_area, other_area = at(self.area)
        whole = own_area + other_area
        whole -= common
        with np.errstate(all="ignore"):
            result = common / whole
        empty = (own_area <= 0) | (other_area <= 0)
        return np.where(empty, zero, result) if empty.any() else result


def _in_order(scores: Any, threshold: Any) -> Any:
    """Returns the indices of the scores above a threshold, the greatest first."""
    with np.errstate(invalid="ignore"):
        candidates = np.flatnonzero(scores > threshold)
    return candidates[np.argsort(-scores[candidates].astype(np.float64), kind="stable")]


def _select(overlaps: Any, order: Any, most: int, threshold: Any) -> Any:
    """Returns the indices that are selected, int32."""
    # ``overlaps`` is a function of two lists of indices.
    selected = np.empty(0, np.int64)
    for first in range(0, len(order), _BLOCK):
        if len(selected) >= most:
            break
        block = order[first : first + _BLOCK]
        if len(selected):
            block = block[~(overlaps(block, selected) > threshold).any(1)]
        selected = np.concatenate([selected, _select_in_block(overlaps, block, threshold)])
    return selected[:most].astype(np.int32)


def _select_in_block(overlaps: Any, block: Any, threshold: Any) -> Any:
    if not len(block):
        return block
    conflicts = overlaps(block, block) > threshold
    possible = np.ones(len(block), bool)
    chosen = []
    for i in range(len(block)):
        if possible[i]:
            chosen.append(i)
            possible[i:] &= ~conflicts[i:, i]
    return block[chosen]


def _select_hard(boxes: Any, scores: Any, most: int, threshold: Any, least: Any) -> Any:
    corners = _Corners(boxes)
    return _select(corners.overlaps, _in_order(scores, least), most, threshold)


def _select_soft(boxes: Any, scores: Any, most: int, least: Any, sigma: float) -> tuple[Any, Any]:
    """Returns indices and scores; scores shrink with each overlap with a box that is selected."""
    # Source: Bodla et al., "Soft-NMS: improving object detection with one line of code" (2017).
    corners, number = _Corners(boxes), scores.dtype.type
    scale = number(-0.5) / number(sigma)
    heap = [(-float(scores[i]), int(i), 0) for i in _in_order(scores, least)]
    heapq.heapify(heap)
    indices: list[int] = []
    values: list[Any] = []
    while len(indices) < most and heap:
        before, i, begin = heapq.heappop(heap)
        score = number(-before)
        if begin < len(indices):
            overlap = corners.overlaps(np.array([i]), np.array(indices[begin:]))[0]
            exponent = (scale * overlap * overlap).astype(np.float64)
            for weight in np.exp(exponent).astype(scores.dtype)[::-1]:
                score = number(score * weight)
                if score <= least:
                    break
        if score == number(-before):
            indices.append(i)
            values.append(score)
        elif score > least:
            heapq.heappush(heap, (-float(score), i, len(indices)))
    return np.array(indices, np.int32), np.array(values, scores.dtype)


def _padded(values: Any, size: int) -> Any:
    result = np.zeros((size, *values.shape[1:]), values.dtype)
    result[: len(values)] = values
    return result


# ------------------------------------------------------------------ ops


@op(
    "NonMaxSuppression",
    shape=_selected_shape,
    dtypes=frozenset((float32,)),
    out=int32,
    devices=_CPU,
    no_gradient=True,
)
def non_max_suppression_v1(
    xp: Any, boxes: Floats, scores: Floats, max_output_size: _Count, *, iou_threshold: float = 0.5
) -> Any:
    """Selects boxes by non-maximum suppression."""
    threshold = np.float32(iou_threshold)
    most = _check_boxes(boxes, scores, max_output_size, threshold)
    return _select_hard(boxes, scores, most, threshold, np.finfo(np.float32).min)


@op(
    "NonMaxSuppressionV2",
    shape=_selected_shape,
    dtypes=_SHORT,
    out=int32,
    devices=_CPU,
    no_gradient=True,
)
def non_max_suppression_v2(
    xp: Any, boxes: _Boxes, scores: _Boxes, max_output_size: _Count, iou_threshold: _Threshold
) -> Any:
    """Selects boxes by non-maximum suppression."""
    most = _check_boxes(boxes, scores, max_output_size, iou_threshold)
    return _select_hard(boxes, scores, most, iou_threshold, np.finfo(scores.dtype).min)


@op("NonMaxSuppressionV3", shape=_selected_shape, dtypes=_SHORT, out=int32, devices=_CPU)
def non_max_suppression_v3(
    xp: Any,
    boxes: _Boxes,
    scores: _Boxes,
    max_output_size: _Count,
    iou_threshold: _Threshold,
    score_threshold: _Threshold,
) -> Any:
    """Selects boxes by non-maximum suppression."""
    most = _check_boxes(boxes, scores, max_output_size, iou_threshold)
    _check_scalar(score_threshold, "score_threshold")
    return _select_hard(boxes, scores, most, iou_threshold, score_threshold)


def _length(size: Any, is_padded: bool) -> int | None:
    return scalar_value(size) if is_padded else None


def _padded_shape(
    boxes: Dims | None,
    scores: Dims | None,
    most: Any,
    *rest: Any,
    pad_to_max_output_size: bool = False,
) -> list[Dims]:
    _selected_shape(boxes, scores, most, *rest)
    return [(_length(most, pad_to_max_output_size),), ()]


@op("NonMaxSuppressionV4", shape=_padded_shape, dtypes=_SHORT, out=int32, devices=_CPU)
def non_max_suppression_v4(
    xp: Any,
    boxes: _Boxes,
    scores: _Boxes,
    max_output_size: _Count,
    iou_threshold: _Threshold,
    score_threshold: _Threshold,
    *,
    pad_to_max_output_size: bool = False,
) -> Any:
    """Selects boxes by non-maximum suppression."""
    most = _check_boxes(boxes, scores, max_output_size, iou_threshold)
    _check_scalar(score_threshold, "score_threshold")
    selected = _select_hard(boxes, scores, most, iou_threshold, score_threshold)
    count = np.array(len(selected), np.int32)
    return [_padded(selected, most) if pad_to_max_output_size else selected, count]


def _scored_shape(
    boxes: Dims | None,
    scores: Dims | None,
    most: Any,
    *rest: Any,
    pad_to_max_output_size: bool = False,
) -> list[Dims]:
    _selected_shape(boxes, scores, most, *rest)
    length = _length(most, pad_to_max_output_size)
    return [(length,), (length,), ()]


@op("NonMaxSuppressionV5", shape=_scored_shape, dtypes=_SHORT, devices=_CPU)
def non_max_suppression_v5(
    xp: Any,
    boxes: _Boxes,
    scores: _Boxes,
    max_output_size: _Count,
    iou_threshold: _Level,
    score_threshold: _Level,
    soft_nms_sigma: _Level,
    *,
    pad_to_max_output_size: bool = False,
) -> Any:
    """Selects boxes by non-maximum suppression, with scores that may shrink instead."""
    most = _check_boxes(boxes, scores, max_output_size, iou_threshold)
    _check_scalar(score_threshold, "score_threshold")
    _check_scalar(soft_nms_sigma, "soft_nms_sigma")
    if not soft_nms_sigma >= 0:
        raise invalid("soft_nms_sigma_val must be >= 0")
    if soft_nms_sigma > 0:
        selected, values = _select_soft(boxes, scores, most, score_threshold, float(soft_nms_sigma))
    else:
        selected = _select_hard(boxes, scores, most, iou_threshold, score_threshold)
        values = scores[selected]
    count = np.array(len(selected), np.int32)
    if pad_to_max_output_size:
        selected, values = _padded(selected, most), _padded(values, most)
    return [selected, values, count]


def _overlaps_shape(overlaps: Dims | None, scores: Dims | None, most: Any, *rest: Any) -> Dims:
    rows = ranked(overlaps, 2)
    merged_size(merged_size(rows[0], rows[1]), ranked(scores, 1)[0])
    for value in (most, *rest):
        ranked(value_dims(value), 0)
    return (None,)


@op(
    "NonMaxSuppressionWithOverlaps",
    shape=_overlaps_shape,
    dtypes=frozenset((float32,)),
    out=int32,
    devices=_CPU,
    no_gradient=True,
)
def non_max_suppression_with_overlaps(
    xp: Any,
    overlaps: Floats,
    scores: Floats,
    max_output_size: _Count,
    overlap_threshold: _HostFloat,
    score_threshold: _HostFloat,
) -> Any:
    """Selects boxes by given overlaps."""
    _check_scalar(max_output_size, "max_output_size")
    _check_scalar(overlap_threshold, "overlap_threshold")
    _check_scalar(score_threshold, "score_threshold")
    if overlaps.ndim != 2:
        raise invalid(f"overlaps must be 2-D{text(overlaps.shape)}")
    if overlaps.shape[0] != overlaps.shape[1]:
        raise invalid(f"overlaps must be square{text(overlaps.shape)}")
    _check_scores(scores, len(overlaps))
    of = lambda these, others: overlaps[np.ix_(these, others)]
    order = _in_order(scores, score_threshold)
    return _select(of, order, int(max_output_size), overlap_threshold)


# ------------------------------------------------------------------ several classes


def _combined_shape(
    boxes: Dims | None,
    scores: Dims | None,
    per_class: Any,
    total: Any,
    *_: Any,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> list[Dims]:
    places, values = ranked(boxes, 4), ranked(scores, 3)
    batch = merged_size(places[0], values[0])
    merged_size(places[1], values[1])
    if places[3] is not None:
        sized(places[3], 4)
    size, most = scalar_value(total), scalar_value(per_class)
    if pad_per_class:
        unknown = None in (size, most, values[2])
        size = None if unknown else min(size, most * values[2])  # type: ignore[type-var,operator]
    return [(batch, size, 4), (batch, size), (batch, size), (batch,)]


def _check_combined(
    boxes: Any, scores: Any, sizes: tuple[Any, Any], levels: tuple[Any, Any]
) -> None:
    for name, value, positive in zip(
        ("max_size_per_class", "max_total_size"), sizes, ("be positive", "be > 0")
    ):
        if value.ndim:
            raise invalid(f"{name} must be 0-D, got shape {text(value.shape)}")
        if value <= 0:
            raise invalid(f"{name} must {positive}")
    for name, value in zip(("iou_threshold", "score_threshold"), levels):
        if value.ndim:
            raise invalid(f"{name} must be 0-D, got shape {text(value.shape)}")
    if not 0 <= levels[0] <= 1:
        raise invalid("iou_threshold must be in [0, 1]")
    if len(boxes) != len(scores):
        raise invalid("boxes and scores must have same batch size")
    if boxes.ndim != 4:
        raise invalid(f"boxes must be 4-D{text(boxes.shape)}")
    if scores.ndim != 3:
        raise invalid(f"scores must be 3-D{text(scores.shape)}")
    if boxes.shape[2] not in (1, scores.shape[2]):
        raise invalid("third dimension of boxes must be either 1 or num classes")
    if boxes.shape[3] != 4:
        raise invalid("boxes must have 4 columns")
    if boxes.shape[1] != scores.shape[1]:
        raise invalid("scores has incompatible shape")


@op("CombinedNonMaxSuppression", shape=_combined_shape, dtypes=frozenset((float32,)), devices=_CPU)
def combined_non_max_suppression(
    xp: Any,
    boxes: Floats,
    scores: Floats,
    max_output_size_per_class: _Count,
    max_total_size: _Count,
    iou_threshold: _HostFloat,
    score_threshold: _HostFloat,
    *,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
) -> Any:
    """Selects boxes of several classes by non-maximum suppression within each."""
    sizes = (max_output_size_per_class, max_total_size)
    _check_combined(boxes, scores, sizes, (iou_threshold, score_threshold))
    per_class, size = int(max_output_size_per_class), int(max_total_size)
    if pad_per_class:
        size = min(size, per_class * scores.shape[2])
    parts = [
        _combine(b, s, per_class, size, iou_threshold, score_threshold)
        for b, s in zip(boxes, scores)
    ]
    if not parts:
        empty = np.zeros((0, size), np.float32)
        return [np.zeros((0, size, 4), np.float32), empty, empty, np.zeros(0, np.int32)]
    kept, values, classes, counts = (np.stack(column) for column in zip(*parts))
    return [np.clip(kept, 0, 1) if clip_boxes else kept, values, classes, counts]


def _combine(
    boxes: Any, scores: Any, per_class: int, size: int, threshold: Any, least: Any
) -> tuple[Any, ...]:
    """Returns boxes, scores and classes of one image, padded, and their number."""
    boxes_by_class, scores_by_class, classes = [], [], []
    for k in range(scores.shape[1]):
        own_boxes = boxes[:, min(k, boxes.shape[1] - 1)]
        selected = _select_hard(own_boxes, scores[:, k], per_class, threshold, least)
        boxes_by_class.append(own_boxes[selected])
        scores_by_class.append(scores[selected, k])
        classes.append(np.full(len(selected), k, np.float32))
    values = np.concatenate(scores_by_class)
    order = np.argsort(-values, kind="stable")[:size]
    columns = (np.concatenate(boxes_by_class), values, np.concatenate(classes))
    return *(_padded(column[order], size) for column in columns), np.int32(len(order))


# ------------------------------------------------------------------ proposals

# The largest logarithm of a change of size.
_MOST_GROWTH = float(np.log(1000.0 / 16.0))


def _proposals_shape(
    scores: Dims | None,
    deltas: Dims | None,
    info: Any,
    anchors: Any,
    *_: Any,
    post_nms_topn: int = 300,
) -> list[Dims]:
    batch = merged_size(ranked(scores, 4)[0], ranked(deltas, 4)[0])
    return [(batch, post_nms_topn, 4), (batch, post_nms_topn)]


def _check_proposals(scores: Any, deltas: Any, info: Any, anchors: Any) -> None:
    if scores.ndim != 4:
        raise invalid("`scores` must be rank 4 but is rank " + str(scores.ndim))
    if deltas.ndim != 4:
        raise invalid("`bbox_deltas` must be rank 4 but is rank " + str(deltas.ndim))
    if info.ndim != 2 or info.shape[1] < 3:
        raise invalid("`image_info` must be rank 2 but is rank " + str(info.ndim))
    if not 2 <= anchors.ndim <= 4:
        raise invalid("`anchors` must be rank 3 but is rank " + str(anchors.ndim))
    if scores.size * 4 != deltas.size or len(info) != len(scores):
        raise invalid("`bbox_deltas` must hold four numbers for each score")
    if anchors.size * len(scores) != deltas.size:
        raise invalid("`anchors` must hold four numbers for each score of an image")


def _move_anchors(anchors: Any, deltas: Any, height: Any, width: Any) -> Any:
    """Returns anchors, moved by parts of their sizes, grown exponentially and clipped to an image."""
    half, parts = np.float32(0.5), []
    for k, limit in enumerate((height, width)):
        size = anchors[:, k + 2] - anchors[:, k]
        center = anchors[:, k] + half * size + deltas[:, k] * size
        grown = np.exp(np.minimum(deltas[:, k + 2], np.float32(_MOST_GROWTH))) * size
        parts += [np.clip(center + sign * half * grown, 0, limit) for sign in (-1, 1)]
    return np.stack([parts[0], parts[2], parts[1], parts[3]], 1).astype(np.float32)


@op(
    "GenerateBoundingBoxProposals",
    shape=_proposals_shape,
    dtypes=frozenset((float32,)),
    devices=_CPU,
    no_gradient=True,
)
def generate_bounding_box_proposals(
    xp: Any,
    scores: Floats,
    bbox_deltas: Floats,
    image_info: Floats,
    anchors: Floats,
    nms_threshold: _HostFloat,
    pre_nms_topn: _Count,
    min_size: _HostFloat,
    *,
    post_nms_topn: int = 300,
) -> Any:
    """Selects regions from the scores and the moves of anchors, by non-maximum suppression."""
    _check_proposals(scores, bbox_deltas, image_info, anchors)
    for name, value in (
        ("nms_threshold", nms_threshold),
        ("pre_nms_topn", pre_nms_topn),
        ("min_size", min_size),
    ):
        _check_scalar(value, name)
    if not 0 <= nms_threshold <= 1:
        raise invalid("nms_threshold should be in [0, 1]")
    if pre_nms_topn <= 0:
        raise invalid("pre_nms_topN should be greater than 0")
    if post_nms_topn <= 0:
        raise invalid("post_nms_topN should be greater than 0")
    regions = np.zeros((len(scores), post_nms_topn, 4), np.float32)
    values = np.zeros((len(scores), post_nms_topn), np.float32)
    places = anchors.reshape(-1, 4)
    for i, (own_scores, deltas, info) in enumerate(zip(scores, bbox_deltas, image_info)):
        flat = own_scores.ravel()
        order = np.argsort(-flat, kind="stable")[: int(pre_nms_topn)]
        boxes = _move_anchors(places[order], deltas.reshape(-1, 4)[order], info[0], info[1])
        least = np.float32(min_size) * info[2]
        large = ((boxes[:, 2:] - boxes[:, :2]) >= least).all(1)
        boxes, ranked_scores = boxes[large], flat[order][large]
        chosen = _select(
            _Corners(boxes).overlaps, np.arange(len(boxes)), post_nms_topn, nms_threshold
        )
        regions[i, : len(chosen)], values[i, : len(chosen)] = boxes[chosen], ranked_scores[chosen]
    return [regions, values]
