"""Batched Gaussian elimination for tridiagonal systems.

``above``, ``main`` and ``below`` hold the diagonals along their last axis, each as long as the main
one: the last element of ``above`` and the first of ``below`` are not read. Right-hand sides are
columns.
"""

from __future__ import annotations

from typing import Any


def _column(x: Any) -> Any:
    return x[..., None]


def _not_a_number_where(xp: Any, singular: Any, x: Any) -> Any:
    return xp.where(singular[..., None, None], xp.asarray(xp.nan, x.dtype), x)


def without_pivots(xp: Any, above: Any, main: Any, below: Any, rhs: Any) -> Any:
    """Solves systems without pivoting (Thomas algorithm); NaN if a pivot becomes zero."""
    count, singular = main.shape[-1], xp.zeros(main.shape[:-1], bool)
    ratios, x = xp.zeros_like(main), xp.zeros_like(rhs)
    for i in range(count):
        pivot, rest = main[..., i], rhs[..., i, :]
        if i:
            pivot = pivot - below[..., i] * ratios[..., i - 1]
            rest = rest - _column(below[..., i]) * x[..., i - 1, :]
        singular = singular | (pivot == 0)
        ratios[..., i] = above[..., i] / pivot
        x[..., i, :] = rest / _column(pivot)
    for i in range(count - 2, -1, -1):
        x[..., i, :] -= _column(ratios[..., i]) * x[..., i + 1, :]
    return _not_a_number_where(xp, singular, x)


class _Factors:
    """An upper triangular matrix with two superdiagonals, and the transformed right-hand sides."""

    def __init__(self, xp: Any, above: Any, main: Any, rhs: Any) -> None:
        self.xp = xp
        self.main, self.first, self.second = main.copy(), above.copy(), xp.zeros_like(main)
        self.rows = rhs.copy()
        self.first[..., -1] = 0

    def eliminate(self, i: int, below: Any, exchanged: Any) -> None:
        """Eliminates the element below a pivot, after optional exchange of both rows."""
        xp, last = self.xp, i + 2 == self.main.shape[-1]
        top = self.main[..., i], self.first[..., i], xp.zeros_like(below)
        low = below, self.main[..., i + 1], self.first[..., i + 1]
        pivot, other = xp.where(exchanged, low[0], top[0]), xp.where(exchanged, top[0], low[0])
        factor = xp.where(other == 0, 0, other / xp.where(pivot == 0, 1, pivot))
        self.main[..., i] = pivot
        self.main[..., i + 1], self.first[..., i] = self._two(exchanged, factor, top[1], low[1])
        if not last:
            rest = self._two(exchanged, factor, top[2], low[2])
            self.first[..., i + 1], self.second[..., i] = rest
        row, next_row = self.rows[..., i, :], self.rows[..., i + 1, :]
        rows = self._two(_column(exchanged), _column(factor), row, next_row)
        self.rows[..., i + 1, :], self.rows[..., i, :] = rows

    def _two(self, exchanged: Any, factor: Any, top: Any, low: Any) -> tuple[Any, Any]:
        """Returns the new lower and upper element of two rows."""
        xp = self.xp
        pivot_row, other = xp.where(exchanged, low, top), xp.where(exchanged, top, low)
        return other - factor * pivot_row, pivot_row

    def solved(self, divided: Any) -> Any:
        """Solves by back substitution; ``divided`` divides a row by pivots."""
        x, count = self.rows, self.main.shape[-1]
        for i in range(count - 1, -1, -1):
            row = x[..., i, :]
            if i + 1 < count:
                row = row - _column(self.first[..., i]) * x[..., i + 1, :]
            if i + 2 < count:
                row = row - _column(self.second[..., i]) * x[..., i + 2, :]
            x[..., i, :] = divided(row, self.main[..., i])
        return x


def with_pivots(xp: Any, above: Any, main: Any, below: Any, rhs: Any) -> Any:
    """Solves systems with partial pivoting; NaN if a matrix is singular."""
    result = _Factors(xp, above, main, rhs)
    for i in range(main.shape[-1] - 1):
        under = below[..., i + 1]
        result.eliminate(i, under, xp.abs(result.main[..., i]) < xp.abs(under))
    singular = (result.main == 0).any(axis=-1)
    x = result.solved(lambda row, pivot: row / _column(pivot))
    return _not_a_number_where(xp, singular, x)


def perturbed(xp: Any, above: Any, main: Any, below: Any, rhs: Any) -> Any:
    """Solves systems that may be singular, with perturbed small pivots.

    Rows are scaled for pivoting, and the pivots of the back substitution are enlarged until nothing
    overflows, as LAPACK's ``lagtf`` and ``lagts`` do for inverse iteration.
    """
    result, size, count = _Factors(xp, above, main, rhs), xp.abs, main.shape[-1]
    weight = size(result.main[..., 0]) + size(result.first[..., 0])
    largest = xp.maximum(size(result.main[..., 0]), size(result.first[..., 0]))
    for i in range(count - 1):
        under = below[..., i + 1]
        next_weight = size(under) + size(result.main[..., i + 1]) + size(result.first[..., i + 1])
        exchanged = _share(xp, under, next_weight) > _share(xp, result.main[..., i], weight)
        result.eliminate(i, under, exchanged)
        weight = xp.where(exchanged, weight, next_weight)
        if 0 < i < count - 2:  # TensorFlow considers only these rows
            row = xp.stack([result.main[..., i], result.first[..., i], result.second[..., i]])
            largest = xp.maximum(largest, size(row).max(axis=0))
    limits = xp.finfo(main.dtype)
    step = xp.maximum(largest * limits.eps, limits.tiny)
    return result.solved(lambda row, pivot: row / _column(_enlarged(xp, row, pivot, step)))


def _share(xp: Any, element: Any, weight: Any) -> Any:
    return xp.where(element == 0, 0, xp.abs(element) / xp.where(weight == 0, 1, weight))


def _enlarged(xp: Any, row: Any, pivot: Any, step: Any) -> Any:
    """Moves pivots away from zero by doubling steps, until no quotient overflows."""
    limits = xp.finfo(pivot.dtype)
    inverse = 1 / limits.tiny
    largest = xp.abs(row).max(axis=-1) if row.shape[-1] else xp.zeros(row.shape[:-1], limits.dtype)
    step = xp.where(pivot.real < 0, -step, step)
    pivot = xp.where(xp.abs(pivot) < limits.tiny, 0, pivot).astype(pivot.dtype)
    while True:
        small = (xp.abs(pivot) < limits.tiny) | (largest > xp.abs(pivot) * inverse)
        if not small.any():
            return pivot
        pivot = xp.where(small, pivot + step, pivot).astype(pivot.dtype)
        step = step * 2
