"""Places in sorted rows."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import ORDERED, int32
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, Type, export, op
from twinflow._src.numerics.along import along
from twinflow._src.ops.array.shapes import reshape
from twinflow._src.shape_rules.values import bounds


def _bounds(xp: Any, rows: Any, values: Any, right: bool) -> Any:
    """The places of values in sorted rows: bisection of all rows at once."""
    for name, array in (("sorted_inputs", rows), ("values", values)):
        if array.ndim != 2:
            raise invalid(f"Shape must be rank 2 but is rank {array.ndim} for `{name}` argument")
    if len(rows) != len(values):
        raise invalid("Leading dim_size of both tensors must match.")
    low = xp.zeros(values.shape, xp.int64)
    high = xp.full(values.shape, rows.shape[1], xp.int64)
    for _ in range(int(rows.shape[1]).bit_length()):
        middle = (low + high) // 2
        found = along(xp, rows, xp.minimum(middle, rows.shape[1] - 1))
        beyond = (found <= values) if right else (found < values)
        beyond &= low < high
        low, high = xp.where(beyond, middle + 1, low), xp.where(beyond, high, middle)
    return low


@op("LowerBound", shape=bounds, dtypes=ORDERED, out="out_type")
def _lower_bound(xp: Any, sorted_inputs: Any, values: Any, *, out_type: Type = int32) -> Any:
    """Returns before how many elements of sorted rows values would go in first.

    Args:
        sorted_inputs: A matrix of sorted rows.
        values: A matrix with a row of values for each of them.
        out_type: int32 or int64.

    Returns:
        A tensor of the shape of the values.

    Raises:
        InvalidArgumentError: There is not one row of values for each sorted row.
    """
    return _bounds(xp, sorted_inputs, values, False).astype(out_type.np)


@op("UpperBound", shape=bounds, dtypes=ORDERED, out="out_type")
def _upper_bound(xp: Any, sorted_inputs: Any, values: Any, *, out_type: Type = int32) -> Any:
    """Returns after how many elements of sorted rows values would go in last.

    Args:
        sorted_inputs: A matrix of sorted rows.
        values: A matrix with a row of values for each of them.
        out_type: int32 or int64.

    Returns:
        A tensor of the shape of the values.

    Raises:
        InvalidArgumentError: There is not one row of values for each sorted row.
    """
    return _bounds(xp, sorted_inputs, values, True).astype(out_type.np)


@export("searchsorted")
def searchsorted(
    sorted_sequence: Any,
    values: Any,
    side: str = "left",
    out_type: Any = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Returns where values would go in sorted rows.

    Args:
        sorted_sequence: A tensor, sorted along its last dimension.
        values: A tensor of the same type with the same leading dimensions.
        side: ``"left"`` for the first possible place, ``"right"`` for the last.
        out_type: int32 or int64.
        name: A name for the operation.

    Returns:
        A tensor of the shape of the values.

    Raises:
        ValueError: There is no such side.
        InvalidArgumentError: The leading dimensions differ.
    """
    rows, values = convert_to_tensor(sorted_sequence), convert_to_tensor(values)
    flat = _matrix(rows), _matrix(values)
    if side not in ("left", "right"):
        raise ValueError(
            f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'."
        )
    bound = _upper_bound if side == "right" else _lower_bound
    known = values.shape.is_fully_defined()
    return reshape(bound(*flat, out_type=out_type), values.shape.as_list() if known else API["shape"](values))


def _matrix(x: Any) -> Any:
    """A tensor with all dimensions but the last as one."""
    if x.shape.rank and x.shape.is_fully_defined():
        return reshape(x, [math.prod(x.shape.as_list()[:-1]), x.shape[-1]])
    return reshape(x, [-1, API["shape"](x)[-1]])  # which refuses a scalar
