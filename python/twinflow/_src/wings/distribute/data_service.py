"""``tf.data.experimental.service``: datasets whose elements other processes compute.

A dispatcher knows the datasets and the workers; each worker computes elements, which clients fetch
from all workers at the same time. Datasets travel as graphs (``dataset_graphs.py``).
"""

from __future__ import annotations

import contextlib
import itertools
import queue
import threading
import time
import uuid
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import string, variant
from twinflow._src.core.errors import (
    NotFoundError,
    OpError,
    UnavailableError,
    UnimplementedError,
    invalid,
)
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.numerics.object_arrays import box
from twinflow._src.wings.data.dataset import DatasetSource, DatasetV2
from twinflow._src.wings.data.dataset_ops import dataset_variant, run_op
from twinflow._src.wings.data.stages import INFINITE, UNKNOWN, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Element, Elements
from twinflow._src.wings.distribute.calls import Caller
from twinflow._src.wings.distribute.data_dispatcher import (
    CLIENT_SECONDS,
    WORKER_SECONDS,
    Dispatcher,
)
from twinflow._src.wings.distribute.data_sharding import ShardingPolicy
from twinflow._src.wings.distribute.data_worker import (
    DISPATCHER_SECONDS,
    HEARTBEAT_SECONDS,
    Worker,
    local_workers,
)
from twinflow._src.wings.distribute.dataset_graphs import decode_value, encode_value, export_stage

_PARALLEL_EPOCHS, _DISTRIBUTED_EPOCH = "parallel_epochs", "distributed_epoch"
_MODES = {
    _PARALLEL_EPOCHS: ShardingPolicy.OFF,
    _DISTRIBUTED_EPOCH: ShardingPolicy.DYNAMIC,
}
# Seconds between two questions for the tasks of an iteration, and between looks at the queue.
_REFRESH_SECONDS, _LOOK_SECONDS = 0.1, 0.02


# ------------------------------------------------------------------ servers


class DispatcherConfig(NamedTuple):
    """The configuration of a dispatcher.

    Attributes:
        port: The port; 0 for any free one.
        protocol: Accepted and without effect.
        work_dir: The directory of the journal.
        fault_tolerant_mode: If True, a journal in ``work_dir`` restores the dispatcher.
        worker_addresses: The addresses of the workers, for the static sharding policies.
        job_gc_check_interval_ms: Accepted and without effect.
        job_gc_timeout_ms: The time after which an iteration without clients is dropped.
        worker_timeout_ms: The time after which a worker without heartbeats is dropped.
        worker_max_concurrent_snapshots: Accepted and without effect.
    """

    port: int = 0
    protocol: str | None = "grpc"
    work_dir: str | None = None
    fault_tolerant_mode: bool = False
    worker_addresses: list[str] | None = None
    job_gc_check_interval_ms: int | None = 0
    job_gc_timeout_ms: int | None = 0
    worker_timeout_ms: int | None = None
    worker_max_concurrent_snapshots: int = 0


class WorkerConfig(NamedTuple):
    """The configuration of a worker.

    Attributes:
        dispatcher_address: The address of the dispatcher.
        worker_address: The address at which clients reach the worker, with ``%port%`` for its port.
        port: The port; 0 for any free one.
        protocol: Accepted and without effect.
        heartbeat_interval_ms: The time between two heartbeats.
        dispatcher_timeout_ms: The time in which calls of the dispatcher are repeated.
        data_transfer_protocol: Accepted and without effect.
        data_transfer_address: Accepted and without effect.
    """

    dispatcher_address: str
    worker_address: str | None = "localhost:%port%"
    port: int = 0
    protocol: str | None = "grpc"
    heartbeat_interval_ms: int | None = 0
    dispatcher_timeout_ms: int | None = 0
    data_transfer_protocol: str | None = None
    data_transfer_address: str | None = "localhost:%dts_port%"


for _config in (DispatcherConfig, WorkerConfig):
    _config.__module__ = "twinflow.data.experimental.service"


def _seconds(milliseconds: int | None, default: float) -> float:
    return milliseconds / 1000 if milliseconds else default


class _Server:
    """Base class of the servers of this process."""

    _server: Any = None

    def __init__(self, config: Any, start: bool) -> None:
        self._config, self._ended = config, threading.Event()
        if start:
            self.start()

    def _make_server(self) -> Any:
        raise NotImplementedError

    def start(self) -> None:
        """Starts the server; a worker registers with its dispatcher."""
        if self._server is None:
            self._server = self._make_server()
            self._close = weakref.finalize(self, self._server.close)

    def join(self) -> None:
        """Blocks until the server is stopped."""
        self._ended.wait()

    def stop(self) -> None:
        """Stops the server.

        Raises:
            RuntimeError: Always: a server ends with its object, as in TensorFlow.
        """
        raise RuntimeError("It's not possible to stop the server: drop its last reference.")

    def _stop(self) -> None:
        self._close()
        self._ended.set()


class DispatchServer(_Server):
    """An in-process dispatcher of the data service.

    Args:
        config: The configuration.
        start: If True, starts the server.

    Raises:
        ValueError: Fault tolerance is requested without a ``work_dir``.
    """

    __module__ = "twinflow.data.experimental.service"

    def __init__(self, config: DispatcherConfig | None = None, start: bool = True) -> None:
        config = config or DispatcherConfig()
        if config.fault_tolerant_mode and not config.work_dir:
            raise ValueError(
                "Cannot enable fault tolerant mode without configuring a work dir. Make sure to set "
                "`work_dir` in the `config` object passed to `DispatcherServer`."
            )
        super().__init__(config, start)

    def _make_server(self) -> Dispatcher:
        config = self._config
        return Dispatcher(
            f"localhost:{config.port}",
            list(config.worker_addresses or ()),
            config.work_dir if config.fault_tolerant_mode else None,
            _seconds(config.worker_timeout_ms, WORKER_SECONDS),
            _seconds(config.job_gc_timeout_ms, CLIENT_SECONDS),
        )

    @property
    def target(self) -> str:
        """The address that clients use, such as ``grpc://localhost:5050``."""
        return f"grpc://localhost:{self._server.port}"

    def _num_workers(self) -> int:
        count: int = self._server.workers()
        return count


@documented_like(DispatchServer)
class WorkerServer(_Server):
    """An in-process worker of the data service.

    Raises:
        ValueError: The address of the dispatcher is missing.
    """

    __module__ = "twinflow.data.experimental.service"

    def __init__(self, config: WorkerConfig, start: bool = True) -> None:
        if config.dispatcher_address is None:
            raise ValueError(
                "Must specify a `dispatcher_address` in the `config` passed to `WorkerServer`."
            )
        super().__init__(config, start)

    def _make_server(self) -> Worker:
        config = self._config
        return Worker(
            config.dispatcher_address,
            config.worker_address or "localhost:%port%",
            config.port,
            _seconds(config.heartbeat_interval_ms, HEARTBEAT_SECONDS),
            _seconds(config.dispatcher_timeout_ms, DISPATCHER_SECONDS),
        )

    @property
    def _address(self) -> str:
        address: str = self._server.address
        return address

    def _num_tasks(self) -> int:
        count: int = self._server.tasks()
        return count


# ------------------------------------------------------------------ datasets


class CrossTrainerCache:
    """A cache that several trainers share: each worker computes an element once for all of them.

    Args:
        trainer_id: Identifies the trainer, which reads each element at most once.

    Raises:
        ValueError: The identification is empty.
    """

    __module__ = "twinflow.data.experimental.service"

    def __init__(self, trainer_id: str) -> None:
        if not trainer_id:
            raise ValueError("tf.data service cross-trainer cache requires a non-empty trainer ID.")
        self.trainer_id = trainer_id


class _Reading(NamedTuple):
    """Parameters by which a client reads an iteration.

    Attributes:
        service: The address of the dispatcher.
        policy: The sharding policy.
        job_name: The name of the job; "" for one of this dataset.
        consumer: The index of the consumer; -1 if consumers read independently.
        consumers: The number of consumers that read in turn; 0 if they read independently.
        most_waiting: The number of elements that wait for the consumer; -1 for one a worker.
        trainer: The trainer of a cross-trainer cache; "" without one.
        is_local: True to read from the workers of this process alone.
    """

    service: str
    policy: ShardingPolicy
    job_name: str
    consumer: int
    consumers: int
    most_waiting: int
    trainer: str
    is_local: bool


def _reading(
    processing_mode: Any,
    service: Any,
    job_name: Any,
    consumer_index: Any,
    num_consumers: Any,
    max_outstanding_requests: Any,
    cross_trainer_cache: Any,
    target_workers: Any,
) -> _Reading:
    if isinstance(processing_mode, ShardingPolicy):
        policy = processing_mode
    elif isinstance(processing_mode, str) and processing_mode in _MODES:
        policy = _MODES[processing_mode]
    else:
        raise ValueError(
            "tf.data service processing mode should be a "
            '`tf.data.experimental.service.ShardingPolicy`, `"parallel_epochs"`, or '
            f'`"distributed_epoch"`. Got {processing_mode!r}.'
        )
    if job_name is not None and not isinstance(job_name, str):
        raise ValueError(
            f"`job_name` must be a string, but `job_name` was of type {type(job_name)}. "
            f"job_name={job_name}"
        )
    if job_name == "":
        raise ValueError("`job_name` must not be empty")
    if num_consumers is not None and job_name is None:
        raise ValueError(
            "`job_name` must be set when setting `num_consumers`. num_consumers was set to "
            f"{num_consumers}."
        )
    if target_workers not in ("AUTO", "ANY", "LOCAL"):
        raise invalid(f"Unrecognized target workers: {target_workers}")
    most = -1 if max_outstanding_requests is None else int(max_outstanding_requests)
    if most != -1 and most <= 0:
        raise invalid("max_outstanding_requests must be positive or -1")
    has_turns = num_consumers is not None and consumer_index is not None
    return _Reading(
        str(service),
        policy,
        job_name or "",
        int(consumer_index) if has_turns else -1,
        int(num_consumers) if has_turns else 0,
        most,
        "" if cross_trainer_cache is None else cross_trainer_cache.trainer_id,
        target_workers == "LOCAL",
    )


def _check_compression(compression: Any) -> None:
    if compression not in ("AUTO", None, "SNAPPY"):
        raise ValueError(
            f"Invalid `compression` argument: {compression}. Must be one of ['AUTO', None, 'SNAPPY']."
        )


def register_dataset(
    service: Any, dataset: DatasetV2, compression: Any = "AUTO", dataset_id: str | None = None
) -> Any:
    """Registers a dataset with the data service.

    Args:
        service: The address of the dispatcher.
        dataset: The dataset.
        compression: ``"AUTO"``, ``"SNAPPY"`` or None; has no effect, elements are not compressed.
        dataset_id: The id; a new one if None.

    Returns:
        The id, a string scalar.

    Raises:
        UnimplementedError: The dataset calls Python, or uses variables.
        InvalidArgumentError: There is a dataset of this id with other elements.
    """
    _check_compression(compression)
    spec = encode_value(dataset.element_spec)
    elements = dataset._elements
    if any(part.dtype is variant for part in elements.tensor_specs()):
        raise UnimplementedError(
            None, None, f"Elements with datasets or optionals cannot be sent: {elements.spec!r}."
        )

    def kernel(source: Any) -> Any:
        graph = export_stage(source[()])
        caller = Caller(service)
        try:
            answer = caller.call(
                "register_dataset", graph=graph, spec=spec, dataset_id=dataset_id or ""
            )
        finally:
            caller.close()
        return box(answer.values["dataset_id"].encode())

    results = [string], [()], True
    return run_op("RegisterDatasetV2", kernel, [dataset._variant_tensor], (), results, True)


def distribute(
    processing_mode: Any,
    service: Any,
    job_name: str | None = None,
    consumer_index: int | None = None,
    num_consumers: int | None = None,
    max_outstanding_requests: int | None = None,
    data_transfer_protocol: str | None = None,
    compression: Any = "AUTO",
    cross_trainer_cache: CrossTrainerCache | None = None,
    target_workers: str = "AUTO",
) -> Callable[[DatasetV2], DatasetV2]:
    """Returns a transformation that has the data service compute the elements of a dataset.

    Args:
        processing_mode: A ``ShardingPolicy``, ``"parallel_epochs"`` (``OFF``) or
            ``"distributed_epoch"`` (``DYNAMIC``).
        service: The address of the dispatcher.
        job_name: The name of a job whose elements several datasets share; if None, a job for each
            iterator.
        consumer_index: The index of this consumer, where consumers read in turn.
        num_consumers: The number of consumers that read in turn.
        max_outstanding_requests: The number of elements that are fetched ahead.
        data_transfer_protocol: Accepted and without effect.
        compression: ``"AUTO"``, ``"SNAPPY"`` or None; has no effect, elements are not compressed.
        cross_trainer_cache: A cache that trainers share.
        target_workers: ``"AUTO"``, ``"ANY"``, or ``"LOCAL"`` for the workers of this process.

    Returns:
        A function of a dataset.

    Raises:
        ValueError: An argument is invalid.
    """
    _check_compression(compression)
    reading = _reading(
        processing_mode,
        service,
        job_name,
        consumer_index,
        num_consumers,
        max_outstanding_requests,
        cross_trainer_cache,
        target_workers,
    )

    def apply(dataset: DatasetV2) -> DatasetV2:
        identity = register_dataset(service, dataset, compression)
        return _DataServiceDatasetV2(identity, dataset._elements, reading, dataset)

    return apply


def from_dataset_id(
    processing_mode: Any,
    service: Any,
    dataset_id: Any,
    element_spec: Any = None,
    job_name: str | None = None,
    consumer_index: int | None = None,
    num_consumers: int | None = None,
    max_outstanding_requests: int | None = None,
    data_transfer_protocol: str | None = None,
    cross_trainer_cache: CrossTrainerCache | None = None,
    target_workers: str = "AUTO",
) -> DatasetV2:
    """Returns a dataset of the elements of a registered dataset.

    Args:
        processing_mode: See ``distribute``.
        service: The address of the dispatcher.
        dataset_id: The id that ``register_dataset`` returned.
        element_spec: The structure of the elements' specs; that of the registered dataset if None.
        job_name: See ``distribute``.
        consumer_index: See ``distribute``.
        num_consumers: See ``distribute``.
        max_outstanding_requests: See ``distribute``.
        data_transfer_protocol: Accepted and without effect.
        cross_trainer_cache: See ``distribute``.
        target_workers: See ``distribute``.

    Returns:
        A dataset.

    Raises:
        ValueError: An argument is invalid, or the dataset is unknown.
    """
    reading = _reading(
        processing_mode,
        service,
        job_name,
        consumer_index,
        num_consumers,
        max_outstanding_requests,
        cross_trainer_cache,
        target_workers,
    )
    identity = convert_to_tensor(dataset_id, dtype=string, name="dataset_id")
    if element_spec is None:
        element_spec = _registered_spec(reading.service, dataset_id)
    return _DataServiceDatasetV2(identity, Elements(element_spec), reading)


def _registered_spec(service: str, dataset_id: Any) -> Any:
    value = dataset_id.numpy() if hasattr(dataset_id, "numpy") else dataset_id
    name = value.decode() if isinstance(value, bytes) else str(value)
    caller = Caller(service)
    try:
        return decode_value(caller.call("dataset", dataset_id=name).values["spec"])
    except NotFoundError as error:
        raise ValueError(
            f"Failed to fetch element spec for dataset id {name} from tf.data service. If the dataset "
            "was registered in graph mode or inside a tf.function, the `element_spec` must be "
            "specified as an argument to `from_dataset_id`."
        ) from error
    finally:
        caller.close()


class _DataServiceDatasetV2(DatasetSource):
    """The elements that the data service computes."""

    def __init__(
        self, identity: Any, elements: Elements, reading: _Reading, source: DatasetV2 | None = None
    ) -> None:
        self._elements = elements

        def stage(*arrays: Any) -> DataServiceStage:
            name = arrays[-1][()].decode()
            count = UNKNOWN if source is None else arrays[0].cardinality()
            return DataServiceStage(elements, name, reading, count)

        sources = [] if source is None else [source]
        kind = "DataServiceDatasetV4"
        super().__init__(dataset_variant(kind, stage, sources, [identity], impure=True))


class DataServiceStage(Stage):
    """The elements of the iterations of a job: each iterator reads the next iteration.

    Args:
        elements: The type of the elements.
        dataset_id: The id of the dataset.
        reading: How the iteration is read.
        count: The number of elements of the dataset.
    """

    def __init__(self, elements: Elements, dataset_id: str, reading: _Reading, count: int) -> None:
        self.elements, self.dataset_id, self.reading = elements, dataset_id, reading
        self._count, self._iterations = count, itertools.count()

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the next iteration."""
        reading = self.reading
        if (reading.trainer or reading.consumers) and self._count not in (INFINITE, UNKNOWN):
            what = "Cross-trainer caching" if reading.trainer else "Round robin reads"
            raise invalid(
                f"{what} requires the input dataset to be infinite. Got input with cardinality "
                f"{self._count}"
            )
        if reading.trainer and not reading.job_name:
            raise invalid("Cross-trainer caching requires named jobs. Got empty `job_name`.")
        iterator = DataServiceIterator(self, next(self._iterations))
        run.workers.add(iterator)
        return iterator if not reading.consumers else RoundRobinIterator(iterator)


class DataServiceIterator(StageIterator):
    """An iterator over the elements that threads fetch, one for each task of the iteration."""

    def __init__(self, stage: DataServiceStage, number: int) -> None:
        self.elements, self._reading = stage.elements, stage.reading
        reading = stage.reading
        self.client = uuid.uuid4().hex
        self._dispatcher = Caller(reading.service, DISPATCHER_SECONDS)
        self._first_call(stage.dataset_id, number)
        self._queue: queue.Queue[Any] = queue.Queue(max(reading.most_waiting, 0) or 16)
        self._fetchers: dict[int, threading.Thread] = {}
        self._tasks: dict[int, str] = {}
        self._is_finished, self._next_refresh = False, 0.0
        self._stopped = threading.Event()

    def _first_call(self, dataset_id: str, number: int) -> None:
        reading = self._reading
        caller = Caller(reading.service)  # a service that is not there is an error at once
        try:
            self._iteration = caller.call(
                "open_iteration",
                client=self.client,
                job_name=reading.job_name,
                number=number,
                dataset_id=dataset_id,
                policy=int(reading.policy),
                consumers=reading.consumers,
                is_cached=bool(reading.trainer),
            ).values["iteration"]
        finally:
            caller.close()

    # ---------------------------------------------------------------- tasks
    def open_tasks(self) -> dict[int, str]:
        """Returns the workers of the open tasks, by the number of the task."""
        self._next_refresh = time.monotonic() + _REFRESH_SECONDS
        answer = self._dispatcher.call("tasks", iteration=self._iteration, client=self.client)
        self._is_finished = answer.values["is_finished"]
        tasks = dict(answer.values["tasks"])
        if self._reading.is_local:
            tasks = {number: worker for number, worker in tasks.items() if worker in local_workers}
        self._tasks = tasks
        return tasks

    def _refresh(self) -> None:
        """Starts the threads of new tasks."""
        for number, worker in self.open_tasks().items():
            thread = self._fetchers.get(number)
            if thread is None or not thread.is_alive():
                thread = threading.Thread(
                    target=self._fetch, args=(number, worker), name="twinflow-fetch", daemon=True
                )
                self._fetchers[number] = thread
                thread.start()

    def _fetch(self, number: int, worker: str) -> None:
        """Fetches the elements of a task, until its end or until the worker is gone."""
        caller = Caller(worker)
        try:
            while not self._stopped.is_set():
                try:
                    element = self.element(caller, number)
                except UnavailableError:
                    return  # the dispatcher knows if there is a task yet
                except Exception as error:
                    self._put(_Failure(error))
                    continue
                if element is None:
                    return
                self._put(element)
        finally:
            caller.close()
            self._next_refresh = 0.0

    def element(self, caller: Caller, task: int) -> Element | None:
        """Returns the next element of a task; None at the end."""
        reading = self._reading
        answer = caller.call(
            "get_element", task=task, consumer=reading.consumer, trainer=reading.trainer
        )
        if answer.values["is_end"]:
            return None
        return self.elements.element(answer.arrays)

    def _put(self, item: Any) -> None:
        while not self._stopped.is_set():
            try:
                self._queue.put(item, timeout=_REFRESH_SECONDS)
                return
            except queue.Full:
                continue

    # ---------------------------------------------------------------- elements
    def __next__(self) -> Element:
        while True:
            if time.monotonic() >= self._next_refresh and not self._is_finished:
                self._refresh()
            try:
                item = self._queue.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                if self._is_over():
                    self.stop()
                    raise StopIteration from None
                continue
            if isinstance(item, _Failure):
                raise item.error
            element: Element = item
            return element

    def _is_over(self) -> bool:
        if self._stopped.is_set():
            return True
        is_fetching = any(thread.is_alive() for thread in self._fetchers.values())
        return self._is_finished and not is_fetching and self._queue.empty()

    def save(self) -> Any:
        """Raises UnimplementedError: an iteration of the data service has no position."""
        raise UnimplementedError(
            None, None, "SaveInternal for DataServiceDataset is not yet supported."
        )

    def stop(self) -> None:
        """Lets the threads end, and releases the iteration."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        threading.Thread(target=self._release, name="twinflow-release", daemon=True).start()

    def _release(self) -> None:
        caller = Caller(self._reading.service)
        with contextlib.suppress(OpError):  # a dispatcher that has ended has dropped the iteration
            caller.call("release", iteration=self._iteration, client=self.client)
        caller.close()
        self._dispatcher.close()


class _Failure(NamedTuple):
    """An error in place of an element."""

    error: Exception


class RoundRobinIterator(StageIterator):
    """An iterator that takes an element of each task in turn: its share of each round.

    All consumers read the tasks in the same order, so that the elements of a round come from one
    worker.
    """

    def __init__(self, source: DataServiceIterator) -> None:
        self.elements, self._source = source.elements, source
        self._callers: list[tuple[int, Caller]] = []
        self._turn = 0

    def __next__(self) -> Element:
        while not self._callers:
            tasks = self._source.open_tasks()
            self._callers = [(number, Caller(tasks[number])) for number in sorted(tasks)]
            if not tasks:
                time.sleep(_LOOK_SECONDS)
        number, caller = self._callers[self._turn]
        self._turn = (self._turn + 1) % len(self._callers)
        element = self._source.element(caller, number)
        if element is None:
            raise StopIteration
        return element

    def save(self) -> Any:
        """Raises UnimplementedError: an iteration of the data service has no position."""
        return self._source.save()
