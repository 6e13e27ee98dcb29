"""Lists of tensors as one value: their elements joined, and the parts of a tensor as a list."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.control_flow.tensor_list_ops import (
    ITEMS,
    List,
    Sizes,
    element_sizes,
    filled_elements,
    rows_of,
    stack_list,
)
from twinflow._src.control_flow.tensor_list_values import elements, list_of
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import int32, variant
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, Call, Kind, Type, execute, op

Lengths = Annotated[Any, Kind("lengths", only=dtypes.int64, host=True)]
Positions = Annotated[Any, Kind("indices", only=int32, host=True)]


@op("TensorListConcatV2", hidden=True, dtypes=ITEMS, shape=lambda *_, **__: [None, (None,)])
def concat_list(
    xp: Any, input_handle: List, element_shape: Sizes, leading_dims: Lengths, *, element_dtype: Type
) -> Any:
    """Returns the elements of a list joined along their first dimension, and their first sizes.

    Args:
        input_handle: A list.
        element_shape: The shape of the elements; -1 for what is open.
        leading_dims: The first sizes of elements that were not written.
        element_dtype: The type of the elements.

    Returns:
        A tensor and a vector.

    Raises:
        InvalidArgumentError: An element is a scalar.
    """
    items = elements(input_handle)
    if not items:
        return [_nothing(xp, element_shape, element_dtype), xp.zeros(0, "int64")]
    sizes = element_sizes(element_shape, items)
    filled = filled_elements(xp, items, sizes, element_dtype)
    for i, element in enumerate(filled):
        if not element.ndim:
            raise invalid(f"Concat saw a scalar shape at index {i} but requires at least vectors.")
    lengths = xp.asarray([len(e) for e in filled], dtype="int64")
    return [xp.concatenate(filled), lengths]


def _nothing(xp: Any, element_shape: Any, dtype: Any) -> Any:
    """No elements joined; all sizes of one but the first must be known."""
    sizes = element_shape.reshape(-1).tolist()
    if not element_shape.ndim or any(n < 0 for n in sizes[1:]):
        shown = "[" + ",".join("?" if n < 0 else str(n) for n in sizes) + "]" if element_shape.ndim else "<unknown>"
        raise invalid(
            "All except the first dimension must be fully defined when concating an empty tensor list. "
            f"element_shape: {shown}"
        )
    return filled_elements(xp, (None,), [0, *sizes[1:]], dtype)[0]


@concat_list.gradient
def _(call: Call, dy: Any, _: Any) -> Any:
    return split_list(dy, call.inputs[1], call.outputs[1]), None, None


@op("TensorListSplit", hidden=True, dtypes=ITEMS, shape=lambda *_, **__: (), out=variant)
def split_list(xp: Any, tensor: Any, element_shape: Sizes, lengths: Lengths) -> Any:
    """Returns parts of a tensor along its first dimension as a list.

    Args:
        tensor: A tensor.
        element_shape: The shape of the parts; -1 for what is open.
        lengths: The first size of each part.

    Returns:
        A list.

    Raises:
        InvalidArgumentError: The sizes do not add up to that of the tensor.
    """
    ends = np.cumsum(lengths)
    if (ends[-1] if len(ends) else 0) != len(tensor):
        raise invalid(
            "Invalid argument to TensorListSplit: the sum of the lengths is not the first size of the "
            f"tensor, {len(tensor)}"
        )
    return list_of(tensor[end - n : end].copy() for end, n in zip(ends, lengths, strict=True))


@split_list.gradient
def _(call: Call, dlist: Any) -> Any:
    tensor, element_shape, lengths = call.inputs
    whole = concat_list(dlist, element_shape, lengths, tensor.dtype)[0]
    return whole[: API["shape"](tensor)[0]], None, None  # the list may have grown


@op("TensorListScatterIntoExistingList", hidden=True, dtypes=ITEMS, shape=lambda *_, **__: (), out=variant)
def scatter_list(xp: Any, input_handle: List, tensor: Any, indices: Positions) -> Any:
    """Returns a list with other elements at some indices.

    Args:
        input_handle: A list.
        tensor: The elements, along its first dimension.
        indices: The indices.

    Returns:
        A list; longer than the other one where an index asks for it.

    Raises:
        InvalidArgumentError: An index is negative.
    """
    items = list(elements(input_handle))
    for i, row in zip(indices.tolist(), rows_of(xp, tensor), strict=True):
        if i < 0:
            raise invalid(f"Indices in TensorListScatter must all be non-negative, got {i}.")
        items += [None] * (i + 1 - len(items))
        items[i] = row
    return list_of(items)


@scatter_list.gradient
def _(call: Call, dlist: Any) -> Any:
    _, tensor, indices = call.inputs
    without = execute(call.op, [dlist, API["zeros_like"](tensor), indices], {})
    rows = stack_list(dlist, API["shape"](tensor)[1:], tensor.dtype)
    return without, API["gather"](rows, indices), None
