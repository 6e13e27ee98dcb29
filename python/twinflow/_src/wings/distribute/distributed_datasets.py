"""Datasets whose elements are values for the replicas of a strategy, on the devices of one worker.

A global batch is cut into as many parts of equal size as there are replicas; the last parts may be
smaller or empty. Where a function makes batches for replicas, each replica takes the next one.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensorSpec
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import thread
from twinflow._src.core.scopes import device
from twinflow._src.core.specs import TensorSpec
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.wings.data.dataset import DatasetV2, IteratorSpec
from twinflow._src.wings.data.dataset_ops import dataset_variant
from twinflow._src.wings.data.iterators import OwnedIterator
from twinflow._src.wings.data.nesting import TransformedDataset
from twinflow._src.wings.data.rows import CombineStage
from twinflow._src.wings.data.structure import Dense, Elements, map_leaves
from twinflow._src.wings.distribute.datasets import (
    DistributedDatasetInterface,
    DistributedIteratorInterface,
)
from twinflow._src.wings.distribute.values import DistributedValues, PerReplicaSpec

Columns = Sequence[Sequence[Any]]


class _ReplicaDataset(TransformedDataset):
    """Elements for all replicas, whose leaves are per-replica values."""


def _components(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _join_arrays(parts: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the arrays of per-replica values, one replica after the other."""
    return tuple(array for part in parts for array in _components(part))


def batch_size(spec: Any) -> int | None:
    """Returns the static batch size of a component.

    Raises:
        IndexError: The component is a scalar.
    """
    shape = spec.shape
    if shape.rank == 0:
        raise IndexError(
            f"Only batches are distributed among replicas, but the dataset has scalars: {spec!r}. "
            "Batch it with Dataset.batch()."
        )
    return None if shape.rank is None else shape[0]


def part_of(spec: Any, size: int | None) -> Any:
    """Returns the spec of one replica's part of a batch."""
    dims = spec.shape._dims
    shape = None if dims is None else (size, *dims[1:])
    if isinstance(spec, RaggedTensorSpec):
        return RaggedTensorSpec(shape, spec.dtype, spec.ragged_rank, spec.row_splits_dtype)
    if isinstance(spec, SparseTensorSpec):
        return SparseTensorSpec(shape, spec.dtype)
    return TensorSpec(shape, spec.dtype)


def _replicated(spec: Any, replicas: int) -> PerReplicaSpec:
    return PerReplicaSpec(*[spec] * replicas)


def split_batches(dataset: DatasetV2, replicas: int) -> DatasetV2:
    """Returns a dataset of global batches, cut into a part for each replica."""

    def part_spec(spec: Any) -> PerReplicaSpec:
        size = batch_size(spec)
        even = None if size is None or size % replicas else size // replicas
        return _replicated(part_of(spec, even), replicas)

    leaves = dataset._elements.leaves
    elements = Elements(map_leaves(part_spec, dataset.element_spec))

    def combine(columns: Columns) -> list[Any]:
        return [_split_batch(leaf, column[0], replicas) for leaf, column in zip(leaves, columns)]

    return _combined("RebatchDataset", dataset, elements, 1, False, combine)


def _split_batch(leaf: Any, batch: Any, replicas: int) -> tuple[Any, ...]:
    """Returns the arrays of a batch's parts, of which only the last ones may be smaller."""
    count = leaf.count(batch)
    size = -(-count // replicas)
    ends = [min(i * size, count) for i in range(replicas + 1)]
    return _join_arrays([leaf.slice(batch, a, b) for a, b in itertools.pairwise(ends)])


def group_batches(dataset: DatasetV2, replicas: int) -> DatasetV2:
    """Returns a dataset of as many consecutive batches as there are replicas.

    Empty batches follow the last one, unless all batches have the same static shape.
    """
    leaves = dataset._elements.leaves
    fixed = all(isinstance(x, Dense) and x.spec.shape.is_fully_defined() for x in leaves)
    elements = Elements(map_leaves(lambda spec: _replicated(spec, replicas), dataset.element_spec))

    def combine(columns: Columns) -> list[Any]:
        return [
            _join_arrays([*column, *[leaf.slice(column[0], 0, 0)] * (replicas - len(column))])
            for leaf, column in zip(leaves, columns)
        ]

    return _combined("GroupBatches", dataset, elements, replicas, fixed, combine)


def zip_batches(datasets: Sequence[DatasetV2]) -> DatasetV2:
    """Returns a dataset of batches of several datasets, one for each replica."""
    whole, replicas = DatasetV2.zip(tuple(datasets)), len(datasets)
    leaves = datasets[0]._elements.leaves
    spec = map_leaves(lambda spec: _replicated(spec, replicas), datasets[0].element_spec)
    count = len(leaves)

    def combine(columns: Columns) -> list[Any]:
        values = [column[0] for column in columns]
        return [_join_arrays(values[i::count]) for i in range(count)]

    return _combined("ZipBatches", whole, Elements(spec), 1, False, combine)


def _combined(
    type: str,
    dataset: DatasetV2,
    elements: Elements,
    size: int,
    drops: bool,
    combine: Callable[[Columns], list[Any]],
) -> DatasetV2:
    stage = lambda source: CombineStage(elements, source, size, drops, combine)
    return _ReplicaDataset(dataset, dataset_variant(type, stage, [dataset]), elements)


# ------------------------------------------------------------------ distributed datasets


class DistributedDataset(DistributedDatasetInterface):
    """A dataset whose elements are values for the replicas of a strategy.

    Args:
        dataset: The dataset of per-replica values; for one replica, of its values.
        devices: The device of each replica; None to leave values on the host.
        cardinality: The number of elements, -1 if infinite, -2 if unknown.
    """

    def __init__(
        self, dataset: DatasetV2, devices: Sequence[str] | None, cardinality: Any = None
    ) -> None:
        self._dataset, self._devices = dataset, devices
        self._cardinality = cardinality

    @property
    def element_spec(self) -> Any:
        """The type specs of the values."""
        return self._dataset.element_spec

    @property
    def cardinality(self) -> Any:
        """The number of elements, -1 if infinite, -2 if unknown."""
        tensor = self._dataset.cardinality() if self._cardinality is None else self._cardinality
        return np.int64(tensor.numpy()) if hasattr(tensor, "numpy") else tensor

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(self._dataset, devices=self._devices)

    def __graph_iter__(self) -> Callable[[], Any]:
        """Returns a function that adds an operation for the next element, as an optional."""
        return iter(self).get_next_as_optional

    def reduce(self, initial_state: Any, reduce_func: Any) -> Any:
        """Returns the state after a function of state and element has seen all elements.

        Args:
            initial_state: The first state, a structure of tensors.
            reduce_func: A function of a state and an element that returns the next state.
        """
        iterator = iter(self)
        if thread.scope.graph is None:
            state = nest.map_structure(convert_to_tensor, initial_state)
            for element in iterator:
                state = reduce_func(state, element)
            return state
        step = lambda state, optional: (
            reduce_func(state, optional.get_value()),
            iterator.get_next_as_optional(),
        )
        first = initial_state, iterator.get_next_as_optional()
        return API["while_loop"](lambda _, optional: optional.has_value(), step, first)[0]

    def __deepcopy__(self, memo: Any) -> DistributedDataset:
        return self


class DistributedIterator(OwnedIterator, DistributedIteratorInterface):
    """An iterator over the values of a distributed dataset.

    Args:
        dataset: The dataset; None with ``components``.
        components: The resource of an iterator.
        element_spec: The structure of its elements' specs.
        devices: The device of each replica; None to leave values on the host.
    """

    def __init__(
        self,
        dataset: DatasetV2 | None = None,
        components: Any = None,
        element_spec: Any = None,
        devices: Sequence[str] | None = None,
    ) -> None:
        super().__init__(dataset, components, element_spec)
        self._devices = devices

    def __next__(self) -> Any:
        return place(super().__next__(), self._devices)

    next = __next__

    def get_next(self) -> Any:
        """Returns the next value of each replica.

        Raises:
            OutOfRangeError: The end is reached.
        """
        return place(super().get_next(), self._devices)

    @property
    def _type_spec(self) -> DistributedIteratorSpec:
        return DistributedIteratorSpec(self.element_spec, self._devices)


class DistributedIteratorSpec(IteratorSpec):
    """The type of iterators over distributed datasets.

    Args:
        element_spec: The structure of specs of the elements.
        devices: The device of each replica; None if values stay on the host.
    """

    __slots__ = ("_devices",)

    def __init__(self, element_spec: Any, devices: Sequence[str] | None) -> None:
        super().__init__(element_spec)
        self._devices = devices

    @property
    def value_type(self) -> type:
        """The class of iterators."""
        return DistributedIterator

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec, self._devices)

    def _from_components(self, parts: Any) -> Any:
        return DistributedIterator(None, parts, self._element_spec, self._devices)

    def __repr__(self) -> str:
        return f"DistributedIteratorSpec({self._element_spec!r},)"


def place(element: Any, devices: Sequence[str] | None) -> Any:
    """Copies eager values to the devices of their replicas; the first CPU has them already."""
    if devices is None or thread.scope.graph is not None or all(map(_is_host, devices)):
        return element

    def place_leaf(value: Any) -> Any:
        if isinstance(value, DistributedValues):
            return type(value)([_copied(x, name) for x, name in zip(value.values, devices)])
        return _copied(value, devices[0])

    return map_leaves(place_leaf, element)


def _is_host(name: str) -> bool:
    return name.upper().endswith("CPU:0")


def _copied(value: Any, name: str) -> Any:
    if _is_host(name):
        return value
    with device(name):
        copy = lambda x: API["identity"](x) if isinstance(x, Tensor) else x
        return nest.map_structure(copy, value, expand_composites=True)


# ------------------------------------------------------------------ of a strategy


def distribute(dataset: Any, devices: Sequence[str], fetch: bool) -> DistributedDataset:
    """Returns a distributed dataset of a dataset of global batches."""
    dataset._variant_tensor  # noqa: B018 - other values are refused, as in TensorFlow
    places = devices if fetch else None
    if len(devices) == 1:
        return DistributedDataset(dataset, places)
    return DistributedDataset(split_batches(dataset, len(devices)), places, dataset.cardinality())


def distribute_from_function(
    make: Callable[[], Any], devices: Sequence[str], per_replica: bool, fetch: bool
) -> DistributedDataset:
    """Returns a distributed dataset of what a function returns: batches for single replicas."""
    places = devices if fetch else None
    count = len(devices)
    datasets = [make() for _ in range(count if per_replica else 1)]
    for dataset in datasets:
        dataset.element_spec  # noqa: B018 - other values are refused, as in TensorFlow
    if count == 1:
        return DistributedDataset(datasets[0], places)
    whole = zip_batches(datasets) if per_replica else group_batches(datasets[0], count)
    return DistributedDataset(whole, places)
