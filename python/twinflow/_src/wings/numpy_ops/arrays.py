"""Arrays from values: ``array`` and its relatives, constant arrays, and ``arange``."""

from __future__ import annotations

from typing import Any

import twinflow as tf
from twinflow._src.wings.numpy_ops.promotion import (
    default_float,
    result_type_of_one,
    result_type_of_two,
)
from twinflow._src.wings.numpy_ops.registry import expose, tnp
from twinflow._src.wings.numpy_ops.sizes import with_rank

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
        dtype: The type of the elements; NumPy's where None.
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
        dtype: The type of the elements; NumPy's where None.

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
        dtype: The type of the elements; NumPy's where None.

    Returns:
        A tensor.
    """
    return tnp.asarray(a, dtype)


@expose("ascontiguousarray")
def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """Returns a value as a tensor with at least one dimension.

    Args:
        a: A value.
        dtype: The type of the elements; NumPy's where None.

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
