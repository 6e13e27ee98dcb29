"""Solves, inverses and reconstruction from LU factors; determinants and matrix inverses."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu import lapack
from twinflow._src.backends.cpu.matrices import over_batch
from twinflow._src.backends.host_checks import is_host
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import float16, float32, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, Call, documented_like, export, op
from twinflow._src.ops.elementwise.math import log
from twinflow._src.ops.linalg.decompositions import (
    MATRIX_TYPES,
    adjoint_of,
    assert_matrix,
    cholesky,
    has_no_pivot,
    wide,
)
from twinflow._src.ops.linalg.diagonals import diag_part
from twinflow._src.ops.linalg.matmul import matmul
from twinflow._src.ops.linalg.operator_arguments import is_operator
from twinflow._src.ops.reduce.reduce import reduce_sum
from twinflow._src.shape_rules.linalg import log_determinant, of_square, square


def _factors(lower_upper: Any, perm: Any) -> tuple[Any, Any]:
    """Returns factors and permutations as tensors; raises ValueError for incompatible shapes."""
    factors = convert_to_tensor(lower_upper, dtype_hint=float32)
    order = convert_to_tensor(perm, dtype_hint=int32)
    rank, other = factors.shape.rank, order.shape.rank
    if rank is not None and rank < 2:
        raise ValueError("Input `lower_upper` must have at least 2 dimensions.")
    if rank is not None and other is not None and rank != other + 1:
        raise ValueError("`rank(lower_upper)` must equal `rank(perm) + 1`")
    rows, columns = (static_size(factors.shape, axis) for axis in (-2, -1))
    if factors.shape[:-2].is_fully_defined() and rows != columns:
        raise ValueError("`lower_upper` must be square.")
    return factors, order


def _lower(factors: Any) -> Any:
    """Returns the lower factor, with a unit diagonal."""
    below = API["linalg.band_part"](factors, num_lower=-1, num_upper=0)
    ones = API["ones"](API["shape"](factors)[:-1], dtype=factors.dtype)
    return API["linalg.set_diag"](below, ones)


def _permute_rhs(rhs: Any, order: Any) -> Any:
    """Permutes the rows of right-hand sides, with the batch dimensions of both broadcast."""
    if rhs.shape.rank == 2 and order.shape.rank == 1:
        return API["gather"](rhs, order, axis=-2)
    shape = API["shape"](rhs)
    batch = API["broadcast_dynamic_shape"](shape[:-2], API["shape"](order)[:-1])
    dims = API["concat"]([batch, shape[-2:]], 0)
    rhs = API["reshape"](API["broadcast_to"](rhs, dims), API["concat"]([[-1], shape[-2:]], 0))
    order = API["reshape"](API["broadcast_to"](order, dims[:-1]), API["stack"]([-1, shape[-2]]))
    return API["reshape"](API["gather"](rhs, order, batch_dims=1), dims)  # works for unknown ranks


@export("linalg.lu_solve")
def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Solves systems of linear equations from the LU factors of the matrices.

    Args:
        lower_upper: The packed factors, the ``lu`` of ``tf.linalg.lu``.
        perm: The row permutations, the ``p`` of ``tf.linalg.lu``.
        rhs: Right-hand sides as columns.
        validate_args: Accepted and without effect: arguments are always checked.

    Returns:
        A tensor of the dtype of the factors.

    Raises:
        ValueError: The shapes are incompatible.
    """
    factors, order = _factors(lower_upper, perm)
    rhs = convert_to_tensor(rhs, dtype_hint=factors.dtype)
    if rhs.shape.rank is not None and rhs.shape.rank < 2:
        raise ValueError("Input `rhs` must have at least 2 dimensions.")
    columns, rows = static_size(factors.shape, -1), static_size(rhs.shape, -2)
    if None not in (columns, rows) and columns != rows:
        raise ValueError("`lower_upper.shape[-1]` must equal `rhs.shape[-1]`.")
    permuted = _permute_rhs(rhs, order)
    half = API["linalg.triangular_solve"](_lower(factors), permuted)
    return API["linalg.triangular_solve"](factors, half, lower=False)


@export("linalg.lu_matrix_inverse")
@documented_like(lu_solve)
def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Computes the inverses of matrices from their LU factors.

    Returns:
        A tensor of the dtype and shape of the factors.
    """
    factors, order = _factors(lower_upper, perm)
    shape = API["shape"](factors)
    eye = API["eye"](shape[-1], batch_shape=shape[:-2], dtype=factors.dtype)
    return lu_solve(factors, order, eye)


@export("linalg.lu_reconstruct")
@documented_like(lu_matrix_inverse)
def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Reconstructs matrices from their LU factors.

    Raises:
        ValueError: The shapes are incompatible.
        InvalidArgumentError: ``perm`` is not a permutation.
    """
    factors, order = _factors(lower_upper, perm)
    upper = API["linalg.band_part"](factors, num_lower=0, num_upper=-1)
    product = API["matmul"](_lower(factors), upper)
    if factors.shape.rank == 2:
        result = API["gather"](product, API["math.invert_permutation"](order))
    else:
        result = _invert_permutation(product, order)
    result.set_shape(factors.shape)
    return result


def _invert_permutation(product: Any, order: Any) -> Any:
    shape = API["shape"](product)
    rows = API["reshape"](order, [-1, shape[-1]])
    back = API["map_fn"](API["math.invert_permutation"], rows)
    flat = API["reshape"](product, [-1, shape[-1], shape[-1]])
    return API["reshape"](API["gather"](flat, back, batch_dims=1), shape)


# ------------------------------------------------------------------ determinants and inverses


class LogMatrixDeterminant(NamedTuple):
    """Result of ``tf.linalg.slogdet``: signs and logarithms of absolute determinants."""

    sign: Any
    log_abs_determinant: Any


@op("MatrixDeterminant", api="linalg.det", shape=of_square, dtypes=MATRIX_TYPES)
def det(xp: Any, input: Any) -> Any:
    """Computes the determinants of square matrices.

    Args:
        input: A tensor of square matrices.

    Returns:
        A tensor of the same dtype, without the last two dimensions.

    Raises:
        InvalidArgumentError: The matrices are not square.
    """
    assert_matrix(input, square=True)
    return xp.asarray(over_batch(xp, xp.linalg.det, input), input.dtype)


def _as_matrices(numbers: Any) -> Any:
    """Reshapes scalars to 1 x 1 matrices."""
    return API["expand_dims"](API["expand_dims"](numbers, -1), -1)


@det.gradient
def _(call: Call, dy: Any) -> Any:
    # As in TensorFlow, a complex determinant is not conjugated here.
    factor = _as_matrices(dy * call.outputs)
    return factor * inv(call.inputs[0], adjoint=True)


@op("LogMatrixDeterminant", shape=log_determinant, dtypes=MATRIX_TYPES)
def _log_determinant(xp: Any, input: Any) -> Any:
    """Computes the signs of determinants and the logarithms of their absolute values."""
    assert_matrix(input, square=True)
    sign, logarithm = over_batch(xp, lambda x: tuple(xp.linalg.slogdet(x)), input)
    unknown = xp.isnan(sign) | xp.isnan(logarithm)  # LAPACK treats NaN as a positive number
    sign, logarithm = (
        xp.where(unknown, sign * math.nan, sign),
        xp.where(unknown, math.nan, logarithm),
    )
    return [xp.asarray(sign, input.dtype), xp.asarray(logarithm).astype(input.dtype)]


@_log_determinant.gradient
def _(call: Call, _: Any, dlogarithm: Any) -> Any:
    # The sign of a real determinant is constant; as in TensorFlow, that of a complex one is treated
    # so too.
    factor = _as_matrices(dlogarithm)
    return factor * inv(call.inputs[0], adjoint=True)


@export("linalg.slogdet")
@documented_like(det)
def slogdet(input: Any, name: str | None = None) -> Any:
    """Computes the signs of determinants and the logarithms of their absolute values.

    Args:
        name: A name for the operation.

    Returns:
        A named tuple of two tensors, ``sign`` and ``log_abs_determinant``.
    """
    return LogMatrixDeterminant(*_log_determinant(input))


@export("linalg.logdet")
@documented_like(det)
def logdet(matrix: Any, name: str | None = None) -> Any:
    """Computes the logarithms of the determinants of self-adjoint positive definite matrices.

    Args:
        matrix: A tensor of self-adjoint positive definite matrices.
    """
    from twinflow._src.ops.elementwise.complex_numbers import real

    if is_operator(matrix):
        return matrix.log_abs_determinant()
    factor = cholesky(matrix)
    return 2.0 * reduce_sum(log(real(diag_part(factor))), axis=[-1])


def _of_two(x: Any) -> Any:
    """Inverts a 2 x 2 float32 matrix with TensorFlow's rounding; returns None for a zero pivot."""
    first, second = x.reshape(2, 2)
    swapped = abs(second[0]) > abs(first[0])
    (p, q), (r, s) = (second, first) if swapped else (first, second)
    factor, zero, one = r / p, x.dtype.type(0), x.dtype.type(1)
    above, below = one / p, one / (s - factor * q)
    lower = (zero - factor) * below
    if not math.isfinite(above + below):
        return None
    inverse, i = np.empty_like(x), int(swapped)
    a = inverse.reshape(4)
    a[i], a[1 - i], a[2 + i], a[3 - i] = (
        (one - q * lower) * above,
        (zero - q * below) * above,
        lower,
        below,
    )
    return inverse


@op("MatrixInverse", api="linalg.inv", shape=square, dtypes=MATRIX_TYPES | {float16})
def inv(xp: Any, input: Any, *, adjoint: bool = False) -> Any:
    """Computes the inverses of square matrices.

    Args:
        input: A tensor of square matrices.
        adjoint: If True, computes the inverses of the adjoints.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: The matrices are not square, or one is not invertible.
    """
    assert_matrix(input, square=True)
    if has_no_pivot(xp, input):
        raise invalid("Input is not invertible.")
    try:
        x = wide(xp, input)
        result = (
            _of_two(x)
            if x.size == 4 and x.shape[-1] == 2 and input.dtype.char == "f" and is_host(xp)
            else None
        )
        if result is None:
            result = lapack.inverted(x) if lapack.pays(xp, x) else over_batch(xp, xp.linalg.inv, x)
        result = result.astype(input.dtype, copy=False)
    except np.linalg.LinAlgError:
        raise invalid("Input is not invertible.") from None
    return xp.ascontiguousarray(adjoint_of(xp, result)) if adjoint else result


@inv.gradient
def _(call: Call, dy: Any) -> Any:
    y = call.outputs
    if call.attrs["adjoint"]:
        return -matmul(y, matmul(dy, y, adjoint_a=True))
    return -matmul(y, matmul(dy, y, adjoint_b=True), adjoint_a=True)
