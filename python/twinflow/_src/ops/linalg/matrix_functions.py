"""Matrix rank, pseudo-inverse, exponential, square root and logarithm.

Square roots and logarithms use the eigendecomposition, or iterations if the eigenvectors are
(nearly) linearly dependent.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.dtypes import (
    COMPLEXES,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int32,
)
from twinflow._src.core.shapes import static_sizes
from twinflow._src.dispatch.op import Call, documented_like, export, op
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import fill, ones
from twinflow._src.ops.array.gather import where
from twinflow._src.ops.array.masks import eye
from twinflow._src.ops.array.shapes import (
    concat_sizes,
    expand_dims,
    rank_of,
    reshape,
    shape,
    sizes_of,
)
from twinflow._src.ops.control.cond import cond
from twinflow._src.ops.control.loops import while_loop
from twinflow._src.ops.elementwise.arithmetic import abs as absolute
from twinflow._src.ops.elementwise.arithmetic import add, multiply, pow, subtract
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.compare import greater, less
from twinflow._src.ops.elementwise.division import floor, is_finite, truediv
from twinflow._src.ops.elementwise.math import log
from twinflow._src.ops.elementwise.minmax import maximum
from twinflow._src.ops.linalg.decompositions import MATRIX_TYPES, assert_matrix, svd
from twinflow._src.ops.linalg.diagonals import diag
from twinflow._src.ops.linalg.einsum import einsum
from twinflow._src.ops.linalg.matmul import matmul
from twinflow._src.ops.linalg.solve import solve
from twinflow._src.ops.reduce.reduce import reduce_max, reduce_sum
from twinflow._src.shape_rules.linalg import square

_WORST = 1e6  # condition number of the eigenvectors beyond which the iterations are used
_STEPS = 60


@functools.cache
def _rule() -> list[tuple[float, float]]:
    """Returns the nodes of 12-point Gauss-Legendre quadrature on [0, 1] and their weights."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    return list(zip((nodes + 1) / 2, weights / 2, strict=True))


def of_matrices(
    xp: Any, x: Any, function: Callable[[Any], Any], otherwise: Callable[[Any, Any], Any]
) -> Any:
    """Returns a function of complex square matrices, applied to their eigenvalues, in complex128."""
    # ``otherwise`` is the fallback for one matrix with ill-conditioned eigenvectors.
    wide = x.astype(np.complex128)
    values, vectors = xp.linalg.eig(wide)
    transposed = xp.swapaxes(vectors * function(values)[..., None, :], -1, -2)
    poor = ~(xp.linalg.cond(vectors) < _WORST)
    base = xp.where(poor[..., None, None], xp.eye(x.shape[-1]), vectors)
    results = xp.swapaxes(xp.linalg.solve(xp.swapaxes(base, -1, -2), transposed), -1, -2)
    for index in np.argwhere(poor):
        results[tuple(index)] = otherwise(xp, wide[tuple(index)])
    return results


def root(xp: Any, a: Any) -> Any:
    """Returns the principal square root of a matrix, by the Denman-Beavers iteration."""
    x, y = a, xp.eye(len(a), dtype=a.dtype)
    try:
        for _ in range(_STEPS):
            before = x
            x, y = (x + xp.linalg.inv(y)) / 2, (y + xp.linalg.inv(x)) / 2
            if xp.abs(x - before).max() <= 1e-15 * xp.abs(x).max():
                break
    except (
        np.linalg.LinAlgError
    ):  # a singular matrix with linearly dependent eigenvectors has no such root
        return xp.full(a.shape, xp.nan, a.dtype)
    return x


def logarithm(xp: Any, a: Any) -> Any:
    """Returns the principal logarithm of a matrix, by inverse scaling and squaring and quadrature."""
    unit, times = xp.eye(len(a)), 0
    while xp.abs(a - unit).max() > 0.2 and times < _STEPS:
        a, times = root(xp, a), times + 1
    rest = a - unit
    nodes = _rule()
    return 2**times * sum(w * xp.linalg.solve(unit + t * rest, rest) for t, w in nodes)


# ------------------------------------------------------------------ rank and pseudo-inverse


def _checked_matrix(a: Any) -> None:
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` must have `float`-like `dtype` (saw {a.dtype.name}).")
    if a.shape.rank is not None and a.shape.rank < 2:
        raise ValueError(f"Input `a` must have at least 2 dimensions (saw: {a.shape.rank}).")


def _larger_size(a: Any) -> Any:
    """Returns the larger of rows and columns: an int, or a tensor if unknown statically."""
    sizes = a.shape[-2:]
    if sizes.is_fully_defined():
        return max(static_sizes(sizes))
    return cast(reduce_max(shape(a)[-2:]), a.dtype)


@export("linalg.matrix_rank")
def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    """Computes the ranks of matrices: the number of singular values above a tolerance.

    Args:
        a: A tensor of floating-point matrices.
        tol: The tolerance; if None, NumPy's: machine epsilon times the larger dimension times the
            largest singular value.
        validate_args: Accepted and without effect: arguments are always checked.

    Returns:
        An int32 tensor.

    Raises:
        TypeError: The tensor is not floating-point.
        ValueError: The rank is less than 2.
    """
    a = convert_to_tensor(a, dtype_hint=float32)
    _checked_matrix(a)
    s = svd(a, compute_uv=False)
    if tol is None:
        unit = float(np.finfo(a.dtype.np).eps) * _larger_size(a)
        tol = multiply(reduce_max(s, axis=-1, keepdims=True), unit)
    return reduce_sum(cast(greater(s, tol), int32), axis=-1)


@export("linalg.pinv")
@documented_like(matrix_rank)
def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """Computes the Moore-Penrose pseudo-inverses of matrices.

    Args:
        rcond: Singular values up to this fraction of the largest one are treated as zero.

    Returns:
        A tensor of the same dtype.
    """
    a = convert_to_tensor(a)
    _checked_matrix(a)
    if rcond is None:
        rcond = 10.0 * _larger_size(a) * float(np.finfo(a.dtype.np).eps)
    s, u, v = svd(a)
    cutoff = multiply(convert_to_tensor(rcond, dtype=a.dtype), reduce_max(s, axis=-1))
    s = where(greater(s, expand_dims(cutoff, -1)), s, constant(np.inf, a.dtype))
    return matmul(truediv(v, expand_dims(s, -2)), u, adjoint_b=True)


# ------------------------------------------------------------------ the exponential

# Coefficients of the Pade approximants of exp (Higham, The Scaling and Squaring Method for the Matrix
# Exponential Revisited, 2005), from the constant on, and the norms up to which each one is used.
_PADE: dict[int, tuple[float, ...]] = {
    3: (120.0, 60.0, 12.0, 1.0),
    5: (30240.0, 15120.0, 3360.0, 420.0, 30.0, 1.0),
    7: (17297280.0, 8648640.0, 1995840.0, 277200.0, 25200.0, 1512.0, 56.0, 1.0),
    9: (
        *(17643225600.0, 8821612800.0, 2075673600.0, 302702400.0, 30270240.0),
        *(2162160.0, 110880.0, 3960.0, 90.0, 1.0),
    ),
    13: (
        *(64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0),
        *(129060195264000.0, 10559470521600.0, 670442572800.0, 33522128640.0),
        *(1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0),
    ),
}
_SINGLE: tuple[tuple[int, float], ...] = (
    (3, 4.258730016922831e-001),
    (5, 1.880152677804762e000),
    (7, 3.925724783138660),
)
_SINGLES = (float16, float32, complex64)
_DOUBLE: tuple[tuple[int, float], ...] = (
    *((3, 1.495585217958292e-002), (5, 2.539398330063230e-001), (7, 9.504178996162932e-001)),
    *((9, 2.097847961257068e000), (13, 5.371920351148152)),
)


def _pade(matrix: Any, degree: int) -> tuple[Any, Any]:
    """Returns the odd and the even part of the numerator of a Pade approximant."""
    b = _PADE[degree]
    square = matmul(matrix, matrix)
    unit = diag(ones(sizes_of(matrix, slice(-1)), matrix.dtype))
    power, odd, even = unit, multiply(unit, b[1]), multiply(unit, b[0])
    for i in range(2, degree, 2):
        power = matmul(power, square) if i > 2 else square
        odd, even = add(odd, multiply(power, b[i + 1])), add(even, multiply(power, b[i]))
    return matmul(matrix, odd), even


@export("linalg.expm")
def expm(input: Any, name: str | None = None) -> Any:
    """Computes the matrix exponentials of square matrices.

    Args:
        input: A floating-point or complex tensor of square matrices.

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        ValueError: The dtype is not supported.
    """
    matrix = convert_to_tensor(input)
    if matrix.shape[-2:] == [0, 0]:
        return matrix
    lead, last = sizes_of(matrix, slice(-2)), sizes_of(matrix, slice(-2, None))
    matrix = reshape(matrix, concat_sizes([-1], last))
    size = reduce_max(reduce_sum(absolute(matrix), axis=rank_of(matrix) - 2), axis=-1)
    table = _SINGLE if matrix.dtype in _SINGLES else _DOUBLE
    if matrix.dtype not in _SINGLES and matrix.dtype not in (float64, complex128):
        raise ValueError(f"tf.linalg.expm does not support matrices of type {matrix.dtype}")
    size = expand_dims(expand_dims(size, -1), -1)
    halvings = log(truediv(size, table[-1][1])) / np.log(2.0)
    squarings = maximum(floor(halvings), 0.0)
    odd, even = _approximant(matrix, size, squarings, table)

    def squared(i: Any, result: Any) -> Any:
        return i + 1, where(less(i, squarings), matmul(result, result), result)

    def value() -> Any:
        result = solve(subtract(even, odd), add(odd, even))
        most = reduce_max(squarings)
        start = constant(0.0, most.dtype), result
        return while_loop(lambda i, _: less(i, most), squared, start)[1]

    def nothing() -> Any:
        return fill(shape(matrix), constant(np.nan, matrix.dtype))

    result = cond(is_finite(reduce_max(size)), value, nothing)
    return reshape(result, concat_sizes(lead, sizes_of(matrix, slice(-2, None))))


def _approximant(matrix: Any, size: Any, squarings: Any, table: Any) -> tuple[Any, Any]:
    """Selects the Pade approximant by each matrix's norm; the highest degree takes scaled ones."""
    scale = cast(pow(constant(2.0, squarings.dtype), squarings), matrix.dtype)
    odd, even = _pade(truediv(matrix, scale), table[-1][0])
    for degree, limit in reversed(table[:-1]):
        small = less(size, constant(limit, size.dtype))
        parts = _pade(matrix, degree)
        odd, even = where(small, parts[0], odd), where(small, parts[1], even)
    return odd, even


# ------------------------------------------------------------------ other functions


@op(
    "MatrixSquareRoot",
    api=("linalg.sqrtm", "matrix_square_root"),
    shape=square,
    dtypes=MATRIX_TYPES,
)
def sqrtm(xp: Any, input: Any) -> Any:
    """Computes the principal square roots of square matrices.

    Args:
        input: A tensor of square matrices.

    Returns:
        A tensor of the same dtype and shape; NaN for real matrices without a real square root.

    Raises:
        InvalidArgumentError: The matrices are not square.
    """
    assert_matrix(input, square=True)
    if not input.size:
        return input.copy()
    wide = input.astype(complex128.np if input.dtype.itemsize > 4 else complex64.np)
    roots = of_matrices(xp, wide, xp.sqrt, root)
    if input.dtype.kind == "c":
        return xp.ascontiguousarray(roots.astype(input.dtype))
    values = xp.linalg.eigvals(wide)
    scale = xp.abs(values).max(axis=-1, keepdims=True) * 1e-6
    negative = (values.real < -scale) & (xp.abs(values.imag) <= scale)
    bad = negative.any(axis=-1)[..., None, None]
    return xp.ascontiguousarray(xp.where(bad, xp.nan, roots.real).astype(input.dtype))


@sqrtm.gradient
def _(call: Call, dy: Any) -> Any:
    # The root R and its derivative R' solve R' R + R R' = A': a linear system in all elements of
    # R'. As in TensorFlow, complex numbers are not conjugated here.
    root = call.outputs
    dims = shape(root)
    size, lead = dims[-1], dims[:-2]
    unit = eye(size, dtype=root.dtype)
    left, right = einsum("...ji,kl->...ikjl", root, unit), einsum("ij,...kl->...ikjl", unit, root)
    count = size * size
    system = reshape(left + right, concat([lead, [count, count]], 0))
    return reshape(solve(system, reshape(dy, concat([lead, [count, 1]], 0))), dims)


@op("MatrixLogarithm", api="linalg.logm", shape=square, dtypes=COMPLEXES)
@documented_like(expm)
def logm(xp: Any, input: Any) -> Any:
    """Computes the principal logarithms of square complex matrices.

    Args:
        input: A tensor of square complex matrices.

    Raises:
        InvalidArgumentError: The matrices are not square.
    """
    assert_matrix(input, square=True)
    if not input.size:
        return input.copy()
    return xp.ascontiguousarray(of_matrices(xp, input, xp.log, logarithm).astype(input.dtype))
