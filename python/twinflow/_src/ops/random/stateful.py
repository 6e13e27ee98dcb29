"""Stateful random ops: uniform, normal, truncated normal, integers, shuffle.

The kernels keep a state (see ``randomness``): two calls with the same seeds return different
numbers, until ``tf.random.set_seed`` resets the state.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

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
)
from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import same, text
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.inputs import vector
from twinflow._src.dispatch.op import Kind, Type, op
from twinflow._src.random import distributions
from twinflow._src.random.distributions import shuffled
from twinflow._src.random.seeds import seeds
from twinflow._src.shape_rules.random import drawn_integers, infer_random_shape

FLOATS = frozenset((float16, bfloat16, float32, float64))
INTEGERS = frozenset((int32, int64))
_SHAPE_TYPES = frozenset((int32, int64))

# The shape of a result, a vector in host memory.
Shape = Annotated[Any, Kind("Tshape", default=int32, allowed=_SHAPE_TYPES, host=True)]
# A bound of integers, a scalar in host memory.
Bound = Annotated[Any, Kind("Tout", host=True, allowed=INTEGERS)]


def dims_of(shape: Any, shown: str = " {}") -> tuple[int, ...]:
    """Returns a shape vector as a tuple; raises InvalidArgumentError if it is invalid.

    ``shown`` is the format of the invalid shape in the error message.
    """
    if shape.ndim != 1:
        what = shown.format(text(shape.shape))
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape{what}")
    for size in shape.tolist():
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return tuple(shape.tolist())


def shape_tensor(shape: Any, empty: DType = int32) -> Any:
    """Converts a shape argument to a tensor; an empty sequence gets the dtype ``empty``."""
    listed = isinstance(shape, (list, tuple))
    if listed and shape and thread.scope.graph is None and all(type(size) is int for size in shape):
        return vector(shape)
    return convert_to_tensor(shape, dtype=empty if listed and not shape else None, name="shape")


def checked_type(type: str, dtype: Any, allowed: frozenset[DType], attr: str = "dtype") -> DType:
    """Returns the dtype of an op's attribute; raises InvalidArgumentError if it is not supported."""
    found = as_dtype(dtype)
    if found in allowed:
        return found
    definition = opdefs.definition(type)
    known = opdefs._allowed(definition, attr) or sorted(allowed, key=lambda d: d.as_datatype_enum)
    if thread.scope.graph is not None:
        raise opdefs.unlisted(attr, found, known)
    names = ", ".join(d.cname for d in known)
    raise InvalidArgumentError(
        None,
        None,
        f"Value for attr '{attr}' of {found.cname} is not in the list of allowed values: {names}\n"
        f"\t; NodeDef: {{{{node {type}}}}}; {definition} [Op:{type}] name: ",
    )


def _draw_samples(
    type: str, draw: Callable[..., Any], xp: Any, shape: Any, dtype: DType, seed: int, seed2: int
) -> Any:
    """Draws numbers from a kernel's state, which advances by the maximum of all distributions."""
    dims = dims_of(shape)
    count = math.prod(dims)
    kernel = type, shape.dtype, dtype
    stream = seeds.reserve(kernel, (seed, seed2), count * distributions.ROOM)
    return draw(xp, stream, count, dtype.np).reshape(dims)


@op(
    "RandomUniform",
    shape=infer_random_shape,
    impure=True,
    no_gradient=True,
    dtypes=FLOATS,
    out="dtype",
)
def random_uniform(xp: Any, shape: Shape, *, dtype: Type, seed: int = 0, seed2: int = 0) -> Any:
    """Draws random numbers from the uniform distribution over [0, 1).

    Args:
        shape: The shape of the result.
        dtype: The dtype of the result.
        seed: A seed.
        seed2: A second seed; if both are 0, the seed is random.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape is not a vector, or a size is negative.
    """
    return _draw_samples("RandomUniform", distributions.uniform, xp, shape, dtype, seed, seed2)


@op(
    "RandomStandardNormal",
    shape=infer_random_shape,
    impure=True,
    no_gradient=True,
    dtypes=FLOATS,
    out="dtype",
)
def random_standard_normal(
    xp: Any, shape: Shape, *, dtype: Type, seed: int = 0, seed2: int = 0
) -> Any:
    """Draws random numbers from the standard normal distribution.

    Args:
        shape: The shape of the result.
        dtype: The dtype of the result.
        seed: A seed.
        seed2: A second seed; if both are 0, the seed is random.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape is not a vector, or a size is negative.
    """
    return _draw_samples(
        "RandomStandardNormal", distributions.normal, xp, shape, dtype, seed, seed2
    )


@op(
    "TruncatedNormal",
    shape=infer_random_shape,
    impure=True,
    no_gradient=True,
    dtypes=FLOATS,
    out="dtype",
)
def random_truncated_normal(
    xp: Any, shape: Shape, *, dtype: Type, seed: int = 0, seed2: int = 0
) -> Any:
    """Draws random numbers from the standard normal distribution, truncated to (-2, 2).

    Args:
        shape: The shape of the result.
        dtype: The dtype of the result.
        seed: A seed.
        seed2: A second seed; if both are 0, the seed is random.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape is not a vector, or a size is negative.
    """
    return _draw_samples("TruncatedNormal", distributions.truncated, xp, shape, dtype, seed, seed2)


@op("RandomUniformInt", shape=drawn_integers, impure=True, dtypes=INTEGERS)
def random_uniform_int(
    xp: Any, shape: Shape, minval: Bound, maxval: Bound, *, seed: int = 0, seed2: int = 0
) -> Any:
    """Draws random integers from the uniform distribution over [minval, maxval).

    Args:
        shape: The shape of the result.
        minval: The inclusive lower bound, a scalar.
        maxval: The exclusive upper bound, a scalar.
        seed: A seed.
        seed2: A second seed; if both are 0, the seed is random.

    Returns:
        A tensor of the bounds' dtype.

    Raises:
        InvalidArgumentError: ``minval`` is not below ``maxval``, or a shape is invalid.
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
    """Raises InvalidArgumentError if the bounds are not scalars."""
    for name, value in (("minval", minval), ("maxval", maxval)):
        if value.ndim:
            raise invalid(f"{name} must be 0-D, got shape {text(value.shape)}")


def checked_bounds(minval: Any, maxval: Any) -> tuple[int, int]:
    """Returns the bounds as Python integers; raises if the lower one is not below the upper one."""
    low, high = int(minval), int(maxval)
    if low >= high:
        raise invalid(f"Need minval < maxval, got {low} >= {high}")
    return low, high


@op("RandomShuffle", impure=True, no_gradient=True, shape=same)
def random_shuffle(xp: Any, value: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Randomly shuffles a tensor along its first dimension.

    Args:
        value: A tensor.
        seed: A seed.
        seed2: A second seed; if both are 0, the seed is random.

    Returns:
        A tensor of the same dtype and shape.
    """
    if value.size <= 1 or len(value) <= 1:
        return value.copy()
    kernel = "RandomShuffle", value.dtype
    stream = seeds.reserve(kernel, (seed, seed2), -(-len(value) // 4))
    return shuffled(xp, stream, value)


def not_accepted(dtype: DType, accepted: tuple[DType, ...]) -> ValueError:
    """Returns the ValueError for an unsupported dtype."""
    return ValueError(
        f"Argument `dtype` got invalid value {dtype}. Accepted dtypes are {accepted}."
    )
