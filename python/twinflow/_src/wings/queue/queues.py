"""Queues of tensors, by the order in which elements leave them.

What holds the elements of a queue; threads wait here.

What all queues of tensors share.
"""

from __future__ import annotations

import itertools
import random
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import as_dtype, bool_, int32, int64
from twinflow._src.core.errors import (
    CancelledError,
    DeadlineExceededError,
    OutOfRangeError,
    invalid,
)
from twinflow._src.core.fork import around_forks, is_own
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.numerics.numpy_versions import element

# What holds the elements of a queue; threads wait here.


Element = tuple[Any, ...]
_numbers = itertools.count()
_stores: weakref.WeakSet[Store] = weakref.WeakSet()


class Store:
    """Elements in the order in which they came.

    Args:
        kind: What messages call the queue.
        capacity: How many elements it holds; any number where negative.
        least: How many stay while it is open.
    """

    def __init__(self, kind: str, capacity: int, least: int = 0) -> None:
        self._kind, self._capacity, self._least = kind, capacity, least
        self._held: list[Element] = []
        self._changed, self.closed, self._number = threading.Condition(), False, next(_numbers)
        _stores.add(self)

    def __len__(self) -> int:
        return len(self._held)

    def _full(self) -> bool:
        return 0 <= self._capacity <= len(self._held)

    def put(self, elements: list[Element]) -> None:
        """Adds elements, and waits for room.

        Args:
            elements: The elements.

        Raises:
            CancelledError: The queue is closed.
            DeadlineExceededError: The time of the session's run is over.
        """
        with self._changed:
            for element in elements:
                self._wait_for(lambda: self.closed or not self._full())
                if self.closed:
                    raise CancelledError(None, None, f"{self._kind} '{self._number}' is closed.")
                self._held.append(element)
                self._changed.notify_all()

    def take(self, count: int, fewer: bool = False) -> list[Element]:
        """Removes elements, and waits for them.

        Args:
            count: The number of elements.
            fewer: Whether a closed queue may give fewer of them.

        Raises:
            OutOfRangeError: The queue is closed and does not have so many.
            DeadlineExceededError: The time of the session's run is over.
        """
        with self._changed:
            self._wait_for(lambda: self.closed or len(self._held) >= count + self._least)
            if len(self._held) < count and not (fewer and self._held):
                raise OutOfRangeError(
                    None,
                    None,
                    f"{self._kind} '{self._number}' is closed and has insufficient elements (requested {count}, current "
                    f"size {len(self._held)})",
                )
            found = [self._next() for _ in range(min(count, len(self._held)))]
            self._changed.notify_all()
            return found

    def _wait_for(self, holds: Callable[[], bool]) -> None:
        """Waits for a condition, as long as the run of the session may."""
        left = None if thread.deadline is None else max(0.0, thread.deadline - time.monotonic())
        if not self._changed.wait_for(holds, left):
            raise DeadlineExceededError(
                None, None, "Graph execution error:\n\nTimed out waiting for notification"
            )

    def _next(self) -> Element:
        return self._held.pop(0)

    def close(self) -> None:
        """Lets nothing more in."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()


class Sorted(Store):
    """Elements of which the one with the smallest first component comes first."""

    def _next(self) -> Element:
        place = min(range(len(self._held)), key=lambda i: int(self._held[i][0]))
        return self._held.pop(place)


class Shuffled(Store):
    """Elements in random order.

    Args:
        kind: What messages call the queue.
        capacity: How many elements it holds.
        least: How many stay while it is open.
        seed: For the random numbers, or None.
    """

    def __init__(self, kind: str, capacity: int, least: int, seed: int | None) -> None:
        super().__init__(kind, capacity, least)
        self._draw: Callable[[int], int] = random.Random(seed).randrange

    def _next(self) -> Element:
        return self._held.pop(self._draw(len(self._held)))


def _renew() -> None:
    for store in list(_stores):
        if not is_own(store._changed):
            store._changed = threading.Condition()


around_forks(child=_renew)


# What all queues of tensors share.


class QueueBase:
    """A queue, whose elements are tensors or tuples of them.

    Args:
        dtypes: The type of each component of an element.
        shapes: The shape of each component; unknown if None.
        names: The name of each component, for elements that are dictionaries; or None.
        store: What holds the elements.
        name: The queue's name in a graph.

    Raises:
        ValueError: There are not as many names as types.
    """

    __module__ = "twinflow.queue"

    def __init__(self, dtypes: Any, shapes: Any, names: Any, store: Store, name: str) -> None:
        listed = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
        self._dtypes = [as_dtype(dtype) for dtype in listed]
        self._shapes = _shapes(shapes, self._dtypes)
        self._names = _checked_names(names, self._dtypes)
        self._store = store
        graph = thread.scope.graph
        self._name = "Empty" if graph is None else graph.unique_name(name)

    @staticmethod
    def from_list(index: Any, queues: Sequence[Any]) -> Any:
        """One of several queues of the same types.

        Args:
            index: Its place.
            queues: The queues.

        Raises:
            TypeError: Their types differ.
        """
        if (
            not queues
            or not isinstance(queues, (list, tuple))
            or not all(isinstance(q, QueueBase) for q in queues)
        ):
            raise TypeError("A list of queues expected")
        if any(q.dtypes != queues[0].dtypes for q in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(q.names != queues[0].names for q in queues):
            raise TypeError("Queues do not have matching component names.")
        return queues[int(element(np.asarray(index)))]

    # ---------------------------------------------------------------- what it is
    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def dtypes(self) -> list[Any]:
        """The type of each component."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """What is known of the shape of each component."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The name of each component, or None."""
        return self._names

    # ---------------------------------------------------------------- in
    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """Adds an element, and waits for room.

        Args:
            vals: A tensor, a tuple of them, or a dictionary where the components have names.
            name: A name for the operation.

        Returns:
            The operation in a graph, else None.
        """
        tensors = self._components(vals)
        for tensor, shape in zip(tensors, self._shapes):
            tensor.shape.assert_is_compatible_with(shape)
        put = lambda *arrays: self._store.put([arrays])
        return self._run("QueueEnqueueV2", put, tensors, [], name or f"{self._name}_enqueue")

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        """Adds elements, which are slices along the first dimension; see ``enqueue``."""
        tensors = self._components(vals)
        count = tensors[0].shape[:1]
        for tensor, shape in zip(tensors, self._shapes):
            if not tensor.shape[:1].is_compatible_with(count):
                raise ValueError(f"Dimensions {count[0]} and {tensor.shape[0]} are not compatible")
            tensor.shape[1:].assert_is_compatible_with(shape)
        put = lambda *arrays: self._store.put([*zip(*arrays)])
        return self._run(
            "QueueEnqueueManyV2", put, tensors, [], name or f"{self._name}_EnqueueMany"
        )

    def _components(self, vals: Any) -> list[Any]:
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names) != sorted(vals):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  "
                    f"Dictionary: {sorted(vals)},Queue: {sorted(self._names)}"
                )
            vals = [vals[name] for name in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        elif not isinstance(vals, (list, tuple)):
            vals = [vals]
        pairs = enumerate(zip(vals, self._dtypes))
        tensors = [
            convert_to_tensor(x, dtype=dtype, name=f"component_{i}") for i, (x, dtype) in pairs
        ]
        if len(tensors) < len(self._dtypes):
            have, expected = (
                ", ".join(["resource", *(d.cname for d in x)])
                for x in ([t.dtype for t in tensors], self._dtypes)
            )
            raise invalid(f"Signature mismatch, have: {have}-> expected: {expected}->")
        return tensors

    # ---------------------------------------------------------------- out
    def dequeue(self, name: str | None = None) -> Any:
        """Removes an element, and waits for one.

        Args:
            name: A name for the operation.

        Returns:
            A tensor, a list of them, or a dictionary where the components have names.

        Raises:
            OutOfRangeError: The queue is closed and empty.
        """
        take = lambda: self._store.take(1)[0]
        return self._given(
            "QueueDequeueV2", take, [s._dims for s in self._shapes], name or f"{self._name}_Dequeue"
        )

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Removes elements and puts them together along a new first dimension.

        Args:
            n: The number of elements.
            name: A name for the operation.

        Raises:
            OutOfRangeError: The queue is closed and does not have so many.
            InvalidArgumentError: The shapes of components are not known.
        """
        return self._many("QueueDequeueManyV2", n, False, name or f"{self._name}_DequeueMany")

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """As ``dequeue_many``; a closed queue gives what it has left."""
        return self._many("QueueDequeueUpToV2", n, True, name or f"{self._name}_DequeueUpTo")

    def _many(self, type: str, n: Any, fewer: bool, name: str) -> Any:
        if not self._batches():
            raise invalid(
                f"{self._store._kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes."
            )
        take = lambda count: self._joined(self._store.take(int(count), fewer))
        dims = [(None, *shape._dims) if shape._dims is not None else None for shape in self._shapes]
        return self._given(type, take, dims, name, (convert_to_tensor(n, dtype=int32),))

    def _batches(self) -> bool:
        return all(shape.is_fully_defined() for shape in self._shapes)

    def _joined(self, elements: list[Any]) -> list[Any]:
        return [np.stack(column) if column else column for column in zip(*elements)]

    def _given(
        self, type: str, take: Callable[..., Any], dims: Any, name: str, inputs: Sequence[Any] = ()
    ) -> Any:
        found = self._run(type, take, inputs, [*zip(self._dtypes, dims)], name)
        if self._names:
            return dict(zip(self._names, found))
        return found[0] if len(found) == 1 else found

    # ---------------------------------------------------------------- the queue as a whole
    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Lets nothing more in; what is there can still be taken.

        Args:
            cancel_pending_enqueues: Accepted; who waits for room is refused in any case.
            name: A name for the operation.
        """
        return self._run("QueueCloseV2", self._store.close, (), [], name or f"{self._name}_Close")

    def is_closed(self, name: str | None = None) -> Any:
        """Whether the queue is closed, a boolean scalar."""
        told = lambda: [np.asarray(self._store.closed)]
        return self._run(
            "QueueIsClosedV2", told, (), [(bool_, ())], name or f"{self._name}_is_closed"
        )[0]

    def size(self, name: str | None = None) -> Any:
        """The number of elements, an int32 scalar."""
        told = lambda: [np.asarray(len(self._store), np.int32)]
        return self._run("QueueSizeV2", told, (), [(int32, ())], name or f"{self._name}_Size")[0]

    def _run(
        self,
        type: str,
        function: Callable[..., Any],
        inputs: Sequence[Any],
        results: list[Any],
        name: str,
    ) -> Any:
        def run(*tensors: Any) -> Any:
            arrays = function(*(tensor._host() for tensor in tensors)) or ()
            return [
                EagerTensor(np.asarray(a, d.np), runtime.host, d)
                for a, (d, _) in zip(arrays, results)
            ]

        if thread.scope.graph is None:
            found = run(*inputs)
            return found if results else None
        return later(
            type, run, inputs, ([d for d, _ in results], [s for _, s in results], False), name
        )


def _shapes(shapes: Any, dtypes: list[Any]) -> list[TensorShape]:
    if shapes is None:
        return [TensorShape(None) for _ in dtypes]
    listed = (
        shapes
        if isinstance(shapes, (list, tuple)) and not isinstance(shapes, TensorShape)
        else [shapes]
    )
    found = [TensorShape(shape) for shape in listed]
    if len(found) != len(dtypes):
        types, sizes = (
            ", ".join(d.cname for d in dtypes),
            ", ".join(str(s.as_list()) for s in found),
        )
        raise invalid(f"Different number of component types.  Types: {types}, Shapes: [{sizes}]")
    return found


def _checked_names(names: Any, dtypes: list[Any]) -> list[str] | None:
    if not names:
        return None
    listed = [names] if isinstance(names, str) else list(names)
    if len(listed) != len(dtypes):
        raise ValueError(
            "List of names must have the same length as the list of dtypes, received "
            f"len(names)={len(listed)},len(dtypes)={len(dtypes)}"
        )
    return listed


# Queues of tensors, by the order in which elements leave them.


__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]


class FIFOQueue(QueueBase):
    """A queue whose elements leave in the order in which they came.

    Args:
        capacity: How many elements it holds.
        dtypes: The type of each component of an element.
        shapes: The shape of each component; unknown if None.
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
    """A queue whose elements leave in random order.

    Args:
        capacity: How many elements it holds.
        min_after_dequeue: How many stay while it is open.
        dtypes: The type of each component of an element.
        shapes: The shape of each component; unknown if None.
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
    """A queue whose elements leave by their first component, an int64, the smallest first.

    Args:
        capacity: How many elements it holds.
        types: The dtypes of the other components.
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
    """A queue that fills up components of several sizes with zeros when it puts elements together.

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
    found = np.full(
        (len(column), *sizes), b"" if column[0].dtype.kind == "O" else 0, column[0].dtype
    )
    for row, array in zip(found, column):
        row[tuple(map(slice, array.shape))] = array
    return found
