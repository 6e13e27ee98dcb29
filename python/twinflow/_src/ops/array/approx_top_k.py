"""The largest and smallest elements, as exactly as need be; here always exactly."""

from __future__ import annotations

from typing import Any, NamedTuple

from twinflow._src.core import dtypes
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, export, op

_FLOATS = frozenset((dtypes.float16, dtypes.bfloat16, dtypes.float32))


class ApproxTopK(NamedTuple):
    """The largest elements, and where they lie."""

    values: Any
    indices: Any


def _chosen(dims: Any, k: int, reduction_dimension: int = -1, **_: Any) -> list[Any]:
    if dims is None:
        return [None, None]
    at = reduction_dimension % len(dims)
    shape = (*dims[:at], k, *dims[at + 1 :])
    return [shape, shape]


@op("ApproxTopK", shape=_chosen, dtypes=_FLOATS)
def _approx_top_k(
    xp: Any,
    input: Any,
    *,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
) -> list[Any]:
    """Returns the largest or smallest elements along a dimension.

    Args:
        input: A tensor of floating numbers.
        k: How many.
        reduction_dimension: The dimension.
        recall_target: How many of the true ones must be found; all of them are.
        is_max_k: Whether they are the largest.
        reduction_input_size_override: Accepted and without effect.
        aggregate_to_topk: Accepted and without effect.

    Returns:
        The elements, the largest or smallest first, and where they lie.

    Raises:
        InvalidArgumentError: There are not so many elements.
    """
    if not input.ndim:
        raise invalid(f"input must be >= 1-D, got shape {text(input.shape)}")
    at = reduction_dimension % input.ndim
    if input.shape[at] < k:
        raise invalid(f"input must have at least k columns. Had {input.shape[at]}, needed {k}")
    keys = -input if is_max_k else input
    order = xp.argsort(keys, axis=at, kind="stable")
    chosen = xp.take(order, xp.arange(k), axis=at)
    found = xp.take_along_axis(input, chosen, axis=at)
    return [xp.ascontiguousarray(found), xp.ascontiguousarray(chosen.astype(xp.int32))]


@_approx_top_k.gradient
def _(call: Call, dy: Any, _: Any) -> Any:
    (x,), indices = call.inputs, call.outputs[1]
    at = call.attrs["reduction_dimension"] % x.shape.rank
    marks = API["one_hot"](indices, x.shape[at], axis=at, dtype=x.dtype)
    return API["reduce_sum"](marks * API["expand_dims"](dy, at), at + 1)


@export("approx_top_k")
def approx_top_k(
    input: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the largest or smallest elements along a dimension.

    Args:
        input: A tensor of floating numbers.
        k: How many.
        reduction_dimension: The dimension.
        recall_target: How many of the true ones must be found; all of them are.
        is_max_k: Whether they are the largest.
        reduction_input_size_override: Accepted and without effect.
        aggregate_to_topk: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A named tuple: ``values``, the largest or smallest first, and ``indices``.
    """
    found = _approx_top_k(
        input, k=k, reduction_dimension=reduction_dimension, recall_target=recall_target, is_max_k=is_max_k
    )
    return ApproxTopK(*found)


@export("math.approx_max_k", "nn.approx_max_k")
def approx_max_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the largest elements along a dimension.

    Args:
        operand: A tensor of floating numbers.
        k: How many.
        reduction_dimension: The dimension.
        recall_target: How many of the true ones must be found; all of them are.
        reduction_input_size_override: Accepted and without effect.
        aggregate_to_topk: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A named tuple: ``values``, the largest first, and ``indices``.
    """
    return approx_top_k(operand, k, reduction_dimension, recall_target)


@export("math.approx_min_k", "nn.approx_min_k")
def approx_min_k(
    operand: Any,
    k: int,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the smallest elements along a dimension.

    Args:
        operand: A tensor of floating numbers.
        k: How many.
        reduction_dimension: The dimension.
        recall_target: How many of the true ones must be found; all of them are.
        reduction_input_size_override: Accepted and without effect.
        aggregate_to_topk: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A named tuple: ``values``, the smallest first, and ``indices``.
    """
    return approx_top_k(operand, k, reduction_dimension, recall_target, is_max_k=False)
