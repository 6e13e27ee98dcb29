"""``tf.random.Generator``, its state, and the global generator.

A generator's state is an int64 variable that holds a counter and a key.
"""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, float32, int32, int64, uint64
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import zeros, zeros_like
from twinflow._src.ops.array.shapes import reshape
from twinflow._src.ops.array.stack import stack, unstack
from twinflow._src.ops.elementwise.arithmetic import add
from twinflow._src.ops.elementwise.cast import bitcast, cast
from twinflow._src.ops.random.arguments import (
    FLOATS,
    Algorithm,
    algorithm_number,
    checked_type,
    shape_tensor,
    unknown_algorithm,
)
from twinflow._src.ops.random.seeds import (
    non_deterministic_ints,
    read_and_skip,
    stateful_random_binomial,
)
from twinflow._src.ops.random.stateless import (
    FULL_INTEGERS,
    stateless_full_int_v2,
    stateless_int_v2,
    stateless_normal_v2,
    stateless_truncated_normal_v2,
    stateless_uniform_v2,
)
from twinflow._src.trackable.trackable import AutoTrackable
from twinflow._src.variables.variable import Variable

# Generator states: int64 vectors of a counter and a key.


DEFAULT = Algorithm.PHILOX.value
# Number of int64 elements of the state of each algorithm; the last one is the key.
SIZES = {Algorithm.PHILOX.value: 3, Algorithm.THREEFRY.value: 2, Algorithm.AUTO_SELECT.value: 3}


def state_size(alg: Any) -> int:
    size = SIZES.get(alg)
    if size is None:
        raise unknown_algorithm(alg)
    return size


def _signed(value: Any) -> Any:
    """Wraps Python integers above the int64 range to the negative int64 of the same bits."""
    if isinstance(value, (list, tuple)):
        return [_signed(item) for item in value]
    return value - 2**64 if isinstance(value, int) and value > 2**63 - 1 else value


def state_tensor(value: Any) -> Any:
    return cast(_signed(value), int64)


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed: Any, alg: Any) -> Any:
    """Creates an RNG state from a seed.

    Args:
        seed: An integer of any size, or a vector of them.
        alg: The algorithm: a name, a number or a ``tf.random.Algorithm``.

    Returns:
        An int64 vector, of a size that depends on the algorithm, left-padded with zeros.

    Raises:
        TypeError: The algorithm is of another type.
        ValueError: The algorithm is unknown.
    """
    size = state_size(algorithm_number(alg))
    if isinstance(seed, int):
        seed = [(seed >> 64 * i) % 2**64 for i in range(size)]
    digits = reshape(state_tensor(seed), [-1])[0:size]
    missing = size - static_size(digits.shape, 0)
    API["maximum"](missing, 0)  # for the placement log; while tracing, the value is unknown
    return concat([zeros([max(missing, 0)], int64), digits], axis=0)


def skipped(variable: Any, alg: Any, delta: Any) -> Any:
    """Advances a generator's state by ``delta`` numbers and returns the state before."""
    # Of a variable with one value per replica, the value of the current replica advances.
    if variable._values is None:
        return read_and_skip(variable, alg, delta)
    before = read_and_skip(variable._localized(), alg, delta)
    if thread.replica is None and not thread.saves:
        variable._agree()
    return before


def key_here(variable: Any, key: Any, alg: Any) -> Any:
    """Returns the generator's key as uint64; within a strategy, a key of the current replica."""
    key = bitcast(key, uint64)
    if variable._values is None or thread.replica is None:
        return key
    counter = cast([thread.replica[1], 0], uint64)
    return stateless_full_int_v2([1], key, counter, alg, dtype=uint64)


def state_variable(value: Any) -> Any:
    return Variable(value, dtype=int64, trainable=False, name="StateVar")


def state_of_parts(key: Any, counter: Any, alg: Any) -> Any:
    """Returns the state made of a key and a counter."""
    counter, key = state_tensor(counter), state_tensor(key)
    counter.shape.assert_is_compatible_with([state_size(alg) - 1])
    key.shape.assert_is_compatible_with([])
    return concat([counter, reshape(key, [1])], 0)


# ``tf.random.Generator``.


@export("random.Generator", "random.experimental.Generator")
class Generator(AutoTrackable):
    """Random number generator whose state is a variable.

    Args:
        copy_from: A generator to copy; excludes the other arguments.
        state: A vector of int64, or a variable, which the generator then shares.
        alg: The algorithm: ``"philox"``, its id 1, or a ``tf.random.Algorithm``.

    Raises:
        ValueError: The size of the state does not match the algorithm.
    """

    __module__ = "twinflow.random"

    def __init__(self, copy_from: Any = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            assert (alg or state) is None
            self._state_var = state_variable(copy_from.state)
            self._alg = copy_from.algorithm
            return
        assert alg is not None and state is not None
        self._alg = algorithm_number(alg)
        if not isinstance(state, Variable):
            state = state_tensor(state)
        state.shape.assert_is_compatible_with([state_size(self._alg)])
        self._state_var = state if isinstance(state, Variable) else state_variable(state)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """Creates a generator from a state.

        Args:
            state: A vector of int64, or a variable.
            alg: The algorithm.

        Returns:
            A generator.
        """
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """Creates a generator from a seed.

        Args:
            seed: An integer of any size, or a vector of integers.
            alg: The algorithm; Philox if None.

        Returns:
            A generator.
        """
        alg = algorithm_number(DEFAULT if alg is None else alg)
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """Creates a generator with a non-deterministic state.

        Args:
            alg: The algorithm; Philox if None.

        Returns:
            A generator.
        """
        alg = algorithm_number(DEFAULT if alg is None else alg)
        return cls(state=non_deterministic_ints([state_size(alg)], dtype=int64), alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """Creates a generator from a key and a counter.

        Args:
            key: The key, an integer.
            counter: The counter, a vector of two integers for Philox.
            alg: The algorithm.

        Returns:
            A generator.
        """
        alg = algorithm_number(alg)
        return cls(state=state_of_parts(key, counter, alg), alg=alg)

    # ---------------------------------------------------------------- the state
    @property
    def state(self) -> Any:
        """The variable that holds the state: the counter, then the key."""
        return self._state_var

    @property
    def algorithm(self) -> Any:
        """The id of the algorithm."""
        return self._alg

    @property
    def key(self) -> Any:
        """The key, the part of the state that does not change."""
        return self._state_var[-1]

    def reset(self, state: Any) -> None:
        """Resets the generator to a new state.

        Args:
            state: A vector of integers.
        """
        state = state_tensor(state)
        state.shape.assert_is_compatible_with([state_size(self._alg)])
        self._state_var.assign(state)

    def reset_from_seed(self, seed: Any) -> None:
        """Resets the generator by a seed.

        Args:
            seed: An integer of any size, or a vector of integers.
        """
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Resets the generator by a key and a counter.

        Args:
            key: The key, an integer.
            counter: The counter, a vector.
        """
        self._state_var.assign(state_of_parts(key, counter, self._alg))

    def skip(self, delta: Any) -> Any:
        """Advances the counter of the generator.

        Args:
            delta: The number of random numbers to skip.

        Returns:
            The state before.
        """
        return skipped(self._state_var, self._alg, cast(delta, uint64))

    def _next(self, shape: Any) -> tuple[Any, Any, Any]:
        """Advances the state for numbers of a shape; returns key, counter and algorithm."""
        before = self.skip(API["reduce_prod"](shape))
        size = state_size(self._alg) - 1
        counter = bitcast(before[:size], uint64)
        return key_here(self._state_var, before[size : size + 1], self._alg), counter, self._alg

    # ---------------------------------------------------------------- random numbers
    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Any:
        """Draws random numbers from a normal distribution.

        Args:
            shape: The shape of the result, a vector of integers.
            mean: The mean, a scalar or a tensor that broadcasts.
            stddev: The standard deviation, a scalar or a tensor that broadcasts.
            dtype: A floating-point dtype.
            name: A name for the operation.

        Returns:
            A tensor.
        """
        return self._scaled(stateless_normal_v2, shape, mean, stddev, dtype)

    @documented_like(normal)
    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Any:
        """Draws random numbers from a normal distribution truncated to two standard deviations.

        Args:
            stddev: The standard deviation before truncation.
        """
        return self._scaled(stateless_truncated_normal_v2, shape, mean, stddev, dtype)

    def _scaled(self, draw: Any, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Any:
        shape = shape_tensor(shape, empty=int64)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        stream = self._next(shape)
        dtype = checked_type(draw.op.type, dtype, FLOATS)
        return add(draw(shape, *stream, dtype=dtype) * stddev, mean)

    @documented_like(normal)
    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = float32,
        name: str | None = None,
    ) -> Any:
        """Draws random numbers from a uniform distribution over [minval, maxval).

        Args:
            minval: The lower bound.
            maxval: The upper bound; 1 if None. None for both means all integers of the dtype.
            dtype: A floating-point dtype or an integer dtype of 32 or 64 bits.

        Raises:
            InvalidArgumentError: ``minval`` is not below ``maxval``, for integers.
            ValueError: Only one bound is given, for integers.
        """
        dtype = as_dtype(dtype)
        if dtype.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(
                    f"For integer dtype {dtype}, minval and maxval must be both `None` or both "
                    f"non-`None`; got minval={minval} and maxval={maxval}"
                )
        elif maxval is None:
            maxval = 1
        shape = shape_tensor(shape, empty=int64)
        if dtype.is_integer and minval is None:
            return self._full_int(shape, dtype)
        minval = convert_to_tensor(minval, dtype=dtype, name="min")
        maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        if dtype.is_integer:
            return stateless_int_v2(shape, *self._next(shape), minval, maxval)
        stream = self._next(shape)
        dtype = checked_type("StatelessRandomUniformV2", dtype, FLOATS)
        numbers = stateless_uniform_v2(shape, *stream, dtype=dtype)
        return add(numbers * (maxval - minval), minval)

    @documented_like(normal)
    def uniform_full_int(self, shape: Any, dtype: Any = uint64, name: str | None = None) -> Any:
        """Draws random integers from the full range of a dtype.

        Args:
            dtype: An integer dtype of 32 or 64 bits.
        """
        return self._full_int(shape_tensor(shape, empty=int64), as_dtype(dtype))

    def _full_int(self, shape: Any, dtype: Any) -> Any:
        stream = self._next(shape)
        dtype = checked_type("StatelessRandomUniformFullIntV2", dtype, FULL_INTEGERS)
        return stateless_full_int_v2(shape, *stream, dtype=dtype)

    @documented_like(normal)
    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = int32, name: str | None = None
    ) -> Any:
        """Draws random numbers from binomial distributions.

        Args:
            shape: The shape of the result; it ends with that of the parameters.
            counts: The numbers of trials.
            probs: The probabilities of success, which broadcast with the numbers of trials.
            dtype: float16, float32, float64, int32 or int64.
        """
        dtype = as_dtype(dtype)
        counts = convert_to_tensor(counts, name="counts")
        probs = convert_to_tensor(probs, name="probs")
        shape = shape_tensor(shape, empty=int64)
        return stateful_random_binomial(
            self._state_var, self._alg, shape, counts, probs, dtype=dtype
        )

    # ---------------------------------------------------------------- seeds and splitting
    def _keys(self, count: Any) -> Any:
        if self._alg not in SIZES:
            raise unknown_algorithm(self._alg)
        return self.uniform_full_int([count], dtype=int64)

    def make_seeds(self, count: Any = 1) -> Any:
        """Generates seeds for stateless random ops.

        Args:
            count: The number of seeds or generators.

        Returns:
            A tensor of int64 of shape ``[2, count]``: a seed is a column.
        """
        keys = self._keys(count)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """Splits off generators that are independent of each other and of this one.

        Args:
            count: The number of seeds or generators.

        Returns:
            A list of generators.
        """
        zero = [0] * (state_size(self._alg) - 1)
        keys = unstack(self._keys(count), num=count)
        return [Generator(state=[*zero, key], alg=self._alg) for key in keys]


# The global generator.


_global: list[Generator] = []


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Any:
    """Returns the global generator, created from a non-deterministic state at the first call."""
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Any) -> None:
    """Replaces the global generator.

    Args:
        generator: A generator.
    """
    _global[:] = [generator]
