"""Abstract classes of distributed datasets and of their iterators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any


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
