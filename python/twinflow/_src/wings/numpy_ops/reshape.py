"""Shape queries, and functions that reshape, rearrange, join, repeat and split arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.core.shapes import static_size
from twinflow._src.wings.numpy_ops.arrays import promote, rank_of, shape_with_ones, with_rank
from twinflow._src.wings.numpy_ops.registry import expose, tnp

# Shape queries, reshape and transpose.


@expose("shape", returns="A ``tf.TensorShape``.")
def shape(a: Any) -> Any:
    """Returns the shape of an array."""
    return tnp.asarray(a).shape


@expose("ndim", returns="An integer.")
def ndim(a: Any) -> int:
    """Returns the rank of an array."""
    return tnp.asarray(a).ndim


@expose("isscalar", num="A value.", returns="A boolean.")
def isscalar(num: Any) -> bool:
    """Returns True if a value is a scalar (of rank 0)."""
    return tnp.ndim(num) == 0


@expose(
    "size",
    axis="Must be None.",
    returns="An integer.",
    raises="NotImplementedError: An axis is given.",
)
def size(x: Any, axis: Any = None) -> Any:
    """Returns the number of elements of an array."""
    if axis is not None:
        raise NotImplementedError(
            "axis argument is not supported in the current `np.size` implementation"
        )
    if isinstance(x, (int, float, np.int32, np.int64, np.float32, np.float64)):
        return 1
    x = tnp.asarray(x)
    return np.prod(x.shape.as_list(), dtype=int) if x.shape.is_fully_defined() else tf.size(x)


@expose(
    "reshape",
    newshape="The shape; one size may be -1, which is inferred.",
    order='"C" for row-major order, "F" for column-major order.',
    raises="ValueError: The order is not supported.",
)
def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """Reshapes an array."""
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order}")
    a = tnp.asarray(a)
    sizes = [newshape] if isinstance(newshape, int) else newshape
    if order == "C":
        return tf.reshape(a, sizes)
    return tf.transpose(tf.reshape(tf.transpose(a), sizes[::-1]))


@expose("ravel", returns="A tensor of rank 1.")
def ravel(a: Any) -> Any:
    """Returns a flattened array."""
    return tf.reshape(tnp.asarray(a), [-1])


@expose(
    "flatten",
    order='"C", "A" or "K" for row-major order, "F" for column-major order.',
    returns="A tensor of rank 1.",
    raises="ValueError: The order is not supported.",
)
def flatten(a: Any, order: str = "C") -> Any:
    """Returns a flattened array."""
    a = tnp.asarray(a)
    if order not in ("C", "A", "K", "F"):
        raise ValueError("order can only be C, A, K (all row major) or F (column major).")
    return tf.reshape(tf.transpose(a) if order == "F" else a, [-1])


@expose("expand_dims", axis="The index of the new axis.")
def expand_dims(a: Any, axis: Any) -> Any:
    """Inserts an axis of size 1."""
    return tf.expand_dims(tnp.asarray(a), axis=axis)


@expose("squeeze", axis="The axes to remove; all of size 1 if None.")
def squeeze(a: Any, axis: Any = None) -> Any:
    """Removes axes of size 1."""
    return tf.squeeze(tnp.asarray(a), axis)


@expose("transpose", axes="The permutation; reversed axes if None.")
def transpose(a: Any, axes: Any = None) -> Any:
    """Permutes the axes of an array."""
    return tf.transpose(a=tnp.asarray(a), perm=None if axes is None else tnp.asarray(axes))


@expose("swapaxes", axis1="An axis.", axis2="An axis.")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Swaps two axes of an array."""
    a = tnp.asarray(a)
    if a.shape.rank is not None and isinstance(axis1, int) and isinstance(axis2, int):
        axis1, axis2 = (axis + a.ndim if axis < 0 else axis for axis in (axis1, axis2))
        order: Any = list(range(a.ndim))
        order[axis1], order[axis2] = axis2, axis1
        return tf.transpose(a, order)
    rank = tf.rank(a)
    axis1, axis2 = tf.nest.map_structure(lambda x: _normalize_axis(x, rank), (axis1, axis2))
    order = tf.tensor_scatter_nd_update(tf.range(rank), [[axis1], [axis2]], [axis2, axis1])
    return tf.transpose(a, order)


def _normalize_axis(axis: Any, rank: Any) -> Any:
    """Returns the non-negative axis; it may be a tensor."""
    if isinstance(axis, int):
        return axis + rank if axis < 0 else axis
    return tf.where(axis < 0, axis + rank, axis)


@expose(
    "moveaxis",
    source="The axes to move.",
    destination="Their new positions.",
    raises="ValueError: The numbers of axes and positions differ.",
)
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Moves axes of an array to new positions."""
    if not source and not destination:
        return a
    a = tnp.asarray(a)
    source, destination = ((x,) if isinstance(x, int) else x for x in (source, destination))
    if len(source) != len(destination):
        raise ValueError("The lengths of source and destination must equal")
    source, destination = (
        [x + a.ndim if x < 0 else x for x in axes] for axes in (source, destination)
    )
    order = [i for i in range(a.ndim) if i not in source]
    for position, axis in sorted(zip(destination, source)):
        assert position <= len(order)
        order.insert(position, axis)
    return tf.transpose(a, order)


# Flip, roll, rotate and ``atleast_*d``.


@expose("flip", axis="The axis to reverse; all if None.")
def flip(m: Any, axis: Any = None) -> Any:
    """Reverses the order of elements along an axis."""
    m = tnp.asarray(m)
    if axis is None:
        return tf.reverse(m, tf.range(tf.rank(m)))
    return tf.reverse(m, [axis + rank_of(m) if axis < 0 else axis])


@expose("flipud")
def flipud(m: Any) -> Any:
    """Reverses the order of elements along the first axis."""
    return tnp.flip(m, 0)


@expose("fliplr")
def fliplr(m: Any) -> Any:
    """Reverses the order of elements along the second axis."""
    return tnp.flip(m, 1)


@expose("roll", shift="The number of positions.", axis="The axes; the flattened array if None.")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Rolls elements along axes; elements beyond the last position reappear at the first."""
    a = tnp.asarray(a)
    if axis is not None:
        return tf.roll(a, shift, axis)
    return tf.reshape(tf.roll(tf.reshape(a, [-1]), shift, 0), tf.shape(a))


@expose(
    "rot90",
    k="The number of rotations.",
    axes="The plane of rotation, from the first axis to the second.",
)
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Rotates an array by 90 degrees in a plane."""
    rank = tnp.ndim(m)
    first, second = (axis + rank if axis < 0 else axis for axis in axes)
    k = k % 4
    if k == 0:
        return m
    if k == 2:
        return tnp.flip(tnp.flip(m, first), second)
    order = tf.tensor_scatter_nd_update(tf.range(rank), [[first], [second]], [second, first])
    if k == 1:
        return tnp.transpose(tnp.flip(m, second), order)
    return tnp.flip(tnp.transpose(m, order), second)


def _at_least(rank: int, behind: int, arrays: tuple[Any, ...]) -> Any:
    """Returns arrays of at least ``rank`` dimensions; up to ``behind`` new ones are trailing."""

    def raise_rank(x: Any) -> Any:
        return with_rank(tnp.asarray(x), rank, behind)

    results = list(map(raise_rank, arrays))
    return results[0] if len(results) == 1 else results


@expose("atleast_1d", returns="A tensor, or a list of them.")
def atleast_1d(*arys: Any) -> Any:
    """Returns arrays with at least one dimension."""
    return _at_least(1, 0, arys)


@expose("atleast_2d", returns="A tensor, or a list of them.")
def atleast_2d(*arys: Any) -> Any:
    """Returns arrays with at least two dimensions; new axes are leading."""
    return _at_least(2, 0, arys)


@expose("atleast_3d", returns="A tensor, or a list of them.")
def atleast_3d(*arys: Any) -> Any:
    """Returns arrays with at least three dimensions; a vector becomes the middle axis."""
    return _at_least(3, 1, arys)


# Joining, tiling, padding and broadcasting.


@expose("concatenate", axis="The axis.", raises="ValueError: There are no arrays.")
def concatenate(arys: Any, axis: int = 0) -> Any:
    """Joins arrays along an existing axis."""
    if not isinstance(arys, (list, tuple)):
        arys = [arys]
    if not arys:
        raise ValueError(
            f"Need at least one array to concatenate. Received empty input: arys={arys}"
        )
    dtype = tnp.result_type(*arys)
    return tf.concat([tnp.array(a, dtype=dtype) for a in arys], axis)


@expose("append", values="The values.", axis="The axis; both are flattened if None.")
def append(arr: Any, values: Any, axis: Any = None) -> Any:
    """Appends values to the end of an array."""
    if axis is None:
        return tnp.concatenate([tnp.ravel(arr), tnp.ravel(values)], 0)
    return tnp.concatenate([arr, values], axis=axis)


@expose(
    "stack",
    arrays="Arrays, or one array that is split along its first axis.",
    axis="The index of the new axis.",
)
def stack(arrays: Any, axis: int = 0) -> Any:
    """Joins arrays along a new axis."""
    if isinstance(arrays, tf.Tensor):
        arrays = tnp.asarray(arrays)
        return arrays if axis == 0 else tnp.swapaxes(arrays, 0, axis)
    return tnp.asarray(tf.stack(promote(*arrays), axis))


@expose("hstack")
def hstack(tup: Any) -> Any:
    """Stacks arrays horizontally (column-wise)."""
    arrays = promote(*[tnp.atleast_1d(a) for a in tup])
    return tf.concat(arrays, axis=0 if arrays[0].ndim == 1 else 1)


@expose("vstack")
def vstack(tup: Any) -> Any:
    """Stacks arrays vertically (row-wise)."""
    return tf.concat(promote(*[tnp.atleast_2d(a) for a in tup]), axis=0)


@expose("dstack")
def dstack(tup: Any) -> Any:
    """Stacks arrays depth-wise (along the third axis)."""
    return tf.concat(promote(*[tnp.atleast_3d(a) for a in tup]), axis=2)


@expose("tile", reps="The number of repetitions of each axis; leading axes default to 1.")
def tile(a: Any, reps: Any) -> Any:
    """Repeats an array as tiles along its axes."""
    a = tnp.array(a)
    reps = tf.reshape(tnp.array(reps, dtype=tf.int32), [-1])
    missing = a.ndim - static_size(reps.shape, 0)
    reps = tf.pad(reps, [[max(missing, 0), 0]], constant_values=1)
    return tf.tile(tf.reshape(a, shape_with_ones(a, max(-missing, 0))), reps)


@expose(
    "repeat",
    repeats="The number of repetitions: one number, or one for each element of the axis.",
    axis="The axis; the flattened array if None.",
)
def repeat(a: Any, repeats: Any, axis: Any = None) -> Any:
    """Repeats each element of an array."""
    a = tnp.asarray(a)
    expected = (
        _infer_repeated(a.shape.as_list(), repeats, axis) if a.shape.is_fully_defined() else None
    )
    result = tf.repeat(a, tnp.asarray(repeats), axis)
    if expected is not None:
        result.set_shape(expected)
    return result


def _infer_repeated(shape: list[int], repeats: Any, axis: Any) -> Any:
    """Returns the static shape of an array with repeated elements."""
    if not shape:
        return (repeats,)
    counts = np.ravel(np.array(repeats))
    many = counts.size != 1
    if axis is None:
        return (counts.sum() if many else counts.item() * np.prod(shape),)
    shape[axis] = counts.sum() if many else counts.item() * shape[axis]
    return shape


@expose(
    "pad",
    pad_width="The number of elements before and after, for each axis.",
    mode='"constant", "reflect" or "symmetric".',
    kwargs='``constant_values``: the padding value of mode "constant", 0 by default.',
    raises="ValueError: The mode is not supported.",
)
def pad(array: Any, pad_width: Any, mode: str, **kwargs: Any) -> Any:
    """Pads an array."""
    if mode not in ("constant", "reflect", "symmetric"):
        raise ValueError("Unsupported padding mode: " + mode)
    return tf.pad(
        tensor=tnp.asarray(array),
        paddings=tnp.asarray(pad_width, dtype=tf.int32),
        mode=mode.upper(),
        constant_values=kwargs.get("constant_values", 0),
    )


@expose(
    "broadcast_arrays",
    args="Arrays.",
    kwargs="``subok``: False.",
    returns="A list of tensors.",
    raises="ValueError: An unsupported argument is given.",
)
def broadcast_arrays(*args: Any, **kwargs: Any) -> Any:
    """Broadcasts arrays against each other."""
    if kwargs.pop("subok", False):
        raise ValueError("subok=True is not supported.")
    if kwargs:
        raise ValueError(f"Received unsupported arguments {kwargs.keys()}")
    return broadcast(*map(tnp.asarray, args))


def broadcast(*tensors: Any) -> Any:
    """Broadcasts tensors against each other."""
    if len(tensors) <= 1:
        return tensors
    shape = tf.shape(tensors[0])
    for tensor in tensors[1:]:
        shape = tf.broadcast_dynamic_shape(shape, tf.shape(tensor))
    return [tf.broadcast_to(tensor, shape) for tensor in tensors]


@expose(
    "meshgrid",
    xi="The coordinates along each axis.",
    kwargs='``indexing``: "xy" or "ij". ``sparse``: False. ``copy``: True.',
    returns="A list of tensors, one for each axis.",
    raises="ValueError: ``sparse`` or ``copy`` has an unsupported value.",
)
def meshgrid(*xi: Any, **kwargs: Any) -> Any:
    """Returns coordinate matrices from coordinate vectors."""
    sparse, copied = kwargs.get("sparse", False), kwargs.get("copy", True)
    if sparse:
        raise ValueError(
            f"Function `meshgrid` does not support returning sparse arrays yet. Received: sparse={sparse}"
        )
    if not copied:
        raise ValueError(f"Function `meshgrid` only supports copy=True. Received: copy={copied}")
    return tf.meshgrid(*map(tnp.asarray, xi), indexing=kwargs.get("indexing", "xy"))


@expose(
    "ix_",
    args="The indices of each axis, or a boolean mask.",
    returns="A list of tensors that broadcast against each other.",
    raises="ValueError: An argument is not of rank 1, or neither integer nor boolean.",
)
def ix_(*args: Any) -> Any:
    """Constructs an open mesh of indices from sequences."""
    return [_open(i, tnp.asarray(a), len(args)) for i, a in enumerate(args)]


def _open(i: int, a: Any, count: int) -> Any:
    if a.ndim != 1:
        raise ValueError(f"Arguments must be 1-d, got arg {i} of rank {a.ndim}")
    shape = [-1 if axis == i else 1 for axis in range(count)]
    if a.dtype == tf.bool:
        return tf.reshape(tnp.nonzero(a)[0], shape)
    if a.dtype.is_integer:
        return tf.reshape(a, shape)
    raise ValueError(f"Only integer and bool dtypes are supported, got {a.dtype}")


# Splitting.


@expose(
    "split",
    indices_or_sections="The number of equal parts, or the split indices.",
    axis="The axis.",
    returns="A list of tensors.",
    raises="ValueError: The axis is out of range, or the indices are not sorted.",
)
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Splits an array along an axis."""
    ary = tnp.asarray(ary)
    if not isinstance(indices_or_sections, int):
        indices_or_sections = _sizes(ary.shape, indices_or_sections, axis)
    return tf.split(ary, indices_or_sections, axis=axis)


def _sizes(shape: Any, cuts: Any, axis: int) -> list[int]:
    """Returns the sizes of the parts between split indices, clipped to the axis."""
    if axis >= len(shape):
        raise ValueError(f"axis {axis} is out of bound for shape {shape}")
    left, before, sizes = static_size(shape, axis), 0, []
    for i, cut in enumerate(cuts):
        if cut - before < 0:
            raise ValueError(
                f"The {i}-th boundary {cut} is smaller than the previous boundary {before}"
            )
        sizes.append(min(cut - before, max(0, left)))
        left, before = left - sizes[-1], cut
    return [*sizes, max(0, left)]


def _define_split(name: str, axis: int, ary: str = "A tensor.") -> None:
    """Defines ``vsplit``, ``hsplit`` or ``dsplit``."""

    def split_along(ary: Any, indices_or_sections: Any) -> Any:
        along = 0 if axis == 1 and tnp.ndim(ary) == 1 else axis  # a vector has only axis 0
        if (
            isinstance(indices_or_sections, int)
            and static_size(ary.shape, along) % indices_or_sections
        ):
            raise ValueError("array split does not result in an equal division")
        return tnp.split(ary, indices_or_sections, axis=along)

    expose(
        name,
        doc=f"Returns the parts of an array along its axis {axis}.",
        ary=ary,
        indices_or_sections="How many equal parts, or where to cut.",
        returns="A list of tensors.",
        raises="ValueError: The parts would not be equal.",
    )(split_along)


_define_split("vsplit", 0)
_define_split("hsplit", 1, "A tensor; a row is cut along its one axis.")
_define_split("dsplit", 2)
