"""``tf.experimental.numpy.random``: random sampling with TensorFlow's generators."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.registry import expose, tnp


@expose("random.seed")
def seed(s: Any) -> None:
    """Sets the global seed, like ``tf.random.set_seed``.

    Args:
        s: An integer.

    Raises:
        ValueError: The seed is not a number.
    """
    try:
        s = int(s)
    except TypeError as error:
        raise ValueError(
            f"Argument `s` got an invalid value {s}. Only integers are supported."
        ) from error
    tf.random.set_seed(s)


def _shape(size: Any) -> Any:
    """Returns the shape of a ``size`` argument: () for None, one dimension for an integer."""
    if size is None:
        return ()
    # Like TensorFlow, accepts a tensor only with NumPy behavior enabled.
    if isinstance(size, tf.Tensor):
        scalar = getattr(size, "data").shape.rank == 0  # noqa: B009
    else:
        scalar = np.isscalar(size)
    return (size,) if scalar else size


@expose("random.standard_normal")
def standard_normal(size: Any = None) -> Any:
    """Draws samples from the standard normal distribution.

    Args:
        size: A shape or a length; one number if None.

    Returns:
        A tensor.
    """
    return tf.random.normal(_shape(size), dtype=tnp.result_type(float))


@expose("random.randn")
def randn(*args: Any) -> Any:
    """Draws samples from the standard normal distribution.

    Args:
        *args: The shape.

    Returns:
        A tensor.
    """
    return tnp.random.standard_normal(size=args)


@expose("random.uniform")
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Draws samples from a uniform distribution.

    Args:
        low: The lower bound.
        high: The exclusive upper bound.
        size: A shape; that of the broadcast bounds if None.

    Returns:
        A tensor.
    """
    dtype = tnp.result_type(float)
    low, high = tnp.asarray(low, dtype=dtype), tnp.asarray(high, dtype=dtype)
    if size is None:
        size = tf.broadcast_dynamic_shape(low.shape, high.shape)
    return tf.random.uniform(shape=size, minval=low, maxval=high, dtype=dtype)


@expose("random.random")
def random(size: Any = None) -> Any:
    """Draws samples from the uniform distribution over [0, 1).

    Args:
        size: A shape; one number if None.

    Returns:
        A tensor.
    """
    return tnp.random.uniform(0.0, 1.0, size)


@expose("random.rand")
def rand(*size: Any) -> Any:
    """Draws samples from the uniform distribution over [0, 1).

    Args:
        *size: The shape.

    Returns:
        A tensor.
    """
    return tnp.random.uniform(0.0, 1.0, size)


@expose("random.poisson")
def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Draws samples from a Poisson distribution.

    Args:
        lam: Its mean.
        size: A shape or a length; one number if None.

    Returns:
        A tensor of int64.
    """
    return tf.random.poisson(shape=_shape(size), lam=lam, dtype=np.int_)


@expose("random.randint")
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
    """Draws random integers from a uniform distribution.

    Args:
        low: The lowest integer; if ``high`` is None, the exclusive upper bound, with 0 as lowest.
        high: The exclusive upper bound.
        size: A shape or a length; a scalar if None.
        dtype: int32 or int64.

    Returns:
        A tensor.

    Raises:
        ValueError: The dtype is not supported.
    """
    low, high = (0, int(low)) if high is None else (int(low), high)
    shape = () if size is None else (size,) if isinstance(size, int) else size
    found, accepted = tnp.result_type(dtype), (np.int32, np.int64)
    if found not in accepted:
        raise ValueError(
            f"Argument `dtype` got an invalid value {dtype}. Only those convertible to {accepted} are "
            "supported."
        )
    return tf.random.uniform(shape=shape, minval=low, maxval=high, dtype=found)
