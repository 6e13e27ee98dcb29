"""Eigenvalues and eigenvectors of general, self-adjoint and Hermitian tridiagonal matrices.

``eigh_tridiagonal`` finds eigenvalues by bisection and eigenvectors by inverse iteration.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu.matrices import over_batch
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import DType, as_dtype, complex64, complex128, float32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, Call, Type, documented_like, export, op
from twinflow._src.numerics.object_arrays import inexact_limits
from twinflow._src.ops.linalg.decompositions import (
    MATRIX_TYPES,
    assert_matrix,
    eig_gradient,
    eigh_gradient,
)
from twinflow._src.shape_rules.linalg import eigen


@op("SelfAdjointEigV2", shape=eigen, dtypes=MATRIX_TYPES)
def _self_adjoint_eig(xp: Any, input: Any, *, compute_v: bool = True) -> Any:
    """Computes eigenvalues and eigenvectors of self-adjoint matrices."""
    assert_matrix(input, square=True)
    lower = xp.tril(input)
    if not xp.isfinite(lower).all():
        raise invalid(
            "Self-adjoint eigen decomposition was not successful. The input might not be valid."
        )
    if not compute_v:
        return [
            over_batch(xp, xp.linalg.eigvalsh, input).astype(input.dtype),
            xp.zeros((0,), input.dtype),
        ]
    values, vectors = over_batch(xp, lambda x: tuple(xp.linalg.eigh(x)), input)
    return [values.astype(input.dtype), xp.ascontiguousarray(vectors)]


@_self_adjoint_eig.gradient
def _(call: Call, dvalues: Any, dvectors: Any) -> Any:
    if call.attrs["compute_v"]:
        whole = eigh_gradient(call.outputs, (dvalues, dvectors))
    else:
        whole = eigh_gradient(_self_adjoint_eig(call.inputs[0]), (dvalues, None))
    # Only the lower triangle was read: its gradient is that of both triangles.
    both = API["linalg.band_part"](whole + API["linalg.adjoint"](whole), -1, 0)
    return API["linalg.set_diag"](both, 0.5 * API["linalg.diag_part"](both))


@export("linalg.eigh")
def eigh(tensor: Any, name: str | None = None) -> Any:
    """Computes eigenvalues and eigenvectors of self-adjoint matrices.

    Args:
        tensor: A tensor of square matrices; only the lower triangles are read.

    Returns:
        The eigenvalues in ascending order, and the eigenvectors as columns.

    Raises:
        InvalidArgumentError: The matrices are not square, or not finite.
    """
    values, vectors = _self_adjoint_eig(tensor, compute_v=True)
    return values, vectors


@export("linalg.eigvalsh")
@documented_like(eigh)
def eigvalsh(tensor: Any, name: str | None = None) -> Any:
    """Computes eigenvalues of self-adjoint matrices.

    Returns:
        The eigenvalues in ascending order.
    """
    return _self_adjoint_eig(tensor, compute_v=False)[0]


@op("Eig", shape=eigen, dtypes=MATRIX_TYPES)
def _eig(xp: Any, input: Any, *, compute_v: bool = True, Tout: Type = complex64) -> Any:
    """Computes eigenvalues and eigenvectors of matrices."""
    assert_matrix(input, square=True)
    if not xp.isfinite(input).all():
        raise invalid("Eigen decomposition was not successful. The input might not be valid.")
    if not compute_v:
        return [xp.linalg.eigvals(input).astype(Tout.np), xp.zeros((0,), Tout.np)]
    values, vectors = xp.linalg.eig(input)
    return [values.astype(Tout.np), xp.ascontiguousarray(vectors.astype(Tout.np))]


@_eig.gradient
def _(call: Call, dvalues: Any, dvectors: Any) -> Any:
    (input,) = call.inputs
    if call.attrs["compute_v"]:
        gradient = eig_gradient(call.outputs, (dvalues, dvectors))
    else:
        gradient = eig_gradient(_eig(input, Tout=dvalues.dtype), (dvalues, None))
    return API["cast"](gradient, input.dtype)


def _complex_type(dtype: DType) -> DType:
    return complex64 if dtype in (float32, complex64) else complex128


@export("linalg.eig", "eig")
@documented_like(eigh)
def eig(tensor: Any, name: str | None = None) -> Any:
    """Computes eigenvalues and eigenvectors of matrices.

    Args:
        tensor: A tensor of square matrices.

    Returns:
        The eigenvalues, which are complex, and the eigenvectors as columns.
    """
    # As in TensorFlow, the argument must have a dtype: a tensor or an array.
    values, vectors = _eig(
        tensor, compute_v=True, Tout=_complex_type(as_dtype(tensor.dtype).base_dtype)
    )
    return values, vectors


@export("linalg.eigvals", "eigvals")
@documented_like(eig)
def eigvals(tensor: Any, name: str | None = None) -> Any:
    """Computes eigenvalues of matrices.

    Returns:
        The eigenvalues, which are complex.
    """
    return _eig(tensor, compute_v=False, Tout=_complex_type(as_dtype(tensor.dtype).base_dtype))[0]


# ------------------------------------------------------------------ Hermitian tridiagonal matrices

# Eigenvalues by bisection, eigenvectors by inverse iteration.


_WIDENED = 2.1  # factor of the rounding error by which the initial intervals are widened
_MOST_STEPS = 5  # iterations of inverse iteration at most
_LEAST_GROWTH = 1.1  # growth of a solution's norm from which inverse iteration continues
_SEED = [7, 42]  # of the initial vectors of inverse iteration


class _Matrix(NamedTuple):
    """A real tridiagonal matrix with the same eigenvalues, and bounds of these.

    Attributes:
        alpha: The main diagonal.
        squares: The squared absolute values of the off-diagonal elements.
        least: The lower bound of the eigenvalues.
        greatest: The upper bound of the eigenvalues.
        norm: The upper bound of their absolute values.
        pivot: The smallest pivot of the Sturm recurrence.
        first: The replacement of the first pivot where that is 0.
    """

    alpha: Any
    squares: Any
    least: Any
    greatest: Any
    norm: Any
    pivot: Any
    first: Any


def _bounded(alpha: Any, beta: Any) -> _Matrix:
    if alpha.dtype.is_complex:
        alpha = API["math.real"](alpha)
        squares = API["math.real"](API["math.conj"](beta) * beta)
        sizes = API["sqrt"](squares)
    else:
        squares, sizes = API["square"](beta), API["abs"](beta)
    limits = inexact_limits(alpha.dtype.np)
    # Gershgorin's circles.
    radii = API["concat"]([sizes[:1], sizes[:-1] + sizes[1:], sizes[-1:]], 0)
    greatest = API["minimum"](limits.max, API["reduce_max"](alpha + radii))
    least = API["maximum"](limits.min, API["reduce_min"](alpha - radii))
    norm = API["maximum"](API["abs"](least), API["abs"](greatest))
    one = np.ones([], alpha.dtype.np)
    safe = np.maximum(one / limits.max, (one + limits.eps) * limits.tiny)
    pivot = safe * API["maximum"](one, API["reduce_max"](squares))
    first = API["square"](limits.eps * sizes[0])
    return _Matrix(alpha, squares, least, greatest, norm, pivot, first)


def _count_below(matrix: _Matrix, x: Any) -> Any:
    """Returns the number of eigenvalues below each x: the negative terms of the Sturm sequence."""
    alpha, shape = matrix.alpha, API["shape"](x)
    pivot, first = (API["broadcast_to"](t, shape) for t in (matrix.pivot, matrix.first))
    one, zero = API["ones"](shape, "int32"), API["zeros"](shape, "int32")
    term = alpha[0] - x
    count = API["where"](term < 0, one, zero)
    term = API["where"](API["equal"](alpha[0], x), first, term)
    for i in range(1, static_size(alpha.shape, 0)):
        term = alpha[i] - matrix.squares[i - 1] / term - x
        count = API["where"](term <= pivot, count + 1, count)
        term = API["where"](term <= pivot, API["minimum"](term, -pivot), term)
    return count


# ------------------------------------------------------------------ eigenvalues


def _first_interval(matrix: _Matrix, low: Any, high: Any) -> tuple[Any, Any]:
    """Returns an interval widened by the rounding error."""
    dtype = matrix.alpha.dtype
    size = API["cast"](static_size(matrix.alpha.shape, 0), dtype)
    slack = size * _WIDENED * np.finfo(dtype.np).eps * matrix.norm
    return low - slack - 2 * _WIDENED * matrix.pivot, high + slack + _WIDENED * matrix.pivot


def _select_eigenvalues(matrix: _Matrix, select: str, select_range: Any) -> tuple[Any, Any, Any]:
    """Returns the indices of the selected eigenvalues, and the interval to search."""
    interval = _first_interval(matrix, matrix.least, matrix.greatest)
    if select == "a":
        return API["range"](static_size(matrix.alpha.shape, 0)), *interval
    if select == "i":
        message = "Got empty index range in select_range."
        API["debugging.assert_less_equal"](select_range[0], select_range[1], message=message)
        return API["range"](select_range[0], select_range[1] + 1), *interval
    if select == "v":
        message = "Got empty interval in select_range."
        API["debugging.assert_less"](select_range[0], select_range[1], message=message)
        part = _first_interval(matrix, select_range[0], select_range[1])
        return API["range"](*(_count_below(matrix, end) for end in part)), *part
    raise ValueError("'select must have a value in {'a', 'i', 'v'}.")


def _values(alpha: Any, beta: Any, select: str, select_range: Any, tol: Any) -> Any:
    """Returns eigenvalues by bisection to the tolerance."""
    matrix = _bounded(alpha, beta)
    limits = np.finfo(matrix.alpha.dtype.np)
    smallest = limits.eps * matrix.norm
    smallest = API["maximum"](tol, smallest) if tol else smallest
    indices, low, high = _select_eigenvalues(matrix, select, select_range)
    shape = API["shape"](indices)
    low, high = API["broadcast_to"](low, shape), API["broadcast_to"](high, shape)

    def halved(step: Any, low: Any, high: Any) -> Any:
        middle = 0.5 * low + 0.5 * high
        counts = _count_below(matrix, middle)
        low = API["where"](counts <= indices, middle, low)
        return step + 1, low, API["where"](counts > indices, middle, high)

    def goes_on(step: Any, low: Any, high: Any) -> Any:
        return API["logical_and"](step < limits.nmant + 1, smallest < API["reduce_max"](high - low))

    _, low, high = API["while_loop"](goes_on, halved, [0, low, high])
    return 0.5 * low + 0.5 * high


# ------------------------------------------------------------------ eigenvectors


def _clusters(values: Any) -> tuple[Any, Any]:
    """Returns first and last indices of eigenvalue clusters with nearly dependent eigenvectors."""
    norm = API["maximum"](API["abs"](values[0]), API["abs"](values[-1]))
    close = API["less"](values[1:] - values[:-1], np.sqrt(np.finfo(values.dtype.np).eps) * norm)
    before, after = API["concat"]([[False], close], 0), API["concat"]([close, [False]], 0)
    first = API["logical_and"](API["logical_not"](before), after)
    last = API["logical_and"](before, API["logical_not"](after))
    return tuple(API["squeeze"](API["where"](mask), axis=-1) for mask in (first, last))


def _independent(rows: Any, clusters: tuple[Any, Any]) -> Any:
    """Orthogonalizes the vectors within each cluster of eigenvalues."""

    def one(i: Any, rows: Any) -> Any:
        start, end = clusters[0][i], clusters[1][i] + 1
        q, _ = API["linalg.qr"](API["transpose"](rows[start:end]))
        indices = API["expand_dims"](API["range"](start, end), -1)
        return i + 1, API["tensor_scatter_nd_update"](rows, indices, API["transpose"](q))

    count = API["size"](clusters[0])
    return API["while_loop"](lambda i, _: i < count, one, [0, rows])[1]


def _vectors(alpha: Any, beta: Any, values: Any) -> Any:
    """Returns eigenvectors as columns, by inverse iteration from random vectors."""
    count = API["size"](values)
    alpha = API["cast"](alpha, beta.dtype)
    normals = API["random.stateless_normal"](
        API["stack"]([count, static_size(alpha.shape, 0)]), _SEED
    )
    rows = API["cast"](normals, beta.dtype)
    sizes = API["norm"](rows, axis=1)
    shifted = alpha[None, :] - API["cast"](values, beta.dtype)[:, None]
    off_diagonals = API["tile"](beta[None, :], API["stack"]([count, 1]))
    diagonals = [off_diagonals, shifted, API["math.conj"](off_diagonals)]
    clusters = _clusters(values)

    def step(i: Any, rows: Any, sizes: Any, _: Any) -> Any:
        solution = API["linalg.tridiagonal_solve"](
            diagonals, rows, diagonals_format="sequence", perturb_singular=True
        )
        norms = API["norm"](solution, axis=1)
        return i + 1, _independent(solution / norms[:, None], clusters), norms, sizes

    initial = [0, rows / sizes[:, None], sizes, API["zeros_like"](sizes)]
    return API["transpose"](API["while_loop"](_goes_on, step, initial)[1])


def _goes_on(i: Any, rows: Any, sizes: Any, before: Any) -> Any:
    """True if iterations are left and the norm of a solution has grown."""
    least = _LEAST_GROWTH * API["math.real"](before)
    grows = API["reduce_any"](API["math.real"](sizes) >= least)
    return API["logical_and"](i < _MOST_STEPS, grows)


@export("linalg.eigh_tridiagonal")
def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the eigenvalues of a Hermitian tridiagonal matrix, and optionally its eigenvectors.

    Args:
        alpha: The main diagonal, a vector of n elements.
        beta: The superdiagonal, n - 1 elements; the subdiagonal is its conjugate.
        eigvals_only: If True, the eigenvectors are not computed.
        select: ``"a"`` for all eigenvalues, ``"i"`` for those with indices in ``select_range``,
            ``"v"`` for those with values in ``select_range``.
        select_range: The range, a pair of its first and last value.
        tol: The absolute tolerance of the eigenvalues.

    Returns:
        The eigenvalues in ascending order, and with ``eigvals_only=False`` a matrix with the
        eigenvectors as columns.

    Raises:
        ValueError: The dtypes of the diagonals differ, or ``select`` is invalid.
        InvalidArgumentError: The range is empty.
    """
    alpha = convert_to_tensor(alpha)
    if static_size(alpha.shape, 0) <= 1:
        return API["math.real"](alpha)
    beta = convert_to_tensor(beta)
    if alpha.dtype != beta.dtype:
        raise ValueError("'alpha' and 'beta' must have the same type.")
    values = _values(alpha, beta, select, select_range, tol)
    return values if eigvals_only else (values, _vectors(alpha, beta, values))
