"""Gradients of reductions, arrays and losses as TensorFlow's graphs hold them; see ``gradient_forms``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import constant
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int32
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Call
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph.tf_exact.gradients import FORMS, form, step

__all__ = ["FORMS"]

# ------------------------------------------------------------------ reductions


@form("Sum")
def _spread(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, axis = call.inputs[0], _axes(call)
    rank, places = x.shape.rank, None if axis is None else array_of(axis)
    if (
        rank is not None
        and places is not None
        and np.array_equal(places.reshape(-1), np.arange(rank))
    ):
        return _spread_from_one(x, rank, dz), None
    if x.shape.is_fully_defined() and places is not None:
        return _spread_by_known(x, places, dz), None
    sizes = API["shape"](x)
    if not call.attrs["keepdims"]:
        dz = API["reshape"](dz, _kept_sizes(sizes, axis))
    return API["broadcast_to"](dz, sizes), None


def _axes(call: Call) -> Any:
    """The tensor of the dimensions, also where a program named none."""
    x, axes = call.inputs[0], call.inputs[1]
    if axes is None:
        axes = call.outputs.op.implied
    if axes is not None:
        return axes
    return API["range"](API["rank"](x)) if x.shape.rank is None else constant(np.arange(x.shape.rank), int32)


def _spread_from_one(x: Any, rank: int, dz: Any) -> Any:
    dz = API["reshape"](dz, [1] * rank)
    return API["tile"](
        dz, constant(x.shape._dims, int32) if x.shape.is_fully_defined() else API["shape"](x)
    )


def _spread_by_known(x: Any, places: Any, dz: Any) -> Any:
    """A gradient in the shape that a tensor had before dimensions were summed; how is computed once a graph."""
    dims = x.shape._dims
    summed = {int(place) % len(dims) for place in places.reshape(-1)}
    kept = [1 if i in summed else n for i, n in enumerate(dims)]
    known = thread.scope.graph.kept_sizes
    if (dims, tuple(kept)) not in known:
        known.add((dims, tuple(kept)))
        API["math.floordiv"](np.array(dims, np.int32), API["maximum"](np.array(kept, np.int32), 1))
    dz = API["reshape"](dz, kept)
    return API["tile"](dz, [n // max(m, 1) for n, m in zip(dims, kept)])


def _kept_sizes(sizes: Any, axis: Any) -> Any:
    """A shape with ones in the place of some dimensions."""
    known, places = array_of(sizes), array_of(axis)
    if known is not None and places is not None:
        kept = known.copy()
        kept[places.astype(np.int64)] = 1
        return kept.tolist()
    rank = API["size"](sizes)
    places = (axis + rank) % rank
    ones = API["ones"](API["shape"](places), sizes.dtype)
    return API["dynamic_stitch"]([API["range"](rank), places], [sizes, ones])


@form("Mean")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, z = call.inputs[0], call.outputs
    total = _spread(call, wanted, dz)[0]
    if x.shape.is_fully_defined() and z.shape.is_fully_defined():
        count = constant(
            x.shape.num_elements() // max(z.shape.num_elements(), 1), dtype=total.dtype
        )
        return step("RealDiv", total, count, name="truediv"), None
    sizes = API["shape"](x)
    rank = API["size"](sizes)
    counted = API["reduce_prod"](API["gather"](sizes, (_axes(call) + rank) % rank))
    return step("RealDiv", total, API["cast"](counted, total.dtype), name="truediv"), None


@form("Max", "Min")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    """The gradient of an extreme value: shared equally by the elements that have it."""
    x, z, axis = call.inputs[0], call.outputs, _axes(call)
    sizes = API["shape"](x)
    if call.attrs["keepdims"]:
        kept = API["shape"](z)
    else:
        kept = _kept_sizes(sizes, axis)
        z, dz = API["reshape"](z, kept), API["reshape"](dz, kept)
    chosen = API["cast"](API["equal"](z, x), dz.dtype)
    count = API["reshape"](step("Sum", chosen, axis, keepdims=False), kept)
    return step("RealDiv", chosen, count, name="truediv") * dz, None


# ------------------------------------------------------------------ arrays


@form("Reshape")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    x = call.inputs[0]
    dims = x.shape._dims
    if dims is None or dims.count(None) != 1:
        return API["reshape"](dz, API["shape"](x)), None
    return API["reshape"](dz, [-1 if n is None else n for n in dims]), None


@form("ExpandDims", "Squeeze")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    return API["reshape"](dz, API["shape"](call.inputs[0])), None


@form("Transpose")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    order = call.outputs.op.implied if call.inputs[1] is None else call.inputs[1]
    back = None if order is None else API["math.invert_permutation"](order)  # none: all dimensions are turned round
    return API["transpose"](dz, back), None


@form("StridedSlice")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    x, *bounds = call.inputs
    sizes = API["shape"](x, out_type=bounds[0].dtype)
    known = [array_of(value) for value in (sizes, *bounds)]
    taken = [value if one is None else one for value, one in zip((sizes, *bounds), known)]
    return step("StridedSliceGrad", *taken, dz, **call.attrs), None, None, None


@form("GatherV2")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Any:
    params, indices, axis = call.inputs
    place = array_of(axis)
    if call.attrs["batch_dims"] or place is None or place != 0:
        return NotImplemented
    sizes = API["shape"](params)
    count = API["expand_dims"](API["size"](indices), 0)
    values = API["reshape"](dz, API["concat"]([count, sizes[1:]], 0))
    return IndexedSlices(values, API["reshape"](indices, count), sizes), None, None


# ------------------------------------------------------------------ losses


@form("SoftmaxCrossEntropyWithLogits")
def _(call: Call, wanted: Sequence[bool], dloss: Any, dderivatives: Any) -> Any:
    features, labels = (x.shape for x in call.inputs)
    if dloss is None or dderivatives is not None or not features.is_compatible_with(labels):
        return NotImplemented
    by_logits = API["expand_dims"](dloss, -1) * call.outputs[1]
    surprise = -API["nn.log_softmax"](call.inputs[0])
    return by_logits, API["expand_dims"](dloss, -1) * surprise


@form("LogSoftmax")
def _(call: Call, wanted: Sequence[bool], dz: Any) -> Sequence[Any]:
    y = API["exp"](call.outputs)
    return (dz - API["reduce_sum"](dz, -1, keepdims=True) * y,)
