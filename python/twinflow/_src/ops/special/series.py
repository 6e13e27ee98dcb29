"""What series and continued fractions are summed with.

The fractions are evaluated by Lentz' method as modified by I. J. Thompson and A. R. Barnett,
J. Comput. Phys. 64 (1986).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from twinflow._src.backends.host_checks import is_written
from twinflow._src.ops.special.gammafunctions import log_gamma, stirling_rest

_STEPS = 10000
EPSILON = 2.0**-54
SETTLED = 2.0**-50
TINY = 1e-300


def density(xp: Any, a: Any, x: Any) -> Any:
    """x^a exp(-x) / gamma(a + 1), for large a without the cancellation of large logarithms."""
    plain = xp.exp(a * xp.log(x) - x - log_gamma(xp, a + 1.0))
    large = xp.maximum(a, 10.0)
    away = (x - large) / large
    exponent = large * (xp.log1p(away) - away) - stirling_rest(xp, large)
    return xp.where(a < 10.0, plain, xp.exp(exponent) / xp.sqrt(2.0 * math.pi * large))


def settled(xp: Any, step: Callable[..., Any], count: int, *state: Any) -> list[Any]:
    """What elements settle at under a repeated step; those that have are left out of the next ones.

    Args:
        xp: The array module.
        step: Called with the number of the step and the state; gives the state anew, and where it
            still changes.
        count: How many parts of the state, the first ones, are wanted.
        *state: Arrays of one shape.

    Returns:
        The parts of the state that are wanted.
    """
    if is_written(xp):
        return list(xp.rounds(step, 1, _STEPS, 8, state)[:count])
    shape = state[0].shape
    state = tuple(part.reshape(-1) for part in state)
    results, places = [part.copy() for part in state[:count]], xp.arange(state[0].size)
    for n in range(1, _STEPS):
        *rest, moving = step(n, *state)
        state = tuple(rest)
        if n % 8 == 0:
            for result, part in zip(results, state):
                result[places] = part
            left = xp.nonzero(moving)[0]
            if not left.size:
                break
            if 4 * left.size < 3 * places.size:
                places, state = places[left], tuple(part[left] for part in state)
    return [result.reshape(shape) for result in results]


def nonzero(xp: Any, x: Any) -> Any:
    return xp.where(xp.abs(x) < TINY, TINY, x)
