"""Gathering within batches, what ``tf.gather`` does with ``batch_dims``; gradients by rows."""

from __future__ import annotations

from typing import Any

from twinflow._src.backends.host_checks import is_host
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, Call
from twinflow._src.ops.array.static_sizes import (
    joined,
    ones,
    places_of,
    product,
    rank_of,
    size_of,
    sizes_of,
    span,
)


def checked_batch(params: Any, indices: Any, axis: int, batch_dims: int) -> tuple[int, int]:
    """The dimension to gather along and the number of batch dimensions, made positive.

    Args:
        params: An array.
        indices: An array of integers.
        axis: The dimension.
        batch_dims: The number of leading dimensions that both share.

    Raises:
        InvalidArgumentError: They do not fit the shapes.
    """
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
    """Slices along a dimension, picked by each batch's own indices."""
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
    """The gradient of the tensor from which slices were picked in batches."""
    params, indices, axis = call.inputs
    rank, picks, batch = rank_of(params), rank_of(indices), call.attrs["batch_dims"]
    where, batch = places_of(axis, rank)[0], batch if batch >= 0 else picks + batch
    known = isinstance(where, int) and isinstance(batch, int)
    dims, inner = sizes_of(params) if known else API["shape"](params), picks - batch
    lead, middle, rest = dims[:batch], dims[batch:where], dims[where + 1 :]
    size, count = dims[where], product(lead)
    end = where + inner
    order = span(0, batch), span(where, end), span(batch, where), span(end, rank + inner - 1)
    rows = API["transpose"](dy, joined(*order))
    rows = API["reshape"](rows, joined([product(sizes_of(indices))], middle, rest))
    offsets = API["reshape"](API["range"](count) * size, joined(lead, ones(inner)))
    places = API["reshape"](indices + API["cast"](offsets, indices.dtype), [-1])
    summed = API["math.unsorted_segment_sum"](rows, places, count * size)
    summed = API["reshape"](summed, joined(lead, [size], middle, rest))
    back = span(0, batch), span(batch + 1, where + 1), [batch], span(where + 1, rank)
    return API["transpose"](summed, joined(*back))


def vectors_in_batches(params: Any, indices: Any, batch_dims: int) -> tuple[Any, list[Any]]:
    """Index vectors preceded by the place of the batch that each one belongs to, and the batches.

    The batches are laid out in one dimension.

    Args:
        params: What the index vectors point into.
        indices: Index vectors along the last dimension.
        batch_dims: The number of leading dimensions that are batches.

    Raises:
        ValueError: There are not so many dimensions.
    """
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
    places = API["cast"](API["stack"](columns, -1), indices.dtype)
    between = rank_of(indices) - batch_dims - 1
    places = API["reshape"](places, joined([-1], ones(between), [batch_dims]))
    places = API["tile"](places, joined([1], inner[:-1], [1]))
    vectors = API["reshape"](indices, joined([size_of(places, 0)], inner))
    return API["concat"]([places, vectors], -1), lead


def vectors_gradient(indices: Any, dy: Any, params: Any, bad_indices_policy: str = "") -> Any:
    """The gradient of what index vectors picked from; slices, where they name rows.

    Args:
        indices: Index vectors along the last dimension.
        dy: The gradient of what was picked.
        params: The tensor or variable.
        bad_indices_policy: What becomes of index vectors that point outside.
    """
    shape = API["cast"](sizes_of(params), indices.dtype)
    if indices.shape.rank == 2 and indices.shape[-1] == 1:
        return IndexedSlices(dy, API["squeeze"](indices, axis=-1), shape)
    return API["scatter_nd"](indices, dy, shape, bad_indices_policy=bad_indices_policy)


def slices_of_parts(dy: IndexedSlices, values: Any, axis: int) -> list[IndexedSlices]:
    """The gradients of tensors of which, joined, some rows have a gradient.

    Args:
        dy: The gradient of the whole.
        values: The tensors.
        axis: The dimension along which they were joined, not negative.
    """
    sizes = [size_of(value, axis) for value in values]
    shapes = [API["shape"](value) for value in values]
    if axis:
        parts = API["split"](dy.values, sizes, axis)
        return [IndexedSlices(part, dy.indices, s) for part, s in zip(parts, shapes)]
    found, start = [], 0
    for size, whole in zip(sizes, shapes):
        inside = (dy.indices >= start) & (dy.indices < start + size)
        rows, indices = (API["boolean_mask"](x, inside) for x in (dy.values, dy.indices))
        found.append(IndexedSlices(rows, indices - start, whole))
        start += size
    return found
