"""Unicode decoding, splitting, encoding and transcoding of strings, and scripts of characters."""

from __future__ import annotations

import codecs
import functools
from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.data_files import read_text
from twinflow._src.core.dtypes import int32, string
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.attributes import convert_attributes
from twinflow._src.dispatch.op import Kind, documented_like, export, op
from twinflow._src.ops.strings.split import byte_strings, each_string
from twinflow._src.ops.strings.text import objects

_NAMES = {
    "UTF-8": "utf-8",
    "UTF-16-BE": "utf-16-be",
    "UTF-32-BE": "utf-32-be",
    "LATIN1": "latin-1",
}


def _codec(encoding: str) -> str:
    try:
        return codecs.lookup(_NAMES.get(encoding.upper(), encoding)).name
    except LookupError:
        raise invalid(f"Could not create converter for input encoding: {encoding}") from None


def _characters(
    value: bytes, codec: str, errors: str, replacement: int, control: bool
) -> list[tuple[str, int]]:
    """Returns the characters of a string with their byte offsets."""
    characters: list[tuple[str, int]] = []
    start = 0
    while start < len(value):
        decoder = codecs.getincrementaldecoder(codec)("strict")
        stop, text = start, ""
        try:
            while not text and stop < len(value):
                stop += 1
                text = decoder.decode(value[stop - 1 : stop], stop == len(value))
        except UnicodeDecodeError as error:
            if errors == "strict":
                raise invalid("Invalid formatting on input string") from None
            stop = start + max(
                1, (stop - start - 1) if "invalid continuation" in error.reason else stop - start
            )
            text = chr(replacement) if errors == "replace" else ""
        if control and text and ord(text[0]) < 32:
            text = chr(replacement)
        if text:
            characters.append((text, start))
        start = stop
    return characters


_WITH_OFFSETS = "UnicodeDecodeWithOffsets"


def _decoder(
    encoding: str, errors: str, replacement: int, control: bool, op: str = "UnicodeDecode"
) -> Any:
    encoding, errors, replacement, control = convert_attributes(
        op,
        input_encoding=encoding,
        errors=errors,
        replacement_char=replacement,
        replace_control_characters=control,
    )
    _check_replacement(replacement)
    codec = _codec(encoding)
    return lambda s: _characters(s, codec, errors, replacement, control)


def _check_replacement(point: int) -> None:
    if not 0 <= point <= 0x10FFFF:
        raise invalid("replacement_char out of unicode codepoint range")


def _strings(value: Any, op: str = "UnicodeDecode") -> Any:
    """Converts an argument to a string tensor, unless it is a ragged tensor."""
    return value if is_ragged(value) else _checked(convert_to_tensor(value), op, string)


def _tensor(value: Any) -> Any:
    return value if is_tensor(value) else convert_to_tensor(value, dtype=string)


def _checked(tensor: Any, op: str, dtype: Any) -> Any:
    if tensor.dtype is not dtype:
        raise invalid(
            f"cannot compute {op} as input #0(zero-based) was expected to be a {dtype.cname} tensor "
            f"but is a {tensor.dtype.cname} tensor [Op:{op}] name: "
        )
    return tensor


def _points(items: list[int]) -> Any:
    return np.array(items, np.int32)


def _offsets(items: list[int]) -> Any:
    return np.array(items, np.int64)


@export("strings.unicode_decode")
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Decodes strings into sequences of Unicode code points.

    Args:
        input: A string tensor or ragged tensor.
        input_encoding: The encoding, such as ``"UTF-8"``.
        errors: ``"replace"``, ``"ignore"`` or ``"strict"``: the handling of malformed bytes.
        replacement_char: The code point that replaces malformed input.
        replace_control_characters: If True, also replaces C0 control characters.

    Returns:
        A ragged int32 tensor; a vector for a scalar input.

    Raises:
        InvalidArgumentError: The encoding is unknown, or the input is malformed and ``errors`` is
            ``"strict"``.
    """
    cut = _decoder(input_encoding, errors, replacement_char, replace_control_characters)
    return each_string(_strings(input), lambda s: [ord(c) for c, _ in cut(s)], _points)


@export("strings.unicode_decode_with_offsets")
@documented_like(unicode_decode)
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Decodes strings into sequences of Unicode code points with their byte offsets.

    Returns:
        Two ragged tensors; two vectors for a scalar input.
    """
    cut = _decoder(
        input_encoding, errors, replacement_char, replace_control_characters, _WITH_OFFSETS
    )
    points = each_string(
        _strings(input, _WITH_OFFSETS), lambda s: [ord(c) for c, _ in cut(s)], _points
    )
    return points, each_string(input, lambda s: [at for _, at in cut(s)], _offsets)


@export("strings.unicode_split")
@documented_like(unicode_decode)
def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    """Splits strings into Unicode characters.

    Returns:
        A ragged tensor of single-character strings; a vector for a scalar input.
    """
    cut, codec = _decoder(input_encoding, errors, replacement_char, False), _codec(input_encoding)
    return each_string(
        _strings(input), lambda s: [c.encode(codec) for c, _ in cut(s)], byte_strings
    )


@export("strings.unicode_split_with_offsets")
@documented_like(unicode_decode_with_offsets)
def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    """Splits strings into Unicode characters with their byte offsets."""
    cut = _decoder(input_encoding, errors, replacement_char, False, _WITH_OFFSETS)
    input = _strings(input, _WITH_OFFSETS)
    characters = unicode_split(input, input_encoding, errors, replacement_char)
    return characters, each_string(input, lambda s: [at for _, at in cut(s)], _offsets)


@export("strings.unicode_encode")
def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    """Encodes sequences of Unicode code points as strings.

    Args:
        input: An int32 tensor, ragged or not, with the code points of each string in the last
            dimension.
        output_encoding: ``"UTF-8"``, ``"UTF-16-BE"`` or ``"UTF-32-BE"``.
        errors: ``"replace"``, ``"ignore"`` or ``"strict"``: the handling of invalid code points.
        replacement_char: The code point that replaces malformed input.

    Returns:
        A tensor of strings, with one dimension less.

    Raises:
        ValueError: The tensor is a scalar.
        InvalidArgumentError: A code point is invalid and ``errors`` is ``"strict"``.
    """
    output_encoding, errors, replacement_char = convert_attributes(
        "UnicodeEncode",
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
    )
    _check_replacement(replacement_char)
    codec = _codec(output_encoding)

    def encoded(points: Any) -> bytes:
        return b"".join(_encoded(int(p), codec, errors, replacement_char) for p in points)

    if is_ragged(input):
        if is_ragged(input.values) or input.values.shape.rank > 1:
            return input.with_values(
                unicode_encode(input.values, output_encoding, errors, replacement_char)
            )
        return convert_to_tensor(byte_strings([encoded(row) for row in input.to_list()]))
    x = convert_to_tensor(input)
    if not x.shape.rank:
        raise ValueError("input_tensor's rank must be at least 1.")
    array = _checked(x, "UnicodeEncode", int32)._host()
    rows = array.reshape(int(np.prod(array.shape[:-1], dtype=np.int64)), array.shape[-1])
    return convert_to_tensor(objects([encoded(row) for row in rows], array.shape[:-1]))


def _encoded(point: int, codec: str, errors: str, replacement: int) -> bytes:
    if 0 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF:
        return chr(point).encode(codec)
    if errors == "strict":
        raise invalid("Code point is out of range for Unicode, or is a surrogate.")
    return chr(replacement).encode(codec) if errors == "replace" else b""


@export("strings.unicode_transcode")
@documented_like(unicode_decode)
def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Transcodes strings to another Unicode encoding.

    Args:
        input_encoding: The encoding of the input.
        output_encoding: ``"UTF-8"``, ``"UTF-16-BE"`` or ``"UTF-32-BE"``.

    Returns:
        A tensor of strings of the same shape.
    """
    if is_ragged(input):
        flat = unicode_transcode(
            input.flat_values,
            input_encoding,
            output_encoding,
            errors,
            replacement_char,
            replace_control_characters,
        )
        return input.with_flat_values(flat)
    (output_encoding,) = convert_attributes("UnicodeTranscode", output_encoding=output_encoding)
    options = (errors, replacement_char, replace_control_characters, "UnicodeTranscode")
    cut, codec = _decoder(input_encoding, *options), _codec(output_encoding)
    array = _checked(convert_to_tensor(_tensor(input)), "UnicodeTranscode", string)._host()
    items = ["".join(c for c, _ in cut(s)).encode(codec, "replace") for s in array.ravel()]
    return convert_to_tensor(objects(items, array.shape))


# ------------------------------------------------------------------ scripts


_Points = Annotated[Any, Kind("input", only=int32)]


@functools.cache
def runs() -> tuple[Any, Any]:
    """Returns the first code points of the runs, and their script codes."""
    text = read_text("ops/strings/scripts.txt")
    pairs = [line.split() for line in text.splitlines()]
    return np.array([int(a, 16) for a, _ in pairs]), np.array([int(b) for _, b in pairs], np.int32)


@op(
    "UnicodeScript",
    api="strings.unicode_script",
    shape=same,
    out=int32,
    devices=("CPU",),
    no_gradient=True,
)
def unicode_script(xp: Any, input: _Points) -> Any:
    """Determines the script codes of Unicode code points.

    Args:
        input: Code points, an int32 tensor.

    Returns:
        An int32 tensor of the same shape: ICU's script code; -1 for invalid code points.
    """
    starts, scripts = runs()
    codes = scripts[np.searchsorted(starts, input, side="right") - 1]
    return np.where((input >= 0) & (input <= 0x10FFFF), codes, np.int32(-1))
