"""Where in a tensor array an index points, and which arrays graphs take."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.tensor import EagerTensor, Tensor

HOLDS_VALUES = (
    "Attempting to build a graph-mode TF2-style TensorArray from either an eager-mode TensorArray or a TF1-style "
    "TensorArray.  This is not currently supported.  You may be attempting to capture a TensorArray inside a "
    "tf.function or tf.data map function. Instead, construct a new TensorArray inside the function."
)


def place(index: Any) -> int:
    """The number of an element of an array that holds values.

    Raises:
        NotImplementedError: The index is known only when a graph runs.
    """
    if not isinstance(index, Tensor):
        return index
    if not isinstance(index, EagerTensor):
        raise NotImplementedError(HOLDS_VALUES)
    return int(index)
