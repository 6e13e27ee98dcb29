"""Mutable lookup tables: ``MutableHashTable`` and ``DenseHashTable``."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.context import PLAIN, entered, thread
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_sizes
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.wings.lookup.base import LookupInterface, Part, Store, pairs, plain
from twinflow._src.wings.lookup.static_tables import check_keys

# MutableHashTable.


_ALLOWED = pairs(
    "string:int64,int32,float32,float64,bool int64:string,int64,int32,float32,float64 int32:int32,float32,float64"
)


class MutableHashTable(LookupInterface):
    """A mutable hash table.

    Args:
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.
        default_value: The value of missing keys; all values have its shape.
        name: A name.
        checkpoint: If True, checkpoints save the contents of the table.
        experimental_is_anonymous: Accepted and without effect.

    Raises:
        NotFoundError: The combination of dtypes is not supported.
    """

    __module__ = "twinflow.lookup.experimental"

    _kind, _pairs, _located = "MutableHashTableV2", _ALLOWED, True

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(as_dtype(key_dtype), as_dtype(value_dtype))
        with API["init_scope"]():
            self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
            self._assign_name(self._kind, self._pairs, name)
            if checkpoint and thread.scope.graph is not None:
                get_default_graph().add_to_collection(GraphKeys.SAVEABLE_OBJECTS, self)
        self._checkpoint = checkpoint
        self._store: Any = self._build_store()

    # ---------------------------------------------------------------- saving
    def _handle_attrs(self) -> dict[str, Any]:
        attrs = super()._handle_attrs()
        return attrs | ({"value_shape": self._value_shape()} if self._value_shape() else {})

    @property
    def _handle_type(self) -> str:  # type: ignore[override]
        """The type of the operation that creates the table."""
        return "MutableHashTableOfTensorsV2" if self._value_shape() else "MutableHashTableV2"

    def _import(self, keys: Any, values: Any) -> Any:
        """Replaces the contents; returns the operation in a graph."""
        replace = lambda keys, values: self._store.replace(keys, values)
        return self._run("LookupTableImportV2", replace, (keys, values), [], "lookup_table_import")

    def _value_shape(self) -> tuple[Any, ...]:
        return static_sizes(self._default_value.shape)

    def _build_store(self) -> Any:
        return Store(self._key_dtype, self._value_dtype, self._value_shape())

    # ---------------------------------------------------------------- checkpointing
    def _saved_parts(self) -> Any:
        return Part.of(self) if self._checkpoint else ()

    # ---------------------------------------------------------------- operations
    def size(self, name: str | None = None) -> Any:
        """Returns the number of keys, an int64 scalar."""
        return self._run_size(lambda: len(self._store))

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Any:
        """Looks up the values of keys.

        Args:
            keys: A tensor or a value convertible to one.
            dynamic_default_values: The values of missing keys: one for all, or one for each key.
            name: A name for the operation.

        Returns:
            A tensor of the shape of the keys, followed by that of a value.
        """
        keys = self._own_keys(keys)
        default = self._default_value if dynamic_default_values is None else dynamic_default_values
        results = [(self._value_dtype, None)]
        find = lambda keys, default: self._store.find(keys, default)
        return self._run("LookupTableFindV2", find, (keys, default), results, "lookup_table_find")

    def _own_keys(self, keys: Any) -> Any:
        return convert_to_tensor(keys, dtype=self._key_dtype, name="keys")

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Any:
        """Inserts keys with their values, or replaces the values.

        Args:
            keys: A tensor or a value convertible to one.
            values: A value for each key.
            name: A name for the operation.

        Returns:
            The operation in a graph, else None.

        Raises:
            InvalidArgumentError: The number of values differs from that of keys.
        """
        keys = self._own_keys(keys)
        values = convert_to_tensor(values, dtype=self._value_dtype, name="values")
        insert = lambda keys, values: self._store.insert(keys, values)
        return self._run("LookupTableInsertV2", insert, (keys, values), [], "lookup_table_insert")

    def remove(self, keys: Any, name: str | None = None) -> Any:
        """Removes keys; missing keys are ignored.

        Args:
            keys: A tensor of the dtype of the keys.
            name: A name for the operation.

        Returns:
            The operation in a graph, else None.

        Raises:
            TypeError: The keys have another dtype.
        """
        keys = check_keys(keys, self._key_dtype)
        remove = lambda keys: self._store.remove(keys)
        return self._run("LookupTableRemoveV2", remove, (keys,), [], "lookup_table_remove")

    def export(self, name: str | None = None) -> Any:
        """Returns all keys and their values, as two tensors."""
        results = [(self._key_dtype, None), (self._value_dtype, None)]
        export = lambda: self._store.export()
        return self._run("LookupTableExportV2", export, (), results, "lookup_table_export_values")


# DenseHashTable, with TensorFlow's memory layout.


_DENSE_TABLES_ALLOWED = pairs(
    "string:int64,int32,float32,float64,bool int64:bool,int64,int32,float32,float64 int32:int32,float32,float64"
)
_BUCKETS, _LOAD = 131072, 0.8


class DenseStore(Store):
    """An open-addressing hash map that is exported as an array of buckets.

    Args:
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.
        value_shape: The shape of each value.
        empty: The key of an empty bucket.
        deleted: The key of a bucket whose key was removed.
        buckets: The initial number of buckets.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        value_shape: Any,
        empty: Any,
        deleted: Any,
        buckets: int,
    ) -> None:
        super().__init__(key_dtype, value_dtype, value_shape)
        self._empty, self._deleted, self._buckets = empty, deleted, buckets

    def _check_keys(self, keys: Any) -> Any:
        items = set(plain(keys))
        for what, key in (("empty", self._empty), ("deleted", self._deleted)):
            if key in items:
                raise invalid(f"Using the {what}_key as a table key is not allowed")
        return keys

    def insert(self, keys: Any, values: Any) -> None:
        """Inserts or replaces values; see ``Store``."""
        super().insert(self._check_keys(keys), values)
        self._grow()

    def _grow(self) -> None:
        while len(self) > _LOAD * self._buckets:
            self._buckets *= 2

    def remove(self, keys: Any) -> None:
        """Removes keys; see ``Store``."""
        super().remove(self._check_keys(keys))

    def find(self, keys: Any, default: Any) -> Any:
        """Looks up values; see ``Store``."""
        return super().find(self._check_keys(keys), default)

    def export(self) -> tuple[Any, Any]:
        """Returns all buckets: keys and values."""
        keys = np.full((self._buckets, 1), self._empty, self.key_dtype.np)
        blank = b"" if self.value_dtype.np.kind == "O" else 0
        values = np.full((self._buckets, *(self.value_shape or (1,))), blank, self.value_dtype.np)
        for key, value in self._map.items():
            index = self._free(key, keys)
            keys[index], values[index] = key, value
        return keys, values

    def _free(self, key: Any, keys: Any) -> int:
        """Returns the bucket for a key: the first empty one on its probe sequence."""
        index, tries = self._hash(key) % self._buckets, 0
        while keys[index, 0] != self._empty:
            tries += 1
            index = (index + tries) % self._buckets
        return index

    def _hash(self, key: Any) -> int:
        if isinstance(key, bytes):
            return int(API["strings.to_hash_bucket"]([key], self._buckets).numpy()[0])
        return int(key)

    def replace(self, keys: Any, values: Any) -> None:
        """Replaces the contents by those of buckets; see ``Store``."""
        flat = keys.reshape(-1)
        used = [key not in (self._empty, self._deleted) for key in flat.tolist()]
        rows = values.reshape(len(flat), *self.value_shape)
        super().replace(flat[used], rows[used])
        self._buckets = max(self._buckets, len(flat))
        self._grow()


@documented_like(MutableHashTable)
class DenseHashTable(MutableHashTable):
    """A mutable hash table with open addressing, kept in dense arrays.

    Args:
        empty_key: The key of empty buckets; it cannot be inserted.
        deleted_key: The key of deleted buckets; it cannot be inserted.
        initial_num_buckets: The initial number of buckets, a power of two; 131072 if None.

    Raises:
        InvalidArgumentError: The two keys are equal, or the number of buckets is invalid.
        NotFoundError: The combination of dtypes is not supported.
    """

    __module__ = "twinflow.lookup.experimental"

    _kind, _pairs = "MutableDenseHashTableV2", _DENSE_TABLES_ALLOWED

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        with entered(PLAIN):
            marks = [
                convert_to_tensor(key, dtype=as_dtype(key_dtype))._host()[()]
                for key in (empty_key, deleted_key)
            ]
        self._marks = [mark.item() if isinstance(mark, np.generic) else mark for mark in marks]
        self._initial = _BUCKETS if initial_num_buckets is None else initial_num_buckets
        super().__init__(
            key_dtype, value_dtype, default_value, name, checkpoint, experimental_is_anonymous
        )

    _handle_type = "MutableDenseHashTableV2"

    def _handle_attrs(self) -> dict[str, Any]:
        buckets = {"initial_num_buckets": self._initial, "max_load_factor": _LOAD}
        return super()._handle_attrs() | {"value_shape": self._value_shape()} | buckets

    def _handle_inputs(self) -> tuple[Any, ...]:
        return tuple(
            constant(mark, self._key_dtype, name=name)
            for mark, name in zip(self._marks, ("empty_key", "deleted_key"))
        )

    def _build_store(self) -> Any:
        empty, deleted = self._marks
        if empty == deleted:
            raise invalid("Empty and deleted keys cannot be equal")
        count = self._initial
        if count < 4 or count & (count - 1):
            raise invalid(f"Number of buckets must be at least 4 and a power of 2, got: {count}")
        return DenseStore(
            self._key_dtype, self._value_dtype, self._value_shape(), empty, deleted, count
        )

    def erase(self, keys: Any, name: str | None = None) -> Any:
        """Removes keys; see ``remove``."""
        return self.remove(keys, name)
