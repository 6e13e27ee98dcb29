"""Ragged tensors and dense ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from .constant import constant as make_constant
from .constant import convert_to_tensor
from .dtypes import as_dtype
from .op import API
from .ragged_tensor import RaggedTensor
from .shapes import TensorShape


def from_tensor(
    tensor: Any, lengths: Any, padding: Any, ragged_rank: int, row_splits_dtype: Any
) -> Any:
    """What ``RaggedTensor.from_tensor`` does."""
    tensor = convert_to_tensor(tensor)
    rank = tensor.shape.rank
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if rank is not None and rank <= 1:
        raise ValueError(
            "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have "
            f"ragged dimensions. Received argument `tensor` with rank {rank}."
        )
    splits_type, dims = as_dtype(row_splits_dtype), tensor.shape.as_list()
    if ragged_rank > 1:
        flat = API["reshape"](tensor, [-1, *dims[ragged_rank:]]) if lengths is None else tensor
        inner = (
            _uniform(flat, dims[ragged_rank])
            if padding is None
            else from_tensor(flat, None, padding, 1, splits_type)
        )
        for size in reversed(dims[1:ragged_rank]):
            inner = RaggedTensor.from_uniform_row_length(inner, size)
        return inner
    if padding is not None:
        lengths = _unpadded(tensor, padding)
    if lengths is None:
        return _uniform(tensor, dims[1])
    counts = convert_to_tensor(lengths)._host().astype(np.int64)
    mask = np.arange(dims[1])[None, :] < counts[:, None]
    values = API["boolean_mask"](tensor, mask)
    return RaggedTensor.from_row_lengths(
        values, np.minimum(np.maximum(counts, 0), dims[1]).astype(splits_type.np)
    )


def _uniform(tensor: Any, length: int) -> Any:
    dims = tensor.shape.as_list()
    flat = API["reshape"](tensor, [dims[0] * dims[1], *dims[2:]])
    return RaggedTensor.from_uniform_row_length(flat, length, nrows=dims[0])


def _unpadded(tensor: Any, padding: Any) -> Any:
    """The lengths of rows without the padding at their ends."""
    fill = convert_to_tensor(padding, dtype=tensor.dtype)._host()
    values = tensor._host()
    kept = (values != fill).reshape(*values.shape[:2], -1).any(axis=2)
    return np.where(kept, np.arange(1, values.shape[1] + 1), 0).max(axis=1, initial=0)


def to_tensor(rt: Any, default_value: Any, shape: Any) -> Any:
    """What ``RaggedTensor.to_tensor`` does."""
    values = rt.flat_values
    dtype = values.dtype
    fill = None if default_value is None else convert_to_tensor(default_value, dtype=dtype)
    bounds = rt._bounds()
    wanted = TensorShape(shape)
    sizes = (
        [b if w is None else w for b, w in zip(bounds, wanted.as_list(), strict=True)]
        if wanted.rank is not None
        else bounds
    )
    empty = b"" if dtype.kind == "s" else dtype.np.type(0)
    result = np.full(sizes, empty if fill is None else fill._host(), dtype.np)
    index: list[Any] = []
    for splits in rt.nested_row_splits:
        host = splits._host()
        ids = np.repeat(np.arange(len(host) - 1), np.diff(host))
        offsets = np.arange(len(ids)) - host[:-1][ids]
        index = [own[ids] for own in index] if index else [ids]
        index.append(offsets)
    inside = np.logical_and.reduce([i < n for i, n in zip(index, sizes, strict=False)])
    where = tuple(i[inside] for i in index)
    inner = tuple(slice(0, n) for n in sizes[len(index) :])
    result[where] = values._host()[inside][(slice(None), *inner)]
    return convert_to_tensor(result) if dtype.kind != "q" else make_constant(result, dtype)
