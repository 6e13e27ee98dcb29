"""Arrays from values: ``array`` and its relatives, constant arrays, and ``arange``.

Shapes as far as they are known: in a graph some sizes are tensors.

Gradients of the operations themselves: they are written for operators that promote nothing.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

import twinflow as tf
from twinflow._src.dispatch.op import OPS
from twinflow._src.wings.numpy_ops.promotion import (
    default_float,
    result_type_of_one,
    result_type_of_two,
)
from twinflow._src.wings.numpy_ops.registry import expose, tnp

# Shapes as far as they are known: in a graph some sizes are tensors.


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
    return tf.reshape(
        tensor, shape_with_ones(tensor, max(rank - behind - own, 0), min(behind, rank - own))
    )


def size_of(tensor: Any, axis: int) -> Any:
    """The size of a dimension, a tensor where it is not known."""
    size = tensor.shape[axis]
    return tf.shape(tensor)[axis] if size is None else size


# Arrays from values: ``array`` and its relatives, constant arrays, and ``arange``.


_MOST_DIMENSIONS = 32


def converted(value: Any, dtype: Any = None, dtype_hint: Any = None) -> Any:
    """A tensor of a value, with NumPy's types for large integers and for floats."""
    if dtype is None and isinstance(value, int) and value >= 2**63:
        dtype = tf.uint64
    elif dtype is None and dtype_hint is None and isinstance(value, float):
        dtype = default_float()
    return tf.convert_to_tensor(value, dtype=dtype, dtype_hint=dtype_hint)


def made(value: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """A tensor of a value, of a type and with at least so many dimensions."""
    tensor = value
    if not isinstance(value, tf.Tensor):
        dtype = result_type_of_one(value, dtype)
        # NumPy converts (5.5, int), TensorFlow does not: the type is a wish first, and then a cast.
        tensor = tf.cast(converted(value, dtype_hint=dtype), dtype)
    elif dtype:
        tensor = tf.cast(value, dtype)
    tensor = tf.identity(tensor) if copy else tensor
    if ndmin > _MOST_DIMENSIONS:
        raise ValueError(f"ndmin bigger than allowable number of dimensions: {_MOST_DIMENSIONS}.")
    return tensor if ndmin == 0 else with_rank(tensor, ndmin)


def is_of_type(value: Any, dtype: Any) -> bool:
    """Whether a value is a tensor of a type already."""
    return isinstance(value, tf.Tensor) and dtype == value.dtype.as_numpy_dtype


def promoted(*values: Any) -> list[Any]:
    """Tensors of the type that all values have in common."""
    dtype = tnp.result_type(*values)
    return [v if is_of_type(v, dtype) else made(v, dtype, copy=False) for v in values]


def promoted_pair(x: Any, y: Any) -> list[Any]:
    """Tensors of the type that two operands have in common."""
    dtype = result_type_of_two(x, y)
    return [v if is_of_type(v, dtype) else made(v, dtype, copy=False) for v in (x, y)]


@expose("array")
def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """Returns a tensor of a value, with NumPy's type.

    Args:
        val: A number, nested sequence, array or tensor.
        dtype: The dtype of the elements; NumPy's if None.
        copy: Whether the result is another tensor than ``val``.
        ndmin: The least number of dimensions.

    Returns:
        A tensor.
    """
    return made(val, tnp.result_type(dtype) if dtype else dtype, copy, ndmin)


@expose("asarray")
def asarray(a: Any, dtype: Any = None) -> Any:
    """Returns a value as a tensor, and a tensor of the type as it is.

    Args:
        a: A value.
        dtype: The dtype of the elements; NumPy's if None.

    Returns:
        A tensor.
    """
    dtype = tnp.result_type(dtype) if dtype else dtype
    if isinstance(a, tf.Tensor) and (not dtype or is_of_type(a, dtype)):
        return a
    return tnp.array(a, dtype, copy=False)


@expose("asanyarray")
def asanyarray(a: Any, dtype: Any = None) -> Any:
    """Returns a value as a tensor, and a tensor of the type as it is.

    Args:
        a: A value.
        dtype: The dtype of the elements; NumPy's if None.

    Returns:
        A tensor.
    """
    return tnp.asarray(a, dtype)


@expose("ascontiguousarray")
def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """Returns a value as a tensor with at least one dimension.

    Args:
        a: A value.
        dtype: The dtype of the elements; NumPy's if None.

    Returns:
        A tensor.
    """
    return tnp.array(a, dtype, ndmin=1)


@expose("copy")
def copy(a: Any) -> Any:
    """Returns a new tensor of a value.

    Args:
        a: A value.

    Returns:
        A tensor.
    """
    return tnp.array(a, copy=True)


# Gradients of the operations themselves: they are written for operators that promote nothing.


class _Inside(threading.local):
    """Where the thread is.

    Attributes:
        gradient: Whether it computes the gradient of an operation.
    """

    gradient = False


inside = _Inside()


def _marked(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def called(*args: Any) -> Any:
        outer, inside.gradient = inside.gradient, True
        try:
            return function(*args)
        finally:
            inside.gradient = outer

    return called


@functools.cache
def install() -> None:
    """Marks the gradients of all operations, once for the process."""
    for op in OPS.values():
        if op.gradient is not None:
            op.gradient = _marked(op.gradient)
