"""Queues of tensors, by the order in which elements leave them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import int64
from twinflow._src.wings.queue.base import QueueBase
from twinflow._src.wings.queue.stores import Shuffled, Sorted, Store

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]


class FIFOQueue(QueueBase):
    """A queue whose elements leave in the order in which they came.

    Args:
        capacity: How many elements it holds.
        dtypes: The type of each component of an element.
        shapes: The shape of each component; unknown where None.
        names: The name of each component, or None.
        shared_name: Accepted and without effect.
        name: A name.
    """

    __module__ = "twinflow.queue"

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        super().__init__(dtypes, shapes, names, Store("FIFOQueue", capacity), name)


class RandomShuffleQueue(QueueBase):
    """A queue whose elements leave in random order; see ``FIFOQueue``.

    Args:
        capacity: How many elements it holds.
        min_after_dequeue: How many stay while it is open.
        dtypes: The type of each component of an element.
        shapes: The shape of each component; unknown where None.
        names: The name of each component, or None.
        seed: For the random order.
        shared_name: Accepted and without effect.
        name: A name.
    """

    __module__ = "twinflow.queue"

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        store = Shuffled("RandomShuffleQueue", capacity, min_after_dequeue, seed)
        super().__init__(dtypes, shapes, names, store, name)


class PriorityQueue(QueueBase):
    """A queue whose elements leave by their first component, an int64, the smallest first; see ``FIFOQueue``.

    Args:
        capacity: How many elements it holds.
        types: The types of the other components.
        shapes: Their shapes.
        names: The names of all components, or None.
        shared_name: Accepted and without effect.
        name: A name.
    """

    __module__ = "twinflow.queue"

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        others = list(types) if isinstance(types, (list, tuple)) else [types]
        sizes = None if shapes is None else [(), *shapes]
        super().__init__([int64, *others], sizes, names, Sorted("PriorityQueue", capacity), name)


class PaddingFIFOQueue(QueueBase):
    """A queue that fills up components of several sizes with zeros when it puts elements together; see ``FIFOQueue``.

    Args:
        capacity: How many elements it holds.
        dtypes: The type of each component of an element.
        shapes: The shape of each component, None for sizes that differ.
        names: The name of each component, or None.
        shared_name: Accepted and without effect.
        name: A name.

    Raises:
        ValueError: There are not as many shapes as types.
    """

    __module__ = "twinflow.queue"

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        if not shapes:
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        super().__init__(dtypes, shapes, names, Store("PaddingFIFOQueue", capacity), name)

    def _batches(self) -> bool:
        return all(shape.rank is not None for shape in self._shapes)

    def _joined(self, elements: list[Any]) -> list[Any]:
        return [_padded(column) for column in zip(*elements)]


def _padded(column: Sequence[Any]) -> Any:
    if not np.ndim(column[0]):
        return np.stack(column)
    sizes = np.max([array.shape for array in column], axis=0)
    found = np.full((len(column), *sizes), b"" if column[0].dtype.kind == "O" else 0, column[0].dtype)
    for row, array in zip(found, column):
        row[tuple(map(slice, array.shape))] = array
    return found
