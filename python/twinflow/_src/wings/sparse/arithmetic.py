"""Element-wise arithmetic of two sparse tensors (add, maximum, minimum), and sparse softmax."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import COMPLEXES, ORDERED
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, OpFunction, op
from twinflow._src.wings.sparse.elementwise import sparse_dense_cwise_add
from twinflow._src.wings.sparse.parts import (
    HOST,
    Lengths,
    Places,
    check_range,
    check_rank,
    depth,
    find_runs,
    flatten_indices,
    infer_new_indices,
    infer_new_tensor,
    lexsort,
)

_SUMS = (
    COMPLEXES
    | {dtypes.float32, dtypes.float64}
    | frozenset((dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64))
)
_Threshold = Annotated[Any, Kind("Treal")]


def _union(a: Any, b: Any) -> tuple[Any, Any]:
    """Merges two lists of flat indices and returns the source index in each, -1 if absent.

    Both are merged in one pass as if they were sorted, whether they are or not.
    """
    if (np.diff(a) > 0).all() and (np.diff(b) > 0).all():
        both = np.union1d(a, b)
        return _find_sources(both, a), _find_sources(both, b)
    first, second, i, j = [], [], 0, 0
    while i < len(a) or j < len(b):
        left = j == len(b) or (i < len(a) and a[i] <= b[j])
        right = i == len(a) or (j < len(b) and b[j] <= a[i])
        first.append(i if left else -1)
        second.append(j if right else -1)
        i, j = i + left, j + right
    return np.array(first, np.int64), np.array(second, np.int64)


def _find_sources(both: Any, one: Any) -> Any:
    result = np.full(len(both), -1)
    result[np.searchsorted(both, one)] = np.arange(len(one))
    return result


def _gather_or_zero(values: Any, where: Any) -> Any:
    """Gathers elements by index; 0 for index -1."""
    return np.concatenate([values, np.zeros(1, values.dtype)])[where]


def _merge_indices(a: Any, b: Any, first: Any, second: Any) -> Any:
    return np.concatenate([a, b])[np.where(first >= 0, first, second + len(a))]


# ------------------------------------------------------------------ addition


@op("SparseAdd", shape=infer_new_tensor, dtypes=_SUMS, devices=HOST)
def sparse_add(
    xp: Any,
    a_indices: Places,
    a_values: Any,
    a_shape: Lengths,
    b_indices: Places,
    b_values: Any,
    b_shape: Lengths,
    thresh: _Threshold,
) -> list[Any]:
    """Adds two sparse tensors."""
    if a_indices.shape[1] != b_indices.shape[1]:
        raise invalid(
            f"Input indices must have the same dimension, got {a_indices.shape[1]} and "
            f"{b_indices.shape[1]}"
        )
    check_rank(a_shape, b_shape)
    if thresh.ndim:
        raise invalid(f"The magnitude threshold must be a scalar: got shape {text(thresh.shape)}")
    first, second = _union(flatten_indices(a_indices, a_shape), flatten_indices(b_indices, a_shape))
    sums = (_gather_or_zero(a_values, first) + _gather_or_zero(b_values, second)).astype(
        a_values.dtype
    )
    is_kept = (
        (first < 0) | (second < 0) | (np.abs(sums) >= thresh)
    )  # an element of one operand alone is not a sum
    indices = _merge_indices(a_indices, b_indices, first, second)
    return [indices[is_kept], sums[is_kept], a_shape.copy()]


@sparse_add.gradient
def _(call: Call, _: Any, dy: Any, __: Any) -> Any:
    a_indices, b_indices = call.inputs[0], call.inputs[3]
    a_grad, b_grad = sparse_add_grad(dy, a_indices, b_indices, call.outputs[0])
    return None, a_grad, None, None, b_grad, None, None


def _infer_gradients(dy: Any, a_indices: Any, b_indices: Any, *_: Any) -> list[Any]:
    return [shape and (shape[0],) for shape in (a_indices, b_indices)]


@op("SparseAddGrad", shape=_infer_gradients, dtypes=_SUMS, devices=HOST)
def sparse_add_grad(
    xp: Any,
    backprop_val_grad: Any,
    a_indices: Places,
    b_indices: Places,
    sum_indices: Places,
) -> list[Any]:
    """Computes the gradients of the values of two sparse tensors from that of their sum."""
    limits = np.concatenate([a_indices, b_indices, sum_indices]).max(axis=0, initial=0) + 1
    of_sum = flatten_indices(sum_indices, limits)
    order = np.argsort(of_sum, kind="stable")
    result = []
    for indices in (a_indices, b_indices):
        target = flatten_indices(indices, limits)
        where = np.searchsorted(of_sum[order], target)
        inside = np.minimum(where, max(len(of_sum) - 1, 0))
        hit = (of_sum[order][inside] == target) if len(of_sum) else np.zeros(len(target), bool)
        result.append(
            _gather_or_zero(
                backprop_val_grad, np.where(hit, order[inside] if len(order) else 0, -1)
            )
        )
    return result


@sparse_add_grad.gradient
def _(call: Call, da: Any, db: Any) -> Any:
    """Gathers the upstream gradients at the indices of the sum."""
    _, a_indices, b_indices, sum_indices = call.inputs
    back = lambda dy, indices: sparse_add_grad(dy, sum_indices, sum_indices, indices)[0]
    return back(da, a_indices) + back(db, b_indices), None, None, None


# ------------------------------------------------------------------ maximum, minimum


def _either(a: Any, _: Any, a_shape: Any, *__: Any) -> list[Any]:
    return infer_new_indices(depth(a, a_shape))


def _combine(function: Any, a: Any, b: Any) -> list[Any]:
    (a_indices, a_values, a_shape), (b_indices, b_values, b_shape) = a, b
    if len(a_shape) != len(b_shape):
        shown = [" ".join(map(str, shape.tolist())) for shape in (a_shape, b_shape)]
        raise invalid(f"Operands do not have the same ranks; got shapes: {shown[0]} and {shown[1]}")
    check_rank(a_shape, b_shape)
    check_range(a_indices, a_shape)
    check_range(b_indices, b_shape)
    first, second = _union(flatten_indices(a_indices, a_shape), flatten_indices(b_indices, a_shape))
    result = function(_gather_or_zero(a_values, first), _gather_or_zero(b_values, second))
    return [_merge_indices(a_indices, b_indices, first, second), result]


def _define_extremum(noun: str, function: Any) -> OpFunction:
    """Defines ``SparseSparseMaximum`` or ``SparseSparseMinimum``."""

    def kernel(
        xp: Any,
        a_indices: Places,
        a_values: Any,
        a_shape: Lengths,
        b_indices: Places,
        b_values: Any,
        b_shape: Lengths,
    ) -> list[Any]:
        return _combine(function, (a_indices, a_values, a_shape), (b_indices, b_values, b_shape))

    kernel.__name__ = kernel.__qualname__ = f"sparse_sparse_{noun}"
    what = f"element-wise {noun} of two sparse tensors"
    kernel.__doc__ = f"Returns the {what}; missing elements are 0."
    type = f"SparseSparse{noun.title()}"
    return op(type, shape=_either, dtypes=ORDERED, devices=HOST)(kernel)


sparse_sparse_maximum = _define_extremum("maximum", np.maximum)
sparse_sparse_minimum = _define_extremum("minimum", np.minimum)


# ------------------------------------------------------------------ softmax


@op(
    "SparseSoftmax",
    shape=lambda indices, values, shape: values,
    dtypes=frozenset((dtypes.float16, dtypes.float32, dtypes.float64)),
    devices=HOST,
)
def sparse_softmax(xp: Any, sp_indices: Places, sp_values: Any, sp_shape: Lengths) -> Any:
    """Computes the softmax over the last dimension of a sparse tensor, ignoring missing elements."""
    if len(sp_shape) < 2:
        shown = ",".join(map(str, sp_shape.tolist()))
        raise invalid(f"Input should have rank >= 2, but received shape: {shown}")
    order = lexsort(sp_indices)
    indices, values = sp_indices[order], sp_values[order]
    if not len(values):
        return values
    new = find_runs(indices, slice(0, -1))
    starts, group = np.flatnonzero(new), np.cumsum(new) - 1
    powers = np.exp(values - np.maximum.reduceat(values, starts)[group])
    return powers / np.add.reduceat(powers, starts)[group]


@sparse_softmax.gradient
def _(call: Call, dy: Any) -> Any:
    indices, _, shape = call.inputs
    terms = SparseTensor(indices, dy * call.outputs, shape)
    totals = API["negative"](API["sparse.reduce_sum"](terms, [-1], keepdims=True))
    return None, sparse_dense_cwise_add(indices, dy, shape, totals) * call.outputs, None
