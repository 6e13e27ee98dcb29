"""Tables that programs change."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.dispatch.op import API
from twinflow._src.wings.lookup.basics import LookupInterface, pairs
from twinflow._src.wings.lookup.checkpointing import Part
from twinflow._src.wings.lookup.static_tables import checked_keys
from twinflow._src.wings.lookup.storage import Store

_ALLOWED = pairs(
    "string:int64,int32,float32,float64,bool int64:string,int64,int32,float32,float64 int32:int32,float32,float64"
)


class MutableHashTable(LookupInterface):
    """A table that programs change.

    Args:
        key_dtype: The type of the keys.
        value_dtype: The type of the values.
        default_value: The value of keys that it does not have; all values have its shape.
        name: A name.
        checkpoint: Whether checkpoints save what it holds.
        experimental_is_anonymous: Accepted and without effect.

    Raises:
        NotFoundError: There are no tables for these types.
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
            self._named(self._kind, self._pairs, name)
        self._checkpoint = checkpoint
        self._store: Any = self._made()

    def _value_shape(self) -> tuple[Any, ...]:
        return tuple(self._default_value.shape)

    def _made(self) -> Any:
        return Store(self._key_dtype, self._value_dtype, self._value_shape())

    # ---------------------------------------------------------------- what checkpoints save
    def _saved_parts(self) -> Any:
        return Part.of(self) if self._checkpoint else ()

    # ---------------------------------------------------------------- operations
    def size(self, name: str | None = None) -> Any:
        """The number of keys, an int64 scalar."""
        return self._told_size(lambda: len(self._store))

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Any:
        """The values of keys.

        Args:
            keys: A tensor or what becomes one.
            dynamic_default_values: The values of keys that the table does not have: one for all, or one for each.
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
        """Sets the values of keys.

        Args:
            keys: A tensor or what becomes one.
            values: A value for each key.
            name: A name for the operation.

        Returns:
            The operation in a graph, else None.

        Raises:
            InvalidArgumentError: There is not a value for each key.
        """
        keys = self._own_keys(keys)
        values = convert_to_tensor(values, dtype=self._value_dtype, name="values")
        insert = lambda keys, values: self._store.insert(keys, values)
        return self._run("LookupTableInsertV2", insert, (keys, values), [], "lookup_table_insert")

    def remove(self, keys: Any, name: str | None = None) -> Any:
        """Forgets keys, where they are there.

        Args:
            keys: A tensor of the type of the keys.
            name: A name for the operation.

        Returns:
            The operation in a graph, else None.

        Raises:
            TypeError: They are of another type.
        """
        keys = checked_keys(keys, self._key_dtype)
        remove = lambda keys: self._store.remove(keys)
        return self._run("LookupTableRemoveV2", remove, (keys,), [], "lookup_table_remove")

    def export(self, name: str | None = None) -> Any:
        """All keys and their values, as two tensors."""
        results = [(self._key_dtype, None), (self._value_dtype, None)]
        export = lambda: self._store.export()
        return self._run("LookupTableExportV2", export, (), results, "lookup_table_export_values")


