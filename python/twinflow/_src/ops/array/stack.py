"""Tensors stacked along a new dimension, and taken apart along one."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, dense, is_tensor, set_stack
from twinflow._src.core.context import thread
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import Call, Tensors, export, op
from twinflow._src.ops.array.strided_slice import owned
from twinflow._src.shape_rules.array import packed, unpacked


def checked_axis(axis: int, rank: int, what: str) -> int:
    if not -rank <= axis < rank:
        raise invalid(f"{what} {axis} not in [{-rank}, {rank})")
    return axis % rank


@op("Pack", shape=packed)
def pack(xp: Any, values: Tensors, *, axis: int = 0) -> Any:
    """Returns tensors of one shape as rows of a new dimension.

    Args:
        values: Tensors of one type and shape.
        axis: Where the new dimension goes.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes differ.
    """
    first = values[0].shape
    for i, value in enumerate(values):
        if value.shape != first:
            raise invalid(
                "Shapes of all inputs must match: values[0].shape = "
                f"{text(first)} != values[{i}].shape = {text(value.shape)}"
            )
    where = checked_axis(axis, len(first) + 1, "axis = ")
    place = (*(slice(None),) * where, None)
    return xp.asarray(xp.concatenate([value[place] for value in values], where), order="C")


@pack.gradient
def _(call: Call, dy: Any) -> Any:
    return unpack(dy, num=len(call.inputs[0]), axis=call.attrs["axis"])


@export("stack")
def stack(values: Any, axis: int = 0, name: str = "stack") -> Any:
    """Returns tensors of one shape as rows of a new dimension.

    Args:
        values: A sequence of tensors of one type and shape.
        axis: Where the new dimension goes.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: The axis lies outside the result's shape.
        InvalidArgumentError: The shapes differ.
    """
    if axis == 0:
        with contextlib.suppress(TypeError, ValueError):
            return convert_to_tensor(
                values, name=name
            )  # a sequence may still fit with the type of its first
    rank = (dense(values[0]).shape.rank or 0) + 1
    known = dense(values[0]).shape.rank is not None
    if known and (axis < -rank or axis >= rank):
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return pack(_rows(values, axis), axis=axis, name=name)


def _rows(values: Any, axis: Any) -> list[Any]:
    """The values one by one: TensorFlow's quick path takes what has elements, the other one lists."""
    if isinstance(values, (list, tuple)):
        return list(values)
    if isinstance(values, np.ndarray) and values.ndim > 1 and isinstance(axis, int):
        raise ValueError(
            f"expected a sequence for attr N, got an ndarray with rank {values.ndim} instead"
        )
    rows = [None] if isinstance(values, Tensor) and thread.scope.graph is not None else list(values)
    if not isinstance(axis, int) or not all(
        is_tensor(x) or isinstance(x, (int, float)) for x in rows
    ):
        raise TypeError(f"Expected list for 'values' argument to 'pack' Op, not {values!r}.")
    return rows


@op("Unpack", shape=unpacked)
def unpack(xp: Any, value: Any, *, num: int | None = None, axis: int = 0) -> Any:
    """Returns the slices of a tensor along a dimension.

    Args:
        value: A tensor.
        num: The size of the dimension, for a graph in which it is not known.
        axis: The dimension.

    Returns:
        A list of tensors of the same type, of a dimension less.
    """
    if num == 0:
        return []
    where = checked_axis(axis, value.ndim, "axis = ")
    if num not in (None, value.shape[where]):
        raise invalid(f"Input shape axis {axis} must equal {num}, got shape {text(value.shape)}")
    lead = (slice(None),) * where
    return [owned(xp, value, (*lead, i, ...)) for i in range(value.shape[where])]


@unpack.gradient
def _(call: Call, *dys: Any) -> Any:
    return pack(list(dys), axis=call.attrs["axis"])


@export("unstack")
def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> Any:
    """Returns the slices of a tensor along a dimension.

    Args:
        value: A tensor.
        num: The size of the dimension, where it is to be checked.
        axis: The dimension.
        name: A name for the operation.

    Returns:
        A list of tensors of the same type, of a dimension less.

    Raises:
        ValueError: The axis lies outside the shape.
        InvalidArgumentError: The dimension has another size.
    """
    if num is None:
        value = dense(value)
        if value.shape.rank is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
        dims = value.shape.as_list()
        if axis < -len(dims) or axis >= len(dims):
            raise ValueError(f"Argument `axis` = {axis} not in range [{-len(dims)}, {len(dims)})")
        num = dims[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    return unpack(value, num=num, axis=axis)


set_stack(pack)
