"""``tf.data.experimental.CsvDataset``: the records of CSV files as tuples of scalars.

A record ends at a line feed, a carriage return or both outside of quotes. A field in quotes may hold
delimiters and line ends; two quotes in it stand for one.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import DType, as_dtype, bool_, float32, float64, int32, int64, string
from twinflow._src.core.errors import InvalidArgumentError, OpError, invalid
from twinflow._src.core.specs import TensorSpec
from twinflow._src.io.local_files import explained
from twinflow._src.io.records import open_compressed
from twinflow._src.numerics.object_arrays import object_array
from twinflow._src.ops.strings.numbers import parse_float, parse_integer
from twinflow._src.wings.data.dataset import DatasetSource
from twinflow._src.wings.data.dataset_ops import build_variant, builds, scalar
from twinflow._src.wings.data.readers import compression, names_tensor
from twinflow._src.wings.data.stages import Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Element, Elements

_TYPES = (float32, float64, int32, int64, string)
_QUOTE = b'"'
_ENDS = b"\r\n"

# Records of a file.


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yields the lines of a file with their ends: line feeds, carriage returns or both."""
    for line in file:
        if b"\r" in line[:-2]:
            yield from line.splitlines(keepends=True)
        else:
            yield line


class CsvReader:
    """The records of a file, each as a list of fields.

    Args:
        lines: The lines, with their ends.
        delim: The delimiter, a byte.
        has_quotes: True if quotes enclose fields.
    """

    def __init__(self, lines: Iterator[bytes], delim: bytes, has_quotes: bool) -> None:
        self._lines, self._delim, self._has_quotes = lines, delim, has_quotes

    def next(self) -> list[bytes]:
        """Returns the fields of the next record; raises StopIteration at the end.

        Raises InvalidArgumentError for misplaced quotes; the record is skipped.
        """
        line = next(self._lines)
        if not self._has_quotes or _QUOTE not in line:
            return line.rstrip(_ENDS).split(self._delim)
        return self._split(line)

    def _split(self, line: bytes) -> list[bytes]:
        """Splits a line with quotes, and the lines that its quoted fields go on in."""
        fields, at, error = [], 0, None
        while True:
            if line.startswith(_QUOTE, at):
                field, end, line, failure = self._quoted(line, at + 1)
                error = error or failure
            else:
                end = line.find(self._delim, at)
                end = len(line.rstrip(_ENDS)) if end < 0 else end
                field = line[at:end]
                if _QUOTE in field:
                    error = error or invalid("Unquoted fields cannot have quotes inside")
            fields.append(field)
            if not line.startswith(self._delim, end):
                break
            at = end + 1
        if error is not None:
            raise error
        return fields

    def _quoted(self, line: bytes, at: int) -> tuple[bytes, int, bytes, OpError | None]:
        """Returns a quoted field, the offset after it, the line, and an error."""
        field, error = bytearray(), None
        while True:
            end = line.find(_QUOTE, at)
            if end < 0:
                more = next(self._lines, None)
                if more is None:
                    raise invalid("Reached end of file without closing quoted field in record")
                line += more
                continue
            field += line[at:end]
            following = line[end + 1 : end + 2]
            if following == self._delim or following in (b"", b"\n", b"\r"):
                return bytes(field), end + 1, line, error
            field += _QUOTE
            if following != _QUOTE:
                error = invalid("Quote inside a string has to be escaped by another quote")
            at = end + 1 + (following == _QUOTE)


# Conversion of fields.


class CsvColumns:
    """The types and defaults of the columns of a record.

    Args:
        defaults: The arrays of defaults, of which an empty one denotes a required column.
        na_value: A string that denotes a missing value, besides the empty one.
        selected: The indices of the columns to return; all if empty.
        excluded: The indices of the columns to leave out, where none are selected.
    """

    def __init__(
        self, defaults: list[Any], na_value: bytes, selected: list[int], excluded: list[int]
    ) -> None:
        self._columns = [
            (i, _parser(d.dtype), d.reshape(-1)[0] if d.size else None, d.dtype)
            for i, d in enumerate(defaults)
        ]
        self._missing = {b"", na_value}
        self._selected, self._excluded = selected, frozenset(excluded)

    def parse(self, fields: list[bytes]) -> list[Any]:
        """Returns the values of a record; raises InvalidArgumentError if it does not fit."""
        if self._selected:
            fields = [fields[i] for i in self._selected if i < len(fields)]
        elif self._excluded:
            fields = [field for i, field in enumerate(fields) if i not in self._excluded]
        missing, values = self._missing, []
        for (index, parse, default, dtype), field in zip(self._columns, fields):
            if field in missing:
                if default is None:
                    raise invalid(f"Field {index} is required but missing in record!")
                values.append(default)
                continue
            try:
                values.append(parse(field))
            except ValueError:
                name = {"float32": "float", "float64": "double"}.get(dtype.name, dtype.name)
                shown = field.decode("utf-8", "replace")
                raise invalid(f"Field {index} in record is not a valid {name}: {shown}") from None
        count = len(self._columns)
        if len(fields) != count:
            number = "more" if len(fields) > count else len(fields)
            raise invalid(f"Expect {count} fields but have {number} in record")
        return values

    def arrays(self, values: list[Any]) -> Element:
        """Returns the element of the values of a record."""
        return tuple([_array(value, c[3]) for value, c in zip(values, self._columns)])

    def batch(self, records: list[list[Any]]) -> Element:
        """Returns the batch of the values of records."""
        return tuple([_vector(column, c[3]) for column, c in zip(zip(*records), self._columns)])

    def parse_columns(self, records: list[list[bytes]]) -> Element | None:
        """Returns the batch of records, column by column; None where a field needs a closer look."""
        count = len(self._columns)
        if self._selected or self._excluded or any(len(fields) != count for fields in records):
            return None
        columns = []
        for column, (_, _, _, dtype) in zip(zip(*records), self._columns):
            if not self._missing.isdisjoint(column):
                return None
            values = column if dtype.kind == "O" else _numbers(column, dtype)
            if values is None:
                return None
            columns.append(_vector(values, dtype))
        return tuple(columns)


def _numbers(column: tuple[bytes, ...], dtype: Any) -> list[Any] | None:
    """Returns the numbers of a column; None where a field is not a plain one in range."""
    text = b"".join(column)
    if b"_" in text or b"x" in text or b"X" in text:
        return None
    try:
        if dtype.kind == "f":
            return list(map(float, column))
        values = list(map(int, column))
    except ValueError:
        return None
    limits = np.iinfo(dtype)
    return values if limits.min <= min(values) and max(values) <= limits.max else None


def _parser(dtype: Any) -> Callable[[bytes], Any]:
    if dtype.kind == "O":
        return lambda field: field
    if dtype.kind == "f":
        return parse_float
    limits = np.iinfo(dtype)
    return lambda field: parse_integer(field, limits)


def _array(value: Any, dtype: Any) -> Any:
    with np.errstate(over="ignore"):
        array = np.empty((), dtype)
        array[()] = value
    return array


def _vector(values: Any, dtype: Any) -> Any:
    if dtype.kind == "O":
        return object_array(values)
    with np.errstate(over="ignore"):
        return np.array(values).astype(dtype, copy=False)


# The dataset.


class CsvStage(Stage):
    """The records of CSV files.

    Args:
        elements: The type of the elements.
        paths: The paths of the files.
        columns: The columns.
        kind: The compression type.
        delim: The delimiter, a byte.
        has_quotes: True if quotes enclose fields.
        has_header: True to skip the first record of each file.
    """

    def __init__(
        self,
        elements: Elements,
        paths: list[str],
        columns: CsvColumns,
        kind: str,
        delim: bytes,
        has_quotes: bool,
        has_header: bool,
    ) -> None:
        self.elements, self.paths, self.columns = elements, paths, columns
        self._kind, self._delim = kind, delim
        self._has_quotes, self._has_header = has_quotes, has_header

    def open(self, path: str) -> CsvReader:
        """Opens a file, and skips its header."""
        reader = CsvReader(self._read(path), self._delim, self._has_quotes)
        if self._has_header:
            try:
                reader.next()
            except StopIteration:
                raise invalid("Can't read header of file") from None
        return reader

    def _read(self, path: str) -> Iterator[bytes]:
        with explained(path), open_compressed(path, self._kind) as file:
            yield from _lines(file)

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator at the first record of the first file."""
        return CsvIterator(self)


class CsvIterator(StageIterator):
    """An iterator over the records of CSV files."""

    def __init__(self, stage: CsvStage) -> None:
        self.elements, self._stage = stage.elements, stage
        self._columns = stage.columns
        self._file, self._count = 0, 0
        self._reader: CsvReader | None = None
        self._ahead: deque[list[bytes] | OpError] = deque()  # records that were read, or an error

    def _next_fields(self, reader: CsvReader) -> list[bytes]:
        """Returns the fields of the next record of a file."""
        if not self._ahead:
            return reader.next()
        fields = self._ahead.popleft()
        if isinstance(fields, OpError):
            raise fields
        return fields

    def _read_ahead(self, reader: CsvReader, count: int) -> list[list[bytes]] | None:
        """Returns the fields of the next records; None if there are fewer, which are kept."""
        records: list[list[bytes]] = []
        try:
            for _ in range(count):
                records.append(reader.next())
        except StopIteration:
            self._ahead.extend(records)
        except OpError as error:
            self._ahead.extend([*records, error])
        return records if len(records) == count else None

    def _values(self) -> list[Any]:
        """Returns the values of the next record; raises StopIteration after the last file."""
        while True:
            if self._reader is None:
                if self._file == len(self._stage.paths):
                    raise StopIteration
                self._file += 1
                self._reader, self._count = self._stage.open(self._stage.paths[self._file - 1]), 0
            try:
                fields = self._next_fields(self._reader)
            except StopIteration:
                self._reader = None
                continue
            except InvalidArgumentError:
                self._count += 1
                raise
            except OpError:
                self._reader = None
                raise
            self._count += 1
            return self._columns.parse(fields)

    def __next__(self) -> Element:
        return self._columns.arrays(self._values())

    def block(self, count: int) -> Element | None:
        """Returns a batch of the next records."""
        if self._reader is not None and not self._ahead:
            fields = self._read_ahead(self._reader, count)
            batch = None if fields is None else self._columns.parse_columns(fields)
            if batch is not None:
                self._count += count
                return batch
            self._ahead.extend(fields or ())
        records = list(itertools.islice(iter(self._values, None), count))
        return self._columns.batch(records) if records else None

    def position(self) -> dict[str, Any]:
        """Returns the number of opened files, and of the records read from the last one."""
        return {"file": self._file, "count": self._count, "is_open": self._reader is not None}

    def move(self, saved: dict[str, Any]) -> None:
        """Opens the file of a position again, and skips its records."""
        self._file, self._count, self._reader = int(saved["file"]), int(saved["count"]), None
        self._ahead.clear()
        if saved["is_open"]:
            self._reader = self._stage.open(self._stage.paths[self._file - 1])
            for _ in range(self._count):
                try:
                    self._reader.next()
                except InvalidArgumentError:
                    continue


def _default(value: Any) -> Any:
    """Returns the tensor of a default: a dtype, a value, or a list of at most one."""
    # As in TensorFlow, names and numbers of dtypes denote these: 1 is a required float32.
    is_type = isinstance(value, (DType, int, str, type)) and any(dtype == value for dtype in _TYPES)
    if not is_type:
        return convert_to_tensor(value, name="record_defaults")
    return convert_to_tensor([], dtype=as_dtype(value), name="record_defaults")


def _indices(columns: Any, name: str) -> Any:
    return convert_to_tensor([] if columns is None else columns, dtype=int64, name=name)


class CsvDatasetV2(DatasetSource):
    """A dataset of the records of CSV files, each a tuple of scalars.

    Args:
        filenames: The file names: a string tensor or a list.
        record_defaults: For each column its default value, or its dtype if it is required.
        compression_type: ``""``, ``"ZLIB"`` or ``"GZIP"``.
        buffer_size: The size of the read buffer in bytes; has no effect.
        header: If True, the first record of each file is skipped.
        field_delim: The delimiter, one character.
        use_quote_delim: If True, double quotes enclose fields that contain delimiters or line ends.
        na_value: A string that denotes a missing value, besides the empty one.
        select_cols: The indices of the columns to return, in ascending order; all if None.
        exclude_cols: The indices of the columns to leave out.

    Raises:
        InvalidArgumentError: An argument is invalid, or, in the iterator, a record does not fit.
        NotFoundError: A file does not exist (raised in the iterator).
    """

    __module__ = "twinflow.data.experimental"

    def __init__(
        self,
        filenames: Any,
        record_defaults: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        header: Any = False,
        field_delim: Any = ",",
        use_quote_delim: Any = True,
        na_value: Any = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        names = convert_to_tensor(names_tensor(filenames), dtype=string, name="filenames")
        defaults = [_default(value) for value in record_defaults]
        if not defaults:
            raise invalid("Length for attr 'output_types' of 0 must be at least minimum 1")
        for tensor in defaults:
            if tensor.dtype not in _TYPES:
                allowed = ", ".join(t.name for t in _TYPES)
                raise TypeError(
                    f"Value passed to parameter 'record_defaults' has DataType {tensor.dtype.name} "
                    f"not in list of allowed values: {allowed}"
                )
        specs = tuple(TensorSpec([], tensor.dtype) for tensor in defaults)
        elements = self._elements = Elements(specs)
        tensors = [
            names,
            compression(compression_type),
            scalar(4 << 20 if buffer_size is None else buffer_size, "buffer_size"),
            scalar(header, "header", bool_),
            scalar(field_delim, "field_delim", string),
            scalar(use_quote_delim, "use_quote_delim", bool_),
            scalar(na_value, "na_value", string),
            _indices(select_cols, "select_cols"),
            _indices(exclude_cols, "exclude_cols"),
            *defaults,
        ]
        super().__init__(build_variant("CSVDatasetV2", (elements,), (), tensors))


@builds("CSVDatasetV2")
def _stage(
    elements: Elements,
    names: Any,
    kind: Any,
    buffer_size: Any,
    header: Any,
    field_delim: Any,
    use_quote_delim: Any,
    na_value: Any,
    select_cols: Any,
    exclude_cols: Any,
    *defaults: Any,
) -> CsvStage:
    """Returns the stage of checked arguments."""
    compression_type = kind[()].decode("utf-8", "replace")
    if names.ndim > 1:
        raise invalid("`filenames` must be a scalar or a vector.")
    for i, default in enumerate(defaults):
        if default.ndim > 1:
            raise invalid("Each record default should be at most rank 1")
        if default.size > 1:
            raise invalid(
                f"There should only be 1 default per field but field {i} has {default.size}"
            )
    if compression_type not in ("", "GZIP", "ZLIB"):
        raise invalid(f"Unsupported compression_type: {compression_type}.")
    if buffer_size <= 0:
        raise invalid("buffer_size should be positive")
    if len(field_delim[()]) != 1:
        raise invalid("field_delim should be only 1 char")
    if select_cols.size and select_cols.size != len(defaults):
        raise invalid("select_cols should match output size")
    _check_columns(select_cols, "select_cols")
    _check_columns(exclude_cols, "exclude_cols")
    if select_cols.size and exclude_cols.size:
        raise invalid("Either select_cols or exclude_cols should be empty")
    columns = CsvColumns(list(defaults), na_value[()], select_cols.tolist(), exclude_cols.tolist())
    paths = [name.decode("utf-8", "surrogateescape") for name in names.reshape(-1)]
    delim = field_delim[()]
    return CsvStage(
        elements, paths, columns, compression_type, delim, bool(use_quote_delim), bool(header)
    )


def _check_columns(indices: Any, name: str) -> None:
    if (indices < 0).any():
        raise invalid(f"{name} should be non-negative indices")
    if (np.diff(indices) <= 0).any():
        raise invalid(f"{name} should be strictly increasing indices")
