# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow import eig as eig
from twinflow import eigvals as eigvals
from twinflow import einsum as einsum
from twinflow import eye as eye
from twinflow import matmul as matmul
from twinflow import matrix_square_root as _sqrtm
from twinflow import norm as norm
from twinflow import tensordot as tensordot
from twinflow._src.core.tensor import Tensor

sqrtm = _sqrtm

def adjoint(matrix: Any, name: str | None = None) -> Any:
    """Returns matrices in the last two dimensions transposed and conjugated."""

def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Returns matrices with zeros outside a band around the diagonal."""

def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Returns the solutions of systems of linear equations with triangular banded matrices."""

def cholesky(input: Any, name: str | None = None) -> Tensor:
    """Returns the lower triangular L with L times its adjoint equal to the input."""

def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """Returns the solutions of linear systems, given the Cholesky factors of the matrices."""

def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """Returns the cross products of vectors of three elements in the last dimension."""

def det(input: Any, name: str | None = None) -> Tensor:
    """Returns the determinants of matrices."""

def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Returns matrices with given diagonals."""

def diag_part(
    input: Any,
    name: str = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Returns diagonals of matrices in the last two dimensions."""

def eigh(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues and eigenvectors of self-adjoint matrices."""

def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Returns eigenvalues, and eigenvectors, of a Hermitian matrix with three diagonals."""

def eigvalsh(tensor: Any, name: str | None = None) -> Any:
    """Returns eigenvalues of self-adjoint matrices."""

def expm(input: Any, name: str | None = None) -> Any:
    """Returns the exponentials of matrices."""

def global_norm(t_list: Any, name: str | None = None) -> Any:
    """Returns the square root of the sum of the squares of all elements of several tensors."""

def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Returns the inverses of matrices."""

def l2_normalize(
    x: Any, axis: Any = None, epsilon: Any = 1e-12, name: str | None = None, dim: Any = None
) -> Any:
    """Returns a tensor divided by its Euclidean norm along dimensions."""

def logdet(matrix: Any, name: str | None = None) -> Any:
    """Returns the logarithms of the determinants of positive definite matrices."""

def logm(input: Any, name: str | None = None) -> Tensor:
    """Returns the principal logarithms of matrices."""

def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Any:
    """Returns the solutions of linear systems with the least sum of squared errors."""

def lu(input: Any, output_idx_type: Any = ..., name: str | None = None) -> Any:
    """Returns the triangular factors of matrices and the permutations of their rows."""

def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Returns the inverses of matrices, given their factors."""

def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Returns the matrices that have the given factors."""

def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Returns the solutions of systems of linear equations, given the factors of the matrices."""

def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    """Returns the ranks of matrices: how many singular values exceed a tolerance."""

def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Any:
    """Returns matrices in the last two dimensions transposed."""

def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the products of matrices and vectors in the last dimensions."""

def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> Any:
    """Returns a tensor divided by its norm, and the norm."""

def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """Returns the pseudo-inverses of matrices."""

def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """Returns orthogonal and upper triangular factors of matrices."""

def set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """Returns matrices with some diagonals replaced."""

def slogdet(input: Any, name: str | None = None) -> Any:
    """Returns the signs of determinants and the logarithms of their absolute values."""

def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Returns the solutions of systems of linear equations."""

def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """Returns singular values and vectors of matrices."""

def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Returns a tensor of twice the rank with the given elements where both halves of an index agree."""

def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """Returns the elements of a tensor where both halves of an index agree."""

def trace(x: Any, name: str | None = None) -> Any:
    """Returns the sums of the main diagonals of matrices."""

def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Returns the solutions of systems of linear equations with triangular matrices."""

def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Any:
    """Returns the products of matrices with three diagonals and others."""

def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Any:
    """Returns the solutions of systems of linear equations with three diagonals."""
