"""Conversion between numbers and strings."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.attributes import convert_attributes
from twinflow._src.dispatch.op import Strings, Type, export, op
from twinflow._src.ops.strings.text import _HOST, objects

_FILLS = ("", " ", "-", "0", "+")
_SIGNS = (" ", "+")


def _number_format(precision: int, width: int, fill: str) -> str:
    """Returns the printf format of ``tf.strings.as_string``, without the conversion specifier."""
    return (
        "%"
        + fill
        + (str(width) if width > -1 else "")
        + (f".{precision}" if precision > -1 else "")
    )


def _check_format(
    kind: str, cname: str, precision: int, scientific: bool, shortest: bool, fill: str
) -> None:
    if scientific and shortest:
        raise invalid("Cannot select both scientific and shortest notation")
    _check_fill(fill)
    if kind not in "fc":
        if scientific or shortest:
            raise invalid(f"scientific and shortest format not supported for datatype {cname}")
        if precision > -1:
            raise invalid(f"precision not supported for datatype {cname}")


def _check_fill(fill: str) -> None:
    if len(fill) > 1:
        raise invalid("Fill string must be one or fewer characters")
    if fill not in _FILLS:
        raise invalid(f'Fill argument not supported: "{fill}"')


@op("AsString", no_gradient=True, api=("strings.as_string", "as_string"), shape=same, devices=_HOST)
def as_string(
    xp: Any,
    input: Any,
    *,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
) -> Any:
    """Converts each element of a tensor to a string.

    Args:
        input: A tensor.
        precision: The number of digits after the point (of significant digits if ``shortest``); -1
            for 6.
        scientific: If True, uses exponential notation.
        shortest: If True, uses the shorter of decimal and exponential notation.
        width: The minimum number of characters; -1 for no padding.
        fill: The padding character: a space or ``"0"``, or ``"-"`` to left-align.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: The arguments are inconsistent, or not supported for the dtype.
    """
    kind = "O" if input.dtype.kind == "O" else dtypes.FROM_NUMPY[input.dtype].kind
    if kind == "O":
        _check_fill(fill)
        start = _number_format(-1, width, fill if fill == "-" else "")
        return objects([(start + "s").encode() % v for v in input.ravel()], input.shape)
    _check_format(kind, dtypes.FROM_NUMPY[input.dtype].cname, precision, scientific, shortest, fill)
    if kind == "u" and fill in _SIGNS:  # printf applies these flags to signed numbers only
        fill = ""
    start = _number_format(precision, width, fill)
    letter = "d" if kind in "iu" else "e" if scientific else "g" if shortest else "f"
    text = (start + letter).__mod__ if fill != "0" else _with_zeros(start + letter)
    if kind == "b":
        items = [b"true" if v else b"false" for v in input.ravel()]
    elif kind == "c":
        items = [f"({text(v.real)},{text(v.imag)})".encode() for v in input.ravel().tolist()]
    else:
        wide = np.float64 if kind == "f" else object if input.dtype.kind == "V" else input.dtype
        numbers = input.astype(wide, copy=False).ravel().tolist()
        if fill == "0":
            items = [text(v).encode() for v in numbers]
        else:
            items = list(map((start + letter).encode().__mod__, numbers))
    return objects(items, input.shape)


def _with_zeros(form: str) -> Callable[[Any], str]:
    """Returns a formatter with zero padding as printf's: NaN and inf are padded with spaces."""
    return lambda v: (form if math.isfinite(v) else form.replace("%0", "%", 1)) % v


_NUMBER_TYPES = frozenset(
    (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)
)


def parse_float(text: bytes) -> float:
    """Parses a decimal or hexadecimal number; ValueError for underscores, which Python accepts."""
    if b"_" in text:
        raise ValueError
    return float.fromhex(text.decode()) if b"x" in text.lower() else float(text)


def parse_integer(text: bytes, limits: Any) -> int:
    """Parses a decimal integer; ValueError for underscores, and for one out of range of a dtype."""
    number = int(text, 10)
    if b"_" in text or not limits.min <= number <= limits.max:
        raise ValueError
    return number


def _parsed(value: bytes, dtype: Any) -> Any:
    try:
        return parse_float(value) if dtype.kind == "f" else parse_integer(value, np.iinfo(dtype.np))
    except ValueError:
        shown = value.decode("utf-8", "replace")
        raise invalid(f"StringToNumberOp could not correctly convert string: {shown}") from None


@op("StringToNumber", no_gradient=True, out="out_type", shape=same, devices=_HOST)
def _to_number(xp: Any, string_tensor: Strings, *, out_type: Type = dtypes.float32) -> Any:
    """Converts strings to numbers."""
    words = string_tensor.ravel().tolist()
    wide = np.float64 if out_type.kind == "f" else out_type.np
    try:
        if b"_" in b"".join(words):  # Python accepts underscores in numbers
            raise ValueError
        numbers = np.fromiter(map(float if out_type.kind == "f" else int, words), wide, len(words))
    except (ValueError, OverflowError):  # one by one, for hexadecimal numbers or the error message
        numbers = np.array([_parsed(word, out_type) for word in words], wide)
    with np.errstate(over="ignore"):
        return numbers.astype(out_type.np).reshape(string_tensor.shape)


@export("strings.to_number")
def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Any:
    """Converts strings to numbers.

    Args:
        input: A tensor of strings.
        out_type: The dtype of the numbers: float32, float64, int32, int64, uint32 or uint64.

    Returns:
        A tensor of the same shape.

    Raises:
        InvalidArgumentError: A string is not a number, or the dtype is not supported.
    """
    (dtype,) = convert_attributes(
        "StringToNumber", out_type=dtypes.float32 if out_type is None else out_type
    )
    if dtype not in _NUMBER_TYPES:
        opdefs.check_attr("StringToNumber", "out_type", dtype)
    return _to_number(input, out_type=dtype)
