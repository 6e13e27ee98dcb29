"""The ops of generators: they read and move on a state that a variable holds."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import INTEGERS, int64
from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Kind, Resource, Type, op
from twinflow._src.ops.random.algorithms import Algorithm
from twinflow._src.ops.random.discrete import Probabilities, binomial_numbers, rows_of
from twinflow._src.ops.random.stateful import Shape, dims_of
from twinflow._src.ops.random.stateless import Key, Number
from twinflow._src.random import distributions
from twinflow._src.random.philox import Stream
from twinflow._src.shape_rules.random import advanced, drawn, drawn_from

_Algorithm = Annotated[Any, Kind("int64", only=int64, host=True)]
_STATE_SIZE = 3
_MASK32, _MASK128 = 2**32 - 1, 2**128 - 1
# How many words TensorFlow allows for a binomial number of a generator.
_DRAWS = 200


def _moved_on(xp: Any, resource: Any, alg: int, blocks: int) -> Any:
    """Moves a generator's state on; gives the state before."""
    if alg == Algorithm.THREEFRY.value:
        raise UnimplementedError(
            None, None, "Non-XLA devices don't support the ThreeFry algorithm."
        )
    if alg not in (Algorithm.PHILOX.value, Algorithm.AUTO_SELECT.value):
        raise invalid(f"Unsupported algorithm id: {alg}")
    before: list[Any] = []

    def write(old: Any, out: Any) -> Any:
        if old.ndim != 1 or old.size < _STATE_SIZE:
            raise invalid(
                f"The size of the state must be at least {_STATE_SIZE}; got {text(old.shape)}"
            )
        before.append(old.copy())
        low, high, *rest = (int(value) % 2**64 for value in old.tolist())
        counter = _counted(low | high << 64, blocks % 2**64)
        values = [counter % 2**64, counter >> 64, *rest]
        out[...] = xp.asarray(np.array(values, np.uint64).view(np.int64))
        return out

    resource._handle.update(write)
    return before[0]


def _counted(counter: int, blocks: int) -> int:
    """A counter so many blocks on. TensorFlow adds two words: one that is full loses what the other carries over."""
    carried = (counter & _MASK32) + (blocks & _MASK32) >> 32
    lost = (blocks >> 32) + carried >> 32
    return counter + blocks - (lost << 64) & _MASK128


@op("RngReadAndSkip", shape=advanced, impure=True)
def read_and_skip(xp: Any, resource: Resource, alg: Number, delta: Key) -> Any:
    """Returns the state of a generator and moves it on.

    Args:
        resource: The variable that holds the state.
        alg: The number of the algorithm.
        delta: How many numbers to make room for.

    Returns:
        The state before.

    Raises:
        InvalidArgumentError: The state or the algorithm cannot be.
        UnimplementedError: The algorithm is ThreeFry.
    """
    return _moved_on(xp, resource, int(alg), int(delta) * distributions.ROOM)


@op("StatefulRandomBinomial", shape=drawn_from, impure=True, out="dtype")
def stateful_random_binomial(
    xp: Any,
    resource: Resource,
    algorithm: _Algorithm,
    shape: Shape,
    counts: Probabilities,
    probs: Probabilities,
    *,
    dtype: Type = int64,
) -> Any:
    """Returns random numbers from binomial distributions and moves a generator on.

    Args:
        resource: The variable that holds the generator's state.
        algorithm: The number of the algorithm.
        shape: The shape of the result; it ends with that of the parameters.
        counts: The numbers of trials.
        probs: The probabilities of success.
        dtype: The type of the result.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape, the state or the algorithm cannot be.
    """
    dims = dims_of(shape)
    inner = np.broadcast_shapes(counts.shape, probs.shape)
    rows_of(dims, inner)  # a shape that does not fit moves no generator
    batches = math.prod(inner)
    samples = math.prod(dims) // batches if batches else 0
    room = batches * _DRAWS * (samples + 3) // 4 * distributions.ROOM
    low, high, key = (
        int(v) % 2**64 for v in _moved_on(xp, resource, int(algorithm), room).tolist()
    )
    return binomial_numbers(xp, Stream(key, low | high << 64), dims, counts, probs, dtype)


@op(
    "NonDeterministicInts", shape=drawn, impure=True, dtypes=INTEGERS, out="dtype"
)
def non_deterministic_ints(xp: Any, shape: Shape, *, dtype: Type = int64) -> Any:
    """Returns integers that nobody can predict.

    Args:
        shape: The shape of the result.
        dtype: The type of the result.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape cannot be.
    """
    dims = dims_of(shape)
    values = np.frombuffer(_entropy(math.prod(dims) * dtype.size), dtype.np)
    return xp.asarray(values.reshape(dims).copy())


def _entropy(size: int) -> bytes:
    import secrets

    return secrets.token_bytes(size)
