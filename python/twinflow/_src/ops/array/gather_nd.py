"""Gather by index vectors (``tf.gather_nd``)."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.backends.host_checks import all_within, is_host
from twinflow._src.core.errors import InvalidArgumentError, NotFoundError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import AnyIndices, Call, Indices, Resource, export, op
from twinflow._src.ops.array.gather import vectors_gradient, vectors_in_batches
from twinflow._src.ops.array.scatter_kernels import ignores, inside
from twinflow._src.ops.array.shapes import concat_sizes, reshape, sizes_of
from twinflow._src.shape_rules.gather import gathered_nd


def nd_index(
    xp: Any, shape: tuple[int, ...], indices: Any, what: str, node: str = ""
) -> tuple[Any, ...]:
    """Returns the NumPy index for a tensor of index vectors; validated on the host."""
    if not indices.ndim:
        raise invalid("indices must be at least a vector")
    depth = indices.shape[-1]
    if depth > len(shape):
        raise invalid(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. {len(shape)}"
        )
    parts = tuple(indices[..., i] for i in range(depth))
    if is_host(xp) and not all(map(all_within, parts, shape)):
        bad = ~inside(xp, shape, indices)
        position = tuple(int(i) for i in xp.argwhere(bad)[0]) if bad.ndim else ()
        vector = ", ".join(str(int(i)) for i in indices[position])
        at = text(position) if position else ""
        raise invalid(f"indices{at} = [{vector}] does not index into {what} {text(shape)}{node}")
    return parts


def _gather_slices(xp: Any, array: Any, indices: Any, node: str) -> Any:
    if not array.ndim:
        raise invalid("params must be at least a vector")
    if indices.ndim and indices.shape[-1] <= array.ndim and indices.size and not array.size:
        raise invalid(
            f"Requested more than 0 entries, but params is empty.  Params shape: {text(array.shape)}"
        )
    if indices.ndim and not indices.shape[-1]:  # empty index vectors select the whole array
        return xp.array(xp.broadcast_to(array, indices.shape[:-1] + array.shape), order="C")
    where = nd_index(xp, array.shape, indices, "param shape", node)
    if not is_host(xp):
        return xp.pick_inside(array, where)
    sizes, rest = array.shape[: len(where)], array.shape[len(where) :]
    offsets = where[0]
    for more, size in zip(where[1:], sizes[1:], strict=True):
        offsets = offsets.astype(xp.int64) * size + more
    flat = array.reshape((math.prod(sizes), *rest))
    return flat.take(offsets.reshape(-1), axis=0).reshape((*offsets.shape, *rest))


@op("GatherNd", shape=gathered_nd)
def _gather_nd(xp: Any, params: Any, indices: AnyIndices, *, bad_indices_policy: str = "") -> Any:
    """Gathers elements or slices of a tensor by index vectors."""
    node = ", node name: GatherNd"
    if not (_ignores(bad_indices_policy) and params.size and indices.size):
        return _gather_slices(xp, params, indices, node)
    kept = inside(xp, params.shape, indices)
    result = _gather_slices(xp, params, xp.where(kept[..., None], indices, 0), node)
    result[~kept] = b"" if params.dtype.kind == "O" else 0
    return result


@_gather_nd.batched
def _(call: Any) -> Any:
    if not call.is_batched[0]:
        return call.run(*call.inputs)
    return call.run(call.inputs[0], call.with_rows(1))


def _ignores(policy: str) -> bool:
    try:
        return ignores(policy)
    except InvalidArgumentError:
        node = "Could not find device for node: {{node GatherNd}} = GatherNd"
        raise NotFoundError(None, None, f'{node}[bad_indices_policy="{policy}"]') from None


@_gather_nd.gradient
def _(call: Call, dy: Any) -> Any:
    params, indices = call.inputs
    return vectors_gradient(indices, dy, params, **call.attrs), None


@op("ResourceGatherNd", shape=gathered_nd, impure=True, tf_name="GatherNd", reads_variable="rows")
def resource_gather_nd(xp: Any, resource: Resource, indices: Indices) -> Any:
    """Gathers elements or slices of a variable's value by index vectors."""
    return _gather_slices(xp, resource._handle.lend(), indices, ", node name: ResourceGatherNd")


resource_gather_nd.batched(lambda call: call.run(*call.inputs))


@resource_gather_nd.gradient
def _(call: Call, dy: Any) -> Any:
    variable, indices = call.inputs
    return vectors_gradient(indices, dy, variable), None


@export("gather_nd")
def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    """Gathers elements or slices of a tensor by index vectors.

    Args:
        params: A tensor or variable.
        indices: Index vectors along the last axis.
        batch_dims: The number of leading dimensions that params and indices share.
        name: A name for the operation.
        bad_indices_policy: ``"IGNORE"`` returns zeros for out-of-range index vectors,
            ``"ERROR"`` or the empty string raises.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: An index is out of range.
    """
    batch_dims = int(batch_dims)
    if batch_dims:
        indices, lead = vectors_in_batches(params, indices, batch_dims)
        result = _gather_nd(params, indices, bad_indices_policy=bad_indices_policy)
        return reshape(result, concat_sizes(lead, sizes_of(result)[1:]))
    if (
        type(params) is not EagerTensor
        and hasattr(params, "gather_nd")
        and bad_indices_policy == ""
    ):
        return params.gather_nd(indices)
    return _gather_nd(params, indices, bad_indices_policy=bad_indices_policy)
