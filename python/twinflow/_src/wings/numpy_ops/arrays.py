"""Conversion to arrays (``array``, ``asarray`` and others), and helpers for dynamic shapes."""

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

# Static and dynamic shapes: in a graph some sizes are tensors.


def rank_of(tensor: Any) -> Any:
    """Returns the rank, a tensor if it is not static."""
    return tf.rank(tensor) if tensor.shape.rank is None else tensor.shape.rank


def shape_with_ones(tensor: Any, before: Any, after: Any = 0) -> Any:
    """Returns the shape with ones before and after it: a list, or a tensor if it is not static."""
    if tensor.shape.is_fully_defined():
        return [1] * before + tensor.shape.as_list() + [1] * after
    return tf.concat([tf.ones([before], tf.int32), tf.shape(tensor), tf.ones([after], tf.int32)], 0)


def with_rank(tensor: Any, rank: int, behind: int = 0) -> Any:
    """Returns a tensor of at least ``rank`` dimensions; up to ``behind`` new ones are trailing."""
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
    """Returns the size of a dimension, a tensor if it is not static."""
    size = tensor.shape[axis]
    return tf.shape(tensor)[axis] if size is None else size


# Conversion to arrays.


_MOST_DIMENSIONS = 32


def converted(value: Any, dtype: Any = None, dtype_hint: Any = None) -> Any:
    """Converts a value to a tensor with NumPy's default dtypes for large integers and floats."""
    if dtype is None and isinstance(value, int) and value >= 2**63:
        dtype = tf.uint64
    elif dtype is None and dtype_hint is None and isinstance(value, float):
        dtype = default_float()
    return tf.convert_to_tensor(value, dtype=dtype, dtype_hint=dtype_hint)


def build_array(value: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """Converts a value to a tensor of a dtype and a minimum rank."""
    tensor = value
    if not isinstance(value, tf.Tensor):
        dtype = result_type_of_one(value, dtype)
        # NumPy converts (5.5, int), TensorFlow does not: dtype is a hint first, followed by a cast.
        tensor = tf.cast(converted(value, dtype_hint=dtype), dtype)
    elif dtype:
        tensor = tf.cast(value, dtype)
    tensor = tf.identity(tensor) if copy else tensor
    if ndmin > _MOST_DIMENSIONS:
        raise ValueError(f"ndmin bigger than allowable number of dimensions: {_MOST_DIMENSIONS}.")
    return tensor if ndmin == 0 else with_rank(tensor, ndmin)


def is_of_type(value: Any, dtype: Any) -> bool:
    """True if a value is a tensor of this dtype."""
    return isinstance(value, tf.Tensor) and dtype == value.dtype.as_numpy_dtype


def promoted(*values: Any) -> list[Any]:
    """Converts all values to tensors of their common dtype."""
    dtype = tnp.result_type(*values)
    return [v if is_of_type(v, dtype) else build_array(v, dtype, copy=False) for v in values]


def promoted_pair(x: Any, y: Any) -> list[Any]:
    """Converts two operands to tensors of their common dtype."""
    dtype = result_type_of_two(x, y)
    return [v if is_of_type(v, dtype) else build_array(v, dtype, copy=False) for v in (x, y)]


@expose("array")
def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """Creates a tensor with NumPy's default dtypes.

    Args:
        val: A number, nested sequence, array or tensor.
        dtype: The dtype of the elements; NumPy's default if None.
        copy: If True, a tensor is copied.
        ndmin: The minimum rank.

    Returns:
        A tensor.
    """
    return build_array(val, tnp.result_type(dtype) if dtype else dtype, copy, ndmin)


@expose("asarray")
def asarray(a: Any, dtype: Any = None) -> Any:
    """Converts a value to a tensor; a tensor of the dtype is returned unchanged.

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
    """Converts a value to a tensor; a tensor of the dtype is returned unchanged.

    Args:
        a: A value.
        dtype: The dtype of the elements; NumPy's if None.

    Returns:
        A tensor.
    """
    return tnp.asarray(a, dtype)


@expose("ascontiguousarray")
def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """Converts a value to a tensor of rank 1 or more.

    Args:
        a: A value.
        dtype: The dtype of the elements; NumPy's if None.

    Returns:
        A tensor.
    """
    return tnp.array(a, dtype, ndmin=1)


@expose("copy")
def copy(a: Any) -> Any:
    """Returns a copy of an array.

    Args:
        a: A value.

    Returns:
        A tensor.
    """
    return tnp.array(a, copy=True)


# Gradient functions of ops: they assume operators without promotion.


class _Inside(threading.local):
    """Thread-local state.

    Attributes:
        gradient: True while a gradient function runs.
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
    """Wraps the gradient functions of all ops to set this state, once per process."""
    for op in OPS.values():
        if op.gradient is not None:
            op.gradient = _marked(op.gradient)
