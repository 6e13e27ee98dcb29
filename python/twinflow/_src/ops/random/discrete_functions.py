"""Categories, gamma, Poisson and binomial numbers as programs ask for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import DType, as_dtype, bfloat16, float32, int32, int64
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.array.shapes import broadcast_to
from twinflow._src.ops.array.shapes import shape as shape_of
from twinflow._src.ops.random.discrete import (
    COUNT_TYPES,
    multinomial,
    random_gamma,
    random_poisson,
    stateless_multinomial,
    stateless_random_binomial,
    stateless_random_gamma,
    stateless_random_poisson,
)
from twinflow._src.ops.random.stateful import INTEGERS, checked_type, not_accepted, shape_tensor
from twinflow._src.ops.random.stateless_functions import key_counter_alg
from twinflow._src.random.seeds import seeds


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
    dtype = checked_type("RandomPoissonV2", dtype, COUNT_TYPES)
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
    dtype = checked_type("StatelessRandomPoisson", dtype, COUNT_TYPES)
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
    dtype = checked_type("StatelessRandomBinomial", output_dtype, COUNT_TYPES)
    return stateless_random_binomial(shape, seed, counts, probs, dtype=dtype)
