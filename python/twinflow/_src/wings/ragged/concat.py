"""Concat, stack, tile, split, reverse, expand_dims and squeeze of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.row_partition import integers
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, export
from twinflow._src.wings.ragged.dynamic_shape import same_splits_type
from twinflow._src.wings.ragged.indexing import gather_rows
from twinflow._src.wings.ragged.values import positive_axis


def as_ragged(x: Any, ragged_rank: int = 1) -> Any:
    """Converts a tensor to a ragged tensor of at least ``ragged_rank`` ragged dimensions."""
    if not is_ragged(x):
        return RaggedTensor.from_tensor(x, ragged_rank=ragged_rank)
    if x.ragged_rank >= ragged_rank:
        return x
    return x.with_values(as_ragged(x.values, ragged_rank - 1))


def concat_or_stack(tensors: list[Any], axis: int, stacked: bool) -> Any:
    """Concatenates ragged or dense tensors along an axis, or stacks them along a new one.

    Returns a dense tensor if no input is ragged and the axis is the last one. Raises ValueError for
    no tensors, different ranks or an axis out of range, and InvalidArgumentError for incompatible
    rows.
    """
    if not tensors:
        raise ValueError("rt_inputs may not be empty.")
    tensors = [x if is_ragged(x) else convert_to_tensor(x, name="rt_input") for x in tensors]
    if len(tensors) == 1 and not stacked:
        return tensors[0]
    rank = tensors[0].shape.rank
    for other in tensors[1:]:
        other.shape.assert_has_rank(rank)
    result_rank = rank + stacked
    axis = positive_axis(axis, result_rank)
    if stacked and rank == 1 and axis == 0:
        lengths = API["concat"]([API["shape"](x) for x in tensors], 0)
        return RaggedTensor.from_row_lengths(API["concat"](tensors, 0), lengths)
    if not any(map(is_ragged, tensors)) and axis in (result_rank - 1, rank - 1):
        return API["stack" if stacked else "concat"](tensors, axis)
    same_splits_type(tensors)
    depth = max(1, *(x.ragged_rank for x in tensors if is_ragged(x)), 1)
    return _concat_ragged([as_ragged(x, depth) for x in tensors], axis, stacked)


def _concat_ragged(tensors: list[Any], axis: int, stacked: bool) -> Any:
    if axis == 0:
        result = concat_rows(tensors)
        counts = np.array([x._count() for x in tensors], tensors[0].row_splits.dtype.np)
        return RaggedTensor.from_row_lengths(result, counts) if stacked else result
    if axis == 1:
        return _concat_in_rows(tensors, stacked)
    first = tensors[0].row_splits
    for other in tensors[1:]:
        API["debugging.assert_equal"](
            first, other.row_splits, message="Inputs must have identical ragged splits"
        )
    return tensors[0].with_values(concat_or_stack([x.values for x in tensors], axis - 1, stacked))


def concat_rows(tensors: list[Any]) -> Any:
    """Concatenates ragged tensors of one rank along the first dimension."""
    inner = [x.values for x in tensors]
    deeper = any(map(is_ragged, inner))
    values = concat_rows([as_ragged(x) for x in inner]) if deeper else API["concat"](inner, 0)
    lengths = np.concatenate([x._lengths() for x in tensors])
    return RaggedTensor.from_row_lengths(values, lengths, validate=False)


def _concat_in_rows(tensors: list[Any], stacked: bool) -> Any:
    """Concatenates (or stacks) ragged tensors row by row."""
    for i, other in enumerate(tensors[1:], 1):
        API["debugging.assert_equal"](
            tensors[0].nrows(),
            other.nrows(),
            message=f"Input tensors at index 0 (=x) and {i} (=y) have incompatible shapes.",
        )
    count, number = tensors[0]._count(), len(tensors)
    order = np.arange(count * number).reshape(number, count).T.reshape(-1)
    rows = gather_rows(concat_rows(tensors), order)
    if stacked:
        return RaggedTensor.from_row_lengths(
            rows, np.full(count, number, tensors[0].row_splits.dtype.np), validate=False
        )
    splits = np.ascontiguousarray(rows.row_splits._host()[::number])
    return RaggedTensor._of(rows.values, convert_to_tensor(splits))


@export("ragged.stack")
def stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Stacks tensors of one rank, whose shapes may differ, into a ragged tensor.

    Args:
        values: A list of ragged or dense tensors.
        axis: The new dimension.

    Returns:
        A ragged tensor; a dense tensor if no input is ragged and the axis is the last one.

    Raises:
        ValueError: The list is empty, the ranks differ, or the axis is out of range.
    """
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    tensors = [x if is_ragged(x) else convert_to_tensor(x) for x in values]
    if tensors and tensors[0].shape.rank == 0:
        return API["stack"](tensors)
    return concat_or_stack(tensors, axis, stacked=True)


# ------------------------------------------------------------------ expand_dims, squeeze


def expand_dims(x: Any, axis: Any, name: str | None = None) -> Any:
    """Implements ``tf.expand_dims`` for ragged and dense tensors.

    Raises ValueError for a bad axis.
    """
    if not is_ragged(x):
        return API["expand_dims"](x, axis)
    axis = positive_axis(int(axis), x.shape.rank + 1)
    size = x.row_splits.dtype.np.type
    if axis == 0:
        return RaggedTensor.from_uniform_row_length(x, size(x._count()), nrows=size(1))
    if axis == 1:
        return RaggedTensor.from_uniform_row_length(x, size(1), nrows=size(x._count()))
    return x.with_values(expand_dims(x.values, axis - 1))


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """Implements ``tf.squeeze`` for ragged tensors.

    Raises ValueError if ``axis`` is None, and InvalidArgumentError if a dimension is not of size 1.
    """
    if axis is None:
        raise ValueError("Ragged.squeeze must have an axis argument.")
    axes: list[Any] = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    rank = input.shape.rank
    for a in sorted({positive_axis(int(a), rank) for a in axes}, reverse=True):
        input = _squeeze(input, a, a)
    return input


def _squeeze(x: Any, axis: int, named: int) -> Any:
    if not is_ragged(x):
        return API["squeeze"](x, [axis])
    if axis > 1:
        return x.with_values(_squeeze(x.values, axis - 1, named))
    ones = x._count() == 1 if axis == 0 else bool((x._lengths() == 1).all())
    API["debugging.Assert"](
        convert_to_tensor(ones), [f"the given axis (axis = {named}) is not squeezable!"]
    )
    return x.values


# ------------------------------------------------------------------ tile, split, reverse


def tile(input: Any, multiples: Any, name: str | None = None) -> Any:
    """Implements ``tf.tile`` for ragged tensors. Raises IndexError for too few multiples."""
    counts, rank = integers(multiples, "multiples", 1)._host(), input.shape.rank
    if len(counts) < rank:
        raise IndexError(f"index {rank - 1} is out of bounds for axis 0 with size {len(counts)}")
    for axis in range(rank):
        count = int(counts[axis])
        if count > 1:
            input = concat_or_stack([input] * count, axis, stacked=False)
        elif count < 1:
            input = input[(*[slice(None)] * axis, slice(0, 0))]
    return input


def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: Any = None, name: str | None = None
) -> list[Any]:
    """Implements ``tf.split`` for ragged tensors along a uniform axis.

    ``num`` has no effect. Raises ValueError for a ragged axis, and InvalidArgumentError for sizes
    that do not match.
    """
    axis = positive_axis(int(axis), value.shape.rank)
    total = static_size(value.shape, axis)
    if total is None:
        raise ValueError("Cannot split along a ragged dimension.")
    splits = convert_to_tensor(num_or_size_splits)._host()
    sizes = splits if splits.ndim else np.full(int(splits), total // int(splits))
    API["debugging.assert_equal"](
        convert_to_tensor(total),
        convert_to_tensor(int(sizes.sum())),
        message="Cannot exactly split the `axis` dimension of `value` with the given "
        "`num_or_size_split`.",
    )
    ends = np.cumsum(sizes).tolist()
    before = (slice(None),) * axis
    return [value[(*before, slice(a, b))] for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Any:
    """Implements ``tf.reverse`` for ragged tensors."""
    keys = [slice(None)] * tensor.shape.rank
    for a in convert_to_tensor(axis)._host().reshape(-1).tolist():
        keys[positive_axis(a, len(keys))] = slice(None, None, -1)
    return tensor[tuple(keys)]
