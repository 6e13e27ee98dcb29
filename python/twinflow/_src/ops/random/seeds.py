"""Seed splitting, index shuffling, and the stateful ops of ``tf.random.Generator``."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import INTEGERS, int32, int64, uint32, uint64
from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Kind, Resource, Type, documented, export, op
from twinflow._src.ops.array.stack import stack
from twinflow._src.ops.random.arguments import TEXTS, Algorithm, Shape, dims_of
from twinflow._src.ops.random.discrete import Probabilities, binomial_numbers, rows_of
from twinflow._src.ops.random.stateless import Key, Number, stateless_uniform
from twinflow._src.random import distributions
from twinflow._src.random.philox import Stream
from twinflow._src.shape_rules.values import (
    advanced,
    drawn_from,
    infer_random_shape,
    shuffled_index,
)

# Seed splitting, and index shuffling by a block cipher.


_INDEX_TYPES = frozenset((int32, int64, uint32, uint64))
_Index = Annotated[Any, Kind("dtype", default=int32, allowed=_INDEX_TYPES, host=True)]
_Seed = Annotated[Any, Kind("Tseed", default=int64, allowed=_INDEX_TYPES, host=True)]


@export("random.split", "random.experimental.stateless_split")
@documented(
    TEXTS,
    "Splits a seed into several new seeds.",
    "A tensor of shape ``[num, 2]`` and of the seed's dtype.",
    {"InvalidArgumentError": "The seed is invalid."},
    num="The number of seeds.",
    alg="The algorithm; see ``tf.random.stateless_uniform``.",
)
def split_seed(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Any:
    seed = convert_to_tensor(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


@export("random.fold_in", "random.experimental.stateless_fold_in")
@documented(
    TEXTS,
    "Folds an integer into a seed to form a new seed.",
    "A tensor of two integers, of the dtype of ``data``.",
    {"InvalidArgumentError": "The seed is invalid."},
    data="An integer.",
    alg="The algorithm; see ``tf.random.stateless_uniform``.",
)
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    data = convert_to_tensor(data)
    return stack([stateless_uniform([], seed, None, None, data.dtype, alg=alg), data])


# Simon is a block cipher: a few of its rounds permute the integers of an even number of bits. A
# value outside the range of the permutation is encrypted again until it is inside (cycle walking).
_CONSTANT, _SEQUENCE = 0xFFFFFFFC, 0x7369F885192C0EF5
_FEWEST_BITS = 16
# Below, cycle walking can take thousands of steps; encrypting all values of so few bits is faster.
_FAR = 1 << 12
# First key word, before the two integers of a seed.
_FIRST_KEY = 498247692


def _rotate_left(word: Any, by: int, width: int) -> Any:
    """Rotates a word of ``width`` bits to the left."""
    by %= width
    return (word << by | word >> (width - by)) & ((1 << width) - 1)


def _round_keys(key: list[int], rounds: int, width: int) -> list[int]:
    mask = (1 << width) - 1
    sequence = _SEQUENCE & mask
    keys = [k & mask for k in key]
    for i in range(3, rounds):
        turned = _rotate_left(keys[-1], width - 3, width) ^ _rotate_left(keys[-1], width - 4, width)
        keys.append((_CONSTANT & mask) ^ (sequence >> (i - 3) & 1) ^ keys[-3] ^ turned)
    return keys


def _enciphered(words: Any, keys: list[int], width: int) -> Any:
    """Encrypts integers of twice ``width`` bits."""
    left, right = words >> width, words & ((1 << width) - 1)
    for k in keys:
        mixed = _rotate_left(right, 1, width) & _rotate_left(right, 8, width) ^ _rotate_left(
            right, 2, width
        )
        left, right = right, left ^ mixed ^ k
    if len(keys) % 2:
        left, right = right, left
    return left << width | right


def _permuted(indices: Any, key: list[int], highest: int, rounds: int) -> Any:
    """Returns the images of uint64 indices under a pseudorandom permutation of 0 to ``highest``."""
    bits = math.ceil(math.log2(highest)) if highest > 0 else 0
    width = max(bits + bits % 2, _FEWEST_BITS) // 2
    keys = _round_keys(key, rounds, width)
    if highest < _FAR:
        return _followed(keys, width, highest)[indices]
    result = indices.copy()
    who = np.arange(result.size)
    while who.size:
        result[who] = _enciphered(result[who], keys, width)
        who = who[result[who] > highest]
    return result


def _followed(keys: list[int], width: int, highest: int) -> Any:
    """Returns the permutation of 0 to ``highest``, by cycle walking with pointer doubling."""
    after = _enciphered(np.arange(1 << 2 * width, dtype=np.uint32), keys, width)
    back = after.copy()
    back[: highest + 1] = np.arange(highest + 1)
    first = after[: highest + 1]
    while (back[first] > highest).any():
        back = back[back]
    return back[first]


@op(
    "RandomIndexShuffle",
    api="random_index_shuffle",
    shape=shuffled_index,
    no_gradient=True,
    dtypes=_INDEX_TYPES,
)
@documented(
    TEXTS,
    "Returns the positions of indices in a pseudorandom permutation of 0 to ``max_index``.",
    "A tensor of the dtype of the indices.",
    {"InvalidArgumentError": "An index exceeds ``max_index``, or a shape is invalid."},
    index="Indices: a scalar or a vector.",
    seed="Three integers, or three for each index.",
    max_index="The highest index: a scalar, or one for each index.",
    rounds="The number of cipher rounds.",
)
def random_index_shuffle(
    xp: Any, index: _Index, seed: _Seed, max_index: _Index, *, rounds: int = 4
) -> Any:
    if index.ndim > 1 or max_index.ndim > 1:
        raise invalid("Index must be a scalar or vector.")
    if seed.ndim not in (1, 2) or seed.shape[-1] != 3:
        raise invalid(
            f"Seed must be a vector of size [3] or a matrix of size [{index.size}, 3] but got "
            f"{text(seed.shape)}."
        )
    size = np.broadcast_shapes(index.shape, seed.shape[:-1], max_index.shape)
    each = [np.broadcast_to(a, size).reshape(-1) for a in (index, max_index)]
    if (below := each[0] < 0).any():
        raise invalid(f"index must be >= 0 but was {each[0][below][0]}")
    if (above := each[0] > each[1]).any():
        index_, highest = (int(a[above][0]) for a in each)
        raise invalid(f"max_index must be >= index, but {highest} < {index_}")
    keys = np.broadcast_to(seed, (*size, 3)).reshape(-1, 3)
    result = np.empty(each[0].size, np.uint64)
    alike = seed.ndim == 1 and max_index.ndim == 0
    for part in [slice(None)] if alike else [slice(i, i + 1) for i in range(result.size)]:
        if result[part].size:
            key = [int(k) & 0xFFFFFFFF for k in keys[part][0]]
            highest = int(each[1][part][0])
            result[part] = _permuted(each[0][part].astype(np.uint64), key, highest, rounds)
    return xp.asarray(result.astype(index.dtype).reshape(size))


@export("random.experimental.index_shuffle")
@documented(
    TEXTS,
    "Returns the positions of indices in a pseudorandom permutation determined by the seed.",
    "A tensor of the dtype of the indices.",
    {"InvalidArgumentError": "An index exceeds ``max_index``, or a shape is invalid."},
    index="An integer or a vector of them.",
    seed="Two integers, or two for each index.",
    max_index="The highest index: the size of the permutation minus 1.",
)
def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    seed = convert_to_tensor(seed)
    paddings = [[1, 0]] + (seed.shape.rank - 1) * [[0, 0]]
    seed = API["pad"](seed, paddings, constant_values=_FIRST_KEY)
    return random_index_shuffle(index, seed, max_index)


# Ops of generators: they read and advance the state in a variable.


_Algorithm = Annotated[Any, Kind("int64", only=int64, host=True)]
_STATE_SIZE = 3
_MASK32, _MASK128 = 2**32 - 1, 2**128 - 1
# Random words that TensorFlow reserves per binomial sample of a generator.
_DRAWS = 200


def _moved_on(xp: Any, resource: Any, alg: int, blocks: int) -> Any:
    """Advances a generator's state and returns the state before."""
    if alg == Algorithm.THREEFRY.value:
        raise UnimplementedError(
            None, None, "Non-XLA devices don't support the ThreeFry algorithm."
        )
    if alg not in (Algorithm.PHILOX.value, Algorithm.AUTO_SELECT.value):
        raise invalid(f"Unsupported algorithm id: {alg}")
    before: list[Any] = []

    def write(old: Any, out: Any) -> Any:
        if old.ndim != 1 or old.size < _STATE_SIZE:
            raise invalid(
                f"The size of the state must be at least {_STATE_SIZE}; got {text(old.shape)}"
            )
        before.append(old.copy())
        low, high, *rest = (int(value) % 2**64 for value in old.tolist())
        counter = _counted(low | high << 64, blocks % 2**64)
        values = [counter % 2**64, counter >> 64, *rest]
        out[...] = xp.asarray(np.array(values, np.uint64).view(np.int64))
        return out

    resource._handle.update(write)
    return before[0]


def _counted(counter: int, blocks: int) -> int:
    """Advances a counter; as in TensorFlow, a carry of the upper word of ``blocks`` is lost."""
    carried = (counter & _MASK32) + (blocks & _MASK32) >> 32
    lost = (blocks >> 32) + carried >> 32
    return counter + blocks - (lost << 64) & _MASK128


@op("RngReadAndSkip", shape=advanced, impure=True)
def read_and_skip(xp: Any, resource: Resource, alg: Number, delta: Key) -> Any:
    """Advances the state of a generator and returns the state before."""
    return _moved_on(xp, resource, int(alg), int(delta) * distributions.ROOM)


@op("StatefulRandomBinomial", shape=drawn_from, impure=True, out="dtype")
def stateful_random_binomial(
    xp: Any,
    resource: Resource,
    algorithm: _Algorithm,
    shape: Shape,
    counts: Probabilities,
    probs: Probabilities,
    *,
    dtype: Type = int64,
) -> Any:
    """Draws random numbers from binomial distributions with a generator, and advances its state."""
    dims = dims_of(shape)
    inner = np.broadcast_shapes(counts.shape, probs.shape)
    rows_of(dims, inner)  # raises before the generator advances
    if algorithm != Algorithm.PHILOX.value:
        raise invalid(f"Unsupported algorithm id: {int(algorithm)}")
    batches = math.prod(inner)
    samples = math.prod(dims) // batches if batches else 0
    blocks = batches * _DRAWS * (samples + 3) // 4 * distributions.ROOM
    low, high, key = (
        int(v) % 2**64 for v in _moved_on(xp, resource, int(algorithm), blocks).tolist()
    )
    return binomial_numbers(xp, Stream(key, low | high << 64), dims, counts, probs, dtype)


@op("NonDeterministicInts", shape=infer_random_shape, impure=True, dtypes=INTEGERS, out="dtype")
def non_deterministic_ints(xp: Any, shape: Shape, *, dtype: Type = int64) -> Any:
    """Draws non-deterministic random integers."""
    dims = dims_of(shape)
    values = np.frombuffer(_entropy(math.prod(dims) * dtype.size), dtype.np)
    return xp.asarray(values.reshape(dims).copy())


def _entropy(size: int) -> bytes:
    import secrets

    return secrets.token_bytes(size)
