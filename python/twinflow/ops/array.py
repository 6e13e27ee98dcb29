"""Making, casting, reshaping, joining and picking from tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import dtypes, errors
from ..dtypes import DType, as_dtype
from ..errors import invalid
from ..op import Bools, Indices, Ints, Resource, Sizes, Tensors, Type, export, op
from ..shapes import TensorShape, broadcast, same, text, unknown
from ..tensor import constant, convert_to_tensor, is_tensor, set_cast, set_stack

# ------------------------------------------------------------------ identity and casts


@op("Identity", api="identity", shape=same)
def identity(xp: Any, input: Any) -> Any:
    """Returns a tensor of the same value.

    Args:
        input: A tensor.

    Returns:
        A tensor of the same type and shape.
    """
    return input


@op("StopGradient", api="stop_gradient", shape=same)
def stop_gradient(xp: Any, input: Any) -> Any:
    """Returns a tensor of the same value, through which no gradient flows.

    Args:
        input: A tensor.

    Returns:
        A tensor of the same type and shape.
    """
    return input


@op("Cast", shape=same, out="dtype")
def cast_to(xp: Any, x: Any, *, dtype: Type) -> Any:
    """Returns a tensor's values in another type, as C converts them.

    Args:
        x: A tensor.
        dtype: The type of the result.

    Returns:
        A tensor of the same shape.

    Raises:
        UnimplementedError: Strings are neither made of numbers nor turned into them.
    """
    if (x.dtype.kind == "O") != (dtype.kind == "s"):
        source = dtypes.FROM_NUMPY[x.dtype].cname
        raise errors.UnimplementedError(
            None, None, f"Cast {source} to {dtype.cname} is not supported [Op:Cast] name: "
        )
    if x.dtype.kind == "c" and dtype.kind not in "cb":
        x = x.real
    if x.dtype.kind in "fV" and dtype.kind in "uq" and dtype.size < 4:
        # A real number outside a short type wraps around, as C conversions by way of int32 do.
        x = x.astype(xp.float64).astype(xp.int32)
    return xp.ascontiguousarray(x).astype(dtype.np).reshape(x.shape)


@export("cast", "dtypes.cast")
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """Returns a tensor's values in another type.

    Args:
        x: A tensor or variable, or a value that can become one.
        dtype: The type of the result.
        name: A name for the operation.

    Returns:
        A tensor of the same shape; ``x`` itself where it has the type already.

    Raises:
        TypeError: ``dtype`` names no type.
        UnimplementedError: Strings are neither made of numbers nor turned into them.
    """
    wanted = as_dtype(dtype).base_dtype
    if not is_tensor(x):
        x = convert_to_tensor(x)
    return x if x.dtype is wanted else cast_to(x, dtype=wanted)


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Any:
    """Returns a tensor's values in another type, limited to what it can hold.

    Args:
        value: A tensor of numbers.
        dtype: The type of the result.
        name: A name for the operation.

    Returns:
        A tensor of the same shape.
    """
    from .arithmetic import maximum, minimum

    value = convert_to_tensor(value)
    wanted, own = as_dtype(dtype).base_dtype, value.dtype
    if own.kind in "iuf" and wanted.kind in "iuf" and own is not wanted:
        if own.min < wanted.min:
            value = maximum(value, constant(_inside(wanted.min, own, 1), own))
        if own.max > wanted.max:
            value = minimum(value, constant(_inside(wanted.max, own, -1), own))
    return cast(value, wanted)


def _inside(limit: Any, dtype: DType, towards: int) -> Any:
    """A limit as a value of a type that does not lie beyond it after rounding."""
    value = np.array(limit).astype(dtype.np)
    if dtype.kind == "f" and (float(value) - float(limit)) * towards < 0:
        value = np.nextafter(value, value.dtype.type(0))
    return value


@op("Bitcast", api="bitcast", out="type")
def bitcast(xp: Any, input: Any, *, type: Type) -> Any:
    """Returns the same bytes as elements of another type.

    Args:
        input: A tensor of numbers.
        type: The type of the result.

    Returns:
        A tensor with a last dimension more or less where the sizes of the types differ.

    Raises:
        InvalidArgumentError: The last dimension does not fit the sizes.
    """
    old, new = input.dtype.itemsize, type.size
    if old < new:
        if not input.ndim or input.shape[-1] != new // old:
            raise invalid(f"Cannot bitcast from {old // 4 or 1} to {new // 4}")
        return xp.ascontiguousarray(input).view(type.np).reshape(input.shape[:-1])
    shape = input.shape if old == new else (*input.shape, old // new)
    return xp.ascontiguousarray(input).reshape(*input.shape, 1).view(type.np).reshape(shape)


# ------------------------------------------------------------------ filling


def _sizes(values: Any) -> tuple[int, ...]:
    sizes = tuple(int(size) for size in values.reshape(-1))
    for size in sizes:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return sizes


@op("Fill", shape=unknown)
def fill_with(xp: Any, dims: Ints, value: Any) -> Any:
    """Returns a tensor of one value.

    Args:
        dims: The shape.
        value: A scalar.

    Returns:
        A tensor of the scalar's type.

    Raises:
        InvalidArgumentError: A size is negative, or the value is not a scalar.
    """
    if value.ndim:
        raise invalid(f"value must represent a scalar, got shape {text(value.shape)}")
    shape = _sizes(dims)
    try:
        return xp.full(shape, value[()], dtype=value.dtype)
    except (MemoryError, ValueError) as error:
        name = dtypes.FROM_NUMPY[value.dtype].cname
        raise errors.ResourceExhaustedError(
            None, None, f"OOM when allocating tensor with shape{text(shape)} and type {name}"
        ) from error


@export("fill")
def fill(dims: Any, value: Any, name: str | None = None) -> Any:
    """Returns a tensor of one value.

    Args:
        dims: The shape.
        value: A scalar.
        name: A name for the operation.

    Returns:
        A tensor of the scalar's type.

    Raises:
        InvalidArgumentError: A size is negative, or the value is not a scalar.
    """
    return fill_with(dims, value)


def _shape_vector(shape: Any) -> Any:
    if is_tensor(shape):
        return shape
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    values = [shape] if not isinstance(shape, (list, tuple, np.ndarray, range)) else shape
    return convert_to_tensor(values, dtype=dtypes.int32)


@export("zeros")
def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor of zeros (empty strings, False).

    Args:
        shape: Integers.
        dtype: The type of the elements.
        name: A name for the operation.
        layout: Accepted and without effect.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: A size is negative.
        TypeError: A size is not an integer.
    """
    dtype = as_dtype(dtype).base_dtype
    zero = {"s": "", "b": False}.get(dtype.kind, 0)
    return fill_with(_shape_vector(shape), constant(zero, dtype))


@export("ones")
def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None, layout: Any = None) -> Any:
    """Returns a tensor of ones (True).

    Args:
        shape: Integers.
        dtype: The type of the elements.
        name: A name for the operation.
        layout: Accepted and without effect.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: A size is negative.
        TypeError: A size is not an integer, or the type has no one.
    """
    dtype = as_dtype(dtype).base_dtype
    return fill_with(_shape_vector(shape), constant(True if dtype.is_bool else 1, dtype))


@op("ZerosLike", shape=same)
def _zeros_like(xp: Any, x: Any) -> Any:
    """Returns zeros of a tensor's type and shape.

    Args:
        x: A tensor.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.full(x.shape, b"", object) if x.dtype.kind == "O" else xp.zeros(x.shape, x.dtype)


@op("OnesLike", shape=same, dtypes=dtypes.NUMBERS | dtypes.BOOLS)
def _ones_like(xp: Any, x: Any) -> Any:
    """Returns ones of a tensor's type and shape.

    Args:
        x: A tensor.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.ones(x.shape, x.dtype)


def _like(filled: Any, full: Any, input: Any, dtype: Any) -> Any:
    if not is_tensor(input):
        input = convert_to_tensor(input)
    if dtype is None or as_dtype(dtype) is input.dtype:
        return filled(input)
    return full(input.shape, as_dtype(dtype))


@export("zeros_like")
def zeros_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Returns zeros of a tensor's shape.

    Args:
        input: A tensor.
        dtype: The type of the elements; the tensor's where None.
        name: A name for the operation.
        layout: Accepted and without effect.

    Returns:
        A tensor of the same shape.
    """
    return _like(_zeros_like, zeros, input, dtype)


@export("ones_like")
def ones_like(input: Any, dtype: Any = None, name: str | None = None, layout: Any = None) -> Any:
    """Returns ones of a tensor's shape.

    Args:
        input: A tensor.
        dtype: The type of the elements; the tensor's where None.
        name: A name for the operation.
        layout: Accepted and without effect.

    Returns:
        A tensor of the same shape.
    """
    return _like(_ones_like, ones, input, dtype)


@op("Range", shape=unknown, dtypes=dtypes.ORDERED - dtypes.INTEGERS | {dtypes.int32, dtypes.int64, dtypes.int8, dtypes.int16})
def _range(xp: Any, start: Any, limit: Any, delta: Any) -> Any:
    """Returns numbers from start, delta apart, before limit.

    Args:
        start: The first number.
        limit: The first number that is too far.
        delta: The step.

    Returns:
        A tensor of rank 1.

    Raises:
        InvalidArgumentError: The step is 0 or leads away from the limit.
    """
    first, last, step = start[()], limit[()], delta[()]
    if step == 0:
        raise invalid(f"Requires delta != 0: {step}")
    if step > 0 and first > last:
        raise invalid(f"Requires start <= limit when delta > 0: {first}/{last}")
    if step < 0 and first < last:
        raise invalid(f"Requires start >= limit when delta < 0: {first}/{last}")
    if start.dtype.kind == "i":
        return xp.arange(int(first), int(last), int(step), dtype=start.dtype)
    count = max(0, math.ceil(abs((float(last) - float(first)) / float(step))))
    return (first + xp.arange(count).astype(start.dtype) * step).astype(start.dtype)


_RANGE_ORDER = (
    dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64,
)  # fmt: skip


@export("range")
def range_(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Any:
    """Returns numbers from start, delta apart, before limit.

    Args:
        start: The first number, or the limit where it is the only argument.
        limit: The first number that is too far.
        delta: The step.
        dtype: The type of the numbers; the widest of the arguments' where None.
        name: A name for the operation.

    Returns:
        A tensor of rank 1.

    Raises:
        InvalidArgumentError: The step is 0 or leads away from the limit.
    """
    if limit is None:
        start, limit = 0, start
    hint = None if dtype is None else as_dtype(dtype)
    values = [convert_to_tensor(value, dtype_hint=hint) for value in (start, limit, delta)]
    wanted = hint or max((v.dtype for v in values), key=_RANGE_ORDER.index)
    return _range(*(cast(value, wanted) for value in values))


# ------------------------------------------------------------------ shape


@op("Shape", shape=lambda input, **_: (None if input is None else len(input),), out="out_type")
def shape_of(xp: Any, input: Any, *, out_type: Type = dtypes.int32) -> Any:
    """Returns the shape of a tensor as a tensor.

    Args:
        input: A tensor.
        out_type: int32 or int64.

    Returns:
        A tensor of rank 1.
    """
    return xp.asarray(input.shape, dtype=out_type.np)


@export("shape")
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the shape of a tensor as a tensor.

    Args:
        input: A tensor.
        out_type: int32 (where None) or int64.
        name: A name for the operation.

    Returns:
        A tensor of rank 1.
    """
    return shape_of(input, out_type=as_dtype(out_type or dtypes.int32))


@export("size")
def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the number of elements of a tensor.

    Args:
        input: A tensor.
        out_type: int32 (where None) or int64.
        name: A name for the operation.

    Returns:
        A scalar.
    """
    return constant(_dense(input).shape.num_elements(), out_type or dtypes.int32)


@export("rank")
def rank(input: Any, name: str | None = None) -> Any:
    """Returns the number of dimensions of a tensor.

    Args:
        input: A tensor.
        name: A name for the operation.

    Returns:
        An int32 scalar.
    """
    return constant(_dense(input).shape.rank, dtypes.int32)


def _dense(value: Any) -> Any:
    return value if is_tensor(value) else convert_to_tensor(value)


def _reshaped(count: int, sizes: list[int]) -> list[int]:
    free = [i for i, size in enumerate(sizes) if size == -1]
    if len(free) > 1:
        raise invalid(f"Only one input size may be -1, not both {free[0]} and {free[1]}")
    for i, size in enumerate(sizes):
        if size < -1:
            raise invalid(f"Size {i} must be non-negative, not {size}")
    known = math.prod(size for size in sizes if size != -1)
    if free:
        if not known and not count:
            raise invalid(
                "reshape cannot infer the missing input size for an empty tensor unless all "
                "specified input sizes are non-zero"
            )
        if not known or count % known:
            raise invalid(
                f"Input to reshape is a tensor with {count} values, but the requested shape requires "
                f"a multiple of {known}"
            )
        sizes[free[0]] = count // known
    elif known != count:
        raise invalid(
            f"Input to reshape is a tensor with {count} values, but the requested shape has {known}"
        )
    return sizes


@op("Reshape", api="reshape")
def reshape(xp: Any, tensor: Any, shape: Sizes) -> Any:
    """Returns a tensor with the same elements in another shape.

    Args:
        tensor: A tensor.
        shape: The shape; one size may be -1 for what is left.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shape does not have as many elements.
    """
    if shape.ndim > 1:
        raise invalid(f"sizes input must be 1-D, not {text(shape.shape)}")
    return tensor.reshape(_reshaped(tensor.size, [int(s) for s in shape.reshape(-1)]))


@op("ExpandDims", api="expand_dims")
def expand_dims(xp: Any, input: Any, axis: Ints) -> Any:
    """Returns a tensor with a dimension of size 1 more.

    Args:
        input: A tensor.
        axis: Where the dimension goes; negative counts from the end.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The axis lies outside the shape.
    """
    where, rank = int(axis.reshape(-1)[0]), input.ndim
    if not -rank - 1 <= where <= rank:
        raise invalid(
            f"Tried to expand dim index {where} for tensor with {rank} dimensions."
        )
    return xp.expand_dims(input, where)


@op("Squeeze", api="squeeze")
def squeeze(xp: Any, input: Any, *, axis: Any = None) -> Any:
    """Returns a tensor without dimensions of size 1.

    Args:
        input: A tensor.
        axis: The dimensions to drop; all of size 1 where None.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: A dimension to drop is not of size 1.
    """
    axes = () if axis is None else tuple(np.atleast_1d(np.asarray(axis)).tolist())
    for i in axes:
        if not -input.ndim <= i < input.ndim:
            raise invalid(
                f"Tried to squeeze dim index {i} for tensor with {input.ndim} dimensions."
            )
        if input.shape[i] != 1:
            raise invalid(
                f"Can not squeeze dim[{i % input.ndim}], expected a dimension of 1, got {input.shape[i]}"
            )
    return xp.squeeze(input, axis=axes or None)


@op("Transpose")
def transpose_by(xp: Any, x: Any, perm: Ints = None) -> Any:
    """Returns a tensor with its dimensions in another order.

    Args:
        x: A tensor.
        perm: The order; reversed where None.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: perm is not a permutation of the dimensions.
    """
    order = None if perm is None else [int(p) for p in perm]
    if order is not None:
        if len(order) != x.ndim:
            raise invalid(
                f"transpose expects a vector of size {x.ndim}. But input(1) is a vector of size {len(order)}"
            )
        for axis in order:
            if not -x.ndim <= axis < x.ndim:
                raise invalid(f"{axis} is out of range [0 .. {x.ndim})")
        if len({axis % x.ndim for axis in order}) != x.ndim:
            missing = next(i for i in range(x.ndim) if i not in {axis % x.ndim for axis in order})
            raise invalid(f"{missing} is missing from {{{','.join(map(str, order))}}}.")
    return xp.ascontiguousarray(xp.transpose(x, order)) if x.ndim else x


@export("transpose")
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Any:
    """Returns a tensor with its dimensions in another order.

    Args:
        a: A tensor.
        perm: The order of the dimensions; reversed where None.
        conjugate: Whether to take conjugates as well.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: perm is not a permutation of the dimensions.
    """
    from .math import conj

    result = transpose_by(a, perm)
    return conj(result) if conjugate and result.dtype.is_complex else result


@op("BroadcastTo", api="broadcast_to")
def broadcast_to(xp: Any, input: Any, shape: Ints) -> Any:
    """Returns a tensor repeated to a larger shape by the rules of broadcasting.

    Args:
        input: A tensor.
        shape: The shape of the result.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes are incompatible.
    """
    wanted = _sizes(shape)
    try:
        return xp.ascontiguousarray(xp.broadcast_to(input, wanted)).reshape(wanted)
    except ValueError as error:
        raise invalid(f"Incompatible shapes: {text(input.shape)} vs. {text(wanted)}") from error


@op("Tile", api="tile")
def tile(xp: Any, input: Any, multiples: Ints) -> Any:
    """Returns a tensor repeated along each dimension.

    Args:
        input: A tensor.
        multiples: How often, per dimension.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is not one number per dimension.
    """
    counts = [int(n) for n in multiples.reshape(-1)]
    if len(counts) != input.ndim:
        raise invalid(
            f"Expected multiples argument to be a vector of length {input.ndim} but got length {len(counts)}"
        )
    return xp.tile(input, counts) if counts else input


# ------------------------------------------------------------------ joining and splitting


def _axis(axis: int, rank: int, what: str) -> int:
    if not -rank <= axis < rank:
        raise invalid(f"{what} {axis} not in [{-rank}, {rank})")
    return axis % rank


@op("Pack")
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
    _axis(axis, len(first) + 1, "axis = ")
    return xp.ascontiguousarray(xp.stack(values, axis))


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
    rank = _dense(values[0]).shape.rank + 1
    if not -rank <= axis < rank:
        raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return pack(list(values), axis=axis)


@op("Unpack")
def unpack(xp: Any, value: Any, *, axis: int = 0) -> Any:
    """Returns the slices of a tensor along a dimension.

    Args:
        value: A tensor.
        axis: The dimension.

    Returns:
        A list of tensors of the same type, of a dimension less.
    """
    moved = xp.moveaxis(value, _axis(axis, value.ndim, "axis ="), 0)
    return [xp.ascontiguousarray(part).reshape(moved.shape[1:]) for part in moved]


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
        ValueError: The axis lies outside the shape, or the dimension has another size.
    """
    value = _dense(value)
    dims = value.shape.as_list()
    if not -len(dims) <= axis < len(dims):
        raise ValueError(f"Argument `axis` = {axis} not in range [{-len(dims)}, {len(dims)})")
    if num not in (None, dims[axis]):
        raise ValueError(f"Dimension {dims[axis]} is not {num}")
    return unpack(value, axis=axis)


@op("ConcatV2")
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
    rank, where = values[0].ndim, int(axis.reshape(-1)[0])
    if not -rank <= where < rank:
        raise invalid(
            f"ConcatOp : Expected concatenating dimensions in the range [{-rank}, {rank}), but got {where}"
        )
    shapes = [value.shape for value in values]
    for i, other in enumerate(shapes):
        if len(other) != rank or any(a != b for d, (a, b) in enumerate(zip(shapes[0], other, strict=True)) if d != where % rank):  # fmt: skip
            what = "Ranks of all input tensors should match" if len(other) != rank else "Dimensions of inputs should match"  # fmt: skip
            raise invalid(
                f"ConcatOp : {what}: shape[0] = {text(shapes[0])} vs. shape[{i}] = {text(other)}"
            )
    return xp.concatenate(values, where)


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
    return identity(values[0]) if len(values) == 1 else concat_v2(list(values), axis)


@op("SplitV")
def split_v(xp: Any, value: Any, size_splits: Ints, axis: Ints) -> Any:
    """Returns consecutive parts of a tensor along a dimension.

    Args:
        value: A tensor.
        size_splits: The sizes of the parts.
        axis: The dimension.

    Returns:
        A list of tensors of the same type.

    Raises:
        InvalidArgumentError: The sizes do not add up to the dimension's.
    """
    where = _axis(int(axis.reshape(-1)[0]), value.ndim, "axis =")
    sizes, total = [int(s) for s in size_splits], value.shape[where]
    if -1 in sizes:
        sizes[sizes.index(-1)] = total - sum(s for s in sizes if s != -1)
    if sum(sizes) != total or min(sizes, default=0) < 0:
        raise invalid(
            "Determined shape must either match input shape along split_dim exactly if fully "
            "specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {sum(sizes)}"
        )
    parts = xp.split(value, np.cumsum(sizes)[:-1], where)
    return [xp.ascontiguousarray(part) for part in parts]


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
    value = _dense(value)
    if isinstance(num_or_size_splits, int):
        total = value.shape[int(axis)]
        if total % num_or_size_splits:
            raise invalid(
                "Number of ways to split should evenly divide the split dimension, but got split_dim "
                f"{int(axis)} (size = {total}) and num_split {num_or_size_splits}"
            )
        num_or_size_splits = [total // num_or_size_splits] * num_or_size_splits
    return split_v(value, num_or_size_splits, axis)


# ------------------------------------------------------------------ picking


def _assert_indices(xp: Any, indices: Any, size: int) -> None:
    bad = (indices < 0) | (indices >= size)
    if xp.any(bad):
        where = [int(i) for i in xp.argwhere(bad)[0]] if indices.ndim else []
        value = int(indices[tuple(where)])
        raise invalid(f"indices{text(tuple(where)) if where else ''} = {value} is not in [0, {size})")


@op("GatherV2")
def gather_v2(xp: Any, params: Any, indices: Indices, axis: Ints) -> Any:
    """Returns slices of a tensor along a dimension, picked by index.

    Args:
        params: A tensor.
        indices: Which slices.
        axis: The dimension.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An index lies outside the dimension.
    """
    where = _axis(int(axis.reshape(-1)[0]), params.ndim, "Expected axis in range, got")
    _assert_indices(xp, indices, params.shape[where])
    return xp.take(params, indices, where)


@op("ResourceGather", impure=True)
def resource_gather(xp: Any, resource: Resource, indices: Indices) -> Any:
    """Returns rows of a variable's value.

    Args:
        resource: A variable.
        indices: Which rows.

    Returns:
        A tensor of the variable's type.

    Raises:
        InvalidArgumentError: An index lies outside the first dimension.
    """
    array = resource._handle.lend()
    _assert_indices(xp, indices, array.shape[0])
    return xp.take(array, indices, 0)


@export("gather")
def gather(
    params: Any, indices: Any, validate_indices: Any = None, axis: Any = None, batch_dims: int = 0, name: str | None = None
) -> Any:  # fmt: skip
    """Returns slices of a tensor along a dimension, picked by index.

    Args:
        params: A tensor or variable.
        indices: Which slices.
        validate_indices: Accepted and without effect: indices are always checked.
        axis: The dimension; the first one after the batch dimensions where None.
        batch_dims: The number of leading dimensions that params and indices share.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An index lies outside the dimension.
    """
    if batch_dims:
        rows = zip(unstack(params), unstack(indices), strict=True)
        inner = None if axis is None else axis - 1 if axis > 0 else axis
        return stack([gather(p, i, axis=inner, batch_dims=batch_dims - 1) for p, i in rows])
    if axis in (None, 0) and hasattr(params, "sparse_read"):
        return params.sparse_read(indices)
    return gather_v2(params, indices, 0 if axis is None else axis)


def _nd_index(xp: Any, shape: tuple[int, ...], indices: Any, what: str) -> tuple[Any, ...]:
    """The NumPy index that a tensor of index vectors means, checked against a shape."""
    depth = indices.shape[-1] if indices.ndim else 1
    if depth > len(shape):
        raise invalid(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. {len(shape)}"
        )
    rows = indices.reshape(-1, depth)
    bad = xp.any((rows < 0) | (rows >= xp.asarray(shape[:depth], dtype=rows.dtype)), axis=1)
    if xp.any(bad):
        at = int(xp.argmax(bad))
        row = ", ".join(str(int(i)) for i in rows[at])
        raise invalid(f"indices[{at}] = [{row}] does not index into {what} {text(shape)}")
    return tuple(indices[..., i] for i in range(depth))


@op("GatherNd")
def _gather_nd(xp: Any, params: Any, indices: Indices) -> Any:
    """Returns elements or slices of a tensor, picked by index vectors.

    Args:
        params: A tensor.
        indices: Index vectors along the last dimension.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An index lies outside the shape.
    """
    return xp.ascontiguousarray(params[_nd_index(xp, params.shape, indices, "param shape")])


@op("ResourceGatherNd", impure=True)
def resource_gather_nd(xp: Any, resource: Resource, indices: Indices) -> Any:
    """Returns elements or slices of a variable's value, picked by index vectors.

    Args:
        resource: A variable.
        indices: Index vectors along the last dimension.

    Returns:
        A tensor of the variable's type.

    Raises:
        InvalidArgumentError: An index lies outside the shape.
    """
    array = resource._handle.lend()
    where = _nd_index(xp, array.shape, indices, "param shape")
    return xp.ascontiguousarray(array[where])


@export("gather_nd")
def gather_nd(params: Any, indices: Any, batch_dims: int = 0, name: str | None = None) -> Any:
    """Returns elements or slices of a tensor, picked by index vectors.

    Args:
        params: A tensor or variable.
        indices: Index vectors along the last dimension.
        batch_dims: The number of leading dimensions that params and indices share.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An index lies outside the shape.
    """
    if batch_dims:
        rows = zip(unstack(params), unstack(indices), strict=True)
        return stack([gather_nd(p, i, batch_dims - 1) for p, i in rows])
    return params.gather_nd(indices) if hasattr(params, "gather_nd") else _gather_nd(params, indices)


@op("Where")
def where_true(xp: Any, condition: Any) -> Any:
    """Returns the indices of the elements that are true.

    Args:
        condition: A tensor.

    Returns:
        An int64 tensor of index vectors, in row-major order.
    """
    return xp.argwhere(condition).astype(xp.int64)


@op("SelectV2", shape=broadcast)
def select(xp: Any, condition: Bools, x: Any, y: Any) -> Any:
    """Returns x where a condition holds and y elsewhere.

    Args:
        condition: A boolean tensor.
        x: A tensor, broadcast against the others.
        y: A tensor of the type of x, broadcast against the others.

    Returns:
        A tensor of the type of x.
    """
    return xp.where(condition, x, y)


@export("where")
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Returns x where a condition holds and y elsewhere, or where it holds.

    Args:
        condition: A boolean tensor.
        x: A tensor, broadcast against the others.
        y: A tensor of the type of x, broadcast against the others.
        name: A name for the operation.

    Returns:
        A tensor of the type of x, or, without x and y, the indices of the true elements.

    Raises:
        ValueError: Only one of x and y is given.
        InvalidArgumentError: The shapes do not broadcast.
    """
    if x is None and y is None:
        return where_true(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return select(condition, x, y)


@export("boolean_mask")
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Any:
    """Returns the elements of a tensor where a mask is true.

    Args:
        tensor: A tensor.
        mask: A boolean tensor that matches dimensions of the tensor from ``axis`` on.
        axis: The first dimension that the mask matches; 0 where None.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: The mask is a scalar or does not match the shape.
    """
    tensor, mask = _dense(tensor), convert_to_tensor(mask)
    first = 0 if axis is None else int(axis)
    if not mask.shape.rank:
        raise ValueError("mask cannot be scalar.")
    own = tensor.shape[first : first + mask.shape.rank]
    if not own.is_compatible_with(mask.shape):
        raise ValueError(f"Shapes {own} and {mask.shape} are incompatible")
    dims = tensor.shape.as_list()
    flat = [*dims[:first], mask.shape.num_elements(), *dims[first + mask.shape.rank :]]
    picked = squeeze(where_true(reshape(mask, [-1])), axis=[1])
    return gather_v2(reshape(tensor, flat), picked, first)


@op("ReverseV2", api="reverse", shape=same)
def reverse(xp: Any, tensor: Any, axis: Ints) -> Any:
    """Returns a tensor with the order of elements reversed along dimensions.

    Args:
        tensor: A tensor.
        axis: The dimensions.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: An axis lies outside the shape.
    """
    axes = tuple(int(a) for a in axis.reshape(-1))
    for i, a in enumerate(axes):
        if not -tensor.ndim <= a < tensor.ndim:
            raise invalid(f"'axis'[{i}] = {a} is out of valid range [0, {tensor.ndim - 1}]")
    return xp.ascontiguousarray(xp.flip(tensor, axes))


set_stack(pack)
set_cast(cast)
