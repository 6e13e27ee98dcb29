"""Immutable lookup tables, and their initializers."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, int64, string
from twinflow._src.core.errors import FailedPreconditionError, NotFoundError, invalid
from twinflow._src.core.fork import cached_property
from twinflow._src.dispatch.op import API
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.wings.lookup.base import LookupInterface, Store, dims_of, map_values, pairs
from twinflow._src.wings.saved_model.assets import Asset

# Tables.


_ALLOWED = pairs(
    "string:string,int64,int32,float32,float64,bool int64:string,int64,int32,float32,float64 "
    "int32:string,int32,float32,float64"
)


def check_keys(keys: Any, dtype: Any) -> Any:
    """Returns the keys after a check of their dtype; raises TypeError for another one."""
    if as_dtype(keys.dtype).base_dtype is not dtype:
        raise TypeError(
            f"Dtype of argument `keys` must be {_dtype_text(dtype)}, received: {_dtype_text(as_dtype(keys.dtype))}"
        )
    return keys


def _dtype_text(dtype: Any) -> str:
    return f"<dtype: {dtype.name!r}>"


class StaticHashTable(LookupInterface):
    """An immutable hash table.

    Args:
        initializer: The table initializer, which provides keys and values.
        default_value: The value of missing keys.
        name: A name.
        experimental_is_anonymous: Accepted and without effect.

    Raises:
        ValueError: The default value is not a scalar.
        NotFoundError: The combination of dtypes is not supported.
        FailedPreconditionError: A key has two values.
    """

    __module__ = "twinflow.lookup"

    def __init__(
        self,
        initializer: Any,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        self._shared_name = initializer._shared_name
        self._initializer = initializer
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        with API["init_scope"]():
            self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
            if self._default_value.shape.rank:
                raise ValueError(f"Shapes {self._default_value.shape} and () are not compatible")
            self._assign_name("HashTableV2", _ALLOWED, name or "hash_table")
            self._store, self._is_filled = Store(self._key_dtype, self._value_dtype), False
            self._init_op = initializer.initialize(self)

    _handle_type = "HashTableV2"

    _has_initializer = True

    def _initialize(self) -> Any:
        return self._initializer.initialize(self)

    def _assets(self) -> dict[str, Any]:
        return self._initializer.assets()

    @property
    def default_value(self) -> Any:
        """The value of missing keys."""
        return self._default_value

    def _fill(
        self,
        type: str,
        inputs: Sequence[Any],
        read: Callable[..., Any],
        name: str,
        fixed_attrs: dict[str, Any] | None = None,
    ) -> Any:
        def fill(*tensors: Any) -> None:
            if not self._is_filled:
                self._store.insert_new(*read(*(tensor._host() for tensor in tensors)))
                self._is_filled = True

        graph = thread.scope.graph
        if graph is None:
            fill(*inputs)
            return None
        op = later(
            type, fill, inputs, name=f"{name}/{type}", resource=self, fixed_attrs=fixed_attrs
        )
        graph.add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        return op

    def _filled_store(self) -> Store:
        if not self._is_filled:
            raise FailedPreconditionError(None, None, "Table not initialized.")
        return self._store

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Looks up the values of keys.

        Args:
            keys: A dense, sparse or ragged tensor of the dtype of the keys.
            name: A name for the operation.

        Returns:
            A tensor of the same kind and shape.

        Raises:
            TypeError: The keys have another dtype.
        """
        return map_values(self._find, check_keys(keys, self._key_dtype))

    def _find(self, keys: Any) -> Any:
        results = [(self._value_dtype, dims_of(keys))]
        find = lambda keys, default: self._filled_store().find(keys, default)
        return self._run("LookupTableFindV2", find, (keys, self._default_value), results, "Lookup")

    def size(self, name: str | None = None) -> Any:
        """Returns the number of keys, an int64 scalar; 0 before the table is initialized."""
        return self._run_size(lambda: len(self._store))

    def export(self, name: str | None = None) -> Any:
        """Returns all keys and their values, as two tensors."""
        results = [(self._key_dtype, (None,)), (self._value_dtype, (None,))]
        return self._run(
            "LookupTableExportV2", lambda: self._filled_store().export(), (), results, "Export"
        )


class StaticHashTableV1(StaticHashTable):
    """An immutable hash table for TensorFlow 1; see ``StaticHashTable``."""

    @property
    def initializer(self) -> Any:
        """The op that initializes the table; None outside a graph."""
        return self._init_op


class StaticVocabularyTable(LookupInterface):
    """A vocabulary table from strings or integers to ids, with buckets for out-of-vocabulary keys.

    Args:
        initializer: A table initializer whose values are 0, 1, 2, ...; None for an empty
            vocabulary.
        num_oov_buckets: The number of out-of-vocabulary buckets.
        lookup_key_dtype: The dtype of the keys to look up; that of the vocabulary if None.
        name: A name.
        experimental_is_anonymous: Accepted and without effect.

    Raises:
        ValueError: There are no out-of-vocabulary buckets.
        TypeError: The dtypes of keys and values are not supported.
    """

    __module__ = "twinflow.lookup"

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        self._table, key_dtype = None, string
        if initializer is not None:
            if initializer.value_dtype is not int64:
                raise TypeError(
                    f"Invalid `value_dtype`, expected {_dtype_text(int64)} but got {_dtype_text(initializer.value_dtype)}."
                )
            key_dtype = as_dtype(lookup_key_dtype or initializer.key_dtype)
            self._table = StaticHashTable(initializer, -1)
            self._track("_table", self._table)
        if not (key_dtype.is_integer or key_dtype is string):
            raise TypeError(
                f"Invalid `key_dtype`, expected integer or string, got {_dtype_text(key_dtype)}."
            )
        self._buckets = num_oov_buckets
        super().__init__(key_dtype, int64)

    @property
    def name(self) -> str | None:
        """The name in a graph; None outside a graph."""
        return self._table.name if self._table is not None else None

    @property
    def resource_handle(self) -> Any:
        """The resource handle of the vocabulary, or None."""
        return None if self._table is None else self._table.resource_handle

    def size(self, name: str | None = None) -> Any:
        """Returns the vocabulary size plus the number of OOV buckets, an int64 scalar."""
        count: Any = constant(0, int64) if self._table is None else self._table.size()
        return count + constant(self._buckets, int64)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """Looks up the ids of keys.

        Args:
            keys: A dense, sparse or ragged tensor of the dtype of the keys.
            name: A name for the operation.

        Returns:
            An int64 tensor of the same kind and shape.

        Raises:
            TypeError: The keys have another dtype.
        """
        return map_values(self._places, check_keys(keys, self._key_dtype))

    def _places(self, keys: Any) -> Any:
        if self._table is None:
            return self._bucket(keys)
        if self._table.key_dtype is not keys.dtype and keys.dtype.is_integer:
            keys = API["cast"](keys, self._table.key_dtype)
        result = self._table.lookup(keys)
        others = self._bucket(keys) + self._table.size()
        return API["where"](API["not_equal"](result, self._table.default_value), result, others)

    def _bucket(self, keys: Any) -> Any:
        texts = keys if keys.dtype is string else API["strings.as_string"](keys)
        return API["strings.to_hash_bucket_fast"](texts, self._buckets)


# Initializers.


_counter = itertools.count()


class TableInitializerBase:
    """Base class of table initializers.

    Args:
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)

    @cached_property
    def _shared_name(self) -> str:
        """The name shared by tables of this initializer."""
        return f"table_{next(_counter)}"

    @property
    def key_dtype(self) -> Any:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> Any:
        """The dtype of the values."""
        return self._value_dtype

    def initialize(self, table: Any) -> Any:
        """Initializes a table.

        Args:
            table: The table.

        Returns:
            The initialization op, in a graph.
        """
        raise NotImplementedError

    def assets(self) -> dict[str, Any]:
        """Returns the files that it reads, by name."""
        return {}


class KeyValueTensorInitializer(TableInitializerBase):
    """A table initializer from tensors of keys and values.

    Args:
        keys: A tensor.
        values: A tensor of the same shape.
        key_dtype: The dtype of the keys; that of the tensor if None.
        value_dtype: The dtype of the values; that of the tensor if None.
        name: A name for the operation.
    """

    __module__ = "twinflow.lookup"

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        with API["init_scope"]():
            self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
            self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
        self._name = name or "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Any:
        """Initializes a table; see ``TableInitializerBase``."""
        return table._fill(
            "LookupTableImportV2", (self._keys, self._values), lambda *arrays: arrays, self._name
        )


class TextFileIndex:
    """The part of a line that ``tf.lookup.TextFileInitializer`` uses, if not a column index."""

    __module__ = "twinflow.lookup"

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(TableInitializerBase):
    """A table initializer from the lines of a text file.

    Args:
        filename: The path.
        key_dtype: The dtype of the keys.
        key_index: The column index of the keys, or a ``TextFileIndex``.
        value_dtype: The dtype of the values.
        value_index: The column index of the values, or a ``TextFileIndex``.
        vocab_size: The number of lines to read; all of them if None.
        delimiter: The column delimiter.
        name: A name for the operation.
        value_index_offset: An offset that is added to values that are line numbers.

    Raises:
        ValueError: An argument is invalid.
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
        if (
            not isinstance(filename, os.PathLike)
            and not hasattr(filename, "dtype")
            and not filename
        ):
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        super().__init__(key_dtype, value_dtype)
        _check_columns(self._key_dtype, key_index, self._value_dtype, value_index)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._filename, self._columns = filename, (key_index, value_index)
        self._count, self._delimiter = vocab_size, delimiter
        self._offset, self._name = value_index_offset, name or "text_file_init"

    def initialize(self, table: Any) -> Any:
        """Initializes a table; see ``TableInitializerBase``."""
        file = self._filename if hasattr(self._filename, "dtype") else self._asset.asset_path
        attrs = {
            "key_index": self._columns[0],
            "value_index": self._columns[1],
            "vocab_size": -1 if self._count is None else self._count,
            "delimiter": self._delimiter,
            "offset": self._offset,
        }
        file = convert_to_tensor(file, dtype=string)
        if isinstance(file, SymbolicTensor) and file.op.type == "Const":
            thread.scope.graph.add_to_collection(GraphKeys.ASSET_FILEPATHS, file)
        return table._fill("InitializeTableFromTextFileV2", (file,), self._read, self._name, attrs)

    @cached_property
    def _asset(self) -> Asset:
        """The file, of which SavedModels contain a copy."""
        return self._filename if isinstance(self._filename, Asset) else Asset(self._filename)

    def assets(self) -> dict[str, Any]:
        """Returns the files by name."""
        return {} if hasattr(self._filename, "dtype") else {"_filename": self._asset}

    def _read(self, path: Any) -> tuple[Any, Any]:
        lines = _lines(os.fsdecode(path[()]))
        if self._count is not None:
            if len(lines) < self._count:
                raise invalid(
                    f"Invalid vocab_size in {os.fsdecode(path[()])}: expected {self._count} but got {len(lines)}"
                )
            lines = lines[: self._count]
        types = (self._key_dtype, self._value_dtype)
        columns = [
            self._column(lines, index, dtype, path) for index, dtype in zip(self._columns, types)
        ]
        if self._columns[1] == TextFileIndex.LINE_NUMBER:
            columns[1] = columns[1] + self._offset
        return columns[0], columns[1]

    def _column(self, lines: list[bytes], index: int, dtype: Any, path: Any) -> Any:
        if index == TextFileIndex.LINE_NUMBER:
            return np.arange(len(lines), dtype=np.int64)
        result = np.empty(len(lines), dtype.np)
        for number, line in enumerate(lines):
            field = (
                line
                if index == TextFileIndex.WHOLE_LINE
                else self._field(line, number, path)[index]
            )
            result[number] = _parse_field(field, dtype, number)
        return result

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
        raise ValueError(
            f"`key_dtype` should be either integer or string for `key_index` -2, received: {key_dtype!s}"
        )
    if value_index == TextFileIndex.LINE_NUMBER and value_dtype is not int64:
        raise ValueError(
            f"`value_dtype` must be int64 for `value_index` -1, received: {value_dtype!s}"
        )
    if value_index == TextFileIndex.WHOLE_LINE and value_dtype is not string:
        raise ValueError(
            f"`value_dtype` must be string for `value_index` -2, received: {value_dtype!s}"
        )


def _lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            return [line.rstrip(b"\n").removesuffix(b"\r") for line in file]
    except FileNotFoundError:
        raise NotFoundError(None, None, f"{path}; No such file or directory") from None


def _parse_field(field: bytes, dtype: Any, number: int) -> Any:
    if dtype is string:
        return field
    try:
        return dtype.np.type(field.decode())
    except ValueError:
        text = field.decode("utf-8", "replace")
        raise invalid(f"Field {text} in line {number} is not a valid {dtype.cname}.") from None
