"""LU factorization with partial pivoting, batched and blocked."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.backends.cpu import lapack
from twinflow._src.ops.linalg.matmul import multiplied

_PANEL = 32  # columns per panel; a matrix product updates the trailing columns


def eliminated(xp: Any, x: Any) -> tuple[Any, Any] | None:
    """Returns the packed LU factors of matrices and their row permutations.

    Args:
        xp: The array module.
        x: An array of square matrices.

    Returns:
        The two arrays, or None if a matrix is singular.
    """
    if lapack.pays(xp, x) and x.dtype.kind == "f" and xp.isfinite(x).all():
        factors, order = lapack.factored(x)
        return (factors, order) if factors.diagonal().all() else None
    return _by_panels(xp, x)


def _by_panels(xp: Any, x: Any) -> tuple[Any, Any] | None:
    size = x.shape[-1]
    lu = x.reshape(math.prod(x.shape[:-2]), size, size).copy()
    order = xp.tile(xp.arange(size), (len(lu), 1))
    batch = xp.arange(len(lu))
    for start in range(0, size, _PANEL):
        stop = min(start + _PANEL, size)
        for k in range(start, stop):
            pivot = k + xp.argmax(xp.abs(lu[:, k:, k]), axis=1)
            for table in (lu, order):
                table[batch, k], table[batch, pivot] = table[batch, pivot], table[batch, k].copy()
            if not xp.all(lu[:, k, k] != 0):
                return None
            lu[:, k + 1 :, k] /= lu[:, k, k, None]
            lu[:, k + 1 :, k + 1 : stop] -= lu[:, k + 1 :, k, None] * lu[:, k, None, k + 1 : stop]
        _update(xp, lu, start, stop)
    return lu.reshape(x.shape), order.reshape(x.shape[:-1])


def _update(xp: Any, lu: Any, start: int, stop: int) -> None:
    """Updates the trailing columns with the factors of a panel."""
    if stop == lu.shape[-1]:
        return
    for k in range(start + 1, stop):
        lu[:, k, stop:] -= xp.matmul(lu[:, k, None, start:k], lu[:, start:k, stop:])[:, 0]
    lu[:, stop:, stop:] -= multiplied(xp, lu[:, stop:, start:stop], lu[:, start:stop, stop:])
