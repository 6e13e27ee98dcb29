"""Chebyshev series: how the special functions are evaluated.

``special.txt`` holds the coefficients; ``tools/fit_special.py`` computes them and says of what. The
sums are Clenshaw's (C. W. Clenshaw, A note on the summation of Chebyshev series, Math. Comp. 9, 1955).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.core.data_files import read_text


@functools.cache
def _series() -> dict[str, tuple[float, float, tuple[float, ...]]]:
    text = read_text("ops/special/special.txt")
    found = {}
    for line in text.splitlines():
        name, low, high, *coefficients = line.split()
        found[name] = float(low), float(high), tuple(map(float, coefficients))
    return found


def constants(name: str) -> tuple[float, ...]:
    """The numbers of a line that is no series."""
    return _series()[name][2]


def chebyshev(name: str, x: Any) -> Any:
    """The value of a series.

    Args:
        name: The series.
        x: An array of float64 within its interval.
    """
    low, high, coefficients = _series()[name]
    twice = (4.0 * x - 2.0 * (low + high)) / (high - low)
    before, last = 0.0 * x, 0.0 * x + coefficients[-1]
    for c in coefficients[-2:0:-1]:
        value = twice * last
        value -= before
        value += c
        before, last = last, value
    return 0.5 * twice * last - before + coefficients[0]


def ratio(name: str, x: Any) -> Any:
    """The value of a ratio of two polynomials.

    Args:
        name: The ratio.
        x: An array of float64 within its interval.
    """
    value = _polynomial(constants(f"{name}_over"), x)
    value /= _polynomial(constants(f"{name}_under"), x)
    return value


def _polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """The value of a polynomial, by Horner's scheme."""
    value = x * coefficients[-1]
    for c in coefficients[-2:0:-1]:
        value += c
        value *= x
    value += coefficients[0]
    return value


def within(xp: Any, name: str, x: Any) -> Any:
    """The value of a series, at the ends of its interval for what lies outside of it."""
    low, high, _ = _series()[name]
    return chebyshev(name, xp.clip(x, low, high))


def widely(xp: Any, function: Callable[..., Any], *arrays: Any) -> Any:
    """A function of float64 arrays, applied to arrays of another floating type.

    Args:
        xp: The array module.
        function: Called with ``xp`` and the arrays.
        *arrays: Arrays of one type, which the result has as well.
    """
    result = function(xp, *(a.astype(xp.float64, copy=False) for a in arrays))
    return xp.asarray(result).astype(arrays[0].dtype, copy=False)
