"""Functions of square matrices: by way of eigenvalues, or by iterations where eigenvectors are (nearly) parallel."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

_WORST = 1e6  # the condition of eigenvectors beyond which they tell too little
_STEPS = 60


@functools.cache
def _rule() -> list[tuple[float, float]]:
    """Gauss and Legendre's points between 0 and 1, and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    return list(zip((nodes + 1) / 2, weights / 2, strict=True))


def of_matrices(xp: Any, x: Any, function: Callable[[Any], Any], otherwise: Callable[[Any, Any], Any]) -> Any:
    """A function of square matrices.

    Args:
        xp: The array module.
        x: Complex matrices.
        function: The function of eigenvalues.
        otherwise: The function of one matrix, of an array module and the matrix, whose eigenvectors do not do.

    Returns:
        Matrices of the type complex128.
    """
    wide = x.astype(np.complex128)
    values, vectors = xp.linalg.eig(wide)
    turned = xp.swapaxes(vectors * function(values)[..., None, :], -1, -2)
    poor = ~(xp.linalg.cond(vectors) < _WORST)
    base = xp.where(poor[..., None, None], xp.eye(x.shape[-1]), vectors)
    found = xp.swapaxes(xp.linalg.solve(xp.swapaxes(base, -1, -2), turned), -1, -2)
    for place in np.argwhere(poor):
        found[tuple(place)] = otherwise(xp, wide[tuple(place)])
    return found


def root(xp: Any, a: Any) -> Any:
    """The principal square root of a matrix, by the iteration of Denman and Beavers.

    Args:
        xp: The array module.
        a: A complex matrix.
    """
    x, y = a, xp.eye(len(a), dtype=a.dtype)
    try:
        for _ in range(_STEPS):
            before = x
            x, y = (x + xp.linalg.inv(y)) / 2, (y + xp.linalg.inv(x)) / 2
            if xp.abs(x - before).max() <= 1e-15 * xp.abs(x).max():
                break
    except np.linalg.LinAlgError:  # a singular matrix whose eigenvectors are parallel has no such root
        return xp.full(a.shape, xp.nan, a.dtype)
    return x


def logarithm(xp: Any, a: Any) -> Any:
    """The principal logarithm of a matrix: of a root that is nearly a unit matrix, by an integral.

    Args:
        xp: The array module.
        a: A complex matrix.
    """
    unit, times = xp.eye(len(a)), 0
    while xp.abs(a - unit).max() > 0.2 and times < _STEPS:
        a, times = root(xp, a), times + 1
    rest = a - unit
    nodes = _rule()
    return 2**times * sum(w * xp.linalg.solve(unit + t * rest, rest) for t, w in nodes)
