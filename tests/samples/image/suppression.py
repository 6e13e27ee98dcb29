"""Samples of the ops in ``_src/ops/image/suppression.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, index, strided

SAMPLES: dict[str, list[Sample]] = {}
_RNG = np.random.default_rng(6)
_CENTERS, _SIZES = _RNG.uniform(0, 5, (40, 2)), _RNG.uniform(0.2, 1.5, (40, 2))
_BOXES = np.concatenate([_CENTERS - _SIZES, _CENTERS + _SIZES], 1).astype("float32")
_SCORES = _RNG.uniform(size=40).astype("float32")
_MOST, _HALF, _LEAST = index(10), array(0.5), array(0.2)


def _overlap(a: Any, b: Any) -> float:
    sides = [(min(x[k], x[k + 2]), max(x[k], x[k + 2])) for x in (a, b) for k in (0, 1)]
    area = [(sides[i][1] - sides[i][0]) * (sides[i + 1][1] - sides[i + 1][0]) for i in (0, 2)]
    common = 1.0
    for k in (0, 1):
        common *= max(min(sides[k][1], sides[k + 2][1]) - max(sides[k][0], sides[k + 2][0]), 0)
    return float(common / (sum(area) - common)) if min(area) > 0 else 0.0


def _greedy(
    boxes: Any,
    scores: Any,
    most: Any,
    threshold: Any = 0.5,
    least: Any = -np.inf,
    *_: Any,
    **attrs: Any,
) -> Any:
    """One box after the other."""
    threshold = attrs.get("iou_threshold", threshold)
    selected: list[int] = []
    boxes = boxes.astype("float64")
    for i in sorted(range(len(scores)), key=lambda i: (-float(scores[i]), i)):
        if (
            len(selected) < most
            and scores[i] > least
            and all(_overlap(boxes[i], boxes[j]) <= threshold for j in selected)
        ):
            selected.append(i)
    return np.array(selected, "int32")


def _padded(*arguments: Any, pad_to_max_output_size: bool = False) -> list[Any]:
    selected = _greedy(*arguments)
    rest = int(arguments[2]) - len(selected) if pad_to_max_output_size else 0
    return [np.pad(selected, (0, rest)), np.array(len(selected), "int32")]


_PAD = {"pad_to_max_output_size": True}
_TWO = (_BOXES, _SCORES)
_NONE = (_BOXES[:0], _SCORES[:0])
_SHORT = (_BOXES[:12].astype("float16"), _SCORES[:12].astype("float16"))
_LOW = (array(0.5, "float16"), array(0.2, "float16"))
SAMPLES["NonMaxSuppression"] = of(
    _greedy, (*_TWO, _MOST), (*_TWO, index(40), {"iou_threshold": 0.1}), (*_NONE, _MOST)
)
SAMPLES["NonMaxSuppressionV2"] = of(_greedy, (*_TWO, _MOST, _HALF), (*_TWO, index(0), _HALF)) + of(
    None, (*_SHORT, _MOST, _LOW[0])
)
SAMPLES["NonMaxSuppressionV3"] = of(
    _greedy,
    (*_TWO, _MOST, _HALF, _LEAST),
    (*_TWO, index(40), array(0.1), array(-np.inf)),
    (_BOXES[:, [2, 3, 0, 1]], _SCORES, _MOST, _HALF, _LEAST),
    (strided((5, 4)), array([5, 4, 3, 2, 1]), _MOST, _HALF, _LEAST),
    (*_NONE, _MOST, _HALF, _LEAST),
) + of(None, (*_SHORT, _MOST, *_LOW))
SAMPLES["NonMaxSuppressionV4"] = of(
    _padded, (*_TWO, _MOST, _HALF, _LEAST), (*_TWO, index(50), _HALF, _LEAST, _PAD)
)
SAMPLES["NonMaxSuppressionV5"] = of(
    None,
    (*_TWO, _MOST, _HALF, _LEAST, array(0.0)),
    (*_TWO, index(50), _HALF, _LEAST, array(0.3), _PAD),
    (*_SHORT, _MOST, *_LOW, array(0.5, "float16")),
)
_OVERLAPS = array([[_overlap(a, b) for a in _BOXES] for b in _BOXES])
SAMPLES["NonMaxSuppressionWithOverlaps"] = of(
    lambda _, *rest: _greedy(_BOXES, *rest), (_OVERLAPS, _SCORES, _MOST, _HALF, _LEAST)
)
_LIMITS = (index(3), index(7), _HALF, _LEAST)
_CLASSES = _RNG.uniform(size=(2, 40, 3)).astype("float32")
_PLACES = np.stack([_BOXES, _BOXES[::-1]])[:, :, None] / 5
SAMPLES["CombinedNonMaxSuppression"] = of(
    None,
    (_PLACES, _CLASSES, *_LIMITS),
    (_PLACES, _CLASSES, index(2), index(20), _HALF, _LEAST, {"pad_per_class": True}),
    (np.repeat(_PLACES, 3, 2), _CLASSES, *_LIMITS, {"clip_boxes": False}),
    (_PLACES[:0], _CLASSES[:0], *_LIMITS),
)
_ANCHORS = np.tile(array([[0, 0, 8, 8], [0, 0, 16, 4]]), (6, 1)) + np.repeat(
    _RNG.uniform(0, 20, (6, 1)), 2, 0
)
SAMPLES["GenerateBoundingBoxProposals"] = of(
    None,
    (
        array(_RNG.uniform(size=(2, 2, 3, 2))),
        array(_RNG.normal(size=(2, 2, 3, 8)) * 0.1),
        array([[30, 40, 1, 0, 0]] * 2),
        array(_ANCHORS.reshape(2, 3, 8)),
        array(0.7),
        index(10),
        array(2.0),
        {"post_nms_topn": 5},
    ),
)
