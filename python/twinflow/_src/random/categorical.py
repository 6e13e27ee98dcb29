"""Categorical sampling by inverse transform, and candidate sampling.

A row of logits becomes a cumulative sum of weights; a uniform number scaled to the total selects
the first category whose cumulative sum exceeds it. Candidate samplers draw classes from uniform,
log-uniform, learned or fixed unigram distributions and compute expected counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.parallel import filled
from twinflow._src.random.distributions import doubles
from twinflow._src.random.philox import Stream, block, pairs

# Categorical sampling by inverse transform.


# Up to this many categories are found by linear comparison: 0.2 ns each, where binary search takes
# 20 to 40 ns.
_FEW = 128
# So many values for each category of a row are found by binary search as well, which is one call.
_SEARCHED = 16
# From this many samples per row on, each row is processed separately.
_LONG = 512
# Number of logits and samples processed per block.
_PIECE = 1 << 17


def draw_categories(xp: Any, stream: Stream, logits: Any, samples: int, dtype: Any) -> Any:
    """Draws categories for each row of a matrix."""
    kernel = None if xp is np else getattr(xp, "categories", None)
    result = None if kernel is None else kernel(stream.key, stream.counter, logits, samples, dtype)
    if result is not None:
        return result
    rows, classes = logits.shape
    if samples >= _LONG or rows == 1:
        sums = cumulative_weights(xp, logits)
        make = lambda *at: _long_rows(xp, sums, samples, 2 * at[0], _numbers(xp, stream, *at))
        return filled(xp, rows * samples, dtype, 2, make).reshape(rows, samples)
    find = _by_comparing if classes <= _FEW else _by_halving

    def two_by_two(first: int, count: int) -> Any:
        some = logits[2 * first : 2 * (first + count)]
        numbers = _numbers(xp, stream, first * samples, count * samples)[: len(some) * samples]
        return find(xp, some, numbers.reshape(-1, samples)).reshape(-1)

    step = max(_PIECE // (2 * (classes + samples)), 1)
    result = filled(xp, rows * samples, dtype, 2 * samples, two_by_two, step=step)
    return result.reshape(rows, samples)


def _numbers(xp: Any, stream: Stream, first: int, blocks: int) -> Any:
    return doubles(xp, *pairs(xp, stream, first, blocks)).reshape(-1)


def _weights(xp: Any, logits: Any, axis: int) -> Any:
    """Returns the weights of categories, scaled to a maximum of 1 per row."""
    # Non-finite logits weigh 0.
    wide = logits.astype(np.float64, order="C")
    wide = xp.where(xp.isfinite(wide), wide, -math.inf)
    lowest = float(np.finfo(np.float32 if logits.dtype.itemsize < 8 else np.float64).min)
    wide -= xp.maximum(xp.max(wide, axis=axis, keepdims=True), lowest)
    return xp.exp(wide, out=wide)


def cumulative_weights(xp: Any, logits: Any) -> Any:
    """Returns the cumulative sums of the weights of categories, row by row."""
    return xp.cumsum(_weights(xp, logits, 1), axis=1)


def _long_rows(xp: Any, sums: Any, samples: int, start: int, numbers: Any) -> Any:
    """Returns the categories of uniform numbers row by row."""
    # ``start`` is the flat index of the first.
    numbers = numbers[: sums.shape[0] * samples - start]
    result, at = xp.empty(numbers.size, np.int64), 0
    while at < numbers.size:
        row, column = divmod(start + at, samples)
        part = slice(at, at + samples - column)
        result[part] = _reached(xp, sums[row], numbers[part] * sums[row, -1])
        at = part.stop
    return result


def _reached(xp: Any, sums: Any, values: Any) -> Any:
    """Returns the number of cumulative sums that each value has reached."""
    # The sums are scalars, or vectors with an element per column of values.
    if len(sums) > _FEW or (sums.ndim == 1 and values.size < _SEARCHED * len(sums)):
        return xp.searchsorted(sums, values, side="right")
    count = xp.zeros(values.shape, np.uint8)
    for one in sums:
        count += values >= one
    return count


def _by_comparing(xp: Any, logits: Any, numbers: Any) -> Any:
    """Returns categories for rows of uniform numbers by linear comparison, for few categories."""
    sums = _weights(xp, logits.T, 0)
    for i in range(1, len(sums)):
        sums[i] += sums[i - 1]
    return _reached(xp, sums, numbers.T * sums[-1]).T


def _by_halving(xp: Any, logits: Any, numbers: Any) -> Any:
    """Returns categories for rows of uniform numbers by binary search, for many categories."""
    sums = cumulative_weights(xp, logits)
    rows, classes = sums.shape
    values, before = numbers * sums[:, -1:], (xp.arange(rows) * classes - 1)[:, None]
    flat, index = sums.reshape(-1), xp.zeros(numbers.shape, np.int64)
    for bit in reversed(range(classes.bit_length())):
        more = xp.minimum(index + (1 << bit), classes)
        index = xp.where(flat[before + more] <= values, more, index)
    return index


# Candidate sampling: samplers, distributions, expected counts.


_MASK64 = (1 << 64) - 1


class Words:
    """Sequential reader of the words of a random stream."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._at = stream, 0

    def word(self) -> int:
        """Returns the next 32 bits."""
        word = block(self._stream, self._at >> 2)[self._at & 3]
        self._at += 1
        return int(word)

    def below(self, limit: int, wide: bool = False) -> int:
        """Returns an integer in [0, limit); from 64 bits if ``wide``."""
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
        """Returns a number in [0, 1) with 52 bits."""
        return ((self.word() & 0xFFFFF) << 32 | self.word()) / (1 << 52)

    def single(self) -> float:
        """Returns a number in [0, 1) with 23 bits."""
        return (self.word() & 0x7FFFFF) / (1 << 23)


class Uniform:
    """Uniform distribution of classes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit

    def sample(self, words: Words) -> int:
        """Draws a class."""
        return words.below(self._limit, wide=True)

    def probability(self, value: int) -> float:
        """Returns the probability of a class."""
        return 1 / self._limit


class LogUniform:
    """Log-uniform (Zipfian) distribution of classes in order of frequency."""

    def __init__(self, limit: int) -> None:
        self._limit, self._log = limit, math.log1p(limit)

    def sample(self, words: Words) -> int:
        """Draws a class."""
        return (int(math.exp(words.double() * self._log)) - 1) % self._limit

    def probability(self, value: int) -> float:
        """Returns the probability of a class."""
        return math.log((value + 2) / (value + 1)) / self._log


class Learned:
    """Unigram distribution learned from the true classes so far; all counts start at 1."""

    def __init__(self, limit: int) -> None:
        self._weights = np.ones(limit, np.int64)

    def sample(self, words: Words) -> int:
        """Draws a class."""
        at = words.below(int(self._weights.sum()))
        return int(np.searchsorted(np.cumsum(self._weights), at, side="right"))

    def probability(self, value: int) -> float:
        """Returns the probability of a class."""
        return float(self._weights[value] / self._weights.sum())

    def learn(self, classes: Any) -> None:
        """Counts true classes."""
        np.add.at(self._weights, classes, 1)


class Fixed:
    """Fixed unigram distribution, sampled by the alias method."""

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
        """Draws a class."""
        chance, at = words.single(), words.below(len(self._share))
        return at if chance < self._share[at] else self._other[at]

    def probability(self, value: int) -> float:
        """Returns the probability of a class."""
        return float(self._weights[value]) / self._total


Distribution = Uniform | LogUniform | Learned | Fixed


def draw_classes(
    words: Words, source: Distribution, count: int, unique: bool
) -> tuple[list[int], int]:
    """Draws classes; returns them and the number of draws."""
    # With ``unique``, duplicates are rejected.
    classes: list[int] = []
    draws, used = 0, set()
    while len(classes) < count:
        value = source.sample(words)
        draws += 1
        if not unique or value not in used:
            used.add(value)
            classes.append(value)
    return classes, draws


def expected(probability: Callable[[int], float], values: Any, count: int, draws: int) -> Any:
    """Returns the expected counts of classes, of which a number of draws keeps ``count``."""
    chances = np.array([probability(int(v)) for v in values.ravel()], np.float32)
    if count == draws:
        counts = chances * np.float32(count)
    else:
        counts = -np.expm1(np.float32(draws) * np.log1p(-chances))
    return counts.astype(np.float32).reshape(values.shape)
