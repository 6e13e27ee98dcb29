"""Stateless random numbers as programs ask for them: with bounds, means, deviations and a seed."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    float16,
    float32,
    float64,
    int32,
    int64,
    uint32,
    uint64,
)
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.array.fill import zeros
from twinflow._src.ops.array.shapes import reshape
from twinflow._src.ops.array.stack import stack
from twinflow._src.ops.elementwise.arithmetic import add
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.compare import bitwise_or
from twinflow._src.ops.random.algorithms import Algorithm, algorithm_number, unknown_algorithm
from twinflow._src.ops.random.gpu_fused import drawn_at_once
from twinflow._src.ops.random.stateful import FLOATS, checked_type, not_accepted, shape_tensor
from twinflow._src.ops.random.stateless import (
    get_key_counter,
    stateless_full_int_v2,
    stateless_int_v2,
    stateless_normal_v2,
    stateless_shuffle_v2,
    stateless_truncated_normal_v2,
    stateless_uniform_v2,
)
from twinflow._src.random.seeds import scrambled


def key_counter_alg(seed: Any, alg: Any) -> tuple[Any, Any, Any]:
    """The key, the counter and the algorithm that a seed and the name of an algorithm mean."""
    alg = Algorithm.AUTO_SELECT.value if alg is None else algorithm_number(alg)
    if alg == Algorithm.AUTO_SELECT.value:
        key, counter = get_key_counter(seed)
    elif alg == Algorithm.PHILOX.value:
        key, counter = _scrambled_by_ops(seed)
    elif alg == Algorithm.THREEFRY.value:
        key = reshape(_joined(cast(seed, uint32)), [1])
        counter = zeros([1], uint64)
    else:
        raise unknown_algorithm(alg)
    return key, counter, alg


def _scrambled_by_ops(seed: Any) -> tuple[Any, Any]:
    """What ``StatelessRandomGetKeyCounter`` computes, as TensorFlow does it for a named algorithm."""
    key = convert_to_tensor([0x02461E293EC8F720], dtype=uint64)
    mixed = stateless_full_int_v2(
        [4], key, cast(seed, uint64), Algorithm.PHILOX.value, dtype=uint32
    )
    key = reshape(_joined(mixed[:2]), [1])
    return key, stack([0, _joined(mixed[2:])], axis=0)


def _joined(words: Any) -> Any:
    """Two uint32 as one uint64, the first one in the lower half."""
    low, high = cast(words[0], uint64), cast(words[1], uint64)
    return bitwise_or(low, API["bitwise.left_shift"](high, convert_to_tensor(32, dtype=uint64)))


@export("random.stateless_normal")
def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Returns random numbers from a normal distribution that depend on the seed only.

    Args:
        shape: Integers.
        seed: Two integers.
        mean: The mean, a scalar or a tensor that broadcasts.
        stddev: The standard deviation, a scalar or a tensor that broadcasts.
        dtype: A floating point type.
        name: A name for the operation.
        alg: The algorithm: ``"auto_select"`` or ``"philox"``, which give the same numbers.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape, the seed or the type cannot be.
        TypeError: The mean or the standard deviation does not fit the type.
        ValueError: There is no such algorithm.
    """
    return _scaled(stateless_normal_v2, shape, seed, mean, stddev, dtype, alg)


@export("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Returns truncated normal random numbers that depend on the seed only.

    Args:
        shape: Integers.
        seed: Two integers.
        mean: The mean, a scalar or a tensor that broadcasts.
        stddev: The standard deviation before numbers two of them off are left out.
        dtype: A floating point type.
        name: A name for the operation.
        alg: The algorithm: ``"auto_select"`` or ``"philox"``, which give the same numbers.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape, the seed or the type cannot be.
        TypeError: The mean or the standard deviation does not fit the type.
        ValueError: There is no such algorithm.
    """
    return _scaled(stateless_truncated_normal_v2, shape, seed, mean, stddev, dtype, alg)


def _tells_stream(seed: Any, alg: Any) -> bool:
    """Whether a seed is two integers, from which the usual algorithm makes a stream."""
    plain = type(seed) in (list, tuple) and len(seed) == 2 and type(alg) is str and alg == "auto_select"
    return plain and all(type(x) is int and -_WHOLE <= x < _WHOLE for x in seed)


_WHOLE = 2**31


def _scaled(draw: Any, shape: Any, seed: Any, mean: Any, stddev: Any, dtype: Any, alg: Any) -> Any:
    if _tells_stream(seed, alg):
        at_once = drawn_at_once(draw.op.type, shape, dtype, lambda *_: scrambled(seed), stddev, mean)
        if at_once is not None:
            return at_once
    shape = shape_tensor(shape)
    mean = convert_to_tensor(mean, dtype=dtype, name="mean")
    stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
    key, counter, alg = key_counter_alg(seed, alg)
    dtype = checked_type(draw.op.type, dtype, FLOATS)
    return add(draw(shape, key, counter, alg, dtype=dtype) * stddev, mean)


_UNIFORM_TYPES = (float16, bfloat16, float32, float64, int32, int64, uint32, uint64)


def _check_integer_bounds(dtype: DType, minval: Any, maxval: Any) -> None:
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {dtype}, argument `minval` and `maxval` must be both None "
            f"or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
    if minval is not None and dtype in (uint32, uint64):
        raise ValueError(
            f"Argument `dtype` got invalid value {dtype} when argument `minval` is not None. Please "
            "don't use unsigned integers in this case."
        )


@export("random.stateless_uniform")
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    """Returns random numbers between two bounds that depend on the seed only.

    Args:
        shape: Integers.
        seed: Two integers.
        minval: The lower bound: a scalar; for floating point types also a tensor that broadcasts.
        maxval: The upper bound, excluded; 1 where None. None for both means all integers of the type.
        dtype: A floating point type, int32 or int64; uint32 or uint64 without bounds.
        name: A name for the operation.
        alg: The algorithm: ``"auto_select"`` or ``"philox"``, which give the same numbers.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape or the seed cannot be, or no integer is within the bounds.
        TypeError: A bound does not fit the type.
        ValueError: The type or the algorithm cannot be, or one bound is missing.
    """
    dtype = as_dtype(dtype)
    if dtype not in _UNIFORM_TYPES:
        raise not_accepted(dtype, _UNIFORM_TYPES)
    if dtype.is_integer:
        _check_integer_bounds(dtype, minval, maxval)
    elif maxval is None:
        maxval = 1
    if dtype.is_integer and minval is None:
        return stateless_full_int_v2(shape_tensor(shape), *key_counter_alg(seed, alg), dtype=dtype)
    if _tells_stream(seed, alg) and not dtype.is_integer:
        take = lambda *_: scrambled(seed)
        at_once = drawn_at_once(stateless_uniform_v2.op.type, shape, dtype, take, maxval, minval, minval)
        if at_once is not None:
            return at_once
    shape = shape_tensor(shape)
    minval = convert_to_tensor(minval, dtype=dtype, name="min")
    maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
    stream = key_counter_alg(seed, alg)
    if dtype.is_integer:
        return stateless_int_v2(shape, *stream, minval, maxval)
    numbers = stateless_uniform_v2(shape, *stream, dtype=dtype)
    return add(numbers * (maxval - minval), minval)


@export("random.experimental.stateless_shuffle")
def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Any:
    """Returns the rows of a tensor in an order that depends on the seed only.

    Args:
        value: A tensor.
        seed: Two integers.
        alg: The algorithm: ``"auto_select"`` or ``"philox"``, which give the same order.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The seed cannot be.
        ValueError: There is no such algorithm.
    """
    key, counter, alg = key_counter_alg(seed, alg)
    return stateless_shuffle_v2(value, key, counter, alg)
