"""Shape inference for gather, scatter, segment and reduction ops."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.core.shapes import Dims, broadcast, refused, text
from twinflow._src.shape_rules.demands import (
    at_least,
    at_most,
    concat_shapes,
    flatten_known,
    merged,
    ranked,
    scalar_value,
    size_value,
    sizes_value,
    value_dims,
    vector,
    with_prefix,
)

# ------------------------------------------------------------------ reductions


def reduced(dims: Dims | None, axis: Any = None, *, keepdims: bool = False) -> Dims | None:
    """Infers the output shape of reductions; without axes, all dimensions are reduced."""
    if axis is None:
        if dims is None:
            return None if keepdims else ()
        return (1,) * len(dims) if keepdims else ()
    at_most(value_dims(axis), 1)
    axes = flatten_known(axis)
    if dims is None or axes is None:
        return (None,) * len(dims) if keepdims and dims is not None else None
    for a in axes:
        if not -len(dims) <= a < len(dims):
            raise refused(f"Invalid reduction dimension {a} for input with {len(dims)} dimensions.")
    gone = {a % len(dims) for a in axes}
    remaining = (
        1 if i in gone else size for i, size in enumerate(dims) if keepdims or i not in gone
    )
    return tuple(remaining)


def joined_along(dims: Dims | None, axis: Any, *, keep_dims: bool = False, **_: Any) -> Dims | None:
    """Infers the output shape of ``ReduceJoin``."""
    return reduced(dims, axis, keepdims=keep_dims)


def arg_reduced(dims: Dims | None, dimension: Any, **_: Any) -> Dims | None:
    """Infers the output shape of ``ArgMax`` and ``ArgMin``."""
    axis = scalar_value(dimension)
    if dims is None or len(dims) < 2:
        return None if dims is None else ()
    rank = len(dims)
    if axis is None:
        return (None,) * (rank - 1)
    if not -rank <= axis < rank:
        raise refused(
            f"Dimension ({axis}) must be in the range [{-rank}, {rank}), where {rank} is the number of "
            "dimensions in the input."
        )
    return (*dims[: axis % rank], *dims[axis % rank + 1 :])


# ------------------------------------------------------------------ gather


def gathered(
    params: Dims | None, indices: Dims | None, axis: Any, *, batch_dims: int = 0
) -> Dims | None:
    """Infers the output shape of ``GatherV2``."""
    at_least(params, 1)
    where = scalar_value(axis)
    if where is None:
        return _of_picked_rank(params, indices, batch_dims)
    at_least(params, -where if where < 0 else where + 1)
    at_least(indices, abs(batch_dims))
    at_least(params, batch_dims + 1)
    if indices is None:
        return None
    batch = batch_dims + len(indices) if batch_dims < 0 else batch_dims
    at_least(params, batch + 1)
    if params is None:
        return None
    where %= len(params)
    return (*params[:where], *indices[batch:], *params[where + 1 :])


def _of_picked_rank(params: Dims | None, indices: Dims | None, batch_dims: int) -> Dims | None:
    if params is None or indices is None:
        return None
    batch = batch_dims + len(indices) if batch_dims < 0 else batch_dims
    rank = len(params) + len(indices) - 1 - batch
    return (None,) * rank if rank >= 0 else None


def gathered_nd(params: Dims | None, indices: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ``GatherNd`` ops."""
    at_least(indices, 1)
    if params is None or indices is None or indices[-1] is None:
        return None
    depth = indices[-1]
    if depth > len(params):
        raise refused(
            "indices.shape[-1] must be <= params.rank, but saw indices shape: "
            f"{text(indices)} and params shape: {text(params)}"
        )
    return (*indices[:-1], *params[depth:])


def selected(condition: Dims | None, x: Dims | None, y: Dims | None) -> Dims | None:
    """Infers the output shape of ``SelectV2``."""
    try:
        return broadcast(condition, broadcast(x, y))
    except InvalidArgumentError as error:
        raise refused(
            f"condition {text(condition)}, then {text(x)}, and else {text(y)} must be broadcastable",
            error.inferred,
        ) from None


def rows_gathered(variable: Dims | None, indices: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ``ResourceGather``."""
    return concat_shapes(indices, None if variable is None else at_least(variable, 1)[1:])  # type: ignore[index]


# ------------------------------------------------------------------ scatter


def check_placed(result: Dims | None, indices: Dims | None, updates: Dims | None) -> None:
    """Checks that updates match the index vectors and the shape that they index."""
    if not indices or not updates or indices[-1] is None:
        return
    outer, depth = len(indices) - 1, indices[-1]
    _agree(("indices", indices, slice(0, outer)), ("updates", updates, slice(0, outer)))
    if result is not None:
        rest = slice(depth, len(result)), slice(outer, len(updates))
        _agree(("input", result, rest[0]), ("updates", updates, rest[1]))


def _agree(*parts: tuple[str, Dims, slice]) -> None:
    """Checks that parts of two shapes are equal."""
    (_, a, first), (_, b, second) = parts
    try:
        merged(a[first], b[second])
    except InvalidArgumentError as error:
        one, other = (
            f"imensions [{where.start},{where.stop}) of {what}[shape={text(dims)}] = {text(dims[where])}"
            for what, dims, where in parts
        )
        raise refused(f"D{one} must match d{other}: {error}") from None


def scattered(indices: Dims | None, updates: Dims | None, shape: Any, **_: Any) -> Dims | None:
    """Infers the output shape of ``ScatterNd``."""
    at_least(indices, 1), at_least(updates, 1)
    length = vector(value_dims(shape))
    # The ranks are checked first, without the dimensions.
    check_placed(None if length is None else (None,) * length, indices, updates)
    result = sizes_value(shape)
    check_placed(result, indices, updates)
    return result


def infer_scatter_shape(
    tensor: Dims | None, indices: Dims | None, updates: Dims | None, **_: Any
) -> Dims | None:
    """Infers the output shape of tensor scatter ops."""
    at_least(tensor, 1), at_least(indices, 1)
    if tensor and 0 in tensor and (_count(indices) or _count(updates)):
        raise refused("Indices and updates specified for empty input")
    check_placed(tensor, indices, updates)
    return tensor


def _count(dims: Dims | None) -> int | None:
    """Returns the number of elements, if known."""
    return None if dims is None or None in dims else math.prod(dims)  # type: ignore[arg-type]


def rows_placed(variable: Dims | None, indices: Dims | None, updates: Dims | None) -> list[Any]:
    """Infers no outputs for ops that scatter rows to a variable; checks the shapes."""
    if updates != () and variable is not None:
        merged(updates, concat_shapes(indices, variable[1:]))
    return []


def elements_placed(variable: Dims | None, indices: Dims | None, updates: Dims | None) -> list[Any]:
    """Infers no outputs for ops that scatter elements to a variable; checks the shapes."""
    at_least(updates, 1)
    if variable != ():
        infer_scatter_shape(variable, indices, updates)
    return []


# ------------------------------------------------------------------ partitions and segments


def partitioned(
    data: Dims | None, partitions: Dims | None, *, num_partitions: int
) -> list[Dims | None]:
    """Infers the output shape of ``DynamicPartition``."""
    data = with_prefix(data, partitions)
    if data is None or partitions is None:
        return [None] * num_partitions
    return [(None, *data[len(partitions) :])] * num_partitions


def stitched(indices: tuple[Any, ...], data: tuple[Dims | None, ...]) -> Dims | None:
    """Infers the output shape of ``DynamicStitch``."""
    rest: Dims | None = None
    for positions, values in zip(map(value_dims, indices), data, strict=True):
        if positions is not None and values is not None:
            rest = merged(rest, with_prefix(values, positions)[len(positions) :])  # type: ignore[index]
    result = [flatten_known(positions) for positions in indices]
    all_known = (
        [index for positions in result for index in positions or ()] if None not in result else None
    )
    return concat_shapes((None if all_known is None else max(all_known, default=-1) + 1,), rest)


def segments(data: Dims | None, segment_ids: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of sorted segment reductions."""
    at_least(data, 1), vector(segment_ids)
    return None if data is None else (None, *data[1:])


def unsorted_segments(data: Dims | None, segment_ids: Dims | None, number: Any) -> Dims | None:
    """Infers the output shape of unsorted segment reductions."""
    ranked(value_dims(number), 0)
    if segment_ids is None:
        return None
    data = with_prefix(data, segment_ids)
    count = size_value(number, 2)
    return None if data is None else (count, *data[len(segment_ids) :])


# ------------------------------------------------------------------ top k


def largest(dims: Dims | None, k: Any, **_: Any) -> list[Dims | None]:
    """Infers the output shape of ``TopKV2``."""
    at_least(dims, 1)
    count = size_value(k, 1)
    if dims is None:
        return [None, None]
    if count is not None and dims[-1] is not None and dims[-1] < count:
        raise refused(f"input must have last dimension >= k = {count} but is {dims[-1]}")
    return [(*dims[:-1], count)] * 2
