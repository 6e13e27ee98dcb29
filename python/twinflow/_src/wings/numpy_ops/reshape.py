"""Functions that give the elements of an array another arrangement."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.registry import expose, tnp


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
    """Returns the number of dimensions of an array.

    Args:
        a: An array.

    Returns:
        An integer.
    """
    return tnp.asarray(a).ndim


@expose("isscalar")
def isscalar(num: Any) -> bool:
    """Returns whether a value has no dimensions.

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
        axis: None; the length of one axis is not offered.

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
    """Returns an array in another shape.

    Args:
        a: An array.
        newshape: The shape; one size may be -1, for what is left.
        order: "C" to read and write row by row, "F" column by column.

    Returns:
        A tensor.

    Raises:
        ValueError: The order is another one.
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
    """Returns the elements of an array in one row.

    Args:
        a: An array.

    Returns:
        A tensor of rank 1.
    """
    return tf.reshape(tnp.asarray(a), [-1])


@expose("flatten")
def flatten(a: Any, order: str = "C") -> Any:
    """Returns the elements of an array in one row.

    Args:
        a: An array.
        order: "C", "A" or "K" to read row by row, "F" column by column.

    Returns:
        A tensor of rank 1.

    Raises:
        ValueError: The order is another one.
    """
    a = tnp.asarray(a)
    if order not in ("C", "A", "K", "F"):
        raise ValueError("order can only be C, A, K (all row major) or F (column major).")
    return tf.reshape(tf.transpose(a) if order == "F" else a, [-1])


@expose("expand_dims")
def expand_dims(a: Any, axis: Any) -> Any:
    """Returns an array with one dimension more, of size 1.

    Args:
        a: An array.
        axis: Where the new dimension stands.

    Returns:
        A tensor.
    """
    return tf.expand_dims(tnp.asarray(a), axis=axis)


@expose("squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """Returns an array without its dimensions of size 1.

    Args:
        a: An array.
        axis: The dimensions to take away; all of size 1 where None.

    Returns:
        A tensor.
    """
    return tf.squeeze(tnp.asarray(a), axis)


@expose("transpose")
def transpose(a: Any, axes: Any = None) -> Any:
    """Returns an array with its axes in another order.

    Args:
        a: An array.
        axes: The order; the reverse where None.

    Returns:
        A tensor.
    """
    return tf.transpose(a=tnp.asarray(a), perm=None if axes is None else tnp.asarray(axes))


@expose("swapaxes")
def swapaxes(a: Any, axis1: Any, axis2: Any) -> Any:
    """Returns an array with two axes exchanged.

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
    """An axis counted from the front; it may be a tensor."""
    if isinstance(axis, int):
        return axis + rank if axis < 0 else axis
    return tf.where(axis < 0, axis + rank, axis)


@expose("moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """Returns an array with axes moved, the others in their order.

    Args:
        a: An array.
        source: The axes to move.
        destination: Where they go.

    Returns:
        A tensor.

    Raises:
        ValueError: There are more axes than places for them, or less.
    """
    if not source and not destination:
        return a
    a = tnp.asarray(a)
    source, destination = ((x,) if isinstance(x, int) else x for x in (source, destination))
    if len(source) != len(destination):
        raise ValueError("The lengths of source and destination must equal")
    source, destination = ([x + a.ndim if x < 0 else x for x in axes] for axes in (source, destination))
    order = [i for i in range(a.ndim) if i not in source]
    for place, axis in sorted(zip(destination, source)):
        assert place <= len(order)
        order.insert(place, axis)
    return tf.transpose(a, order)
