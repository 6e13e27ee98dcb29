"""Static values of tensors as shapes, and of any size."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API
from twinflow._src.graph.static_values import array_of, known_elements


def as_shape(shape: Any) -> TensorShape:
    """Returns a value as a ``TensorShape``.

    Args:
        shape: A value that ``tf.TensorShape`` takes.
    """
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def constant_value_as_shape(tensor: Any) -> TensorShape:
    """Returns the shape that a vector of sizes describes, with the sizes that are known.

    Args:
        tensor: A vector of integers; -1 is an unknown size.

    Raises:
        TypeError: It is a known scalar, or its elements are no integers.
        AttributeError: It is not a tensor.
    """
    sizes: Any
    if isinstance(tensor, EagerTensor):
        sizes = list(tensor.numpy())
    else:
        shape = tensor.get_shape().with_rank(1)
        sizes = known_elements(tensor)
        if sizes is None:
            return TensorShape(None if shape[0] is None else [None] * shape[0])
    return TensorShape([None if size is None or size == -1 else size for size in sizes])


def try_evaluate_constant(tensor: Any) -> Any:
    """Returns the value of a tensor that depends on constants only, else None.

    Args:
        tensor: A symbolic tensor.
    """
    value = API["get_static_value"](tensor)
    if value is not None:
        return value
    array: np.ndarray[Any, Any] | None = array_of(tensor)
    return None if array is None else array[()]
