"""Runners of queues, and the input pipelines over them, of ``tf.compat.v1.train``."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from typing import Any

from twinflow._src.compat_v1.context_managers import control_dependencies, name_scope
from twinflow._src.compat_v1.logging import vlog
from twinflow._src.compat_v1.renamed_args import cond
from twinflow._src.compat_v1.session.session import BaseSession, Session, get_default_session
from twinflow._src.compat_v1.variables import count_up_to
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int64, string
from twinflow._src.core.errors import CancelledError, OpError, OutOfRangeError
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API, documented, documented_like
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.variables.creation import VariableV1
from twinflow._src.wings.queue.queues import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue

# ------------------------------------------------------------------ runners


class QueueRunner:
    """The enqueue operations of a queue, each run again and again by a thread.

    Args:
        queue: The queue.
        enqueue_ops: The operations.
        close_op: The operation that closes the queue; made here if None.
        cancel_op: The operation that closes the queue and cancels what waits; made here if None.
        queue_closed_exception_types: The exceptions that end a thread as its input has ended;
            OutOfRangeError if None.
        queue_runner_def: Not supported; must be None.
        import_scope: Not supported; must be None.

    Raises:
        ValueError: ``queue`` or ``enqueue_ops`` is missing.
        TypeError: An exception type is no class of exceptions.
        RuntimeError: Eager execution is on.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Any = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None,
        import_scope: Any = None,
    ) -> None:
        if executing_eagerly():
            raise RuntimeError(
                "QueueRunners are not supported when eager execution is enabled. Instead, please use "
                "tf.data to get data into your model."
            )
        if queue_runner_def is not None:
            raise ValueError("queue_runner_def: graphs with queues cannot be read from files")
        if not queue or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue, self._enqueue_ops = queue, enqueue_ops
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = (
            queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        )
        types = queue_closed_exception_types
        if types is None:
            types = (OutOfRangeError,)
        elif (
            not isinstance(types, tuple)
            or not types
            or not all(isinstance(t, type) and issubclass(t, OpError) for t in types)
        ):
            raise TypeError(
                "queue_closed_exception_types, when provided, must be a tuple of tf.error types, but "
                f"saw: {types}"
            )
        self._closed_types = types
        self._lock = threading.Lock()
        self._runs: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._exceptions_raised: list[Any] = []

    @property
    def queue(self) -> Any:
        """The queue."""
        return self._queue

    @property
    def enqueue_ops(self) -> Any:
        """The enqueue operations."""
        return self._enqueue_ops

    @property
    def close_op(self) -> Any:
        """The operation that closes the queue."""
        return self._close_op

    @property
    def cancel_op(self) -> Any:
        """The operation that closes the queue and cancels what waits."""
        return self._cancel_op

    @property
    def queue_closed_exception_types(self) -> tuple[type, ...]:
        """The exceptions that end a thread as its input has ended."""
        return self._closed_types

    @property
    def exceptions_raised(self) -> list[Any]:
        """The exceptions of threads that had no coordinator."""
        return self._exceptions_raised

    @property
    def name(self) -> str:
        """The name of the queue."""
        return str(self._queue.name)

    def _run(self, sess: Any, enqueue_op: Any, coord: Any = None) -> None:
        """Runs an operation until a stop is requested, the input ends or an exception is raised."""
        is_counted = True
        try:
            while coord is None or not coord.should_stop():
                try:
                    sess.run(enqueue_op)
                except self._closed_types:
                    with self._lock:
                        self._runs[sess] -= 1
                        is_counted = False
                        is_last = self._runs[sess] == 0
                    if is_last:
                        self._close(sess)
                    return
        except CancelledError as error:
            if coord is None or not coord.should_stop():  # else it was ended with the coordinator
                self._note(error, coord)
                if coord is None:
                    raise
        except Exception as error:
            self._note(error, coord)
            if coord is None:
                raise
        finally:
            if is_counted:
                with self._lock:
                    self._runs[sess] -= 1

    def _note(self, error: Exception, coord: Any) -> None:
        """Passes an exception to the coordinator, or keeps it if there is none."""
        if coord is not None:
            coord.request_stop(error)
            return
        with self._lock:
            self._exceptions_raised.append(error)

    def _close(self, sess: Any) -> None:
        try:
            sess.run(self._close_op)
        except Exception as error:  # the input has ended: what the session says then is no news
            vlog(1, "Ignored exception: %s", error)

    def _cancel_on_stop(self, sess: Any, coord: Any, running: list[threading.Thread]) -> None:
        coord.wait_for_stop()
        try:
            sess.run(self._cancel_op)
        except Exception as error:  # the session may be closed already
            vlog(1, "Ignored exception: %s", error)
        if isinstance(sess, BaseSession):
            sess._cancel_runs({thread.ident for thread in running})

    def create_threads(
        self, sess: Any, coord: Any = None, daemon: bool = False, start: bool = False
    ) -> list[threading.Thread]:
        """Creates a thread for each operation; none if they run in the session already.

        Args:
            sess: The session.
            coord: A ``Coordinator`` that stops the threads and takes their exceptions.
            daemon: If True, the threads do not keep the process alive.
            start: If True, they are started.

        Returns:
            The threads.
        """
        with self._lock:
            if self._runs.get(sess, 0) > 0:
                return []
            self._runs[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        threads = [
            threading.Thread(
                target=self._run,
                args=(sess, op, coord),
                name=f"QueueRunnerThread-{self.name}-{op.name}",
                daemon=daemon,
            )
            for op in self._enqueue_ops
        ]
        if coord:
            name = f"QueueRunnerThread-{self.name}-close_on_stop"
            threads.append(
                threading.Thread(
                    target=self._cancel_on_stop,
                    args=(sess, coord, list(threads)),
                    name=name,
                    daemon=daemon,
                )
            )
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            if start:
                thread.start()
        return threads


def add_queue_runner(qr: Any, collection: Any = GraphKeys.QUEUE_RUNNERS) -> None:
    """Adds a runner of a queue to a collection of the graph.

    Args:
        qr: The ``QueueRunner``.
        collection: The name of the collection.
    """
    get_default_graph().add_to_collection(collection, qr)


def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: Any = GraphKeys.QUEUE_RUNNERS,
) -> list[threading.Thread]:
    """Creates the threads of all runners of a collection.

    Args:
        sess: The session; the default session if None.
        coord: A ``Coordinator`` of the threads.
        daemon: If True, the threads do not keep the process alive.
        start: If True, they are started.
        collection: The name of the collection.

    Returns:
        The threads.

    Raises:
        RuntimeError: Eager execution is on.
        ValueError: There is no session.
        TypeError: ``sess`` is not a session.
    """
    if executing_eagerly():
        raise RuntimeError("Queues are not compatible with eager execution.")
    if sess is None:
        sess = get_default_session()
        if not sess:
            raise ValueError(
                "Cannot start queue runners: No default session is registered. Use `with "
                "sess.as_default()` or pass an explicit session to tf.start_queue_runners(sess=sess)"
            )
    if not isinstance(sess, Session):
        if type(sess).__name__ in ("MonitoredSession", "SingularMonitoredSession"):
            return []  # they start the threads themselves
        raise TypeError(f"sess must be a `tf.Session` object. Given class: {type(sess)}")
    with sess.graph.as_default():
        runners = get_default_graph().get_collection(collection)
    return [
        thread
        for runner in runners
        for thread in runner.create_threads(sess, coord=coord, daemon=daemon, start=start)
    ]


# ------------------------------------------------------------------ producers


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """Returns a tensor a number of times; then its operation raises OutOfRangeError.

    Args:
        tensor: A tensor.
        num_epochs: The number of times; None for no limit. It is counted by a local variable.
        name: A name for the operations.

    Returns:
        A tensor of the same value.

    Raises:
        ValueError: The number is not positive.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs:d}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs = VariableV1(
            convert_to_tensor(0, dtype=int64),
            name="epochs",
            trainable=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        with control_dependencies([count_up_to(epochs, num_epochs)]):
            return API["identity"](tensor, name=scope)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """Creates a queue of the rows of a tensor, and adds a runner of it to the graph.

    Args:
        input_tensor: A tensor of rank 1 or more.
        element_shape: The shape of a row, where that of the tensor is not known.
        num_epochs: The number of times that each row is produced; None for no limit.
        shuffle: If True, rows are shuffled in each epoch.
        seed: The seed of the shuffling.
        capacity: The capacity of the queue.
        shared_name: Accepted and without effect.
        summary_name: Accepted and without effect.
        name: A name for the queue.
        cancel_op: The operation that the runner cancels the queue by.

    Returns:
        The queue.

    Raises:
        RuntimeError: Eager execution is on.
        ValueError: The shape of a row is not known.
    """
    _check_graph_mode()
    with name_scope(name, "input_producer", [input_tensor]):
        rows = convert_to_tensor(input_tensor, name="input_tensor")
        shape = rows.shape[1:].merge_with(TensorShape(element_shape))
        if not shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be "
                "specified"
            )
        if shuffle:
            rows = API["random.shuffle"](rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = FIFOQueue(
            capacity=capacity,
            dtypes=[rows.dtype.base_dtype],
            shapes=[shape],
            shared_name=shared_name,
            name=name or "FIFOQueueV2",
        )
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many([rows])], cancel_op=cancel_op))
        return queue


def _check_graph_mode(kind: type[Exception] = RuntimeError) -> None:
    if executing_eagerly():
        raise kind(
            "Input pipelines based on Queues are not supported when eager execution is enabled. "
            "Please use tf.data to ingest data into your model instead."
        )


@documented_like(input_producer)
def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """Creates a queue of strings, such as file names; see ``input_producer``.

    Args:
        string_tensor: A vector of strings.
        num_epochs: The number of times that each string is produced; None for no limit.
        shuffle: If True, strings are shuffled in each epoch.

    Raises:
        ValueError: There are no strings.
    """
    _check_graph_mode()
    said = "string_input_producer requires a non-null input tensor"
    if isinstance(string_tensor, (list, tuple)) and not string_tensor:
        raise ValueError(said)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        strings = convert_to_tensor(string_tensor, dtype=string)
        check = API["debugging.Assert"](API["greater"](API["size"](strings), 0), [said])
        with control_dependencies([check]):
            strings = API["identity"](strings)
        return input_producer(
            strings, [], num_epochs, shuffle, seed, capacity, shared_name, None, scope, cancel_op
        )


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Creates a queue of the integers below a limit; see ``input_producer``.

    Args:
        limit: The limit, an int32 scalar.
        num_epochs: The number of times that each integer is produced; None for no limit.
        shuffle: If True, integers are shuffled in each epoch.
        seed: The seed of the shuffling.
        capacity: The capacity of the queue.
        shared_name: Accepted and without effect.
        name: A name for the queue.

    Returns:
        The queue.
    """
    with name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(
            API["range"](limit), [], num_epochs, shuffle, seed, capacity, shared_name, None, scope
        )


@documented_like(input_producer)
def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Any]:
    """Returns rows of several tensors of one size, the same of each, from a queue of their indices.

    Args:
        tensor_list: The tensors.

    Returns:
        A list of a row of each tensor.

    Raises:
        ValueError: There are no tensors.
    """
    with name_scope(name, "input_producer", tensor_list):
        tensors = [convert_to_tensor(x) for x in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        size = API["shape"](tensors[0])[0]
        queue = range_input_producer(size, num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [API["gather"](x, index) for x in tensors]


# ------------------------------------------------------------------ batches


def _batched(title: str, lists: Sequence[Any], arguments: dict[str, Any]) -> Any:
    """Returns batches from a queue that one runner fills, by an operation for each list."""
    _check_graph_mode(ValueError)
    batch_size, enqueue_many = arguments["batch_size"], arguments["enqueue_many"]
    is_smaller_allowed = arguments["allow_smaller_final_batch"]
    with name_scope(arguments["name"], title) as batch:
        names = list(lists[0]) if isinstance(lists[0], dict) else None
        rows = [[convert_to_tensor(x) for x in _items(each, names)] for each in lists]
        queue = _make_queue(rows, arguments)
        ops = [
            _enqueue(queue, row, enqueue_many, arguments.get("keep_input", True)) for row in rows
        ]
        if len(ops) == 1:
            ops *= arguments.get("num_threads", 1)
        add_queue_runner(QueueRunner(queue, ops))
        take = queue.dequeue_up_to if is_smaller_allowed else queue.dequeue_many
        taken = take(batch_size, name=batch)
        result = taken if isinstance(taken, (list, tuple)) else [taken]
        if isinstance(batch_size, int) and not is_smaller_allowed:
            for x in result:
                x.set_shape([batch_size, *x.shape.as_list()[1:]])
    if names is not None:
        return dict(zip(names, result, strict=True))
    return list(result) if len(result) > 1 else result[0]


def _make_queue(rows: list[list[Any]], arguments: dict[str, Any]) -> Any:
    """Returns the queue of a function of batches, by its arguments."""
    shapes = arguments["shapes"]
    if shapes is None:
        start = 1 if arguments["enqueue_many"] else 0
        shapes = [_common_shape([x.shape[start:] for x in column]) for column in zip(*rows)]
    options = {
        "capacity": arguments["capacity"],
        "dtypes": [x.dtype.base_dtype for x in rows[0]],
        "shapes": shapes,
    }
    if "min_after_dequeue" in arguments:
        least, seed = arguments["min_after_dequeue"], arguments["seed"]
        return RandomShuffleQueue(min_after_dequeue=least, seed=seed, **options)
    return (PaddingFIFOQueue if arguments["dynamic_pad"] else FIFOQueue)(**options)


def _enqueue(queue: Any, row: list[Any], enqueue_many: bool, keep_input: Any) -> Any:
    """Returns the operation that enqueues a row, or those of its elements that are kept."""
    enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep_input is True:
        return enqueue(row)
    if enqueue_many and convert_to_tensor(keep_input).shape.rank == 1:
        return enqueue([API["boolean_mask"](x, keep_input) for x in row])
    return cond(keep_input, lambda: enqueue(row), lambda: API["no_op"]())


def _items(tensors: Any, names: list[Any] | None) -> list[Any]:
    if names is not None:
        return [tensors[name] for name in names]
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def _common_shape(shapes: Sequence[Any]) -> Any:
    """Returns the shape with the dimensions that all shapes have."""
    result = shapes[0]
    for shape in shapes[1:]:
        result = result.most_specific_compatible_shape(shape)
    return result


_ARGUMENTS = {
    "tensors": "A dense tensor, or a list or dictionary of them.",
    "batch_size": "The number of elements of a batch.",
    "num_threads": "The number of threads that fill the queue.",
    "capacity": "The capacity of the queue.",
    "enqueue_many": "If True, the first dimension of the tensors is that of elements.",
    "shapes": "The shapes of elements; those of the tensors if None.",
    "dynamic_pad": "If True, unknown dimensions are padded to the largest of a batch.",
    "allow_smaller_final_batch": "If True, the last batch may have fewer elements.",
    "shared_name": "Accepted and without effect.",
    "name": "A name for the operations.",
    "keep_input": "A boolean scalar; or a vector where ``enqueue_many``.",
    "tensors_list": "A list of lists or dictionaries of tensors.",
    "min_after_dequeue": "The number of elements that stay in the queue, for the mixing.",
    "seed": "The seed of the order.",
}
_BATCH_OF = "Tensors with a first dimension of ``batch_size``, in the structure of"
_BATCH = f"{_BATCH_OF} ``tensors``; a tensor for a list of one."
_BATCH_OF_LISTS = f"{_BATCH_OF} each list; a tensor for lists of one."


@documented(
    _ARGUMENTS,
    "Returns batches of tensors, by a queue and a runner that fills it.",
    returns=_BATCH,
    raises={"RuntimeError": "Eager execution is on."},
)
def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    return _batched("batch", [tensors], locals())


@documented(
    _ARGUMENTS,
    "Returns batches of those tensors for which a condition holds; see ``batch``.",
    returns=_BATCH,
)
def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    return _batched("batch", [tensors], locals())


@documented(
    _ARGUMENTS,
    "Returns batches of several lists of tensors, with a thread for each; see ``batch``.",
    returns=_BATCH_OF_LISTS,
)
def batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    return _batched("batch_join", tensors_list, locals())


@documented(
    _ARGUMENTS,
    "Returns batches of those tensors for which a condition holds; see ``batch_join``.",
    returns=_BATCH_OF_LISTS,
)
def maybe_batch_join(
    tensors_list: Sequence[Any],
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    return _batched("batch_join", tensors_list, locals())


@documented(
    _ARGUMENTS,
    "Returns batches of tensors in a random order; see ``batch``.",
    returns=_BATCH,
)
def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    return _batched("shuffle_batch", [tensors], locals())


@documented(
    _ARGUMENTS,
    "Returns batches of those tensors for which a condition holds; see ``shuffle_batch``.",
    returns=_BATCH,
)
def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    return _batched("shuffle_batch", [tensors], locals())


@documented(
    _ARGUMENTS,
    "Returns batches of several lists of tensors in a random order; see ``batch_join``.",
    returns=_BATCH_OF_LISTS,
)
def shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    return _batched("shuffle_batch_join", tensors_list, locals())


@documented(
    _ARGUMENTS,
    "Returns batches of those tensors for which a condition holds; see ``shuffle_batch_join``.",
    returns=_BATCH_OF_LISTS,
)
def maybe_shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    return _batched("shuffle_batch_join", tensors_list, locals())


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """Returns a local variable with the names of the files that match patterns.

    Args:
        pattern: A pattern, or a list of them; see ``tf.io.matching_files``.
        name: A name for the operations.

    Returns:
        The variable, a vector of strings; it is computed when it is initialized.
    """
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return VariableV1(
            API["io.matching_files"](pattern),
            trainable=False,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
            name=scope[:-1] if scope else "matching_filenames",
        )
