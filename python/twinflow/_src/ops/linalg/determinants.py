"""Determinants and inverses."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu import lapack
from twinflow._src.backends.cpu.matrices import over_batch
from twinflow._src.backends.host_checks import is_host
from twinflow._src.core.dtypes import float16
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, Call, export, op
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
from twinflow._src.ops.reduce.reduce import reduce_sum
from twinflow._src.shape_rules.linalg import log_determinant, of_square, square


class LogMatrixDeterminant(NamedTuple):
    """What ``tf.linalg.slogdet`` gives."""

    sign: Any
    log_abs_determinant: Any


@op("MatrixDeterminant", api="linalg.det", shape=of_square, dtypes=MATRIX_TYPES)
def det(xp: Any, input: Any) -> Any:
    """Returns the determinants of matrices.

    Args:
        input: A tensor of square matrices.

    Returns:
        A tensor of the same type, of two dimensions less.

    Raises:
        InvalidArgumentError: The matrices are not square.
    """
    assert_matrix(input, square=True)
    return xp.asarray(over_batch(xp, xp.linalg.det, input), input.dtype)


def _as_matrices(numbers: Any) -> Any:
    """Numbers as matrices of one element."""
    return API["expand_dims"](API["expand_dims"](numbers, -1), -1)


@det.gradient
def _(call: Call, dy: Any) -> Any:
    # As in TensorFlow, a complex determinant is not conjugated here.
    factor = _as_matrices(dy * call.outputs)
    return factor * inv(call.inputs[0], adjoint=True)


@op("LogMatrixDeterminant", shape=log_determinant, dtypes=MATRIX_TYPES)
def _log_determinant(xp: Any, input: Any) -> Any:
    """Returns the signs of determinants and the logarithms of their absolute values.

    Args:
        input: A tensor of square matrices.

    Returns:
        Two tensors of the same type, of two dimensions less.

    Raises:
        InvalidArgumentError: The matrices are not square.
    """
    assert_matrix(input, square=True)
    sign, logarithm = over_batch(xp, lambda x: tuple(xp.linalg.slogdet(x)), input)
    unknown = xp.isnan(sign) | xp.isnan(logarithm)  # LAPACK takes NaN for a positive number
    sign, logarithm = xp.where(unknown, sign * math.nan, sign), xp.where(unknown, math.nan, logarithm)
    return [xp.asarray(sign, input.dtype), xp.asarray(logarithm).astype(input.dtype)]


@_log_determinant.gradient
def _(call: Call, _: Any, dlogarithm: Any) -> Any:
    # The sign of a real determinant is constant; as in TensorFlow, that of a complex one counts so too.
    factor = _as_matrices(dlogarithm)
    return factor * inv(call.inputs[0], adjoint=True)


@export("linalg.slogdet")
def slogdet(input: Any, name: str | None = None) -> Any:
    """Returns the signs of determinants and the logarithms of their absolute values.

    Args:
        input: A tensor of square matrices.
        name: A name for the operation.

    Returns:
        A named tuple of two tensors, ``sign`` and ``log_abs_determinant``.

    Raises:
        InvalidArgumentError: The matrices are not square.
    """
    return LogMatrixDeterminant(*_log_determinant(input))


@export("linalg.logdet")
def logdet(matrix: Any, name: str | None = None) -> Any:
    """Returns the logarithms of the determinants of positive definite matrices.

    Args:
        matrix: A tensor of self-adjoint positive definite matrices.
        name: A name for the operation.

    Returns:
        A tensor of the same type, of two dimensions less.

    Raises:
        InvalidArgumentError: The matrices are not square.
    """
    from twinflow._src.ops.elementwise.complex_numbers import real

    factor = cholesky(matrix)
    return 2.0 * reduce_sum(log(real(diag_part(factor))), axis=[-1])


def _of_two(x: Any) -> Any:
    """The inverse of one float32 matrix of two rows, rounded at each step as TensorFlow's elimination is; None where a pivot is zero."""
    first, second = x.reshape(2, 2)
    turned = abs(second[0]) > abs(first[0])
    (p, q), (r, s) = (second, first) if turned else (first, second)
    factor, zero, one = r / p, x.dtype.type(0), x.dtype.type(1)
    above, below = one / p, one / (s - factor * q)
    lower = (zero - factor) * below
    if not math.isfinite(above + below):
        return None
    found, i = np.empty_like(x), int(turned)
    a = found.reshape(4)
    a[i], a[1 - i], a[2 + i], a[3 - i] = (one - q * lower) * above, (zero - q * below) * above, lower, below
    return found


@op("MatrixInverse", api="linalg.inv", shape=square, dtypes=MATRIX_TYPES | {float16})
def inv(xp: Any, input: Any, *, adjoint: bool = False) -> Any:
    """Returns the inverses of matrices.

    Args:
        input: A tensor of square matrices.
        adjoint: Whether the inverses of the adjoints are wanted.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The matrices are not square, or one is not invertible.
    """
    assert_matrix(input, square=True)
    if has_no_pivot(xp, input):
        raise invalid("Input is not invertible.")
    try:
        x = wide(xp, input)
        result = _of_two(x) if x.size == 4 and x.shape[-1] == 2 and input.dtype.char == "f" and is_host(xp) else None
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
