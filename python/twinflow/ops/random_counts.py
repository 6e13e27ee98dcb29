"""Random numbers of other distributions: categories, gamma, Poisson and binomial numbers."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from .. import distributions, rejection
from ..constant import convert_to_tensor
from ..dtypes import (
    REALS,
    DType,
    as_dtype,
    bfloat16,
    float16,
    float32,
    float64,
    int32,
    int64,
)
from ..errors import invalid
from ..op import API, Kind, Type, export, op
from ..philox import Stream
from ..randomness import seeds
from ..shapes import text
from .array import broadcast_to
from .array import shape as shape_of
from .random import INTEGERS, Shape, checked_type, dims_of, not_accepted, shape_tensor
from .random_stateless import Key, Number, Seed, _stream, key_counter_alg, stream_of_seed

_GAMMA_TYPES = frozenset((float16, bfloat16, float32, float64))
_COUNT_TYPES = frozenset((float16, float32, float64, int32, int64))
_Rates = Annotated[Any, Kind("R", default=float64, allowed=_COUNT_TYPES)]
_Probabilities = Annotated[Any, Kind("T", default=float64, allowed=_COUNT_TYPES)]


# ------------------------------------------------------------------ categories


def _categories(xp: Any, logits: Any, number: Any, dtype: DType, stream_for: Any) -> Any:
    """Categories by the inverse of the distribution function, row by row."""
    if logits.ndim != 2:
        raise invalid(f"logits should be a matrix, got shape {text(logits.shape)}")
    if number.ndim:
        raise invalid(f"num_samples should be a scalar, got shape {text(number.shape)}")
    (rows, classes), samples = logits.shape, int(number)
    if samples < 0:
        raise invalid(f"num_samples should be non-negative, got {samples}")
    if rows and classes <= 0:
        raise invalid(f"num_classes should be positive, got {classes}")
    if not rows or not samples:
        return xp.zeros((rows, samples), dtype.np)
    stream = stream_for(rows * 2 * (-(-samples // 4) * 4) * distributions.ROOM)
    uniform = distributions.uniform(xp, stream, rows * samples, np.float64)
    sums = _cumulated(xp, logits)
    return _upper_bounds(xp, sums, uniform.reshape(rows, samples) * sums[:, -1:]).astype(dtype.np)


def _cumulated(xp: Any, logits: Any) -> Any:
    """Sums of the weights of the categories up to each one; what is not finite weighs nothing."""
    wide = logits.astype(np.float64)
    finite = xp.isfinite(wide)
    lowest = float(np.finfo(np.float32 if logits.dtype.itemsize < 8 else np.float64).min)
    highest = xp.max(xp.where(finite, wide, lowest), axis=1, keepdims=True)
    return xp.cumsum(xp.where(finite, xp.exp(wide - highest), 0.0), axis=1)


def _upper_bounds(xp: Any, sums: Any, values: Any) -> Any:
    """How many sums of its row each value has reached, by halving."""
    low = xp.zeros(values.shape, np.int64)
    high = xp.full(values.shape, sums.shape[1], np.int64)
    for _ in range(sums.shape[1].bit_length()):
        middle = (low + high) >> 1
        inside = middle < high
        reached = xp.take_along_axis(sums, xp.minimum(middle, sums.shape[1] - 1), axis=1) <= values
        low = xp.where(inside & reached, middle + 1, low)
        high = xp.where(inside & ~reached, middle, high)
    return low


@op("Multinomial", impure=True, no_gradient=True, dtypes=REALS, out="output_dtype")
def multinomial(
    xp: Any,
    logits: Any,
    num_samples: Number,
    *,
    seed: int = 0,
    seed2: int = 0,
    output_dtype: Type = int64,
) -> Any:
    """Returns random categories.

    Args:
        logits: A matrix: a row of unnormalised logarithms of probabilities for each result row.
        num_samples: How many categories to draw for each row.
        seed: A seed.
        seed2: A second seed; where both are 0, any categories come.
        output_dtype: The type of the result.

    Returns:
        A matrix of indices.

    Raises:
        InvalidArgumentError: A shape is wrong, or the number is negative.
    """
    kernel = "Multinomial", logits.dtype, output_dtype
    return _categories(
        xp,
        logits,
        num_samples,
        output_dtype,
        lambda blocks: seeds.reserve(kernel, (seed, seed2), blocks),
    )


@op("StatelessMultinomial", no_gradient=True, dtypes=REALS, out="output_dtype")
def stateless_multinomial(
    xp: Any, logits: Any, num_samples: Number, seed: Seed, *, output_dtype: Type = int64
) -> Any:
    """Returns random categories that depend on the seed only.

    Args:
        logits: A matrix: a row of unnormalised logarithms of probabilities for each result row.
        num_samples: How many categories to draw for each row.
        seed: Two integers.
        output_dtype: The type of the result.

    Returns:
        A matrix of indices.

    Raises:
        InvalidArgumentError: A shape is wrong, or the number is negative.
    """
    stream = stream_of_seed(seed)
    return _categories(xp, logits, num_samples, output_dtype, lambda blocks: stream)


def _category_type(dtype: Any) -> DType:
    found = as_dtype(dtype) if dtype else int64
    if found not in INTEGERS:
        raise not_accepted(found, (int32, int64))
    return found


@export("random.categorical")
def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    """Returns random categories.

    Args:
        logits: A matrix: a row of unnormalised logarithms of probabilities for each result row.
        num_samples: How many categories to draw for each row.
        dtype: int32 or int64; int64 where None.
        seed: An integer; where None, one is derived from the global seed.
        name: A name for the operation.

    Returns:
        A matrix of indices.

    Raises:
        InvalidArgumentError: A shape is wrong, or the number is negative.
        ValueError: The type cannot be.
    """
    logits = convert_to_tensor(logits, name="logits")
    dtype = _category_type(dtype)
    first, second = seeds.of_op(seed)
    return multinomial(logits, num_samples, seed=first, seed2=second, output_dtype=dtype)


@export("random.stateless_categorical")
def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = int64, name: str | None = None
) -> Any:
    """Returns random categories that depend on the seed only.

    Args:
        logits: A matrix: a row of unnormalised logarithms of probabilities for each result row.
        num_samples: How many categories to draw for each row.
        seed: Two integers.
        dtype: int32 or int64.
        name: A name for the operation.

    Returns:
        A matrix of indices.

    Raises:
        InvalidArgumentError: A shape is wrong, or the number is negative.
        ValueError: The type cannot be.
    """
    logits = convert_to_tensor(logits, name="logits")
    return stateless_multinomial(logits, num_samples, seed, output_dtype=_category_type(dtype))


# ------------------------------------------------------------------ gamma and Poisson numbers


def _one_by_one(xp: Any, draw: Any, stream: Stream, rows: int, dims: Any, *parameters: Any) -> Any:
    """Numbers for each of the parameters in turn, ``rows`` of each, as rows of the result."""
    vectors = [xp.repeat(p.reshape(-1).astype(np.float64), rows) for p in parameters]
    size = vectors[0].size
    found = draw(xp, stream, *vectors)
    return xp.ascontiguousarray(found.reshape(size // rows if rows else 0, rows).T).reshape(dims)


def _rows(dims: tuple[int, ...], inner: tuple[int, ...]) -> int:
    """How many numbers a result of a shape has for each of its parameters."""
    if len(inner) > len(dims) or dims[len(dims) - len(inner) :] != inner:
        raise invalid("Shape passed in must end with broadcasted shape.")
    return math.prod(dims[: len(dims) - len(inner)])


def _as_type(xp: Any, numbers: Any, dtype: Any) -> Any:
    return numbers.astype(dtype)


@op("RandomGamma", impure=True, no_gradient=True, dtypes=_GAMMA_TYPES)
def random_gamma(xp: Any, shape: Shape, alpha: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Returns random numbers from gamma distributions of rate 1.

    Args:
        shape: The shape of what is drawn for each parameter.
        alpha: The shape parameters.
        seed: A seed.
        seed2: A second seed; where both are 0, any numbers come.

    Returns:
        A tensor of the shape, followed by that of the parameters.

    Raises:
        InvalidArgumentError: The shape cannot be.
    """
    shown = f": Tensor<type: {shape.dtype} shape: {text(shape.shape)} values: {{}}>"
    dims = dims_of(shape, shown.replace("{}", " ".join(map(str, shape.reshape(-1).tolist()))))
    rows = math.prod(dims)
    kernel = "RandomGamma", shape.dtype, alpha.dtype
    stream = seeds.reserve(kernel, (seed, seed2), rows * alpha.size * distributions.ROOM)
    full = dims + alpha.shape
    return _one_by_one(xp, rejection.gamma, stream, rows, full, alpha).astype(alpha.dtype)


@op("StatelessRandomGammaV3", no_gradient=True, dtypes=_GAMMA_TYPES)
def stateless_random_gamma(
    xp: Any, shape: Shape, key: Key, counter: Key, alg: Number, alpha: Any
) -> Any:
    """Returns random numbers from gamma distributions of rate 1, of a key and a counter.

    Args:
        shape: The shape of the result; it ends with that of the parameters.
        key: The key, one uint64.
        counter: The counter, two uint64.
        alg: The number of the algorithm.
        alpha: The shape parameters.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape, the key or the counter cannot be.
    """
    dims = dims_of(shape)
    rows, stream = _rows(dims, alpha.shape), _stream(key, counter, alg)
    return _one_by_one(xp, rejection.gamma, stream, rows, dims, alpha).astype(alpha.dtype)


def _poisson(xp: Any, stream: Stream, rows: int, dims: Any, rate: Any, dtype: DType) -> Any:
    highest = float(dtype.max)

    def draw(xp: Any, stream: Stream, rates: Any) -> Any:
        return rejection.poisson(xp, stream, rates, highest)

    return _one_by_one(xp, draw, stream, rows, dims, rate).astype(dtype.np)


@op("RandomPoissonV2", impure=True, no_gradient=True, dtypes=_COUNT_TYPES, out="dtype")
def random_poisson(
    xp: Any, shape: Shape, rate: _Rates, *, seed: int = 0, seed2: int = 0, dtype: Type = int64
) -> Any:
    """Returns random numbers from Poisson distributions.

    Args:
        shape: The shape of what is drawn for each rate.
        rate: The rates.
        seed: A seed.
        seed2: A second seed; where both are 0, any numbers come.
        dtype: The type of the result.

    Returns:
        A tensor of the shape, followed by that of the rates.

    Raises:
        InvalidArgumentError: The shape cannot be.
    """
    dims = dims_of(shape)
    rows = math.prod(dims)
    kernel = "RandomPoissonV2", shape.dtype, rate.dtype, dtype
    stream = seeds.reserve(kernel, (seed, seed2), rows * rate.size * distributions.ROOM)
    return _poisson(xp, stream, rows, dims + rate.shape, rate, dtype)


@op("StatelessRandomPoisson", no_gradient=True, dtypes=_COUNT_TYPES, out="dtype")
def stateless_random_poisson(xp: Any, shape: Shape, seed: Seed, lam: _Rates, *, dtype: Type) -> Any:
    """Returns random numbers from Poisson distributions that depend on the seed only.

    Args:
        shape: The shape of the result; it ends with that of the rates.
        seed: Two integers.
        lam: The rates.
        dtype: The type of the result.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape or the seed cannot be.
    """
    stream, dims = stream_of_seed(seed), dims_of(shape)
    return _poisson(xp, stream, _rows(dims, lam.shape), dims, lam, dtype)


def binomial_numbers(
    xp: Any, stream: Stream, dims: tuple[int, ...], counts: Any, probs: Any, dtype: DType
) -> Any:
    """Binomial numbers of a shape that ends with that of the parameters."""
    inner = np.broadcast_shapes(counts.shape, probs.shape)
    parameters = [xp.broadcast_to(p, inner) for p in (counts, probs)]
    rows = _rows(dims, inner)
    found = _one_by_one(xp, rejection.binomial, stream, rows, dims, *parameters)
    return found.astype(dtype.np)


@op("StatelessRandomBinomial", no_gradient=True, dtypes=_COUNT_TYPES, out="dtype")
def stateless_random_binomial(
    xp: Any,
    shape: Shape,
    seed: Seed,
    counts: _Probabilities,
    probs: _Probabilities,
    *,
    dtype: Type = int64,
) -> Any:
    """Returns random numbers from binomial distributions that depend on the seed only.

    Args:
        shape: The shape of the result; it ends with that of the parameters.
        seed: Two integers.
        counts: The numbers of trials.
        probs: The probabilities of success.
        dtype: The type of the result.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape or the seed cannot be.
    """
    stream, dims = stream_of_seed(seed), dims_of(shape)
    return binomial_numbers(xp, stream, dims, counts, probs, dtype)


# ------------------------------------------------------------------ what programs call


def _broadcast(alpha: Any, beta: Any) -> Any:
    shape = API["broadcast_dynamic_shape"](shape_of(alpha), shape_of(beta))
    return broadcast_to(alpha, shape)


def _smallest(dtype: DType) -> Any:
    """The smallest normal number of a type: what a gamma number is at least."""
    if dtype is bfloat16:
        raise ValueError(f"data type {dtype.np.type!r} not inexact")
    return np.finfo(dtype.np).tiny


@export("random.gamma")
def gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    """Returns random numbers from gamma distributions.

    Args:
        shape: The shape of what is drawn for each pair of parameters.
        alpha: The shape parameters.
        beta: The rates, which broadcast with the shape parameters; 1 where None.
        dtype: A floating point type.
        seed: An integer; where None, one is derived from the global seed.
        name: A name for the operation.

    Returns:
        A tensor of the shape, followed by that of the parameters.

    Raises:
        InvalidArgumentError: The shape cannot be.
        TypeError: A parameter does not fit the type.
    """
    shape = convert_to_tensor(shape, dtype=int32, name="shape")
    alpha = convert_to_tensor(alpha, dtype=dtype, name="alpha")
    beta = convert_to_tensor(1 if beta is None else beta, dtype=dtype, name="beta")
    spread = _broadcast(alpha, beta)
    first, second = seeds.of_op(seed)
    numbers = random_gamma(shape, spread, seed=first, seed2=second) / beta
    return API["maximum"](_smallest(alpha.dtype), numbers)


@export("random.stateless_gamma")
def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Any:
    """Returns random numbers from gamma distributions that depend on the seed only.

    Args:
        shape: The shape of the result; it ends with that of the parameters.
        seed: Two integers.
        alpha: The shape parameters.
        beta: The rates, which broadcast with the shape parameters; 1 where None.
        dtype: A floating point type.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape or the seed cannot be.
        TypeError: A parameter does not fit the type.
    """
    shape = shape_tensor(shape)
    alpha = convert_to_tensor(alpha, dtype=dtype, name="alpha")
    beta = convert_to_tensor(1 if beta is None else beta, dtype=dtype, name="beta")
    spread = _broadcast(alpha, beta)
    numbers = stateless_random_gamma(shape, *key_counter_alg(seed, "auto_select"), spread) / beta
    return API["maximum"](_smallest(alpha.dtype), numbers)


@export("random.poisson")
def poisson(
    shape: Any, lam: Any, dtype: Any = float32, seed: Any = None, name: str | None = None
) -> Any:
    """Returns random numbers from Poisson distributions.

    Args:
        shape: The shape of what is drawn for each rate.
        lam: The rates.
        dtype: float16, float32, float64, int32 or int64.
        seed: An integer; where None, one is derived from the global seed.
        name: A name for the operation.

    Returns:
        A tensor of the shape, followed by that of the rates.

    Raises:
        InvalidArgumentError: The shape or the type cannot be.
    """
    shape = convert_to_tensor(shape, dtype=int32, name="shape")
    first, second = seeds.of_op(seed)
    dtype = checked_type("RandomPoissonV2", dtype, _COUNT_TYPES)
    return random_poisson(shape, lam, seed=first, seed2=second, dtype=dtype)


@export("random.stateless_poisson")
def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = int32, name: str | None = None
) -> Any:
    """Returns random numbers from Poisson distributions that depend on the seed only.

    Args:
        shape: The shape of the result; it ends with that of the rates.
        seed: Two integers.
        lam: The rates.
        dtype: float16, float32, float64, int32 or int64.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape, the seed or the type cannot be.
    """
    dtype = checked_type("StatelessRandomPoisson", dtype, _COUNT_TYPES)
    return stateless_random_poisson(shape_tensor(shape), seed, lam, dtype=dtype)


@export("random.stateless_binomial")
def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = int32,
    name: str | None = None,
) -> Any:
    """Returns random numbers from binomial distributions that depend on the seed only.

    Args:
        shape: The shape of the result; it ends with that of the parameters.
        seed: Two integers.
        counts: The numbers of trials.
        probs: The probabilities of success, which broadcast with the numbers of trials.
        output_dtype: float16, float32, float64, int32 or int64.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The shape, the seed or the type cannot be.
    """
    shape = shape_tensor(shape)
    probs = convert_to_tensor(probs, dtype_hint=float32, name="probs")
    counts = convert_to_tensor(counts, dtype_hint=probs.dtype, name="counts")
    dtype = checked_type("StatelessRandomBinomial", output_dtype, _COUNT_TYPES)
    return stateless_random_binomial(shape, seed, counts, probs, dtype=dtype)
