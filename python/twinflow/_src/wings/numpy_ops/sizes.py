"""Shapes as far as they are known: in a graph some sizes are tensors."""

from __future__ import annotations

from typing import Any

import twinflow as tf


def rank_of(tensor: Any) -> Any:
    """The number of dimensions, a tensor where it is not known."""
    return tf.rank(tensor) if tensor.shape.rank is None else tensor.shape.rank


def shape_with_ones(tensor: Any, before: Any, after: Any = 0) -> Any:
    """A shape with so many sizes of 1 before and after it: a list, or a tensor where it is not known."""
    if tensor.shape.is_fully_defined():
        return [1] * before + tensor.shape.as_list() + [1] * after
    return tf.concat([tf.ones([before], tf.int32), tf.shape(tensor), tf.ones([after], tf.int32)], 0)


def with_rank(tensor: Any, rank: int, behind: int = 0) -> Any:
    """A tensor with at least so many dimensions; of the new ones so many stand behind the others, if it has too few for more."""
    own = tensor.ndim
    if own is None:
        missing = tf.maximum(rank - tf.rank(tensor), 0)
        after = tf.minimum(missing, behind)
        return tf.reshape(tensor, shape_with_ones(tensor, missing - after, after))
    if own >= rank:
        return tensor
    return tf.reshape(tensor, shape_with_ones(tensor, max(rank - behind - own, 0), min(behind, rank - own)))


def size_of(tensor: Any, axis: int) -> Any:
    """The size of a dimension, a tensor where it is not known."""
    size = tensor.shape[axis]
    return tf.shape(tensor)[axis] if size is None else size
