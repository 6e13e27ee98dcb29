"""Tensors with a strided slice replaced."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, OPS, Call, execute, op
from twinflow._src.ops.array.strided_slice import MASKS, Index, _fits, _numpy_index
from twinflow._src.shape_rules.slicing import slice_updated


@op("TensorStridedSliceUpdate", shape=slice_updated)
def tensor_strided_slice_update(
    xp: Any,
    input: Any,
    begin: Index,
    end: Index,
    strides: Index,
    value: Any,
    *,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Any:
    """Returns a tensor with a slice replaced.

    Args:
        input: A tensor.
        begin: Where each dimension starts.
        end: Where it ends, exclusively.
        strides: The steps.
        value: What replaces the slice; broadcast to it.
        begin_mask: Bits of the dimensions that start at their beginning.
        end_mask: Bits of the dimensions that go to their end.
        ellipsis_mask: Bit of an ellipsis.
        new_axis_mask: Bits of new dimensions of size 1.
        shrink_axis_mask: Bits of the dimensions of which one element is taken.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: An index lies outside the shape, or the value does not fit the slice.
    """
    masks = dict(zip(MASKS, (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)))
    where = _numpy_index(input.shape, begin, end, strides, masks)
    slot = np.empty(input.shape, bool)[where].shape
    result = input.copy()
    if 0 in slot:
        return result  # whatever the value is, there is no place for it
    if not _fits(value.shape, slot):
        raise invalid(f"Cannot broadcast input shape {text(value.shape)} into final shape {text(slot)}")
    value = value.reshape(value.shape[value.ndim - min(value.ndim, len(slot)) :])
    result[where] = value if value.ndim else value[()]
    return result


@tensor_strided_slice_update.gradient
def _(call: Call, dy: Any) -> Any:
    _, begin, end, strides, value = call.inputs
    kept = execute(OPS["TensorStridedSliceUpdate"], [dy, begin, end, strides, API["zeros_like"](value)], call.attrs)
    replaced = execute(OPS["StridedSlice"], [dy, begin, end, strides], call.attrs)
    return kept, None, None, None, unbroadcast(replaced, value)
