"""``tf.data.experimental.SqlDataset``: the rows of a query of an SQLite database."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import as_dtype, string
from twinflow._src.core.errors import UnknownError, invalid
from twinflow._src.core.specs import TensorSpec
from twinflow._src.io.local_files import local
from twinflow._src.numerics.object_arrays import box
from twinflow._src.wings.data.dataset import DatasetSource
from twinflow._src.wings.data.dataset_ops import dataset_variant
from twinflow._src.wings.data.stages import Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Element, Elements, map_leaves

_INTEGER = re.compile(rb"\s*[+-]?\d+")
_REAL = re.compile(rb"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_SIGNED_64 = 1 << 63


def _to_integer(value: Any) -> int:
    """Returns a value of SQLite as an integer, as SQLite casts it."""
    if isinstance(value, bytes):
        match = _INTEGER.match(value)
        value = int(match[0]) if match else 0
    if value is None or value != value:
        return 0
    return int(min(max(value, -_SIGNED_64), _SIGNED_64 - 1))


def _to_real(value: Any) -> float:
    """Returns a value of SQLite as a number, as SQLite casts it."""
    if isinstance(value, bytes):
        match = _REAL.match(value)
        return float(match[0]) if match else 0.0
    return 0.0 if value is None else float(value)


def _to_text(value: Any) -> bytes:
    """Returns a value of SQLite as text, as SQLite casts it."""
    if isinstance(value, float):
        text = format(value, ".15g")
        return (text if re.search(r"[.einf]", text) else f"{text}.0").encode()
    return b"" if value is None else value if isinstance(value, bytes) else str(value).encode()


def _converter(dtype: Any) -> Callable[[Any], Any]:
    """Returns the function that converts a value of SQLite to an array of a dtype."""
    kind = dtype.np
    if dtype == string:
        return lambda value: box(_to_text(value))
    if dtype == dtypes.float64:
        return lambda value: np.array(_to_real(value))
    if dtype == dtypes.bool_:
        return lambda value: np.array(_to_integer(value) != 0)
    return lambda value: np.array(_to_integer(value), np.int64).astype(kind)


_TYPES = "string int8 int16 int32 int64 uint8 uint16 bool double"
_ALLOWED = frozenset(as_dtype(name) for name in _TYPES.split())


class SqlStage(Stage):
    """The rows of a query.

    Args:
        elements: The type of the rows.
        path: The path of the database.
        query: The query.
    """

    def __init__(self, elements: Elements, path: str, query: str) -> None:
        self.elements, self._path, self._query = elements, path, query
        self._converters = [_converter(leaf.dtype) for leaf in elements.leaves]

    def rows_of_query(self) -> Iterator[Element]:
        """Yields the rows."""
        import sqlite3
        from contextlib import closing

        try:
            connection = sqlite3.connect(local(self._path), check_same_thread=False)
        except sqlite3.Error as error:
            raise UnknownError(None, None, f"Failed to open SQLite database: {error}") from None
        with closing(connection):
            connection.text_factory = bytes
            try:
                cursor = connection.execute(self._query)
            except sqlite3.Error as error:
                code = getattr(error, "sqlite_errorcode", 1)
                message = f"Prepare() failed: [{code}] {error}: {self._query}"
                raise UnknownError(None, None, message) from None
            count = len(cursor.description or ())
            if count != len(self._converters):
                raise invalid(
                    f"The number of columns in query ({count}) must match the number of elements in "
                    f"output_types ({len(self._converters)})."
                )
            for row in cursor:
                yield tuple([convert(v) for convert, v in zip(self._converters, row)])

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator at the first row."""
        return SqlIterator(self)


class SqlIterator(StageIterator):
    """An iterator over the rows of a query, which is run at the first one."""

    def __init__(self, stage: SqlStage) -> None:
        self.elements, self._stage = stage.elements, stage
        self._rows, self._count = stage.rows_of_query(), 0

    def __next__(self) -> Element:
        row = next(self._rows)
        self._count += 1
        return row

    def position(self) -> dict[str, Any]:
        """Returns the number of rows read."""
        return {"count": self._count}

    def move(self, saved: dict[str, Any]) -> None:
        """Runs the query again, and skips its first rows."""
        self._rows, self._count = self._stage.rows_of_query(), int(saved["count"])
        for _ in itertools.islice(self._rows, self._count):
            pass


class SqlDatasetV2(DatasetSource):
    """A dataset of the rows of a query of a database.

    Args:
        driver_name: The type of the database: ``"sqlite"``.
        data_source_name: The path of the database.
        query: The query.
        output_types: The dtypes of the columns, in a structure: string, bool, float64, int8 to
            int64, uint8 or uint16.

    Raises:
        InvalidArgumentError: The type of the database or a dtype is not supported; or, in the
            iterator, the number of columns is another one.
        UnknownError: The query is invalid (raised in the iterator).
    """

    __module__ = "twinflow.data.experimental"

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any
    ) -> None:
        spec = map_leaves(lambda dtype: TensorSpec([], as_dtype(dtype)), output_types)
        elements = self._elements = Elements(spec)
        names = ("driver_name", "data_source_name", "query")
        values = (driver_name, data_source_name, query)
        tensors = [convert_to_tensor(v, dtype=string, name=n) for n, v in zip(names, values)]

        def stage(driver: Any, source: Any, query: Any) -> SqlStage:
            if any(leaf.dtype not in _ALLOWED for leaf in elements.leaves):
                listed = ", ".join(f"DT_{name.upper()}" for name in _TYPES.split())
                raise invalid(f"Each element of `output_types_` must be one of: {listed} ")
            name = driver[()].decode("utf-8", "replace")
            if name != "sqlite":
                raise invalid(
                    f"The database type, {name}, is not supported by SqlDataset. The set of supported "
                    "databases is: {'sqlite'}."
                )
            return SqlStage(elements, source[()].decode(), query[()].decode())

        super().__init__(dataset_variant("SqlDataset", stage, (), tensors, impure=True))
