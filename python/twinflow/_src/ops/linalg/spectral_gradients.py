"""Gradients of singular values, eigenvalues and the vectors that belong to them."""

from __future__ import annotations

from typing import Any

from twinflow._src.dispatch.op import API
from twinflow._src.ops.linalg.matmul import matmul

_LEAST = 1e-20


def safe_reciprocal(x: Any) -> Any:
    """1 / x, but 0 where x is 0: vectors of equal values count as if they could not turn."""
    return x / (x * x + _LEAST)


def _turns(values: Any) -> Any:
    """How easily vectors turn towards each other: element (i, j) is 1 / (value j - value i), or 0."""
    gaps = API["expand_dims"](values, -2) - API["expand_dims"](values, -1)
    return API["linalg.set_diag"](safe_reciprocal(gaps), API["zeros_like"](values))


def _adjoint(x: Any) -> Any:
    return API["linalg.adjoint"](x)


def _diagonal(x: Any) -> Any:
    return API["linalg.diag"](x)


def _real(x: Any) -> Any:
    return API["math.real"](x)


# ------------------------------------------------------------------ singular values


def values_gradient(u: Any, v: Any, ds: Any) -> Any:
    """The gradient of matrices by that of their singular values, given the vectors."""
    scale = API["cast"](_real(ds), u.dtype)
    return matmul(u * API["expand_dims"](scale, -2), v, adjoint_b=True)


def svd_gradient(parts: Any, gradients: Any) -> Any:
    """The gradient of matrices by those of singular values and vectors.

    Z.-Q. Wan, S.-X. Zhang, Automatic Differentiation for Complex Valued SVD (arXiv:1909.02659).

    Args:
        parts: The values, the left and the right vectors.
        gradients: Their gradients.
    """
    (s, u, v), (ds, du, dv) = parts, gradients
    count = s.shape[-1]
    left, right = u[..., :count], v[..., :count]
    dleft, dright = du[..., :count], dv[..., :count]
    # Singular values are real; TensorFlow forgets it in second derivatives by complex matrices.
    scale, ds = (API["cast"](_real(value), u.dtype) for value in (s, ds))
    inverse = safe_reciprocal(scale)
    by_left, by_right = _turned(left, dleft), _turned(right, dright)
    inner = _inner(scale, by_left, by_right)
    if u.dtype.is_complex:  # a pair of complex vectors can turn in its plane as well
        turn = API["linalg.diag_part"](by_right)
        inner += _diagonal(0.5 * inverse * (API["math.conj"](turn) - turn))
    found = matmul(matmul(left, inner + _diagonal(ds)), right, adjoint_b=True)
    if u.shape[-2] > count:
        rest = _across(left, dleft, u[..., count:], du[..., count:])
        found += matmul(rest * API["expand_dims"](inverse, -2), right, adjoint_b=True)
    if v.shape[-2] > count:
        rest = _across(right, dright, v[..., count:], dv[..., count:])
        found += matmul(left * API["expand_dims"](inverse, -2), rest, adjoint_b=True)
    return found


def _turned(vectors: Any, gradient: Any) -> Any:
    return matmul(vectors, gradient, adjoint_a=True)


def _inner(scale: Any, left: Any, right: Any) -> Any:
    """What turns of the vectors among themselves mean for a matrix, in their own coordinates."""
    turns = _turns(scale * scale)
    rows, columns = API["expand_dims"](scale, -1), API["expand_dims"](scale, -2)
    from_left, from_right = turns * left, turns * right
    return (from_left + _adjoint(from_left)) * columns + rows * (from_right + _adjoint(from_right))


def _across(vectors: Any, gradient: Any, others: Any, dothers: Any) -> Any:
    """The gradient by turns of vectors out of the space they span; into that of others, where given."""
    found = gradient - matmul(vectors, _turned(vectors, gradient))
    if not others.shape[-1]:
        return found
    return found - matmul(others, matmul(dothers, vectors, adjoint_a=True))


# ------------------------------------------------------------------ eigenvalues


def eigh_gradient(parts: Any, gradients: Any) -> Any:
    """The gradient of self-adjoint matrices by those of eigenvalues and eigenvectors.

    M. Giles, An extended collection of matrix derivative results (2008), section 3.1.

    Args:
        parts: The values and the vectors.
        gradients: Their gradients; None for the vectors where they have none.
    """
    (values, vectors), (dvalues, dvectors) = parts, gradients
    inner = _diagonal(dvalues)
    if dvectors is not None:
        inner += _turns(values) * _turned(vectors, dvectors)
    return matmul(vectors, matmul(inner, vectors, adjoint_b=True))


def eig_gradient(parts: Any, gradients: Any) -> Any:
    """The gradient of matrices by those of eigenvalues and eigenvectors of length 1.

    C. Boeddeker, P. Hanebrink, L. Drude, J. Heymann, R. Haeb-Umbach, On the Computation of
    Complex-valued Gradients with Application to Statistically Optimum Beamforming (arXiv:1701.00392).

    Args:
        parts: The values and the vectors.
        gradients: Their gradients; None for the vectors where they have none.
    """
    (values, vectors), (dvalues, dvectors) = parts, gradients
    inner = _diagonal(dvalues)
    if dvectors is not None:
        turned = _turned(vectors, dvectors)
        # What makes a vector longer or shorter does not count.
        length = API["cast"](_real(API["linalg.diag_part"](turned)), turned.dtype)
        turned -= matmul(vectors, vectors * API["expand_dims"](length, -2), adjoint_a=True)
        inner += API["math.conj"](_turns(values)) * turned
    adjoint = _adjoint(vectors)
    return API["linalg.solve"](adjoint, matmul(inner, adjoint))
