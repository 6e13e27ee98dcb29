"""Gather ops: ``tf.gather``, ``tf.where``, batched gather and their gradients."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.backends.host_checks import all_within, is_host
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor, dense, is_tensor
from twinflow._src.core import whole_numbers
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import BOOLS, NUMBERS, QUANTIZED, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size, static_sizes, text
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import (
    API,
    AnyIndices,
    Bools,
    Call,
    Indices,
    Kind,
    Resource,
    documented_like,
    export,
    op,
)
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.select import select_elements, true_places
from twinflow._src.ops.array.shapes import (
    concat_sizes,
    ones,
    places_of,
    product,
    rank_of,
    reshape,
    size_of,
    sizes_of,
    span,
    squeeze,
    turned_back,
)
from twinflow._src.shape_rules.gather import gathered, rows_gathered, selected
from twinflow._src.shape_rules.values import places

# Batched gather (``batch_dims``) and gradients as IndexedSlices.


def checked_batch(params: Any, indices: Any, axis: int, batch_dims: int) -> tuple[int, int]:
    """Returns the gather axis and the number of batch dimensions, both non-negative."""
    if not len(params.shape):
        raise invalid("params must be at least 1 dimensional")
    needed = axis + 1 if axis >= 0 else -axis
    if needed > len(params.shape):
        raise invalid(f"Shape must be at least rank {needed} but is rank {len(params.shape)}")
    where = axis % len(params.shape)
    batch = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    if not 0 <= batch <= indices.ndim:
        raise invalid(
            f"Expected batch_dims in the range [{-indices.ndim}, {indices.ndim}], but got {batch_dims}"
        )
    if batch >= len(params.shape):
        raise invalid(f"batch_dims ({batch}) must be less than rank(params) ({len(params.shape)}).")
    if batch > where:
        raise invalid(f"batch_dims ({batch}) must be less than or equal to axis ({where}).")
    for i in range(batch):
        if params.shape[i] != indices.shape[i]:
            raise invalid(
                f"params.shape[{i}]: {params.shape[i]} should be equal to "
                f"indices.shape[{i}]: {indices.shape[i]}"
            )
    return where, batch


def take_in_batches(xp: Any, params: Any, indices: Any, axis: int, batch: int) -> Any:
    """Gathers slices along an axis with separate indices for each batch element."""
    grid = [
        xp.arange(params.shape[i]).reshape([-1 if j == i else 1 for j in range(indices.ndim)])
        for i in range(batch)
    ]
    # [batch, n, middle, rest] -> [batch, inner, middle, rest] -> [batch, middle, inner, rest]
    moved, where = xp.moveaxis(params, axis, batch), (*grid, indices)
    picked = moved[where] if is_host(xp) else xp.pick_inside(moved, where)
    middle = axis - batch
    sources = range(indices.ndim, indices.ndim + middle)
    picked = xp.moveaxis(picked, tuple(sources), tuple(range(batch, batch + middle)))
    return xp.asarray(picked, order="C")


def batch_gradient(call: Call, dy: Any) -> Any:
    """Returns the gradient of params for a gather with batch dimensions."""
    params, indices, axis = call.inputs
    rank, picks, batch = rank_of(params), rank_of(indices), call.attrs["batch_dims"]
    where, batch = places_of(axis, rank)[0], batch if batch >= 0 else picks + batch
    is_static = isinstance(where, int) and isinstance(batch, int)
    dims, inner = sizes_of(params) if is_static else API["shape"](params), picks - batch
    lead, middle, rest = dims[:batch], dims[batch:where], dims[where + 1 :]
    size, count = dims[where], product(lead)
    end = where + inner
    order = span(0, batch), span(where, end), span(batch, where), span(end, rank + inner - 1)
    rows = API["transpose"](dy, concat_sizes(*order))
    rows = API["reshape"](rows, concat_sizes([product(sizes_of(indices))], middle, rest))
    offsets = API["reshape"](API["range"](count) * size, concat_sizes(lead, ones(inner)))
    flat = API["reshape"](indices + API["cast"](offsets, indices.dtype), [-1])
    summed = API["math.unsorted_segment_sum"](rows, flat, count * size)
    summed = API["reshape"](summed, concat_sizes(lead, [size], middle, rest))
    back = span(0, batch), span(batch + 1, where + 1), [batch], span(where + 1, rank)
    return API["transpose"](summed, concat_sizes(*back))


def vectors_in_batches(params: Any, indices: Any, batch_dims: int) -> tuple[Any, list[Any]]:
    """Returns index vectors with flat batch indices in front, and the batch sizes."""
    # The batch dimensions are flattened into one.
    params, indices = dense(params), convert_to_tensor(indices)
    if batch_dims < 0:
        raise ValueError("tf.gather_nd does not allow negative batch_dims.")
    for name, value in (("indices", indices), ("params", params)):
        if value.shape.rank is not None and batch_dims >= value.shape.rank:
            raise ValueError(
                f"Argument `batch_dims` = {batch_dims} must be less than rank(`{name}`) = {value.shape.rank}"
            )
    dims = sizes_of(indices)
    lead, inner = dims[:batch_dims], dims[batch_dims:]
    counted = [API["range"](size) for size in sizes_of(params)[:batch_dims]]
    columns = [API["reshape"](grid, [-1]) for grid in API["meshgrid"](*counted, indexing="ij")]
    batch_indices = API["cast"](API["stack"](columns, -1), indices.dtype)
    between = rank_of(indices) - batch_dims - 1
    batch_indices = API["reshape"](batch_indices, concat_sizes([-1], ones(between), [batch_dims]))
    batch_indices = API["tile"](batch_indices, concat_sizes([1], inner[:-1], [1]))
    vectors = API["reshape"](indices, concat_sizes([size_of(batch_indices, 0)], inner))
    return API["concat"]([batch_indices, vectors], -1), lead


def vectors_gradient(indices: Any, dy: Any, params: Any, bad_indices_policy: str = "") -> Any:
    """Returns the gradient of params for gather_nd: IndexedSlices if the indices select rows."""
    shape = API["cast"](sizes_of(params), indices.dtype)
    if indices.shape.rank == 2 and static_size(indices.shape, -1) == 1:
        return IndexedSlices(dy, API["squeeze"](indices, axis=-1), shape)
    return API["scatter_nd"](indices, dy, shape, bad_indices_policy=bad_indices_policy)


def slices_of_parts(dy: IndexedSlices, values: Any, axis: int) -> list[IndexedSlices]:
    """Splits the IndexedSlices gradient of a concatenation into the gradients of its inputs."""
    # The axis is not negative.
    sizes = [size_of(value, axis) for value in values]
    shapes = [API["shape"](value) for value in values]
    if axis:
        parts = API["split"](dy.values, sizes, axis)
        return [IndexedSlices(part, dy.indices, s) for part, s in zip(parts, shapes)]
    result, start = [], 0
    for size, whole in zip(sizes, shapes):
        inside = (dy.indices >= start) & (dy.indices < start + size)
        rows, indices = (API["boolean_mask"](x, inside) for x in (dy.values, dy.indices))
        result.append(IndexedSlices(rows, indices - start, whole))
        start += size
    return result


# Gather, where and select.


Axis = Annotated[Any, Kind("Taxis", allowed=frozenset((int32, int64)), host=True)]


def assert_indices(xp: Any, indices: Any, size: int) -> None:
    if not is_host(xp) or all_within(indices, size):
        return
    bad = (indices < 0) | (indices >= size)
    where = [int(i) for i in xp.argwhere(bad)[0]] if indices.ndim else []
    value = int(indices[tuple(where)])
    raise invalid(f"indices{text(tuple(where)) if where else ''} = {value} is not in [0, {size})")


def rows_at(xp: Any, array: Any, indices: Any, axis: int) -> Any:
    """Takes slices along an axis; out-of-range indices give zeros on a device, without a check."""
    return array.take(indices, axis) if is_host(xp) else xp.take_inside(array, indices, axis)


@op("GatherV2", shape=gathered)
def gather_v2(xp: Any, params: Any, indices: AnyIndices, axis: Axis, *, batch_dims: int = 0) -> Any:
    """Gathers slices of a tensor along an axis by index."""
    if axis.ndim and params.ndim:
        raise invalid("axis must be scalar")
    where, batch = checked_batch(params, indices, int(axis), batch_dims)
    lead, rest = params.shape[:where], params.shape[where + 1 :]
    if 0 in lead or 0 in rest:  # indices of empty slices are not checked
        return xp.empty(lead + indices.shape[batch:] + rest, dtype=params.dtype)
    assert_indices(xp, indices, params.shape[where])
    return (
        take_in_batches(xp, params, indices, where, batch)
        if batch
        else rows_at(xp, params, indices, where)
    )


@gather_v2.batched
def _(call: Any) -> Any:
    axis, inner = call.static_value(2), call.rank(1)
    axis = axis % call.rank(0)
    dims = call.attrs["batch_dims"] % inner if inner else 0
    if not call.is_batched[1] and not dims:
        return call.run(*call.inputs[:2], axis + 1)
    if call.is_batched[0] or dims:
        return call.run(call.full(0), call.full(1), axis + 1, batch_dims=dims + 1)
    gathered = call.run(*call.inputs[:2], axis)
    rank = call.rank(0) + inner
    order = [axis, *range(axis), *range(axis + 1, rank)]
    return API["transpose"](gathered, order) if axis else gathered


gather_v2.native("move")


@gather_v2.specialize(devices=("GPU",))
def _(xp: Any, dtype: Any, /, axis: Any, *, batch_dims: int) -> Callable[..., Any] | None:
    if axis.ndim or axis < 0 or batch_dims:
        return None
    where, take = int(axis), xp.take_inside
    return lambda params, indices: take(params, indices, where)


@gather_v2.gradient(reads=("indices", "axis"))
def _(call: Call, dy: Any) -> Any:
    params, indices, axis = call.inputs
    if call.attrs["batch_dims"]:
        return batch_gradient(call, dy), None, None
    flat, static_axis = reshape(indices, [-1]), array_of(axis)
    if static_axis is not None and static_axis == 0:
        values = reshape(dy, API["concat"]([[-1], API["shape"](params)[1:]], 0))
        return IndexedSlices(values, flat, API["shape"](params)), None, None
    rank = rank_of(params)
    where = places_of(axis, rank)[0]
    dims = sizes_of(params) if isinstance(where, int) else API["shape"](params)
    lead, rest = dims[:where], dims[where + 1 :]
    by_row = reshape(dy, concat_sizes(lead, [size_of(flat, 0)], rest))
    order = concat_sizes(span(where, where + 1), span(0, where), span(where + 1, rank))
    # Unlike ScatterNd, accepts indices where the slices are empty.
    summed = API["math.unsorted_segment_sum"](API["transpose"](by_row, order), flat, dims[where])
    return API["transpose"](summed, turned_back(order)), None, None


@op("ResourceGather", shape=rows_gathered, impure=True, tf_name="Gather", reads_variable="rows")
def resource_gather(xp: Any, resource: Resource, indices: Indices) -> Any:
    """Gathers rows of a variable's value."""
    array = resource._handle.lend()
    if not array.ndim:
        raise invalid("params must be at least 1 dimensional")
    assert_indices(xp, indices, array.shape[0])
    return rows_at(xp, array, indices, 0)


resource_gather.batched(lambda call: call.run(*call.inputs))


@resource_gather.gradient
def _(call: Call, dy: Any) -> Any:
    variable, indices = call.inputs
    values = reshape(dy, [-1, *static_sizes(variable.shape[1:])])
    shape = convert_to_tensor(variable.shape.as_list(), dtype="int32")
    return IndexedSlices(values, reshape(indices, [-1]), shape), None


@export("gather")
def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Gathers slices of a tensor along an axis by index.

    Args:
        params: A tensor or variable.
        indices: The indices of the slices.
        validate_indices: Ignored: indices are always checked.
        axis: The axis; the first one after the batch dimensions if None.
        batch_dims: The number of leading dimensions that params and indices share.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: An index is out of range.
    """
    where = batch_dims if axis is None else axis
    first = (
        where == 0 if type(where) is int else _is_zero(where)
    )  # TensorFlow ignores batch_dims for axis 0
    if first and type(params) is not EagerTensor and hasattr(params, "sparse_read"):
        return params.sparse_read(indices)
    return gather_v2(params, indices, where, 0 if first else batch_dims)


def _is_zero(axis: Any) -> bool:
    """True if an axis (an int, array or eager tensor) is 0."""
    if isinstance(axis, EagerTensor):
        axis = axis.numpy()
    return not is_tensor(axis) and not np.any(axis != 0)


@op("Where", shape=places, dtypes=NUMBERS | BOOLS | QUANTIZED)
def where_true(xp: Any, condition: Any) -> Any:
    """Returns the indices of the nonzero or True elements."""
    if not condition.ndim:
        raise invalid("WhereOp : Unhandled input dimensions: 0")
    return true_places(xp, condition)


@op("SelectV2", shape=selected, each=True)
def select(xp: Any, condition: Bools, x: Any, y: Any) -> Any:
    """Selects elements of x where a condition is True and of y elsewhere."""
    try:
        return select_elements(xp, condition, x, y)
    except ValueError:
        raise invalid(
            f"condition {text(condition.shape)}, then {text(x.shape)}, and else {text(y.shape)} must be "
            "broadcastable"
        ) from None


select.cuda("condition ? x : y")
select.scalar("{x} if {condition} else {y}")


@select.specialize(devices=("GPU",))
def _(xp: Any, dtype: Any, /) -> Callable[..., Any]:
    where: Callable[..., Any] = xp.where
    return where


@select.gradient(reads=("condition",))
def _(call: Call, dz: Any) -> Any:
    condition, x, y = call.inputs
    zeros = API["zeros_like"](dz)
    return (
        None,
        unbroadcast(select(condition, dz, zeros), x),
        unbroadcast(select(condition, zeros, dz), y),
    )


@export("where")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Selects elements of x where the condition is True, else of y; without both, the True indices.

    Args:
        condition: A boolean tensor.
        x: A tensor, broadcast with the other arguments.
        y: A tensor of the dtype of x, broadcast with the other arguments.

    Returns:
        A tensor of the dtype of x, or, without x and y, the indices of the True elements.

    Raises:
        ValueError: Only one of x and y is given.
        InvalidArgumentError: The shapes do not broadcast.
    """
    if x is None and y is None:
        return where_true(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return select(condition, x, y)


# Boolean masks.


@export("boolean_mask")
@documented_like(gather)
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Any:
    """Returns the elements of a tensor at the positions where a boolean mask is True.

    Args:
        tensor: A tensor.
        mask: A boolean tensor whose shape matches the tensor's dimensions from ``axis`` on.
        axis: The first dimension that the mask matches; 0 if None.

    Raises:
        ValueError: The mask is a scalar or does not match the shape.
    """
    tensor, mask = dense(tensor), convert_to_tensor(mask)
    first = 0 if axis is None else whole_numbers.with_integers(axis)
    if is_tensor(first):
        is_static = (
            array_of(first) if thread.scope.graph is not None else convert_to_tensor(first)._host()
        )
        first = first if is_static is None else int(is_static)
    if mask.shape.rank is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  "
            "E.g. shape=[None] is ok, but shape=None is not."
        )
    if not mask.shape.rank:
        raise ValueError("mask cannot be scalar.")
    dims = None if is_tensor(first) else tensor.shape[first : first + mask.shape.rank]
    if dims is not None and not dims.is_compatible_with(mask.shape):
        raise ValueError(f"Shapes {dims} and {mask.shape} are incompatible")
    picked = squeeze(where_true(reshape(mask, [-1])), axis=[1])
    return gather_v2(reshape(tensor, _with_joined(tensor, first, mask.shape.rank)), picked, first)


def _with_joined(tensor: Any, first: int, count: int) -> Any:
    """Returns the shape of a tensor with ``count`` dimensions from ``first`` on merged into one."""
    if not tensor.shape.is_fully_defined() or is_tensor(first):
        sizes = API["shape"](tensor)
        joined = API["reduce_prod"](sizes[first : first + count], keepdims=True)
        return API["concat"]([sizes[:first], joined, sizes[first + count :]], 0)
    dims = tensor.shape.as_list()
    return [*dims[:first], math.prod(dims[first : first + count]), *dims[first + count :]]
