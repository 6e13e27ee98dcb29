"""Shape inference for ops that draw random numbers."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.shapes import Dims, refused, text
from twinflow._src.shape_rules.demands import (
    at_least,
    concat_shapes,
    merged,
    ranked,
    size_value,
    sized,
    sizes_value,
    value_dims,
    vector,
)


def infer_random_shape(shape: Any, *_: Any, **__: Any) -> Dims | None:
    """Infers the output shape from the first input, for most random ops."""
    return sizes_value(shape)


def drawn_integers(shape: Any, *inputs: Any, **_: Any) -> Dims | None:
    """Infers the output shape of ops that draw integers between bounds, the last two inputs."""
    for name, value in zip(("minval", "maxval"), inputs[-2:], strict=True):
        dims = value_dims(value)
        if dims:
            raise refused(f"{name} must be a scalar; got a tensor of shape {text(dims)}")
    return sizes_value(shape)


def drawn_by_key(shape: Any, key: Any, counter: Any, alg: Any, *_: Any, **__: Any) -> Dims | None:
    """Infers the output shape of ops that draw from a key and a counter."""
    sized(vector(value_dims(key)), 1), vector(value_dims(counter))
    ranked(value_dims(alg), 0)
    return sizes_value(shape)


def drawn_by_seed(shape: Any, seed: Any, *_: Any, **__: Any) -> Dims | None:
    """Infers the output shape of ops that draw from a seed."""
    sized(vector(value_dims(seed)), 2)
    return sizes_value(shape)


def drawn_from(state: Dims | None, algorithm: Any, shape: Any, *_: Any, **__: Any) -> Dims | None:
    """Infers the output shape of ops that draw from the state of a generator."""
    return sizes_value(shape)


def drawn_for_each(shape: Any, parameters: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ops that draw an array of samples per parameter."""
    return concat_shapes(sizes_value(shape), parameters)


def categories(logits: Dims | None, number: Any, seed: Any = None, **_: Any) -> Dims | None:
    """Infers the output shape of ops that draw categories, with or without a seed."""
    if seed is not None:
        sized(vector(value_dims(seed)), 2)
    ranked(value_dims(number), 0)
    return ranked(logits, 2)[0], size_value(number, 1)


def key_and_counter(seed: Any, **_: Any) -> list[Dims | None]:
    """Infers the output shapes of the op that derives a key and a counter from a seed."""
    sized(vector(value_dims(seed)), 2)
    return [(1,), (2,)]


def advanced(state: Dims | None, algorithm: Any, delta: Any, **_: Any) -> Dims | None:
    """Infers the output shape of ``RngReadAndSkip``: the previous state of a generator."""
    ranked(value_dims(algorithm), 0), ranked(value_dims(delta), 0)
    return (3,)


def shuffled_index(index: Any, seed: Any, max_index: Any, **_: Any) -> Dims | None:
    """Infers the output shape of ``RandomIndexShuffle``: a vector if an input is batched."""
    seeds, places, limits = (value_dims(value) for value in (seed, index, max_index))
    at_least(seeds, 1)
    if seeds is not None and seeds[-1] not in (3, None):
        raise refused(f"Seed must have shape [3] or [n, 3] but got {text(seeds)}.")
    batches = [places, None if seeds is None else seeds[:-1], limits]
    vectors = [dims for dims in batches if dims]
    if not vectors:
        return None if None in batches else ()
    for dims in vectors[1:]:
        if dims != vectors[0] and None not in (dims[0], vectors[0][0]):
            what = "Max index" if dims is limits else "Seed"
            raise refused(f"{what} has shape {text(dims)} but must have shape {text(vectors[0])}.")
    result = vectors[0]
    for dims in vectors[1:]:
        result = merged(result, dims) or result
    return result
