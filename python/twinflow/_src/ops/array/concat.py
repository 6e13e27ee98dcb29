"""Concatenation and splitting of tensors, and ``tf.parallel_stack``."""

from __future__ import annotations

import itertools
import math
import numbers
from collections.abc import Callable
from contextlib import nullcontext
from typing import Annotated, Any

import numpy as np

from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.backends.cpu.reductions import steps
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import whole_numbers
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int32
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import UNKNOWN, Dimension, TensorShape, refused, static_size, text
from twinflow._src.dispatch.op import API, Call, Ints, Kind, Tensors, documented_like, export, op
from twinflow._src.graph.static_values import array_of, known_elements, partial_value
from twinflow._src.ops.array.gather import slices_of_parts
from twinflow._src.ops.array.shapes import size_of
from twinflow._src.ops.array.strided_slice import owned
from twinflow._src.ops.elementwise.cast import identity
from twinflow._src.shape_rules.array import concatenated, split_by, split_evenly
from twinflow._src.shape_rules.demands import merged

# Concat and split.


# Minimum number of elements for a parallel copy, and elements per block.
_LARGE, _PART = 1 << 23, 1 << 20

Where = Annotated[Any, Kind("split_dim", only=int32, host=True)]


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


def _concat_arrays(xp: Any, values: Any, axis: int) -> Any:
    """Concatenates arrays along an axis; large ones on the host in blocks on the thread pool."""
    whole, dtype = sum(value.size for value in values), values[0].dtype
    if xp is not np or whole < _LARGE or dtype.kind == "O":
        return xp.concatenate(values, axis)
    shape = [
        *values[0].shape[:axis],
        sum(value.shape[axis] for value in values),
        *values[0].shape[axis + 1 :],
    ]
    result, outer = np.empty(shape, dtype), math.prod(shape[:axis])
    parts = [value.reshape(outer, -1) for value in values]
    slots = np.split(
        result.reshape(outer, -1), np.cumsum([part.shape[1] for part in parts[:-1]]), 1
    )
    rows = steps(outer, max(1, _PART * outer // whole))  # chunks of consecutive rows of the result
    copies = [
        (into[i, j], part[i, j])
        for i in rows
        for into, part in zip(slots, parts)
        for j in steps(part.shape[1], _PART)
    ]
    shared(lambda copy: np.copyto(*copy), copies)
    return result


@op("ConcatV2", shape=concatenated, tf_name="concat", moves=True)
def concat_v2(xp: Any, values: Tensors, axis: Ints) -> Any:
    """Concatenates tensors along one axis."""
    if axis.ndim and axis.shape != (1,):
        raise invalid(f"axis tensor should be a scalar integer, but got shape {text(axis.shape)}")
    rank, where = values[0].ndim, int(axis.reshape(-1)[0])
    if not where and not rank:
        rank = 1  # _assert_joinable raises below
    if not -rank <= where < rank:
        raise invalid(
            f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {where}"
        )
    _assert_joinable([value.shape for value in values], where % rank)
    return _concat_arrays(xp, values, where % rank)


@concat_v2.batched
def _(call: Any) -> Any:
    axis = call.static_value(1)
    return call.run(call.full(0), axis if axis < 0 else axis + 1)


concat_v2.native("move")


@concat_v2.specialize(devices=("GPU",))
def _(xp: Any, dtype: Any, /, axis: Any) -> Callable[..., Any] | None:
    where, join = int(axis.reshape(-1)[0]) if axis.size == 1 else 0, xp.concatenate
    return None if axis.size != 1 else lambda values: join(values, where)


@concat_v2.specialize(devices=("CPU",))
def _(xp: Any, dtype: Any, /, axis: Any) -> Callable[..., Any] | None:
    if axis.ndim and axis.shape != (1,):
        return None
    where = int(axis.reshape(-1)[0])

    def join(values: Any) -> Any:
        if sum([value.size for value in values]) < _LARGE:
            return np.concatenate(values, where)
        return _concat_arrays(xp, values, where % values[0].ndim)

    return join


@concat_v2.static_value
def _(node: Any, index: int) -> Any:
    parts = [known_elements(x) for x in node.tensors if x.shape.rank == 1]
    if len(parts) != len(node.arguments[0]) or any(part is None for part in parts):
        return UNKNOWN
    return partial_value([x for part in parts for x in part or ()], node.outputs[0].dtype)


@concat_v2.gradient(slices=True)
def _(call: Call, dy: Any) -> Any:
    values, axis = call.inputs
    where = int(array_of(axis))
    if isinstance(dy, IndexedSlices):
        rank = values[0].shape.rank
        if where < 0 and rank is None:
            raise ValueError(
                "Can only compute IndexedSlices gradient with negative concat_dim when first value rank is statically-known."
            )
        return [*slices_of_parts(dy, values, where % rank if where < 0 else where), None]
    return [*split_v(dy, [size_of(value, where) for value in values], where), None]


@export("concat")
def concat(values: Any, axis: Any, name: str = "concat") -> Any:
    """Concatenates tensors along one axis.

    Args:
        values: A sequence of tensors of the same dtype and of the same shape except along ``axis``.
        axis: The axis to concatenate along; negative values count from the end.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: The shapes are incompatible, or the axis is out of range.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) != 1:
        return concat_v2(list(values), axis)
    graph = thread.scope.graph
    with nullcontext() if graph is None else graph.name_scope(name or "concat"):
        dim = convert_to_tensor(axis, int32, name="concat_dim")
        if not dim.shape.is_compatible_with([]):
            raise ValueError(f"Shape {dim.shape} must have rank 0")
        return identity(values[0], name=name)


def _split_axis(axis: Any, value: Any) -> int:
    if axis.ndim:
        raise invalid(f"split_dim must be a scalar but has rank {axis.ndim}")
    where, rank = int(axis.reshape(-1)[0]), value.ndim
    if not -rank <= where < rank:
        raise invalid(f"-input rank(-{rank}) <= split_dim < input rank ({rank}), but got {where}")
    return where % rank


@op("Split", shape=split_evenly, tf_name="split")
def _split_evenly(xp: Any, axis: Where, value: Any, *, num_split: int) -> Any:
    """Splits a tensor into equal consecutive parts along one axis."""
    where = _split_axis(axis, value)
    if value.shape[where] % num_split:
        raise invalid(
            "Number of ways to split should evenly divide the split dimension, but got split_dim "
            f"{where} (size = {value.shape[where]}) and num_split {num_split}"
        )
    return _parts(xp, value, where, [value.shape[where] // num_split] * num_split)


@_split_evenly.batched
def _(call: Any) -> Any:
    return call.along(0, 1)


_split_evenly.native("move")


def _parts(xp: Any, value: Any, axis: int, sizes: list[int]) -> list[Any]:
    """Returns consecutive slices of the given sizes along an axis."""
    lead, ends = (slice(None),) * axis, itertools.accumulate(sizes)
    return [owned(xp, value, (*lead, slice(end - n, end))) for n, end in zip(sizes, ends)]


@_split_evenly.specialize(devices=("GPU",))
def _(xp: Any, dtype: Any, /, axis: Any, *, num_split: int) -> Callable[..., Any] | None:
    if axis.size != 1 or axis.reshape(-1)[0] or num_split < 1:
        return None

    def split(x: Any) -> Any:
        size, rest = divmod(len(x), num_split)
        if rest:
            raise ValueError(rest)
        return [x[at : at + size] for at in range(0, len(x), size)] if size else [x] * num_split

    return split


@_split_evenly.specialize(devices=("CPU",))
def _(xp: Any, dtype: Any, /, axis: Any, *, num_split: int) -> Callable[..., Any] | None:
    if axis.ndim or num_split < 1:
        return None
    where, lead = int(axis), (slice(None),) * int(axis)

    def split(x: Any) -> Any:
        size, rest = divmod(x.shape[where], num_split)
        if rest:
            raise ValueError(rest)
        return [
            owned(xp, x, (*lead, slice(start, start + size)))
            for start in range(0, size * num_split, size)
        ]

    return split if where >= 0 else None


@_split_evenly.gradient
def _(call: Call, *dys: Any) -> Any:
    return None, concat_v2(list(dys), call.inputs[0])


def _part_sizes(sizes: list[int], total: int) -> list[int]:
    """Returns the sizes of the parts along an axis, with a size of -1 replaced by the remainder."""
    if sizes.count(-1) > 1:
        raise invalid("There can only be one -1 in the input.")
    listed = sum(size for size in sizes if size != -1)
    if len(sizes) == 1 and sizes[0] != total:
        raise invalid(
            "If there is only one output, it must have the same size as the input. "
            f"Input size: {total} output size: {sizes[0]}"
        )
    if listed > total or (listed < total and -1 not in sizes):
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {listed}"
        )
    for i, size in enumerate(sizes):
        if size < -1:
            raise invalid(f"Split size at index {i} must be >= 0. Got: {size}")
    return [total - listed if size == -1 else size for size in sizes]


@op("SplitV", shape=split_by, tf_name="split")
def split_v(
    xp: Any, value: Any, size_splits: Ints, axis: Where, *, num_split: int | None = None
) -> Any:
    """Splits a tensor into consecutive parts of the given sizes along one axis."""
    if size_splits.shape != (num_split or size_splits.size,):
        raise invalid(
            "size of the split_tensor must be 1-D and have the same elements as outputs got "
            f"{size_splits.ndim} -D and {size_splits.size} elements"
        )
    if axis.size != 1:
        raise invalid("split_dim_tensor must have exactly one element.")
    where = _split_axis(axis.reshape(()), value)
    return _parts(xp, value, where, _part_sizes(size_splits.tolist(), value.shape[where]))


@split_v.batched
def _(call: Any) -> Any:
    return call.along(2)


split_v.native("move")


@split_v.gradient
def _(call: Call, *dys: Any) -> Any:
    return concat_v2(list(dys), call.inputs[2]), None, None


@export("split")
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split"
) -> Any:
    """Splits a tensor into consecutive parts along one axis.

    Args:
        value: A tensor.
        num_or_size_splits: The number of equal parts, or the sizes of the parts.
        axis: The axis.
        num: Ignored.

    Returns:
        A list of tensors of the same dtype.

    Raises:
        InvalidArgumentError: The parts do not add up to the size of the axis.
    """
    if type(num_or_size_splits) is int or isinstance(
        num_or_size_splits, (numbers.Integral, Dimension)
    ):
        num_or_size_splits = int(num_or_size_splits)
        return _split_evenly(axis, value, num_split=num_or_size_splits, name=name)
    whole = whole_numbers.as_integers(num_or_size_splits)
    if whole is not None:
        return split(value, whole, axis, num, name)
    parts = convert_to_tensor(num_or_size_splits)
    if not parts.shape.rank:
        raise ValueError(
            "Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits!s}"
        )
    return split_v(
        value, parts, axis, num_split=static_size(parts.shape, 0) if num is None else num, name=name
    )


# Parallel stack.


def _parallel_concat_shape(values: Any, *, shape: Any) -> Any:
    whole = TensorShape(shape)
    if not whole.is_fully_defined():
        raise refused("shape attr must be fully defined.")
    sizes = tuple(whole.as_list())
    if not sizes:
        raise refused("Out of range dim_index 0 for shape with 0 dimensions")
    row: Any = (1, *sizes[1:])
    for i, value in enumerate(values):
        if value == ():
            raise refused(
                f"The rank of all input shapes must be greater than 0, but input {i} had rank 0."
            )
        if value is not None and value[0] not in (None, 1):
            raise refused("Size of first dimension must be 1.")
        try:
            row = merged(value, row)
        except InvalidArgumentError as error:
            raise refused(f"{error}\n\tFrom merging shape {i} with other shapes.") from None
    return sizes


def _assert_rows(values: Any, shape: Any) -> None:
    """Raises InvalidArgumentError if the values cannot be stacked to the given shape."""
    whole = TensorShape(shape)
    if not whole.is_fully_defined():
        raise invalid(f"Shape {text(whole._dims)} is not fully defined")
    sizes = tuple(size or 0 for size in whole.as_list())
    if not sizes:
        raise invalid("value should be at least rank 1.")
    for i, value in enumerate(values):
        if value.ndim != len(sizes) or value.shape[1:] != sizes[1:]:
            colon = "" if value.ndim == len(sizes) else ":"
            raise invalid(
                f"value and update shape doesn't match{colon} {text(sizes)} vs. {text(value.shape)}"
            )
        if i >= sizes[0]:
            raise invalid(f"0th dimension of value = {sizes[0]} must be greater than loc_ = {i}")
        if value.shape[0] != 1:
            raise invalid(f"update shape doesn't match: {text(value.shape)}")
    if len(values) < sizes[0]:
        raise invalid(f"{len(values)} values do not fill the shape {text(sizes)}")


@op("ParallelConcat", shape=_parallel_concat_shape, no_gradient=True)
def _parallel_concat(xp: Any, values: Tensors, *, shape: Any) -> Any:
    """Concatenates tensors along their first axis, whose size is 1 in each."""
    _assert_rows(values, shape)
    return xp.concatenate(values)


@export("parallel_stack")
@documented_like(concat)
def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Any:
    """Stacks tensors along a new first axis; only inside a graph.

    Args:
        values: A list of tensors of the same dtype and the same static shape.

    Raises:
        RuntimeError: Called in eager mode.
        ValueError: The static shape is not fully known, or the shapes differ.
    """
    if thread.scope.graph is None:
        raise RuntimeError("tf.parallel_stack() is not compatible with eager execution.")
    shape = TensorShape([len(values)]).concatenate(convert_to_tensor(values[0]).shape)
    rows = [API["expand_dims"](value, 0) for value in values]
    return _parallel_concat(rows, shape=shape)
