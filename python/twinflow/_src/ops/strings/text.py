"""String ops: length, case, substrings, stripping and joining."""

from __future__ import annotations

import operator
import re
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import STRINGS, string
from twinflow._src.core.errors import OutOfRangeError, invalid
from twinflow._src.core.shapes import same, text
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.op import API, Kind, Strings, documented_like, export, op
from twinflow._src.numerics.object_arrays import object_array
from twinflow._src.shape_rules.gather import joined_along
from twinflow._src.shape_rules.values import joined_strings, substrings


def decode_utf8(value: bytes) -> str:
    """Decodes bytes as UTF-8; invalid bytes become surrogate characters."""
    return value.decode("utf-8", "surrogateescape")


def encode_utf8(text: str) -> bytes:
    """Encodes characters back to the bytes that ``decode_utf8`` got."""
    return text.encode("utf-8", "surrogateescape")


# ------------------------------------------------------------------ length, case and element-wise join


@op("StringLength", api="strings.length", shape=same, devices=("CPU",))
def length(xp: Any, input: Strings, *, unit: str = "BYTE") -> Any:
    """Computes the lengths of strings.

    Args:
        input: A tensor of strings.
        unit: ``"BYTE"``, or ``"UTF8_CHAR"`` to count Unicode code points.

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
    """Converts strings to upper case.

    Args:
        input: A tensor of strings.
        encoding: ``"utf-8"`` to convert all letters; otherwise only ASCII letters.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: The encoding is unknown.
    """
    _check_encoding(encoding)
    return _each(_upper if encoding else bytes.upper, input)


@op("StringLower", api="strings.lower", shape=same, devices=("CPU",))
@documented_like(upper)
def lower(xp: Any, input: Strings, *, encoding: str = "") -> Any:
    """Converts strings to lower case."""
    _check_encoding(encoding)
    return _each(_lower if encoding else bytes.lower, input)


def _upper(value: bytes) -> bytes:
    return value.decode("utf-8", "replace").upper().encode()


def _lower(value: bytes) -> bytes:
    return value.decode("utf-8", "replace").lower().encode()


ManyStrings = Annotated[Any, Kind("inputs", only=string, many=True)]


@op("StringJoin", no_gradient=True, shape=joined_strings, dtypes=STRINGS, devices=("CPU",))
def join(xp: Any, inputs: ManyStrings, *, separator: str = "") -> Any:
    """Joins tensors of strings element-wise."""
    glue = separator.encode()
    shapes = [array.shape for array in inputs if array.ndim]
    for other in shapes:
        if other != shapes[0]:
            raise invalid(f"Input shapes do not match: {text(shapes[0])} vs. {text(other)}")
    arrays = np.broadcast_arrays(*inputs)
    result = np.empty(arrays[0].shape, object)
    result.reshape(-1)[:] = list(
        map(glue.join, zip(*(a.ravel().tolist() for a in arrays), strict=True))
    )
    return result


@join.batched
def _(call: Any) -> Any:
    ranks = [x.shape.rank for x, flag in zip(call.node.arguments[0], call.is_batched[0]) if flag]
    if len(set(ranks)) > 1:  # scalars beside others
        return call.looped()
    return call.run(list(call.inputs[0]) if not ranks[0] else call.full(0))


@export("strings.join")
def join_strings(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Joins tensors of strings element-wise.

    Args:
        inputs: A sequence of tensors of strings, of one shape or scalars.
        separator: The string inserted between the parts.

    Returns:
        A tensor of strings; an empty string for an empty sequence.

    Raises:
        TypeError: ``inputs`` is not a sequence.
        InvalidArgumentError: The shapes differ.
    """
    if not isinstance(inputs, (list, tuple)) and not (
        isinstance(inputs, EagerTensor) and inputs.shape.rank
    ):
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


_Positions = Annotated[Any, Kind("T", allowed=frozenset((dtypes.int32, dtypes.int64)))]
_Axes = Annotated[Any, Kind("reduction_indices", only=dtypes.int32, host=True)]
_HOST = ("CPU",)


def objects(items: list[Any], shape: Any) -> Any:
    """Returns an object array of byte strings."""
    return object_array(items).reshape(shape)


# ------------------------------------------------------------------ substrings


@op("Substr", api=("strings.substr",), shape=substrings, devices=_HOST, flat=True)
def substr(xp: Any, input: Strings, pos: _Positions, len: _Positions, *, unit: str = "BYTE") -> Any:
    """Returns substrings of strings.

    Args:
        input: A tensor of strings.
        pos: The start positions; negative ones count from the end.
        len: The lengths; negative ones extend to the end of the string.
        unit: ``"BYTE"``, or ``"UTF8_CHAR"`` to count characters.

    Returns:
        A tensor of strings.

    Raises:
        InvalidArgumentError: A position is out of range of its string, or the shapes are
            incompatible.
    """
    if pos.shape != len.shape:
        raise invalid(
            f"pos and len should have the same shape, got: {text(pos.shape)} vs. {text(len.shape)}"
        )
    try:
        words, starts, lengths = np.broadcast_arrays(input, pos, len)
    except ValueError:
        raise invalid(f"Incompatible shapes: {text(input.shape)} vs. {text(pos.shape)}") from None
    characters = unit == "UTF8_CHAR"
    units: list[Any] = list(map(decode_utf8, words.flat)) if characters else words.ravel().tolist()
    if pos.any():
        _check_starts(units, starts.ravel(), words)
    if pos.size == 1:
        parts = list(map(operator.itemgetter(_slice(int(pos.flat[0]), int(len.flat[0]))), units))
    else:
        slices = map(_slice, starts.ravel().tolist(), lengths.ravel().tolist())
        parts = list(map(operator.getitem, units, slices))
    return objects([encode_utf8(part) for part in parts] if characters else parts, words.shape)


def _check_starts(units: list[Any], starts: Any, words: Any) -> None:
    """Raises InvalidArgumentError for the first start position out of range of its string."""
    counts = np.fromiter(map(len, units), np.int64, len(units))
    outside = np.flatnonzero((starts < -counts) | (starts > counts))
    if outside.size:
        at = int(outside[0])
        shown = words.flat[at].decode("utf-8", "replace")
        raise invalid(f"pos {starts[at]} out of range for string b'{shown}' at index {at}")


def _slice(start: int, length: int) -> slice:
    """Returns the slice of a substring."""
    end = start + length
    return slice(start, None if length < 0 or start < 0 <= end else end)


@op("StringStrip", api="strings.strip", shape=same, devices=_HOST)
def strip(xp: Any, input: Strings) -> Any:
    """Strips leading and trailing whitespace from strings."""
    return _each(lambda s: s.strip(b" \t\n\r\v\f"), input)


# ------------------------------------------------------------------ joining


@op("ReduceJoin", no_gradient=True, shape=joined_along, devices=_HOST)
def _reduce_join(
    xp: Any,
    inputs: Strings,
    reduction_indices: _Axes,
    *,
    keep_dims: bool = False,
    separator: str = "",
) -> Any:
    """Joins strings along axes."""
    rank, axes = inputs.ndim, []
    for a in (int(a) for a in reduction_indices.reshape(-1)):
        if not -rank <= a < rank:
            raise OutOfRangeError(
                None, None, f"Invalid reduction dimension {a} for input with {rank} dimension(s)"
            )
        if a % rank in axes:
            raise invalid(f"Duplicate reduction dimension {a % rank}")
        axes.append(a % rank)
    if not axes:
        return inputs.copy()
    kept_axes = [a for a in range(rank) if a not in axes]
    transposed = inputs.transpose(kept_axes + axes[::-1])  # the first axis is joined first
    shape = tuple(inputs.shape[a] for a in kept_axes)
    rows = transposed.reshape(
        int(np.prod(shape, dtype=np.int64)),
        int(np.prod([inputs.shape[a] for a in axes], dtype=np.int64)),
    )
    glue = separator.encode()
    dims = tuple(1 if a in axes else n for a, n in enumerate(inputs.shape)) if keep_dims else shape
    return objects([glue.join(row) for row in rows], dims)


@export("strings.reduce_join")
@documented_like(substr)
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> Any:
    """Joins strings along axes.

    Args:
        inputs: A tensor of strings.
        axis: The axes, in the order of joining; all axes if None.
        keepdims: If True, keeps the reduced axes with size 1.
        separator: The string inserted between the parts.

    Raises:
        OutOfRangeError: An axis is out of range.
    """
    x = convert_to_tensor(inputs)
    if axis is None:
        axis = _all_axes(x)
    return _reduce_join(x, axis, keep_dims=keepdims, separator=separator)


def _all_axes(x: Any) -> Any:
    """Returns all axes of a tensor, the last one first."""
    if x.shape.rank is None:
        rank = API["rank"](x)
        return API["range"](rank - 1, -1, -1)
    return convert_to_tensor(np.arange(x.shape.rank, dtype=np.int32)[::-1])


def ragged_text(rt: Any, summarize: int) -> bytes:
    """Formats a ragged tensor as ``tf.print`` does."""
    from twinflow._src.ops.strings.numbers import as_string

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
    if summarize >= 0 and len(rows) > 2 * summarize:
        head, tail = rows[:summarize], rows[len(rows) - summarize :]
        parts = [
            *(_nested_text(r, summarize) for r in head),
            b"...",
            *(_nested_text(r, summarize) for r in tail),
        ]
    else:
        parts = [_nested_text(r, summarize) for r in rows]
    return b"[" + b", ".join(parts) + b"]"
