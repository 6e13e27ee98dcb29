"""Joining and masking ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from .constant import convert_to_tensor
from .op import API, export
from .ragged_making import is_ragged
from .ragged_tensor import RaggedTensor


def as_ragged(x: Any, ragged_rank: int = 1) -> Any:
    """A tensor as a ragged one; a ragged one as it is."""
    return x if is_ragged(x) else RaggedTensor.from_tensor(x, ragged_rank=ragged_rank)


def concat_rows(tensors: Any) -> Any:
    """Ragged tensors of one rank joined along the first dimension."""
    ragged = [as_ragged(x) for x in tensors]
    inner = [x.values for x in ragged]
    values = concat_rows(inner) if any(map(is_ragged, inner)) else API["concat"](inner, 0)
    lengths = np.concatenate([x._lengths() for x in ragged])
    return RaggedTensor.from_row_lengths(values, lengths, validate=False)


@export("ragged.stack")
def stack(values: Any, axis: int = 0, name: str | None = None) -> Any:
    """Stacks tensors of one rank, whose shapes may differ, along a new first dimension.

    Args:
        values: A list of tensors, ragged or not.
        axis: The new dimension; only 0.
        name: A name for the operation.

    Returns:
        A ragged tensor.

    Raises:
        ValueError: There are no tensors, or another dimension is asked for.
    """
    if not isinstance(values, (list, tuple)):
        values = list(values)
    if not values:
        raise ValueError("rt_inputs may not be empty.")
    if axis != 0:
        raise ValueError(f"tf.ragged.stack along axis={axis} is not supported; only axis=0 is.")
    tensors = [x if is_ragged(x) else convert_to_tensor(x) for x in values]
    rank = tensors[0].shape.rank or 0
    if rank == 0:
        return API["stack"](tensors)
    if any(map(is_ragged, tensors)) or rank > 1:
        lengths = [x.shape[0] for x in tensors]
        return RaggedTensor.from_row_lengths(concat_rows(tensors), lengths)
    return RaggedTensor.from_row_lengths(API["concat"](tensors, 0), [x.shape[0] for x in tensors])


@export("ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Returns the elements of each row where a mask is true.

    Args:
        data: A tensor, ragged or not.
        mask: A boolean tensor of the same leading shape.
        name: A name for the operation.

    Returns:
        A ragged tensor.
    """
    data, mask = as_ragged(data), as_ragged(mask)
    kept = mask.flat_values._host()
    splits = data.row_splits._host()
    counted = np.concatenate([[0], np.cumsum(kept)])
    values = API["boolean_mask"](data.values, mask.flat_values)
    return RaggedTensor(values, convert_to_tensor(counted[splits].astype(splits.dtype)))
