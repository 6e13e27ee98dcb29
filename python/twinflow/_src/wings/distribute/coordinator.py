"""``ClusterCoordinator``: closures that workers run, and their results.

A thread for each worker takes closures from one queue. A closure whose worker is lost goes back to
the queue, so that it may run more than once; the worker is tried again until it is back.
"""

from __future__ import annotations

import itertools
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from twinflow._src.core import errors, nest
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.dtypes import int64
from twinflow._src.core.errors import OpError
from twinflow._src.core.fork import around_forks
from twinflow._src.core.scopes import get_logger
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.function.concrete_function import ConcreteFunction
from twinflow._src.function.function import Function
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.wings.distribute import messages, programs, remote
from twinflow._src.wings.distribute.messages import Reader
from twinflow._src.wings.distribute.parameter_server import ParameterServerStrategyV2

# Results up to this size come with the end of their closure.
_SMALL_BYTES = 1 << 16
# Closures that are sent together if they are brief: their number, and the seconds that one may take.
_TOGETHER, _BRIEF_SECONDS = 8, 0.02
# Seconds between attempts to reach a lost worker: the first, and the longest pause.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0

# ------------------------------------------------------------------ values


class PerWorkerValues:
    """Values of which each worker gets its own.

    Args:
        values: One value for each worker.
    """

    __module__ = "twinflow.distribute.coordinator"

    def __init__(self, values: Sequence[Any]) -> None:
        self._values = tuple(values)

    def _of(self, worker: int) -> Any:
        """Returns the value of a worker."""
        return self._values[worker]


PerWorkerValues.__name__ = "PerWorkerValues"


class RemoteValue:
    """The result of a closure, which may not have run yet."""

    __module__ = "twinflow.distribute.coordinator"

    def fetch(self) -> Any:
        """Waits for the closure and returns the value as NumPy arrays.

        Raises:
            OpError: The closure failed, or was cancelled.
        """
        raise NotImplementedError("Must be implemented in subclasses.")

    def get(self) -> Any:
        """Waits for the closure and returns the value as tensors.

        Raises:
            OpError: The closure failed, or was cancelled.
        """
        raise NotImplementedError("Must be implemented in subclasses.")


class RemoteValueImpl(RemoteValue):
    """A result of a closure.

    Args:
        closure: The closure.
        index: The index of the tensor among its results.
    """

    def __init__(self, closure: Closure, index: int, spec: Any) -> None:
        self._closure, self._index, self._spec = closure, index, spec

    @property
    def dtype(self) -> Any:
        """The dtype."""
        return self._spec.dtype

    @property
    def shape(self) -> Any:
        """The static shape."""
        return self._spec.shape

    def _tensor(self) -> EagerTensor:
        return self._closure.wait()[self._index]

    def fetch(self) -> Any:
        """Waits for the closure and returns the value as a NumPy array; see ``RemoteValue``."""
        return self._tensor().numpy()

    def get(self) -> Any:
        """Waits for the closure and returns the value as a tensor; see ``RemoteValue``."""
        tensor = self._tensor()
        return EagerTensor(tensor._host(), runtime.host, tensor.dtype)


RemoteValueImpl.__name__ = "RemoteValueImpl"


class PerWorkerDataset:
    """A dataset of which each worker has its own copy.

    Args:
        make: Returns the dataset of a worker.
        workers: The number of workers.
    """

    def __init__(self, make: Callable[[], Any], workers: int) -> None:
        self._datasets = [make() for _ in range(workers)]

    @property
    def element_spec(self) -> Any:
        """The structure of the elements' specs."""
        return self._datasets[0].element_spec

    def __iter__(self) -> PerWorkerIterator:
        return PerWorkerIterator([iter(dataset) for dataset in self._datasets])


class PerWorkerIterator(PerWorkerValues):
    """The iterators of the workers over their datasets."""

    @property
    def element_spec(self) -> Any:
        """The structure of the elements' specs."""
        return self._values[0].element_spec

    def __iter__(self) -> PerWorkerIterator:
        return self

    def __next__(self) -> Any:
        return self.get_next()

    def get_next(self) -> Any:
        """Raises NotImplementedError: closures take the elements."""
        raise NotImplementedError(
            "Iterating over an `AsyncDistributedIterator` is not supported right now."
        )


# The index of the worker, in functions that closures run: each worker gets its own number.
_index = EagerTensor(np.asarray(-1, np.int64), None, int64)  # type: ignore[arg-type]


class _Index(threading.local):
    worker: int | None = None


_current = _Index()


def experimental_get_current_worker_index() -> Any:
    """Returns the index of the worker that runs the function.

    Returns:
        An int64 scalar.

    Raises:
        RuntimeError: Called outside a function that a closure runs.
    """
    graph = thread.scope.graph
    if not isinstance(graph, FuncGraph):
        raise RuntimeError(
            "Cannot retrieve the worker index. `experimental_get_current_worker_index` should be called from within a "
            "tf.function being executed on a worker."
        )
    if _index._device is None:
        _index._device = runtime.host
    symbol = graph.capture(_index, lambda: "worker_index")
    symbol._value = None
    return symbol


# ------------------------------------------------------------------ closures


class Closure:
    """A call of a function that a worker will run.

    Args:
        number: Its number in the order of the calls of ``schedule``, from 0 on.
        function: The function.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
    """

    def __init__(
        self, number: int, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.number, self._args, self._kwargs = number, args, kwargs
        self._ended = threading.Event()
        self._results: list[EagerTensor] = []
        self._error: Exception | None = None
        self.concrete, leaves = _prepared(function, *self._arguments_of(0))
        is_same = not any(isinstance(x, PerWorkerValues) for x in nest.flatten([args, kwargs]))
        # the values of the inputs, if they are those of all workers
        self._values = self.concrete._values(leaves) if is_same else None
        self.output = self._output()

    def _arguments_of(self, worker: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        def own(value: Any) -> Any:
            if isinstance(value, RemoteValue):
                return value.get()
            return value._of(worker) if isinstance(value, PerWorkerValues) else value

        if not self._args and not self._kwargs:
            return (), {}
        args, kwargs = nest.map_structure(own, [list(self._args), self._kwargs])
        return tuple(args), kwargs

    def _output(self) -> Any:
        spec = self.concrete.structured_outputs
        if isinstance(spec, SymbolicTensor):
            return RemoteValueImpl(self, 0, spec)
        count = iter(range(len(self.concrete.outputs)))
        return nest.map_structure(
            lambda x: None if x is None else RemoteValueImpl(self, next(count), x),
            spec,
            expand_composites=True,
        )

    def values(self, worker: int) -> list[Any]:
        """Returns the values of the inputs for a worker."""
        if self._values is not None:
            return self._values
        return self.concrete._values(_leaves(self.concrete, *self._arguments_of(worker)))

    def finish(self, results: list[EagerTensor]) -> None:
        """Sets the results."""
        self._results = results
        self._ended.set()

    def fail(self, error: Exception) -> None:
        """Sets the error."""
        self._error = error
        self._ended.set()

    @property
    def ended(self) -> bool:
        """True if it has run, failed or was cancelled."""
        return self._ended.is_set()

    def wait(self) -> list[EagerTensor]:
        """Returns the results when it has run; raises its error."""
        while not self._ended.wait(0.1):  # interrupts are handled in between
            pass
        if self._error is not None:
            raise self._error
        return self._results


def _prepared(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[ConcreteFunction, Sequence[Any]]:
    """Returns the trace of a function for arguments, and the leaves that it runs on."""
    if isinstance(function, ConcreteFunction):
        return function, _leaves(function, args, kwargs)
    return function._prepare(args, kwargs)


def _leaves(
    concrete: ConcreteFunction, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Sequence[Any]:
    return concrete._check_inputs(concrete._bound(args, kwargs))


class _Queue:
    """The closures that wait, and the state that callers and workers share."""

    def __init__(self) -> None:
        lock = threading.RLock()
        self.changed, self._available = threading.Condition(lock), threading.Condition(lock)
        self._waiting: deque[Closure] = deque()
        self._running: set[Closure] = set()
        self._error: Exception | None = None
        self.stopped = False

    def put(self, closure: Closure) -> None:
        """Adds a closure; raises the error of an earlier one."""
        with self.changed:
            self._raise()
            self._waiting.append(closure)
            self._available.notify()

    def put_back(self, closure: Closure) -> None:
        """Returns a closure whose worker was lost to the head of the queue."""
        with self.changed:
            self._running.discard(closure)
            if self._error is None:
                self._waiting.appendleft(closure)
                self._available.notify()
            else:
                closure.fail(_aborted())
            self.changed.notify_all()

    def get(self, part: float) -> list[Closure]:
        """Waits for closures; returns a part of those that wait, one at least, or none at the end."""
        with self.changed:
            while not self._waiting and not self.stopped:
                self._available.wait()
            if self.stopped:
                return []
            count = max(1, min(_TOGETHER, int(part * len(self._waiting))))
            closures = [self._waiting.popleft() for _ in range(count)]
            self._running.update(closures)
            return closures

    def end(self, closure: Closure, error: Exception | None = None) -> None:
        """Marks a closure as run; after an error the others are cancelled."""
        with self.changed:
            self._running.discard(closure)
            if error is not None:
                closure.fail(error)
                if self._error is None:
                    self._error = error
                for other in self._waiting:
                    other.fail(_aborted())
                self._waiting.clear()
            if not self._running:
                self.changed.notify_all()

    def _raise(self) -> None:
        """Raises the first error, once, when nothing runs any more."""
        if self._error is None:
            return
        while self._running:
            self.changed.wait(0.1)
        error, self._error = self._error, None
        raise error

    def join(self) -> None:
        """Waits until all closures have run; raises the first error."""
        with self.changed:
            while (self._waiting or self._running) and self._error is None:
                self.changed.wait(0.1)
            self._raise()

    def is_done(self) -> bool:
        """True if no closure waits or runs; raises the first error."""
        with self.changed:
            self._raise()
            return not self._waiting and not self._running

    def check(self) -> None:
        """Raises the first error, if any."""
        with self.changed:
            self._raise()

    def stop(self) -> None:
        """Ends the workers' threads."""
        with self.changed:
            self.stopped = True
            self._available.notify_all()
            self.changed.notify_all()


def _aborted() -> OpError:
    return errors.CancelledError(
        None, None, "The corresponding function is aborted. Please reschedule the function."
    )


# ------------------------------------------------------------------ workers


def _work(queue: _Queue, peer: remote.Peer, worker: int, workers: int) -> None:
    """Runs closures on a worker, until the coordinator ends."""
    _current.worker = worker
    part = 0.0
    while True:
        closures = queue.get(part)
        if not closures:
            return
        start = time.monotonic()
        with entered(PLAIN):
            _run(queue, closures, peer, worker)
        is_brief = time.monotonic() - start < _BRIEF_SECONDS * len(closures)
        part = 1 / workers if is_brief else 0.0
        del closures


def _run(queue: _Queue, closures: Sequence[Closure], peer: remote.Peer, worker: int) -> None:
    """Runs closures; those whose worker is lost go back to the queue.

    They are sent together, and the worker reports each when it has run: of those that it has
    begun, one at most runs again.
    """
    device = remote.device_of(peer, "CPU", 0)
    number = EagerTensor(np.asarray(worker, np.int64), runtime.host, int64)
    left = deque(closures)
    sent: list[Callable[[], list[EagerTensor]] | Exception] = []
    try:
        for closure in closures:
            try:
                sent.append(_send(closure, peer, device, worker, number))
            except Exception as error:
                sent.append(error)
                if _is_lost(peer, error):
                    break  # those that were sent may have run
        for wait in sent:
            try:
                if isinstance(wait, Exception):
                    raise wait
                left[0].finish(wait())
            except Exception as error:
                if _is_lost(peer, error):
                    raise
                queue.end(left.popleft(), _explained(error))
            else:
                queue.end(left.popleft())
    except Exception as error:
        done = len(closures) - len(left)
        _log_loss(worker, error, [closure.number for closure in closures[done : len(sent)]])
        for closure in reversed(left):
            queue.put_back(closure)
        _await_worker(queue, peer, worker)


def _send(
    closure: Closure, peer: remote.Peer, device: Any, worker: int, number: EagerTensor
) -> Callable[[], list[EagerTensor]]:
    """Sends a closure; returns a function that waits for its results.

    Small results come with the worker's report, others stay in the worker.
    """
    function = programs.exported(closure.concrete._body)
    values = [number if x is _index else x for x in closure.values(worker)]
    arrays = device.backend.send_call(function, values, is_awaited=True)
    is_small = function.output_bytes <= _SMALL_BYTES
    question = messages.VALUES if is_small else messages.SHAPES
    wait = peer.ask_later(question, [x._id for x in arrays])

    def results() -> list[EagerTensor]:
        reply, parts = wait(None)
        if not is_small:
            return [EagerTensor(x, device, t) for x, (t, _) in zip(arrays, function.outputs)]
        reader = Reader(parts, peer._views)
        read = [reader.tensor(spec) for spec in reply.specs]
        return [EagerTensor(array, runtime.host, dtype) for array, dtype in read]

    return results


def _is_lost(peer: remote.Peer, error: Exception) -> bool:
    """True if an error means that the worker is gone, or was started anew."""
    if not isinstance(error, (errors.UnavailableError, errors.AbortedError)):
        return False
    if peer.is_lost:
        return True
    return isinstance(error, errors.AbortedError) and "/job:worker/" in error.message


def _explained(error: Exception) -> Exception:
    """Returns the error of a closure; the loss of a parameter server is an UnavailableError."""
    if isinstance(error, errors.AbortedError):
        return errors.UnavailableError(None, None, error.message)
    return error


def _log_loss(worker: int, error: Exception, numbers: Sequence[int]) -> None:
    """Logs the loss of a worker, and the closures that were sent to it and have not ended."""
    get_logger().warning("Worker %d is lost, and will be tried again: %s", worker, error)
    if numbers:
        listed = ", ".join(map(str, numbers))
        get_logger().warning("Worker %d may have run these closures: %s.", worker, listed)


def _await_worker(queue: _Queue, peer: remote.Peer, worker: int) -> None:
    """Waits until a lost worker is back; another worker runs its closures."""
    pause = _FIRST_PAUSE
    while not queue.stopped:
        if peer.reconnect():
            get_logger().warning("Worker %d is back.", worker)
            return
        end = time.monotonic() + pause
        with queue.changed:
            while not queue.stopped and time.monotonic() < end:
                queue.changed.wait(max(0.0, end - time.monotonic()))
        pause = min(2 * pause, _LONGEST_PAUSE)


# ------------------------------------------------------------------ the coordinator


class ClusterCoordinator:
    """Schedules functions on the workers of a ``ParameterServerStrategy``.

    A strategy has one coordinator. A function whose worker is lost runs again on another, so a
    function may run more than once.

    Args:
        strategy: The strategy.

    Raises:
        ValueError: It is no ``ParameterServerStrategy``.
    """

    __module__ = "twinflow.distribute.coordinator"

    def __new__(cls, strategy: Any) -> ClusterCoordinator:
        """Returns the coordinator of the strategy."""
        existing = getattr(strategy, "_cluster_coordinator", None)
        return existing if existing is not None else super().__new__(cls)

    def __init__(self, strategy: Any) -> None:
        if "_queue" in vars(self):
            return
        if not isinstance(strategy, ParameterServerStrategyV2):
            raise ValueError(
                "Only `tf.distribute.experimental.ParameterServerStrategy` is supported to work with "
                "`tf.distribute.experimental.coordinator.ClusterCoordinator` currently."
            )
        self._strategy, self._queue, self._numbers = strategy, _Queue(), itertools.count()
        strategy._cluster_coordinator = self  # type: ignore[attr-defined]
        peers = {
            index: peer for (job, index), peer in strategy.extended.peers.items() if job == "worker"
        }
        self._count = len(peers)
        for index, peer in sorted(peers.items()):
            threading.Thread(
                target=_work,
                args=(self._queue, peer, index, self._count),
                name=f"twinflow-worker-{index}",
                daemon=True,
            ).start()
        weakref.finalize(self, self._queue.stop)
        _queues.add(self._queue)

    @property
    def strategy(self) -> Any:
        """The strategy."""
        return self._strategy

    def schedule(self, fn: Any, args: Any = None, kwargs: Any = None) -> Any:
        """Schedules a function on one of the workers, without waiting.

        Args:
            fn: A ``tf.function``, or a concrete function.
            args: Its positional arguments. Per-worker values are replaced by those of the worker.
            kwargs: Its keyword arguments.

        Returns:
            The structure of its results, as ``RemoteValue`` objects.

        Raises:
            TypeError: ``fn`` is no function that is traced.
            OpError: An earlier function failed.
        """
        if not isinstance(fn, (Function, ConcreteFunction)):
            raise TypeError(
                "`tf.distribute.experimental.coordinator.ClusterCoordinator.schedule` only accepts a `tf.function` or a "
                "concrete function."
            )
        self._queue.check()
        with self._strategy.scope():
            closure = Closure(next(self._numbers), fn, tuple(args or ()), dict(kwargs or {}))
        programs.exported(closure.concrete._body)
        self._queue.put(closure)
        return closure.output

    def join(self) -> None:
        """Waits until all scheduled functions have run.

        Raises:
            OpError: A function failed; the others that waited are cancelled.
        """
        self._queue.join()

    def _is_done(self) -> bool:
        """Returns True if all scheduled functions have run.

        Raises:
            OpError: A function failed.
        """
        return self._queue.is_done()

    _is_done.__name__ = "done"  # TensorFlow's name
    done = _is_done

    def create_per_worker_dataset(self, dataset_fn: Any) -> Any:
        """Creates a dataset for each worker.

        Args:
            dataset_fn: A function that returns a dataset, or a dataset.

        Returns:
            An iterable; its iterator is an argument of scheduled functions.
        """
        make = dataset_fn if callable(dataset_fn) else lambda: dataset_fn
        make = make.python_function if isinstance(make, Function) else make
        return PerWorkerDataset(make, self._count)

    def _create_per_worker_resources(
        self, fn: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> Any:
        """Returns the values of a function that is called for each worker."""
        calls: Iterable[Any] = range(self._count)
        return PerWorkerValues([fn(*(args or ()), **(kwargs or {})) for _ in calls])

    def fetch(self, val: Any) -> Any:
        """Waits for results and returns their values.

        Args:
            val: A structure of ``RemoteValue`` objects.

        Returns:
            The structure, with NumPy arrays.

        Raises:
            OpError: A function failed.
        """

        def fetched(value: Any) -> Any:
            return value.fetch() if isinstance(value, RemoteValue) else value

        self._queue.check()
        try:
            return nest.map_structure(fetched, val)
        except OpError:
            self._queue.check()
            raise


_queues: weakref.WeakSet[_Queue] = weakref.WeakSet()
around_forks(child=_queues.clear)
