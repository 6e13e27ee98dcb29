"""``tf.compat``: text and bytes, sizes, and the classes of numbers, as programs for several versions ask for them."""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from twinflow._src.core.shapes import Dimension, TensorShape

bytes_or_text_types = (bytes, str)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Gives text as bytes.

    Args:
        bytes_or_text: Bytes, a bytearray or a string.
        encoding: How a string is encoded.

    Returns:
        Bytes.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Gives bytes as text.

    Args:
        bytes_or_text: Bytes or a string.
        encoding: How bytes are encoded.

    Returns:
        A string.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Gives bytes as text; the same as ``as_text``.

    Args:
        bytes_or_text: Bytes or a string.
        encoding: How bytes are encoded.

    Returns:
        A string.
    """
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Gives bytes as text, and of anything else its text.

    Args:
        value: Anything.
        encoding: How bytes are encoded.

    Returns:
        A string.
    """
    return as_str(value, encoding=encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """Gives the text of a path object; anything else as it is.

    Args:
        path: A path.

    Returns:
        A string.
    """
    return as_str_any(path.__fspath__()) if isinstance(path, os.PathLike) else path


def dimension_value(dimension: Any) -> Any:
    """Gives the size that a dimension of either version means.

    Args:
        dimension: A ``Dimension``, or a size.

    Returns:
        An integer, or None.
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Gives a dimension of a shape, also where the rank is not known.

    Args:
        shape: A shape.
        index: Which dimension.

    Returns:
        A ``Dimension``.
    """
    return Dimension(None if shape.rank is None else shape.as_list()[index])


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Says whether programs of a date can be read; all of them can.

    Args:
        year: The year.
        month: The month.
        day: The day.

    Returns:
        True.
    """
    return True


@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Names the date of the programs that are to be read; it has no effect.

    Args:
        year: The year.
        month: The month.
        day: The day.
    """
    yield
