"""Categorical, gamma, Poisson and binomial random numbers: ops and public functions."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import (
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
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, Type, documented, export, op
from twinflow._src.ops.array.shapes import broadcast_to
from twinflow._src.ops.array.shapes import shape as shape_of
from twinflow._src.ops.random.arguments import (
    INTEGERS,
    TEXTS,
    Shape,
    checked_type,
    dims_of,
    not_accepted,
    shape_tensor,
)
from twinflow._src.ops.random.stateless import (
    Key,
    Number,
    Seed,
    key_counter_alg,
    stream_of,
    stream_of_seed,
)
from twinflow._src.ops.special.gamma_slopes import random_gamma_grad
from twinflow._src.random import distributions, gamma_and_poisson
from twinflow._src.random import gamma_and_poisson as binomial
from twinflow._src.random.categorical import draw_categories
from twinflow._src.random.philox import Stream
from twinflow._src.random.seeds import seeds
from twinflow._src.random.streams import for_each
from twinflow._src.shape_rules.values import categories, drawn_by_key, drawn_by_seed, drawn_for_each

# Ops.


_GAMMA_TYPES = frozenset((float16, float32, float64))
COUNT_TYPES = frozenset((float16, float32, float64, int32, int64))
_Rates = Annotated[Any, Kind("R", default=float64, allowed=COUNT_TYPES)]
_PlainRates = Annotated[Any, Kind("Rtype", allowed=COUNT_TYPES)]
Probabilities = Annotated[Any, Kind("T", default=float64, allowed=COUNT_TYPES)]


# ------------------------------------------------------------------ categorical


def _categories(xp: Any, logits: Any, number: Any, dtype: DType, stream_for: Any) -> Any:
    """Draws category indices row by row, by inversion of the cumulative distribution."""
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
    return draw_categories(xp, stream, logits, samples, dtype.np)


@op(
    "Multinomial", shape=categories, impure=True, no_gradient=True, dtypes=REALS, out="output_dtype"
)
def multinomial(
    xp: Any,
    logits: Any,
    num_samples: Number,
    *,
    seed: int = 0,
    seed2: int = 0,
    output_dtype: Type = int64,
) -> Any:
    """Draws samples from categorical (multinomial) distributions."""
    kernel = "Multinomial", logits.dtype, output_dtype
    return _categories(
        xp,
        logits,
        num_samples,
        output_dtype,
        lambda blocks: seeds.reserve(kernel, (seed, seed2), blocks),
    )


multinomial.batched(lambda call: call.folded(0))


@op("StatelessMultinomial", shape=categories, no_gradient=True, dtypes=REALS, out="output_dtype")
def stateless_multinomial(
    xp: Any, logits: Any, num_samples: Number, seed: Seed, *, output_dtype: Type = int64
) -> Any:
    """Draws deterministic samples from categorical distributions, determined by the seed."""
    stream = stream_of_seed(seed)
    return _categories(xp, logits, num_samples, output_dtype, lambda blocks: stream)


# ------------------------------------------------------------------ gamma and Poisson


def _one_by_one(
    xp: Any,
    draw: Any,
    kind: Any,
    stream: Stream,
    rows: int,
    dims: Any,
    dtype: Any,
    *parameters: Any,
) -> Any:
    """Draws ``rows`` numbers for each parameter in turn, and puts the parameters' axes last."""
    numbers = for_each(xp, draw, kind, stream, rows, dtype, *(p.reshape(-1) for p in parameters))
    return xp.ascontiguousarray(numbers.reshape(-1, rows or 1).T).reshape(dims)


def rows_of(dims: tuple[int, ...], inner: tuple[int, ...]) -> int:
    """Returns the number of samples per parameter; raises unless ``dims`` ends with ``inner``."""
    if len(inner) > len(dims) or dims[len(dims) - len(inner) :] != inner:
        raise invalid("Shape passed in must end with broadcasted shape.")
    return math.prod(dims[: len(dims) - len(inner)])


def _gamma(xp: Any, stream: Stream, rows: int, dims: Any, alpha: Any) -> Any:
    wide = np.promote_types(
        alpha.dtype, np.float32
    )  # as in TensorFlow, 16-bit floats are drawn in float32
    return _one_by_one(
        xp, gamma_and_poisson.gamma, gamma_and_poisson.Gamma, stream, rows, dims, wide, alpha
    ).astype(alpha.dtype, copy=False)


@op("RandomGamma", shape=drawn_for_each, impure=True, dtypes=_GAMMA_TYPES)
def random_gamma(xp: Any, shape: Shape, alpha: Any, *, seed: int = 0, seed2: int = 0) -> Any:
    """Draws random numbers from gamma distributions of rate 1."""
    shown = f": Tensor<type: {shape.dtype} shape: {text(shape.shape)} values: {{}}>"
    dims = dims_of(shape, shown.replace("{}", " ".join(map(str, shape.reshape(-1).tolist()))))
    rows = math.prod(dims)
    kernel = "RandomGamma", shape.dtype, alpha.dtype
    stream = seeds.reserve(kernel, (seed, seed2), rows * alpha.size * distributions.ROOM)
    return _gamma(xp, stream, rows, dims + alpha.shape, alpha)


random_gamma.batched(lambda call: call.run(call.with_first(0, call.size), call.shared(1)))


@random_gamma.gradient
def _(call: Call, dy: Any) -> Any:
    alpha = call.inputs[1]
    return None, unbroadcast(dy * random_gamma_grad(alpha, call.outputs), alpha)


@op("StatelessRandomGammaV3", shape=drawn_by_key, dtypes=_GAMMA_TYPES)
def stateless_random_gamma(
    xp: Any, shape: Shape, key: Key, counter: Key, alg: Number, alpha: Any
) -> Any:
    """Draws random numbers from gamma distributions of rate 1, from a key and a counter."""
    dims = dims_of(shape)
    rows, stream = rows_of(dims, alpha.shape), stream_of(key, counter, alg)
    return _gamma(xp, stream, rows, dims, alpha)


@stateless_random_gamma.gradient
def _(call: Call, dy: Any) -> Any:
    alpha = call.inputs[4]
    slope = unbroadcast(dy * random_gamma_grad(alpha, call.outputs), alpha)
    return None, None, None, None, slope


def _poisson(xp: Any, stream: Stream, rows: int, dims: Any, rate: Any, dtype: DType) -> Any:
    highest = float(dtype.max)

    def draw(xp: Any, make: Any, p: Any) -> Any:
        return gamma_and_poisson.poisson(xp, make, p, highest)

    return _one_by_one(xp, draw, gamma_and_poisson.Poisson, stream, rows, dims, dtype.np, rate)


@op(
    "RandomPoissonV2",
    shape=drawn_for_each,
    impure=True,
    dtypes=COUNT_TYPES,
    out="dtype",
)
def random_poisson(
    xp: Any, shape: Shape, rate: _Rates, *, seed: int = 0, seed2: int = 0, dtype: Type = int64
) -> Any:
    """Draws random numbers from Poisson distributions."""
    dims = dims_of(shape)
    rows = math.prod(dims)
    kernel = "RandomPoissonV2", shape.dtype, rate.dtype, dtype
    stream = seeds.reserve(kernel, (seed, seed2), rows * rate.size * distributions.ROOM)
    return _poisson(xp, stream, rows, dims + rate.shape, rate, dtype)


random_poisson.batched(lambda call: call.run(call.with_first(0, call.size), call.shared(1)))


@op(
    "StatelessRandomPoisson", shape=drawn_by_seed, no_gradient=True, dtypes=COUNT_TYPES, out="dtype"
)
def stateless_random_poisson(
    xp: Any, shape: Shape, seed: Seed, lam: _PlainRates, *, dtype: Type
) -> Any:
    """Draws deterministic random numbers from Poisson distributions, determined by the seed."""
    stream, dims = stream_of_seed(seed), dims_of(shape)
    return _poisson(xp, stream, rows_of(dims, lam.shape), dims, lam, dtype)


def binomial_numbers(
    xp: Any, stream: Stream, dims: tuple[int, ...], counts: Any, probs: Any, dtype: DType
) -> Any:
    """Returns binomial samples of a shape that ends with that of the parameters."""
    inner = np.broadcast_shapes(counts.shape, probs.shape)
    parameters = [xp.broadcast_to(p, inner) for p in (counts, probs)]
    rows = rows_of(dims, inner)
    count, probability = parameters
    fewer = xp.where(probability > 0.5, 1 - probability, probability).astype(probability.dtype)
    return _one_by_one(
        xp,
        binomial.binomial,
        binomial.Binomial,
        stream,
        rows,
        dims,
        dtype.np,
        *parameters,
        count * fewer,
    )


@op(
    "StatelessRandomBinomial",
    shape=drawn_by_seed,
    no_gradient=True,
    dtypes=COUNT_TYPES,
    out="dtype",
)
def stateless_random_binomial(
    xp: Any,
    shape: Shape,
    seed: Seed,
    counts: Probabilities,
    probs: Probabilities,
    *,
    dtype: Type = int64,
) -> Any:
    """Draws deterministic random numbers from binomial distributions, determined by the seed."""
    stream, dims = stream_of_seed(seed), dims_of(shape)
    return binomial_numbers(xp, stream, dims, counts, probs, dtype)


# Public functions.


def _category_type(dtype: Any) -> DType:
    result = as_dtype(dtype) if dtype else int64
    if result not in INTEGERS:
        raise not_accepted(result, (int32, int64))
    return result


@export("random.categorical")
@documented(
    TEXTS,
    "Draws samples from categorical distributions.",
    "A matrix of class indices, of shape [rows, num_samples].",
    {
        "InvalidArgumentError": "A shape is invalid, or ``num_samples`` is negative.",
        "ValueError": "The dtype is invalid.",
    },
    dtype="int32 or int64; int64 if None.",
    seed="An op seed, an integer; if None, it is derived from the global seed.",
)
def categorical(
    logits: Any, num_samples: Any, dtype: Any = None, seed: Any = None, name: str | None = None
) -> Any:
    logits = convert_to_tensor(logits, name="logits")
    dtype = _category_type(dtype)
    first, second = seeds.of_op(seed)
    return multinomial(logits, num_samples, seed=first, seed2=second, output_dtype=dtype)


@export("random.stateless_categorical")
@documented(
    TEXTS,
    "Draws deterministic samples from categorical distributions, determined by the seed.",
    "A matrix of class indices, of shape [rows, num_samples].",
    {
        "InvalidArgumentError": "A shape is invalid, or ``num_samples`` is negative.",
        "ValueError": "The dtype is invalid.",
    },
    dtype="int32 or int64.",
)
def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = int64, name: str | None = None
) -> Any:
    logits = convert_to_tensor(logits, name="logits")
    return stateless_multinomial(logits, num_samples, seed, output_dtype=_category_type(dtype))


def _broadcast(alpha: Any, beta: Any) -> Any:
    shape = API["broadcast_dynamic_shape"](shape_of(alpha), shape_of(beta))
    return broadcast_to(alpha, shape)


def _smallest(dtype: DType) -> Any:
    """Returns the smallest normal number of a dtype, the lower bound of gamma samples."""
    if dtype is bfloat16:
        raise ValueError(f"data type {dtype.np.type!r} not inexact")
    return np.finfo(dtype.np).tiny


@export("random.gamma")
@documented(
    TEXTS,
    "Draws random numbers from gamma distributions.",
    "A tensor of the given shape followed by that of the parameters.",
    {
        "InvalidArgumentError": "The shape is invalid.",
        "TypeError": "A parameter cannot be converted to the dtype.",
    },
    shape="The shape of the samples for each pair of parameters.",
    dtype="A floating-point dtype.",
    seed="An op seed, an integer; if None, it is derived from the global seed.",
)
def gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = float32,
    seed: Any = None,
    name: str | None = None,
) -> Any:
    shape = convert_to_tensor(shape, dtype=int32, name="shape")
    alpha = convert_to_tensor(alpha, dtype=dtype, name="alpha")
    beta = convert_to_tensor(1 if beta is None else beta, dtype=dtype, name="beta")
    spread = _broadcast(alpha, beta)
    first, second = seeds.of_op(seed)
    numbers = random_gamma(shape, spread, seed=first, seed2=second) / beta
    return API["maximum"](_smallest(alpha.dtype), numbers)


@export("random.stateless_gamma")
@documented(
    TEXTS,
    "Draws deterministic random numbers from gamma distributions, determined by the seed.",
    "A tensor.",
    {
        "InvalidArgumentError": "The shape or the seed is invalid.",
        "TypeError": "A parameter cannot be converted to the dtype.",
    },
    shape="The shape of the result; it ends with that of the parameters.",
    dtype="A floating-point dtype.",
)
def stateless_gamma(
    shape: Any,
    seed: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = float32,
    name: str | None = None,
) -> Any:
    shape = shape_tensor(shape)
    alpha = convert_to_tensor(alpha, dtype=dtype, name="alpha")
    beta = convert_to_tensor(1 if beta is None else beta, dtype=dtype, name="beta")
    spread = _broadcast(alpha, beta)
    numbers = stateless_random_gamma(shape, *key_counter_alg(seed, "auto_select"), spread) / beta
    return API["maximum"](_smallest(alpha.dtype), numbers)


@export("random.poisson")
@documented(
    TEXTS,
    "Draws random numbers from Poisson distributions.",
    "A tensor of the given shape followed by that of the rates.",
    {"InvalidArgumentError": "The shape or the dtype is invalid."},
    shape="The shape of the samples for each rate.",
    dtype="float16, float32, float64, int32 or int64.",
    seed="An op seed, an integer; if None, it is derived from the global seed.",
)
def poisson(
    shape: Any, lam: Any, dtype: Any = float32, seed: Any = None, name: str | None = None
) -> Any:
    shape = convert_to_tensor(shape, dtype=int32, name="shape")
    first, second = seeds.of_op(seed)
    dtype = checked_type("RandomPoissonV2", dtype, COUNT_TYPES)
    return random_poisson(shape, lam, seed=first, seed2=second, dtype=dtype)


@export("random.stateless_poisson")
@documented(
    TEXTS,
    "Draws deterministic random numbers from Poisson distributions, determined by the seed.",
    "A tensor.",
    {"InvalidArgumentError": "The shape, the seed or the dtype is invalid."},
    shape="The shape of the result; it ends with that of the rates.",
    dtype="float16, float32, float64, int32 or int64.",
)
def stateless_poisson(
    shape: Any, seed: Any, lam: Any, dtype: Any = int32, name: str | None = None
) -> Any:
    dtype = checked_type("StatelessRandomPoisson", dtype, COUNT_TYPES)
    return stateless_random_poisson(shape_tensor(shape), seed, lam, dtype=dtype)


@export("random.stateless_binomial")
@documented(
    TEXTS,
    "Draws deterministic random numbers from binomial distributions, determined by the seed.",
    "A tensor.",
    {"InvalidArgumentError": "The shape, the seed or the dtype is invalid."},
    shape="The shape of the result; it ends with that of the parameters.",
    probs="The probabilities of success, which broadcast with the numbers of trials.",
    output_dtype="float16, float32, float64, int32 or int64.",
)
def stateless_binomial(
    shape: Any,
    seed: Any,
    counts: Any,
    probs: Any,
    output_dtype: Any = int32,
    name: str | None = None,
) -> Any:
    shape = shape_tensor(shape)
    probs = convert_to_tensor(probs, dtype_hint=float32, name="probs")
    counts = convert_to_tensor(counts, dtype_hint=probs.dtype, name="counts")
    dtype = checked_type("StatelessRandomBinomial", output_dtype, COUNT_TYPES)
    return stateless_random_binomial(shape, seed, counts, probs, dtype=dtype)
