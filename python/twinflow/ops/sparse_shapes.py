"""Sparse tensors in other shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..constant import convert_to_tensor
from ..dtypes import as_dtype, bool_, float32, int64
from ..errors import invalid
from ..op import API, export
from ..sparse_tensor import SparseTensor
from .filling import ones
from .joining import concat as joined
from .sparse import _flat, _made, _parts, _picked, _sparse, _unflat, to_dense


@export("sparse.transpose")
def transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """Returns a sparse tensor with its dimensions in another order.

    Args:
        sp_input: A sparse tensor.
        perm: The order; reversed where None.
        name: A name for the operation.

    Returns:
        A sparse tensor.
    """
    sp = _sparse(sp_input)
    indices, shape = _parts(sp)
    order = (
        list(range(len(shape)))[::-1] if perm is None else convert_to_tensor(perm)._host().tolist()
    )
    moved, sizes = indices[:, order], tuple(shape[i] for i in order)
    chosen = np.argsort(_flat(moved, sizes), kind="stable")
    return _picked(sp, moved[chosen], chosen, sizes)


@export("sparse.reshape")
def reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """Returns a sparse tensor of the same elements in another shape.

    Args:
        sp_input: A sparse tensor.
        shape: The shape; one size may be -1, for what is left.
        name: A name for the operation.

    Returns:
        A sparse tensor.

    Raises:
        InvalidArgumentError: The shape has another number of elements.
    """
    sp = _sparse(sp_input)
    indices, old = _parts(sp)
    new = [int(n) for n in convert_to_tensor(shape, dtype_hint=int64)._host()]
    total = int(np.prod(old, dtype=np.int64))
    if new.count(-1) > 1:
        raise invalid(
            f"only one output dimension may be -1, not both {new.index(-1)} and {len(new) - 1 - new[::-1].index(-1)}"
        )
    if -1 in new:
        known = int(np.prod([n for n in new if n != -1], dtype=np.int64))
        new[new.index(-1)] = total // known if known else 0
    if int(np.prod(new, dtype=np.int64)) != total:
        raise invalid(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has "
            f"{int(np.prod(new, dtype=np.int64))}. input_shape={list(old)} output_shape={new}"
        )
    return _made(_unflat(_flat(indices, old), tuple(new)), sp.values, new)


@export("sparse.expand_dims")
def expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """Returns a sparse tensor with a dimension of size 1 more.

    Args:
        sp_input: A sparse tensor.
        axis: Where; at the end where None.
        name: A name for the operation.

    Returns:
        A sparse tensor.
    """
    sp = _sparse(sp_input)
    indices, shape = _parts(sp)
    at = -1 if axis is None else int(axis)
    at = at + len(shape) + 1 if at < 0 else at
    sizes = [*shape[:at], 1, *shape[at:]]
    return _made(np.insert(indices, at, 0, axis=1), sp.values, sizes)


@export("sparse.concat")
def concat(
    axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """Joins sparse tensors along a dimension.

    Args:
        axis: The dimension.
        sp_inputs: Sparse tensors of one type and rank.
        expand_nonconcat_dims: Whether the other dimensions may differ: the result has the largest.
        name: A name for the operation.

    Returns:
        A sparse tensor.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    tensors = [_sparse(sp) for sp in sp_inputs]
    if len(tensors) == 1:
        return tensors[0]
    parts = [_parts(sp) for sp in tensors]
    rank = len(parts[0][1])
    where = int(axis) % rank
    sizes = np.array([shape for _, shape in parts])
    others = [i for i in range(rank) if i != where]
    if not expand_nonconcat_dims and (sizes[:, others] != sizes[0, others]).any():
        bad = next(i for i in others if (sizes[:, i] != sizes[0, i]).any())
        k = int((sizes[:, bad] != sizes[0, bad]).argmax())
        raise invalid(
            f"All dimensions except {where} must match. Input {k} has shape {sizes[k].tolist()} and "
            f"doesn't match input 0 with shape {sizes[0].tolist()}."
        )
    result = sizes.max(axis=0)
    result[where] = sizes[:, where].sum()
    offsets = np.concatenate([[0], np.cumsum(sizes[:-1, where])])
    shifted = [
        indices + np.eye(rank, dtype=np.int64)[where] * offset
        for (indices, _), offset in zip(parts, offsets, strict=True)
    ]
    indices, shape = np.concatenate(shifted), tuple(result.tolist())
    values = joined([sp.values for sp in tensors], 0)
    order = np.argsort(_flat(indices, shape), kind="stable")
    return _picked(SparseTensor(indices, values, result), indices[order], order, shape)


@export("sparse.slice")
def slice_(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """Returns a part of a sparse tensor.

    Args:
        sp_input: A sparse tensor.
        start: Where the part begins in each dimension.
        size: The size of the part in each dimension.
        name: A name for the operation.

    Returns:
        A sparse tensor.
    """
    sp = _sparse(sp_input)
    indices, shape = _parts(sp)
    begin = convert_to_tensor(start, dtype_hint=int64)._host().astype(np.int64)
    length = convert_to_tensor(size, dtype_hint=int64)._host().astype(np.int64)
    end = np.minimum(begin + length, shape)
    chosen = np.flatnonzero(((indices >= begin) & (indices < end)).all(axis=1))
    return _picked(sp, indices[chosen] - begin, chosen, np.maximum(end - begin, 0))


@export("sparse.split")
def split(
    sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """Cuts a sparse tensor into parts along a dimension; the first ones get what does not divide.

    Args:
        sp_input: A sparse tensor.
        num_split: The number of parts.
        axis: The dimension.
        name: A name for the operation.

    Returns:
        A list of sparse tensors.
    """
    sp = _sparse(sp_input)
    _, shape = _parts(sp)
    where, count = int(axis) % len(shape), int(num_split)
    base, extra = divmod(shape[where], count)
    parts, at = [], 0
    for i in range(count):
        length = base + (i < extra)
        begin, sizes = [0] * len(shape), list(shape)
        begin[where], sizes[where] = at, length
        parts.append(slice_(sp, begin, sizes))
        at += length
    return parts


@export("sparse.eye")
def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = float32, name: str | None = None
) -> SparseTensor:
    """Returns a sparse identity matrix.

    Args:
        num_rows: The number of rows.
        num_columns: The number of columns; that of rows where None.
        dtype: The type of the elements.
        name: A name for the operation.

    Returns:
        A sparse tensor.
    """
    rows = int(num_rows)
    columns = rows if num_columns is None else int(num_columns)
    index = np.arange(min(rows, columns))
    return _made(
        np.stack([index, index], axis=1), ones([len(index)], as_dtype(dtype)), [rows, columns]
    )


@export("sparse.fill_empty_rows")
def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Any]:
    """Returns a sparse matrix with an element in every row.

    Args:
        sp_input: A sparse tensor of rank 2.
        default_value: The element that rows without one get, in their first column.
        name: A name for the operation.

    Returns:
        A sparse tensor, and a boolean vector: which rows were empty.
    """
    sp = _sparse(sp_input)
    indices, shape = _parts(sp)
    empty = np.bincount(indices[:, 0], minlength=shape[0]) == 0
    missing = np.flatnonzero(empty)
    added = np.stack([missing, np.zeros_like(missing)], axis=1)
    value = convert_to_tensor(default_value, dtype=sp.dtype)
    values = joined([sp.values, API["fill"]([len(missing)], value)], 0)
    every = np.concatenate([indices, added])
    order = np.argsort(every[:, 0], kind="stable")
    full = SparseTensor(every, values, np.array(shape, np.int64))
    return _picked(full, every[order], order, shape), convert_to_tensor(empty)


@export("sparse.to_indicator")
def to_indicator(sp_input: Any, vocab_size: int, name: str | None = None) -> Any:
    """Returns a boolean tensor that is true where the values of a sparse tensor say.

    Args:
        sp_input: A sparse tensor of integers, which replace the last index.
        vocab_size: The size of the last dimension.
        name: A name for the operation.

    Returns:
        A boolean tensor.
    """
    sp = _sparse(sp_input)
    indices, shape = _parts(sp)
    places = np.concatenate([indices[:, :-1], sp.values._host()[:, None].astype(np.int64)], axis=1)
    sizes = (*shape[:-1], int(vocab_size))
    places = _unflat(np.unique(_flat(places, sizes)), sizes)
    marks = _made(places, API["ones"]([len(places)], bool_), sizes)
    return to_dense(marks, default_value=False)
