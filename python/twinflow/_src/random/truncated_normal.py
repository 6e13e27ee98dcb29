"""Truncated normal sampling between two bounds, by rejection.

The proposal distribution depends on the bounds (C. P. Robert, Simulation of truncated normal
variables, arXiv:0907.4010): normal if many values lie between the bounds, uniform if the bounds are
close, and exponential in a tail.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from twinflow._src.core.errors import InternalError, invalid
from twinflow._src.random import distributions
from twinflow._src.random.philox import Stream

_FAR = 1.3  # minimum distance of a bound from the mean for normal proposals
_MOST = 1000  # maximum number of draws per value


class Bounds(NamedTuple):
    """Distribution of normal numbers times ``scale`` plus ``mean``; the bounds are standardized."""

    mean: Any
    scale: Any
    low: Any
    high: Any

    @classmethod
    def of(cls, mean: Any, scale: Any, low: Any, high: Any) -> Bounds:
        """Returns the distribution of parameters, mirrored so that its tail is to the right."""
        if not (scale > 0 and low < high and (np.isfinite(low) or np.isfinite(high))):
            raise invalid("Invalid parameters")
        if (np.isinf(low) and low < 0) or high < mean:
            low, high, scale = high, low, -scale
        return cls(mean, scale, (low - mean) / scale, (high - mean) / scale)


def truncated(blocks: Blocks, bounds: Bounds, count: int) -> Any:
    """Draws ``count`` values of a distribution."""
    way, low, high = _way(bounds), bounds.low, bounds.high
    parts = [np.zeros(0, low.dtype)]
    missing, in_vain = count, 0
    while missing:
        drawn, accepted = way(blocks, low, high, 2 * missing + 8)
        indices = np.flatnonzero(accepted)[:missing]
        in_vain = 0 if len(indices) else in_vain + len(drawn)
        if in_vain > _MOST:
            raise InternalError(None, None, _REFUSAL)
        parts.append(drawn[indices])
        missing -= len(indices)
        blocks.used(len(drawn) if missing else int(indices[-1]) + 1, len(drawn))
    return np.concatenate(parts) * bounds.scale + bounds.mean


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
    """A random stream and the number of blocks consumed.

    Args:
        stream: The stream.
        dtype: The dtype of the values.
    """

    def __init__(self, stream: Stream, dtype: Any) -> None:
        self._stream, self.dtype = stream, np.dtype(dtype)
        self.width = 2 if self.dtype.itemsize == 8 else 4
        self._at, self._last = 0, (0, 0)

    def draw(self, kind: Any, rounds: int, each: int = 1) -> Any:
        """Returns values of the next blocks, a row per block, without consuming them."""
        self._last = rounds, each
        count = rounds * each * self.width
        return kind(np, self._stream.skip(self._at), count, self.dtype).reshape(-1, self.width)

    def used(self, looked: int, of: int) -> None:
        """Consumes the blocks of the first ``looked`` of ``of`` values of the last draw."""
        rounds, each = self._last
        self._at += -(-looked * rounds // of) * each


def _normal(blocks: Blocks, low: Any, high: Any, count: int) -> tuple[Any, Any]:
    numbers = blocks.draw(distributions.normal, -(-count // blocks.width)).reshape(-1)
    return numbers, (numbers >= low) & (numbers <= high)


def _uniform(blocks: Blocks, low: Any, high: Any, count: int) -> tuple[Any, Any]:
    """Draws uniform proposals between the bounds; every other block decides acceptance."""
    one = low.dtype.type
    drawn = blocks.draw(distributions.uniform, -(-count // blocks.width), each=2)
    numbers = drawn[::2] * (high - low) + low
    highest = one(0) if low < 0 else low * low
    accepted = drawn[1::2] <= np.exp((highest - numbers * numbers) / one(2))
    return numbers.reshape(-1), accepted.reshape(-1)


def _exponential(blocks: Blocks, low: Any, high: Any, count: int) -> tuple[Any, Any]:
    """Draws exponential proposals above the lower bound; every other number decides acceptance."""
    one = low.dtype.type
    rate = (low + np.sqrt(low * low + one(4))) / one(2)
    drawn = blocks.draw(distributions.uniform, -(-count * 2 // blocks.width)).reshape(-1, 2)
    numbers = -np.log(drawn[:, 0]) / rate + low
    away = rate - numbers if low < rate else low - rate
    accepted = (drawn[:, 1] <= np.exp(-away * away / one(2))) & (numbers < high)
    return numbers, accepted
