"""Distributed datasets: elements with a value for each replica.

A batch is split evenly between the replicas; the last ones may get fewer rows, or none. The split is
a ``map`` of the dataset to per-replica values, so that loops, functions and optionals see nothing
unusual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.core import nest
from twinflow._src.core.errors import UnimplementedError
from twinflow._src.dispatch.op import API
from twinflow._src.wings.data.dataset import DatasetSpec, DatasetV2, IteratorSpec
from twinflow._src.wings.data.iterators import OwnedIterator
from twinflow._src.wings.distribute.replica_context import InputContext, InputReplicationMode
from twinflow._src.wings.distribute.values import PerReplica


class DistributedIteratorInterface(Iterator[Any]):
    """An iterator over values for the replicas of a strategy."""

    __module__ = "twinflow.distribute"

    def get_next(self) -> Any:
        """Returns the next value of each replica.

        Raises:
            OutOfRangeError: The end is reached.
        """
        raise NotImplementedError(
            "DistributedIterator.get_next() must be implemented in descendants."
        )

    @property
    def element_spec(self) -> Any:
        """The type specs of the values."""
        raise NotImplementedError(
            "DistributedIterator.element_spec() must be implemented in descendants"
        )

    def get_next_as_optional(self) -> Any:
        """Returns the next value as a ``tf.experimental.Optional``."""
        raise NotImplementedError("get_next_as_optional() not implemented in descendants")


class DistributedDatasetInterface(Iterable[Any]):
    """A dataset whose elements are values for the replicas of a strategy."""

    __module__ = "twinflow.distribute"

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError("Must be implemented in descendants")

    @property
    def element_spec(self) -> Any:
        """The type specs of the values."""
        raise NotImplementedError(
            "DistributedDataset.element_spec must be implemented in descendants."
        )

    def reduce(self, initial_state: Any, reduce_func: Any) -> Any:
        """Returns the state after a function of state and element has seen all elements.

        Args:
            initial_state: The first state.
            reduce_func: A function of a state and an element that returns the next state.
        """
        raise NotImplementedError("DistributedDataset.reduce must be implemented in descendants.")


# ------------------------------------------------------------------ datasets of a strategy


class DistributedIteratorSpec(IteratorSpec):
    """The type of distributed iterators."""

    @property
    def value_type(self) -> type:
        """The class of distributed iterators."""
        return DistributedIterator

    def _from_components(self, parts: Any) -> Any:
        return DistributedIterator(super()._from_components(parts))

    def _to_components(self, value: Any) -> list[Any]:
        return [value._iterator._iterator_resource]


class DistributedIterator(DistributedIteratorInterface):
    """An iterator over the elements of a distributed dataset.

    Args:
        iterator: The iterator over per-replica values.
    """

    def __init__(self, iterator: OwnedIterator) -> None:
        self._iterator = iterator

    def __next__(self) -> Any:
        return next(self._iterator)

    def __iter__(self) -> DistributedIterator:
        return self

    def get_next(self) -> Any:
        """Returns the next value of each replica; see ``DistributedIteratorInterface``."""
        return self._iterator.get_next()

    def get_next_as_optional(self) -> Any:
        """Returns the next value as a ``tf.experimental.Optional``, empty at the end."""
        return self._iterator.get_next_as_optional()

    def __graph_iter__(self) -> Any:
        """Returns a function that adds an operation for the next element, as an optional."""
        return self.get_next_as_optional

    @property
    def element_spec(self) -> Any:
        """The type specs of the values."""
        return self._iterator.element_spec

    @property
    def _type_spec(self) -> DistributedIteratorSpec:
        return DistributedIteratorSpec(self.element_spec)


class DistributedDatasetSpec(DatasetSpec):
    """The type of distributed datasets."""

    @property
    def value_type(self) -> type:
        """The class of distributed datasets."""
        return DistributedDataset

    def _to_components(self, value: Any) -> list[Any]:
        return [value._dataset._variant_tensor]

    def _from_components(self, parts: Any) -> Any:
        return DistributedDataset(super()._from_components(parts))


class DistributedDataset(DistributedDatasetInterface):
    """A dataset whose elements have a value for each replica.

    Args:
        dataset: The dataset of per-replica values.
    """

    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset

    def __iter__(self) -> DistributedIterator:
        return DistributedIterator(iter(self._dataset))

    def __graph_iter__(self) -> Any:
        """Returns a function that adds an operation for the next element, as an optional."""
        return self._dataset.__graph_iter__()

    @property
    def element_spec(self) -> Any:
        """The type specs of the values."""
        return self._dataset.element_spec

    @property
    def cardinality(self) -> int:
        """The number of elements; -1 if infinite, -2 if unknown."""
        return int(self._dataset.cardinality())

    def reduce(self, initial_state: Any, reduce_func: Any) -> Any:
        """Returns the state after a function has seen all elements; see the base class."""
        return API["function"](self._reduce)(initial_state, reduce_func)

    def _reduce(self, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
        state = initial_state
        for element in self._dataset:
            state = reduce_func(state, element)
        return state

    @property
    def _type_spec(self) -> DistributedDatasetSpec:
        return DistributedDatasetSpec(self.element_spec)


for _cls in (DistributedDataset, DistributedIterator):
    _cls.__module__ = "twinflow.distribute"


def distribute(dataset: Any, replicas: int, options: Any) -> Any:
    """Returns a dataset with a value for each replica, from one of global batches."""
    if options is not None and (
        options.experimental_replication_mode is InputReplicationMode.PER_REPLICA
    ):
        raise NotImplementedError(
            "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function`."
        )
    _ = dataset._variant_tensor
    if replicas == 1:
        return DistributedDataset(dataset)
    if any(spec.shape.rank == 0 for spec in nest.flatten(dataset.element_spec, True)):
        raise IndexError("list index out of range")
    return DistributedDataset(dataset.map(lambda *x: _split(_unpacked(x), replicas)))


def _unpacked(arguments: tuple[Any, ...]) -> Any:
    return arguments[0] if len(arguments) == 1 else arguments


def _split(element: Any, replicas: int) -> Any:
    """Splits the batches of an element into equal parts; the last ones have the rest."""

    def pieces(value: Any) -> PerReplica:
        if isinstance(value, SparseTensor):
            raise UnimplementedError(
                None, None, "Batches of sparse tensors cannot be split between replicas."
            )
        rows = value.nrows() if hasattr(value, "nrows") else API["shape"](value)[0]
        size = -(-rows // replicas)
        return PerReplica([value[i * size : (i + 1) * size] for i in range(replicas)])

    return nest.map_structure(pieces, element)


def distribute_from_function(
    dataset_fn: Callable[[InputContext], Any], replicas: int, options: Any
) -> Any:
    """Returns a dataset of which each replica gets an element in turn."""
    context = InputContext(1, 0, replicas)
    dataset = dataset_fn(context)
    _ = dataset.element_spec
    if replicas == 1:
        return DistributedDataset(dataset)
    spec = dataset.element_spec

    def empty() -> Any:
        sizes = lambda leaf: [0, *(leaf.shape.as_list()[1:] if leaf.shape.rank else [])]
        return nest.map_structure(lambda leaf: API["zeros"](sizes(leaf), leaf.dtype), spec)

    fill = DatasetV2.from_tensors(empty()).repeat()

    def group(*window: Any) -> Any:
        elements = _unpacked(window)
        if not isinstance(elements, DatasetV2):
            elements = DatasetV2.zip(elements)
        elements = elements.concatenate(fill)
        parts = [elements.skip(i).take(1).get_single_element() for i in range(replicas)]
        return nest.map_structure(lambda *values: PerReplica(values), *parts)

    return DistributedDataset(dataset.window(replicas).map(group))
