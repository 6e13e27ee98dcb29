"""Points for linear algebra."""

from __future__ import annotations

import numpy as np

from ._points import Table, at, both, index, ints, some

POINTS: Table = {}

_A, _B = some(2, 3, 3) + 2 * np.eye(3), some(2, 3, 2)
_Z, _ZB = both(3, 3) + 2 * np.eye(3), both(3, 2)
_TALL, _WIDE = some(3, 2), some(2, 3)

# ------------------------------------------------------------------ products

for _a in (False, True):
    for _b in (False, True):
        _x, _y = some(3, 2) if _a else some(2, 3), some(4, 3) if _b else some(3, 4)
        POINTS.setdefault("MatMul", []).append(at(_x, _y, transpose_a=_a, transpose_b=_b))
        _u = both(2, 3, 2) if _a else both(2, 2, 3)
        _v = both(1, 2, 3) if _b else both(3, 2)
        POINTS.setdefault("BatchMatMulV2", []).append(at(_u, _v, adj_x=_a, adj_y=_b))
POINTS["BatchMatMulV2"].append(at(some(2, 1, 2, 3), some(3, 2)))
POINTS["Einsum"] = [
    at([some(2, 3), some(3, 2)], equation="ij,jk->ik"),
    at([some(2, 3), some(3), some(2)], equation="ij,j,i->"),
    at([some(3, 3)], equation="ii->i"),
    at([some(2, 1, 2), some(3, 2)], equation="...i,ji->...j"),
    at([both(2, 3), both(2, 3)], equation="ij,ij->i"),
]
POINTS["Cross"] = [at(some(2, 3), some(2, 3))]

# ------------------------------------------------------------------ diagonals

POINTS["MatrixDiagV3"] = [
    at(some(3), index(1), index(-1), index(-1), np.array(0.0), fixed=(4,)),
    at(some(3, 2), ints(-1, 1), index(2), index(2), np.array(0.5), fixed=(4,), align="LEFT_RIGHT"),
]
POINTS["MatrixDiagPartV3"] = [
    at(some(2, 3), index(1), np.array(0.0), fixed=(2,)),
    at(some(3, 3), ints(-1, 1), np.array(0.5), fixed=(2,), align="LEFT_LEFT"),
]
POINTS["MatrixDiagPartV2"] = [at(some(3, 3), ints(-1, 1), np.array(0.5), fixed=(2,))]
POINTS["MatrixSetDiagV3"] = [
    at(some(2, 3), some(2), index(0)),
    at(some(3, 3), some(2, 3), ints(0, 1)),
]
POINTS["Diag"] = [at(some(2, 2)), at(both(2))]
POINTS["DiagPart"] = [at(some(2, 2, 2, 2)), at(both(2, 2))]
POINTS["MatrixBandPart"] = [
    at(some(3, 3), np.array(1), np.array(0)),
    at(some(2, 3), np.array(-1), np.array(1)),
]

# ------------------------------------------------------------------ inverses and systems

# As in TensorFlow a complex determinant is not conjugated, so only real ones can be checked.
POINTS["MatrixDeterminant"] = [at(_A)]
POINTS["LogMatrixDeterminant"] = [at(_A)]
POINTS["MatrixInverse"] = [at(_A), at(_A, adjoint=True), at(_Z), at(_Z, adjoint=True)]
POINTS["MatrixSolve"] = [
    at(m, b, adjoint=a) for a in (False, True) for m, b in ((_A, _B), (_Z, _ZB))
]
POINTS["MatrixTriangularSolve"] = [
    at(m, b, adjoint=a, lower=lower)
    for a in (False, True)
    for lower in (False, True)
    for m, b in ((_A, _B), (_A[0], _B), (_Z, _ZB))
]
POINTS["MatrixSolveLs"] = [
    at(_TALL, some(3, 1), np.array(weight), fixed=(2,)) for weight in (0.0, 0.3)
] + [at(_WIDE, some(2, 2), np.array(weight), fixed=(2,)) for weight in (0.0, 0.3)]
POINTS["MatrixSolveLs"] += [at(both(3, 2), both(3, 1), np.array(0.2), fixed=(2,))]

# ------------------------------------------------------------------ decompositions
# Some results have a free sign or phase; the test takes what does not depend on it.

_POSITIVE = _A @ _A.swapaxes(-1, -2) + np.eye(3)
_HERMITIAN = _Z @ _Z.conj().T + np.diag([1.0, 2.0, 4.0])
POINTS["Cholesky"] = [at(_POSITIVE), at(_HERMITIAN)]
POINTS["Qr"] = [at(_A), at(_TALL), at(_WIDE), at(_WIDE, full_matrices=True), at(_Z), at(both(3, 2))]
POINTS["SelfAdjointEigV2"] = [
    at(_POSITIVE),
    at(_POSITIVE, compute_v=False),
    at(_HERMITIAN),
    at(_HERMITIAN, compute_v=False),
]
POINTS["Eig"] = [
    at(_A, Tout="complex128"),
    at(_A, compute_v=False, Tout="complex128"),
    at(_Z, Tout="complex128"),
    at(_Z, compute_v=False, Tout="complex128"),
]
POINTS["Svd"] = [
    at(m, **attrs)
    for m in (_A, _TALL, _WIDE, _Z, both(3, 2), both(2, 3))
    for attrs in ({}, {"compute_uv": False}, {"full_matrices": True})
]
POINTS["MatrixSquareRoot"] = [at(_POSITIVE), at(_A[0] + 4 * np.eye(3))]

# ------------------------------------------------------------------ matrices with few diagonals

_THREE = some(2, 3, 4) + np.array([[0.0], [6.0], [0.0]])
# TensorFlow takes no conjugates in the gradient of TridiagonalSolve: real numbers only.
POINTS["TridiagonalSolve"] = [
    at(_THREE, some(2, 4, 2)),
    at(_THREE[0], some(4, 1), partial_pivoting=False),
    at(_THREE[0], some(4, 1), perturb_singular=True),
]
POINTS["TridiagonalMatMul"] = [
    at(some(2, 1, 4), some(2, 1, 4), some(2, 1, 4), some(2, 4, 2)),
    at(both(1, 3), both(1, 3), both(1, 3), both(3, 2)),
]
_BANDS = some(2, 3, 4) + np.array([[5.0], [0.0], [5.0]])
POINTS["BandedTriangularSolve"] = [
    at(_BANDS, some(4, 1)),
    at(_BANDS[0], some(2, 4, 1), lower=False),
    at(_BANDS[0] + 1j * some(3, 4), both(4, 2), adjoint=True),
    at(_BANDS[0] + 1j * some(3, 4), both(4, 2), lower=False, adjoint=True),
]
