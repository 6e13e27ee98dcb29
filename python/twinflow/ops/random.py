"""Random numbers from seeds: uniform, normal and truncated normal ones, integers, permutations.

The kernels keep a state (see ``randomness``): two calls with the same seeds give different numbers,
until ``tf.random.set_seed`` starts all over.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

from .. import distributions, opdefs
from ..constant import convert_to_tensor
from ..dtypes import DType, as_dtype, bfloat16, float16, float32, float64, int32, int64
from ..errors import InvalidArgumentError, invalid
from ..op import Kind, Type, export, op
from ..randomness import seeds
from ..shapes import same, text
from .arithmetic import add

FLOATS = frozenset((float16, bfloat16, float32, float64))
INTEGERS = frozenset((int32, int64))
_SHAPE_TYPES = frozenset((int32, int64))

# The shape of a result, a vector that the kernel reads.
Shape = Annotated[Any, Kind("Tshape", default=int32, allowed=_SHAPE_TYPES, host=True)]
# A bound of integers, a scalar that the kernel reads.
Bound = Annotated[Any, Kind("Tout", host=True, allowed=INTEGERS)]


def dims_of(shape: Any, shown: str = " {}") -> tuple[int, ...]:
    """The shape that a vector of sizes means.

    Args:
        shape: The vector.
        shown: How a message shows what is no vector.
    """
    if shape.ndim != 1:
        what = shown.format(text(shape.shape))
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape{what}")
    for size in shape.tolist():
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return tuple(shape.tolist())


def shape_tensor(shape: Any, empty: DType = int32) -> Any:
    """A shape argument as a tensor.

    Args:
        shape: Anything that means a shape.
        empty: The type for an empty sequence.
    """
    return convert_to_tensor(
        shape, dtype=empty if isinstance(shape, (list, tuple)) and not shape else None
    )


def checked_type(type: str, dtype: Any, allowed: frozenset[DType], attr: str = "dtype") -> DType:
    """The type that an attribute of an op means.

    Args:
        type: The op's type.
        dtype: The type as it was given.
        allowed: The types that the op can give.
        attr: The attribute.

    Raises:
        InvalidArgumentError: The op cannot give that type.
    """
    found = as_dtype(dtype)
    if found in allowed:
        return found
    definition = opdefs._definitions().get(type, "")
    known = opdefs._allowed(definition, attr) or sorted(allowed, key=lambda d: d.as_datatype_enum)
    names = ", ".join(d.cname for d in known)
    raise InvalidArgumentError(
        None,
        None,
        f"Value for attr '{attr}' of {found.cname} is not in the list of allowed values: {names}\n"
        f"\t; NodeDef: {{{{node {type}}}}}; {definition} [Op:{type}] name: ",
    )


def _drawn(
    type: str, draw: Callable[..., Any], xp: Any, shape: Any, dtype: DType, seed: int, seed2: int
) -> Any:
    """Numbers from a kernel's state; it moves on by what any distribution may need."""
    dims = dims_of(shape)
    count = math.prod(dims)
    kernel = type, shape.dtype, dtype
    stream = seeds.reserve(kernel, (seed, seed2), count * distributions.ROOM)
    return draw(xp, stream, count, dtype.np).reshape(dims)


@op("RandomUniform", impure=True, no_gradient=True, dtypes=FLOATS, out="dtype")
def random_uniform(xp: Any, shape: Shape, *, dtype: Type, seed: int = 0, seed2: int = 0) -> Any:
    """Returns random numbers from 0 to 1, 1 excluded.

    Args:
        shape: The shape of the result.
        dtype: The type of the result.
        seed: A seed.
        seed2: A second seed; where both are 0, any numbers come.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape is not a vector, or a size is negative.
    """
    return _drawn("RandomUniform", distributions.uniform, xp, shape, dtype, seed, seed2)


@op("RandomStandardNormal", impure=True, no_gradient=True, dtypes=FLOATS, out="dtype")
def random_standard_normal(
    xp: Any, shape: Shape, *, dtype: Type, seed: int = 0, seed2: int = 0
) -> Any:
    """Returns random numbers from the standard normal distribution.

    Args:
        shape: The shape of the result.
        dtype: The type of the result.
        seed: A seed.
        seed2: A second seed; where both are 0, any numbers come.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape is not a vector, or a size is negative.
    """
    return _drawn("RandomStandardNormal", distributions.normal, xp, shape, dtype, seed, seed2)


@op("TruncatedNormal", impure=True, no_gradient=True, dtypes=FLOATS, out="dtype")
def random_truncated_normal(
    xp: Any, shape: Shape, *, dtype: Type, seed: int = 0, seed2: int = 0
) -> Any:
    """Returns random numbers from the standard normal distribution, less than 2 from 0.

    Args:
        shape: The shape of the result.
        dtype: The type of the result.
        seed: A seed.
        seed2: A second seed; where both are 0, any numbers come.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape is not a vector, or a size is negative.
    """
    return _drawn("TruncatedNormal", distributions.truncated, xp, shape, dtype, seed, seed2)


@op("RandomUniformInt", impure=True, no_gradient=True, dtypes=INTEGERS)
def random_uniform_int(
    xp: Any, shape: Shape, minval: Bound, maxval: Bound, *, seed: int = 0, seed2: int = 0
) -> Any:
    """Returns random integers.

    Args:
        shape: The shape of the result.
        minval: The lowest integer, a scalar.
        maxval: The integer above the highest, a scalar.
        seed: A seed.
        seed2: A second seed; where both are 0, any numbers come.

    Returns:
        A tensor of the bounds' type.

    Raises:
        InvalidArgumentError: There is no integer within the bounds, or a shape is wrong.
    """
    scalar_bounds(minval, maxval)
    dims = dims_of(shape)
    if 0 in dims:
        return xp.empty(dims, minval.dtype)
    low, high = checked_bounds(minval, maxval)
    count = math.prod(dims)
    kernel = "RandomUniformInt", shape.dtype, minval.dtype
    stream = seeds.reserve(kernel, (seed, seed2), count * distributions.ROOM)
    return distributions.bounded(xp, stream, count, minval.dtype, low, high).reshape(dims)


def scalar_bounds(minval: Any, maxval: Any) -> None:
    """Sees that the bounds of integers are scalars."""
    for name, value in (("minval", minval), ("maxval", maxval)):
        if value.ndim:
            raise invalid(f"{name} must be 0-D, got shape {text(value.shape)}")


def checked_bounds(minval: Any, maxval: Any) -> tuple[int, int]:
    """The bounds of integers as Python integers, the first one below the second one."""
    low, high = int(minval), int(maxval)
    if low >= high:
        raise invalid(f"Need minval < maxval, got {low} >= {high}")
    return low, high


@op("RandomShuffle", impure=True, no_gradient=True, shape=same)
def random_shuffle(xp: Any, value: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Returns the rows of a tensor in a random order.

    Args:
        value: A tensor.
        seed: A seed.
        seed2: A second seed; where both are 0, any order comes.

    Returns:
        A tensor of the same type and shape.
    """
    if value.size <= 1 or len(value) <= 1:
        return value.copy()
    kernel = "RandomShuffle", value.dtype
    stream = seeds.reserve(kernel, (seed, seed2), -(-len(value) // 4))
    return value[distributions.permutation(xp, stream, len(value))]


# ------------------------------------------------------------------ what programs call


@export("random.normal")
def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Returns random numbers from a normal distribution.

    Args:
        shape: Integers.
        mean: The mean, a scalar or a tensor that broadcasts.
        stddev: The standard deviation, a scalar or a tensor that broadcasts.
        dtype: A floating point type.
        seed: An integer; where None, one is derived from the global seed.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape or the type cannot be.
        TypeError: The mean or the standard deviation does not fit the type.
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
    """Returns random numbers from a normal distribution, less than two standard deviations off.

    Args:
        shape: Integers.
        mean: The mean, a scalar or a tensor that broadcasts.
        stddev: The standard deviation before numbers are left out.
        dtype: A floating point type.
        seed: An integer; where None, one is derived from the global seed.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape or the type cannot be.
        TypeError: The mean or the standard deviation does not fit the type.
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


def not_accepted(dtype: DType, accepted: tuple[DType, ...]) -> ValueError:
    """The error for a type that a function does not take."""
    return ValueError(
        f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {accepted}."
    )


@export("random.uniform")
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Returns random numbers between two bounds, the upper one excluded.

    Args:
        shape: Integers.
        minval: The lower bound: a scalar; for floating point types also a tensor that broadcasts.
        maxval: The upper bound; 1 where None, for floating point types only.
        dtype: A floating point type, int32 or int64.
        seed: An integer; where None, one is derived from the global seed.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape cannot be, or no integer is within the bounds.
        TypeError: A bound does not fit the type.
        ValueError: The type cannot be, or integers have no upper bound.
    """
    dtype = as_dtype(dtype)
    if dtype not in _UNIFORM_TYPES:
        raise not_accepted(dtype, _UNIFORM_TYPES)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}")
        maxval = 1
    shape = shape_tensor(shape)
    from_zero, to_one = (
        isinstance(minval, int) and minval == 0,
        isinstance(maxval, int) and maxval == 1,
    )
    if not (from_zero and to_one) or dtype.is_integer:
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
    """Returns the rows of a tensor in a random order.

    Args:
        value: A tensor.
        seed: An integer; where None, one is derived from the global seed.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.
    """
    first, second = seeds.of_op(seed)
    return random_shuffle(value, seed=first, seed2=second)
