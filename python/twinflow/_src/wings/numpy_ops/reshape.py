"""Shape queries and rearrangement of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.arrays import rank_of, with_rank
from twinflow._src.wings.numpy_ops.registry import expose, tnp

# Shape queries, reshape and transpose.


@expose("shape")
def shape(a: Any) -> Any:
    """Returns the shape of an array.

    Args:
        a: An array.

    Returns:
        A ``tf.TensorShape``.
    """
    return tnp.asarray(a).shape


@expose("ndim")
def ndim(a: Any) -> int:
    """Returns the rank of an array.

    Args:
        a: An array.

    Returns:
        An integer.
    """
    return tnp.asarray(a).ndim


@expose("isscalar")
def isscalar(num: Any) -> bool:
    """Returns True if a value is a scalar (of rank 0).

    Args:
        num: A value.

    Returns:
        A boolean.
    """
    return tnp.ndim(num) == 0


@expose("size")
def size(x: Any, axis: Any = None) -> Any:
    """Returns the number of elements of an array.

    Args:
        x: An array.
        axis: Must be None.

    Returns:
        An integer.

    Raises:
        NotImplementedError: An axis is given.
    """
    if axis is not None:
        raise NotImplementedError(
            "axis argument is not supported in the current `np.size` implementation"
        )
    if isinstance(x, (int, float, np.int32, np.int64, np.float32, np.float64)):
        return 1
    x = tnp.asarray(x)
    return np.prod(x.shape.as_list(), dtype=int) if x.shape.is_fully_defined() else tf.size(x)


@expose("reshape")
def reshape(a: Any, newshape: Any, order: str = "C") -> Any:
    """Reshapes an array.

    Args:
        a: An array.
        newshape: The shape; one size may be -1, which is inferred.
        order: "C" for row-major order, "F" for column-major order.

    Returns:
        A tensor.

    Raises:
        ValueError: The order is not supported.
    """
    if order not in ("C", "F"):
        raise ValueError(f"Unsupported order argument {order}")
    a = tnp.asarray(a)
    sizes = [newshape] if isinstance(newshape, int) else newshape
    if order == "C":
        return tf.reshape(a, sizes)
    return tf.transpose(tf.reshape(tf.transpose(a), sizes[::-1]))


@expose("ravel")
def ravel(a: Any) -> Any:
    """Returns a flattened array.

    Args:
        a: An array.

    Returns:
        A tensor of rank 1.
    """
    return tf.reshape(tnp.asarray(a), [-1])


@expose("flatten")
def flatten(a: Any, order: str = "C") -> Any:
    """Returns a flattened array.

    Args:
        a: An array.
        order: "C", "A" or "K" for row-major order, "F" for column-major order.

    Returns:
        A tensor of rank 1.

    Raises:
        ValueError: The order is not supported.
    """
    a = tnp.asarray(a)
    if order not in ("C", "A", "K", "F"):
        raise ValueError("order can only be C, A, K (all row major) or F (column major).")
    return tf.reshape(tf.transpose(a) if order == "F" else a, [-1])


@expose("expand_dims")
def expand_dims(a: Any, axis: Any) -> Any:
    """Inserts an axis of size 1.

    Args:
        a: An array.
        axis: The index of the new axis.

    Returns:
        A tensor.
    """
    return tf.expand_dims(tnp.asarray(a), axis=axis)


@expose("squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """Removes axes of size 1.

    Args:
        a: An array.
        axis: The axes to remove; all of size 1 if None.

    Returns:
        A tensor.
    """
    return tf.squeeze(tnp.asarray(a), axis)


@expose("transpose")
def transpose(a: Any, axes: Any = None) -> Any:
    """Permutes the axes of an array.

    Args:
        a: An array.
        axes: The permutation; reversed axes if None.

    Returns:
        A tensor.
    """
    return tf.transpose(a=tnp.asarray(a), perm=None if axes is None else tnp.asarray(axes))


@expose("swapaxes")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Swaps two axes of an array.

    Args:
        a: An array.
        axis1: An axis.
        axis2: An axis.

    Returns:
        A tensor.
    """
    a = tnp.asarray(a)
    if a.shape.rank is not None and isinstance(axis1, int) and isinstance(axis2, int):
        axis1, axis2 = (axis + a.ndim if axis < 0 else axis for axis in (axis1, axis2))
        order: Any = list(range(a.ndim))
        order[axis1], order[axis2] = axis2, axis1
        return tf.transpose(a, order)
    rank = tf.rank(a)
    axis1, axis2 = tf.nest.map_structure(lambda x: _counted(x, rank), (axis1, axis2))
    order = tf.tensor_scatter_nd_update(tf.range(rank), [[axis1], [axis2]], [axis2, axis1])
    return tf.transpose(a, order)


def _counted(axis: Any, rank: Any) -> Any:
    """Returns the non-negative axis; it may be a tensor."""
    if isinstance(axis, int):
        return axis + rank if axis < 0 else axis
    return tf.where(axis < 0, axis + rank, axis)


@expose("moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Moves axes of an array to new positions.

    Args:
        a: An array.
        source: The axes to move.
        destination: Their new positions.

    Returns:
        A tensor.

    Raises:
        ValueError: The numbers of axes and positions differ.
    """
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
    for place, axis in sorted(zip(destination, source)):
        assert place <= len(order)
        order.insert(place, axis)
    return tf.transpose(a, order)


# Flip, roll, rotate and ``atleast_*d``.


@expose("flip")
def flip(m: Any, axis: Any = None) -> Any:
    """Reverses the order of elements along an axis.

    Args:
        m: An array.
        axis: The axis to reverse; all if None.

    Returns:
        A tensor.
    """
    m = tnp.asarray(m)
    if axis is None:
        return tf.reverse(m, tf.range(tf.rank(m)))
    return tf.reverse(m, [axis + rank_of(m) if axis < 0 else axis])


@expose("flipud")
def flipud(m: Any) -> Any:
    """Reverses the order of elements along the first axis.

    Args:
        m: An array.

    Returns:
        A tensor.
    """
    return tnp.flip(m, 0)


@expose("fliplr")
def fliplr(m: Any) -> Any:
    """Reverses the order of elements along the second axis.

    Args:
        m: An array.

    Returns:
        A tensor.
    """
    return tnp.flip(m, 1)


@expose("roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Rolls elements along axes; elements beyond the last position reappear at the first.

    Args:
        a: An array.
        shift: The number of positions.
        axis: The axes; the flattened array if None.

    Returns:
        A tensor.
    """
    a = tnp.asarray(a)
    if axis is not None:
        return tf.roll(a, shift, axis)
    return tf.reshape(tf.roll(tf.reshape(a, [-1]), shift, 0), tf.shape(a))


@expose("rot90")
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Rotates an array by 90 degrees in a plane.

    Args:
        m: An array.
        k: The number of rotations.
        axes: The plane of rotation, from the first axis to the second.

    Returns:
        A tensor.
    """
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

    def raised(x: Any) -> Any:
        return with_rank(tnp.asarray(x), rank, behind)

    found = list(map(raised, arrays))
    return found[0] if len(found) == 1 else found


@expose("atleast_1d")
def atleast_1d(*arys: Any) -> Any:
    """Returns arrays with at least one dimension.

    Args:
        *arys: Arrays.

    Returns:
        A tensor, or a list of them.
    """
    return _at_least(1, 0, arys)


@expose("atleast_2d")
def atleast_2d(*arys: Any) -> Any:
    """Returns arrays with at least two dimensions; new axes are leading.

    Args:
        *arys: Arrays.

    Returns:
        A tensor, or a list of them.
    """
    return _at_least(2, 0, arys)


@expose("atleast_3d")
def atleast_3d(*arys: Any) -> Any:
    """Returns arrays with at least three dimensions; a vector becomes the middle axis.

    Args:
        *arys: Arrays.

    Returns:
        A tensor, or a list of them.
    """
    return _at_least(3, 1, arys)
