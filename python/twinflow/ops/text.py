"""Strings: numbers as text and back, parts, patterns."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from .. import dtypes
from ..constant import convert_to_tensor
from ..errors import OutOfRangeError, invalid
from ..op import Ints, Kind, Strings, Type, export, op
from ..shapes import same, text
from .strings import _each

_Positions = Annotated[Any, Kind("T", default=dtypes.int32, allowed=frozenset((dtypes.int32, dtypes.int64)))]
_FILLS = ("", " ", "-", "0", "+")
_HOST = ("CPU",)


def objects(items: list[Any], shape: Any) -> Any:
    """An array of byte strings."""
    result = np.empty(len(items), object)
    result[:] = items
    return result.reshape(shape)


# ------------------------------------------------------------------ numbers as text


def _number_format(precision: int, scientific: bool, shortest: bool, width: int, fill: str) -> str:
    """The C format that ``tf.strings.as_string`` describes, without its conversion."""
    return "%" + fill + (str(width) if width > -1 else "") + (f".{precision}" if precision > -1 else "")


def _check_format(kind: str, cname: str, precision: int, scientific: bool, shortest: bool, fill: str) -> None:
    if scientific and shortest:
        raise invalid("Cannot select both scientific and shortest notation")
    if len(fill) > 1:
        raise invalid("Fill string must be one or fewer characters")
    if fill not in _FILLS:
        raise invalid(f'Fill argument not supported: "{fill}"')
    if kind not in "fc":
        if scientific or shortest:
            raise invalid(f"scientific and shortest format not supported for datatype {cname}")
        if precision > -1:
            raise invalid(f"precision not supported for datatype {cname}")


@op("AsString", api=("strings.as_string", "as_string"), shape=same, devices=_HOST)
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
    """Returns numbers as text.

    Args:
        input: A tensor.
        precision: The number of digits after the point (in all, for the shortest form); 6 where -1.
        scientific: Whether numbers have exponents.
        shortest: Whether the shorter of both forms is taken.
        width: The least number of characters; -1 for as many as needed.
        fill: What fills up: a space, ``"0"``, or ``"-"`` to fill on the right.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: The arguments contradict each other or the type.
    """
    kind = "O" if input.dtype.kind == "O" else dtypes.FROM_NUMPY[input.dtype].kind
    if kind == "O":
        return input.copy()
    _check_format(kind, dtypes.FROM_NUMPY[input.dtype].cname, precision, scientific, shortest, fill)
    start = _number_format(precision, scientific, shortest, width, fill)
    letter = "d" if kind in "iu" else "e" if scientific else "g" if shortest else "f"
    if kind == "b":
        items = [b"true" if v else b"false" for v in input.ravel()]
    elif kind == "c":
        pair = f"({start}{letter},{start}{letter})"
        items = [(pair % (v.real, v.imag)).encode() for v in input.ravel().tolist()]
    else:
        wide = input.astype(np.float64) if kind == "f" else input.astype(object)
        items = [((start + letter) % v).encode() for v in wide.ravel().tolist()]
    return objects(items, input.shape)


_NUMBER_TYPES = frozenset((dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64))


def _parsed(value: bytes, dtype: Any) -> Any:
    plain = value.strip()
    try:
        if b"_" in plain:
            raise ValueError
        if dtype.kind == "f":
            hexadecimal = plain.lower().lstrip(b"+-").startswith(b"0x")
            return float.fromhex(plain.decode()) if hexadecimal else float(plain)
        number = int(plain, 10)
        limits = np.iinfo(dtype.np)
        if not limits.min <= number <= limits.max:
            raise ValueError
        return number
    except ValueError:
        shown = value.decode("utf-8", "replace")
        raise invalid(f"StringToNumberOp could not correctly convert string: {shown}") from None


@op("StringToNumber", out="out_type", shape=same, devices=_HOST)
def _to_number(xp: Any, string_tensor: Strings, *, out_type: Type = dtypes.float32) -> Any:
    """Returns the numbers that strings hold.

    Args:
        string_tensor: A tensor of strings.
        out_type: The type of the numbers.

    Returns:
        A tensor of the same shape.

    Raises:
        InvalidArgumentError: A string holds no number.
    """
    items = [_parsed(v, out_type) for v in string_tensor.ravel()]
    with np.errstate(over="ignore"):
        return np.array(items, np.float64 if out_type.kind == "f" else out_type.np).astype(out_type.np).reshape(string_tensor.shape)


@export("strings.to_number")
def to_number(input: Any, out_type: Any = dtypes.float32, name: str | None = None) -> Any:
    """Returns the numbers that strings hold.

    Args:
        input: A tensor of strings.
        out_type: The type of the numbers: float32, float64, int32, int64, uint32 or uint64.
        name: A name for the operation.

    Returns:
        A tensor of the same shape.

    Raises:
        InvalidArgumentError: A string holds no number, or the type is another.
    """
    wanted = dtypes.as_dtype(out_type)
    if wanted not in _NUMBER_TYPES:
        names = "float, double, int32, int64, uint32, uint64"
        raise invalid(f"Value for attr 'out_type' of {wanted.cname} is not in the list of allowed values: {names}")
    return _to_number(input, out_type=wanted)


# ------------------------------------------------------------------ parts


@op("Substr", api=("strings.substr",), devices=_HOST)
def substr(xp: Any, input: Strings, pos: _Positions, len: _Positions, *, unit: str = "BYTE") -> Any:
    """Returns parts of strings.

    Args:
        input: A tensor of strings.
        pos: Where the parts begin; negative numbers count from the end.
        len: The lengths of the parts; negative ones reach to the end.
        unit: ``"BYTE"``, or ``"UTF8_CHAR"`` to count characters.

    Returns:
        A tensor of strings.

    Raises:
        InvalidArgumentError: A position lies outside its string, or the shapes do not fit.
    """
    if pos.shape != len.shape:
        raise invalid(f"pos and len should have the same shape, got: {text(pos.shape)} vs. {text(len.shape)}")
    try:
        words, starts, lengths = np.broadcast_arrays(input, pos, len)
    except ValueError:
        raise invalid(f"Incompatible shapes: {text(input.shape)} vs. {text(pos.shape)}") from None
    triples = zip(words.ravel(), starts.ravel().tolist(), lengths.ravel().tolist(), strict=True)
    items = [_part(i, *triple, unit == "UTF8_CHAR") for i, triple in enumerate(triples)]
    return objects(items, words.shape)


def _part(index: int, word: bytes, start: int, length: int, characters: bool) -> bytes:
    units = [c.encode("utf-8", "surrogateescape") for c in word.decode("utf-8", "surrogateescape")] if characters else word
    count = len(units)
    if not -count <= start <= count:
        shown = word.decode("utf-8", "replace")
        raise invalid(f"pos {start} out of range for string b'{shown}' at index {index}")
    start = start + count if start < 0 else start
    found = units[start : count if length < 0 else start + length]
    return b"".join(found) if characters else found  # type: ignore[arg-type,return-value]


@op("StringStrip", api="strings.strip", shape=same, devices=_HOST)
def strip(xp: Any, input: Strings) -> Any:
    """Returns strings without white space at their ends.

    Args:
        input: A tensor of strings.

    Returns:
        A tensor of strings of the same shape.
    """
    return _each(lambda s: s.strip(b" \t\n\r\v\f"), input)


# ------------------------------------------------------------------ patterns


def _compiled(pattern: str) -> re.Pattern[bytes]:
    try:
        return re.compile(pattern.encode("utf-8", "surrogateescape"), re.DOTALL if pattern.startswith("(?s)") else 0)
    except re.error as error:
        raise invalid(f"Invalid pattern: {pattern}, error: {_complaint(pattern, error)}") from None


def _complaint(pattern: str, error: re.error) -> str:
    """The error in the words of the library that TensorFlow uses."""
    text = str(error)
    if "unterminated subpattern" in text:
        return f"missing ): {pattern}"
    if "unterminated character set" in text:
        return f"missing ]: {pattern[error.pos or 0:]}"
    if "unbalanced parenthesis" in text:
        return f"unexpected ): {pattern}"
    if "nothing to repeat" in text or "multiple repeat" in text:
        return f"no argument for repetition operator: {pattern[error.pos or 0]}"
    return text


def _template(rewrite: str) -> Callable[[re.Match[bytes]], bytes] | None:
    """What replaces a match: ``\\0`` to ``\\9`` stand for its groups; None if it is malformed."""
    source = rewrite.encode("utf-8", "surrogateescape")
    parts: list[Any] = []
    i = 0
    while i < len(source):
        if source[i : i + 1] != b"\\":
            parts.append(source[i : i + 1])
            i += 1
            continue
        follow = source[i + 1 : i + 2]
        if follow.isdigit():
            parts.append(int(follow))
        elif follow == b"\\":
            parts.append(b"\\")
        else:
            return None
        i += 2
    return lambda match: b"".join((match[p] or b"") if isinstance(p, int) else p for p in parts)


def _most_groups(rewrite: str) -> int:
    return max((int(d) for d in re.findall(r"\\(\d)", rewrite.replace("\\\\", ""))), default=0)


@op("StaticRegexReplace", shape=same, devices=_HOST)
def _static_regex_replace(
    xp: Any, input: Strings, *, pattern: str, rewrite: str, replace_global: bool = True
) -> Any:
    """Returns strings with what matches a pattern replaced.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.
        rewrite: What comes instead.
        replace_global: Whether all matches are replaced, or the first only.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    compiled, template = _compiled(pattern), _template(rewrite)
    if template is None or _most_groups(rewrite) > compiled.groups:
        return input.copy()
    count = 0 if replace_global else 1
    return _each(lambda s: compiled.sub(template, s, count), input)


@export("strings.regex_replace")
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Any:
    """Returns strings with what matches a pattern replaced.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.
        rewrite: What comes instead; ``\\\\1`` stands for the first group, ``\\\\0`` for the whole match.
        replace_global: Whether all matches are replaced, or the first only.
        name: A name for the operation.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    return _static_regex_replace(
        input, pattern=_plain(pattern), rewrite=_plain(rewrite), replace_global=replace_global
    )


def _plain(value: Any) -> str:
    """A string that may be given as a scalar tensor."""
    if isinstance(value, str):
        return value
    raw = value if isinstance(value, bytes) else convert_to_tensor(value, dtype=dtypes.string)._host()[()]
    return raw.decode("utf-8", "surrogateescape")


@op("StaticRegexFullMatch", shape=same, devices=_HOST)
def _static_regex_full_match(xp: Any, input: Strings, *, pattern: str) -> Any:
    """Returns whether strings match a pattern as a whole.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.

    Returns:
        A boolean tensor of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    compiled = _compiled(pattern)
    found = [compiled.fullmatch(s) is not None for s in input.ravel()]
    return np.array(found, bool).reshape(input.shape)


@export("strings.regex_full_match")
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:
    """Returns whether strings match a pattern as a whole.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.
        name: A name for the operation.

    Returns:
        A boolean tensor of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    return _static_regex_full_match(input, pattern=_plain(pattern))


# ------------------------------------------------------------------ joining


@op("ReduceJoin", devices=_HOST)
def _reduce_join(
    xp: Any, inputs: Strings, reduction_indices: Ints, *, keep_dims: bool = False, separator: str = ""
) -> Any:
    """Returns strings joined along dimensions.

    Args:
        inputs: A tensor of strings.
        reduction_indices: The dimensions, in the order in which they are joined.
        keep_dims: Whether the dimensions stay, with size 1.
        separator: What stands between the parts.

    Returns:
        A tensor of strings.

    Raises:
        OutOfRangeError: There is no such dimension.
        InvalidArgumentError: A dimension is given twice.
    """
    rank, axes = inputs.ndim, []
    for a in (int(a) for a in reduction_indices.reshape(-1)):
        if not -rank <= a < rank:
            raise OutOfRangeError(None, None, f"Invalid reduction dimension {a} for input with {rank} dimension(s)")
        if a % rank in axes:
            raise invalid(f"Duplicate reduction dimension {a % rank}")
        axes.append(a % rank)
    if not axes:
        return inputs.copy()
    kept = [a for a in range(rank) if a not in axes]
    moved = inputs.transpose(kept + axes[::-1])  # the first one given is joined first
    shape = tuple(inputs.shape[a] for a in kept)
    rows = moved.reshape(int(np.prod(shape, dtype=np.int64)), int(np.prod([inputs.shape[a] for a in axes], dtype=np.int64)))
    glue = separator.encode()
    dims = tuple(1 if a in axes else n for a, n in enumerate(inputs.shape)) if keep_dims else shape
    return objects([glue.join(row) for row in rows], dims)


@export("strings.reduce_join")
def reduce_join(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Any:
    """Returns strings joined along dimensions.

    Args:
        inputs: A tensor of strings.
        axis: The dimensions, in the order in which they are joined; all of them where None.
        keepdims: Whether the dimensions stay, with size 1.
        separator: What stands between the parts.
        name: A name for the operation.

    Returns:
        A tensor of strings.

    Raises:
        OutOfRangeError: There is no such dimension.
    """
    if hasattr(inputs, "flat_values"):
        return _join_rows(inputs, axis, separator)
    x = convert_to_tensor(inputs)
    if x.dtype is not dtypes.string:
        raise invalid(f"cannot compute ReduceJoin as input #0(zero-based) was expected to be a string tensor but is a {x.dtype.cname} tensor [Op:ReduceJoin] name: ")
    if axis is None:
        axis = list(range(x.shape.rank))[::-1]
    return _reduce_join(x, axis, keep_dims=bool(keepdims), separator=separator)


def _join_rows(rt: Any, axis: Any, separator: str) -> Any:
    """The rows of a ragged tensor joined."""
    axis = rt.shape.rank - 1 if axis is None else int(axis) % rt.shape.rank
    if axis > 1:
        return rt.with_values(_join_rows(rt.values, axis - 1, separator))
    rows = rt.to_list()
    return convert_to_tensor(objects([separator.encode().join(row) for row in rows], (len(rows),)))


def ragged_text(rt: Any, summarize: int) -> bytes:
    """A ragged tensor as ``tf.print`` shows it."""
    values = rt.flat_values
    if values.dtype is dtypes.string:
        items = [b"'" + re.sub(rb"(['\\])", rb"\\\1", v) + b"'" for v in values._host().ravel()]
        shown = rt.with_flat_values(convert_to_tensor(objects(items, values.shape)))
    else:
        shown = rt.with_flat_values(as_string(values))
    return _nested_text(shown.to_list(), summarize)


def _nested_text(rows: Any, summarize: int) -> bytes:
    if isinstance(rows, bytes):
        return rows
    if 0 <= summarize and len(rows) > 2 * summarize:
        head, tail = rows[:summarize], rows[len(rows) - summarize :]
        parts = [*(_nested_text(r, summarize) for r in head), b"...", *(_nested_text(r, summarize) for r in tail)]
    else:
        parts = [_nested_text(r, summarize) for r in rows]
    return b"[" + b", ".join(parts) + b"]"
