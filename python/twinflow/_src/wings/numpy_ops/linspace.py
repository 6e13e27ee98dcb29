"""Numbers that are evenly spaced, on a line or on a logarithmic scale."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.registry import expose, tnp


@expose("linspace")
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """Returns evenly spaced numbers.

    Args:
        start: The first number.
        stop: The end.
        num: How many numbers there are.
        endpoint: Whether the end is one of them.
        retstep: Whether to give the distance as well.
        dtype: None to leave the type as it comes; anything else means that of the ends.
        axis: The axis of the result along which they stand.

    Returns:
        A tensor, or a tuple of the tensor and the distance.

    Raises:
        ValueError: ``num`` is negative.
    """
    if dtype:  # as in NumPy 2, the ends decide
        dtype = tnp.result_type([start * 1.0, stop * 1.0])
    start, stop = tnp.array(start, dtype=dtype), tnp.array(stop, dtype=dtype)
    if num < 0:
        raise ValueError(
            "Argument `num` (number of samples) must be a non-negative integer. "
            f"Received: num={num}"
        )
    numbers, step = _spaced(start, stop, num, endpoint, axis)
    if dtype:
        # Rounded down, not towards zero.
        numbers = tf.cast(tf.floor(numbers) if dtype.is_integer else numbers, dtype)
    return (numbers, step) if retstep else numbers


def _spaced(start: Any, stop: Any, num: int, endpoint: bool, axis: int) -> tuple[Any, Any]:
    """The numbers and their distance, which is NaN where there are not two."""
    step = tf.convert_to_tensor(np.nan)
    if endpoint:
        numbers = tf.linspace(start, stop, num, axis=axis)
        return numbers, (stop - start) / (num - 1) if num > 1 else step
    if num > 0:
        step = (stop - start) / num
    if num > 1:
        stop = tf.cast(stop, step.dtype) - step
        start = tf.cast(start, stop.dtype)
    return tf.linspace(start, stop, num, axis=axis), step


@expose("logspace")
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Returns powers with evenly spaced exponents.

    Args:
        start: The first exponent.
        stop: The last one.
        num: How many numbers there are.
        endpoint: Whether the end is one of them.
        base: The base.
        dtype: Accepted and without effect: as in NumPy 2 the exponents decide.
        axis: The axis of the result along which they stand.

    Returns:
        A tensor.
    """
    dtype = tnp.result_type([start * 1.0, stop * 1.0])
    exponents = tnp.linspace(start, stop, num=num, endpoint=endpoint, dtype=dtype, axis=axis)
    return tf.cast(tf.pow(tf.cast(base, exponents.dtype), exponents), dtype)


@expose("geomspace")
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Returns numbers each of which is the one before it times a constant.

    Args:
        start: The first number.
        stop: The last one.
        num: How many numbers there are.
        endpoint: Whether the end is one of them.
        dtype: The type; what the ends have in common with float64 where None.
        axis: The axis of the result along which they stand.

    Returns:
        A tensor.
    """
    if dtype:
        dtype = tf.as_dtype(dtype)
    else:
        dtype = tnp.result_type(start, stop, float(num), tnp.zeros((), dtype))
    working = np.promote_types(dtype.as_numpy_dtype, np.float32)
    start, stop = tnp.asarray(start, dtype=working), tnp.asarray(stop, dtype=working)
    negative = [1 - tnp.sign(tnp.real(x)) for x in (start, stop)]
    flip = 1 - negative[0] * negative[1] // 2  # -1 where both ends are negative
    ends = [tnp.log10(flip * x) for x in (start, stop)]
    found = flip * tnp.logspace(*ends, num, endpoint=endpoint, base=10.0, dtype=working, axis=0)
    return tf.cast(tnp.moveaxis(found, 0, axis) if axis != 0 else found, dtype)
