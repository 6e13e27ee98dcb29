"""Broadcast shapes, ``tf.linspace``, ``tf.unravel_index``, ``tf.shape_n``, ``tf.ensure_shape``."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.autodiff.reverse import unseen
from twinflow._src.backends.host_checks import known_any
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import int32, int64, string
from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.core.shapes import TensorShape, text
from twinflow._src.dispatch.op import Kind, Tensors, Type, export, op
from twinflow._src.graph.static_values import shape_value
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import range_
from twinflow._src.ops.array.rearrange import integers
from twinflow._src.ops.array.shapes import broadcast_to, expand_dims, reshape, shape
from twinflow._src.ops.array.strided_slice import slice_
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.division import truediv
from twinflow._src.shape_rules.values import broadcast_args, ensured, shape_vectors, unravelled

_SIZES = frozenset((int32, int64))
Sizes = Annotated[Any, Kind("T", default=int32, allowed=_SIZES, host=True)]
Index = Annotated[Any, Kind("Tidx", default=int32, allowed=_SIZES)]
Dims = Annotated[Any, Kind("Tidx", default=int32, allowed=_SIZES, host=True)]


@op("BroadcastArgs", shape=broadcast_args, dtypes=_SIZES)
def _broadcast_args(xp: Any, s0: Sizes, s1: Sizes) -> Any:
    """Returns the broadcast shape of two shapes."""
    for i, sizes in enumerate((s0, s1)):
        if sizes.ndim != 1:
            raise invalid(f"In[{i}] must be a vector.{text(sizes.shape)}")
    a, b = (sizes.reshape(-1).tolist() for sizes in (s0, s1))
    rank = max(len(a), len(b))
    result = []
    for x, y in zip([1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b, strict=True):
        if x != y and 1 not in (x, y):
            raise invalid(f"Incompatible shapes: {text(tuple(a))} vs. {text(tuple(b))}")
        result.append(y if x == 1 else x)
    return xp.asarray(result, dtype=s0.dtype)


@op(
    "BroadcastGradientArgs",
    no_gradient=True,
    dtypes=_SIZES,
    shape=lambda s0, s1: [(None,), (None,)],
)
def _broadcast_gradient_args(xp: Any, s0: Sizes, s1: Sizes) -> list[Any]:
    """Returns the axes to sum the gradients of two broadcast tensors over."""
    a, b = s0.tolist(), s1.tolist()
    axes: list[list[int]] = [[], []]
    if a != b:
        rank = max(len(a), len(b))
        a, b = ([1] * (rank - len(s)) + s for s in (a, b))
        if any(x != y and 1 not in (x, y) for x, y in zip(a, b, strict=True)):
            raise invalid(f"Incompatible shapes: {text(tuple(s0))} vs. {text(tuple(s1))}")
        axes = [[i for i in range(rank) if sizes[i] == 1] for sizes in (a, b)]
    return [xp.asarray(each, dtype=s0.dtype) for each in axes]


@export("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """Returns the broadcast shape of two shapes, as a tensor.

    Args:
        shape_x: A shape vector.
        shape_y: A shape vector.

    Returns:
        A shape vector.

    Raises:
        InvalidArgumentError: The shapes are not broadcast-compatible.
    """
    return _broadcast_args(shape_x, shape_y)


def _dims(value: Any) -> Any:
    return TensorShape(value)


Static = Annotated[Any, _dims]


@op("EnsureShape", shape=ensured)
def ensure_shape_(xp: Any, input: Any, *, shape: Static) -> Any:
    """Checks that a tensor has the given shape, and returns it."""
    if not TensorShape.of(input.shape).is_compatible_with(shape):
        raise invalid(
            f"Shape of tensor input {text(input.shape)} is not compatible with expected shape "
            f"{text(shape._dims)}."
        )
    return input


ensure_shape_.gradient(lambda call, dy: dy, slices=True)
ensure_shape_.batched(
    lambda call: call.run(*call.inputs, shape=TensorShape([None]).concatenate(call.attrs["shape"]))
)


@export("ensure_shape")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Any:
    """Checks that a tensor has the given shape, and returns it.

    Args:
        x: A tensor.
        shape: The shape; unknown sizes match any size.

    Returns:
        The tensor.

    Raises:
        InvalidArgumentError: The tensor's shape is incompatible.
    """
    return ensure_shape_(x, shape=shape)


@export("shape_n")
def shape_n(input: Any, out_type: Any = int32, name: str | None = None) -> list[Any]:
    """Returns the shapes of several tensors.

    Args:
        input: A sequence of tensors of the same dtype.
        out_type: int32 or int64.

    Returns:
        A list of tensors of rank 1.
    """
    return _shape_n(list(input) if is_tensor(input) else input, out_type=out_type)


@op("ShapeN", shape_only=True, shape=shape_vectors, no_gradient=True, out="out_type")
def _shape_n(xp: Any, input: Tensors, *, out_type: Type = int32) -> Any:
    """Returns the shapes of several tensors."""
    return [xp.asarray(x.shape, dtype=out_type.np) for x in input]


_shape_n.static_value(shape_value)


@_shape_n.batched
def _(call: Any) -> Any:
    flags = call.is_batched[0]
    shapes = zip(call.run(*call.inputs), flags)
    return [call.unbatched(sizes[1:] if flag else sizes) for sizes, flag in shapes]


@op("UnravelIndex", api="unravel_index", shape=unravelled, devices=("CPU",))
def unravel_index(xp: Any, indices: Index, dims: Dims) -> Any:
    """Converts flat indices into index vectors for an array of the given shape.

    Args:
        indices: The flat indices, a scalar or vector.
        dims: The shape.

    Returns:
        A tensor whose first dimension has one entry per dimension of the shape.

    Raises:
        InvalidArgumentError: An index is out of range.
    """
    if not indices.size:
        raise invalid(
            f"received empty tensor indices: Tensor<type: {indices.dtype} shape: {text(indices.shape)} values: >"
        )
    if indices.ndim > 1:
        raise invalid(f'The indices can only be scalar or vector, got "{text(indices.shape)}"')
    if dims.ndim != 1:
        raise invalid(f'The indices can only be 1-D, got "{text(dims.shape)}"')
    if not dims.all():
        at = dims.tolist().index(0)
        raise invalid(
            f"Input dims cannot contain a dim of zero, but dims contains zero at index {at}"
        )
    total = math.prod(dims.tolist())
    if total > np.iinfo(dims.dtype).max:
        raise invalid(
            f"Input dims product is causing integer overflow: ({' '.join(map(str, dims.tolist()))})"
        )
    if known_any(xp, lambda: indices >= total):
        raise invalid("index is out of bound as with dims")
    # As in C: a negative index has a negative remainder; TensorFlow does not check for it.
    rows, rest = [], indices
    for size in reversed(dims.tolist()):
        rows.append(xp.fmod(rest, size))
        rest = (rest - rows[-1]) // size
    return xp.stack(rows[::-1]).astype(indices.dtype, copy=False)


@export("linspace")
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Any:
    """Returns evenly spaced values from ``start`` to ``stop``, both included.

    Args:
        start: The first value, or a tensor of first values.
        stop: The last value, of the same dtype.
        num: The number of values.
        name: A name for the operation.
        axis: The new axis that holds the values.

    Returns:
        A tensor with one more dimension; float64 for integer arguments.

    Raises:
        InvalidArgumentError: ``num`` is negative.
    """
    start = convert_to_tensor(start)
    stop = convert_to_tensor(stop, dtype=start.dtype, name="stop")
    if start.dtype is string:
        raise UnimplementedError(None, None, "Cast int32 to string is not supported")
    plain = unseen(start) and unseen(stop)  # else a placement log would show no-op casts and slices
    count = (
        num if plain and type(num) is int and abs(num) < 2**31 else int(reshape(_single(num), []))
    )
    if count < 0:
        raise invalid("Requires start <= limit when delta > 0: 1/-1")
    if not plain or start.shape != stop.shape:
        dims = broadcast_dynamic_shape(shape(start), shape(stop))
        start, stop = broadcast_to(start, dims), broadcast_to(stop, dims)
    first, last = expand_dims(start, axis), expand_dims(stop, axis)
    steps = max(count - 1, 1)
    delta = truediv(last - first, cast(steps, last.dtype))
    first, last = cast(first, delta.dtype), cast(last, delta.dtype)
    rank = len(first.shape)
    where = axis if axis >= 0 else rank + axis
    along = [max(count - 2, 0) if i == where else 1 for i in range(rank)]
    inner = np.arange(1, steps) if plain else range_(1, steps, dtype=int64)
    inner = inner.reshape(along) if plain else reshape(cast(inner, delta.dtype), along)
    joined = concat([first, first + delta * cast(inner, delta.dtype), last], where)
    if plain and count > 1:
        return joined
    sizes = [count if i == where else n for i, n in enumerate(first.shape.as_list())]
    return slice_(joined, [0] * rank, sizes)


def _single(num: Any) -> Any:
    """Converts a value with one integer element to a tensor."""
    number = integers(num, "num")
    if number.shape.rank and number.shape.num_elements() != 1:
        raise invalid(f"limit must be a scalar, not shape {text(number.shape._dims)}")
    return number
