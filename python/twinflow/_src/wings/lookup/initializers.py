"""Where the keys and values of a table come from."""

from __future__ import annotations

import functools
import itertools
import os
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype, int64, string
from twinflow._src.core.errors import NotFoundError, invalid
from twinflow._src.dispatch.op import API

_counter = itertools.count()


class TableInitializerBase:
    """What a table gets its keys and values from.

    Args:
        key_dtype: The type of the keys.
        value_dtype: The type of the values.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)

    @functools.cached_property
    def _shared_name(self) -> str:
        """The name of tables that are made of this."""
        return f"table_{next(_counter)}"

    @property
    def key_dtype(self) -> Any:
        """The type of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> Any:
        """The type of the values."""
        return self._value_dtype

    def initialize(self, table: Any) -> Any:
        """Fills a table.

        Args:
            table: The table.

        Returns:
            The operation that does, in a graph.
        """
        raise NotImplementedError


class KeyValueTensorInitializer(TableInitializerBase):
    """Keys and values that a program has.

    Args:
        keys: A tensor.
        values: A tensor of the same shape.
        key_dtype: The type of the keys; as the tensor where None.
        value_dtype: The type of the values; as the tensor where None.
        name: A name for the operation.
    """

    __module__ = "twinflow.lookup"

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: str | None = None
    ) -> None:
        with API["init_scope"]():
            self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
            self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
        self._name = name or "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Any:
        """Fills a table; see ``TableInitializerBase``."""
        return table._fill("LookupTableImportV2", (self._keys, self._values), lambda *arrays: arrays, self._name)


class TextFileIndex:
    """What of a line of a file is a key or a value, besides the number of a column."""

    __module__ = "twinflow.lookup"

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
    """Keys and values from the lines of a file.

    Args:
        filename: The path.
        key_dtype: The type of the keys.
        key_index: The column of the keys, from 0; or one of ``TextFileIndex``.
        value_dtype: The type of the values.
        value_index: The column of the values, as above.
        vocab_size: The number of lines that are read; all of them where None.
        delimiter: What stands between columns.
        name: A name for the operation.
        value_index_offset: What is added to numbers of lines that are values.

    Raises:
        ValueError: An argument is not possible.
    """

    __module__ = "twinflow.lookup"

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not isinstance(filename, os.PathLike) and not hasattr(filename, "dtype") and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        _check_columns(self._key_dtype, key_index, self._value_dtype, value_index)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._filename, self._columns = filename, (key_index, value_index)
        self._count, self._delimiter = vocab_size, delimiter
        self._offset, self._name = value_index_offset, name or "text_file_init"

    def initialize(self, table: Any) -> Any:
        """Fills a table; see ``TableInitializerBase``."""
        path = self._filename if hasattr(self._filename, "dtype") else os.fspath(self._filename)
        file = convert_to_tensor(path, dtype=string)
        return table._fill("InitializeTableFromTextFileV2", (file,), self._read, self._name)

    def _read(self, path: Any) -> tuple[Any, Any]:
        lines = _lines(os.fsdecode(path[()]))
        if self._count is not None:
            if len(lines) < self._count:
                raise invalid(f"Invalid vocab_size in {os.fsdecode(path[()])}: expected {self._count} but got {len(lines)}")
            lines = lines[: self._count]
        types = (self._key_dtype, self._value_dtype)
        columns = [self._column(lines, index, dtype, path) for index, dtype in zip(self._columns, types)]
        if self._columns[1] == TextFileIndex.LINE_NUMBER:
            columns[1] = columns[1] + self._offset
        return columns[0], columns[1]

    def _column(self, lines: list[bytes], index: int, dtype: Any, path: Any) -> Any:
        if index == TextFileIndex.LINE_NUMBER:
            return np.arange(len(lines), dtype=np.int64)
        found = np.empty(len(lines), dtype.np)
        for number, line in enumerate(lines):
            field = line if index == TextFileIndex.WHOLE_LINE else self._field(line, number, path)[index]
            found[number] = _parsed(field, dtype, number)
        return found

    def _field(self, line: bytes, number: int, path: Any) -> list[bytes]:
        fields, least = line.split(self._delimiter.encode()), max(self._columns) + 1
        if len(fields) < least:
            raise invalid(
                f"Invalid number of columns in {os.fsdecode(path[()])} line {number} ({line.decode('utf-8', 'replace')}) : "
                f"expected at least {least} got {len(fields)}"
            )
        return fields


def _check_columns(key_dtype: Any, key_index: int, value_dtype: Any, value_index: int) -> None:
    for what, index in (("key", key_index), ("value", value_index)):
        if index < -2:
            raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    if key_index == TextFileIndex.LINE_NUMBER and key_dtype is not int64:
        raise ValueError(f"`key_dtype` must be int64 if `key_index` is -1, received: {key_dtype!s}")
    if key_index == TextFileIndex.WHOLE_LINE and not (key_dtype.is_integer or key_dtype is string):
        raise ValueError(f"`key_dtype` should be either integer or string for `key_index` -2, received: {key_dtype!s}")
    if value_index == TextFileIndex.LINE_NUMBER and value_dtype is not int64:
        raise ValueError(f"`value_dtype` must be int64 for `value_index` -1, received: {value_dtype!s}")
    if value_index == TextFileIndex.WHOLE_LINE and value_dtype is not string:
        raise ValueError(f"`value_dtype` must be string for `value_index` -2, received: {value_dtype!s}")


def _lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            return [line.rstrip(b"\n").removesuffix(b"\r") for line in file]
    except FileNotFoundError:
        raise NotFoundError(None, None, f"{path}; No such file or directory") from None


def _parsed(field: bytes, dtype: Any, number: int) -> Any:
    if dtype is string:
        return field
    try:
        return dtype.np.type(field.decode())
    except ValueError:
        text = field.decode("utf-8", "replace")
        raise invalid(f"Field {text} in line {number} is not a valid {dtype.cname}.") from None
