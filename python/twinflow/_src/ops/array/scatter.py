"""Scatter ops on tensors: ``tf.scatter_nd``, ``tf.tensor_scatter_nd_*``, strided slice update."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.core.dtypes import NUMBERS, ORDERED, bool_
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import (
    API,
    OPS,
    AnyIndices,
    Call,
    Indices,
    Kind,
    documented_like,
    execute,
    op,
)
from twinflow._src.dispatch.registry import INDEX_TYPES
from twinflow._src.ops.array.gather_nd import nd_index
from twinflow._src.ops.array.scatter_kernels import (
    as_vectors,
    assert_as_many,
    assert_not_for_nothing,
    combining,
    ignores,
    largest_at,
    only_inside,
    replacing,
    smallest_at,
)
from twinflow._src.ops.array.strided_slice import MASKS, Index, _numpy_index, fit_slice
from twinflow._src.shape_rules.array import slice_updated
from twinflow._src.shape_rules.gather import infer_scatter_shape, scattered

# Scatter by index vectors.


Shape = Annotated[Any, Kind("Tindices", allowed=INDEX_TYPES, host=True)]


_FOR_NOTHING = "Indices and updates specified for empty output shape"


def _assert_ranked(indices: Any, updates: Any) -> None:
    for name, value in (("Indices", indices), ("Updates", updates)):
        if not value.ndim:
            raise invalid(f"{name} shape must have rank at least one. Found:{text(value.shape)}")


def _assert_fits(shape: tuple[int, ...], indices: Any, updates: Any) -> None:
    """Raises InvalidArgumentError if updates do not match the index vectors and target shape."""
    batch, depth = indices.shape[:-1], indices.shape[-1]
    if updates.shape[: len(batch)] != batch:
        raise invalid(
            f"Dimensions [0,{len(batch)}) of indices[shape={text(indices.shape)}] must match "
            f"dimensions [0,{len(batch)}) of updates[shape={text(updates.shape)}]"
        )
    if depth > len(shape) or updates.shape[len(batch) :] != shape[depth:]:
        raise invalid(
            f"Dimensions [{depth},{len(shape)}) of input[shape={text(shape)}] must match dimensions "
            f"[{len(batch)},{updates.ndim}) of updates[shape={text(updates.shape)}]"
        )


@op("ScatterNd", api="scatter_nd", shape=scattered)
def scatter_nd(
    xp: Any, indices: AnyIndices, updates: Any, shape: Shape, *, bad_indices_policy: str = ""
) -> Any:
    """Scatters updates into a tensor of zeros by index vectors; duplicates are summed.

    Args:
        indices: Index vectors along the last axis; duplicates are allowed.
        updates: Elements or slices, one per index vector.
        shape: The shape of the result.
        bad_indices_policy: ``"IGNORE"`` skips out-of-range index vectors, ``"ERROR"`` or ``""`` raises.

    Returns:
        A tensor of the dtype of the updates.

    Raises:
        InvalidArgumentError: An index is out of range or the shapes are incompatible.
    """
    ignored = ignores(bad_indices_policy)
    _assert_ranked(indices, updates)
    sizes = tuple(shape.reshape(-1).tolist())
    for n in sizes:
        if n < 0:
            raise invalid(f"Dimension {n} must be >= 0")
    assert_not_for_nothing(len(sizes), indices, updates, _FOR_NOTHING)
    _assert_fits(sizes, indices, updates)
    if shape.ndim != 1:
        raise invalid("Shape must be a vector")
    if 0 in sizes and indices.size:
        raise invalid(
            f"Indices and updates specified for empty output.  indices shape: {text(indices.shape)}"
        )
    if indices.size:
        assert_as_many(indices, updates)
    indices = as_vectors(indices)
    if ignored:
        indices, updates = only_inside(xp, sizes, indices, updates)
    result = xp.full(sizes, b"" if updates.dtype.kind == "O" else 0, dtype=updates.dtype)
    combining(xp, xp.add)(result, nd_index(xp, sizes, indices, "shape"), updates)
    return result


@scatter_nd.batched
def _(call: Any) -> Any:
    return call.run(call.with_rows(0), call.full(1), call.with_first(2, call.size))


scatter_nd.gradient(lambda call, dy: (None, _gather_at_indices(call, dy, call.inputs[0]), None))


def _gather_at_indices(call: Call, values: Any, indices: Any) -> Any:
    """Gathers the elements of a tensor at the index vectors of a scatter call."""
    return API["gather_nd"](values, indices, bad_indices_policy=call.attrs["bad_indices_policy"])


def _changed(
    xp: Any, tensor: Any, indices: Any, updates: Any, write: Callable[..., None], policy: str = ""
) -> Any:
    """Returns a copy of a tensor with updates written or combined at index vectors."""
    ignored = ignores(policy)
    _assert_ranked(indices, updates)
    assert_not_for_nothing(tensor.size, indices, updates, _FOR_NOTHING)
    _assert_inner(tensor.shape, indices, updates)
    if indices.size:
        assert_as_many(indices, updates)
    indices = as_vectors(indices)
    if ignored:
        indices, updates = only_inside(xp, tensor.shape, indices, updates)
    where = nd_index(xp, tensor.shape, indices, "shape")
    result = tensor.copy()
    write(result, where, updates)
    return result


def _assert_inner(shape: tuple[int, ...], indices: Any, updates: Any) -> None:
    batch, depth = indices.ndim - 1, indices.shape[-1]
    if updates.shape[:batch] != indices.shape[:-1]:
        raise invalid(
            "Outer dimensions of indices and update must match. Indices shape: "
            f"{text(indices.shape)}, updates shape:{text(updates.shape)}"
        )
    if updates.ndim - batch != len(shape) - depth:
        raise invalid(
            "Inner dimensions of output shape must match inner dimensions of updates shape. "
            f"Output: {text(shape)} updates: {text(updates.shape)}"
        )
    if updates.shape[batch:] != shape[depth:]:
        raise invalid(
            f"The inner {len(shape) - depth} dimensions of output.shape={text(shape)} must match the "
            f"inner {updates.ndim - batch} dimensions of updates.shape={text(updates.shape)}"
        )


@op("TensorScatterUpdate", api="tensor_scatter_nd_update", shape=infer_scatter_shape)
@documented_like(scatter_nd)
def tensor_scatter_nd_update(xp: Any, tensor: Any, indices: Indices, updates: Any) -> Any:
    """Scatters updates into a copy of a tensor; for duplicate indices the last update wins.

    Args:
        tensor: A tensor.
        indices: Index vectors along the last axis.
        updates: The new elements or slices, one per index vector.

    Returns:
        A tensor of the same dtype and shape.
    """
    if xp is np and indices.shape == (1, 1) and tensor.ndim:  # one row
        row = indices.item()
        if 0 <= row < len(tensor) and updates.shape == (1, *tensor.shape[1:]):
            result = tensor.copy()
            result[row] = updates[0]
            return result
    return _changed(xp, tensor, indices, updates, replacing(xp))


@tensor_scatter_nd_update.gradient
def _(call: Call, dy: Any) -> Any:
    _, indices, updates = call.inputs
    kept = tensor_scatter_nd_update(dy, indices, API["zeros_like"](updates))
    return kept, None, API["gather_nd"](dy, indices)


@op("TensorScatterAdd", api="tensor_scatter_nd_add", shape=infer_scatter_shape, dtypes=NUMBERS)
@documented_like(tensor_scatter_nd_update)
def tensor_scatter_nd_add(
    xp: Any, tensor: Any, indices: Indices, updates: Any, *, bad_indices_policy: str = ""
) -> Any:
    """Adds sparse updates to a copy of a tensor.

    Args:
        tensor: A numeric tensor.
        indices: Index vectors along the last axis; duplicates are allowed.
        updates: The elements or slices to add, one per index vector.
        bad_indices_policy: ``"IGNORE"`` skips out-of-range index vectors, ``"ERROR"`` or ``""`` raises.
    """
    return _changed(xp, tensor, indices, updates, combining(xp, xp.add), bad_indices_policy)


@tensor_scatter_nd_add.gradient(slices=True)
def _(call: Call, dy: Any) -> Any:
    return dy, None, _gather_at_indices(call, dy, call.inputs[1])


@op("ScatterNdNonAliasingAdd", shape=infer_scatter_shape, dtypes=NUMBERS | {bool_})
def scatter_nd_non_aliasing_add(
    xp: Any, input: Any, indices: Indices, updates: Any, *, bad_indices_policy: str = ""
) -> Any:
    """Adds sparse updates to a copy of a tensor; for booleans logical OR."""
    _assert_fits(input.shape, indices, updates)
    return _changed(xp, input, indices, updates, combining(xp, xp.add), bad_indices_policy)


@scatter_nd_non_aliasing_add.gradient
def _(call: Call, dy: Any) -> Any:
    return dy, None, _gather_at_indices(call, dy, call.inputs[1])


@op("TensorScatterSub", api="tensor_scatter_nd_sub", shape=infer_scatter_shape, dtypes=NUMBERS)
@documented_like(tensor_scatter_nd_add)
def tensor_scatter_nd_sub(
    xp: Any, tensor: Any, indices: Indices, updates: Any, *, bad_indices_policy: str = ""
) -> Any:
    """Subtracts sparse updates from a copy of a tensor.

    Args:
        updates: The elements or slices to subtract, one per index vector.
    """
    return _changed(xp, tensor, indices, updates, combining(xp, xp.subtract), bad_indices_policy)


@tensor_scatter_nd_sub.gradient
def _(call: Call, dy: Any) -> Any:
    return dy, None, -_gather_at_indices(call, dy, call.inputs[1])


@op("TensorScatterMin", api="tensor_scatter_nd_min", shape=infer_scatter_shape, dtypes=ORDERED)
@documented_like(tensor_scatter_nd_add)
def tensor_scatter_nd_min(
    xp: Any, tensor: Any, indices: Indices, updates: Any, *, bad_indices_policy: str = ""
) -> Any:
    """Takes the element-wise minimum of a tensor and sparse updates.

    Args:
        tensor: A real-valued tensor.
        updates: The elements or slices to compare with, one per index vector.
    """
    return _changed(xp, tensor, indices, updates, smallest_at(xp), bad_indices_policy)


def _shared(call: Call, dy: Any) -> Any:
    """Returns the gradient of a scatter min/max, split equally among ties."""
    tensor, indices, updates = call.inputs
    cast, equal, policy = API["cast"], API["equal"], call.attrs["bad_indices_policy"]
    is_own = cast(equal(tensor, call.outputs), dy.dtype)
    theirs = cast(equal(updates, _gather_at_indices(call, call.outputs, indices)), dy.dtype)
    size = API["shape"](tensor, indices.dtype)
    share = dy / (is_own + API["scatter_nd"](indices, theirs, size, bad_indices_policy=policy))
    return share * is_own, None, _gather_at_indices(call, share, indices) * theirs


tensor_scatter_nd_min.gradient(_shared)


@op("TensorScatterMax", api="tensor_scatter_nd_max", shape=infer_scatter_shape, dtypes=ORDERED)
@documented_like(tensor_scatter_nd_min)
def tensor_scatter_nd_max(
    xp: Any, tensor: Any, indices: Indices, updates: Any, *, bad_indices_policy: str = ""
) -> Any:
    """Takes the element-wise maximum of a tensor and sparse updates."""
    return _changed(xp, tensor, indices, updates, largest_at(xp), bad_indices_policy)


tensor_scatter_nd_max.gradient(_shared)


# Strided slice update.


for function in (
    tensor_scatter_nd_update,
    tensor_scatter_nd_add,
    scatter_nd_non_aliasing_add,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_min,
    tensor_scatter_nd_max,
):
    function.batched(lambda call: call.run(call.full(0), call.with_rows(1), call.full(2)))


@op("TensorStridedSliceUpdate", shape=slice_updated)
def tensor_strided_slice_update(
    xp: Any,
    input: Any,
    begin: Index,
    end: Index,
    strides: Index,
    value: Any,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """Returns a copy of a tensor with a strided slice replaced."""
    masks = dict(zip(MASKS, (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)))
    where = _numpy_index(input.shape, begin, end, strides, masks)
    part, result = fit_slice(input.shape, where, value), input.copy()
    if part is not None:
        result[where] = part
    return result


@tensor_strided_slice_update.gradient
def _(call: Call, dy: Any) -> Any:
    _, begin, end, strides, value = call.inputs
    kept = execute(
        OPS["TensorStridedSliceUpdate"],
        [dy, begin, end, strides, API["zeros_like"](value)],
        call.attrs,
    )
    replaced = execute(OPS["StridedSlice"], [dy, begin, end, strides], call.attrs)
    return kept, None, None, None, unbroadcast(replaced, value)
