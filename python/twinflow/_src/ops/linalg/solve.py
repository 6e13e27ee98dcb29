"""Systems of linear equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.backends.cpu import lapack
from twinflow._src.backends.cpu.matrices import over_batch
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Call, export, op
from twinflow._src.ops.linalg.decompositions import MATRIX_TYPES, adjoint_of, has_no_pivot
from twinflow._src.ops.linalg.matmul import matmul
from twinflow._src.ops.linalg.matrix_product import multiplied
from twinflow._src.ops.linalg.tensor_diagonals import band_part
from twinflow._src.shape_rules.linalg import solved, solved_by_substitution

_BLOCK = 64  # rows that are solved one after the other before a matrix product takes the rest


@op("MatrixSolve", api="linalg.solve", shape=solved, dtypes=MATRIX_TYPES)
def solve(xp: Any, matrix: Any, rhs: Any, *, adjoint: bool = False) -> Any:
    """Returns the solutions of systems of linear equations.

    Args:
        matrix: A tensor of square matrices.
        rhs: A tensor of the same type and rank: right-hand sides as columns.
        adjoint: Whether the adjoints of the matrices are meant.

    Returns:
        A tensor of the type and shape of ``rhs``.

    Raises:
        InvalidArgumentError: The shapes do not fit, or a matrix is not invertible.
    """
    for i, x in enumerate((matrix, rhs)):
        if x.ndim != matrix.ndim:
            raise invalid("All input tensors must have the same rank.")
        if x.ndim < 2:
            raise invalid(f"Input tensor {i} must have rank >= 2, got {x.ndim}")
    if matrix.shape[:-2] != rhs.shape[:-2]:
        raise invalid("All input tensors must have the same outer dimensions.")
    if matrix.shape[-1] != matrix.shape[-2]:
        raise invalid("First input (lhs) must be a square matrix.")
    if matrix.shape[-1] != rhs.shape[-2]:
        raise invalid("Input matrix and rhs are incompatible.")
    if has_no_pivot(xp, matrix):
        raise invalid("Input matrix is not invertible.")
    matrix = adjoint_of(xp, matrix) if adjoint else matrix
    try:
        return lapack.solved(matrix, rhs) if lapack.pays(xp, matrix) else over_batch(xp, xp.linalg.solve, matrix, rhs)
    except np.linalg.LinAlgError:
        raise invalid("Input matrix is not invertible.") from None


@solve.gradient
def _(call: Call, dx: Any) -> Any:
    adjoint = call.attrs["adjoint"]
    drhs = solve(call.inputs[0], dx, adjoint=not adjoint)
    return -_outer(drhs, call.outputs, adjoint), drhs


def _outer(drhs: Any, x: Any, adjoint: bool) -> Any:
    """The products of the columns of a gradient and of a solution, as they bear on the matrices."""
    return matmul(x, drhs, adjoint_b=True) if adjoint else matmul(drhs, x, adjoint_b=True)


@op(
    "MatrixTriangularSolve",
    api="linalg.triangular_solve",
    shape=solved_by_substitution,
    dtypes=MATRIX_TYPES,
)
def triangular_solve(
    xp: Any, matrix: Any, rhs: Any, *, lower: bool = True, adjoint: bool = False
) -> Any:
    """Returns the solutions of systems of linear equations with triangular matrices.

    Args:
        matrix: A tensor of square matrices, of which one triangle is read.
        rhs: A tensor of the same type: right-hand sides as columns, broadcast over the batch.
        lower: Whether the lower triangle is meant.
        adjoint: Whether the adjoints of the matrices are meant.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    batch = _triangular_batch(xp, matrix, rhs, lower, adjoint)
    size = matrix.shape[-1]
    if adjoint:
        matrix, lower = adjoint_of(xp, matrix), not lower
    if lapack.pays(xp, matrix) and rhs.ndim == 2:
        return lapack.substituted(matrix, rhs, lower)
    x = xp.broadcast_to(rhs, batch + rhs.shape[-2:]).copy()
    order = range(0, size, _BLOCK) if lower else range((size - 1) // _BLOCK * _BLOCK, -1, -_BLOCK)
    for start in order:
        stop = min(start + _BLOCK, size)
        for i in range(start, stop) if lower else range(stop - 1, start - 1, -1):
            done = slice(start, i) if lower else slice(i + 1, stop)
            known = xp.matmul(matrix[..., i : i + 1, done], x[..., done, :])
            x[..., i, :] = (x[..., i, :] - known[..., 0, :]) / matrix[..., i, i, None]
        rest = slice(stop, size) if lower else slice(0, start)
        x[..., rest, :] -= multiplied(xp, matrix[..., rest, start:stop], x[..., start:stop, :])
    return x


@triangular_solve.gradient
def _(call: Call, dx: Any) -> Any:
    matrix, rhs = call.inputs
    lower, adjoint = call.attrs["lower"], call.attrs["adjoint"]
    drhs = triangular_solve(matrix, dx, lower=lower, adjoint=not adjoint)
    dmatrix = -_outer(drhs, call.outputs, adjoint)
    dmatrix = band_part(dmatrix, -1, 0) if lower else band_part(dmatrix, 0, -1)
    return unbroadcast(dmatrix, matrix), unbroadcast(drhs, rhs)


def _triangular_batch(
    xp: Any, matrix: Any, rhs: Any, lower: bool, adjoint: bool
) -> tuple[int, ...]:
    """The batch dimensions of a triangular solution; raises where the shapes do not fit."""
    for i, x in enumerate((matrix, rhs)):
        if x.ndim < 2:
            raise invalid(f"In[{i}] ndims must be >= 2: {x.ndim}")
    rows, cols = matrix.shape[-2:]
    try:
        batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    except ValueError:
        raise invalid(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{text(matrix.shape)} vs. {text(rhs.shape)}"
        ) from None
    if rows != cols:
        raise invalid(f"In[0] matrices in the last dimensions must be square ({cols} =/= {rows})")
    if cols != rhs.shape[-2]:
        raise invalid(
            f"In[0] mismatch In[1] shape: {cols} vs. {rhs.shape[-2]}: {text(matrix.shape)} "
            f"{text(rhs.shape)} {int(lower)} {int(adjoint)}"
        )
    return batch


@export("linalg.cholesky_solve")
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """Returns the solutions of linear systems, given the Cholesky factors of the matrices.

    Args:
        chol: A tensor of lower triangular matrices, as ``tf.linalg.cholesky`` gives them.
        rhs: A tensor of the same type: right-hand sides as columns.
        name: A name for the operation.

    Returns:
        A tensor of the type and shape of ``rhs``.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    half = triangular_solve(chol, rhs, adjoint=False, lower=True)
    return triangular_solve(chol, half, adjoint=True, lower=True)
