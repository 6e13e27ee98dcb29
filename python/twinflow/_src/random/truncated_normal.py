"""Normal numbers between two bounds, by drawing until one is accepted.

One of three ways is taken, by where the bounds lie (C. P. Robert, Simulation of truncated normal
variables, arXiv:0907.4010): normal numbers where many of them lie between the bounds, uniform ones
where the bounds are close, and exponential ones in a tail.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from twinflow._src.core.errors import InternalError, invalid
from twinflow._src.random import distributions
from twinflow._src.random.philox import Stream

_FAR = 1.3  # how far a bound must be from the mean for normal numbers to be drawn
_MOST = 1000  # draws for one number


class Bounds(NamedTuple):
    """A distribution: normal numbers times ``scale`` plus ``mean``, between two bounds of the former."""

    mean: Any
    scale: Any
    low: Any
    high: Any

    @classmethod
    def of(cls, mean: Any, scale: Any, low: Any, high: Any) -> Bounds:
        """The distribution of some parameters, turned so that its tail is to the right.

        Raises:
            InvalidArgumentError: There is no such distribution.
        """
        if not (scale > 0 and low < high and (np.isfinite(low) or np.isfinite(high))):
            raise invalid("Invalid parameters")
        if (np.isinf(low) and low < 0) or high < mean:
            low, high, scale = high, low, -scale
        return cls(mean, scale, (low - mean) / scale, (high - mean) / scale)


def truncated(blocks: Blocks, bounds: Bounds, count: int) -> Any:
    """So many numbers of a distribution.

    Args:
        blocks: What they are drawn from.
        bounds: The distribution.
        count: How many.

    Returns:
        An array.

    Raises:
        InternalError: No number is accepted.
    """
    way, low, high = _way(bounds), bounds.low, bounds.high
    found = [np.zeros(0, low.dtype)]
    missing, in_vain = count, 0
    while missing:
        drawn, accepted = way(blocks, low, high, 2 * missing + 8)
        places = np.flatnonzero(accepted)[:missing]
        in_vain = 0 if len(places) else in_vain + len(drawn)
        if in_vain > _MOST:
            raise InternalError(None, None, _REFUSAL)
        found.append(drawn[places])
        missing -= len(places)
        blocks.used(len(drawn) if missing else int(places[-1]) + 1, len(drawn))
    return np.concatenate(found) * bounds.scale + bounds.mean


_REFUSAL = "TruncatedNormal exponential distribution rejection sampler failed to accept a sample."


def _way(bounds: Bounds) -> Any:
    low, high = bounds.low, bounds.high
    if (low < -_FAR and high >= 0) or (high > _FAR and low <= 0):
        return _normal
    one = low.dtype.type
    root = np.sqrt(low * low + one(4))
    limit = one(2) * np.exp(one(0.5) + (low * (low - root)) / one(4)) / (low + root)
    return _uniform if high - low < limit else _exponential


class Blocks:
    """A stream of random blocks, and how many have been used.

    Args:
        stream: The stream.
        dtype: The type of the numbers.
    """

    def __init__(self, stream: Stream, dtype: Any) -> None:
        self._stream, self.dtype = stream, np.dtype(dtype)
        self.width = 2 if self.dtype.itemsize == 8 else 4
        self._at, self._last = 0, (0, 0)

    def draw(self, kind: Any, rounds: int, each: int = 1) -> Any:
        """The numbers of the next blocks, a row for each block; they are not used up yet.

        Args:
            kind: Makes numbers of blocks.
            rounds: How many draws are made at once.
            each: How many blocks each takes.
        """
        self._last = rounds, each
        count = rounds * each * self.width
        return kind(np, self._stream.skip(self._at), count, self.dtype).reshape(-1, self.width)

    def used(self, looked: int, of: int) -> None:
        """Goes on behind the blocks of the last number that was looked at.

        Args:
            looked: How many numbers were looked at.
            of: How many there were.
        """
        rounds, each = self._last
        self._at += -(-looked * rounds // of) * each


def _normal(blocks: Blocks, low: Any, high: Any, count: int) -> tuple[Any, Any]:
    numbers = blocks.draw(distributions.normal, -(-count // blocks.width)).reshape(-1)
    return numbers, (numbers >= low) & (numbers <= high)


def _uniform(blocks: Blocks, low: Any, high: Any, count: int) -> tuple[Any, Any]:
    """Numbers between the bounds; every other block decides which are accepted."""
    one = low.dtype.type
    drawn = blocks.draw(distributions.uniform, -(-count // blocks.width), each=2)
    numbers = drawn[::2] * (high - low) + low
    highest = one(0) if low < 0 else low * low
    accepted = drawn[1::2] <= np.exp((highest - numbers * numbers) / one(2))
    return numbers.reshape(-1), accepted.reshape(-1)


def _exponential(blocks: Blocks, low: Any, high: Any, count: int) -> tuple[Any, Any]:
    """Numbers behind the lower bound; every other number decides which are accepted."""
    one = low.dtype.type
    rate = (low + np.sqrt(low * low + one(4))) / one(2)
    drawn = blocks.draw(distributions.uniform, -(-count * 2 // blocks.width)).reshape(-1, 2)
    numbers = -np.log(drawn[:, 0]) / rate + low
    away = rate - numbers if low < rate else low - rate
    accepted = (drawn[:, 1] <= np.exp(-away * away / one(2))) & (numbers < high)
    return numbers, accepted
