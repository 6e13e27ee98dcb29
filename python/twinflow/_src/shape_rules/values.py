"""Shape inference for ops that fill, count, compare, search, reorder and draw values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.core.shapes import Dims, broadcast, refused, text
from twinflow._src.shape_rules.demands import (
    at_least,
    at_most,
    concat_shapes,
    flatten_known,
    merged,
    merged_all,
    merged_size,
    ranked,
    scalar_value,
    size_value,
    sized,
    sizes_value,
    value_dims,
    vector,
)

# ------------------------------------------------------------------ creation


def filled(dims: Any, value: Dims | None) -> Dims | None:
    """Infers the output shape of ``Fill``."""
    vector(value_dims(dims)), ranked(value, 0)
    result = sizes_value(dims)
    if min(flatten_known(dims) or (), default=0) < 0:
        raise refused("Fill dimensions must be >= 0")
    return result


def ranged(start: Any, limit: Any, delta: Any) -> Dims | None:
    """Infers the output shape of ``Range``."""
    for name, value in (("start", start), ("limit", limit), ("delta", delta)):
        try:
            ranked(value_dims(value), 0)
        except InvalidArgumentError as error:
            raise refused(f"{error}\n\t for '{name}'") from None
    if not all(isinstance(value, np.ndarray) for value in (start, limit, delta)):
        return (None,)
    first, last, step = start[()], limit[()], delta[()]
    if step == 0:
        raise refused("Requires delta != 0")
    if (first > last) if step > 0 else (first < last):
        order, sign = ("<=", ">") if step > 0 else (">=", "<")
        raise refused(f"Requires start {order} limit when delta {sign} 0: {first}/{last}")
    if start.dtype.kind == "i":
        return (len(range(int(first), int(last), int(step))),)
    return (max(0, math.ceil(abs((float(last) - float(first)) / float(step)))),)


# ------------------------------------------------------------------ shapes as values


def shape_vector(input: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ``Shape``."""
    return (None if input is None else len(input),)


def shape_vectors(input: tuple[Dims | None, ...], **_: Any) -> list[Dims | None]:
    """Infers the output shape of ``ShapeN``."""
    return [shape_vector(dims) for dims in input]


def broadcast_args(s0: Any, s1: Any) -> Dims | None:
    """Infers the output shape of ``BroadcastArgs``."""
    a, b = vector(value_dims(s0)), vector(value_dims(s1))
    return (None if a is None or b is None else max(a, b),)


def ensured(input: Dims | None, *, shape: Any) -> Dims | None:
    """Infers the output shape of ``EnsureShape``."""
    dims = getattr(shape, "_dims", shape)
    return input if dims is None else merged(dims, ranked(input, len(dims)))


def unravelled(indices: Dims | None, dims: Any) -> Dims | None:
    """Infers the output shape of ``UnravelIndex``."""
    count = vector(value_dims(dims))
    if indices is None:
        return None
    return (count,) if not indices else (count, math.prod(indices) if None not in indices else None)  # type: ignore[arg-type]


# ------------------------------------------------------------------ inputs of one shape


def all_same(inputs: tuple[Dims | None, ...], **_: Any) -> Dims | None:
    """Infers the output shape of ops on tensors of one shape."""
    return merged_all(inputs)


def same_or_scalar(*shapes: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ops whose inputs have one shape or are scalars."""
    result: Dims | None = ()
    for dims in shapes:
        if dims == ():
            continue
        result = dims if result == () else merged(result, dims)
    return result


def joined_strings(inputs: tuple[Dims | None, ...], **_: Any) -> Dims | None:
    """Infers the output shape of ``StringJoin``."""
    return same_or_scalar(*inputs)


def substrings(input: Dims | None, pos: Dims | None, length: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ``Substr``."""
    if pos is None:
        return None
    if length is not None:
        ranked(pos, len(length))
    try:
        # TensorFlow also rejects dimensions of which one is unknown.
        where = merged(pos, length)
    except InvalidArgumentError:
        raise refused(f"pos and len shapes must match: {text(pos)} vs. {text(length)}") from None
    return broadcast(input, where)


# ------------------------------------------------------------------ vectors


def distinct(x: Dims | None, **_: Any) -> list[Dims | None]:
    """Infers the output shape of ``Unique``."""
    return [(None,), None if x is None else ranked(x, 1)]


def distinct_counted(x: Dims | None, **_: Any) -> list[Dims | None]:
    """Infers the output shape of ``UniqueWithCounts``."""
    return [(None,), x, (None,)]


def different(x: Dims | None, y: Dims | None, **_: Any) -> list[Dims | None]:
    """Infers the output shape of ``ListDiff``."""
    vector(x), vector(y)
    return [(None,), (None,)]


def places(condition: Dims | None) -> Dims | None:
    """Infers the output shape of ``Where``."""
    return (None, None if condition is None else len(condition))


def counts(input: Dims | None, size: Any, weights: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ``DenseBincount``."""
    at_most(input, 2)
    number = scalar_value(size)
    if number is not None and number < 0:
        raise refused(f"size ({number}) must be non-negative")
    return None if input is None else (*input[:-1], number)


def histogram(values: Dims | None, value_range: Any, nbins: Any, **_: Any) -> Dims | None:
    """Infers the output shape of ``HistogramFixedWidth``."""
    sized(vector(value_dims(value_range)), 2)
    number = scalar_value(nbins)
    if number is not None and number < 1:
        raise refused(f"Requires nbins > 0: {number}")
    return (number,)


def bounds(sorted_inputs: Dims | None, values: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ``LowerBound`` and ``UpperBound``."""
    ranked(sorted_inputs, 2)
    return None if values is None else ranked(values, 2)


def among_largest(predictions: Dims | None, targets: Dims | None, k: Any) -> Dims | None:
    """Infers the output shape of ``InTopKV2``."""
    return (merged_size(ranked(predictions, 2)[0], vector(targets)),)


# ------------------------------------------------------------------ reordering and bitcast


def reversed_along(tensor: Dims | None, axis: Any) -> Dims | None:
    """Infers the output shape of ``ReverseV2``."""
    vector(value_dims(axis))
    axes = flatten_known(axis)
    if tensor is None or axes is None:
        return tensor
    rank = len(tensor)
    for i, a in enumerate(axes):
        if not -rank <= a < rank:
            raise refused(f"'axis'[{i}] = {a} is out of valid range [0, {rank - 1}")
        if a % rank in [b % rank for b in axes[:i]]:
            raise refused(f"axis {a % rank} specified more than once.")
    return tensor


def reversed_parts(
    input: Dims | None, seq_lengths: Dims | None, *, seq_dim: int, batch_dim: int = 0
) -> Dims | None:
    """Infers the output shape of ``ReverseSequence``."""
    count = vector(seq_lengths)
    if input is None:
        return None
    for name, axis in (("batch_dim", batch_dim), ("seq_dim", seq_dim)):
        if axis >= len(input):
            raise refused(f"{name} must be < input rank: {axis} vs. {len(input)}")
    size = merged_size(input[batch_dim], count)
    return (*input[:batch_dim], size, *input[batch_dim + 1 :])


def rolled(input: Dims | None, shift: Any, axis: Any) -> Dims | None:
    """Infers the output shape of ``Roll``."""
    at_least(input, 1)
    merged(at_most(value_dims(shift), 1), at_most(value_dims(axis), 1))
    return input


def cast_bits(input: Dims | None, *, type: Any, T: Any = None) -> Dims | None:
    """Infers the output shape of ``Bitcast``; it depends on the size of the input's dtype."""
    if input is None or T is None:
        return None
    if T.size >= type.size:
        return input if T.size == type.size else (*input, T.size // type.size)
    last = at_least(input, 1)[-1]  # type: ignore[index]
    if last not in (None, type.size // T.size):
        raise refused(
            f"Cannot bitcast from {T.as_datatype_enum} to {type.as_datatype_enum}",
            f"Cannot bitcast from {T.as_datatype_enum} to {type.as_datatype_enum} due to shape. "
            f"{last} does not match {type.size // T.size}",
        )
    return input[:-1]


# ------------------------------------------------------------------ variables


def value_updated(variable: Dims | None, value: Dims | None, **_: Any) -> list[Any]:
    """Infers no outputs for ops that update a variable by a value of its shape."""
    merged(variable, value)
    return []


def counted_up(variable: Dims | None, **_: Any) -> Dims | None:
    """Infers the output shape of ``ResourceCountUpTo``."""
    return ranked(variable, 0)


# Shape inference for ops that draw random numbers.


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
    seeds, indices, limits = (value_dims(value) for value in (seed, index, max_index))
    at_least(seeds, 1)
    if seeds is not None and seeds[-1] not in (3, None):
        raise refused(f"Seed must have shape [3] or [n, 3] but got {text(seeds)}.")
    batches = [indices, None if seeds is None else seeds[:-1], limits]
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
