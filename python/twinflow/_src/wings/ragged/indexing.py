"""Indexing of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.variables.variable import BaseResourceVariable


def getitem(rt: Any, key: Any) -> Any:
    """Implements ``rt[key]`` for integers, slices, ``...`` and None, or a tuple of them."""
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    keys = [
        slice(*map(_read, (k.start, k.stop, k.step))) if isinstance(k, slice) else _read(k)
        for k in keys
    ]
    for k in keys:
        _check_key(k)
    if Ellipsis in [k for k in keys if k is Ellipsis]:
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        used = sum(k is not None and k is not Ellipsis for k in keys)
        keys[at : at + 1] = [slice(None)] * (rt.shape.rank - used)
    return _index(rt, keys)


def _read(value: Any) -> Any:
    return convert_to_tensor(value) if isinstance(value, BaseResourceVariable) else value


def _check_key(key: Any) -> None:
    if isinstance(key, (bool, np.bool_)):
        raise ValueError("mask cannot be scalar.")
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
        count = static_size(inner.row_splits.shape, 0) - 1
        return RaggedTensor.from_uniform_row_length(inner, count, nrows=1)
    if isinstance(first, slice):
        rows = (
            rt if first == slice(None) else gather_rows(rt, np.arange(rt._count())[_plain(first)])
        )
        return _index_rows(rows, rest)
    return _index(_row(rt, int(first)), rest)


def _plain(key: slice) -> slice:
    """Returns a slice of Python integers."""
    result = slice(*(None if v is None else int(v) for v in (key.start, key.stop, key.step)))
    if result.step == 0:
        raise invalid("strides[0] must be non-zero")
    return result


def _row(rt: Any, i: int) -> Any:
    if i >= rt._count():
        raise IndexError(f"Row key {i} out of bounds")
    start, limit = rt.row_splits[:-1][i], rt.row_splits[1:][i]
    return rt.values[int(start) : int(limit)]


def gather_rows(rt: Any, which: Any) -> Any:
    """Gathers rows of a ragged tensor by an index array of rank 1."""
    splits = rt.row_splits._host()
    return _slice_values(rt, splits[:-1][which], splits[1:][which], 1, rt._partition._uniform)


def gather_values(values: Any, index: Any) -> Any:
    """Gathers elements of a ragged or dense tensor by an index array of rank 1."""
    if isinstance(values, RaggedTensor):
        return gather_rows(values, index)
    return API["gather"](values, convert_to_tensor(index.astype(np.int64)))


def _slice_values(rt: Any, starts: Any, stops: Any, step: int, uniform: int | None) -> Any:
    """Returns rows that are slices of ``rt.values``, of one length if ``uniform`` is not None."""
    lengths = np.maximum(-((starts - stops) // step), 0)
    splits = np.concatenate([[0], np.cumsum(lengths)])
    within = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
    index = np.repeat(starts, lengths) + within * step
    row_splits = convert_to_tensor(splits.astype(rt.row_splits.dtype.np))
    return RaggedTensor._of(gather_values(rt.values, index), row_splits, uniform)


def _index_rows(rt: Any, keys: list[Any]) -> Any:
    """Applies keys to each row."""
    if not keys:
        return rt
    first, rest = keys[0], keys[1:]
    if first is None:
        return RaggedTensor.from_uniform_row_length(_index_rows(rt, rest), 1, nrows=rt._count())
    if not isinstance(first, slice):
        return _select_column(rt, int(first), rest)
    if first != slice(None):
        rt = _slice_rows(rt, _plain(first))
    return _index_values(rt, rest)


def _select_column(rt: Any, i: int, keys: list[Any]) -> Any:
    """Selects one element of each row, then applies keys to it."""
    if rt.uniform_row_length is None:
        raise ValueError("Cannot index into an inner ragged dimension.")
    size, what = (
        int(rt.uniform_row_length),
        "Index out of bounds when indexing into a ragged tensor",
    )
    API["debugging.assert_less"](i, size, message=what)
    API["debugging.assert_greater_equal"](i, -size, message=what)
    picked = gather_values(rt.values, rt.row_splits._host()[:-1] + i % size)
    return _index(picked, [slice(None), *keys]) if keys else picked


def _index_values(rt: Any, keys: list[Any]) -> Any:
    if not keys:
        return rt
    return rt.with_values(_index(rt.values, [slice(None), *keys]))


def _slice_rows(rt: Any, key: slice) -> Any:
    """Applies the same slice to each row."""
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
    size = rt._partition._uniform
    return _slice_values(
        rt, begin + start, begin + stop, step, None if size is None else len(range(size)[key])
    )
