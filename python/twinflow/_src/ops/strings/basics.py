"""Tensors of byte strings."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import STRINGS, string
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same, text
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.op import Kind, Strings, export, op
from twinflow._src.shape_rules.values import joined_strings


@op("StringLength", api="strings.length", shape=same, devices=("CPU",))
def length(xp: Any, input: Strings, *, unit: str = "BYTE") -> Any:
    """Returns the lengths of strings.

    Args:
        input: A tensor of strings.
        unit: ``"BYTE"``, or ``"UTF8_CHAR"`` for code points.

    Returns:
        An int32 tensor of the same shape.
    """
    if unit not in ("BYTE", "UTF8_CHAR"):
        opdefs.check_attr("StringLength", "unit", unit)
    measure = len if unit == "BYTE" else lambda s: len(s.decode("utf-8", "replace"))
    lengths = map(measure, input.ravel().tolist())
    return np.fromiter(lengths, np.int32, input.size).reshape(input.shape)


@op("StringUpper", api="strings.upper", shape=same, devices=("CPU",))
def upper(xp: Any, input: Strings, *, encoding: str = "") -> Any:
    """Returns strings in upper case.

    Args:
        input: A tensor of strings.
        encoding: ``"utf-8"`` for all letters; ASCII ones otherwise.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: There is no such encoding.
    """
    _check_encoding(encoding)
    return _each(_upper if encoding else bytes.upper, input)


@op("StringLower", api="strings.lower", shape=same, devices=("CPU",))
def lower(xp: Any, input: Strings, *, encoding: str = "") -> Any:
    """Returns strings in lower case.

    Args:
        input: A tensor of strings.
        encoding: ``"utf-8"`` for all letters; ASCII ones otherwise.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: There is no such encoding.
    """
    _check_encoding(encoding)
    return _each(_lower if encoding else bytes.lower, input)


def _upper(value: bytes) -> bytes:
    return value.decode("utf-8", "replace").upper().encode()


def _lower(value: bytes) -> bytes:
    return value.decode("utf-8", "replace").lower().encode()


ManyStrings = Annotated[Any, Kind("inputs", only=string, many=True)]


@op("StringJoin", no_gradient=True, shape=joined_strings, dtypes=STRINGS, devices=("CPU",))
def join(xp: Any, inputs: ManyStrings, *, separator: str = "") -> Any:
    """Returns strings joined element-wise.

    Args:
        inputs: Tensors of strings, of one shape or scalars.
        separator: What stands between the parts.

    Returns:
        A tensor of strings.
    """
    glue = separator.encode()
    shapes = [array.shape for array in inputs if array.ndim]
    for other in shapes:
        if other != shapes[0]:
            raise invalid(f"Input shapes do not match: {text(shapes[0])} vs. {text(other)}")
    arrays = np.broadcast_arrays(*inputs)
    result = np.empty(arrays[0].shape, object)
    result.reshape(-1)[:] = list(map(glue.join, zip(*(a.ravel().tolist() for a in arrays), strict=True)))
    return result


@export("strings.join")
def join_strings(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Returns strings joined element-wise.

    Args:
        inputs: A sequence of tensors of strings, of one shape or scalars.
        separator: What stands between the parts.
        name: A name for the operation.

    Returns:
        A tensor of strings; an empty string for no tensors.

    Raises:
        TypeError: The inputs are no sequence.
        InvalidArgumentError: The shapes differ.
    """
    if not isinstance(inputs, (list, tuple)) and not (isinstance(inputs, EagerTensor) and inputs.shape.rank):
        raise TypeError(f"Expected list for 'inputs' argument to 'string_join' Op, not {inputs!r}.")
    tensors = list(inputs)
    return join(tensors, separator=separator) if tensors else convert_to_tensor("")


def _check_encoding(encoding: str) -> None:
    if encoding not in ("", "utf-8"):
        raise invalid(f"only utf-8 or '' (no encoding) is supported, received {encoding}")


def _each(function: Any, array: Any) -> Any:
    result = np.empty(array.shape, object)
    result.reshape(-1)[:] = list(map(function, array.ravel().tolist()))
    return result
