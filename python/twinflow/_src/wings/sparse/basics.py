"""Basic functions of ``tf.sparse``: dense conversion, add, matmul, retain, map_values."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import conjugate, unbroadcast
from twinflow._src.backends.host_checks import known_any
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import NUMBERS, bool_, int32, string
from twinflow._src.core.errors import invalid
from twinflow._src.core.nest import flatten, pack_sequence_as
from twinflow._src.core.shapes import static_size, text
from twinflow._src.dispatch.op import API, Call, documented_like, export, op
from twinflow._src.ops.array.gather import gather, where
from twinflow._src.ops.array.gather_nd import gather_nd
from twinflow._src.ops.array.scatter_kernels import combining, rounds
from twinflow._src.ops.array.shapes import rank_of, reshape, transpose
from twinflow._src.ops.array.unique import setdiff1d
from twinflow._src.ops.elementwise.compare import not_equal
from twinflow._src.ops.linalg.matmul import matmul
from twinflow._src.wings.sparse.arithmetic import (
    sparse_add,
    sparse_softmax,
    sparse_sparse_maximum,
    sparse_sparse_minimum,
)
from twinflow._src.wings.sparse.parts import (
    AnyLengths,
    AnyPlaces,
    Lengths,
    check_order,
    from_session,
    sizes,
    sparse,
)
from twinflow._src.wings.sparse.reductions import sparse_reorder

# Ops between sparse and dense tensors.


# Minimum row width, and minimum number of distinct rows per round, for vectorized row updates.
_WIDE, _MANY = 32, 8
_PRODUCTS = dtypes.INEXACT | {dtypes.int32}


def _infer_dense(indices: Any, shape: Any, values: Any, default: Any, **_: Any) -> Any:
    return sizes(shape)


@op("SparseToDense", shape=_infer_dense)
def sparse_to_dense(
    xp: Any,
    sparse_indices: AnyPlaces,
    output_shape: AnyLengths,
    sparse_values: Any,
    default_value: Any,
    *,
    validate_indices: bool = True,
) -> Any:
    """Scatters sparse values into a dense tensor."""
    if default_value.ndim:
        raise invalid("default_value should be a scalar.")
    shape = tuple(output_shape.tolist())
    indices = sparse_indices.reshape(-1, 1) if sparse_indices.ndim < 2 else sparse_indices
    if validate_indices:
        check_order(indices if isinstance(indices, np.ndarray) else indices.get(), shape)
    elif known_any(xp, lambda: (indices < 0) | (indices >= xp.asarray(shape, dtype=indices.dtype))):
        raise invalid(f"Indices are not valid (out of bounds).  Shape: {text(shape)}")
    result = xp.full(shape, default_value[()], sparse_values.dtype)
    if len(indices):
        result[tuple(indices.T) if shape else ...] = sparse_values if shape else sparse_values[-1]
    return result


@sparse_to_dense.gradient
def _(call: Call, dy: Any) -> Any:
    indices = call.inputs[0]
    if indices.shape.rank != 2:  # scalars are indices of a vector
        indices = API["reshape"](indices, [-1, rank_of(dy)])
    values = API["gather_nd"](dy, indices)
    default = API["reduce_sum"](dy) - API["reduce_sum"](values)
    return None, None, unbroadcast(values, call.inputs[2]), default


def _infer_dense_side(indices: Any, values: Any, shape: Any, dense: Any, **_: Any) -> Any:
    dims = sizes(shape)
    if dims is None or dense is None:
        return dense
    if len(dims) != len(dense):
        raise invalid(f"Two operands have different ranks; received: {len(dims)} and {len(dense)}")
    for i, (a, b) in enumerate(zip(dims, dense, strict=True)):
        if None not in (a, b) and a != b:
            raise invalid(
                f"Dimension {i} does not equal (no broadcasting is supported): sparse side {a} vs "
                f"dense side {b}"
            )
    return dense


@op("SparseTensorDenseAdd", shape=_infer_dense_side, dtypes=NUMBERS, devices=("CPU",))
def sparse_tensor_dense_add(
    xp: Any, a_indices: AnyPlaces, a_values: Any, a_shape: AnyLengths, b: Any
) -> Any:
    """Adds a sparse tensor and a dense tensor."""
    _infer_dense_side(a_indices.shape, a_values.shape, a_shape, b.shape)
    outside = lambda: (a_indices < 0) | (a_indices >= xp.asarray(b.shape, dtype=a_indices.dtype))
    if known_any(xp, outside):
        i, d = (int(k) for k in xp.argwhere(outside())[0])
        raise invalid(
            f"Sparse tensor has an invalid index on dimension {d}: a_indices({i},{d}) = "
            f"{int(a_indices[i, d])}, dense tensor shape: {' '.join(map(str, b.shape))}"
        )
    result = b.copy()
    combining(xp, xp.add)(result, tuple(a_indices.T), a_values)
    return result


@sparse_tensor_dense_add.gradient
def _(call: Call, dy: Any) -> Any:
    return None, API["gather_nd"](dy, call.inputs[0]), None, dy


# ------------------------------------------------------------------ products


def _infer_product(
    indices: Any,
    values: Any,
    a_shape: Any,
    b: Any,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Any:
    dims = sizes(a_shape)
    if b is not None and len(b) != 2:
        raise invalid("Tensor 'b' is not a matrix")
    if dims is not None and len(dims) != 2:
        raise invalid("Tensor 'a_shape' must have 2 elements")
    (rows, inner) = (None, None) if dims is None else dims[::-1] if adjoint_a else dims
    (depth, columns) = (None, None) if b is None else b[::-1] if adjoint_b else b
    if None not in (inner, depth) and inner != depth:
        raise invalid(
            "Cannot multiply A and B because inner dimension does not match: "
            f"{inner} vs. {depth}.  Did you forget a transpose?  "
            f"Dimensions of A: [{dims[0]}, {dims[1]}).  Dimensions of B: {text(b)}"
        )
    return rows, columns


@op("SparseTensorDenseMatMul", shape=_infer_product, dtypes=_PRODUCTS)
def sparse_tensor_dense_mat_mul(
    xp: Any,
    a_indices: AnyPlaces,
    a_values: Any,
    a_shape: Lengths,
    b: Any,
    *,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Any:
    """Multiplies a sparse matrix by a dense matrix."""
    result = xp.zeros(
        _infer_product(a_indices.shape, a_values.shape, a_shape, b.shape, adjoint_a, adjoint_b),
        b.dtype,
    )
    b = xp.conj(b).T if adjoint_b and b.dtype.kind == "c" else b.T if adjoint_b else b
    where = 1 if adjoint_a else 0
    rows, columns = a_indices[:, where], a_indices[:, 1 - where]
    for name, coordinates, limit, at in (
        ("k", columns, len(b), 1 - where),
        ("m", rows, len(result), where),
    ):
        bad = lambda coordinates=coordinates, limit=limit: (
            (coordinates < 0) | (coordinates >= limit)
        )
        if known_any(xp, bad):
            i = int(xp.argmax(bad()))
            raise invalid(
                f"{name} ({int(coordinates[i])}) from index[{i},{at}] out of bounds (>={limit})"
            )
    values = xp.conj(a_values) if adjoint_a and a_values.dtype.kind == "c" else a_values
    _add_products(xp, result, rows, values, b, columns)
    return result


def _add_products(xp: Any, result: Any, rows: Any, values: Any, b: Any, columns: Any) -> None:
    """Adds values times rows of b to rows of the result, in order."""
    turns = rounds(rows) if xp is np and values.size and result.shape[1] >= _WIDE else []
    if not turns or len(turns) * _MANY > len(values):
        combining(xp, xp.add)(result, rows, values[:, None] * b[columns])
        return
    for turn in turns:
        result[rows[turn]] += values[turn, None] * b[columns[turn]]


@sparse_tensor_dense_mat_mul.gradient
def _(call: Call, dy: Any) -> Any:
    indices, values, shape, b = call.inputs
    adjoint_a, adjoint_b = call.attrs["adjoint_a"], call.attrs["adjoint_b"]
    gather, adjoint = API["gather"], API["linalg.adjoint"]
    where = 1 if adjoint_a else 0
    rows, columns = indices[:, where], indices[:, 1 - where]
    b_grad = sparse_tensor_dense_mat_mul(indices, values, shape, dy, adjoint_a=not adjoint_a)
    rows_of_b = gather(adjoint(b) if adjoint_b else b, columns)
    terms = gather(dy, rows) * conjugate(rows_of_b)
    result = API["reduce_sum"](terms, 1)
    return (
        None,
        conjugate(result) if adjoint_a else result,
        None,
        adjoint(b_grad) if adjoint_b else b_grad,
    )


# Public functions.


@export("sparse.to_dense")
def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Any:
    """Converts a sparse tensor to a dense tensor.

    Args:
        sp_input: A sparse tensor.
        default_value: The value of missing elements; zero or an empty string if None.
        validate_indices: If True, checks that the indices are sorted and unique.

    Returns:
        A dense tensor.

    Raises:
        TypeError: The input is not a sparse tensor.
        InvalidArgumentError: The indices are not valid.
    """
    sp = sparse(sp_input)
    if default_value is None:
        default_value = "" if sp.dtype is string else False if sp.dtype is bool_ else 0
    return sparse_to_dense(
        sp.indices, sp.dense_shape, sp.values, default_value, validate_indices=validate_indices
    )


@export("sparse.from_dense")
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Converts a dense tensor to a sparse tensor of its nonzero elements.

    Args:
        tensor: A tensor of rank 1 or more.

    Returns:
        A sparse tensor.

    Raises:
        InvalidArgumentError: The tensor is a scalar.
    """
    tensor = convert_to_tensor(tensor)
    empty = "" if tensor.dtype is string else False if tensor.dtype is bool_ else 0
    indices = where(not_equal(tensor, constant(empty, dtype=tensor.dtype)))
    return SparseTensor(indices, gather_nd(tensor, indices), API["shape"](tensor, out_type="int64"))


@export("sparse.reorder")
@documented_like(to_dense)
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Reorders a sparse tensor to row-major order of its indices.

    Returns:
        A sparse tensor.

    Raises:
        TypeError: The input is not a sparse tensor.
    """
    sp = sparse(sp_input)
    indices, values = sparse_reorder(sp.indices, sp.values, sp.dense_shape)
    return SparseTensor(indices, values, sp.dense_shape)


# ------------------------------------------------------------------ products


@export("sparse.sparse_dense_matmul")
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Any:
    """Multiplies a sparse and a dense matrix, in either order.

    Args:
        sp_a: A sparse matrix (or a dense one, if b is sparse).
        b: A dense matrix of the same dtype (or a sparse one).
        adjoint_a: If True, takes the adjoint of the first matrix.
        adjoint_b: If True, takes the adjoint of the second matrix.

    Returns:
        A dense matrix. A complex dense matrix times a sparse one gives the complex conjugate, as in
        TensorFlow.

    Raises:
        InvalidArgumentError: The sizes are incompatible.
    """
    if isinstance(b, SparseTensor):
        product = sparse_dense_matmul(b, sp_a, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a)
        return transpose(product)
    sp, b = sparse(sp_a), convert_to_tensor(b)
    return sparse_tensor_dense_mat_mul(
        sp.indices, sp.values, sp.dense_shape, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b
    )


@export("sparse.sampled_addmm")
def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = "float32",
) -> tuple[Any, Any, Any]:
    """Returns alpha * mat1 @ mat2 + beta * sparse at the indices of a sparse matrix.

    Args:
        indices: The indices of the sparse matrix.
        values: Its values.
        dense_shape: Its dense shape.
        mat1: A matrix, or a batch of matrices.
        mat2: A matrix, or a batch of matrices.
        beta: The factor of the sparse values.
        alpha: The factor of the matrix product.
        output_type: The dtype of the new values.

    Returns:
        The indices, the new values and the dense shape.
    """
    indices, dense_shape = (convert_to_tensor(x, dtype=int32) for x in (indices, dense_shape))
    values = convert_to_tensor(values, dtype=output_type)
    product = matmul(
        convert_to_tensor(mat1, dtype=output_type), convert_to_tensor(mat2, dtype=output_type)
    )
    products = gather_nd(product, indices, batch_dims=indices.shape.rank - 2)
    return indices, alpha * products + beta * values, dense_shape


# ------------------------------------------------------------------ arithmetic


@export("sparse.add")
def add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """Adds two tensors, at least one of which is sparse.

    Args:
        a: A sparse or dense tensor.
        b: A sparse or dense tensor of the same dtype and shape.
        threshold: Sums of two sparse elements whose magnitude is below this threshold are dropped.

    Returns:
        A sparse tensor, or a dense one if an operand is dense.

    Raises:
        TypeError: Both are dense.
        InvalidArgumentError: The shapes differ.
    """
    a, b = map(from_session, (a, b))
    is_sparse = [isinstance(x, SparseTensor) for x in (a, b)]
    if not any(is_sparse):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if all(is_sparse):
        limit = convert_to_tensor(threshold, dtype=a.dtype.real_dtype)
        return SparseTensor(*sparse_add(*_parts(a), *_parts(b), limit))
    sp, dense = (a, b) if is_sparse[0] else (b, a)
    return sparse_tensor_dense_add(*_parts(sp), dense)


def _parts(sp: SparseTensor) -> tuple[Any, Any, Any]:
    return sp.indices, sp.values, sp.dense_shape


def _apply_to_both(function: Any, a: Any, b: Any) -> SparseTensor:
    indices, values = function(*_parts(a), *_parts(b))
    return SparseTensor(indices, values, a.dense_shape)


@export("sparse.maximum")
@documented_like(from_dense)
def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the element-wise maximum of two sparse tensors; missing elements are 0.

    Args:
        sp_a: A real sparse tensor.
        sp_b: A sparse tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: The shapes differ.
    """
    return _apply_to_both(sparse_sparse_maximum, sp_a, sp_b)


@export("sparse.minimum")
@documented_like(maximum)
def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the element-wise minimum of two sparse tensors; missing elements are 0."""
    return _apply_to_both(sparse_sparse_minimum, sp_a, sp_b)


@export("sparse.softmax")
def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Computes the softmax over the last dimension of a sparse tensor, ignoring missing elements.

    Args:
        sp_input: A floating-point sparse tensor of rank 2 or more.

    Returns:
        A sparse tensor with the same indices.

    Raises:
        InvalidArgumentError: The rank is less than 2.
    """
    return SparseTensor(sp_input.indices, sparse_softmax(*_parts(sp_input)), sp_input.dense_shape)


@export("sparse.map_values")
def map_values(op: Any, *args: Any, **kwargs: Any) -> SparseTensor:
    """Applies a function to the values of sparse tensors.

    Args:
        op: The function, which returns as many values as it receives.
        *args: Its arguments; sparse tensors are replaced by their values.
        **kwargs: Its keyword arguments.

    Returns:
        A sparse tensor.

    Raises:
        ValueError: No argument is a sparse tensor.
        InvalidArgumentError: The sparse tensors have different indices.
    """
    leaves = flatten([args, kwargs])
    tensors = [x for x in leaves if isinstance(x, SparseTensor)]
    if not tensors:
        raise ValueError("No SparseTensor in argument list of map_values")
    same = API["debugging.assert_equal"]
    for other in tensors[1:]:
        same(tensors[0].dense_shape, other.dense_shape, message="Mismatched shapes!")
        same(tensors[0].indices, other.indices, message="Mismatched indices!")
    plain = [x.values if isinstance(x, SparseTensor) else x for x in leaves]
    positional, named = pack_sequence_as([args, kwargs], plain)
    return tensors[0].with_values(op(*positional, **named))


# ------------------------------------------------------------------ selection


@export("sparse.retain")
@documented_like(reorder)
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Returns a sparse tensor with the elements selected by a boolean mask.

    Args:
        to_retain: A boolean vector, True for each element to keep.

    Raises:
        ValueError: The vector has another length.
    """
    sp, keep = sparse(sp_input), convert_to_tensor(to_retain)
    keep.shape.assert_has_rank(1)
    count, size = static_size(sp.values.shape, 0), static_size(keep.shape, 0)
    if None not in (count, size) and count != size:
        raise ValueError(f"Dimensions {count} and {size} are not compatible")
    flatten_indices = reshape(where(keep), [-1])
    return SparseTensor(
        gather(sp.indices, flatten_indices), gather(sp.values, flatten_indices), sp.dense_shape
    )


@export("sparse.mask")
def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Returns ``IndexedSlices`` without the slices of the given indices.

    Args:
        a: An ``IndexedSlices``.
        mask_indices: The indices of the slices to remove.

    Returns:
        An ``IndexedSlices``.
    """
    remaining, flatten_indices = setdiff1d(a.indices, mask_indices)
    return IndexedSlices(gather(a.values, flatten_indices), remaining, a.dense_shape)
