"""Functions of sparse and ragged tensors that only ``tf.compat.v1`` has."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.compat_v1.context_managers import name_scope
from twinflow._src.compat_v1.session.feeds_and_fetches import RaggedTensorValue
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorValue
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import PLAIN, entered
from twinflow._src.core.dtypes import as_dtype, bfloat16, float32, int64
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.graph.default_graph import executing_eagerly
from twinflow._src.graph.placeholders import placeholder as dense_placeholder


def _sparse(value: Any) -> SparseTensor:
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def sparse_merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """Combines batches of ids and of values to a sparse tensor, whose last indices are the ids.

    Args:
        sp_ids: A sparse tensor of ids, or a list of them.
        sp_values: A sparse tensor with the same indices.
        vocab_size: The number of ids, or a list of them.
        name: A name for the operation.
        already_sorted: If True, the result is not sorted.

    Returns:
        A sparse tensor.

    Raises:
        TypeError: An argument has another type.
        ValueError: The lists have different lengths.
    """
    if isinstance(sp_ids, (SparseTensor, SparseTensorValue)):
        sp_ids = [sp_ids]
        if not (isinstance(vocab_size, int) or hasattr(vocab_size, "dtype")):
            raise TypeError(
                f"vocab_size has to be a Tensor or Python int. Found {type(vocab_size)}"
            )
        vocab_size = [vocab_size]
    elif not isinstance(sp_ids, (list, tuple)):
        raise TypeError(f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}")
    elif not isinstance(vocab_size, (list, tuple)):
        raise TypeError(
            f"vocab_size has to be a list of Tensors or Python ints. Found {type(vocab_size)}"
        )
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with name_scope(name, "SparseMerge", [sp_ids, sp_values]):
        ids, values = [_sparse(x) for x in sp_ids], _sparse(sp_values)
        columns = [API["expand_dims"](API["cast"](x.values, int64), 1) for x in ids]
        sizes = [API["reshape"](API["cast"](n, int64), [1]) for n in vocab_size]
        result = SparseTensor(
            API["concat"]([ids[0].indices[:, :-1], *columns], 1),
            values.values,
            API["concat"]([ids[0].dense_shape[:-1], *sizes], 0),
        )
        return result if already_sorted else API["sparse.reorder"](result)


def _reduced(
    kind: str, sp_input: Any, axis: Any, keepdims: Any, reduction_axes: Any, keep_dims: Any
) -> SparseTensor:
    if keepdims is not None and keep_dims is not None:
        raise ValueError("Cannot specify both 'keepdims' and 'keep_dims'.")
    if axis is not None and reduction_axes is not None:
        raise ValueError("Cannot specify both 'axis' and 'reduction_axes'.")
    axes, keeps = (
        reduction_axes if axis is None else axis,
        keep_dims if keepdims is None else keepdims,
    )
    return API[f"sparse.reduce_{kind}"](_sparse(sp_input), axes, bool(keeps), output_is_sparse=True)


def sparse_reduce_sum_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> SparseTensor:
    """Computes sums over dimensions of a sparse tensor, as a sparse tensor.

    Args:
        sp_input: A sparse tensor.
        axis: The dimensions; all if None.
        keepdims: If True, they stay with size 1.
        reduction_axes: The older name of ``axis``.
        keep_dims: The older name of ``keepdims``.

    Returns:
        A sparse tensor.
    """
    return _reduced("sum", sp_input, axis, keepdims, reduction_axes, keep_dims)


@documented_like(sparse_reduce_sum_sparse)
def sparse_reduce_max_sparse(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    reduction_axes: Any = None,
    keep_dims: Any = None,
) -> SparseTensor:
    """Computes maxima over dimensions of a sparse tensor, as a sparse tensor."""
    return _reduced("max", sp_input, axis, keepdims, reduction_axes, keep_dims)


def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies two matrices of float32 or bfloat16.

    Args:
        a: A matrix.
        b: A matrix.
        transpose_a: If True, ``a`` is transposed.
        transpose_b: If True, ``b`` is transposed.
        a_is_sparse: Accepted and without effect.
        b_is_sparse: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A matrix of float32.
    """
    a, b = (
        API["cast"](x, float32) if x.dtype is bfloat16 else x
        for x in map(convert_to_tensor, (a, b))
    )
    return API["linalg.matmul"](a, b, transpose_a, transpose_b, name=name)


def ragged_placeholder(
    dtype: Any, ragged_rank: int, value_shape: Any = None, name: str | None = None
) -> Any:
    """Adds a ragged tensor that must be fed in a session.

    Args:
        dtype: The dtype of the values.
        ragged_rank: The number of ragged dimensions.
        value_shape: The shape of a value.
        name: A name.

    Returns:
        A ragged tensor; a dense one where ``ragged_rank`` is 0.

    Raises:
        RuntimeError: Eager execution is enabled.
    """
    if ragged_rank == 0:
        return dense_placeholder(dtype, value_shape, name)
    if executing_eagerly():
        raise RuntimeError("tf.placeholder() is not compatible with eager execution.")
    with name_scope(name, "RaggedPlaceholder", []):
        dims = None if value_shape is None else [None, *value_shape]
        result = dense_placeholder(dtype, dims, "flat_values")
        for i in reversed(range(ragged_rank)):
            splits = dense_placeholder(int64, [None], f"row_splits_{i}")
            result = RaggedTensor.from_row_splits(result, splits, validate=False)
        return result


def ragged_constant_value(
    pylist: Any,
    dtype: Any = None,
    ragged_rank: int | None = None,
    inner_shape: Any = None,
    row_splits_dtype: Any = "int64",
) -> Any:
    """Returns nested lists as a value of a ragged tensor, in NumPy arrays.

    Args:
        pylist: Nested lists of numbers or strings.
        dtype: The dtype of the values.
        ragged_rank: The number of ragged dimensions.
        inner_shape: The shape of a value.
        row_splits_dtype: The dtype of the row splits.

    Returns:
        A ``RaggedTensorValue``; a NumPy array where there are no ragged dimensions.

    Raises:
        ValueError: The lists are not nested as the arguments say.
    """
    with entered(PLAIN):
        kind = (
            None
            if dtype is None
            else as_dtype(np.dtype(dtype) if isinstance(dtype, type) else dtype)
        )
        tensor = API["ragged.constant"](
            pylist, kind, ragged_rank, inner_shape, row_splits_dtype=as_dtype(row_splits_dtype)
        )
        if not isinstance(tensor, RaggedTensor):
            return np.array(pylist) if dtype is None else tensor.numpy()
        array = tensor.flat_values.numpy()
        flat = array if dtype is not None else _python_kind(array, pylist)
        for splits in reversed(tensor.nested_row_splits):
            flat = RaggedTensorValue(flat, splits.numpy())
        return flat


def _python_kind(array: Any, pylist: Any) -> Any:
    """Returns an array in the dtype that NumPy has for Python's numbers."""
    kinds = {"i": np.int64, "f": np.float64}
    return array.astype(kinds.get(array.dtype.kind, array.dtype), copy=False)
