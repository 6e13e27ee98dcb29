"""Base class of lookup tables: dtypes, eager and graph execution, and checkpointing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import entered, runtime, thread
from twinflow._src.core.dtypes import DType, int64, resource
from twinflow._src.core.errors import NotFoundError
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.trackable.trackable import Trackable

# Base class: dtypes, eager and graph execution.


class TableHandle:
    """The resource handle of a table.

    ``name`` is the table's name.
    """

    dtype = resource

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f'<ResourceHandle(name="{self._name}", device="{runtime.host.name}")>'


def pairs(text: str) -> frozenset[tuple[str, str]]:
    """Parses pairs of dtype names such as ``string:bool,int64``."""
    split = [item.split(":") for item in text.split()]
    return frozenset((key, value) for key, values in split for value in values.split(","))


class LookupInterface(Trackable):
    """Base class of lookup tables.

    Args:
        key_dtype: The dtype of the keys.
        value_dtype: The dtype of the values.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype, self._value_dtype = key_dtype, value_dtype

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
        return TableHandle(self._name or "")

    lookup: Callable[..., Any]

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)

    def _named(self, kind: str, allowed: frozenset[tuple[str, str]], name: str) -> None:
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

        Args:
            type: The op type.
            function: Called with arrays; returns one for each result.
            inputs: Tensors.
            results: The dtype and static shape of each result.
            step: The name scope of the op, after the table's name.
        """
        several = len(results) != 1

        def run(*tensors: Any) -> Any:
            found = function(*(tensor._host() for tensor in tensors))
            arrays = found if several else (found,)
            made = [
                EagerTensor(a, runtime.host, dtype) for a, (dtype, _) in zip(arrays or (), results)
            ]
            return made if several else made[0]

        if thread.scope.graph is None:
            found = run(*map(convert_to_tensor, inputs))
            return found if not several else tuple(found) or None
        types, dims = [dtype for dtype, _ in results], [d for _, d in results]
        tensors, place = (
            list(map(convert_to_tensor, inputs)),
            runtime.host.name if self._located else thread.scope.device,
        )
        with (
            thread.scope.graph.name_scope(f"{self._name}_{step}"),
            entered(thread.scope.but(device=place)),
        ):
            made = later(type, run, tensors, (types, dims, not several), type)
        return tuple(made) if isinstance(made, list) else made

    def _told_size(self, count: Callable[[], int]) -> Any:
        return self._run(
            "LookupTableSizeV2", lambda: np.asarray(count(), np.int64), (), [(int64, ())], "Size"
        )


def dims_of(tensor: Any) -> Any:
    """Returns the static shape of a tensor."""
    return tensor.shape._dims if isinstance(tensor, SymbolicTensor) else tuple(tensor.shape)


def mapped(function: Callable[[Any], Any], keys: Any) -> Any:
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
        place: 0 for keys, 1 for values.
        other: The restored arrays by part, shared by both parts.
    """

    _saves = "table"

    def __init__(self, table: Any, place: int, other: dict[int, Any]) -> None:
        self._table, self._place, self._restored = table, place, other
        self._suffix = ("-keys", "-values")[place]

    @classmethod
    def of(cls, table: Any) -> tuple[Part, Part]:
        """Returns both parts of a table."""
        shared: dict[int, Any] = {}
        return cls(table, 0, shared), cls(table, 1, shared)

    def _saved_variable(self) -> None:
        return None

    def saved_array(self) -> tuple[Any, Any]:
        """Returns the array to save, and its dtype."""
        array = self._table._store.export()[self._place]
        return array, (self._table.key_dtype, self._table.value_dtype)[self._place]

    def deserialize(self, array: Any) -> None:
        """Restores an array of a checkpoint; the table is updated once both parts are there."""
        self._restored[self._place] = np.asarray(array)
        if len(self._restored) == 2:
            self._table._store.replace(self._restored.pop(0), self._restored.pop(1))
