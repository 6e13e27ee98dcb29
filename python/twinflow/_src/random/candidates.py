"""Drawing of candidate classes: the draws, the distributions, and what is expected of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.random.philox import Stream, block

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
