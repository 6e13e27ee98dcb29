"""Random numbers that depend on a seed of two integers and on nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import float32, int32, int64, uint32, uint64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Kind, Type, op
from twinflow._src.ops.random.algorithms import Algorithm
from twinflow._src.ops.random.stateful import (
    FLOATS,
    INTEGERS,
    Bound,
    Shape,
    checked_bounds,
    dims_of,
    scalar_bounds,
)
from twinflow._src.random import distributions
from twinflow._src.random.philox import Stream
from twinflow._src.random.seeds import scrambled
from twinflow._src.random.shuffle import shuffled
from twinflow._src.shape_rules.random import drawn_by_key, drawn_integers, key_and_counter

FULL_INTEGERS = frozenset((int32, int64, uint32, uint64))

Seed = Annotated[Any, Kind("Tseed", default=int64, allowed=INTEGERS, host=True)]
Key = Annotated[Any, Kind("uint64", only=uint64, host=True)]
Number = Annotated[Any, Kind("int32", only=int32, host=True)]


def stream_of_seed(seed: Any) -> Stream:
    """The stream that a seed of two integers means."""
    if seed.shape != (2,):
        raise invalid(f"seed must have shape [2], not {text(seed.shape)}")
    return scrambled(seed.tolist())


def stream_of(key: Any, counter: Any, alg: Any) -> Stream:
    """The stream that a key and a counter mean."""
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
    if int(alg) not in (Algorithm.PHILOX.value, Algorithm.AUTO_SELECT.value):
        raise invalid(f"Unsupported algorithm id: {int(alg)}")
    return Stream(int(key[0]), int(counter[0]) | int(counter[1]) << 64)


@op("StatelessRandomGetKeyCounter", shape=key_and_counter)
def get_key_counter(xp: Any, seed: Seed) -> Any:
    """Returns the key and the counter that a seed means.

    Args:
        seed: Two integers.

    Returns:
        Two vectors of uint64: of one element, and of two.

    Raises:
        InvalidArgumentError: The seed has another shape.
    """
    stream = stream_of_seed(seed)
    counter = [stream.counter & (2**64 - 1), stream.counter >> 64]
    return [xp.asarray(np.array(values, np.uint64)) for values in ([stream.key], counter)]


def _drawn(
    draw: Callable[..., Any], xp: Any, shape: Any, key: Any, counter: Any, alg: Any, *more: Any
) -> Any:
    dims = dims_of(shape)
    return draw(xp, stream_of(key, counter, alg), math.prod(dims), *more).reshape(dims)


@op("StatelessRandomUniformV2", shape=drawn_by_key, no_gradient=True, dtypes=FLOATS, out="dtype")
def stateless_uniform_v2(
    xp: Any, shape: Shape, key: Key, counter: Key, alg: Number, *, dtype: Type = float32
) -> Any:
    """Returns random numbers from 0 to 1, 1 excluded, of a key and a counter.

    Args:
        shape: The shape of the result.
        key: The key, one uint64.
        counter: The counter, two uint64.
        alg: The number of the algorithm.
        dtype: The type of the result.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape, the key or the counter cannot be.
    """
    return _drawn(distributions.uniform, xp, shape, key, counter, alg, dtype.np)


@op("StatelessRandomNormalV2", shape=drawn_by_key, no_gradient=True, dtypes=FLOATS, out="dtype")
def stateless_normal_v2(
    xp: Any, shape: Shape, key: Key, counter: Key, alg: Number, *, dtype: Type = float32
) -> Any:
    """Returns random numbers from the standard normal distribution, of a key and a counter.

    Args:
        shape: The shape of the result.
        key: The key, one uint64.
        counter: The counter, two uint64.
        alg: The number of the algorithm.
        dtype: The type of the result.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape, the key or the counter cannot be.
    """
    return _drawn(distributions.normal, xp, shape, key, counter, alg, dtype.np)


@op("StatelessTruncatedNormalV2", shape=drawn_by_key, no_gradient=True, dtypes=FLOATS, out="dtype")
def stateless_truncated_normal_v2(
    xp: Any, shape: Shape, key: Key, counter: Key, alg: Number, *, dtype: Type = float32
) -> Any:
    """Returns normal random numbers less than 2 from 0, of a key and a counter.

    Args:
        shape: The shape of the result.
        key: The key, one uint64.
        counter: The counter, two uint64.
        alg: The number of the algorithm.
        dtype: The type of the result.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape, the key or the counter cannot be.
    """
    return _drawn(distributions.truncated, xp, shape, key, counter, alg, dtype.np)


@op(
    "StatelessRandomUniformFullIntV2",
    shape=drawn_by_key,
    no_gradient=True,
    dtypes=FULL_INTEGERS,
    out="dtype",
)
def stateless_full_int_v2(
    xp: Any, shape: Shape, key: Key, counter: Key, alg: Number, *, dtype: Type = uint64
) -> Any:
    """Returns random integers from all of a type's, of a key and a counter.

    Args:
        shape: The shape of the result.
        key: The key, one uint64.
        counter: The counter, two uint64.
        alg: The number of the algorithm.
        dtype: The type of the result.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape, the key or the counter cannot be.
    """
    return _drawn(distributions.integers, xp, shape, key, counter, alg, dtype.np)


@op("StatelessRandomUniformIntV2", shape=drawn_integers, no_gradient=True, dtypes=INTEGERS)
def stateless_int_v2(
    xp: Any, shape: Shape, key: Key, counter: Key, alg: Number, minval: Bound, maxval: Bound
) -> Any:
    """Returns random integers between two bounds, of a key and a counter.

    Args:
        shape: The shape of the result.
        key: The key, one uint64.
        counter: The counter, two uint64.
        alg: The number of the algorithm.
        minval: The lowest integer, a scalar.
        maxval: The integer above the highest, a scalar.

    Returns:
        A tensor of the bounds' type.

    Raises:
        InvalidArgumentError: A shape, the key or the counter cannot be, or no integer is possible.
    """
    scalar_bounds(minval, maxval)
    if 0 in dims_of(shape):
        return xp.empty(tuple(shape.tolist()), minval.dtype)
    bounds = checked_bounds(minval, maxval)
    return _drawn(distributions.bounded, xp, shape, key, counter, alg, minval.dtype, *bounds)


@op("StatelessShuffle", shape=lambda value, *_, **__: value)
def stateless_shuffle_v2(xp: Any, value: Any, key: Key, counter: Key, alg: Number) -> Any:
    """Returns the rows of a tensor in the order of a key and a counter.

    Args:
        value: A tensor.
        key: The key, one uint64.
        counter: The counter, two uint64.
        alg: The number of the algorithm.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The key or the counter cannot be.
    """
    stream = stream_of(key, counter, alg)
    if value.size <= 1 or len(value) <= 1:
        return value.copy()
    return shuffled(xp, stream, value)
