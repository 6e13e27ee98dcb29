"""Public functions of stateful random numbers: normal, truncated_normal, uniform, shuffle."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype, bfloat16, float16, float32, float64, int32, int64
from twinflow._src.dispatch.inputs import on_host
from twinflow._src.dispatch.op import export
from twinflow._src.ops.elementwise.arithmetic import add
from twinflow._src.ops.random.stateful import (
    FLOATS,
    checked_type,
    not_accepted,
    random_shuffle,
    random_standard_normal,
    random_truncated_normal,
    random_uniform,
    random_uniform_int,
    shape_tensor,
)
from twinflow._src.random.seeds import seeds


@export("random.normal")
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Draws random numbers from a normal distribution.

    Args:
        shape: The shape of the result, a vector of integers.
        mean: The mean, a scalar or a tensor that broadcasts.
        stddev: The standard deviation, a scalar or a tensor that broadcasts.
        dtype: A floating-point dtype.
        seed: An op seed, an integer; if None, it is derived from the global seed.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape or the dtype is invalid.
        TypeError: The mean or the standard deviation cannot be converted to the dtype.
    """
    return _scaled(random_standard_normal, shape, mean, stddev, dtype, seed)


@export("random.truncated_normal")
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Draws random numbers from a normal distribution truncated to two standard deviations.

    Args:
        shape: The shape of the result, a vector of integers.
        mean: The mean, a scalar or a tensor that broadcasts.
        stddev: The standard deviation before truncation.
        dtype: A floating-point dtype.
        seed: An op seed, an integer; if None, it is derived from the global seed.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape or the dtype is invalid.
        TypeError: The mean or the standard deviation cannot be converted to the dtype.
    """
    return _scaled(random_truncated_normal, shape, mean, stddev, dtype, seed)


def _scaled(draw: Any, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any) -> Any:
    shape = shape_tensor(shape)
    mean = convert_to_tensor(mean, dtype=dtype, name="mean")
    stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
    first, second = seeds.of_op(seed)
    dtype = checked_type(draw.op.type, dtype, FLOATS)
    return add(draw(shape, dtype=dtype, seed=first, seed2=second) * stddev, mean)


_UNIFORM_TYPES = (float16, bfloat16, float32, float64, int32, int64)


@export("random.uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Draws random numbers from a uniform distribution over [minval, maxval).

    Args:
        shape: The shape of the result, a vector of integers.
        minval: The lower bound: a scalar; for floating-point dtypes also a tensor that broadcasts.
        maxval: The upper bound; 1 if None, for floating-point dtypes only.
        dtype: A floating-point dtype, int32 or int64.
        seed: An op seed, an integer; if None, it is derived from the global seed.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape is invalid, or ``minval`` is not below ``maxval`` for
            integers.
        TypeError: A bound cannot be converted to the dtype.
        ValueError: The dtype is invalid, or integers have no upper bound.
    """
    dtype = as_dtype(dtype)
    if dtype not in _UNIFORM_TYPES:
        raise not_accepted(dtype, _UNIFORM_TYPES)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    from_zero, to_one = (
        isinstance(minval, int) and minval == 0,
        isinstance(maxval, int) and maxval == 1,
    )
    shape = shape_tensor(shape)
    if not (from_zero and to_one) or dtype.is_integer:
        with (
            on_host() if dtype.is_integer else nullcontext()
        ):  # bounds of integers are inputs of the kernel
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
    first, second = seeds.of_op(seed)
    if dtype.is_integer:
        return random_uniform_int(shape, minval, maxval, seed=first, seed2=second)
    numbers = random_uniform(shape, dtype=dtype, seed=first, seed2=second)
    if from_zero:
        return numbers if to_one else numbers * maxval
    return add(numbers * (maxval - minval), minval)


@export("random.shuffle")
def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Any:
    """Randomly shuffles a tensor along its first dimension.

    Args:
        value: A tensor.
        seed: An op seed, an integer; if None, it is derived from the global seed.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype and shape.
    """
    first, second = seeds.of_op(seed)
    return random_shuffle(value, seed=first, seed2=second)
