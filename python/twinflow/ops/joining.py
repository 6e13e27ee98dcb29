"""Joining tensors and splitting them."""

from __future__ import annotations

import contextlib
import numbers
from typing import Annotated, Any

import numpy as np

from ..constant import convert_to_tensor, dense, set_stack
from ..dtypes import int32
from ..errors import invalid
from ..op import Call, Ints, Kind, Tensors, export, op
from ..shape_rules_array import concatenated, packed, split_by, split_evenly, unpacked
from ..shapes import text
from ..static_values import array_of
from .batched import IndexedSlices, slices_of_parts
from .casting import identity
from .known_sizes import size_of

Where = Annotated[Any, Kind("split_dim", only=int32, host=True)]


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
    checked_axis(axis, len(first) + 1, "axis = ")
    return xp.asarray(xp.stack(values, axis), order="C")


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
            return convert_to_tensor(values)  # a sequence may still fit with the type of its first
    rank = (dense(values[0]).shape.rank or 0) + 1
    known = dense(values[0]).shape.rank is not None
    if known and (axis < -rank or axis >= rank):
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return pack(list(values), axis=axis)


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
    where = checked_axis(axis, value.ndim, "axis = ")
    if num not in (None, value.shape[where]):
        raise invalid(f"Input shape axis {axis} must equal {num}, got shape {text(value.shape)}")
    moved = xp.moveaxis(value, where, 0)
    return [xp.asarray(moved[i, ...], order="C") for i in range(len(moved))]


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
    value = dense(value)
    if num is None:
        if value.shape.rank is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
        dims = value.shape.as_list()
        if axis < -len(dims) or axis >= len(dims):
            raise ValueError(f"Argument `axis` = {axis} not in range [{-len(dims)}, {len(dims)})")
        num = dims[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    return unpack(value, num=num, axis=axis)


def _assert_joinable(shapes: list[tuple[int, ...]], axis: int) -> None:
    first = shapes[0]
    if () in shapes:
        raise invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    for i, other in enumerate(shapes):
        if len(other) != len(first):
            what = "Ranks of all input tensors should match"
        else:
            differs = [d for d, (a, b) in enumerate(zip(first, other)) if a != b and d != axis]
            if not differs:
                continue
            what = f"Dimension {differs[0]} in both shapes must be equal"
        raise invalid(f"ConcatOp : {what}: shape[0] = {text(first)} vs. shape[{i}] = {text(other)}")


@op("ConcatV2", shape=concatenated)
def concat_v2(xp: Any, values: Tensors, axis: Ints) -> Any:
    """Returns tensors joined along a dimension.

    Args:
        values: Tensors of one type, of one shape but for that dimension.
        axis: The dimension.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit, or the axis lies outside them.
    """
    if axis.ndim and axis.shape != (1,):
        raise invalid(
            f"axis tensor should be a scalar integer, but got shape {text(axis.shape)}"
        )
    rank, where = values[0].ndim, int(axis.reshape(-1)[0])
    if not where and not rank:
        rank = 1  # what is wrong is said below
    if not -rank <= where < rank:
        raise invalid(
            f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {where}"
        )
    _assert_joinable([value.shape for value in values], where % rank)
    return xp.concatenate(values, where)


@concat_v2.gradient
def _(call: Call, dy: Any) -> Any:
    values, axis = call.inputs
    where = int(array_of(axis))
    if isinstance(dy, IndexedSlices):
        return [*slices_of_parts(dy, values, where % values[0].shape.rank), None]
    return [*split_v(dy, [size_of(value, where) for value in values], where), None]


@export("concat")
def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Returns tensors joined along a dimension.

    Args:
        values: A sequence of tensors of one type, of one shape but for that dimension.
        axis: The dimension; negative counts from the end.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit, or the axis lies outside them.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) != 1:
        return concat_v2(list(values), axis)
    if not convert_to_tensor(axis, int32).shape.is_compatible_with([]):
        raise ValueError(f"Shape {convert_to_tensor(axis).shape} must have rank 0")
    return identity(values[0])


def _split_axis(axis: Any, value: Any) -> int:
    if axis.ndim:
        raise invalid(f"split_dim must be a scalar but has rank {axis.ndim}")
    where, rank = int(axis.reshape(-1)[0]), value.ndim
    if not -rank <= where < rank:
        raise invalid(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {where}")
    return where % rank


@op("Split", shape=split_evenly)
def _split_evenly(xp: Any, axis: Where, value: Any, *, num_split: int) -> Any:
    """Returns equal consecutive parts of a tensor along a dimension.

    Args:
        axis: The dimension.
        value: A tensor.
        num_split: The number of parts.

    Returns:
        A list of tensors of the same type.

    Raises:
        InvalidArgumentError: The dimension is not a multiple of the number.
    """
    where = _split_axis(axis, value)
    if value.shape[where] % num_split:
        raise invalid(
            "Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{where} (size = {value.shape[where]}) and num_split {num_split}"
        )
    return [xp.asarray(part, order="C") for part in xp.split(value, num_split, where)]


@_split_evenly.gradient
def _(call: Call, *dys: Any) -> Any:
    return None, concat_v2(list(dys), call.inputs[0])


def _part_sizes(sizes: list[int], total: int) -> list[int]:
    """The sizes of the parts of a dimension, with what is left for the one that is -1."""
    if sizes.count(-1) > 1:
        raise invalid("There can only be one -1 in the input.")
    given = sum(size for size in sizes if size != -1)
    if given > total or (given < total and -1 not in sizes):
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {given}"
        )
    for i, size in enumerate(sizes):
        if size < -1:
            raise invalid(f"Split size at index {i} must be >= 0. Got: {size}")
    return [total - given if size == -1 else size for size in sizes]


@op("SplitV", shape=split_by)
def split_v(
    xp: Any, value: Any, size_splits: Ints, axis: Where, *, num_split: int | None = None
) -> Any:
    """Returns consecutive parts of a tensor along a dimension.

    Args:
        value: A tensor.
        size_splits: The sizes of the parts.
        axis: The dimension.
        num_split: The number of parts, for a graph in which it is not known.

    Returns:
        A list of tensors of the same type.

    Raises:
        InvalidArgumentError: The sizes do not add up to the dimension's.
    """
    if size_splits.shape != (num_split or size_splits.size,):
        raise invalid(
            "size of the split_tensor must be 1-D and have the same elements as outputs got "
            f"{size_splits.ndim} -D and {size_splits.size} elements"
        )
    if axis.size != 1:
        raise invalid("split_dim_tensor must have exactly one element.")
    where = _split_axis(axis.reshape(()), value)
    sizes = _part_sizes([int(s) for s in size_splits], value.shape[where])
    parts = xp.split(value, np.cumsum(sizes)[:-1], where)
    return [xp.asarray(part, order="C") for part in parts]


@split_v.gradient
def _(call: Call, *dys: Any) -> Any:
    return concat_v2(list(dys), call.inputs[2]), None, None


@export("split")
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split"
) -> Any:
    """Returns consecutive parts of a tensor along a dimension.

    Args:
        value: A tensor.
        num_or_size_splits: The number of equal parts, or the sizes of the parts.
        axis: The dimension.
        num: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A list of tensors of the same type.

    Raises:
        InvalidArgumentError: The parts do not add up to the dimension.
    """
    if isinstance(num_or_size_splits, numbers.Integral):
        return _split_evenly(axis, value, num_split=num_or_size_splits)
    wanted = convert_to_tensor(num_or_size_splits)
    if not wanted.shape.rank:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits!s}"
        )
    return split_v(value, wanted, axis, num_split=wanted.shape[0] if num is None else num)


set_stack(pack)
