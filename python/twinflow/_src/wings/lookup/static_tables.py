"""Tables that do not change once they are filled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, int64, string
from twinflow._src.core.errors import FailedPreconditionError
from twinflow._src.dispatch.op import API
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.wings.lookup.basics import LookupInterface, dims_of, mapped, pairs
from twinflow._src.wings.lookup.storage import Store

_ALLOWED = pairs(
    "string:string,int64,int32,float32,float64,bool int64:string,int64,int32,float32,float64 "
    "int32:string,int32,float32,float64"
)


def checked_keys(keys: Any, dtype: Any) -> Any:
    """Keys of a table, whose type must be the table's.

    Args:
        keys: A tensor, ragged or sparse or neither.
        dtype: The type of the table's keys.

    Raises:
        TypeError: They are of another type.
    """
    if as_dtype(keys.dtype).base_dtype is not dtype:
        raise TypeError(f"Dtype of argument `keys` must be {_named(dtype)}, received: {_named(as_dtype(keys.dtype))}")
    return keys


def _named(dtype: Any) -> str:
    return f"<dtype: {dtype.name!r}>"


class StaticHashTable(LookupInterface):
    """A table that is filled once and does not change.

    Args:
        initializer: Where its keys and values come from.
        default_value: The value of keys that it does not have.
        name: A name.
        experimental_is_anonymous: Accepted and without effect.

    Raises:
        ValueError: The default value is no scalar.
        NotFoundError: There are no tables for these types.
        FailedPreconditionError: A key has two values.
    """

    __module__ = "twinflow.lookup"

    def __init__(
        self, initializer: Any, default_value: Any, name: str | None = None, experimental_is_anonymous: bool = False
    ) -> None:
        self._shared_name = initializer._shared_name
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        with API["init_scope"]():
            self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
            if self._default_value.shape.rank:
                raise ValueError(f"Shapes {self._default_value.shape} and () are not compatible")
            self._named("HashTableV2", _ALLOWED, name or "hash_table")
            self._store, self._is_filled = Store(self._key_dtype, self._value_dtype), False
            self._init_op = initializer.initialize(self)

    @property
    def default_value(self) -> Any:
        """The value of keys that the table does not have."""
        return self._default_value

    def _fill(self, type: str, inputs: Sequence[Any], read: Callable[..., Any], name: str) -> Any:
        def fill(*tensors: Any) -> None:
            if not self._is_filled:
                self._store.insert_new(*read(*(tensor._host() for tensor in tensors)))
                self._is_filled = True

        graph = thread.scope.graph
        if graph is None:
            fill(*inputs)
            return None
        op = later(type, fill, inputs, name=f"{name}/{type}")
        graph.add_to_collection(GraphKeys.TABLE_INITIALIZERS, op)
        return op

    def _filled(self) -> Store:
        if not self._is_filled:
            raise FailedPreconditionError(None, None, "Table not initialized.")
        return self._store

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys.

        Args:
            keys: A tensor of the type of the keys, ragged or sparse or neither.
            name: A name for the operation.

        Returns:
            A tensor of the same kind and shape.

        Raises:
            TypeError: The keys are of another type.
        """
        return mapped(self._found, checked_keys(keys, self._key_dtype))

    def _found(self, keys: Any) -> Any:
        results = [(self._value_dtype, dims_of(keys))]
        find = lambda keys, default: self._filled().find(keys, default)
        return self._run("LookupTableFindV2", find, (keys, self._default_value), results, "Lookup")

    def size(self, name: str | None = None) -> Any:
        """The number of keys, an int64 scalar; 0 before the table is initialized."""
        return self._told_size(lambda: len(self._store))

    def export(self, name: str | None = None) -> Any:
        """All keys and their values, as two tensors."""
        results = [(self._key_dtype, (None,)), (self._value_dtype, (None,))]
        return self._run("LookupTableExportV2", lambda: self._filled().export(), (), results, "Export")


class StaticHashTableV1(StaticHashTable):
    """A table of TensorFlow 1; see ``StaticHashTable``."""

    @property
    def initializer(self) -> Any:
        """The operation that fills the table; None outside of graphs."""
        return self._init_op


class StaticVocabularyTable(LookupInterface):
    """A table of strings or integers to their places in a vocabulary; those that are not in it share further places.

    Args:
        initializer: Keys, with the numbers from 0 on as values; None for an empty vocabulary.
        num_oov_buckets: The number of places for keys that are not in the vocabulary.
        lookup_key_dtype: The type of the keys that are looked up; as in the vocabulary where None.
        name: A name.
        experimental_is_anonymous: Accepted and without effect.

    Raises:
        ValueError: There are no places for other keys.
        TypeError: The types of keys and values are not possible.
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
                raise TypeError(f"Invalid `value_dtype`, expected {_named(int64)} but got {_named(initializer.value_dtype)}.")
            key_dtype = as_dtype(lookup_key_dtype or initializer.key_dtype)
            self._table = StaticHashTable(initializer, -1)
            self._track("_table", self._table)
        if not (key_dtype.is_integer or key_dtype is string):
            raise TypeError(f"Invalid `key_dtype`, expected integer or string, got {_named(key_dtype)}.")
        self._buckets = num_oov_buckets
        super().__init__(key_dtype, int64)
        self._given_name = name

    @property
    def name(self) -> str | None:
        """The name in a graph; None outside."""
        return self._table.name if self._table is not None else None

    @property
    def resource_handle(self) -> Any:
        """What stands for the memory of the vocabulary, or None."""
        return None if self._table is None else self._table.resource_handle

    def size(self, name: str | None = None) -> Any:
        """The number of places, an int64 scalar."""
        own: Any = constant(0, int64) if self._table is None else self._table.size()
        return own + constant(self._buckets, int64)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The places of keys.

        Args:
            keys: A tensor of the type of the keys, ragged or sparse or neither.
            name: A name for the operation.

        Returns:
            An int64 tensor of the same kind and shape.

        Raises:
            TypeError: The keys are of another type.
        """
        return mapped(self._places, checked_keys(keys, self._key_dtype))

    def _places(self, keys: Any) -> Any:
        if self._table is None:
            return self._bucket(keys)
        if self._table.key_dtype is not keys.dtype and keys.dtype.is_integer:
            keys = API["cast"](keys, self._table.key_dtype)
        found = self._table.lookup(keys)
        others = self._bucket(keys) + self._table.size()
        return API["where"](API["not_equal"](found, self._table.default_value), found, others)

    def _bucket(self, keys: Any) -> Any:
        texts = keys if keys.dtype is string else API["strings.as_string"](keys)
        return API["strings.to_hash_bucket_fast"](texts, self._buckets)
