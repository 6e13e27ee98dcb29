"""``tf.queue``: thread-safe queues of tensors (FIFO, padding FIFO, random shuffle, priority).

The stores hold the elements, and block the threads that wait for them.
"""

from __future__ import annotations

import itertools
import random
import threading
import time
import types
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
from twinflow._src.core.shapes import TensorShape, static_size
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.numerics.object_arrays import element

# Stores of queue elements.


Element = tuple[Any, ...]
# The seconds between two checks for a cancellation.
_PAUSE = 0.05
_numbers = itertools.count()
_stores: weakref.WeakSet[Store] = weakref.WeakSet()


def wait_for(changed: threading.Condition, holds: Callable[[], bool], action: str) -> None:
    """Waits for a condition, up to the timeout of the session's run, or until it is cancelled."""
    deadline, cancelled = thread.deadline, thread.cancelled
    while True:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        pause = left if cancelled is None else _PAUSE if left is None else min(left, _PAUSE)
        if changed.wait_for(holds, pause):
            return
        if cancelled is not None and cancelled.is_set():
            raise CancelledError(None, None, f"{action} operation was cancelled")
        if left is not None and left == pause:
            raise DeadlineExceededError(
                None, None, "Graph execution error:\n\nTimed out waiting for notification"
            )


class Store:
    """A blocking first-in, first-out store.

    Args:
        kind: The queue's kind in error messages.
        capacity: The maximum number of elements; unlimited if negative.
        least: The minimum number of elements to leave in an open queue.
    """

    def __init__(self, kind: str, capacity: int, least: int = 0) -> None:
        self._kind, self._capacity, self._least = kind, capacity, least
        self._elements: list[Element] = []
        self._changed, self.closed, self._number = threading.Condition(), False, next(_numbers)
        _stores.add(self)

    def __len__(self) -> int:
        return len(self._elements)

    def _full(self) -> bool:
        return 0 <= self._capacity <= len(self._elements)

    def put(self, elements: list[Element]) -> None:
        """Adds elements; blocks while the store is full.

        Raises CancelledError if the queue is closed, and DeadlineExceededError if the session's run
        times out.
        """
        with self._changed:
            for element in elements:
                wait_for(self._changed, lambda: self.closed or not self._full(), "Enqueue")
                if self.closed:
                    raise CancelledError(None, None, f"{self._kind} '{self._number}' is closed.")
                self._elements.append(element)
                self._changed.notify_all()

    def take(self, count: int, fewer: bool = False) -> list[Element]:
        """Removes elements; blocks until there are enough.

        If ``fewer``, a closed queue may return fewer. Raises OutOfRangeError if the queue is closed
        with too few elements, and DeadlineExceededError if the session's run times out.
        """
        with self._changed:
            wait_for(
                self._changed,
                lambda: self.closed or len(self._elements) >= count + self._least,
                "Dequeue",
            )
            if len(self._elements) < count and not (fewer and self._elements):
                raise OutOfRangeError(
                    None,
                    None,
                    f"{self._kind} '{self._number}' is closed and has insufficient elements (requested {count}, current "
                    f"size {len(self._elements)})",
                )
            result = [self._next() for _ in range(min(count, len(self._elements)))]
            self._changed.notify_all()
            return result

    def _next(self) -> Element:
        return self._elements.pop(0)

    def close(self) -> None:
        """Closes the store to new elements."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()


class Sorted(Store):
    """A store that yields the element with the smallest first component first."""

    def _next(self) -> Element:
        index = min(range(len(self._elements)), key=lambda i: int(self._elements[i][0]))
        return self._elements.pop(index)


class Shuffled(Store):
    """A store that yields elements in random order.

    Args:
        kind: The queue's kind in error messages.
        capacity: The maximum number of elements.
        least: The minimum number of elements to leave in an open queue.
        seed: The random seed, or None.
    """

    def __init__(self, kind: str, capacity: int, least: int, seed: int | None) -> None:
        super().__init__(kind, capacity, least)
        self._draw: Callable[[int], int] = random.Random(seed).randrange

    def _next(self) -> Element:
        return self._elements.pop(self._draw(len(self._elements)))


def _renew() -> None:
    for store in list(_stores):
        if not is_own(store._changed):
            store._changed = threading.Condition()


around_forks(child=_renew)


# Base class of queues.


class QueueBase:
    """Base class of queues, whose elements are tensors or tuples of tensors.

    Args:
        dtypes: The dtype of each component of an element.
        shapes: The shape of each component; unknown if None.
        names: The name of each component, for elements that are dictionaries; or None.
        store: The store of the elements.
        name: The queue's name in a graph.

    Raises:
        ValueError: The number of names differs from that of dtypes.
    """

    __module__ = "twinflow.queue"

    def __init__(self, dtypes: Any, shapes: Any, names: Any, store: Store, name: str) -> None:
        listed = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
        self._dtypes = [as_dtype(dtype) for dtype in listed]
        self._shapes = _shapes(shapes, self._dtypes)
        self._names = _checked_names(names, self._dtypes)
        self._store = store
        graph = thread.scope.graph
        if graph is None:
            self._name = "Empty"
        else:  # that of a scope stands for the scope's
            self._name = name[:-1] if name.endswith("/") else graph.unique_name(name)
        # what a task needs to have the same queue: see ``restored``
        self.recipe: dict[str, Any] = {}
        self.shared_name = ""
        self.device, self.container = place_in(graph, type(self))

    @staticmethod
    def from_list(index: Any, queues: Sequence[Any]) -> Any:
        """Selects one of several queues with the same dtypes.

        Args:
            index: The index of the queue.
            queues: The queues.

        Raises:
            TypeError: Their dtypes differ.
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

    # ---------------------------------------------------------------- properties
    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def _leaf(self) -> str:
        """The name without those of scopes, which the names of ops begin with."""
        return self._name.rpartition("/")[2]

    @property
    def dtypes(self) -> list[Any]:
        """The dtype of each component."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The static shape of each component."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The name of each component, or None."""
        return self._names

    # ---------------------------------------------------------------- enqueue
    def enqueue(self, vals: Any, name: str | None = None) -> Any:
        """Enqueues one element; blocks while the queue is full.

        Args:
            vals: A tensor, a tuple of tensors, or a dictionary if the components have names.
            name: A name for the operation.

        Returns:
            The operation in a graph, else None.
        """
        tensors = self._components(vals)
        for tensor, shape in zip(tensors, self._shapes):
            tensor.shape.assert_is_compatible_with(shape)
        put = lambda *arrays: self._store.put([arrays])
        return self._run("QueueEnqueueV2", put, tensors, [], name or f"{self._leaf}_enqueue")

    def enqueue_many(self, vals: Any, name: str | None = None) -> Any:
        """Enqueues the slices along the first dimension as elements; see ``enqueue``."""
        tensors = self._components(vals)
        count = tensors[0].shape[:1]
        for tensor, shape in zip(tensors, self._shapes):
            if not tensor.shape[:1].is_compatible_with(count):
                sizes = static_size(count, 0), static_size(tensor.shape, 0)
                raise ValueError("Dimensions {} and {} are not compatible".format(*sizes))
            tensor.shape[1:].assert_is_compatible_with(shape)
        put = lambda *arrays: self._store.put([*zip(*arrays)])
        return self._run(
            "QueueEnqueueManyV2", put, tensors, [], name or f"{self._leaf}_EnqueueMany"
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

    # ---------------------------------------------------------------- dequeue
    def dequeue(self, name: str | None = None) -> Any:
        """Dequeues one element; blocks while the queue is empty.

        Args:
            name: A name for the operation.

        Returns:
            A tensor, a list of tensors, or a dictionary if the components have names.

        Raises:
            OutOfRangeError: The queue is closed and empty.
        """
        take = lambda: self._store.take(1)[0]
        return self._run_take(
            "QueueDequeueV2", take, [s._dims for s in self._shapes], name or f"{self._leaf}_Dequeue"
        )

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Dequeues elements and stacks them along a new first dimension.

        Args:
            n: The number of elements.
            name: A name for the operation.

        Raises:
            OutOfRangeError: The queue is closed and has too few elements.
            InvalidArgumentError: The static shapes of the components are unknown.
        """
        return self._many("QueueDequeueManyV2", n, False, name or f"{self._leaf}_DequeueMany")

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """Dequeues up to ``n`` elements and stacks them; fewer only if the queue is closed."""
        return self._many("QueueDequeueUpToV2", n, True, name or f"{self._leaf}_DequeueUpTo")

    def _many(self, type: str, n: Any, fewer: bool, name: str) -> Any:
        if not self._batches():
            raise invalid(
                f"{self._store._kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes."
            )
        take = lambda count: self._join_elements(self._store.take(int(count), fewer))
        dims = [(None, *shape._dims) if shape._dims is not None else None for shape in self._shapes]
        return self._run_take(type, take, dims, name, (convert_to_tensor(n, dtype=int32),))

    def _batches(self) -> bool:
        return all(shape.is_fully_defined() for shape in self._shapes)

    def _join_elements(self, elements: list[Any]) -> list[Any]:
        return [np.stack(column) if column else column for column in zip(*elements)]

    def _run_take(
        self, type: str, take: Callable[..., Any], dims: Any, name: str, inputs: Sequence[Any] = ()
    ) -> Any:
        result = self._run(type, take, inputs, [*zip(self._dtypes, dims)], name)
        if self._names:
            return dict(zip(self._names, result))
        return result[0] if len(result) == 1 else result

    # ---------------------------------------------------------------- close, size
    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Any:
        """Closes the queue to new elements; the remaining ones can still be dequeued.

        Args:
            cancel_pending_enqueues: Accepted and without effect: pending enqueues are always
                cancelled.
            name: A name for the operation.
        """
        return self._run("QueueCloseV2", self._store.close, (), [], name or f"{self._leaf}_Close")

    def is_closed(self, name: str | None = None) -> Any:
        """Returns a boolean scalar, True if the queue is closed."""
        state = lambda: [np.asarray(self._store.closed)]
        return self._run(
            "QueueIsClosedV2", state, (), [(bool_, ())], name or f"{self._leaf}_Is_Closed"
        )[0]

    def size(self, name: str | None = None) -> Any:
        """Returns the number of elements, an int32 scalar."""
        state = lambda: [np.asarray(len(self._store), np.int32)]
        return self._run("QueueSizeV2", state, (), [(int32, ())], name or f"{self._leaf}_Size")[0]

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
            result = run(*inputs)
            return result if results else None
        kinds = [d for d, _ in results], [s for _, s in results], False
        return later(type, run, inputs, kinds, name, store=self)

    # ---------------------------------------------------------------- in other tasks
    def _describe(self, shared_name: str | None, **options: Any) -> None:
        """Notes how to create the same queue in another task."""
        dtypes, shapes = self._dtypes, self._shapes
        self.recipe = {"kind": type(self).__name__, "dtypes": dtypes, "shapes": shapes, **options}
        self.shared_name = shared_name or self._name

    def run_op(self, type: str, tensors: Sequence[Any]) -> list[Any]:
        """Runs an op on the queue, by its type and its inputs, and returns its results.

        Raises:
            InvalidArgumentError: There is no such op.
        """
        if type in ("QueueEnqueueV2", "QueueEnqueueManyV2"):
            method = self.enqueue if type == "QueueEnqueueV2" else self.enqueue_many
            method(list(tensors))
            return []
        name = _METHODS.get(type)
        if name is None:
            raise invalid(f"A queue has no operation {type}.")
        result = getattr(self, name)(*tensors)
        return [] if result is None else result if isinstance(result, list) else [result]


# Methods by type of op.
_METHODS = {
    "QueueDequeueV2": "dequeue",
    "QueueDequeueManyV2": "dequeue_many",
    "QueueDequeueUpToV2": "dequeue_up_to",
    "QueueCloseV2": "close",
    "QueueIsClosedV2": "is_closed",
    "QueueSizeV2": "size",
}


def place_in(graph: Any, kind: type) -> tuple[str, str]:
    """Returns device and container that the scopes of a graph have for a queue or an accumulator."""
    if graph is None:
        return "", ""
    node = types.SimpleNamespace(device="", type=f"{kind.__name__}V2", name=kind.__name__)
    graph.place(node)
    return str(node.device), graph._containers[-1]


def restored(recipe: dict[str, Any]) -> QueueBase:
    """Returns a new queue by its ``recipe``."""
    kind, dtypes, shapes = recipe["kind"], recipe["dtypes"], recipe["shapes"]
    is_known = all(shape.rank is not None for shape in shapes)
    sizes = shapes if is_known else None
    capacity = recipe["capacity"]
    if kind == "FIFOQueue":
        return FIFOQueue(capacity, dtypes, sizes)
    if kind == "PaddingFIFOQueue":
        return PaddingFIFOQueue(capacity, dtypes, sizes)
    if kind == "PriorityQueue":
        return PriorityQueue(capacity, dtypes[1:], None if sizes is None else sizes[1:])
    if kind == "RandomShuffleQueue":
        return RandomShuffleQueue(capacity, recipe["least"], dtypes, sizes, seed=recipe["seed"])
    raise invalid(f"There are no queues {kind}.")


def _shapes(shapes: Any, dtypes: list[Any]) -> list[TensorShape]:
    if shapes is None:
        return [TensorShape(None) for _ in dtypes]
    listed = (
        shapes
        if isinstance(shapes, (list, tuple)) and not isinstance(shapes, TensorShape)
        else [shapes]
    )
    result = [TensorShape(shape) for shape in listed]
    if len(result) != len(dtypes):
        types, sizes = (
            ", ".join(d.cname for d in dtypes),
            ", ".join(str(s.as_list()) for s in result),
        )
        raise invalid(f"Different number of component types.  Types: {types}, Shapes: [{sizes}]")
    return result


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


# Queue classes.


__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]


class FIFOQueue(QueueBase):
    """A queue that dequeues elements in first-in, first-out order.

    Args:
        capacity: The maximum number of elements.
        dtypes: The dtype of each component of an element.
        shapes: The shape of each component; unknown if None.
        names: The name of each component, or None.
        shared_name: The name under which the sessions of a cluster share the queue.
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
        self._describe(shared_name, capacity=capacity)


@documented_like(FIFOQueue)
class RandomShuffleQueue(QueueBase):
    """A queue that dequeues elements in random order.

    Args:
        min_after_dequeue: The minimum number of elements to leave in an open queue.
        seed: The random seed.
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
        self._describe(shared_name, capacity=capacity, least=min_after_dequeue, seed=seed)


class PriorityQueue(QueueBase):
    """A queue that dequeues elements in order of priority, an int64 first component, lowest first.

    Args:
        capacity: The maximum number of elements.
        types: The dtypes of the components after the priority.
        shapes: Their shapes.
        names: The names of all components, or None.
        shared_name: The name under which the sessions of a cluster share the queue.
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
        self._describe(shared_name, capacity=capacity)


@documented_like(FIFOQueue)
class PaddingFIFOQueue(QueueBase):
    """A FIFO queue that zero-pads components of variable size when it stacks elements.

    Args:
        shapes: The shape of each component, None for variable sizes.

    Raises:
        ValueError: The number of shapes differs from that of dtypes.
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
        self._describe(shared_name, capacity=capacity)

    def _batches(self) -> bool:
        return all(shape.rank is not None for shape in self._shapes)

    def _join_elements(self, elements: list[Any]) -> list[Any]:
        return [_pad_components(column) for column in zip(*elements)]


def _pad_components(column: Sequence[Any]) -> Any:
    if not np.ndim(column[0]):
        return np.stack(column)
    sizes = np.max([array.shape for array in column], axis=0)
    result = np.full(
        (len(column), *sizes), b"" if column[0].dtype.kind == "O" else 0, column[0].dtype
    )
    for row, array in zip(result, column):
        row[tuple(map(slice, array.shape))] = array
    return result
