"""The states of random generators: vectors of int64 that hold a counter and a key."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int64, uint64
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import zeros
from twinflow._src.ops.array.shapes import reshape
from twinflow._src.ops.elementwise.cast import bitcast, cast
from twinflow._src.ops.random.algorithms import Algorithm, algorithm_number, unknown_algorithm
from twinflow._src.ops.random.state import read_and_skip
from twinflow._src.ops.random.stateless import stateless_full_int_v2
from twinflow._src.variables.variable import Variable

DEFAULT = Algorithm.PHILOX.value
# How many int64 the state of each algorithm has; the last one is the key.
SIZES = {Algorithm.PHILOX.value: 3, Algorithm.THREEFRY.value: 2, Algorithm.AUTO_SELECT.value: 3}


def state_size(alg: Any) -> int:
    size = SIZES.get(alg)
    if size is None:
        raise unknown_algorithm(alg)
    return size


def _signed(value: Any) -> Any:
    """Python integers above the range of int64 as the negative ones of the same bits."""
    if isinstance(value, (list, tuple)):
        return [_signed(item) for item in value]
    return value - 2**64 if isinstance(value, int) and value > 2**63 - 1 else value


def state_tensor(value: Any) -> Any:
    return cast(_signed(value), int64)


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed: Any, alg: Any) -> Any:
    """Makes the state of a generator.

    Args:
        seed: An integer of any size, or a vector of them.
        alg: The algorithm: a name, a number or a ``tf.random.Algorithm``.

    Returns:
        A vector of int64, of a size that depends on the algorithm. Zeros fill it up from the left.

    Raises:
        TypeError: The algorithm is none of these.
        ValueError: There is no such algorithm.
    """
    size = state_size(algorithm_number(alg))
    if isinstance(seed, int):
        seed = [(seed >> 64 * i) % 2**64 for i in range(size)]
    digits = reshape(state_tensor(seed), [-1])[0:size]
    missing = size - digits.shape[0]
    API["maximum"](missing, 0)  # for the placement log: what functions trace has no value
    return concat([zeros([max(missing, 0)], int64), digits], axis=0)


def skipped(variable: Any, alg: Any, delta: Any) -> Any:
    """The state before it moves on; where a strategy made copies of it, those that are meant move on.

    Args:
        variable: The variable with the state.
        alg: The algorithm.
        delta: How many numbers are left out.
    """
    if variable._values is None:
        return read_and_skip(variable, alg, delta)
    before = read_and_skip(variable._localized(), alg, delta)
    if thread.replica is None:
        variable._agree()
    return before


def key_here(variable: Any, key: Any, alg: Any) -> Any:
    """The key of a generator, of that of the state; each replica of a strategy has another one."""
    key = bitcast(key, uint64)
    if variable._values is None or thread.replica is None:
        return key
    counter = cast([thread.replica[1], 0], uint64)
    return stateless_full_int_v2([1], key, counter, alg, dtype=uint64)


def state_variable(value: Any) -> Any:
    return Variable(value, dtype=int64, trainable=False, name="StateVar")


def state_of_parts(key: Any, counter: Any, alg: Any) -> Any:
    """A state of its two parts."""
    counter, key = state_tensor(counter), state_tensor(key)
    counter.shape.assert_is_compatible_with([state_size(alg) - 1])
    key.shape.assert_is_compatible_with([])
    return concat([counter, reshape(key, [1])], 0)
