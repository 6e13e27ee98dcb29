"""Points for sparse and ragged tensors."""

from __future__ import annotations

import numpy as np

from ._points import Table, at, away, both, index, ints, some

POINTS: Table = {}


def longs(*values: object) -> np.ndarray:
    """Places and sizes of sparse tensors."""
    return np.array(values, "int64")


_A = longs([0, 1], [1, 0], [1, 3]), some(3), longs(2, 4)
_B = longs([0, 1], [0, 2], [1, 3]), some(3), longs(2, 4)
_ALL = longs([0, 1], [0, 2], [1, 0], [1, 3])
POINTS["SparseAdd"] = [at(*_A, *_B, np.float64(0), fixed=(6,))]
POINTS["SparseAddGrad"] = [at(some(4), _A[0], _B[0], _ALL)]
POINTS["SparseSoftmax"] = [at(*_A)]
for _type in ("SparseDenseCwiseAdd", "SparseDenseCwiseDiv", "SparseDenseCwiseMul"):
    POINTS[_type] = [at(*_A, away(2, 4)), at(*_A, away(4))]
POINTS["SparseFillEmptyRows"] = [at(longs([0, 1], [2, 0]), some(2), longs(4, 2), some())]
POINTS["SparseReduceSum"] = [
    at(*_A, ints(1)),
    at(*_A, ints(0, -1)),
    at(*_A, ints(0), keep_dims=True),
]
POINTS["SparseReorder"] = [at(longs([1, 3], [0, 1], [1, 0]), some(3), longs(2, 4))]
POINTS["SparseSlice"] = [at(*_A, longs(0, 1), longs(2, 3))]
POINTS["SparseTensorDenseAdd"] = [at(*_A, some(2, 4))]
POINTS["SparseTensorDenseMatMul"] = [
    at(*_A, some(4, 2)),
    at(*_A, some(2, 3), adjoint_a=True),
    at(*_A, some(3, 4), adjoint_b=True),
    at(_A[0], both(3), _A[2], both(3, 2), adjoint_a=True, adjoint_b=True),
]
POINTS["SparseToDense"] = [
    at(_A[0], _A[2], some(3), some()),
    at(longs(1, 3), longs(5), some(), some()),
]
_ROWS, _IDS = ints(0, 2, 2, 3), ints(0, 0, 1, 3)
for _type in ("SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSum"):
    POINTS[_type] = [at(some(4, 2), _ROWS, _IDS)]
    POINTS[f"{_type}WithNumSegments"] = [at(some(4, 2), _ROWS, _IDS, index(5))]
_RAGGED = {"row_partition_types": ["ROW_SPLITS"]}
POINTS["RaggedTensorToTensor"] = [
    at(np.array(-1), some(4), some(), [longs(0, 1, 1, 4)], **_RAGGED),
    at(longs(2, 2, 3), some(4, 3), some(3), [longs(0, 1, 1, 4)], **_RAGGED),
    at(np.array(-1), some(4, 2), some(1), [longs(0, 1, 4)], **_RAGGED),
]
