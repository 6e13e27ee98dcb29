"""Tensors of byte strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..op import Strings, Tensors, op
from ..shapes import broadcast, same


@op("StringLength", api="strings.length", shape=same, devices=("CPU",))
def length(xp: Any, input: Strings, *, unit: str = "BYTE") -> Any:
    """Returns the lengths of strings.

    Args:
        input: A tensor of strings.
        unit: ``"BYTE"``, or ``"UTF8_CHAR"`` for code points.

    Returns:
        An int32 tensor of the same shape.
    """
    measure = len if unit == "BYTE" else lambda s: len(s.decode("utf-8", "replace"))
    lengths = [measure(item) for item in input.ravel()]
    return np.array(lengths, np.int32).reshape(input.shape)


@op("StringUpper", api="strings.upper", shape=same, devices=("CPU",))
def upper(xp: Any, input: Strings, *, encoding: str = "") -> Any:
    """Returns strings in upper case.

    Args:
        input: A tensor of strings.
        encoding: ``"utf-8"`` for all letters; ASCII ones otherwise.

    Returns:
        A tensor of strings of the same shape.
    """
    return _each(lambda s: s.decode().upper().encode() if encoding else s.upper(), input)


@op("StringLower", api="strings.lower", shape=same, devices=("CPU",))
def lower(xp: Any, input: Strings, *, encoding: str = "") -> Any:
    """Returns strings in lower case.

    Args:
        input: A tensor of strings.
        encoding: ``"utf-8"`` for all letters; ASCII ones otherwise.

    Returns:
        A tensor of strings of the same shape.
    """
    return _each(lambda s: s.decode().lower().encode() if encoding else s.lower(), input)


@op(
    "StringJoin", api="strings.join", shape=lambda inputs, **_: broadcast(*inputs), devices=("CPU",)
)
def join(xp: Any, inputs: Tensors, *, separator: str = "") -> Any:
    """Returns strings joined element-wise.

    Args:
        inputs: Tensors of strings, of one shape or scalars.
        separator: What stands between the parts.

    Returns:
        A tensor of strings.
    """
    glue = separator.encode()
    arrays = np.broadcast_arrays(*inputs)
    result = np.empty(arrays[0].shape, object)
    result.reshape(-1)[:] = [
        glue.join(parts) for parts in zip(*(a.ravel() for a in arrays), strict=True)
    ]
    return result


def _each(function: Any, array: Any) -> Any:
    result = np.empty(array.shape, object)
    result.reshape(-1)[:] = [function(s) for s in array.ravel()]
    return result
