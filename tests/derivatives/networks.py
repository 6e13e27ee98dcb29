"""Points for neural networks; more of them are in ``unit/autodiff/test_gradients_nn.py``."""

from __future__ import annotations

import twinflow as tf

from ._points import Table, apart, at, away, between, ints, some

POINTS: Table = {}

POINTS["BiasAdd"] = [at(some(2, 3), some(3)), at(some(1, 3, 2), some(3), data_format="NCHW")]
_STEPS = {"strides": [1, 2, 1, 1], "padding": "SAME"}
POINTS["Conv2D"] = [at(some(1, 3, 3, 1), some(2, 2, 1, 2), **_STEPS)]
POINTS["Conv2DBackpropInput"] = [at(ints(1, 3, 3, 1), some(2, 2, 1, 2), some(1, 2, 3, 2), **_STEPS)]
POINTS["Conv2DBackpropFilter"] = [
    at(some(1, 3, 3, 1), ints(2, 2, 1, 2), some(1, 2, 3, 2), **_STEPS)
]
_MOVES = {"strides": [1, 1, 2, 1], "rates": [1, 2, 1, 1], "padding": "SAME"}
POINTS["Dilation2D"] = [at(apart(1, 4, 4, 2), some(2, 2, 2), **_MOVES, order=1)]
_LONG = {"output_dtype": "float64"}
POINTS["IsotonicRegression"] = [at(some(2, 5), **_LONG), at(some(1, 8), **_LONG)]  # no equal means

POINTS["BiasAddGrad"] = [at(some(2, 2, 3)), at(some(1, 3, 2), data_format="NCHW")]
POINTS["EluGrad"] = [at(some(5), between(-0.9, -0.1, 5)), at(some(3), between(0.2, 2, 3))]
POINTS["SeluGrad"] = [at(some(5), between(-1.7, -0.1, 5)), at(some(3), between(0.2, 2, 3))]
POINTS["SigmoidGrad"] = [at(some(2, 3), some(2, 3))]
POINTS["TanhGrad"] = [at(some(2, 3), some(2, 3))]
POINTS["SoftsignGrad"] = [at(some(5), away(5))]

# Windows over images and volumes.
_SAME = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 2, 1], "padding": "SAME"}
_VALID = {"ksize": [1, 2, 1, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
_CUBES = {"ksize": [1, 2, 1, 2, 1], "strides": [1, 1, 1, 2, 1], "padding": "SAME"}
_IMAGE = apart(1, 3, 3, 2)
POINTS["AvgPool"] = [at(some(1, 3, 3, 2), **_SAME), at(some(2, 3, 2, 1), **_VALID)]
POINTS["AvgPoolGrad"] = [at(ints(1, 3, 3, 2), some(1, 3, 2, 2), **_SAME)]
POINTS["AvgPool3D"] = [at(some(1, 2, 2, 3, 1), **_CUBES)]
POINTS["AvgPool3DGrad"] = [at(ints(1, 2, 2, 3, 1), some(1, 2, 2, 2, 1), **_CUBES)]
POINTS["MaxPool"] = [at(_IMAGE, **_SAME), at(apart(2, 3, 2, 1), **_VALID)]
POINTS["MaxPoolWithArgmax"] = [at(_IMAGE, **_SAME)]
_FRACTIONS = {"pooling_ratio": [1.0, 1.5, 1.2, 1.0], "deterministic": True, "seed": 5, "seed2": 9}
POINTS["FractionalMaxPool"] = [at(apart(1, 3, 4, 2), **_FRACTIONS, order=1)]
POINTS["FractionalAvgPool"] = [at(some(1, 3, 4, 2), **_FRACTIONS, order=1)]
# The derivative of the largest elements by the elements is constant between ties.
_LARGEST = tf.nn.max_pool_with_argmax(_IMAGE, _SAME["ksize"], _SAME["strides"], "SAME")
_MAXIMA, _WHERE = (x.numpy() for x in _LARGEST)
POINTS["MaxPoolGrad"] = [at(_IMAGE, _MAXIMA, some(1, 3, 2, 2), fixed=(0, 1), **_SAME)]
POINTS["MaxPoolGradGrad"] = [at(_IMAGE, _MAXIMA, some(1, 3, 3, 2), fixed=(0, 1), **_SAME)]
POINTS["MaxPoolGradWithArgmax"] = [at(_IMAGE, some(1, 3, 2, 2), _WHERE, fixed=(0,), **_SAME)]
POINTS["MaxPoolGradGradWithArgmax"] = [at(_IMAGE, some(1, 3, 3, 2), _WHERE, fixed=(0,), **_SAME)]

# Convolutions of volumes, and of each channel.
_DEEP = {"strides": [1, 1, 2, 1, 1], "padding": "SAME"}
_SIZES, _FILTERS = ints(1, 2, 3, 2, 1), ints(1, 2, 2, 1, 2)
POINTS["Conv3D"] = [at(some(1, 2, 3, 2, 1), some(1, 2, 2, 1, 2), **_DEEP)]
POINTS["Conv3DBackpropInputV2"] = [at(_SIZES, some(1, 2, 2, 1, 2), some(1, 2, 2, 2, 2), **_DEEP)]
POINTS["Conv3DBackpropFilterV2"] = [at(some(1, 2, 3, 2, 1), _FILTERS, some(1, 2, 2, 2, 2), **_DEEP)]
_EACH = {
    "strides": [1, 1, 1, 1],
    "padding": "EXPLICIT",
    "explicit_paddings": [0, 0, 1, 0, 0, 1, 0, 0],
}
_OUT = some(1, 3, 2, 4)
POINTS["DepthwiseConv2dNative"] = [at(some(1, 3, 2, 2), some(2, 2, 2, 2), **_EACH)]
POINTS["DepthwiseConv2dNativeBackpropInput"] = [
    at(ints(1, 3, 2, 2), some(2, 2, 2, 2), _OUT, **_EACH)
]
POINTS["DepthwiseConv2dNativeBackpropFilter"] = [
    at(some(1, 3, 2, 2), ints(2, 2, 2, 2), _OUT, **_EACH)
]
