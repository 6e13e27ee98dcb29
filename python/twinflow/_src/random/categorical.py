"""Categories, drawn by the inverse of the distribution function.

Each row has sums of weights, up to each category; a number from 0 to the last sum means the category whose
sum is the first one above it.

Drawing of candidate classes: the draws, the distributions, and what is expected of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.parallel import filled
from twinflow._src.random.distributions import doubles
from twinflow._src.random.philox import Stream, block, pairs

# Categories, drawn by the inverse of the distribution function.


# So many categories are found by comparing with each: 0.2 nanoseconds for one, where halving takes 20 to 40.
_FEW = 128
# So many numbers of one row are worth calls of their own.
_LONG = 512
# So many logits and numbers are taken at once.
_PIECE = 1 << 17


def chosen(xp: Any, stream: Stream, logits: Any, samples: int, dtype: Any) -> Any:
    """Categories for each row of a matrix.

    Args:
        xp: The array module.
        stream: The stream that decides.
        logits: The matrix of unnormalised logarithms of probabilities.
        samples: How many categories to draw for each row.
        dtype: The NumPy type of the result.

    Returns:
        A matrix of indices.
    """
    own = None if xp is np else getattr(xp, "categories", None)
    found = None if own is None else own(stream.key, stream.counter, logits, samples, dtype)
    if found is not None:
        return found
    rows, classes = logits.shape
    if samples >= _LONG or rows == 1:
        sums = _sums(xp, logits)
        make = lambda *at: _long_rows(xp, sums, samples, 2 * at[0], _numbers(xp, stream, *at))
        return filled(xp, rows * samples, dtype, 2, make).reshape(rows, samples)
    find = _by_comparing if classes <= _FEW else _by_halving

    def two_by_two(first: int, count: int) -> Any:
        some = logits[2 * first : 2 * (first + count)]
        numbers = _numbers(xp, stream, first * samples, count * samples)[: len(some) * samples]
        return find(xp, some, numbers.reshape(-1, samples)).reshape(-1)

    step = max(_PIECE // (2 * (classes + samples)), 1)
    found = filled(xp, rows * samples, dtype, 2 * samples, two_by_two, step=step)
    return found.reshape(rows, samples)


def _numbers(xp: Any, stream: Stream, first: int, blocks: int) -> Any:
    return doubles(xp, *pairs(xp, stream, first, blocks)).reshape(-1)


def _weights(xp: Any, logits: Any, axis: int) -> Any:
    """The weights of categories, the largest of each row 1; what is not finite weighs nothing."""
    wide = logits.astype(np.float64, order="C")
    wide = xp.where(xp.isfinite(wide), wide, -math.inf)
    lowest = float(np.finfo(np.float32 if logits.dtype.itemsize < 8 else np.float64).min)
    wide -= xp.maximum(xp.max(wide, axis=axis, keepdims=True), lowest)
    return xp.exp(wide, out=wide)


def _sums(xp: Any, logits: Any) -> Any:
    return xp.cumsum(_weights(xp, logits, 1), axis=1)


def _long_rows(xp: Any, sums: Any, samples: int, start: int, numbers: Any) -> Any:
    """The categories of numbers, row by row; the first one is the ``start``-th of all."""
    numbers = numbers[: sums.shape[0] * samples - start]
    found, at = xp.empty(numbers.size, np.int64), 0
    while at < numbers.size:
        row, column = divmod(start + at, samples)
        part = slice(at, at + samples - column)
        found[part] = _reached(xp, sums[row], numbers[part] * sums[row, -1])
        at = part.stop
    return found


def _reached(xp: Any, sums: Any, values: Any) -> Any:
    """How many sums each value has reached; the sums are numbers, or vectors for each column of values."""
    if len(sums) > _FEW:
        return xp.searchsorted(sums, values, side="right")
    count = xp.zeros(values.shape, np.uint8)
    for one in sums:
        count += values >= one
    return count


def _by_comparing(xp: Any, logits: Any, numbers: Any) -> Any:
    """The categories of a row of numbers for each row of logits, where there are few categories."""
    sums = _weights(xp, logits.T, 0)
    for i in range(1, len(sums)):
        sums[i] += sums[i - 1]
    return _reached(xp, sums, numbers.T * sums[-1]).T


def _by_halving(xp: Any, logits: Any, numbers: Any) -> Any:
    """The categories of a row of numbers for each row of logits, where there are many categories."""
    sums = _sums(xp, logits)
    rows, classes = sums.shape
    values, before = numbers * sums[:, -1:], (xp.arange(rows) * classes - 1)[:, None]
    flat, found = sums.reshape(-1), xp.zeros(numbers.shape, np.int64)
    for bit in reversed(range(classes.bit_length())):
        more = xp.minimum(found + (1 << bit), classes)
        found = xp.where(flat[before + more] <= values, more, found)
    return found


# Drawing of candidate classes: the draws, the distributions, and what is expected of them.


_MASK64 = (1 << 64) - 1


class Words:
    """The words of a stream of random numbers, one after the other."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._at = stream, 0

    def word(self) -> int:
        """The next 32 bits."""
        found = block(self._stream, self._at >> 2)[self._at & 3]
        self._at += 1
        return int(found)

    def below(self, limit: int, wide: bool = False) -> int:
        """A number from 0 to a limit, which is left out; from 64 bits where wide."""
        draw = self._wide if wide else self.word
        if not limit & (limit - 1):
            return draw() & (limit - 1)
        least = ((_MASK64 if wide else 0xFFFFFFFF) % limit) + 1
        while (number := draw()) < least:
            pass
        return number % limit

    def _wide(self) -> int:
        return self.word() | self.word() << 32

    def double(self) -> float:
        """A number from 0 to 1, with 52 bits."""
        return ((self.word() & 0xFFFFF) << 32 | self.word()) / (1 << 52)

    def single(self) -> float:
        """A number from 0 to 1, with 23 bits."""
        return (self.word() & 0x7FFFFF) / (1 << 23)


class Uniform:
    """All classes alike."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def sample(self, words: Words) -> int:
        """A class."""
        return words.below(self._limit, wide=True)

    def probability(self, value: int) -> float:
        """How likely a class is."""
        return 1 / self._limit


class LogUniform:
    """Classes in the order of their frequency, about as words of a language."""

    def __init__(self, limit: int) -> None:
        self._limit, self._log = limit, math.log1p(limit)

    def sample(self, words: Words) -> int:
        """A class."""
        return (int(math.exp(words.double() * self._log)) - 1) % self._limit

    def probability(self, value: int) -> float:
        """How likely a class is."""
        return math.log((value + 2) / (value + 1)) / self._log


class Learned:
    """Classes by how often they have been true so far, each once to begin with."""

    def __init__(self, limit: int) -> None:
        self._weights = np.ones(limit, np.int64)

    def sample(self, words: Words) -> int:
        """A class."""
        at = words.below(int(self._weights.sum()))
        return int(np.searchsorted(np.cumsum(self._weights), at, side="right"))

    def probability(self, value: int) -> float:
        """How likely a class is."""
        return float(self._weights[value] / self._weights.sum())

    def learn(self, classes: Any) -> None:
        """Takes note of classes that were true."""
        np.add.at(self._weights, classes, 1)


class Fixed:
    """Classes by given weights, drawn by the alias method."""

    def __init__(self, weights: Any) -> None:
        self._weights, self._total = weights, float(np.sum(weights, dtype=np.float32))
        count = len(weights)
        share = [float(w) * count / float(np.sum(weights.astype(np.float64))) for w in weights]
        self._other = list(range(count))
        low = [i for i, p in enumerate(share) if p < 1]
        high = [i for i, p in enumerate(share) if p >= 1]
        while low and high:
            small, large = low.pop(), high.pop()
            self._other[small] = large
            share[large] -= 1 - share[small]
            (low if share[large] < 1 else high).append(large)
        for i in (*low, *high):
            share[i] = 1.0
        self._share = np.array(share, np.float32)

    def sample(self, words: Words) -> int:
        """A class."""
        chance, at = words.single(), words.below(len(self._share))
        return at if chance < self._share[at] else self._other[at]

    def probability(self, value: int) -> float:
        """How likely a class is."""
        return float(self._weights[value]) / self._total


Distribution = Uniform | LogUniform | Learned | Fixed


def drawn(words: Words, source: Distribution, count: int, unique: bool) -> tuple[list[int], int]:
    """Some classes, and how many draws it took.

    Args:
        words: The random numbers.
        source: The distribution.
        count: How many classes.
        unique: Whether no class may come twice.
    """
    found: list[int] = []
    draws, used = 0, set()
    while len(found) < count:
        value = source.sample(words)
        draws += 1
        if not unique or value not in used:
            used.add(value)
            found.append(value)
    return found, draws


def expected(probability: Callable[[int], float], values: Any, count: int, draws: int) -> Any:
    """How often classes are expected among so many.

    Args:
        probability: How likely a class is.
        values: The classes, an array.
        count: How many were kept.
        draws: How many draws it took.
    """
    chances = np.array([probability(int(v)) for v in values.ravel()], np.float32)
    if count == draws:
        found = chances * np.float32(count)
    else:
        found = -np.expm1(np.float32(draws) * np.log1p(-chances))
    return found.astype(np.float32).reshape(values.shape)
