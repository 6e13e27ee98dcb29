"""What programs ask of tensors without running anything: static shapes and values."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import is_tensor
from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.shapes import broadcast as _broadcast
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.dispatch.op import export
from twinflow._src.graph.static_values import static_value
from twinflow._src.graph.symbolic import SymbolicTensor


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape that two static shapes broadcast to.

    Args:
        shape_x: A ``tf.TensorShape``.
        shape_y: A ``tf.TensorShape``.

    Returns:
        A ``tf.TensorShape``.

    Raises:
        ValueError: They do not broadcast.
    """
    if shape_x.ndims is None or shape_y.ndims is None:
        return TensorShape(None)
    try:
        return TensorShape(_broadcast(shape_x._dims, shape_y._dims))
    except InvalidArgumentError:
        raise ValueError(
            "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair "
            f"they are either equal or one of them is 1. Received: {shape_x} and {shape_y}."
        ) from None


@export("debugging.is_numeric_tensor")
def is_numeric_tensor(tensor: Any) -> bool:
    """Whether a value is a tensor of numbers.

    Args:
        tensor: A value.

    Returns:
        A bool.
    """
    return isinstance(tensor, Tensor) and tensor.dtype.is_numeric


def _partly(tensor: SymbolicTensor) -> Any:
    """The known ones of tensors that are stacked along the first axis, else None."""
    if tensor.op.attrs.get("axis", 0) != 0:
        return None
    parts = [get_static_value(part, partial=True) for part in tensor.op.inputs]
    if len({np.shape(part) for part in parts}) == 1:
        return np.array(parts, object)
    found = np.empty(len(parts), object)
    found[:] = parts
    return found


@export("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor where it is known without running anything.

    Args:
        tensor: A tensor.
        partial: Return what is known of a symbolic ``tf.stack`` too, as an array of objects with None for the rest.

    Returns:
        A NumPy array or scalar; None for variables, whose value can change; another value as it is.
    """
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    if isinstance(tensor, SymbolicTensor):
        found = static_value(tensor)
        return _partly(tensor) if found is None and partial and tensor.op.type == "Pack" else found
    return None if is_tensor(tensor) else tensor
