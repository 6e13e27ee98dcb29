"""Weights of losses: which can be broadcast to values, and which dimensions of one element are dropped."""

from __future__ import annotations

from typing import Any

from twinflow._src.compat_v1.context_managers import control_dependencies, name_scope
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API

_PREFIX = "weights can not be broadcast to values."


def checked_weights(weights: Any, values: Any) -> Any:
    """Weights as a tensor that can be broadcast to values; what is not known yet is checked when the graph runs.

    Args:
        weights: One weight, or as many dimensions as the values have, each of their size or 1.
        values: A tensor.

    Raises:
        ValueError: They cannot be broadcast.
    """
    with name_scope("assert_broadcastable"):
        weights = convert_to_tensor(weights, name="weights")
        if weights.shape.rank == 0 or _fits(weights, values):
            return weights
        sizes, wanted = API["shape"](weights), API["shape"](values)
        alone = API["equal"](API["rank"](weights), 0)
        possible = API["cond"](alone, lambda: alone, lambda: _fit(sizes, wanted))
        told = [_PREFIX, "weights.shape=", _name(weights), sizes, "values.shape=", _name(values), wanted, "is_scalar=", alone]
        with control_dependencies([API["debugging.Assert"](possible, told)]):
            return API["identity"](weights)


def _fits(weights: Any, values: Any) -> bool:
    """True where the static shapes say that weights can be broadcast, False where they do not know.

    Raises:
        ValueError: They say that it is impossible.
    """
    own, theirs = weights.shape, values.shape
    received = f"Received weights={weights}, values={values}"
    if own.rank is None or theirs.rank is None:
        return False
    if own.rank != theirs.rank:
        raise ValueError(
            f"{_PREFIX} values.rank={theirs.rank}. weights.rank={own.rank}. values.shape={theirs}. "
            f"weights.shape={own}. {received}"
        )
    pairs = list(zip(own.as_list(), theirs.as_list()))
    for i, (size, wanted) in enumerate(pairs):
        if None not in (size, wanted) and size not in (1, wanted):
            listed = [f"[{' '.join(str(pair[k]) for pair in pairs)}]" for k in (1, 0)]
            raise ValueError(
                f"{_PREFIX} Mismatch at dim {i}. values.shape={listed[0]}, weights.shape={listed[1]}. {received}"
            )
    return all(size == 1 or (size is not None and size == wanted) for size, wanted in pairs)


def _fit(sizes: Any, wanted: Any) -> Any:
    same = API["equal"](API["size"](sizes), API["size"](wanted))
    each = lambda: API["reduce_all"](API["logical_or"](API["equal"](sizes, 1), API["equal"](sizes, wanted)))
    return API["cond"](same, each, lambda: same)


def _name(tensor: Any) -> str:
    return getattr(tensor, "name", "") if hasattr(tensor, "op") else ""


def squeezed_labels(labels: Any, logits: Any) -> Any:
    """Labels without a last dimension of one element, where they have as many dimensions as logits."""
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    return _without_last(labels, logits.shape.rank, lambda: API["rank"](logits))


def squeezed_weights(weights: Any, labels: Any) -> Any:
    """Weights without their last dimension, where they have one more than labels."""
    weights = convert_to_tensor(weights)
    if weights.shape.rank == 0:
        return weights
    rank = labels.shape.rank
    if None not in (rank, weights.shape.rank):
        return API["squeeze"](weights, [-1]) if weights.shape.rank == rank + 1 else weights
    return _without_last(weights, None if rank is None else rank + 1, lambda: API["rank"](labels) + 1)


def _without_last(value: Any, rank: int | None, known_later: Any) -> Any:
    """A value without its last dimension, where it has a number of dimensions."""
    own = value.shape
    if own.rank is not None and rank is not None:
        dropped = own.rank == rank and own.rank > 0 and own.as_list()[-1] in (1, None)
        return API["squeeze"](value, [-1]) if dropped else value
    if own.rank is not None and (own.rank == 0 or own.as_list()[-1] not in (1, None)):
        return value
    same = API["equal"](API["rank"](value), known_later())
    return API["cond"](same, lambda: API["squeeze"](value, [-1]), lambda: value)
