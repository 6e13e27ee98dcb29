"""Random choices that are the same for a seed on every machine and with every version of Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_MASK = (1 << 64) - 1


class Draws:
    """A stream of choices (splitmix64).

    Attributes:
        state: The state, 64 bits.
    """

    def __init__(self, seed: int) -> None:
        self.state = seed & _MASK
        self.state = self.bits()  # streams of neighbouring seeds have nothing in common

    def bits(self) -> int:
        """Returns the next 64 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & _MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Returns an integer from 0 to n - 1."""
        return (self.bits() >> 11) % n

    def between(self, low: int, high: int) -> int:
        """Returns an integer from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """Returns True in so many of a hundred cases."""
        return self.below(100) < percent

    def pick(self, values: Sequence[Any]) -> Any:
        """Returns one of the values."""
        return values[self.below(len(values))]

    def some(self, values: Sequence[Any], n: int) -> list[Any]:
        """Returns n different ones of the values, in random order."""
        rest = list(values)
        return [rest.pop(self.below(len(rest))) for _ in range(n)]
