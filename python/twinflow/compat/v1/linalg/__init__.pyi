# Computed from the op table by tools/make_stubs.py.

from twinflow import eig as eig
from twinflow import eigvals as eigvals
from twinflow import einsum as einsum
from twinflow import eye as eye
from twinflow import matmul as matmul
from twinflow import matrix_square_root as _sqrtm
from twinflow import tensordot as tensordot
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
from twinflow.compat.v1 import norm as norm
from twinflow.compat.v1.linalg import experimental as experimental
from twinflow.linalg import adjoint as adjoint
from twinflow.linalg import band_part as band_part
from twinflow.linalg import banded_triangular_solve as banded_triangular_solve
from twinflow.linalg import cholesky as cholesky
from twinflow.linalg import cholesky_solve as cholesky_solve
from twinflow.linalg import cross as cross
from twinflow.linalg import det as det
from twinflow.linalg import diag as diag
from twinflow.linalg import diag_part as diag_part
from twinflow.linalg import eigh as eigh
from twinflow.linalg import eigh_tridiagonal as eigh_tridiagonal
from twinflow.linalg import eigvalsh as eigvalsh
from twinflow.linalg import expm as expm
from twinflow.linalg import global_norm as global_norm
from twinflow.linalg import inv as inv
from twinflow.linalg import l2_normalize as l2_normalize
from twinflow.linalg import logdet as logdet
from twinflow.linalg import logm as logm
from twinflow.linalg import lstsq as lstsq
from twinflow.linalg import lu as lu
from twinflow.linalg import lu_matrix_inverse as lu_matrix_inverse
from twinflow.linalg import lu_reconstruct as lu_reconstruct
from twinflow.linalg import lu_solve as lu_solve
from twinflow.linalg import matrix_rank as matrix_rank
from twinflow.linalg import matrix_transpose as _transpose
from twinflow.linalg import matrix_transpose as matrix_transpose
from twinflow.linalg import matvec as matvec
from twinflow.linalg import normalize as normalize
from twinflow.linalg import pinv as pinv
from twinflow.linalg import qr as qr
from twinflow.linalg import set_diag as set_diag
from twinflow.linalg import slogdet as slogdet
from twinflow.linalg import solve as solve
from twinflow.linalg import svd as svd
from twinflow.linalg import tensor_diag as tensor_diag
from twinflow.linalg import tensor_diag_part as tensor_diag_part
from twinflow.linalg import trace as trace
from twinflow.linalg import triangular_solve as triangular_solve
from twinflow.linalg import tridiagonal_matmul as tridiagonal_matmul
from twinflow.linalg import tridiagonal_solve as tridiagonal_solve

sqrtm = _sqrtm
transpose = _transpose
