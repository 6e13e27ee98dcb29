"""What all queues of tensors share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import as_dtype, bool_, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.numerics.numpy_versions import element
from twinflow._src.wings.queue.stores import Store


class QueueBase:
    """A queue, whose elements are tensors or tuples of them.

    Args:
        dtypes: The type of each component of an element.
        shapes: The shape of each component; unknown where None.
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
        if not queues or not isinstance(queues, (list, tuple)) or not all(isinstance(q, QueueBase) for q in queues):
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
        return self._run("QueueEnqueueManyV2", put, tensors, [], name or f"{self._name}_EnqueueMany")

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
        tensors = [convert_to_tensor(x, dtype=dtype, name=f"component_{i}") for i, (x, dtype) in pairs]
        if len(tensors) < len(self._dtypes):
            have, expected = (", ".join(["resource", *(d.cname for d in x)]) for x in ([t.dtype for t in tensors], self._dtypes))
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
        return self._given("QueueDequeueV2", take, [s._dims for s in self._shapes], name or f"{self._name}_Dequeue")

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Removes elements and puts them together along a new first dimension.

        Args:
            n: How many.
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

    def _given(self, type: str, take: Callable[..., Any], dims: Any, name: str, inputs: Sequence[Any] = ()) -> Any:
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
        return self._run("QueueIsClosedV2", told, (), [(bool_, ())], name or f"{self._name}_is_closed")[0]

    def size(self, name: str | None = None) -> Any:
        """The number of elements, an int32 scalar."""
        told = lambda: [np.asarray(len(self._store), np.int32)]
        return self._run("QueueSizeV2", told, (), [(int32, ())], name or f"{self._name}_Size")[0]

    def _run(self, type: str, function: Callable[..., Any], inputs: Sequence[Any], results: list[Any], name: str) -> Any:
        def run(*tensors: Any) -> Any:
            arrays = function(*(tensor._host() for tensor in tensors)) or ()
            return [EagerTensor(np.asarray(a, d.np), runtime.host, d) for a, (d, _) in zip(arrays, results)]

        if thread.scope.graph is None:
            found = run(*inputs)
            return found if results else None
        return later(type, run, inputs, ([d for d, _ in results], [s for _, s in results], False), name)


def _shapes(shapes: Any, dtypes: list[Any]) -> list[TensorShape]:
    if shapes is None:
        return [TensorShape(None) for _ in dtypes]
    listed = shapes if isinstance(shapes, (list, tuple)) and not isinstance(shapes, TensorShape) else [shapes]
    found = [TensorShape(shape) for shape in listed]
    if len(found) != len(dtypes):
        types, sizes = ", ".join(d.cname for d in dtypes), ", ".join(str(s.as_list()) for s in found)
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
