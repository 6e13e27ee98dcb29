"""Solvers of linear systems: general, triangular, Cholesky, banded, and least squares."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.backends.cpu import lapack
from twinflow._src.backends.cpu.matrices import over_batch
from twinflow._src.conversion.constant import convert_to_tensor, dense, is_tensor
from twinflow._src.core.dtypes import as_dtype, complex128, float64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import broadcast, static_size, text
from twinflow._src.dispatch.op import API, Call, Kind, documented_like, export, op
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import fill
from twinflow._src.ops.array.shapes import shape, size_of
from twinflow._src.ops.control.cond import cond
from twinflow._src.ops.elementwise.arithmetic import multiply
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.minmax import minimum
from twinflow._src.ops.linalg.decompositions import MATRIX_TYPES, adjoint_of, cholesky, has_no_pivot
from twinflow._src.ops.linalg.diagonals import band_part, diag
from twinflow._src.ops.linalg.matmul import matmul, multiplied
from twinflow._src.ops.linalg.matrices import adjoint
from twinflow._src.shape_rules.demands import merged_size
from twinflow._src.shape_rules.linalg import (
    least_squares,
    solved,
    solved_by_substitution,
    split_off,
)

_BLOCK = 64  # rows per block of the substitution; a matrix product updates the others


@op("MatrixSolve", api="linalg.solve", shape=solved, dtypes=MATRIX_TYPES)
def solve(xp: Any, matrix: Any, rhs: Any, *, adjoint: bool = False) -> Any:
    """Solves systems of linear equations.

    Args:
        matrix: A tensor of square matrices.
        rhs: A tensor of the same dtype and rank: right-hand sides as columns.
        adjoint: If True, solves with the adjoint of ``matrix``.

    Returns:
        A tensor of the dtype and shape of ``rhs``.

    Raises:
        InvalidArgumentError: The shapes are incompatible, or a matrix is not invertible.
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
        return (
            lapack.solved(matrix, rhs)
            if lapack.pays(xp, matrix)
            else over_batch(xp, xp.linalg.solve, matrix, rhs)
        )
    except np.linalg.LinAlgError:
        raise invalid("Input matrix is not invertible.") from None


@solve.batched
def _(call: Any) -> Any:
    if call.is_batched[0] or call.rank(0) != 2:
        return call.leading()
    rows = API["transpose"](call.inputs[1], [1, 0, 2])  # one matrix: the columns of all elements
    sizes = API["shape"](rows)
    x = call.run(
        call.inputs[0], API["reshape"](rows, API["stack"]([sizes[0], sizes[1] * sizes[2]]))
    )
    return API["transpose"](API["reshape"](x, sizes), [1, 0, 2])


@solve.gradient
def _(call: Call, dx: Any) -> Any:
    adjoint = call.attrs["adjoint"]
    drhs = solve(call.inputs[0], dx, adjoint=not adjoint)
    return -_outer(drhs, call.outputs, adjoint), drhs


def _outer(drhs: Any, x: Any, adjoint: bool) -> Any:
    """Returns the outer products of gradient and solution, the gradient of the matrices."""
    return matmul(x, drhs, adjoint_b=True) if adjoint else matmul(drhs, x, adjoint_b=True)


@op(
    "MatrixTriangularSolve",
    api="linalg.triangular_solve",
    shape=solved_by_substitution,
    dtypes=MATRIX_TYPES,
    tf_name="triangular_solve/MatrixTriangularSolve",
)
def triangular_solve(
    xp: Any, matrix: Any, rhs: Any, *, lower: bool = True, adjoint: bool = False
) -> Any:
    """Solves systems of linear equations with triangular matrices.

    Args:
        matrix: A tensor of square matrices; only one triangle is read.
        rhs: A tensor of the same dtype: right-hand sides as columns, broadcast over the batch.
        lower: If True, uses the lower triangle, otherwise the upper one.
        adjoint: If True, solves with the adjoint of ``matrix``.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: The shapes are incompatible.
    """
    batch = _triangular_batch(matrix, rhs, lower, adjoint)
    size = matrix.shape[-1]
    if adjoint:
        matrix, lower = adjoint_of(xp, matrix), not lower
    if lapack.pays(xp, matrix, lapack.LEAST_TRIANGULAR) and rhs.ndim == 2:
        return lapack.substituted(matrix, rhs, lower)
    x = xp.broadcast_to(rhs, batch + rhs.shape[-2:]).copy()
    order = range(0, size, _BLOCK) if lower else range((size - 1) // _BLOCK * _BLOCK, -1, -_BLOCK)
    for start in order:
        stop = min(start + _BLOCK, size)
        for i in range(start, stop) if lower else range(stop - 1, start - 1, -1):
            done = slice(start, i) if lower else slice(i + 1, stop)
            solved = xp.matmul(matrix[..., i : i + 1, done], x[..., done, :])
            x[..., i, :] = (x[..., i, :] - solved[..., 0, :]) / matrix[..., i, i, None]
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


def _triangular_batch(matrix: Any, rhs: Any, lower: bool, adjoint: bool) -> tuple[int, ...]:
    """Returns the batch shape of a triangular solve; raises if the shapes are incompatible."""
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
@documented_like(solve)
def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """Solves systems of linear equations from the Cholesky factors of the matrices.

    Args:
        chol: A tensor of lower triangular matrices, such as the result of ``tf.linalg.cholesky``.
        rhs: A tensor of the same dtype: right-hand sides as columns.

    Raises:
        InvalidArgumentError: The shapes are incompatible.
    """
    half = triangular_solve(chol, rhs, adjoint=False, lower=True)
    return triangular_solve(chol, half, adjoint=True, lower=True)


# ------------------------------------------------------------------ banded triangular systems


def _solved(bands: Any, rhs: Any, **_attrs: Any) -> Any:
    (left, _, size), (right, rhs_size, columns) = split_off(bands), split_off(rhs)
    if left is None or right is None:
        return None
    batch = broadcast(left, right)
    return None if batch is None else (*batch, merged_size(size, rhs_size), columns)


def _batch(bands: Any, rhs: Any, lower: bool, adjoint: bool) -> tuple[int, ...]:
    """Returns the batch shape of a banded solve; raises if the shapes are incompatible."""
    for i, x in enumerate((bands, rhs)):
        if x.ndim < 2:
            raise invalid(f"In[{i}] ndims must be >= 2: {x.ndim}")
        if not x.size:
            name = f"type: {as_dtype(x.dtype).cname} shape: {text(x.shape)} values: "
            raise invalid(f"In[{i}] must not be an empty tensor: Tensor<{name}>")
    shapes = f"{text(bands.shape)} vs. {text(rhs.shape)}"
    try:
        batch = np.broadcast_shapes(bands.shape[:-2], rhs.shape[:-2])
    except ValueError:
        message = f"In[0] and In[1] must have compatible batch dimensions: {shapes}"
        raise invalid(message) from None
    size, actual = bands.shape[-1], rhs.shape[-2]
    if size != actual:
        raise invalid(
            f"In[0] mismatch In[1] shape: {size} vs. {actual}: {text(bands.shape)} "
            f"{text(rhs.shape)} {int(lower)} {int(adjoint)}"
        )
    return batch


def _terms(xp: Any, diagonals: Any, row: int, lower: bool, adjoint: bool) -> tuple[Any, Any]:
    """Returns the off-diagonal elements of a row and their column indices."""
    count, size = diagonals.shape[-2:]
    step = -1 if lower != adjoint else 1
    columns = [c for i in range(1, count) if 0 <= (c := row + i * step) < size]
    bands = range(1, len(columns) + 1)
    rows = columns if adjoint else [row] * len(columns)
    elements = diagonals[..., list(bands), rows]
    return xp.conj(elements) if adjoint else elements, columns


@op(
    "BandedTriangularSolve",
    api="linalg.banded_triangular_solve",
    shape=_solved,
    dtypes=MATRIX_TYPES,
    devices=("CPU",),
)
@documented_like(triangular_solve)
def banded_triangular_solve(
    xp: Any, bands: Any, rhs: Any, *, lower: bool = True, adjoint: bool = False
) -> Any:
    """Solves systems of linear equations with banded triangular matrices.

    Args:
        bands: The diagonals of the matrices as rows: the main diagonal first for lower triangular
            matrices, last for upper ones. An element's index in its diagonal is its row in the
            matrix.
        lower: If True, the matrices are lower triangular.

    Raises:
        InvalidArgumentError: The shapes are incompatible, or a matrix is not invertible.
    """
    batch = _batch(bands, rhs, lower, adjoint)
    diagonals = bands if lower else bands[..., ::-1, :]
    if not diagonals[..., 0, :].all():
        raise invalid("Input matrix is not invertible.")
    main = xp.conj(diagonals[..., 0, :]) if adjoint else diagonals[..., 0, :]
    x = xp.broadcast_to(rhs, batch + rhs.shape[-2:]).copy()
    for row in range(x.shape[-2])[:: 1 if lower != adjoint else -1]:
        elements, columns = _terms(xp, diagonals, row, lower, adjoint)
        solved = (elements[..., None] * x[..., columns, :]).sum(axis=-2)
        x[..., row, :] = (x[..., row, :] - solved) / main[..., row, None]
    return x


@banded_triangular_solve.gradient
def _(call: Call, dx: Any) -> Any:
    (bands, rhs), x = call.inputs, call.outputs
    lower, adjoint = call.attrs["lower"], call.attrs["adjoint"]
    drhs = banded_triangular_solve(bands, dx, lower=lower, adjoint=not adjoint)
    first, second = (x, drhs) if adjoint else (drhs, x)
    dmatrix = API["negative"](API["matmul"](first, second, adjoint_b=True))
    count = size_of(bands, -2) - 1
    k = (-count, 0) if lower else (0, count)
    dbands = API["linalg.diag_part"](dmatrix, k=k, align="LEFT_RIGHT")
    return unbroadcast(dbands, bands), unbroadcast(drhs, rhs)


# ------------------------------------------------------------------ least squares


_Regularizer = Annotated[Any, Kind("double", only=float64, host=True)]
_CACHE = 256000  # bytes: larger batches of small matrices are solved by MatrixSolveLs


@export("linalg.lstsq")
@documented_like(triangular_solve)
def lstsq(
    matrix: Any,
    rhs: Any,
    l2_regularizer: Any = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Any:
    """Solves linear least-squares problems.

    Args:
        matrix: A tensor of matrices.
        rhs: A tensor of the same dtype: right-hand sides as columns.
        l2_regularizer: The weight of the L2 regularization of the solution.
        fast: If True, solves the normal equations, which requires matrices of full rank; otherwise
            computes the minimum-norm solution from the singular values.

    Raises:
        InvalidArgumentError: The shapes are incompatible.
        NotImplementedError: Regularization with complex128.
    """
    matrix = dense(matrix)
    regular = not is_tensor(l2_regularizer) and l2_regularizer == 0
    if matrix.dtype is complex128 and not regular:
        raise NotImplementedError(
            "matrix_solve_ls is currently disabled for complex128 and l2_regularizer != 0 due to "
            "poor accuracy."
        )
    if not (fast and _by_parts(matrix)):
        weight = convert_to_tensor(l2_regularizer, dtype=float64)
        return matrix_solve_ls(matrix, rhs, weight, fast=fast)
    parts = matrix, rhs, None if regular else l2_regularizer
    sizes = matrix.shape[-2:]
    if sizes.is_fully_defined():
        return _by_normal_equations(*parts, static_size(sizes, 0) >= static_size(sizes, 1))
    dims = shape(matrix)
    return cond(
        dims[-2] >= dims[-1],
        lambda: _by_normal_equations(*parts, True),
        lambda: _by_normal_equations(*parts, False),
    )


def _by_normal_equations(matrix: Any, rhs: Any, weight: Any, tall: bool) -> Any:
    """Returns the least-squares solution by Cholesky factorization of the normal equations."""
    gramian = matmul(matrix, matrix, adjoint_a=tall, adjoint_b=not tall)
    if weight is not None:
        gramian = gramian + multiply(
            convert_to_tensor(weight, dtype_hint=matrix.dtype), _units(matrix)
        )
    factor = cholesky(gramian)
    if tall:
        return cholesky_solve(factor, matmul(matrix, rhs, adjoint_a=True))
    return matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)


def _by_parts(matrix: Any) -> bool:
    """True if TensorFlow composes the solution of other ops rather than MatrixSolveLs."""
    if not matrix.shape.is_fully_defined():
        return True
    *batch, rows, columns = matrix.shape.as_list()
    size = matrix.shape.num_elements() * matrix.dtype.size
    return not (size > _CACHE and math.prod(batch) > min(rows, columns))


def _units(matrix: Any) -> Any:
    """Returns identity matrices of the size of the smaller dimension of matrices."""
    dims = shape(matrix)
    ones = fill(concat([dims[:-2], [minimum(dims[-2], dims[-1])]], 0), np.ones((), matrix.dtype.np))
    return diag(ones)


@op("MatrixSolveLs", shape=least_squares, dtypes=MATRIX_TYPES)
def matrix_solve_ls(
    xp: Any, matrix: Any, rhs: Any, l2_regularizer: _Regularizer, *, fast: bool = True
) -> Any:
    """Solves linear least-squares problems."""
    for i, x in enumerate((matrix, rhs)):
        if x.ndim < 2:
            raise invalid(f"Input tensor {i} must have rank >= 2, got {x.ndim}")
    if matrix.shape[:-2] != rhs.shape[:-2]:
        raise invalid("All input tensors must have the same outer dimensions.")
    if matrix.shape[-2] != rhs.shape[-2]:
        raise invalid("Input matrix and rhs are incompatible.")
    if fast:
        return _normal_solution(xp, matrix, rhs, float(l2_regularizer))
    cutoff = math.sqrt(max(matrix.shape[-2:])) * float(xp.finfo(matrix.dtype).eps)
    return xp.matmul(xp.linalg.pinv(matrix, rcond=cutoff), rhs)


def _normal_solution(xp: Any, matrix: Any, rhs: Any, weight: float) -> Any:
    """Returns the solution of the regularized normal equations."""
    rows, columns = matrix.shape[-2:]
    adjoint = adjoint_of(xp, matrix)
    tall = rows >= columns
    gramian = xp.matmul(adjoint, matrix) if tall else xp.matmul(matrix, adjoint)
    gramian = gramian + weight * xp.eye(min(rows, columns), dtype=matrix.dtype)
    try:
        xp.linalg.cholesky(gramian)
    except np.linalg.LinAlgError:
        raise invalid(
            "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a "
            "larger l2_regularizer > 0."
        ) from None
    if tall:
        return xp.linalg.solve(gramian, xp.matmul(adjoint, rhs))
    return xp.matmul(adjoint, xp.linalg.solve(gramian, rhs))


@matrix_solve_ls.gradient
def _(call: Call, dx: Any) -> Any:
    # G. H. Golub, V. Pereyra, The Differentiation of Pseudo-Inverses and Nonlinear Least Squares
    # Problems Whose Variables Separate, SIAM J. Numer. Anal. 10 (1973).
    if not call.attrs["fast"]:
        raise ValueError("Gradient not defined for fast=False")
    matrix = call.inputs[0]
    sizes = matrix.shape[-2:]
    if sizes.is_fully_defined():
        return _slopes(call, dx, static_size(sizes, 0) >= static_size(sizes, 1))
    dims = shape(matrix)
    by_matrix, by_rhs = cond(
        dims[-2] >= dims[-1],
        lambda: _slopes(call, dx, True)[:2],
        lambda: _slopes(call, dx, False)[:2],
    )
    return by_matrix, by_rhs, None


def _slopes(call: Call, dx: Any, tall: bool) -> tuple[Any, Any, None]:
    """Returns the gradients with respect to the matrix and the right-hand sides."""
    matrix, rhs, weight = call.inputs
    gramian = matmul(matrix, matrix, adjoint_a=tall, adjoint_b=not tall)
    factor = cholesky(gramian + cast(weight, matrix.dtype) * _units(matrix))
    if tall:
        x, z = call.outputs, cholesky_solve(factor, dx)
        both = matmul(z, x, adjoint_b=True)
        both = both + adjoint(both)
        return matmul(rhs, z, adjoint_b=True) - matmul(matrix, both), matmul(matrix, z), None
    y, z = cholesky_solve(factor, rhs), cholesky_solve(factor, matmul(matrix, dx))
    both = matmul(z, y, adjoint_b=True)
    both = both + adjoint(both)
    return matmul(y, dx, adjoint_b=True) - matmul(both, matrix), z, None
