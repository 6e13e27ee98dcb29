"""Matrix decompositions (Cholesky, LU, QR, SVD), and gradients of SVD and eigendecompositions.

Matrices are the last two dimensions of a tensor; the others are batch dimensions.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.backends.cpu import lapack
from twinflow._src.backends.cpu.matrices import over_batch
from twinflow._src.core.dtypes import COMPLEXES, float16, float32, float64, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, Call, Type, documented_like, export, op
from twinflow._src.ops.elementwise.complex_numbers import real
from twinflow._src.ops.linalg.matmul import matmul, multiplied
from twinflow._src.shape_rules.linalg import orthogonal, permuted, singular, split_off, square

_LEAST = 1e-20


def safe_reciprocal(x: Any) -> Any:
    """Returns 1 / x, or 0 where x is 0: repeated singular or eigenvalues contribute nothing."""
    return x / (x * x + _LEAST)


def _turns(values: Any) -> Any:
    """Returns the matrix with elements 1 / (value j - value i), or 0 where the values are equal."""
    gaps = API["expand_dims"](values, -2) - API["expand_dims"](values, -1)
    return API["linalg.set_diag"](safe_reciprocal(gaps), API["zeros_like"](values))


def _adjoint(x: Any) -> Any:
    return API["linalg.adjoint"](x)


def _diagonal(x: Any) -> Any:
    return API["linalg.diag"](x)


def _real(x: Any) -> Any:
    return API["math.real"](x)


# ------------------------------------------------------------------ gradients of singular values


def values_gradient(u: Any, v: Any, ds: Any) -> Any:
    """Returns the gradient with respect to matrices from that of their singular values."""
    scale = API["cast"](_real(ds), u.dtype)
    return matmul(u * API["expand_dims"](scale, -2), v, adjoint_b=True)


def svd_gradient(parts: Any, gradients: Any) -> Any:
    """Returns the gradient with respect to matrices from those of singular values and vectors."""
    # Z.-Q. Wan, S.-X. Zhang, Automatic Differentiation for Complex Valued SVD (arXiv:1909.02659).
    (s, u, v), (ds, du, dv) = parts, gradients
    count = static_size(s.shape, -1)
    left, right = u[..., :count], v[..., :count]
    dleft, dright = du[..., :count], dv[..., :count]
    # Singular values are real; TensorFlow ignores it in second derivatives with respect to complex
    # matrices.
    scale, ds = (API["cast"](_real(value), u.dtype) for value in (s, ds))
    inverse = safe_reciprocal(scale)
    by_left, by_right = _matmul_adjoint(left, dleft), _matmul_adjoint(right, dright)
    inner = _inner(scale, by_left, by_right)
    if u.dtype.is_complex:  # a pair of complex vectors has a free phase as well
        turn = API["linalg.diag_part"](by_right)
        inner += _diagonal(0.5 * inverse * (API["math.conj"](turn) - turn))
    gradient = matmul(matmul(left, inner + _diagonal(ds)), right, adjoint_b=True)
    if static_size(u.shape, -2) > count:
        rest = _across(left, dleft, u[..., count:], du[..., count:])
        gradient += matmul(rest * API["expand_dims"](inverse, -2), right, adjoint_b=True)
    if static_size(v.shape, -2) > count:
        rest = _across(right, dright, v[..., count:], dv[..., count:])
        gradient += matmul(left * API["expand_dims"](inverse, -2), rest, adjoint_b=True)
    return gradient


def _matmul_adjoint(vectors: Any, gradient: Any) -> Any:
    return matmul(vectors, gradient, adjoint_a=True)


def _inner(scale: Any, left: Any, right: Any) -> Any:
    """Returns the gradient term of rotations within the vectors' span, in their basis."""
    turns = _turns(scale * scale)
    rows, columns = API["expand_dims"](scale, -1), API["expand_dims"](scale, -2)
    from_left, from_right = turns * left, turns * right
    return (from_left + _adjoint(from_left)) * columns + rows * (from_right + _adjoint(from_right))


def _across(vectors: Any, gradient: Any, others: Any, dothers: Any) -> Any:
    """Returns the gradient term orthogonal to the vectors' span, with that of ``others`` if any."""
    orthogonal = gradient - matmul(vectors, _matmul_adjoint(vectors, gradient))
    if not static_size(others.shape, -1):
        return orthogonal
    return orthogonal - matmul(others, matmul(dothers, vectors, adjoint_a=True))


# ------------------------------------------------------------------ gradients of eigenvalues


def eigh_gradient(parts: Any, gradients: Any) -> Any:
    """Returns the gradient of self-adjoint matrices from those of eigenvalues and eigenvectors."""
    # ``gradients`` has None for vectors without an upstream gradient.
    (values, vectors), (dvalues, dvectors) = parts, gradients
    inner = _diagonal(dvalues)
    if dvectors is not None:
        inner += _turns(values) * _matmul_adjoint(vectors, dvectors)
    return matmul(vectors, matmul(inner, vectors, adjoint_b=True))


def eig_gradient(parts: Any, gradients: Any) -> Any:
    """Returns the gradient of matrices from those of eigenvalues and unit eigenvectors."""
    # ``gradients`` has None for vectors without an upstream gradient.
    (values, vectors), (dvalues, dvectors) = parts, gradients
    inner = _diagonal(dvalues)
    if dvectors is not None:
        rotated = _matmul_adjoint(vectors, dvectors)
        # Eigenvectors have unit norm: the component along the vector is removed.
        length = API["cast"](_real(API["linalg.diag_part"](rotated)), rotated.dtype)
        rotated -= matmul(vectors, vectors * API["expand_dims"](length, -2), adjoint_a=True)
        inner += API["math.conj"](_turns(values)) * rotated
    adjoint = _adjoint(vectors)
    return API["linalg.solve"](adjoint, matmul(inner, adjoint))


# ------------------------------------------------------------------ decompositions


class Lu(NamedTuple):
    """Result of ``tf.linalg.lu``: packed triangular factors and row permutations."""

    lu: Any
    p: Any


class Qr(NamedTuple):
    """Result of ``tf.linalg.qr``: orthogonal and upper triangular factors."""

    q: Any
    r: Any


MATRIX_TYPES = frozenset({float32, float64}) | COMPLEXES


def assert_matrix(x: Any, square: bool = False) -> None:
    """Raises InvalidArgumentError if the input is not a batch of (square) matrices."""
    if x.ndim < 2:
        raise invalid(f"Input tensor 0 must have rank >= 2, got {x.ndim}")
    if square and x.shape[-1] != x.shape[-2]:
        raise invalid("Input matrix must be square.")


def has_no_pivot(xp: Any, x: Any) -> bool:
    """True if the first element of a square matrix is NaN, so that the elimination has no pivot."""
    return bool(x.shape[-1]) and bool(xp.isnan(x[..., 0, 0]).any())


def wide(xp: Any, x: Any) -> Any:
    """Casts float16 to float32, the smallest dtype that LAPACK supports."""
    return x.astype(xp.float32) if x.dtype.itemsize == 2 else x


def adjoint_of(xp: Any, x: Any) -> Any:
    """Returns the conjugate transposes of the matrices in an array."""
    x = x.swapaxes(-1, -2)
    return xp.conj(x) if x.dtype.kind == "c" else x


# ------------------------------------------------------------------ factorization

# With partial pivoting, batched and blocked.

_PANEL = 32  # columns per panel; a matrix product updates the trailing columns


def eliminated(xp: Any, x: Any) -> tuple[Any, Any] | None:
    """Returns packed LU factors and row permutations, or None if a matrix is singular."""
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


# ------------------------------------------------------------------ Cholesky, LU


@op("Cholesky", api="linalg.cholesky", shape=square, dtypes=MATRIX_TYPES)
def cholesky(xp: Any, input: Any) -> Any:
    """Computes the Cholesky decomposition of positive definite matrices.

    Returns the lower triangular L with ``L @ adjoint(L) == input``. Only the lower triangle of the
    input is read.

    Args:
        input: A tensor of positive definite matrices.

    Returns:
        A tensor of the same dtype and shape; NaN in and below the diagonal where a matrix is not
        positive definite.

    Raises:
        InvalidArgumentError: The matrices are not square.
    """
    assert_matrix(input, square=True)
    try:
        return over_batch(xp, xp.linalg.cholesky, input)
    except np.linalg.LinAlgError:
        return _cholesky_one_by_one(xp, input)


@cholesky.gradient
def _(call: Call, dfactor: Any) -> Any:
    # I. Murray, Differentiation of the Cholesky decomposition (arXiv:1602.07527), section 3.2.
    factor = call.outputs
    middle = API["matmul"](factor, dfactor, adjoint_a=True)
    middle = API["linalg.set_diag"](middle, API["linalg.diag_part"](middle) * 0.5)
    ones = API["linalg.set_diag"](
        API["zeros_like"](factor), API["ones_like"](API["linalg.diag_part"](factor))
    )
    inner = API["linalg.triangular_solve"](
        factor, ones
    )  # a factor that is NaN has NaN as inverse, and raises no error
    half = API["matmul"](API["linalg.band_part"](middle, -1, 0), inner)
    whole = API["matmul"](inner, half, adjoint_a=True)
    return (whole + API["linalg.adjoint"](whole)) * 0.5


def _cholesky_one_by_one(xp: Any, input: Any) -> Any:
    result = xp.tril(xp.full(input.shape, xp.nan, input.dtype))
    for index in np.ndindex(input.shape[:-2]):
        try:
            result[index] = xp.linalg.cholesky(input[index])
        except np.linalg.LinAlgError:
            continue
    return result


@op("Lu", shape=permuted, dtypes=MATRIX_TYPES)
def _lu(xp: Any, input: Any, *, output_idx_type: Type = int32) -> Any:
    """Computes the LU decomposition of square matrices with partial pivoting."""
    if input.ndim < 2:
        raise invalid(f"Input tensor must have rank >= 2, got {input.ndim}")
    assert_matrix(input, square=True)
    if has_no_pivot(xp, input):
        raise invalid("Input is not invertible.")
    factors = eliminated(xp, input)
    if factors is None:
        raise invalid("Input is not invertible.")
    return [factors[0], factors[1].astype(output_idx_type.np)]


@export("linalg.lu")
def lu(input: Any, output_idx_type: Any = int32, name: str | None = None) -> Any:
    """Computes the LU decomposition of square matrices with partial pivoting.

    Args:
        input: A tensor of square matrices.
        output_idx_type: int32 or int64, the dtype of the permutations.

    Returns:
        A named tuple: ``lu``, the factors packed in one tensor of the same shape (without the unit
        diagonal of the lower one), and ``p``, the row permutations.

    Raises:
        InvalidArgumentError: The matrices are not square, or not invertible.
    """
    return Lu(*_lu(input, output_idx_type=output_idx_type))


# ------------------------------------------------------------------ QR, singular values


@op("Qr", shape=orthogonal, dtypes=MATRIX_TYPES | {float16})
def _qr(xp: Any, input: Any, *, full_matrices: bool = False) -> Any:
    """Computes the QR decomposition of matrices."""
    assert_matrix(input)
    mode = "complete" if full_matrices else "reduced"
    parts = over_batch(xp, lambda x: tuple(xp.linalg.qr(x, mode=mode)), wide(xp, input))
    return [xp.ascontiguousarray(part.astype(input.dtype, copy=False)) for part in parts]


@_qr.gradient
def _(call: Call, dq: Any, dr: Any) -> Any:
    # S. Walter, L. Lehmann, R. Lamour, On evaluating higher-order derivatives of the QR decomposition
    # of tall matrices (2012), section 3.1; the right part of a wide matrix is Q times that of R.
    (input,), (q, r) = call.inputs, call.outputs
    rows, cols = split_off(input.shape._dims)[1:]
    if rows is None or cols is None:
        raise NotImplementedError(
            f"QrGrad not implemented with dynamic shapes. Received r.shape: {r.shape}"
        )
    if call.attrs["full_matrices"] and rows > cols:
        raise NotImplementedError(
            "QrGrad not implemented when nrows > ncols and full_matrices is true. Received "
            f"r.shape={r.shape} with nrows={rows}and ncols={cols}."
        )
    if rows >= cols:
        return _by_tall(q, r, dq, dr)
    wide = API["matmul"](input[..., rows:], dr[..., rows:], adjoint_b=True)
    left = _by_tall(q, r[..., :rows], dq + wide, dr[..., :rows])
    return API["concat"]([left, API["matmul"](q, dr[..., rows:])], -1)


def _by_tall(q: Any, r: Any, dq: Any, dr: Any) -> Any:
    """Returns the QR gradient of matrices with at least as many rows as columns."""
    matmul, adjoint = API["matmul"], API["linalg.adjoint"]

    def solved(x: Any) -> Any:
        return adjoint(API["linalg.triangular_solve"](r, adjoint(x), lower=False))

    inner, outer = matmul(q, dq, adjoint_a=True), matmul(r, dr, adjoint_b=True)
    skew = inner - adjoint(inner) + outer - adjoint(outer)
    lower = API["linalg.band_part"](skew, -1, 0)
    if q.dtype.is_complex:  # the diagonal of R is real
        lower = API["linalg.set_diag"](lower, 0.5 * API["linalg.diag_part"](lower))
    return matmul(q, dr + solved(lower)) + solved(dq - matmul(q, inner))


@export("linalg.qr")
def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """Computes the QR decomposition of matrices.

    Args:
        input: A tensor of rank 2 or more.
        full_matrices: If True, the orthogonal factor is square.

    Returns:
        A named tuple of two tensors, ``q`` and ``r``.

    Raises:
        InvalidArgumentError: The rank is less than 2.
    """
    return Qr(*_qr(input, full_matrices=full_matrices))


@op("Svd", shape=singular, dtypes=MATRIX_TYPES)
def _svd(xp: Any, input: Any, *, compute_uv: bool = True, full_matrices: bool = False) -> Any:
    """Computes the singular value decomposition of matrices."""
    assert_matrix(input)
    if not compute_uv:
        nothing = xp.zeros((0,), input.dtype)
        return [_singular(xp, input, False, False)[0].astype(input.dtype), nothing, nothing]
    s, u, vh = _singular(xp, input, True, full_matrices)
    v = adjoint_of(xp, vh)
    count = s.shape[-1]
    if count:
        # The sign of a pair of vectors is arbitrary; the largest element of each right one is made
        # positive.
        top = xp.take_along_axis(v, xp.argmax(xp.abs(v), axis=-2)[..., None, :], axis=-2)
        turn = xp.where(top == 0, 1, top / xp.where(top == 0, 1, xp.abs(top)))
        if input.dtype.kind == "f":
            u[..., :count] = u[..., :count] * turn[..., :count]
            v = v * turn
    return [s.astype(input.dtype), xp.ascontiguousarray(u), xp.ascontiguousarray(v)]


@_svd.gradient
def _(call: Call, ds: Any, du: Any, dv: Any) -> Any:
    (input,) = call.inputs
    if not call.attrs["compute_uv"]:
        _, u, v = _svd(input, compute_uv=True)
        return values_gradient(u, v, ds)
    _, rows, columns = split_off(input.shape._dims)
    if rows is None or columns is None:
        raise NotImplementedError(
            "SVD gradient has not been implemented for input with unknown inner matrix shape."
        )
    low, high = min(rows, columns), max(rows, columns)
    if call.attrs["full_matrices"] and high - low > 1:
        raise NotImplementedError(
            "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. Received: "
            f"m={low} and n={high} from op input={input} with shape={input.shape}."
        )
    return svd_gradient(call.outputs, (ds, du, dv))


def _singular(xp: Any, x: Any, vectors: bool, full: bool) -> Any:
    """Returns singular values and, if requested, vectors; NaN for matrices that are not finite."""
    try:
        if vectors:
            u, s, vh = over_batch(xp, lambda x: tuple(xp.linalg.svd(x, full_matrices=full)), x)
            return s, u, vh
        return (over_batch(xp, lambda x: xp.linalg.svd(x, compute_uv=False), x),)
    except np.linalg.LinAlgError:
        finite = xp.where(xp.isfinite(x).all(axis=(-1, -2), keepdims=True), x, 0)
        bad = ~xp.isfinite(x).all(axis=(-1, -2))
        parts = _singular(xp, finite, vectors, full)
        for part in parts:
            part[bad] = xp.nan
        return parts


@export("linalg.svd")
@documented_like(qr)
def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """Computes the singular value decomposition of matrices.

    Args:
        tensor: A tensor of rank 2 or more.
        full_matrices: If True, computes full square matrices of singular vectors.
        compute_uv: If True, computes the singular vectors as well.

    Returns:
        The values in descending order, then, if requested, the left and the right singular vectors:
        ``tensor`` is ``u @ diag(s) @ adjoint(v)``.
    """
    s, u, v = _svd(tensor, compute_uv=compute_uv, full_matrices=full_matrices)
    s = real(s)
    return (s, u, v) if compute_uv else s
