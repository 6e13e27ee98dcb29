"""Points for neural networks; more of them are in ``unit/test_gradients_nn.py``."""

from __future__ import annotations

from ._points import Table, apart, at, ints, some

POINTS: Table = {}

POINTS["BiasAdd"] = [at(some(2, 3), some(3)), at(some(1, 3, 2), some(3), data_format="NCHW")]
_STEPS = {"strides": [1, 2, 1, 1], "padding": "SAME"}
POINTS["Conv2D"] = [at(some(1, 3, 3, 1), some(2, 2, 1, 2), **_STEPS)]
POINTS["Conv2DBackpropInput"] = [at(ints(1, 3, 3, 1), some(2, 2, 1, 2), some(1, 2, 3, 2), **_STEPS)]
POINTS["Conv2DBackpropFilter"] = [at(some(1, 3, 3, 1), ints(2, 2, 1, 2), some(1, 2, 3, 2), **_STEPS)]
_MOVES = {"strides": [1, 1, 2, 1], "rates": [1, 2, 1, 1], "padding": "SAME"}
POINTS["Dilation2D"] = [at(apart(1, 4, 4, 2), some(2, 2, 2), **_MOVES, order=1)]
_LONG = {"output_dtype": "float64"}
POINTS["IsotonicRegression"] = [at(apart(2, 5), **_LONG), at(apart(1, 8), **_LONG)]
