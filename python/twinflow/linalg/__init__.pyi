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
from twinflow._src.wings.linear_operators.base import LinearOperator as LinearOperator
from twinflow._src.wings.linear_operators.blocks import (
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
)
from twinflow._src.wings.linear_operators.blocks import (
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
)
from twinflow._src.wings.linear_operators.circulant import (
    LinearOperatorCirculant as LinearOperatorCirculant,
)
from twinflow._src.wings.linear_operators.circulant import (
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
)
from twinflow._src.wings.linear_operators.circulant import (
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from twinflow._src.wings.linear_operators.compositions import (
    LinearOperatorAdjoint as LinearOperatorAdjoint,
)
from twinflow._src.wings.linear_operators.compositions import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from twinflow._src.wings.linear_operators.compositions import (
    LinearOperatorInversion as LinearOperatorInversion,
)
from twinflow._src.wings.linear_operators.dense import LinearOperatorDiag as LinearOperatorDiag
from twinflow._src.wings.linear_operators.dense import (
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
)
from twinflow._src.wings.linear_operators.dense import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from twinflow._src.wings.linear_operators.identities import (
    LinearOperatorIdentity as LinearOperatorIdentity,
)
from twinflow._src.wings.linear_operators.identities import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from twinflow._src.wings.linear_operators.identities import (
    LinearOperatorZeros as LinearOperatorZeros,
)
from twinflow._src.wings.linear_operators.kronecker import (
    LinearOperatorKronecker as LinearOperatorKronecker,
)
from twinflow._src.wings.linear_operators.low_rank import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from twinflow._src.wings.linear_operators.structured import (
    LinearOperatorHouseholder as LinearOperatorHouseholder,
)
from twinflow._src.wings.linear_operators.structured import (
    LinearOperatorPermutation as LinearOperatorPermutation,
)
from twinflow._src.wings.linear_operators.structured import (
    LinearOperatorToeplitz as LinearOperatorToeplitz,
)
from twinflow._src.wings.linear_operators.structured import (
    LinearOperatorTridiag as LinearOperatorTridiag,
)
from twinflow.linalg import experimental as experimental

sqrtm = _sqrtm

def adjoint(matrix: Any, name: str | None = None) -> Any:
    """Returns the conjugate transposes of the matrices in the last two dimensions."""

def band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Returns matrices with all elements outside a central band set to zero."""

def banded_triangular_solve(
    bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves systems of linear equations with banded triangular matrices."""

def cholesky(input: Any, name: str | None = None) -> Tensor:
    """Computes the Cholesky decomposition of positive definite matrices."""

def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Any:
    """Solves systems of linear equations from the Cholesky factors of the matrices."""

def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """Computes the cross products of the 3-element vectors in the last dimension."""

def det(input: Any, name: str | None = None) -> Tensor:
    """Computes the determinants of square matrices."""

def diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Returns matrices with the given diagonals and padding elsewhere."""

def diag_part(
    input: Any,
    name: str = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Any:
    """Returns the diagonals of the matrices in the last two dimensions."""

def eigh(tensor: Any, name: str | None = None) -> Any:
    """Computes eigenvalues and eigenvectors of self-adjoint matrices."""

def eigh_tridiagonal(
    alpha: Any,
    beta: Any,
    eigvals_only: bool = True,
    select: str = "a",
    select_range: Any = None,
    tol: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the eigenvalues of a Hermitian tridiagonal matrix, and optionally its eigenvectors."""

def eigvalsh(tensor: Any, name: str | None = None) -> Any:
    """Computes eigenvalues of self-adjoint matrices."""

def expm(input: Any, name: str | None = None) -> Any:
    """Computes the matrix exponentials of square matrices."""

def global_norm(t_list: Any, name: str | None = None) -> Any:
    """Computes the global norm of several tensors: the L2 norm of all their elements."""

def inv(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Computes the inverses of square matrices."""

def l2_normalize(
    x: Any, axis: Any = None, epsilon: Any = 1e-12, name: str | None = None, dim: Any = None
) -> Any:
    """Normalizes a tensor along axes by its L2 norm."""

def logdet(matrix: Any, name: str | None = None) -> Any:
    """Computes the logarithms of the determinants of self-adjoint positive definite matrices."""

def logm(input: Any, name: str | None = None) -> Tensor:
    """Computes the principal logarithms of square complex matrices."""

def lstsq(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Any:
    """Solves linear least-squares problems."""

def lu(input: Any, output_idx_type: Any = ..., name: str | None = None) -> Any:
    """Computes the LU decomposition of square matrices with partial pivoting."""

def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Computes the inverses of matrices from their LU factors."""

def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Reconstructs matrices from their LU factors."""

def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Any:
    """Solves systems of linear equations from the LU factors of the matrices."""

def matrix_rank(
    a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None
) -> Any:
    """Computes the ranks of matrices: the number of singular values above a tolerance."""

def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Any:
    """Transposes the last two dimensions of a tensor."""

def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies matrices by vectors in the last dimensions."""

def normalize(
    tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None
) -> Any:
    """Normalizes a tensor along axes by a norm, and returns the norm as well."""

def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Any:
    """Computes the Moore-Penrose pseudo-inverses of matrices."""

def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """Computes the QR decomposition of matrices."""

def set_diag(
    input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Any:
    """Returns a copy of matrices with some diagonals replaced."""

def slogdet(input: Any, name: str | None = None) -> Any:
    """Computes the signs of determinants and the logarithms of their absolute values."""

def solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """Solves systems of linear equations."""

def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """Computes the singular value decomposition of matrices."""

def tensor_diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Returns a diagonal tensor of twice the rank: ``result[i..., i...] = diagonal[i...]``, else 0."""

def tensor_diag_part(input: Any, name: str | None = None) -> Tensor:
    """Returns the diagonal part of a tensor: ``result[i...] = input[i..., i...]``."""

def trace(x: Any, name: str | None = None) -> Any:
    """Computes the traces of matrices: the sums of their main diagonals."""

def triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """Solves systems of linear equations with triangular matrices."""

def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Any:
    """Multiplies tridiagonal matrices by dense matrices."""

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
    """Solves tridiagonal systems of linear equations."""
