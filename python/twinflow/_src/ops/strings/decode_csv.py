"""CSV decoding: ``tf.io.decode_csv``."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import float32, float64, int32, int64, string
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import Kind, Strings, export, op
from twinflow._src.ops.strings.numbers import parse_float, parse_integer
from twinflow._src.ops.strings.text import objects

_TYPES = frozenset((float32, float64, int32, int64, string))
_Defaults = Annotated[Any, Kind("OUT_TYPE", allowed=_TYPES, many=True, mixed=True)]
_QUOTE, _ENDS = 0x22, b"\r\n"


# ------------------------------------------------------------------ parsing of fields


def _fields(line: bytes, delim: bytes, quotes: bool, count: int | None) -> list[bytes]:
    """Splits a line into fields; at most ``count`` of a line with quotes or line ends."""
    if not line:
        return []
    if b"\n" not in line and b"\r" not in line and not (quotes and b'"' in line):
        return line.split(delim)
    return list(itertools.islice(_careful_fields(line, delim[0], quotes), count))


def _careful_fields(line: bytes, delim: int, quotes: bool) -> Iterator[bytes]:
    """Yields the fields of a line with quotes or line ends."""
    at = 0
    while at < len(line):
        if line[at] in _ENDS:
            at += 1
        elif quotes and line[at] == _QUOTE:
            field, at = _parse_quoted(line, at + 1, delim)
            yield field
        else:
            end = line.find(delim, at)
            end = len(line) if end < 0 else end
            field = line[at:end]
            if b"\n" in field or b"\r" in field or (quotes and b'"' in field):
                raise invalid("Unquoted fields cannot have quotes/CRLFs inside")
            yield field
            at = end + 1
    if line[-1] == delim:
        yield b""


def _parse_quoted(line: bytes, at: int, delim: int) -> tuple[bytes, int]:
    """Parses a quoted field; returns it and the offset of the next one."""
    field = bytearray()
    while at < len(line) - 1 and (line[at] != _QUOTE or line[at + 1] != delim):
        if line[at] == _QUOTE:
            if line[at + 1] != _QUOTE:
                raise invalid("Quote inside a string has to be escaped by another quote")
            at += 1
        field.append(line[at])
        at += 1
    if at >= len(line) or line[at] != _QUOTE:
        raise invalid("Quoted field has to end with quote followed by delim or end")
    return bytes(field), at + 2


# ------------------------------------------------------------------ conversion of fields


def _values(column: list[bytes], index: int, default: Any, na_value: bytes) -> Any:
    """Converts a column to an array of the dtype of its default."""
    dtype = default.dtype
    if dtype.kind == "O":
        parse: Any = lambda text: text
    elif dtype.kind == "f":
        parse = parse_float
    else:
        limits = np.iinfo(dtype)
        parse = lambda text: parse_integer(text, limits)
    values = []
    for row, field in enumerate(column):
        if not field or field == na_value:
            if not default.size:
                raise invalid(f"Field {index} is required but missing in record {row}!")
            values.append(default.reshape(-1)[0])
            continue
        try:
            values.append(parse(field))
        except ValueError:
            name = {"float32": "float", "float64": "double"}.get(dtype.name, dtype.name)
            shown_ = field.decode("utf-8", "replace")
            raise invalid(
                f"Field {index} in record {row} is not a valid {name}: {shown_}"
            ) from None
    with np.errstate(over="ignore"):
        return objects(values, -1) if dtype.kind == "O" else np.array(values).astype(dtype)


def _columns(records: Any, defaults: Any, select_cols: list[int], split: Any) -> list[list[bytes]]:
    """Returns the selected fields of all lines as columns."""
    columns: list[list[bytes]] = [[] for _ in defaults]
    for row, line in enumerate(records):
        fields = split(line)
        if select_cols:
            fields = [fields[i] for i in select_cols if i < len(fields)]
        if len(fields) != len(columns):
            raise invalid(f"Expect {len(columns)} fields but have {len(fields)} in record {row}")
        for column, field in zip(columns, fields):
            column.append(field)
    return columns


def _inferred(node: Any) -> Any:
    """Infers dtypes and shapes of the results: a column for each default."""
    records, defaults = node.arguments
    return [x.dtype for x in defaults], [records.shape._dims] * len(defaults), False


@op(
    "DecodeCSV",
    devices=("CPU",),
    shape=lambda x, defaults, **_: [x] * len(defaults),
    no_gradient=True,
    infer=_inferred,
)
def _decode_csv(
    xp: Any,
    records: Strings,
    record_defaults: _Defaults,
    *,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = (),
) -> Any:
    """Converts CSV records to tensors, one for each column."""
    for i, default in enumerate(record_defaults):
        if default.ndim > 1:
            raise invalid("Each record default should be at most rank 1")
        if default.size > 1:
            raise invalid(
                f"There should only be 1 default per field but field {i} has {default.size}"
            )
    delim = field_delim.encode()
    if len(delim) != 1:
        raise invalid("field_delim should be only 1 char")
    last = select_cols[-1] + 1 if select_cols else None
    split = lambda line: _fields(line, delim, use_quote_delim, last)
    columns = _columns(records.ravel(), record_defaults, list(select_cols), split)
    return [
        _values(column, i, default, na_value.encode()).reshape(records.shape)
        for i, (column, default) in enumerate(zip(columns, record_defaults))
    ]


@export("io.decode_csv")
def decode_csv(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Any = None,
    name: str | None = None,
) -> Any:
    """Converts CSV records to tensors, one for each column.

    Args:
        records: A tensor of strings, one record each.
        record_defaults: The default value of each column, in a list or as a tensor, whose dtype is
            that of the column; an empty vector for a required column.
        field_delim: The delimiter, one character.
        use_quote_delim: If True, double quotes enclose fields that contain delimiters.
        na_value: An additional string that denotes a missing value.
        select_cols: The indices of the columns to return, in ascending order; all if None.

    Returns:
        A list of tensors of the shape of ``records``.

    Raises:
        ValueError: The number of defaults differs from that of the columns.
        InvalidArgumentError: The number of fields of a record differs, or a field cannot be
            converted.
    """
    selected = list(select_cols or ())
    if any(b <= a for a, b in itertools.pairwise(selected)):
        raise ValueError("select_cols is not strictly increasing.")
    if select_cols is not None and selected[0] < 0:
        raise ValueError("select_cols contains negative values.")
    defaults = [convert_to_tensor(value) for value in record_defaults]
    if selected and len(selected) != len(defaults):
        raise ValueError("Length of select_cols and record_defaults do not match.")
    return _decode_csv(
        records,
        defaults,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=tuple(selected),
        name=name,
    )
