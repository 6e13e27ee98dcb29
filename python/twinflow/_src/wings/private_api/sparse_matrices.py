"""Products of sparse matrices, with TensorFlow's functions of CSR matrices."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.core.dtypes import as_dtype, int64
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API


class CSRSparseMatrix(NamedTuple):
    """A matrix or a batch of matrices, as the nonzero entries in row-major order."""

    indices: Any
    values: Any
    dense_shape: Any

    @property
    def dtype(self) -> Any:
        """The dtype of the entries."""
        return self.values.dtype

    def dense(self, values: Any) -> Any:
        """Returns a dense tensor with other values of the entries."""
        return API["scatter_nd"](self.indices, values, self.dense_shape)


CSRSparseMatrixToSparseTensor = namedtuple(
    "CSRSparseMatrixToSparseTensor", ["indices", "values", "dense_shape"]
)


def sparse_tensor_to_csr_sparse_matrix(
    indices: Any, values: Any, dense_shape: Any, name: str | None = None
) -> CSRSparseMatrix:
    """Returns the matrix of the parts of a sparse tensor.

    Args:
        indices: The indices, of shape [n, rank].
        values: The n values.
        dense_shape: The shape, of rank 2 or 3.
        name: The name scope.

    Raises:
        InvalidArgumentError: The rank is neither 2 nor 3.
    """
    with API["name_scope"](name or "SparseTensorToCSRSparseMatrix"):
        ordered = API["sparse.reorder"](SparseTensor(indices, values, dense_shape))
        rank = ordered.dense_shape.shape[0]
        if rank not in (None, 2, 3):
            raise invalid(f"SparseTensor must have rank 2 or 3; but indices has rank: {rank}")
        return CSRSparseMatrix(ordered.indices, ordered.values, ordered.dense_shape)


def sparse_matrix_sparse_mat_mul(
    a: CSRSparseMatrix,
    b: CSRSparseMatrix,
    type: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> CSRSparseMatrix:
    """Returns the product of two sparse matrices, computed by dense products.

    Entries are those to which at least one pair of entries contributes; they may be 0.

    Args:
        a: The first matrix.
        b: The second matrix.
        type: The dtype of both.
        transpose_a: Whether the first one is transposed.
        transpose_b: Whether the second one is transposed.
        adjoint_a: Whether the first one is transposed and conjugated.
        adjoint_b: Whether the second one is transposed and conjugated.
        name: The name scope.

    Raises:
        InvalidArgumentError: A matrix has another dtype, or is both transposed and adjoint.
    """
    dtype = as_dtype(type)
    for matrix, transposes, adjoins in ((a, transpose_a, adjoint_a), (b, transpose_b, adjoint_b)):
        if matrix.dtype is not dtype:
            raise invalid(
                f"Expected a matrix of dtype {dtype.name}, got {matrix.dtype.name} "
                "[Op:SparseMatrixSparseMatMul]"
            )
        if transposes and adjoins:
            raise invalid(
                "Only one of adjoint and transpose may be true [Op:SparseMatrixSparseMatMul]"
            )
    flips = {"transpose_a": transpose_a or adjoint_a, "transpose_b": transpose_b or adjoint_b}
    with API["name_scope"](name or "SparseMatrixSparseMatMul"):
        values = [
            API["math.conj"](matrix.values) if adjoins else matrix.values
            for matrix, adjoins in ((a, adjoint_a), (b, adjoint_b))
        ]
        counts = [API["ones_like"](matrix.values, "float32") for matrix in (a, b)]
        product = API["matmul"](a.dense(values[0]), b.dense(values[1]), **flips)
        pattern = API["matmul"](a.dense(counts[0]), b.dense(counts[1]), **flips)
        indices = API["where"](pattern > 0)
        entries = API["gather_nd"](product, indices)
        return CSRSparseMatrix(indices, entries, API["shape"](product, int64))


def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: CSRSparseMatrix, type: Any, name: str | None = None
) -> Any:
    """Returns the parts of a sparse tensor of a matrix: ``indices``, ``values``, ``dense_shape``.

    Args:
        sparse_matrix: The matrix.
        type: Its dtype.
        name: The name scope.

    Raises:
        InvalidArgumentError: The matrix has another dtype.
    """
    if sparse_matrix.dtype is not as_dtype(type):
        raise invalid(
            f"Expected a matrix of dtype {as_dtype(type).name}, got {sparse_matrix.dtype.name} "
            "[Op:CSRSparseMatrixToSparseTensor]"
        )
    return CSRSparseMatrixToSparseTensor(*sparse_matrix)
