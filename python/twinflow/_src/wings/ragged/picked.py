"""Row structure of gathered tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.dispatch.op import API
from twinflow._src.wings.ragged.axes import positive_axis


def in_rows(result: Any, sizes: tuple[int, ...]) -> Any:
    """Nests the rows of a tensor in uniform dimensions of given sizes, innermost last."""
    for size in reversed(sizes):
        result = RaggedTensor.from_uniform_row_length(result, size)
    return result


def in_shape_of(found: Any, indices: Any) -> Any:
    """Restores the uniform shape of dense indices, unless the gathered rows are ragged."""
    ragged = found
    for _ in range(indices.shape.rank - 1):
        ragged = ragged.values
    if is_ragged(ragged):
        return found
    return API["reshape"](ragged, [*indices.shape, *ragged.shape[1:]])


def along(params: Any, indices: Any, axis: int) -> Any:
    """Gathers by ragged indices along an axis after the first, which becomes ragged."""
    axis = positive_axis(axis, params.shape.rank)
    found = API["gather"](params, indices.flat_values, axis=axis)
    outer, rest = params.shape.as_list()[:axis], found.shape.as_list()[axis + 1 :]
    count = int(np.prod(outer))
    result = API["reshape"](found, [found.shape[axis] * count, *rest])
    for lengths in reversed(indices.nested_row_lengths()):
        result = RaggedTensor.from_row_lengths(result, API["tile"](lengths, [count]))
    result = RaggedTensor.from_uniform_row_length(result, indices.nrows(), nrows=count)
    return in_rows(result, tuple(outer[1:]))
