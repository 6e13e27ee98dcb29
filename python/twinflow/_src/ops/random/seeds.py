"""Seeds from seeds, and positions in a permutation that is never written down."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32, int64, uint32, uint64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Kind, export, op
from twinflow._src.ops.array.stack import stack
from twinflow._src.ops.random.stateless_functions import stateless_uniform
from twinflow._src.shape_rules.random import shuffled_index

_INDEX_TYPES = frozenset((int32, int64, uint32, uint64))
_Index = Annotated[Any, Kind("dtype", default=int32, allowed=_INDEX_TYPES, host=True)]
_Seed = Annotated[Any, Kind("Tseed", default=int64, allowed=_INDEX_TYPES, host=True)]


@export("random.split", "random.experimental.stateless_split")
def split_seed(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Any:
    """Returns several seeds that are made of one.

    Args:
        seed: Two integers.
        num: How many seeds.
        alg: The algorithm; see ``tf.random.stateless_uniform``.

    Returns:
        A tensor of shape ``[num, 2]`` and of the seed's type.

    Raises:
        InvalidArgumentError: The seed cannot be.
    """
    seed = convert_to_tensor(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


@export("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Any:
    """Returns a seed that is made of a seed and a number.

    Args:
        seed: Two integers.
        data: An integer.
        alg: The algorithm; see ``tf.random.stateless_uniform``.

    Returns:
        A tensor of two integers of the number's type.

    Raises:
        InvalidArgumentError: The seed cannot be.
    """
    data = convert_to_tensor(data)
    return stack([stateless_uniform([], seed, None, None, data.dtype, alg=alg), data])


# Simon is a block cipher: a few of its rounds permute the numbers of an even count of bits. A number
# that leaves the range of the permutation is enciphered again until it is back.
_CONSTANT, _SEQUENCE = 0xFFFFFFFC, 0x7369F885192C0EF5
_FEWEST_BITS = 16
# Below, a number is so seldom back, after thousands of steps, that it is quicker to encipher all of so few bits.
_FAR = 1 << 12
# What stands before the two integers of a seed.
_FIRST_KEY = 498247692


def _turned(word: Any, by: int, width: int) -> Any:
    """A word of so many bits, rotated to the left."""
    by %= width
    return (word << by | word >> (width - by)) & ((1 << width) - 1)


def _round_keys(key: list[int], rounds: int, width: int) -> list[int]:
    mask = (1 << width) - 1
    sequence = _SEQUENCE & mask
    keys = [k & mask for k in key]
    for i in range(3, rounds):
        turned = _turned(keys[-1], width - 3, width) ^ _turned(keys[-1], width - 4, width)
        keys.append((_CONSTANT & mask) ^ (sequence >> (i - 3) & 1) ^ keys[-3] ^ turned)
    return keys


def _enciphered(words: Any, keys: list[int], width: int) -> Any:
    """Numbers of twice ``width`` bits, enciphered."""
    left, right = words >> width, words & ((1 << width) - 1)
    for k in keys:
        mixed = _turned(right, 1, width) & _turned(right, 8, width) ^ _turned(right, 2, width)
        left, right = right, left ^ mixed ^ k
    if len(keys) % 2:
        left, right = right, left
    return left << width | right


def _permuted(indices: Any, key: list[int], highest: int, rounds: int) -> Any:
    """Where a permutation of 0 to ``highest`` takes indices: a uint64 vector."""
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
    """Where the numbers from 0 to ``highest`` are taken: all ways back at once, of twice the length each time."""
    after = _enciphered(np.arange(1 << 2 * width, dtype=np.uint32), keys, width)
    back = after.copy()
    back[: highest + 1] = np.arange(highest + 1)
    first = after[: highest + 1]
    while (back[first] > highest).any():
        back = back[back]
    return back[first]


@op("RandomIndexShuffle", api="random_index_shuffle", shape=shuffled_index, no_gradient=True, dtypes=_INDEX_TYPES)
def random_index_shuffle(
    xp: Any, index: _Index, seed: _Seed, max_index: _Index, *, rounds: int = 4
) -> Any:
    """Returns the positions of indices in a permutation.

    Args:
        index: Indices: a scalar or a vector.
        seed: Three integers, or as many for each index.
        max_index: The highest index: a scalar, or one for each index.
        rounds: How thoroughly the permutation mixes.

    Returns:
        A tensor of the type of the indices.

    Raises:
        InvalidArgumentError: An index is above the highest one, or a shape is wrong.
    """
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
def index_shuffle(index: Any, seed: Any, max_index: Any) -> Any:
    """Returns the positions of indices in a permutation that depends on the seed only.

    Args:
        index: An integer or a vector of them.
        seed: Two integers, or two for each index.
        max_index: The highest index, which is also the size of the permutation less 1.

    Returns:
        A tensor of the type of the indices.

    Raises:
        InvalidArgumentError: An index is above the highest one, or a shape is wrong.
    """
    seed = convert_to_tensor(seed)
    paddings = [[1, 0]] + (seed.shape.rank - 1) * [[0, 0]]
    seed = API["pad"](seed, paddings, constant_values=_FIRST_KEY)
    return random_index_shuffle(index, seed, max_index)
