"""Checks of the vectors that describe rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import DType, as_dtype, int32, int64
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API
from twinflow._src.graph.static_values import array_of

INDEX_TYPES = (int32, int64)


def vector(value: Any, what: str, dtype: Any = None) -> Any:
    """A vector that describes rows, checked.

    Args:
        value: The vector.
        what: What it is called.
        dtype: The type that it is to have, or None.

    Returns:
        A tensor of int32 or int64.

    Raises:
        ValueError: It has another type or rank.
    """
    hint = None if isinstance(value, np.ndarray) else int64
    tensor = convert_to_tensor(value, dtype_hint=hint)
    if tensor.dtype not in INDEX_TYPES or (dtype is not None and as_dtype(dtype) not in INDEX_TYPES):
        raise ValueError(f"{what} must have dtype int32 or int64")
    tensor.shape.assert_has_rank(1)
    return tensor if dtype is None else API["cast"](tensor, as_dtype(dtype))


def integers(value: Any, what: str, rank: int, hint: Any = None) -> Any:
    """A tensor of whole numbers of a rank.

    Args:
        value: The numbers.
        what: What they are called.
        rank: The number of dimensions that they must have.
        hint: The type that Python numbers get.

    Raises:
        TypeError: They are no whole numbers.
        ValueError: They have another rank.
    """
    tensor = convert_to_tensor(value, dtype_hint=hint)
    if not tensor.dtype.is_integer:
        shown = tensor.numpy() if isinstance(tensor, EagerTensor) else tensor
        raise TypeError(
            f"Argument `tensor` (name: {what}) must be of type integer. Received `tensor` = "
            f"{shown} of dtype: {tensor.dtype}"
        )
    tensor.shape.assert_has_rank(rank)
    return tensor


def _known(tensor: Any) -> int:
    """The number that a tensor holds; one of a graph has to be a constant."""
    value = array_of(tensor)
    return int(tensor if value is None else value)


def scalar(value: Any, dtype: DType) -> int:
    """A scalar integer.

    Args:
        value: A number or a scalar tensor.
        dtype: The type that a number becomes.
    """
    tensor = convert_to_tensor(value, dtype_hint=dtype)
    if tensor.dtype not in INDEX_TYPES:
        raise ValueError("UniformRowLength must have dtype int32 or int64")
    tensor.shape.assert_has_rank(0)
    return _known(tensor)


def number_of_rows(value: Any, dtype: DType) -> int:
    """A number of rows, of the type of the vector that describes them."""
    tensor = convert_to_tensor(value, dtype=dtype, name="nrows")
    tensor.shape.assert_has_rank(0)
    return _known(tensor)


def summed(lengths: Any, dtype: DType) -> Any:
    """Row splits as an array, from the lengths of the rows."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(dtype.np)


def assert_ascending(values: Any, message: str) -> None:
    """Raises InvalidArgumentError where a number is less than the one before."""
    API["debugging.assert_non_negative"](values[1:] - values[:-1], message=message)


def check_count(count: int, ids: Any) -> None:
    """Raises ValueError where a number of rows is negative, or too small for the last row."""
    if count < 0:
        raise ValueError(f"Expected nrows >= 0; got {count}")
    if ids.size and int(ids[-1]) >= count:
        raise ValueError(
            f"Expected nrows >= value_rowids[-1] + 1; got nrows={count}, "
            f"value_rowids[-1]={int(ids[-1])}"
        )
