"""Boolean masking (``tf.boolean_mask``)."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, dense, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.dispatch.op import API, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.gather import gather_v2, where_true
from twinflow._src.ops.array.shapes import reshape, squeeze


@export("boolean_mask")
def boolean_mask(tensor: Any, mask: Any, axis: Any = None, name: str = "boolean_mask") -> Any:
    """Returns the elements of a tensor at the positions where a boolean mask is True.

    Args:
        tensor: A tensor.
        mask: A boolean tensor whose shape matches the tensor's dimensions from ``axis`` on.
        axis: The first dimension that the mask matches; 0 if None.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: The mask is a scalar or does not match the shape.
    """
    tensor, mask = dense(tensor), convert_to_tensor(mask)
    first = 0 if axis is None else axis
    if is_tensor(first):
        is_static = (
            array_of(first) if thread.scope.graph is not None else convert_to_tensor(first)._host()
        )
        first = first if is_static is None else int(is_static)
    if mask.shape.rank is None:
        raise ValueError(
            "Number of mask dimensions must be specified, even if some dimensions are None.  "
            "E.g. shape=[None] is ok, but shape=None is not."
        )
    if not mask.shape.rank:
        raise ValueError("mask cannot be scalar.")
    dims = None if is_tensor(first) else tensor.shape[first : first + mask.shape.rank]
    if dims is not None and not dims.is_compatible_with(mask.shape):
        raise ValueError(f"Shapes {dims} and {mask.shape} are incompatible")
    picked = squeeze(where_true(reshape(mask, [-1])), axis=[1])
    return gather_v2(reshape(tensor, _with_joined(tensor, first, mask.shape.rank)), picked, first)


def _with_joined(tensor: Any, first: int, count: int) -> Any:
    """Returns the shape of a tensor with ``count`` dimensions from ``first`` on merged into one."""
    if not tensor.shape.is_fully_defined() or is_tensor(first):
        sizes = API["shape"](tensor)
        joined = API["reduce_prod"](sizes[first : first + count], keepdims=True)
        return API["concat"]([sizes[:first], joined, sizes[first + count :]], 0)
    dims = tensor.shape.as_list()
    return [*dims[:first], math.prod(dims[first : first + count]), *dims[first + count :]]
