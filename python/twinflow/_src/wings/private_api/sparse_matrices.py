"""Products of sparse matrices, with TensorFlow's functions of CSR matrices."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API


class Entries(NamedTuple):
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
) -> Entries:
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
        return Entries(ordered.indices, ordered.values, ordered.dense_shape)


def sparse_matrix_sparse_mat_mul(
    a: Entries,
    b: Entries,
    type: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Entries:
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
        return Entries(indices, entries, API["shape"](product, int64))


def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: Entries, type: Any, name: str | None = None
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


class CSRSparseMatrix:
    """A sparse matrix, or a batch of them.

    Args:
        value: A ``tf.SparseTensor``, or a dense tensor of rank 2 or 3.
        indices: The indices of the entries of a dense tensor; those that are not zero if None.
        name: The name scope.

    Raises:
        InvalidArgumentError: The rank is neither 2 nor 3.
    """

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        with API["name_scope"](name or "CSRSparseMatrix"):
            if isinstance(value, SparseTensor):
                self._shape = value.shape
            else:
                value = convert_to_tensor(value)
                self._shape = value.shape
                if value.shape.rank not in (None, 2, 3):
                    dims = list(value.shape)
                    raise invalid(
                        f"params must have rank == 2 or 3; but saw shape: {dims} "
                        "[Op:DenseToCSRSparseMatrix]"
                    )
                value = _sparse_at(value, indices)
            self._entries = sparse_tensor_to_csr_sparse_matrix(
                value.indices, value.values, value.dense_shape
            )

    @classmethod
    def _of(cls, entries: Entries, shape: Any) -> CSRSparseMatrix:
        matrix = cls.__new__(cls)
        matrix._entries, matrix._shape = entries, TensorShape(shape)
        return matrix

    @property
    def dtype(self) -> Any:
        """The dtype of the entries."""
        return self._entries.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    def nnz(self) -> Any:
        """Returns the number of entries, of each matrix of a batch."""
        indices = self._entries.indices
        if self._shape.rank == 2:
            return API["shape"](indices)[0]
        count = API["cast"](self._entries.dense_shape[0], "int32")
        return API["math.bincount"](
            API["cast"](indices[:, 0], "int32"), minlength=count, maxlength=count
        )

    def to_dense(self) -> Any:
        """Returns a dense tensor."""
        return self._entries.dense(self._entries.values)

    def to_sparse_tensor(self) -> SparseTensor:
        """Returns a ``tf.SparseTensor``."""
        return SparseTensor(*self._entries)

    def conj(self) -> CSRSparseMatrix:
        """Returns the matrix of the conjugated entries."""
        values = API["math.conj"](self._entries.values)
        return self._of(self._entries._replace(values=values), self._shape)

    def transpose(self) -> CSRSparseMatrix:
        """Returns the transposed matrix."""
        order = [1, 0] if self._shape.rank == 2 else [0, 2, 1]
        flipped = API["sparse.transpose"](self.to_sparse_tensor(), order)
        shape = [self._shape[axis] for axis in order]
        return self._of(Entries(flipped.indices, flipped.values, flipped.dense_shape), shape)

    def hermitian_transpose(self) -> CSRSparseMatrix:
        """Returns the transposed matrix of the conjugated entries."""
        return self.conj().transpose()


def _sparse_at(value: Any, indices: Any) -> SparseTensor:
    if indices is None:
        return API["sparse.from_dense"](value)
    indices = convert_to_tensor(indices, dtype=int64)
    return SparseTensor(indices, API["gather_nd"](value, indices), API["shape"](value, int64))


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the product of two matrices, sparse if both are.

    Args:
        a: A ``CSRSparseMatrix`` or a dense tensor.
        b: A ``CSRSparseMatrix`` or a dense tensor.
        transpose_a: Whether the first one is transposed.
        transpose_b: Whether the second one is transposed.
        adjoint_a: Whether the first one is transposed and conjugated.
        adjoint_b: Whether the second one is transposed and conjugated.
        name: The name scope.

    Raises:
        InvalidArgumentError: The inner dimensions differ, or a matrix is both transposed and adjoint.
    """
    flips: dict[str, Any] = {
        "transpose_a": transpose_a, "transpose_b": transpose_b,
        "adjoint_a": adjoint_a, "adjoint_b": adjoint_b,
    }  # fmt: skip
    are_sparse = [isinstance(matrix, CSRSparseMatrix) for matrix in (a, b)]
    if not any(are_sparse):
        return API["matmul"](a, b, **flips, name=name)
    type = "SparseMatrixSparseMatMul" if all(are_sparse) else "SparseMatrixMatMul"
    for side in "ab":
        if flips[f"transpose_{side}"] and flips[f"adjoint_{side}"]:
            raise invalid(
                f"Only one of adjoint_{side} and transpose_{side} may be true. [Op:{type}]"
            )
    with API["name_scope"](name or "sparse_matmul"):
        a, b = (
            m if is_sparse else convert_to_tensor(m) for m, is_sparse in zip((a, b), are_sparse)
        )
        rows, inner = _sizes(a, transpose_a or adjoint_a)
        inner_b, columns = _sizes(b, transpose_b or adjoint_b)
        if None not in (inner, inner_b) and inner != inner_b:
            shapes = " vs. ".join(str(m.shape.as_list()).replace(" ", "") for m in (a, b))
            raise invalid(
                f"Inner product dimensions of A and B do not agree.  Shapes are: {shapes} [Op:{type}]"
            )
        if all(are_sparse):
            product = sparse_matrix_sparse_mat_mul(a._entries, b._entries, a.dtype, **flips)
            return CSRSparseMatrix._of(product, [*a.shape[:-2], rows, columns])
        dense = (m.to_dense() if is_sparse else m for m, is_sparse in zip((a, b), are_sparse))
        return API["matmul"](*dense, **flips)


def _sizes(matrix: Any, is_flipped: bool) -> tuple[int | None, int | None]:
    """Returns the numbers of rows and columns of a matrix, or of its transpose."""
    rows, columns = matrix.shape[-2], matrix.shape[-1]
    return (columns, rows) if is_flipped else (rows, columns)
