"""The functions behind operators of tensors, as ``tf.__operators__`` names them."""

from __future__ import annotations

import operator
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.dispatch.op import API


def add(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns ``x + y``.

    Args:
        x: A tensor.
        y: A tensor.
        name: The name of the operation.
    """
    return API["add"](x, y, name=name)


def eq(self: Any, other: Any) -> Any:
    """Returns ``self == other``, element-wise.

    Args:
        self: A tensor.
        other: A value; None is unequal to any tensor.
    """
    return _tensor(self) == other


def ne(self: Any, other: Any) -> Any:
    """Returns ``self != other``, element-wise.

    Args:
        self: A tensor.
        other: A value; None is unequal to any tensor.
    """
    return _tensor(self) != other


def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """Returns ``tensor[slice_spec]``.

    Args:
        tensor: A tensor.
        slice_spec: An index, a slice, or a tuple of them.
        var: A variable whose slice it is, or None.
    """
    return operator.getitem(_tensor(tensor) if var is None else var, slice_spec)


def ragged_getitem(rt_input: Any, key: Any) -> Any:
    """Returns ``rt_input[key]``.

    Args:
        rt_input: A ragged tensor.
        key: An index, a slice, or a tuple of them.
    """
    return rt_input[key]


def _tensor(value: Any) -> Any:
    return value if is_tensor(value) else convert_to_tensor(value)
