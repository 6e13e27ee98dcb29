"""Updates of slices at offsets that are tensors, with the bounds of XLA."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import OPS


def dynamic_update_slice(input: Any, update: Any, indices: Any, name: str | None = None) -> Any:
    """Returns a tensor with a slice replaced; the slice is moved inside where it is out of bounds.

    Args:
        input: A tensor of rank r.
        update: A tensor of the same dtype and rank, in no dimension larger.
        indices: The r offsets of the slice.
        name: The name of the operation.

    Raises:
        InvalidArgumentError: ``update`` is larger than ``input``.
    """
    with API["name_scope"](name or "XlaDynamicUpdateSlice"):
        input = convert_to_tensor(input)
        update = convert_to_tensor(update, input.dtype)
        indices = API["cast"](indices, "int32")
        if not input.shape.rank:
            return API["identity"](update)
        for size, full in zip(update.shape.as_list(), input.shape.as_list()):
            if size is not None and full is not None and size > full:
                raise invalid(
                    f"Update dim size {size} greater than dynamic slice dimension: {full}. "
                    "[Op:XlaDynamicUpdateSlice]"
                )
        sizes = API["shape"](update)
        begin = API["clip_by_value"](indices, 0, API["shape"](input) - sizes)
        ones = API["ones_like"](begin)
        return OPS["TensorStridedSliceUpdate"].public(input, begin, begin + sizes, ones, update)
