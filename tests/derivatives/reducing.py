"""Points for reductions, running ones, those by segment, and what is sorted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._points import Point, Table, apart, at, away, between, both, index, ints, some

POINTS: Table = {}


def _reduced(make: Any) -> list[Point]:
    return [
        at(make(2, 3), ints(1)),
        at(make(2, 3), ints(0, -1), keepdims=True),
        at(make(2, 3), None),
        at(make(2, 3), ints()),
        at(make(2, 3, 2), index(1), keepdims=True),
        at(make(), None),
    ]


POINTS["Sum"] = _reduced(some) + [at(both(2, 2), ints(1))]
POINTS["Mean"] = _reduced(some) + [at(both(2, 2), None)]
POINTS["Max"] = POINTS["Min"] = _reduced(apart)
POINTS["EuclideanNorm"] = _reduced(away)
_ZEROS = np.array([[0.0, 1.5, -2.0], [0.0, 0.5, 0.0]])  # a row with one zero, a row with two
# Of second order TensorFlow divides by the elements: where one is zero its gradient is another.
POINTS["Prod"] = (
    _reduced(some)
    + [at(_ZEROS, ints(axis), order=1) for axis in (0, 1)]
    + [at(both(3), None, order=1)]
)

_MODES: list[dict[str, Any]] = [
    {},
    {"exclusive": True},
    {"reverse": True},
    {"exclusive": True, "reverse": True},
]
POINTS["Cumsum"] = [at(some(2, 3), index(1), **mode) for mode in _MODES] + [at(both(3), index(0))]
POINTS["Cumprod"] = [at(away(2, 3), index(axis), **mode) for mode in _MODES for axis in (0, -1)]
POINTS["CumulativeLogsumexp"] = [at(some(2, 3), index(1), **mode) for mode in _MODES]

_SORTED = ints(0, 0, 2, 2)
for _type in ("SegmentSum", "SegmentMean"):
    POINTS[_type] = [at(some(4), _SORTED), at(some(4, 2), _SORTED), at(both(4), _SORTED)]
POINTS["SegmentMax"] = POINTS["SegmentMin"] = [at(apart(4), _SORTED), at(apart(4, 2), _SORTED)]
POINTS["SegmentProd"] = [
    at(away(4, 2), _SORTED),
    at(np.array([0.0, 2.0, 3.0, 0.5]), _SORTED, order=1),
]

_ANY, _COUNT = ints(1, -1, 1, 0), index(3)
POINTS["UnsortedSegmentSum"] = [
    at(some(4), _ANY, _COUNT),
    at(some(2, 2), ints([0, 1], [1, 1]), _COUNT),
]
POINTS["UnsortedSegmentMax"] = POINTS["UnsortedSegmentMin"] = [
    at(apart(4), _ANY, index(2)),
    at(apart(4, 2), _ANY, index(2)),
]
POINTS["UnsortedSegmentProd"] = [
    at(away(4, 2), _ANY, _COUNT),
    at(np.array([0.0, 2.0, 3.0, 0.5]), _ANY, _COUNT, order=1),
]
POINTS["TopKV2"] = [at(apart(2, 4), index(2)), at(apart(5), index(3), sorted=False)]
POINTS["NthElement"] = [at(apart(2, 4), index(1)), at(apart(5), index(3), reverse=True)]

POINTS["Softmax"] = POINTS["LogSoftmax"] = [at(some(2, 3))]
POINTS["L2Loss"] = [at(some(2, 3))]
_LABELS = between(0, 1, 2, 3)
_LABELS /= _LABELS.sum(axis=1, keepdims=True)
# Of second order TensorFlow takes the derivatives by the logits for independent of the labels.
POINTS["SoftmaxCrossEntropyWithLogits"] = [
    at(some(2, 3), _LABELS, order=1),
    at(some(2, 3), _LABELS, fixed=(1,)),
]
POINTS["SparseSoftmaxCrossEntropyWithLogits"] = [at(some(2, 3), ints(2, 0))]
