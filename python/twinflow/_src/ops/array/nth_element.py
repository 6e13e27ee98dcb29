"""The element that would be at a place if the last dimension were sorted."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import ORDERED
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, refused
from twinflow._src.dispatch.op import API, Call, Ints, op
from twinflow._src.shape_rules.demands import at_least, size_value


def _rule(input: Dims | None, n: Any, **_: Any) -> Dims | None:
    """The rule of ``NthElement``."""
    at_least(input, 1)
    place = size_value(n, 1)
    if input is None:
        return None
    if place is not None and input[-1] is not None and input[-1] <= place:
        raise refused(f"Input must have last dimension > n = {place} but is {input[-1]}")
    return input[:-1]


@op("NthElement", shape=_rule, dtypes=ORDERED)
def _nth_element(xp: Any, input: Any, n: Ints, *, reverse: bool = False) -> Any:
    """Returns the element at a place of the sorted last dimension.

    Args:
        input: A tensor of real numbers, of rank 1 or more.
        n: The place, from 0.
        reverse: Whether the largest element is at place 0.

    Returns:
        A tensor of the same type, of a dimension less.

    Raises:
        InvalidArgumentError: The dimension is too short, or the place is negative.
    """
    place = int(n)
    if place < 0:
        raise invalid(f"n must be non-negative but is {place}")
    if input.ndim < 1:
        raise invalid(f"Input must be at least rank 1 but is rank {input.ndim}")
    if input.shape[-1] <= place:
        raise invalid(f"Input must have last dimension > n = {place}")
    keys = input.astype(xp.float32) if input.dtype.kind == "V" else input
    return xp.sort(keys, axis=-1)[..., -1 - place if reverse else place].astype(input.dtype)


@_nth_element.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    found = API["cast"](API["equal"](API["expand_dims"](call.outputs, -1), x), dy.dtype)
    return found / API["reduce_sum"](found, -1, keepdims=True) * API["expand_dims"](dy, -1), None
