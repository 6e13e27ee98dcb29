"""``tf.compat``: conversion of strings and dimensions, and classes of numbers."""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from twinflow._src.core.shapes import Dimension, TensorShape
from twinflow._src.dispatch.docstrings import documented_like

bytes_or_text_types = (bytes, str)
integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Converts a string to bytes.

    Args:
        bytes_or_text: Bytes, a bytearray or a string.
        encoding: The encoding of a string.

    Returns:
        Bytes.

    Raises:
        TypeError: The value is neither.
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@documented_like(as_bytes)
def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Converts bytes to a string.

    Args:
        bytes_or_text: Bytes or a string.
        encoding: The encoding of bytes.

    Returns:
        A string.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_str(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Converts bytes to a string; same as ``as_text``.

    Args:
        bytes_or_text: Bytes or a string.
        encoding: The encoding of bytes.

    Returns:
        A string.
    """
    return as_text(bytes_or_text, encoding)


@documented_like(as_str)
def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Converts bytes to a string, and any other value by ``str``.

    Args:
        value: Anything.
    """
    return as_str(value, encoding=encoding) if isinstance(value, bytes) else str(value)


@documented_like(as_str)
def path_to_str(path: Any) -> Any:
    """Converts a path object to a string; other values are returned unchanged.

    Args:
        path: A path.
    """
    return as_str_any(path.__fspath__()) if isinstance(path, os.PathLike) else path


def dimension_value(dimension: Any) -> Any:
    """Returns the size of a ``Dimension`` or integer.

    Args:
        dimension: A ``Dimension``, an integer or None.

    Returns:
        An integer, or None.
    """
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Returns a dimension of a shape, also if the rank is unknown.

    Args:
        shape: A shape.
        index: The index of the dimension.

    Returns:
        A ``Dimension``.
    """
    return Dimension(None if shape.rank is None else shape.as_list()[index])


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Returns True: there is no forward compatibility window.

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
    """Context manager for the forward compatibility date; no effect.

    Args:
        year: The year.
        month: The month.
        day: The day.
    """
    yield
