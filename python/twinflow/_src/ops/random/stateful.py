"""Stateful random ops: uniform, normal, truncated normal, integers, shuffle.

The kernels keep a state (see ``random.seeds``): two calls with the same seeds return different
numbers, until ``tf.random.set_seed`` resets the state.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
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
)
from twinflow._src.core.shapes import same
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.inputs import on_host
from twinflow._src.dispatch.op import OpFunction, Type, documented, export, named, op
from twinflow._src.ops.elementwise.arithmetic import add
from twinflow._src.ops.random.arguments import (
    FLOATS,
    INTEGERS,
    TEXTS,
    Bound,
    Shape,
    checked_bounds,
    checked_type,
    dims_of,
    is_standard,
    not_accepted,
    scalar_bounds,
    shape_tensor,
    shaped,
)
from twinflow._src.random import distributions
from twinflow._src.random.distributions import shuffled
from twinflow._src.random.seeds import seeds
from twinflow._src.shape_rules.values import drawn_integers, infer_random_shape


def _define(type: str, name: str, draw: Callable[..., Any], distribution: str) -> OpFunction:
    """Defines the op of a continuous distribution."""
    # The kernel's state advances by the maximum of all distributions.

    def kernel(xp: Any, shape: Shape, *, dtype: Type, seed: int = 0, seed2: int = 0) -> Any:
        dims = dims_of(shape)
        count = math.prod(dims)
        key = type, shape.dtype, dtype
        stream = seeds.reserve(key, (seed, seed2), count * distributions.ROOM)
        return shaped(draw(xp, stream, count, dtype.np), dims)

    options = {"shape": infer_random_shape, "impure": True, "no_gradient": True}
    function = op(type, dtypes=FLOATS, out="dtype", **options)(
        named(kernel, name, f"Draws random numbers from the {distribution}.")
    )
    function.batched(_draw_for_batch)
    return function


def _draw_for_batch(call: Any) -> Any:
    """Draws the numbers of all elements of a batch at once, as TensorFlow does."""
    return call.run(call.with_first(0, call.size), *map(call.shared, range(1, len(call.inputs))))


random_uniform = _define(
    "RandomUniform",
    "random_uniform",
    distributions.uniform,
    "uniform distribution over [0, 1)",
)
random_standard_normal = _define(
    "RandomStandardNormal",
    "random_standard_normal",
    distributions.normal,
    "standard normal distribution",
)
random_truncated_normal = _define(
    "TruncatedNormal",
    "random_truncated_normal",
    distributions.truncated,
    "standard normal distribution, truncated to (-2, 2)",
)


@op("RandomUniformInt", shape=drawn_integers, impure=True, dtypes=INTEGERS)
def random_uniform_int(
    xp: Any, shape: Shape, minval: Bound, maxval: Bound, *, seed: int = 0, seed2: int = 0
) -> Any:
    """Draws random integers from the uniform distribution over [minval, maxval)."""
    scalar_bounds(minval, maxval)
    dims = dims_of(shape)
    if 0 in dims:
        return xp.empty(dims, minval.dtype)
    low, high = checked_bounds(minval, maxval)
    count = math.prod(dims)
    kernel = "RandomUniformInt", shape.dtype, minval.dtype
    stream = seeds.reserve(kernel, (seed, seed2), count * distributions.ROOM)
    return distributions.bounded(xp, stream, count, minval.dtype, low, high).reshape(dims)


random_uniform_int.batched(_draw_for_batch)


@op("RandomShuffle", impure=True, no_gradient=True, shape=same)
def random_shuffle(xp: Any, value: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Randomly shuffles a tensor along its first dimension."""
    if value.size <= 1 or len(value) <= 1:
        return value.copy()
    kernel = "RandomShuffle", value.dtype
    stream = seeds.reserve(kernel, (seed, seed2), -(-len(value) // 4))
    return shuffled(xp, stream, value)


# Public functions.


_NORMAL = """Draws random numbers from a normal distribution{truncated}.

    Args:
        shape: The shape of the result, a vector of integers.
        mean: The mean, a scalar or a tensor that broadcasts.
        stddev: The standard deviation{stddev}.
        dtype: A floating-point dtype.
        seed: An op seed, an integer; if None, it is derived from the global seed.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape or the dtype is invalid.
        TypeError: The mean or the standard deviation cannot be converted to the dtype.
    """


def _define_normal(draw: OpFunction, path: str, **texts: str) -> Callable[..., Any]:
    """Defines the public function of a normal distribution."""

    def function(
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = float32,
        seed: Any = None,
        name: str | None = None,
    ) -> Any:
        return _scaled(draw, shape, mean, stddev, dtype, seed)

    return export(f"random.{path}")(named(function, path, _NORMAL.format_map(texts)))


normal = _define_normal(
    random_standard_normal, "normal", truncated="", stddev=", a scalar or a tensor that broadcasts"
)
truncated_normal = _define_normal(
    random_truncated_normal,
    "truncated_normal",
    truncated=" truncated to two standard deviations",
    stddev=" before truncation",
)


def _scaled(draw: Any, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any) -> Any:
    shape = shape_tensor(shape)
    if is_standard(mean, stddev, dtype):
        first, second = seeds.of_op(seed)
        return draw(shape, dtype=as_dtype(dtype), seed=first, seed2=second)
    mean = convert_to_tensor(mean, dtype=dtype, name="mean")
    stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
    first, second = seeds.of_op(seed)
    dtype = checked_type(draw.op.type, dtype, FLOATS)
    return add(draw(shape, dtype=dtype, seed=first, seed2=second) * stddev, mean)


_UNIFORM_TYPES = (float16, bfloat16, float32, float64, int32, int64)


@export("random.uniform")
@documented(
    TEXTS,
    "Draws random numbers from a uniform distribution over [minval, maxval).",
    "A tensor.",
    {
        "InvalidArgumentError": "The shape is invalid, or ``minval`` is not below ``maxval`` for integers.",
        "TypeError": "A bound cannot be converted to the dtype.",
        "ValueError": "The dtype is invalid, or integers have no upper bound.",
    },
    shape="The shape of the result, a vector of integers.",
    minval="The lower bound: a scalar; for floating-point dtypes also a tensor that broadcasts.",
    maxval="The upper bound; 1 if None, for floating-point dtypes only.",
    dtype="A floating-point dtype, int32 or int64.",
    seed="An op seed, an integer; if None, it is derived from the global seed.",
)
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    dtype = dtype if type(dtype) is DType else as_dtype(dtype)
    is_integer = dtype in INTEGERS
    if not is_integer and dtype not in FLOATS:
        raise not_accepted(dtype, _UNIFORM_TYPES)
    if maxval is None:
        if is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    from_zero, to_one = (
        isinstance(minval, int) and minval == 0,
        isinstance(maxval, int) and maxval == 1,
    )
    shape = shape if type(shape) is EagerTensor else shape_tensor(shape)
    if not (from_zero and to_one) or is_integer:
        # Bounds of integers are inputs of the kernel.
        with on_host() if is_integer else nullcontext():
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
    first, second = seeds.of_op(seed)
    if is_integer:
        return random_uniform_int(shape, minval, maxval, seed=first, seed2=second)
    numbers = random_uniform(shape, dtype=dtype, seed=first, seed2=second)
    if from_zero:
        return numbers if to_one else numbers * maxval
    return add(numbers * (maxval - minval), minval)


@export("random.shuffle")
@documented(
    TEXTS,
    "Randomly shuffles a tensor along its first dimension.",
    "A tensor of the same dtype and shape.",
    seed="An op seed, an integer; if None, it is derived from the global seed.",
)
def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Any:
    first, second = seeds.of_op(seed)
    return random_shuffle(value, seed=first, seed2=second)
