"""Shape ops: reshape, squeeze, transpose, broadcast, tile, and static shape helpers.

The helpers return Python integers and lists for static shapes and tensors for dynamic ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.conversion.constant import constant, dense, is_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.context import thread
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import TensorShape, same, text
from twinflow._src.core.shapes import broadcast as _broadcast
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.attributes import Attribute
from twinflow._src.dispatch.op import (
    API,
    OPS,
    Call,
    Ints,
    Kind,
    Sizes,
    Type,
    documented_like,
    export,
    op,
)
from twinflow._src.graph.static_values import array_of, input_of_same_shape, shape_value
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.ops.array.constant_values import constant_value
from twinflow._src.ops.array.fill import sizes
from twinflow._src.ops.array.transpose import transpose_contiguous
from twinflow._src.ops.elementwise.complex_numbers import conj
from twinflow._src.shape_rules.array import (
    broadcast_onto,
    expanded,
    reshaped,
    squeezed,
    tiled,
    transposed,
)
from twinflow._src.shape_rules.values import shape_vector

# Sizes and axes: Python integers if they are static, else tensors.


def sizes_of(x: Any, part: slice = slice(None)) -> Any:
    """Returns the shape, or a slice of it: a list of integers if it is static, else a vector."""
    dims = x.shape._dims
    if dims is not None and None not in dims:
        return list(dims[part])
    return API["shape"](x)[part]


def rank_of(x: Any) -> Any:
    """Returns the rank of a tensor: an integer if it is static, else a scalar tensor."""
    rank = x.shape.rank
    return API["shape"](API["shape"](x))[0] if rank is None else rank


def size_of(x: Any, axis: int) -> Any:
    """Returns the size of an axis: an integer if it is static, else a scalar tensor."""
    dims = x.shape._dims
    size = None if dims is None else dims[axis]
    return API["shape"](x)[axis] if size is None else size


def concat_sizes(*parts: Any) -> Any:
    """Concatenates lists of integers: a list, or a vector if one of them is a tensor."""
    if all(isinstance(part, list) for part in parts):
        return [number for part in parts for number in part]
    return API["concat"]([API["cast"](part, "int32") for part in parts], 0)


def span(start: Any, stop: Any) -> Any:
    """Returns the range of integers: a list, or a vector if a bound is a tensor."""
    if isinstance(start, int) and isinstance(stop, int):
        return list(range(start, stop))
    return API["range"](start, stop)


def turned_back(order: Any) -> Any:
    """Returns the inverse of a permutation of axes."""
    if isinstance(order, list):
        return [order.index(i) for i in range(len(order))]
    return API["math.invert_permutation"](order)


def ones(count: Any) -> Any:
    """Returns a shape of ``count`` ones: a list, or a vector if the count is a tensor."""
    return [1] * count if isinstance(count, int) else API["fill"]([count], 1)


def product(sizes: Any) -> Any:
    """Returns the product of sizes: an integer for a list, else a tensor."""
    return math.prod(sizes) if isinstance(sizes, list) else API["reduce_prod"](sizes)


def places_of(axes: Any, rank: Any) -> Any:
    """Returns non-negative axes for axes that may count from the end; all axes for None."""
    if axes is None:
        return span(0, rank)
    static_axes = axes if isinstance(axes, list) else array_of(axes)
    if static_axes is not None and isinstance(rank, int):
        return [int(axis) % max(rank, 1) for axis in np.reshape(static_axes, [-1])]
    axes = API["reshape"](API["cast"](axes, "int32"), [-1])
    return API["where"](axes < 0, axes + rank, axes)


def with_last(axes: Any, rank: Any) -> Any:
    """Returns the permutation that moves the given non-negative axes to the end."""
    if isinstance(axes, list):
        return [*(i for i in range(rank) if i not in axes), *axes]
    others = OPS["ListDiff"].public(API["range"](rank), axes)[0]
    return API["concat"]([others, axes], 0)


# Shape, reshape, transpose, broadcast and tile.


@op("Shape", no_gradient=True, shape_only=True, shape=shape_vector, out="out_type")
def shape_of(xp: Any, input: Any, *, out_type: Type = dtypes.int32) -> Any:
    """Returns the shape of a tensor as a tensor."""
    if out_type is not dtypes.int32 and out_type is not dtypes.int64:
        opdefs.check_attr("Shape", "out_type", out_type)
    return xp.asarray(input.shape, dtype=out_type.np)


shape_of.static_value(shape_value, of_shapes=True)


@shape_of.batched
def _(call: Any) -> Any:
    return call.unbatched(call.run(*call.inputs)[1:])


@export("shape")
def shape(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the shape of a tensor as a tensor.

    Args:
        input: A tensor.
        out_type: int32 (if None) or int64.

    Returns:
        A tensor of rank 1.
    """
    out_type, graph = out_type or dtypes.int32, thread.scope.graph
    if isinstance(input, tuple):
        from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorValue

        input = SparseTensor.from_value(input) if isinstance(input, SparseTensorValue) else input
    if graph is None:
        return shape_of(input, out_type=out_type)
    if isinstance(input, SymbolicTensor) and input.shape.is_fully_defined():
        return constant(input._dims, out_type, name=name or graph.step("Shape", "Shape"))
    return shape_of(input, out_type=out_type, name=name)


def _reshaped(shape: tuple[int, ...], sizes: list[int]) -> list[int]:
    count = math.prod(shape)
    free = [i for i, size in enumerate(sizes) if size == -1]
    if len(free) > 1:
        raise invalid(f"Only one input size may be -1, not both {free[0]} and {free[1]}")
    for i, size in enumerate(sizes):
        if size < -1:
            raise invalid(f"Size {i} must be non-negative, not {size}")
    product = math.prod(size for size in sizes if size != -1)
    if math.prod(filter(None, sizes)) >= 2**63:
        raise invalid(f"Shape [{', '.join(map(str, sizes))}] has too many elements")
    if free:
        if not product and not count:  # ambiguous; TensorFlow ignores zeros on both sides
            kept = math.prod(size for size in sizes if size > 0)
            sizes[free[0]] = math.prod(filter(None, shape)) // kept
            return sizes
        if not product or count % product:
            wants = f"requires a multiple of {product}" if product else "has 0"
            raise invalid(
                f"Input to reshape is a tensor with {count} values, but the requested shape {wants}"
            )
        sizes[free[0]] = count // product
    elif product != count:
        raise invalid(
            f"Input to reshape is a tensor with {count} values, but the requested shape has {product}"
        )
    return sizes


@op("Reshape", api="reshape", shape=reshaped, moves=True)
def reshape(xp: Any, tensor: Any, shape: Sizes) -> Any:
    """Returns a tensor with the same elements in another shape.

    Args:
        tensor: A tensor.
        shape: The new shape; one size may be -1 and is inferred.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: The number of elements differs.
    """
    if shape.ndim > 1:
        raise invalid(f"sizes input must be 1-D, not {text(shape.shape)}")
    sizes = shape.tolist() if shape.ndim else [int(shape)]
    if min(sizes, default=1) < 1 or math.prod(sizes) != tensor.size:
        sizes = _reshaped(tensor.shape, sizes)
    return tensor.reshape(sizes)


reshape.native("move")


@reshape.specialize
def _(xp: Any, dtype: Any, /, shape: Any) -> Callable[..., Any] | None:
    sizes = tuple(shape.reshape(-1).tolist())
    if (
        shape.ndim > 1
        or min(sizes, default=1) < -1
        or 0 in sizes
        or sizes.count(-1) > 1
        or math.prod(sizes) >= 2**63
    ):
        return None
    return lambda x: x.reshape(sizes)


@reshape.batched
def _(call: Any) -> Any:
    dims = call.node.outputs[0].shape
    if dims.is_fully_defined() and isinstance(call.size, int):  # of no elements, -1 is no size
        return call.run(call.full(0), [call.size, *dims.as_list()])
    return call.run(call.full(0), call.with_first(1, call.size))


@reshape.no_op
def _(node: Any, values: Any) -> Any:
    return input_of_same_shape(node, 0)


reshape.gradient(lambda call, dy: (reshape(dy, sizes_of(call.inputs[0])), None), reads=("shape",))


@op("ExpandDims", api="expand_dims", shape=expanded, moves=True)
@documented_like(reshape)
def expand_dims(xp: Any, input: Any, axis: Ints) -> Any:
    """Inserts an axis of size 1.

    Args:
        input: A tensor.
        axis: The position of the new axis; negative values count from the end.

    Raises:
        InvalidArgumentError: The axis is out of range.
    """
    if axis.size != 1:
        raise invalid("'dim' must be a tensor with a single value")
    where, rank = int(axis.reshape(-1)[0]), input.ndim
    if not -rank - 1 <= where <= rank:
        raise invalid(f"Tried to expand dim index {where} for tensor with {rank} dimensions.")
    return xp.expand_dims(input, where)


expand_dims.native("move")


@expand_dims.specialize
def _(xp: Any, dtype: Any, /, axis: Any) -> Callable[..., Any] | None:
    if axis.size != 1:
        return None
    where, whole = int(axis.reshape(-1)[0]), slice(None)
    index = (*(whole,) * where, None) if where >= 0 else (..., None, *(whole,) * (-where - 1))
    return lambda x: x[index]


@expand_dims.batched
def _(call: Any) -> Any:
    axis = call.static_value(1)
    axis = axis[0] if isinstance(axis, list) else axis
    return call.run(call.full(0), axis if axis < 0 else axis + 1)


@expand_dims.gradient(reads=("axis",))
def _(call: Call, dy: Any) -> Any:
    return reshape(dy, sizes_of(call.inputs[0])), None


_AXES = Attribute("Squeeze", "squeeze_dims", "list(int)")
_Axes = Annotated[Any, lambda axis: _AXES.parsed([axis] if np.isscalar(axis) else axis, "axis")]


@op("Squeeze", api="squeeze", shape=squeezed, moves=True)
@documented_like(expand_dims)
def squeeze(xp: Any, input: Any, *, axis: _Axes = None) -> Any:
    """Removes axes of size 1.

    Args:
        axis: The axes to remove; all axes of size 1 if None.

    Raises:
        InvalidArgumentError: An axis to remove does not have size 1.
    """
    axes = () if axis is None else tuple(axis)
    for i in axes:
        if not -input.ndim <= i < input.ndim:
            raise invalid(
                f"Tried to squeeze dim index {i} for tensor with {input.ndim} dimensions."
            )
        if input.shape[i] != 1:
            raise invalid(
                f"Can not squeeze dim[{i % input.ndim}], expected a dimension of 1, got {input.shape[i]}"
            )
    return xp.squeeze(
        input, axis=tuple({i % input.ndim for i in axes}) or None
    )  # duplicates are allowed


squeeze.native("move")
squeeze.gradient(lambda call, dy: reshape(dy, sizes_of(call.inputs[0])), reads=())


@squeeze.batched
def _(call: Any) -> Any:
    axes, rank = call.attrs["axis"] or (), call.rank(0)
    dims = call.node.arguments[0].shape.as_list()
    if not axes and None in dims:
        return call.looped()
    axes = axes or [i for i, n in enumerate(dims) if n == 1]
    return (
        call.run(*call.inputs, axis=tuple(call.axis(i, rank) for i in axes))
        if axes
        else call.inputs[0]
    )


@op(
    "Transpose",
    shape=transposed,
    tf_name="transpose",
    opens_scope=True,
    moves=True,
    implied_axes="reversed",
)
def transpose_by(xp: Any, x: Any, perm: Ints = None) -> Any:
    """Permutes the axes of a tensor."""
    if perm is not None and perm.ndim != 1:
        raise invalid(f"perm must be rank 1, got shape {text(perm.shape)}")
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
    return transpose_contiguous(xp, x, order) if x.ndim else x


transpose_by.native("move")


@transpose_by.batched
def _(call: Any) -> Any:
    order, rank = call.static_value(1), call.rank(0)
    if order is None:
        order = range(rank)[::-1]
    return call.run(call.full(0), [0, *(call.axis(i, rank) for i in order)])


@transpose_by.no_op
def _(node: Any, values: Any) -> Any:
    x, perm = node.tensors[0], values[-1]
    if not isinstance(perm, np.ndarray) or perm.tolist() != list(range(perm.size)):
        return None
    return x if x.shape.rank == perm.size else None


@transpose_by.specialize
def _(xp: Any, dtype: Any, /, perm: Any) -> Callable[..., Any] | None:
    if perm is not None and (perm.ndim != 1 or not perm.size):
        return None
    order = None if perm is None else tuple(perm.tolist())

    def transpose(x: Any) -> Any:
        return transpose_contiguous(xp, x, order) if x.ndim or order else x

    return transpose


@transpose_by.gradient(reads=("perm",))
def _(call: Call, dy: Any) -> Any:
    perm = call.inputs[1]
    if perm is None:
        return transpose_by(dy, None), None
    order = array_of(perm)
    if order is None or dy.shape.rank is None:
        return transpose_by(dy, API["math.invert_permutation"](perm)), None
    return transpose_by(dy, np.argsort(order % max(dy.shape.rank, 1))), None


@export("transpose")
@documented_like(reshape)
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose") -> Any:
    """Permutes the axes of a tensor.

    Args:
        a: A tensor.
        perm: The permutation of the axes; reversed if None.
        conjugate: If True, also returns the complex conjugate.

    Raises:
        InvalidArgumentError: perm is not a permutation of the axes.
    """
    result = transpose_by(dense(a), perm)
    return conj(result) if conjugate and result.dtype.is_complex else result


@op("BroadcastTo", api="broadcast_to", shape=broadcast_onto)
@documented_like(expand_dims)
def broadcast_to(xp: Any, input: Any, shape: Ints) -> Any:
    """Broadcasts a tensor to a compatible shape.

    Args:
        shape: The shape of the result.

    Raises:
        InvalidArgumentError: The shapes are incompatible.
    """
    if shape.ndim != 1:
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {text(shape.shape)}")
    dims = sizes(shape)
    if input.ndim > len(dims):
        raise invalid(
            f"Rank of input ({input.ndim}) must be no greater than rank of output shape "
            f"({len(dims)})."
        )
    if math.prod(dims) >= 2**63:
        raise invalid(f"Shape {text(dims)} would have more than 2**63 - 1 elements")
    try:
        repeated = xp.empty(dims, input.dtype)
        xp.copyto(repeated, input)  # NumPy's broadcast_to is several times slower for few elements
        return repeated
    except ValueError as error:
        both, onto = f"{text(input.shape)} vs. {text(dims)}", text(dims)
        together = zip(input.shape[::-1], dims[::-1])
        raise invalid(
            f"Unable to broadcast tensor of shape {text(input.shape)} to tensor of shape {onto}"
            if all(1 in pair or pair[0] == pair[1] for pair in together)
            else f"Incompatible shapes: {both}"
        ) from error


@broadcast_to.batched
def _(call: Any) -> Any:
    rank = call.node.outputs[0].shape.rank
    if rank is None:
        return call.looped()
    return call.run(call.aligned(0, rank), call.with_first(1, call.size))


broadcast_to.native("move")


@broadcast_to.specialize(devices=("GPU",))
def _(xp: Any, dtype: Any, /, shape: Any) -> Callable[..., Any] | None:
    sizes, spread, laid = tuple(shape.reshape(-1).tolist()), xp.broadcast_to, xp.ascontiguousarray
    if shape.ndim != 1 or min(sizes, default=0) < 0 or math.prod(sizes) >= 2**63:
        return None
    return lambda x: laid(spread(x, sizes)) if sizes else x.reshape(())


@broadcast_to.no_op
def _(node: Any, values: Any) -> Any:
    return input_of_same_shape(node, 0)


broadcast_to.gradient(lambda call, dy: (unbroadcast(dy, call.inputs[0]), None), reads=("shape",))


@op("Tile", api="tile", shape=tiled)
@documented_like(expand_dims)
def tile(xp: Any, input: Any, multiples: Ints) -> Any:
    """Repeats a tensor along each axis.

    Args:
        multiples: The number of repeats per axis.

    Raises:
        InvalidArgumentError: ``multiples`` does not have one value per axis.
    """
    if multiples.ndim != 1:
        raise invalid(f"Expected multiples to be 1-D, but got shape {text(multiples.shape)}")
    counts = multiples.tolist()
    if len(counts) != input.ndim:
        raise invalid(
            f"Expected multiples argument to be a vector of length {input.ndim} but got length {len(counts)}"
        )
    for i, n in enumerate(counts):
        if n < 0:
            raise invalid(f"Expected multiples[{i}] >= 0, but got {n}")
    if not counts:
        return input
    if input.size == 1:  # as in the gradient of a mean
        return xp.full(counts, input.reshape(()), input.dtype)
    return _tiled(xp, input, counts) if input.shape[-1] >= _LONG else xp.tile(input, counts)


@tile.batched
def _(call: Any) -> Any:
    return call.run(call.full(0), call.with_first(1, 1))


tile.native("move")


_LONG = 64  # minimum row length for a copy per row


def _tiled(xp: Any, x: Any, counts: list[int]) -> Any:
    """Tiles an array by one broadcast assignment, writing each element of the result once."""
    result = xp.empty([n for pair in zip(counts, x.shape) for n in pair], x.dtype)
    result[...] = x.reshape([n for size in x.shape for n in (1, size)])
    return result.reshape([count * size for count, size in zip(counts, x.shape)])


@tile.gradient(reads=("multiples",))
def _(call: Call, dy: Any) -> Any:
    x, multiples = call.inputs
    pairs = API["stack"]([API["cast"](multiples, "int32"), sizes_of(x)], 1)
    split = reshape(dy, reshape(pairs, [-1]))
    return API["reduce_sum"](split, API["range"](0, 2 * size_of(multiples, 0), 2)), None


# Identity ops.


_AnyTensors = Annotated[Any, Kind(many=True, mixed=True, allowed=dtypes.ANY | {dtypes.variant})]


@op("IdentityN", shape=lambda input: list(input), dtypes=dtypes.ANY | {dtypes.variant})
def _identity_n(xp: Any, input: _AnyTensors) -> Any:
    """Returns a list of tensors with the same values as the input tensors."""
    return list(input)


@_identity_n.gradient(slices=True)
def _(call: Call, *dy: Any) -> Any:
    return list(dy)


@export("identity_n")
def identity_n(input: Any, name: str | None = None) -> list[Any]:
    """Returns a list of tensors with the same values as the input tensors.

    Args:
        input: A sequence of tensors.

    Returns:
        A list of tensors.

    Raises:
        InvalidArgumentError: The sequence is empty.
    """
    results: list[Any] = _identity_n(list(input), name=name)
    return results


@op("GuaranteeConst", api="guarantee_const", shape=same)
def guarantee_const(xp: Any, input: Any) -> Any:
    """Returns the input; marks it as a value that never changes.

    Returns:
        The tensor.
    """
    return input.copy()


# Static shapes and values.


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """Returns the broadcast shape of two static shapes.

    Args:
        shape_x: A ``tf.TensorShape``.
        shape_y: A ``tf.TensorShape``.

    Returns:
        A ``tf.TensorShape``.

    Raises:
        ValueError: The shapes are not broadcast-compatible.
    """
    if shape_x.ndims is None or shape_y.ndims is None:
        return TensorShape(None)
    try:
        return TensorShape(_broadcast(shape_x._dims, shape_y._dims))
    except InvalidArgumentError:
        raise ValueError(
            "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair "
            f"they are either equal or one of them is 1. Received: {shape_x} and {shape_y}."
        ) from None


@export("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor: Any) -> bool:
    """True if a value is a tensor of a numeric dtype.

    Args:
        tensor: A value.

    Returns:
        A bool.
    """
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric


@export("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Returns the value of a tensor if it is known statically, else None.

    Args:
        tensor: A tensor.
        partial: If True, returns an object array with None for unknown values of a symbolic ``tf.stack``.

    Returns:
        A NumPy array or scalar, in graphs of constants, static shapes, and what ``tf.range``, ``tf.cast``, ``tf.concat``,
        ``tf.stack``, ``tf.unstack``, ``tf.split``, ``tf.fill``, ``tf.equal``, ``tf.not_equal`` and ``tf.identity`` make of them; None for variables, whose value can change; other values unchanged.
    """
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    if isinstance(tensor, SymbolicTensor):
        return constant_value(tensor, partial)
    return None if is_tensor(tensor) else tensor
