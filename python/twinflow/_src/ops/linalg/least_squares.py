"""Linear systems with more or less equations than unknowns."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor, dense, is_tensor
from twinflow._src.core.dtypes import complex128, float64
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import Call, Kind, export, op
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import fill
from twinflow._src.ops.array.shapes import shape
from twinflow._src.ops.control.cond import cond
from twinflow._src.ops.elementwise.arithmetic import multiply
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.minmax import minimum
from twinflow._src.ops.linalg.decompositions import MATRIX_TYPES, adjoint_of, cholesky
from twinflow._src.ops.linalg.diagonals import diag
from twinflow._src.ops.linalg.matmul import matmul
from twinflow._src.ops.linalg.matrices import adjoint
from twinflow._src.ops.linalg.solve import cholesky_solve
from twinflow._src.shape_rules.linalg import least_squares

_Regularizer = Annotated[Any, Kind("double", only=float64, host=True)]
_CACHE = 256000  # bytes: many small matrices beyond that are solved by one op


@export("linalg.lstsq")
def lstsq(
    matrix: Any,
    rhs: Any,
    l2_regularizer: Any = 0.0,
    fast: bool = True,
    name: str | None = None,
) -> Any:
    """Returns the solutions of linear systems with the least sum of squared errors.

    Args:
        matrix: A tensor of matrices.
        rhs: A tensor of the same type: right-hand sides as columns.
        l2_regularizer: The weight of the squared norm of the solution.
        fast: Whether the normal equations are solved, which is fast and takes matrices of full rank;
            otherwise the solution of least norm comes from singular values.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
        NotImplementedError: Regularisation with complex128.
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
        return _by_normal_equations(*parts, sizes[0] >= sizes[1])
    dims = shape(matrix)
    return cond(
        dims[-2] >= dims[-1],
        lambda: _by_normal_equations(*parts, True),
        lambda: _by_normal_equations(*parts, False),
    )


def _by_normal_equations(matrix: Any, rhs: Any, weight: Any, tall: bool) -> Any:
    """A solution put together from other ops."""
    gramian = matmul(matrix, matrix, adjoint_a=tall, adjoint_b=not tall)
    if weight is not None:
        gramian = gramian + multiply(convert_to_tensor(weight, dtype_hint=matrix.dtype), _units(matrix))
    factor = cholesky(gramian)
    if tall:
        return cholesky_solve(factor, matmul(matrix, rhs, adjoint_a=True))
    return matmul(matrix, cholesky_solve(factor, rhs), adjoint_a=True)


def _by_parts(matrix: Any) -> bool:
    """Whether a solution is put together from other ops, as TensorFlow chooses it."""
    if not matrix.shape.is_fully_defined():
        return True
    *batch, rows, columns = matrix.shape.as_list()
    size = matrix.shape.num_elements() * matrix.dtype.size
    return not (size > _CACHE and math.prod(batch) > min(rows, columns))


def _units(matrix: Any) -> Any:
    """Unit matrices as large as the smaller dimension of matrices."""
    dims = shape(matrix)
    ones = fill(concat([dims[:-2], [minimum(dims[-2], dims[-1])]], 0), np.ones((), matrix.dtype.np))
    return diag(ones)


@op("MatrixSolveLs", shape=least_squares, dtypes=MATRIX_TYPES)
def matrix_solve_ls(
    xp: Any, matrix: Any, rhs: Any, l2_regularizer: _Regularizer, *, fast: bool = True
) -> Any:
    """Returns the solutions of linear systems with the least sum of squared errors.

    Args:
        matrix: A tensor of matrices.
        rhs: A tensor of the same type: right-hand sides as columns.
        l2_regularizer: The weight of the squared norm of the solution; it counts where ``fast`` is true.
        fast: Whether the normal equations are solved; otherwise the solution is that of least norm.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit, or a matrix is not of full rank.
    """
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
    """The solution of the normal equations."""
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
        return _slopes(call, dx, sizes[0] >= sizes[1])
    dims = shape(matrix)
    by_matrix, by_rhs = cond(
        dims[-2] >= dims[-1],
        lambda: _slopes(call, dx, True)[:2],
        lambda: _slopes(call, dx, False)[:2],
    )
    return by_matrix, by_rhs, None


def _slopes(call: Call, dx: Any, tall: bool) -> tuple[Any, Any, None]:
    """The gradients by the matrix and the right-hand sides."""
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
