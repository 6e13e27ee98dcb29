"""Functions of lists of tensors, as ``tensorflow.python.ops.list_ops`` has them."""

from __future__ import annotations

from typing import Any

from twinflow._src.control_flow.tensor_list import sizes_of
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.shapes import TensorShape
from twinflow._src.wings.raw_ops.functions import function


def _sizes(element_shape: Any) -> Any:
    """Returns a shape as a tensor."""
    if is_tensor(element_shape):
        return element_shape
    return convert_to_tensor(sizes_of(TensorShape(element_shape)), dtype="int32")


def empty_tensor_list(
    element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: str | None = None
) -> Any:
    """Returns an empty list.

    Args:
        element_shape: The shape of the elements, possibly not fully defined.
        element_dtype: Their dtype.
        max_num_elements: The largest number of elements; unbounded if None.
        name: The name of the operation.
    """
    count = -1 if max_num_elements is None else max_num_elements
    return function("EmptyTensorList")(
        element_shape=_sizes(element_shape),
        element_dtype=element_dtype,
        max_num_elements=count,
        name=name,
    )


def tensor_list_from_tensor(tensor: Any, element_shape: Any, name: str | None = None) -> Any:
    """Returns the list of the elements of a tensor along its first axis.

    Args:
        tensor: The tensor.
        element_shape: The shape of the elements, possibly not fully defined.
        name: The name of the operation.
    """
    return function("TensorListFromTensor")(
        tensor=tensor, element_shape=_sizes(element_shape), name=name
    )


def tensor_list_gather(
    input_handle: Any,
    indices: Any,
    element_dtype: Any,
    element_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Returns elements of a list, stacked.

    Args:
        input_handle: The list.
        indices: The indices of the elements.
        element_dtype: The dtype of the elements.
        element_shape: Their shape, possibly not fully defined.
        name: The name of the operation.
    """
    return function("TensorListGather")(
        input_handle=input_handle,
        indices=indices,
        element_shape=_sizes(element_shape),
        element_dtype=element_dtype,
        name=name,
    )


def tensor_list_stack(
    input_handle: Any,
    element_dtype: Any,
    num_elements: int = -1,
    element_shape: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the elements of a list, stacked.

    Args:
        input_handle: The list.
        element_dtype: The dtype of the elements.
        num_elements: Their number, -1 if it is unknown.
        element_shape: Their shape, possibly not fully defined.
        name: The name of the operation.
    """
    return function("TensorListStack")(
        input_handle=input_handle,
        element_shape=_sizes(element_shape),
        element_dtype=element_dtype,
        num_elements=num_elements,
        name=name,
    )
