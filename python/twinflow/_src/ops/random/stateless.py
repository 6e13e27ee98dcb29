"""Stateless random numbers: deterministic functions of a seed of two integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
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
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.inputs import vector
from twinflow._src.dispatch.op import API, Kind, OpFunction, Type, documented, export, named, op
from twinflow._src.ops.array.fill import zeros
from twinflow._src.ops.array.shapes import reshape
from twinflow._src.ops.array.stack import stack
from twinflow._src.ops.elementwise.arithmetic import add
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.compare import bitwise_or
from twinflow._src.ops.random.arguments import (
    FLOATS,
    INTEGERS,
    TEXTS,
    Algorithm,
    Bound,
    Shape,
    algorithm_number,
    checked_bounds,
    checked_type,
    dims_of,
    is_standard,
    not_accepted,
    scalar_bounds,
    shape_tensor,
    shaped,
    unknown_algorithm,
)
from twinflow._src.random import distributions
from twinflow._src.random.distributions import shuffled
from twinflow._src.random.philox import Stream
from twinflow._src.random.seeds import scrambled
from twinflow._src.shape_rules.values import drawn_by_key, drawn_integers, key_and_counter

# Ops.


_SUPPORTED = (Algorithm.PHILOX.value, Algorithm.AUTO_SELECT.value)
FULL_INTEGERS = frozenset((int32, int64, uint32, uint64))

Seed = Annotated[Any, Kind("Tseed", default=int64, allowed=INTEGERS, host=True)]
Key = Annotated[Any, Kind("uint64", only=uint64, host=True)]
Number = Annotated[Any, Kind("int32", only=int32, host=True)]


def stream_of_seed(seed: Any) -> Stream:
    """Returns the random stream of a seed of two integers."""
    if seed.shape != (2,):
        raise invalid(f"seed must have shape [2], not {text(seed.shape)}")
    return scrambled(seed.tolist())


def stream_of(key: Any, counter: Any, alg: Any) -> Stream:
    """Returns the random stream of a key and a counter."""
    if alg.ndim:
        raise invalid(f"alg must be of shape [], not {text(alg.shape)}")
    if key.ndim != 1 or key.size < 1:
        raise invalid(
            f"key must be a vector with length at least 1; got shape: {text(key.shape)}. "
            "(Note that batched keys are not supported yet.)"
        )
    if counter.ndim != 1 or counter.size < 2:
        raise invalid(
            f"counter must be a vector with length at least 2; got shape: {text(counter.shape)}. "
            "(Note that batched counters are not supported yet.)"
        )
    if alg.item() not in _SUPPORTED:
        raise invalid(f"Unsupported algorithm id: {int(alg)}")
    return Stream(key.item(0), counter.item(0) | counter.item(1) << 64)


@op("StatelessRandomGetKeyCounter", shape=key_and_counter)
def get_key_counter(xp: Any, seed: Seed) -> Any:
    """Derives the key and the counter from a seed."""
    stream = stream_of_seed(seed)
    counter = [stream.counter & (2**64 - 1), stream.counter >> 64]
    return [xp.asarray(np.array(values, np.uint64)) for values in ([stream.key], counter)]


get_key_counter.native("random_key")


def _draw_samples(
    draw: Callable[..., Any], xp: Any, shape: Any, key: Any, counter: Any, alg: Any, *more: Any
) -> Any:
    dims = dims_of(shape)
    return shaped(draw(xp, stream_of(key, counter, alg), math.prod(dims), *more), dims)


def _define(
    type: str,
    name: str,
    draw: Callable[..., Any],
    what: str,
    dtypes: frozenset[DType] = FLOATS,
    default: DType = float32,
) -> OpFunction:
    """Defines the op that draws numbers of a distribution from a key and a counter."""

    def kernel(
        xp: Any, shape: Shape, key: Key, counter: Key, alg: Number, *, dtype: Type = default
    ) -> Any:
        return _draw_samples(draw, xp, shape, key, counter, alg, dtype.np)

    options = {"shape": drawn_by_key, "no_gradient": True}
    return op(type, dtypes=dtypes, out="dtype", **options)(
        named(kernel, name, f"Draws random {what}.")
    )


stateless_uniform_v2 = _define(
    "StatelessRandomUniformV2",
    "stateless_uniform_v2",
    distributions.uniform,
    "numbers from the uniform distribution over [0, 1), from a key and a counter",
)
stateless_uniform_v2.native("random_uniform")
stateless_normal_v2 = _define(
    "StatelessRandomNormalV2",
    "stateless_normal_v2",
    distributions.normal,
    "numbers from the standard normal distribution, from a key and a counter",
)
stateless_normal_v2.native("random_normal")
stateless_truncated_normal_v2 = _define(
    "StatelessTruncatedNormalV2",
    "stateless_truncated_normal_v2",
    distributions.truncated,
    "numbers from the truncated standard normal distribution, by key and counter",
)
stateless_full_int_v2 = _define(
    "StatelessRandomUniformFullIntV2",
    "stateless_full_int_v2",
    distributions.integers,
    "integers from the full range of a dtype, from a key and a counter",
    FULL_INTEGERS,
    uint64,
)
stateless_full_int_v2.native("random_integers")


@op("StatelessRandomUniformIntV2", shape=drawn_integers, no_gradient=True, dtypes=INTEGERS)
def stateless_int_v2(
    xp: Any, shape: Shape, key: Key, counter: Key, alg: Number, minval: Bound, maxval: Bound
) -> Any:
    """Draws random integers from [minval, maxval), from a key and a counter."""
    scalar_bounds(minval, maxval)
    if 0 in dims_of(shape):
        return xp.empty(tuple(shape.tolist()), minval.dtype)
    bounds = checked_bounds(minval, maxval)
    return _draw_samples(distributions.bounded, xp, shape, key, counter, alg, minval.dtype, *bounds)


@op("StatelessShuffle", shape=lambda value, *_, **__: value)
def stateless_shuffle_v2(xp: Any, value: Any, key: Key, counter: Key, alg: Number) -> Any:
    """Shuffles a tensor along its first dimension, determined by a key and a counter."""
    stream = stream_of(key, counter, alg)
    if value.size <= 1 or len(value) <= 1:
        return value.copy()
    return shuffled(xp, stream, value)


# Public functions.


def key_counter_alg(seed: Any, alg: Any) -> tuple[Any, Any, Any]:
    """Returns the key, the counter and the id of the algorithm for a seed and an algorithm."""
    alg = Algorithm.AUTO_SELECT.value if alg is None else algorithm_number(alg)
    if alg == Algorithm.AUTO_SELECT.value:
        is_pair = type(seed) in (list, tuple) and len(seed) == 2 and thread.scope.graph is None
        if is_pair and all(type(word) is int and abs(word) < 2**31 for word in seed):
            seed = vector(seed)
        key, counter = get_key_counter(seed)
    elif alg == Algorithm.PHILOX.value:
        key, counter = _scrambled_by_ops(seed)
    elif alg == Algorithm.THREEFRY.value:
        key = reshape(_combine_words(cast(seed, uint32)), [1])
        counter = zeros([1], uint64)
    else:
        raise unknown_algorithm(alg)
    return key, counter, alg


def _scrambled_by_ops(seed: Any) -> tuple[Any, Any]:
    """Returns key and counter of a seed by public ops, as TensorFlow for a named algorithm."""
    key = convert_to_tensor([0x02461E293EC8F720], dtype=uint64)
    mixed = stateless_full_int_v2(
        [4], key, cast(seed, uint64), Algorithm.PHILOX.value, dtype=uint32
    )
    key = reshape(_combine_words(mixed[:2]), [1])
    return key, stack([0, _combine_words(mixed[2:])], axis=0)


def _combine_words(words: Any) -> Any:
    """Joins two uint32 to one uint64, the first one as the low word."""
    low, high = cast(words[0], uint64), cast(words[1], uint64)
    return bitwise_or(low, API["bitwise.left_shift"](high, convert_to_tensor(32, dtype=uint64)))


_NORMAL = """Draws deterministic random numbers from a {distribution}.

    Args:
        shape: The shape of the result, a vector of integers.
        seed: A vector of two integers.
        mean: The mean, a scalar or a tensor that broadcasts.
        stddev: The standard deviation{stddev}.
        dtype: A floating-point dtype.
        name: A name for the operation.
        alg: The algorithm: ``"auto_select"`` or ``"philox"``, which generate the same numbers.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape, the seed or the dtype is invalid.
        TypeError: The mean or the standard deviation cannot be converted to the dtype.
        ValueError: The algorithm is unknown.
    """


def _define_normal(draw: OpFunction, path: str, **texts: str) -> Callable[..., Any]:
    """Defines the public function of a normal distribution."""

    def function(
        shape: Any,
        seed: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = float32,
        name: str | None = None,
        alg: Any = "auto_select",
    ) -> Any:
        return _scaled(draw, shape, seed, mean, stddev, dtype, alg)

    return export(f"random.{path}")(named(function, path, _NORMAL.format_map(texts)))


stateless_normal = _define_normal(
    stateless_normal_v2,
    "stateless_normal",
    distribution="normal distribution, determined by the seed",
    stddev=", a scalar or a tensor that broadcasts",
)
stateless_truncated_normal = _define_normal(
    stateless_truncated_normal_v2,
    "stateless_truncated_normal",
    distribution="truncated normal distribution, by seed",
    stddev=" before truncation to two standard deviations",
)


def _scaled(draw: Any, shape: Any, seed: Any, mean: Any, stddev: Any, dtype: Any, alg: Any) -> Any:
    shape = shape_tensor(shape)
    if is_standard(mean, stddev, dtype):
        return draw(shape, *key_counter_alg(seed, alg), dtype=as_dtype(dtype))
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
@documented(
    TEXTS,
    "Draws deterministic random numbers from a uniform distribution over [minval, maxval).",
    "A tensor.",
    {
        "InvalidArgumentError": "The shape or the seed is invalid, or ``minval`` >= ``maxval`` for integers.",
        "TypeError": "A bound cannot be converted to the dtype.",
        "ValueError": "The dtype or the algorithm is invalid, or one bound is missing.",
    },
    shape="The shape of the result, a vector of integers.",
    minval="The lower bound: a scalar; for floating-point dtypes also a tensor that broadcasts.",
    maxval="The upper bound, excluded; 1 if None. None for both means all integers of the dtype.",
    dtype="A floating-point dtype, int32 or int64; uint32 or uint64 without bounds.",
    alg='The algorithm: ``"auto_select"`` or ``"philox"``, which generate the same numbers.',
)
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Any:
    dtype = as_dtype(dtype)
    if dtype not in _UNIFORM_TYPES:
        raise not_accepted(dtype, _UNIFORM_TYPES)
    if dtype.is_integer:
        _check_integer_bounds(dtype, minval, maxval)
    elif maxval is None:
        maxval = 1
    if dtype.is_integer and minval is None:
        return stateless_full_int_v2(shape_tensor(shape), *key_counter_alg(seed, alg), dtype=dtype)
    shape = shape_tensor(shape)
    minval = convert_to_tensor(minval, dtype=dtype, name="min")
    maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
    stream = key_counter_alg(seed, alg)
    if dtype.is_integer:
        return stateless_int_v2(shape, *stream, minval, maxval)
    numbers = stateless_uniform_v2(shape, *stream, dtype=dtype)
    return add(numbers * (maxval - minval), minval)


@export("random.experimental.stateless_shuffle")
@documented(
    TEXTS,
    "Deterministically shuffles a tensor along its first dimension, determined by the seed.",
    "A tensor of the same dtype and shape.",
    {"InvalidArgumentError": "The seed is invalid.", "ValueError": "The algorithm is unknown."},
    alg='The algorithm: ``"auto_select"`` or ``"philox"``, which generate the same order.',
)
def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Any:
    key, counter, alg = key_counter_alg(seed, alg)
    return stateless_shuffle_v2(value, key, counter, alg)
