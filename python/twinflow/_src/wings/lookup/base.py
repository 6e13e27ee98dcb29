"""Lookup tables: their hash map and their base class."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import entered, runtime, thread
from twinflow._src.core.dtypes import DType, as_dtype, int64, resource
from twinflow._src.core.errors import FailedPreconditionError, NotFoundError, invalid
from twinflow._src.core.fork import cached_property
from twinflow._src.core.shapes import static_sizes
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.numerics.object_arrays import box
from twinflow._src.wings.saved_model.assets import TrackableResource

# The in-memory hash map of a lookup table.


def plain(array: Any) -> list[Any]:
    """Returns the keys of an array as a list of Python values, usable as dictionary keys."""
    result: list[Any] = array.reshape(-1).tolist()
    return result


class Store:
    """A hash map from keys to values of one shape."""

    def __init__(
        self, key_dtype: DType, value_dtype: DType, value_shape: Sequence[int] = ()
    ) -> None:
        self.key_dtype, self.value_dtype, self.value_shape = (
            key_dtype,
            value_dtype,
            tuple(value_shape),
        )
        self._map: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self._map)

    def _rows(self, keys: Any, values: Any) -> Iterable[tuple[Any, Any]]:
        """Pairs keys with their values; raises for incompatible shapes."""
        expected = keys.shape + self.value_shape
        if values.shape != expected:
            raise invalid(f"Expected shape {_text(expected)} for value, got {_text(values.shape)}")
        rows = values.reshape(-1, *self.value_shape)
        return zip(plain(keys), rows)

    def insert(self, keys: Any, values: Any) -> None:
        """Inserts keys, or replaces their values."""
        self._map.update(self._rows(keys, values))

    def insert_new(self, keys: Any, values: Any) -> None:
        """Inserts keys. Raises FailedPreconditionError if a key exists with another value."""
        for key, value in self._rows(keys, values):
            old = self._map.setdefault(key, value)
            if old is not value and old != value:
                raise FailedPreconditionError(
                    None,
                    None,
                    f"HashTable has different value for same key. Key {_format_value(key)} has {_format_value(old)} and trying to add "
                    f"value {_format_value(value)}",
                )

    def remove(self, keys: Any) -> None:
        """Removes keys; missing keys are ignored."""
        for key in plain(keys):
            self._map.pop(key, None)

    def find(self, keys: Any, default: Any) -> Any:
        """Looks up the values of keys.

        ``default`` is the value of missing keys, or one for each key.
        """
        key_list, items = plain(keys), self._map
        several = (
            default.shape != self.value_shape and default.shape == keys.shape + self.value_shape
        )
        if not several and default.shape != self.value_shape:
            raise invalid(
                f"Expected shape {_text(self.value_shape)} or {_text(keys.shape + self.value_shape)} "
                f"for default value, got {_text(default.shape)}"
            )
        others = (
            default.reshape(-1, *self.value_shape) if several else [default[()]] * len(key_list)
        )
        return self._array(
            [items.get(key, other) for key, other in zip(key_list, others)], keys.shape
        )

    def _array(self, values: list[Any], shape: tuple[int, ...]) -> Any:
        result = np.empty((len(values), *self.value_shape), self.value_dtype.np)
        for index, value in enumerate(values):
            result[index] = value
        return result.reshape(shape + self.value_shape)

    def export(self) -> tuple[Any, Any]:
        """Returns all keys, and their values."""
        keys = np.empty(len(self._map), self.key_dtype.np)
        keys[:] = list(self._map)
        return keys, self._array(list(self._map.values()), (len(self._map),))

    def replace(self, keys: Any, values: Any) -> None:
        """Replaces the whole contents; see ``insert``."""
        self._map = dict(self._rows(keys, values))


def _text(shape: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, shape))}]"


def _format_value(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


_numbers = itertools.count()

# Base class: dtypes, eager and graph execution.


class TableHandle:
    """The resource handle of a table.

    Args:
        name: The table's name.
        table: The table.
    """

    dtype = resource

    def __init__(self, name: str, table: LookupInterface) -> None:
        self._name, self.table = name, table

    def __repr__(self) -> str:
        return f'<ResourceHandle(name="{self._name}", device="{runtime.host.name}")>'


def pairs(text: str) -> frozenset[tuple[str, str]]:
    """Parses pairs of dtype names such as ``string:bool,int64``."""
    split = [item.split(":") for item in text.split()]
    return frozenset((key, value) for key, values in split for value in values.split(","))


class LookupInterface(TrackableResource):
    """Base class of lookup tables.

    Args:
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype, self._value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> str | None:
        """The name in a graph; None outside a graph."""
        return self._name

    _name: str | None = None
    _located = False  # True if graph nodes are placed on the host

    @property
    def resource_handle(self) -> TableHandle:
        """The resource handle of the table."""
        return TableHandle(self._name or "", self)

    lookup: Callable[..., Any]

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def _assign_name(self, kind: str, allowed: frozenset[tuple[str, str]], name: str) -> None:
        """Assigns a unique name in the current graph, if any.

        Raises NotFoundError for unsupported dtypes.
        """
        if (self._key_dtype.name, self._value_dtype.name) not in allowed:
            types = ", ".join(
                f"{k}_dtype=DT_{t.cname.upper()}"
                for k, t in (("key", self._key_dtype), ("value", self._value_dtype))
            )
            raise NotFoundError(
                None,
                None,
                f"Could not find device for node: {{{{node {kind}}}}} = {kind}[{types}]\nAll kernels registered",
            )
        graph = thread.scope.graph
        self._name = None if graph is None else graph.unique_name(name)
        if graph is not None:
            self._add_handle(f"{self._name}/")

    # ---------------------------------------------------------------- execution
    def _run(
        self,
        type: str,
        function: Callable[..., Any],
        inputs: Sequence[Any],
        results: Sequence[tuple[DType, Any]],
        step: str,
    ) -> Any:
        """Runs a table op eagerly, or adds it to the current graph.

        ``function`` is called with arrays and returns one for each of ``results``, their dtypes and static
        shapes; ``step`` is the name scope of the op, after the table's name.
        """
        several = len(results) != 1

        def run(*tensors: Any) -> Any:
            result = function(*(tensor._host() for tensor in tensors))
            arrays = result if several else (result,)
            outputs = [
                EagerTensor(a, runtime.host, dtype) for a, (dtype, _) in zip(arrays or (), results)
            ]
            return outputs if several else outputs[0]

        if thread.scope.graph is None:
            result = run(*map(convert_to_tensor, inputs))
            return result if not several else tuple(result) or None
        types, dims = [dtype for dtype, _ in results], [d for _, d in results]
        tensors, device = (
            list(map(convert_to_tensor, inputs)),
            runtime.host.name if self._located else thread.scope.device,
        )
        with (
            thread.scope.graph.name_scope(f"{self._name}_{step}"),
            entered(thread.scope.but(device=device)),
        ):
            outputs = later(type, run, tensors, (types, dims, not several), type, resource=self)
        return tuple(outputs) if isinstance(outputs, list) else outputs

    # ---------------------------------------------------------------- saving
    def _handle_attrs(self) -> dict[str, Any]:
        """Returns the attributes of the operation that creates the table."""
        return {
            "key_dtype": self._key_dtype,
            "value_dtype": self._value_dtype,
            "shared_name": self._file_name,
            "container": "",
            "use_node_name_sharing": False,
        }

    def _handle_inputs(self) -> tuple[Any, ...]:
        """Returns the inputs of the operation that creates the table."""
        return ()

    _handle_type = ""  # the type of the operation that creates the table

    @cached_property
    def _file_name(self) -> str:
        """The name in files, which no other table of the process has."""
        return f"table_{next(_numbers)}"

    def _create_resource(self) -> Any:
        """Adds the operation that creates the table to the current graph; returns the handle."""
        return self._add_handle(self._handle_type)

    def _add_handle(self, name: str, inputs: Sequence[Any] | None = None) -> Any:
        array = box(self)
        return later(
            self._handle_type,
            lambda *_: EagerTensor(array, runtime.host, resource),
            self._handle_inputs() if inputs is None else inputs,
            ([resource], [()], True),
            name,
            resource=self,
            fixed_attrs=self._handle_attrs(),
        )

    def _initialize(self) -> Any:
        """Fills the table; a table without an initializer stays empty."""

    _has_initializer = False

    def _assets(self) -> dict[str, Any]:
        """Returns the files that the table is filled from, by name."""
        return {}

    def _run_size(self, count: Callable[[], int]) -> Any:
        return self._run(
            "LookupTableSizeV2", lambda: np.asarray(count(), np.int64), (), [(int64, ())], "Size"
        )


def dims_of(tensor: Any) -> Any:
    """Returns the static shape of a tensor."""
    return tensor.shape._dims if isinstance(tensor, SymbolicTensor) else static_sizes(tensor.shape)


def map_values(function: Callable[[Any], Any], keys: Any) -> Any:
    """Applies a function of a tensor to the values of a ragged or sparse tensor."""
    if hasattr(keys, "flat_values"):
        return keys.with_flat_values(function(keys.flat_values))
    if hasattr(keys, "dense_shape"):
        return SparseTensor(keys.indices, function(keys.values), keys.dense_shape)
    return function(keys)


# Checkpointing of keys and values.


class Part:
    """A checkpointable part of a table: its keys or its values.

    Args:
        table: The table.
        index: 0 for keys, 1 for values.
        other: The restored arrays by part, shared by both parts.
    """

    _saves = "table"

    def __init__(self, table: Any, index: int, other: dict[int, Any]) -> None:
        self._table, self._index, self._restored = table, index, other
        self._suffix = ("-keys", "-values")[index]

    @classmethod
    def of(cls, table: Any) -> tuple[Part, Part]:
        """Returns both parts of a table."""
        shared: dict[int, Any] = {}
        return cls(table, 0, shared), cls(table, 1, shared)

    def _saved_variable(self) -> None:
        return None

    def saved_array(self) -> tuple[Any, Any]:
        """Returns the array to save, and its dtype."""
        array = self._table._store.export()[self._index]
        return array, (self._table.key_dtype, self._table.value_dtype)[self._index]

    def deserialize(self, array: Any) -> None:
        """Restores an array of a checkpoint; the table is updated once both parts are there."""
        self._restored[self._index] = np.asarray(array)
        if len(self._restored) == 2:
            self._table._store.replace(self._restored.pop(0), self._restored.pop(1))
