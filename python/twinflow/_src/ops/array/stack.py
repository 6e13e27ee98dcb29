"""Stack and unstack."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, dense, is_tensor, set_stack
from twinflow._src.core import whole_numbers
from twinflow._src.core.context import thread
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import UNKNOWN, text
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import Call, Tensors, export, op
from twinflow._src.graph.static_values import known_elements, known_value, partial_value
from twinflow._src.ops.array.strided_slice import owned
from twinflow._src.shape_rules.array import packed, unpacked


def checked_axis(axis: int, rank: int, what: str) -> int:
    if not -rank <= axis < rank:
        raise invalid(f"{what} {axis} not in [{-rank}, {rank})")
    return axis % rank


@op("Pack", shape=packed, tf_name="stack", opens_scope=True)
def pack(xp: Any, values: Tensors, *, axis: int = 0) -> Any:
    """Stacks tensors of the same shape along a new axis."""
    first = values[0].shape
    for i, value in enumerate(values):
        if value.shape != first:
            raise invalid(
                "Shapes of all inputs must match: values[0].shape = "
                f"{text(first)} != values[{i}].shape = {text(value.shape)}"
            )
    where = checked_axis(axis, len(first) + 1, "axis = ")
    if len(values) == 1:
        return xp.asarray(values[0], order="C").reshape(*first[:where], 1, *first[where:])
    index = (*(slice(None),) * where, None)
    return xp.asarray(xp.concatenate([value[index] for value in values], where), order="C")


@pack.batched
def _(call: Any) -> Any:
    axis = call.attrs["axis"]
    return call.run(call.full(0), axis=axis if axis < 0 else axis + 1)


pack.native("move")


@pack.specialize(devices=("GPU",))
def _(xp: Any, dtype: Any, /, *, axis: int) -> Callable[..., Any] | None:
    join = xp.concatenate

    def pack(values: Any) -> Any:
        shape = values[0].shape
        for value in values:
            if value.shape != shape:
                raise ValueError(shape)
        return join(values if shape else [x.reshape(1) for x in values]).reshape(
            len(values), *shape
        )

    return None if axis else pack


@pack.static_value
def _(node: Any, index: int) -> Any:
    if node.outputs[0]._dims is None or len(node.outputs[0]._dims) != 1:
        return UNKNOWN
    arrays = [known_value(x) for x in node.tensors]
    elements = [a.item() if isinstance(a, np.ndarray) else None for a in arrays]
    return partial_value(elements, node.outputs[0].dtype)


@pack.gradient
def _(call: Call, dy: Any) -> Any:
    return unpack(dy, num=len(call.inputs[0]), axis=call.attrs["axis"])


@export("stack")
def stack(values: Any, axis: int = 0, name: str = "stack") -> Any:
    """Stacks tensors of the same shape along a new axis.

    Args:
        values: A sequence of tensors of the same dtype and shape.
        axis: The position of the new axis.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: The axis is out of range for the result.
        InvalidArgumentError: The shapes differ.
    """
    if axis == 0:
        with contextlib.suppress(TypeError, ValueError):
            return convert_to_tensor(
                values, name=name
            )  # a sequence may convert with the dtype of its first element
    rank = (dense(values[0]).shape.rank or 0) + 1
    has_rank = dense(values[0]).shape.rank is not None
    if has_rank and (axis < -rank or axis >= rank):
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return pack(_rows(values, axis), axis=axis, name=name)


def _rows(values: Any, axis: Any) -> list[Any]:
    """Returns the values as a list; raises TypeError for values that TensorFlow's pack rejects."""
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


@op("Unpack", shape=unpacked, tf_name="unstack", moves=True)
def unpack(xp: Any, value: Any, *, num: int | None = None, axis: int = 0) -> Any:
    """Unstacks a tensor into its slices along an axis."""
    if num == 0:
        return []
    where = checked_axis(axis, value.ndim, "axis = ")
    if num not in (None, value.shape[where]):
        raise invalid(f"Input shape axis {axis} must equal {num}, got shape {text(value.shape)}")
    lead = (slice(None),) * where
    return [owned(xp, value, (*lead, i, ...)) for i in range(value.shape[where])]


@unpack.batched
def _(call: Any) -> Any:
    axis = call.attrs["axis"]
    return call.run(call.full(0), axis=axis if axis < 0 else axis + 1)


unpack.native("move")


@unpack.static_value
def _(node: Any, index: int) -> Any:
    elements = known_elements(node.tensors[0]) if node.tensors[0].shape.rank == 1 else None
    value = elements[index] if elements else None
    return UNKNOWN if value is None else np.array(value, node.outputs[0].dtype.np)


@unpack.gradient
def _(call: Call, *dys: Any) -> Any:
    return pack(list(dys), axis=call.attrs["axis"])


@export("unstack")
def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> Any:
    """Unstacks a tensor into its slices along an axis.

    Args:
        value: A tensor.
        num: The expected size of the axis; not checked if None.
        axis: The axis.

    Returns:
        A list of tensors of the same dtype, with one dimension less.

    Raises:
        ValueError: The axis is out of range.
        InvalidArgumentError: The axis has another size than ``num``.
    """
    if num is None:
        value = dense(value)
        if value.shape.rank is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
        dims = value.shape.as_list()
        if axis < -len(dims) or axis >= len(dims):
            raise ValueError(f"Argument `axis` = {axis} not in range [{-len(dims)}, {len(dims)})")
        axis = whole_numbers.with_integers(axis)
        num = dims[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    return unpack(value, num=num, axis=axis)


set_stack(pack)
