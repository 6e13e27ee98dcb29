"""Arrays turned, rolled, and with more dimensions."""

from __future__ import annotations

from typing import Any

import twinflow as tf
from twinflow._src.wings.numpy_ops.registry import expose, tnp
from twinflow._src.wings.numpy_ops.sizes import rank_of, with_rank


@expose("flip")
def flip(m: Any, axis: Any = None) -> Any:
    """Returns an array in reverse order.

    Args:
        m: An array.
        axis: The axis to reverse; all where None.

    Returns:
        A tensor.
    """
    m = tnp.asarray(m)
    if axis is None:
        return tf.reverse(m, tf.range(tf.rank(m)))
    return tf.reverse(m, [axis + rank_of(m) if axis < 0 else axis])


@expose("flipud")
def flipud(m: Any) -> Any:
    """Returns an array with its first axis reversed.

    Args:
        m: An array.

    Returns:
        A tensor.
    """
    return tnp.flip(m, 0)


@expose("fliplr")
def fliplr(m: Any) -> Any:
    """Returns an array with its second axis reversed.

    Args:
        m: An array.

    Returns:
        A tensor.
    """
    return tnp.flip(m, 1)


@expose("roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """Returns an array with its elements moved along axes, those that fall off entering at the other end.

    Args:
        a: An array.
        shift: By how many places.
        axis: Along which axes; along the row of all elements where None.

    Returns:
        A tensor.
    """
    a = tnp.asarray(a)
    if axis is not None:
        return tf.roll(a, shift, axis)
    return tf.reshape(tf.roll(tf.reshape(a, [-1]), shift, 0), tf.shape(a))


@expose("rot90")
def rot90(m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Returns an array turned by right angles.

    Args:
        m: An array.
        k: How many times to turn it.
        axes: The plane in which it turns, from the first axis to the second.

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
    """Arrays with a number of dimensions, so many of the new ones standing behind the others."""

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
    """Returns arrays with at least two dimensions; new ones stand in front.

    Args:
        *arys: Arrays.

    Returns:
        A tensor, or a list of them.
    """
    return _at_least(2, 0, arys)


@expose("atleast_3d")
def atleast_3d(*arys: Any) -> Any:
    """Returns arrays with at least three dimensions; a row stands in the middle of two new ones.

    Args:
        *arys: Arrays.

    Returns:
        A tensor, or a list of them.
    """
    return _at_least(3, 1, arys)
