"""What ops that change shapes make of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .constant import convert_to_tensor
from .op import API
from .ragged_indexing import _rows
from .ragged_making import is_ragged
from .ragged_stacking import as_ragged, concat_rows, stack
from .ragged_tensor import RaggedTensor


def _number(value: Any) -> int:
    return int(np.asarray(convert_to_tensor(value)._host()).reshape(-1)[0])


def _concat(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    values, axis = (
        [x if is_ragged(x) else convert_to_tensor(x) for x in inputs[0]],
        _number(inputs[1]),
    )
    rank = values[0].shape.rank or 1
    axis = axis % rank
    if axis == 0:
        return concat_rows(values)
    ragged = [as_ragged(x) for x in values]
    if axis > 1:
        return ragged[0].with_values(_concat([[x.values for x in ragged], axis - 1], attrs))
    return _side_by_side(ragged)


def _side_by_side(tensors: list[Any]) -> Any:
    """Ragged tensors joined row by row."""
    count = tensors[0]._count()
    every = concat_rows(tensors)
    order = np.arange(count * len(tensors)).reshape(len(tensors), count).T.reshape(-1)
    rows = _rows(every, order)
    splits = rows.row_splits._host()[:: len(tensors)]
    return RaggedTensor(rows.values, convert_to_tensor(np.ascontiguousarray(splits)))


def _stack(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    axis = attrs.get("axis", 0)
    values = inputs[0]
    if axis == 0:
        return stack(values)
    return _concat([[_expanded(x, axis) for x in values], axis], {})


def _expanded(rt: Any, axis: int) -> Any:
    if not is_ragged(rt):
        return API["expand_dims"](rt, axis)
    rank = rt.shape.rank
    axis = axis % (rank + 1)
    if axis == 0:
        return RaggedTensor.from_uniform_row_length(rt, rt._count(), nrows=1)
    if axis == 1:
        return RaggedTensor.from_uniform_row_length(rt, 1, nrows=rt._count())
    values = rt.values
    if is_ragged(values) or axis > 2:
        return rt.with_values(_expanded(values, axis - 1))
    return rt.with_values(API["expand_dims"](values, 1))


def _expand(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    return _expanded(inputs[0], _number(inputs[1]))


def _split(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    axis, rt = _number(inputs[0]), inputs[1]
    if axis:
        raise ValueError("Ragged tensors can be split along their first dimension only.")
    size, rest = divmod(rt._count(), attrs["num_split"])
    if rest:
        raise ValueError(f"Cannot split {rt._count()} rows into {attrs['num_split']} equal parts.")
    return [rt[i * size : (i + 1) * size] for i in range(attrs["num_split"])]


def _reverse(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    rt, axes = inputs[0], np.asarray(convert_to_tensor(inputs[1])._host()).reshape(-1)
    keys = [slice(None)] * rt.shape.rank
    for axis in axes.tolist():
        keys[axis] = slice(None, None, -1)
    return rt[tuple(keys)]


def _tile(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    rt = inputs[0]
    counts = np.asarray(convert_to_tensor(inputs[1])._host()).tolist()
    for axis, count in enumerate(counts):
        if count != 1:
            rt = _concat([[rt] * count, axis], {})
    return rt


def _where(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    sparse = inputs[0].to_sparse()
    return API["boolean_mask"](sparse.indices, sparse.values)


def _one_hot(inputs: list[Any], attrs: dict[str, Any]) -> Any:
    rt, depth, on, off = inputs
    found = API["one_hot"](rt.flat_values, depth, on_value=on, off_value=off)
    return rt.with_flat_values(found)


# By the op's type.
HANDLERS: dict[str, Callable[[list[Any], dict[str, Any]], Any]] = {
    "ConcatV2": _concat,
    "Pack": _stack,
    "ExpandDims": _expand,
    "Split": _split,
    "ReverseV2": _reverse,
    "Tile": _tile,
    "Where": _where,
    "OneHot": _one_hot,
}
