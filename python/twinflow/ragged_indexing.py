"""Indexing of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .constant import convert_to_tensor
from .op import API
from .ragged_tensor import RaggedTensor
from .tensor import Tensor


def getitem(rt: Any, key: Any) -> Any:
    """What ``rt[key]`` gives.

    Args:
        rt: A ragged tensor.
        key: Integers, slices, ``...`` and None, or a tuple of them.

    Raises:
        TypeError: The key is of another type.
        IndexError: There is no such row.
        ValueError: An integer stands for a ragged dimension.
    """
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    for k in keys:
        _check_key(k)
    if Ellipsis in [k for k in keys if k is Ellipsis]:
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        used = sum(k is not None and k is not Ellipsis for k in keys)
        keys[at : at + 1] = [slice(None)] * (rt.shape.rank - used)
    return _index(rt, keys)


def _check_key(key: Any) -> None:
    if key is None or key is Ellipsis or isinstance(key, (int, np.integer, slice)):
        return
    if isinstance(key, Tensor) and key.dtype.is_integer and not convert_to_tensor(key).shape.rank:
        return
    raise TypeError(
        "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
        f"tf.int32/tf.int64 tensors are valid indices, got {key!r}"
    )


def _index(rt: Any, keys: list[Any]) -> Any:
    if not keys:
        return rt
    if not isinstance(rt, RaggedTensor):
        return rt[tuple(keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        inner = _index(rt, rest)
        count = inner.nrows() if isinstance(inner, RaggedTensor) else inner.shape[0]
        return RaggedTensor.from_uniform_row_length(inner, count, nrows=1)
    if isinstance(first, slice):
        rows = rt if first == slice(None) else _rows(rt, np.arange(rt._count())[_plain(first)])
        return _inside(rows, rest)
    return _index(_row(rt, int(first)), rest)


def _plain(key: slice) -> slice:
    """A slice of Python integers."""
    return slice(*(None if v is None else int(v) for v in (key.start, key.stop, key.step)))


def _row(rt: Any, i: int) -> Any:
    count = rt._count()
    if not -count <= i < count:
        raise IndexError(f"Row key {i} out of bounds")
    i %= count
    splits = rt.row_splits._host()
    return rt.values[int(splits[i]) : int(splits[i + 1])]


def _rows(rt: Any, which: Any) -> Any:
    """Some rows, by their numbers."""
    splits = rt.row_splits._host()
    return _pieces(rt, splits[:-1][which], splits[1:][which])


def _pieces(rt: Any, starts: Any, stops: Any, step: int = 1) -> Any:
    """Rows that are pieces of ``rt.values``."""
    lengths = np.maximum(-((starts - stops) // step), 0)
    splits = np.concatenate([[0], np.cumsum(lengths)])
    within = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
    index = np.repeat(starts, lengths) + within * step
    values = rt.values
    if isinstance(values, RaggedTensor):
        values = _rows(values, index)
    else:
        values = API["gather"](values, convert_to_tensor(index.astype(np.int64)))
    return RaggedTensor(values, convert_to_tensor(splits.astype(rt.row_splits.dtype.np)))


def _inside(rt: Any, keys: list[Any]) -> Any:
    """Keys that apply to each row."""
    if not keys:
        return rt
    first, rest = keys[0], keys[1:]
    if first is None:
        inner = RaggedTensor.from_uniform_row_length(rt.values, 1, nrows=rt.values.shape[0])
        return _inside_values(RaggedTensor(inner, rt.row_splits), rest)
    if not isinstance(first, slice):
        if rt.uniform_row_length is None:
            raise ValueError("Cannot index into an inner ragged dimension.")
        index = rt.row_splits._host()[:-1] + int(first) % int(rt.uniform_row_length)
        picked = (
            API["gather"](rt.values, convert_to_tensor(index))
            if not isinstance(rt.values, RaggedTensor)
            else _rows(rt.values, index)
        )
        return _index(picked, [slice(None), *rest]) if rest else picked
    if first != slice(None):
        rt = _cut(rt, _plain(first))
    return _inside_values(rt, rest)


def _inside_values(rt: Any, keys: list[Any]) -> Any:
    if not keys:
        return rt
    return rt.with_values(_index(rt.values, [slice(None), *keys]))


def _cut(rt: Any, key: slice) -> Any:
    """The same slice of each row."""
    splits = rt.row_splits._host()
    begin, lengths = splits[:-1], np.diff(splits)
    step = 1 if key.step is None else key.step
    low, high = (0, lengths) if step > 0 else (-1, lengths - 1)

    def bound(value: Any, default: Any) -> Any:
        if value is None:
            return default
        return np.clip(np.where(value < 0, value + lengths, value), low, high)

    start = bound(key.start, np.zeros_like(lengths) if step > 0 else lengths - 1)
    stop = bound(key.stop, lengths if step > 0 else np.full_like(lengths, -1))
    return _pieces(rt, begin + start, begin + stop, step)
