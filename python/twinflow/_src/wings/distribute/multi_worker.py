"""``tf.distribute.MultiWorkerMirroredStrategy``: synchronous training of several processes."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime
from twinflow._src.core.scopes import init_scope
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.wings.distribute import collective_ops
from twinflow._src.wings.distribute.auto_sharding import agreed_dataset, worker_dataset
from twinflow._src.wings.distribute.cluster_spec import ClusterSpec, TFConfigClusterResolver
from twinflow._src.wings.distribute.collectives import group_of
from twinflow._src.wings.distribute.cross_device import (
    Mirrored,
    ReduceOp,
    broadcast,
    summed,
)
from twinflow._src.wings.distribute.distributed_datasets import (
    DistributedDataset,
    group_batches,
    zip_batches,
)
from twinflow._src.wings.distribute.replica_context import (
    InputContext,
)
from twinflow._src.wings.distribute.replicas import MirroredReplicaContext, Replica
from twinflow._src.wings.distribute.strategies import MirroredExtended
from twinflow._src.wings.distribute.strategy import Strategy, StrategyV1
from twinflow._src.wings.distribute.values import DistributedValues

# ------------------------------------------------------------------ options


class CommunicationImplementation(enum.Enum):
    """The implementation of collective communication.

    ``RING`` passes messages also between processes of one host, which share memory otherwise.
    ``NCCL`` is the same as ``AUTO``.
    """

    __module__ = "twinflow.distribute.experimental"

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """Options of collective communication.

    Args:
        bytes_per_pack: The size in bytes of gradients that are added together; 0 for all of a dtype.
        timeout_seconds: The time limit of a collective, after which DeadlineExceededError is
            raised; None to wait as long as all workers live.
        implementation: A ``CommunicationImplementation``, or its name.

    Raises:
        ValueError: ``bytes_per_pack`` is negative, or the implementation is unknown.
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: Any = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        self.bytes_per_pack, self.timeout_seconds = bytes_per_pack, timeout_seconds
        self.implementation = implementation


CommunicationOptions.__name__ = CommunicationOptions.__qualname__ = "Options"


def collective_hints(
    bytes_per_pack: int = 0, timeout_seconds: float | None = None
) -> CommunicationOptions:
    """Deprecated alias of ``CommunicationOptions``.

    Args:
        bytes_per_pack: The size in bytes of gradients that are added together.
        timeout_seconds: The time limit of a collective.
    """
    return CommunicationOptions(bytes_per_pack, timeout_seconds)


# ------------------------------------------------------------------ the cluster


def _ranks(spec: ClusterSpec, task_type: str | None) -> list[tuple[str, int]]:
    """Returns the tasks that train together: the chief, then the workers; an evaluator is alone."""
    if task_type == "evaluator":
        return []
    jobs = [job for job in ("chief", "worker") if job in spec.jobs]
    return [(job, i) for job in jobs for i in spec.task_indices(job)]


def _check_cluster(spec: ClusterSpec, task_type: Any, task_id: Any) -> None:
    """Raises ValueError for clusters and tasks that the strategy does not have."""
    allowed = ("chief", "worker", "evaluator", "ps", None)
    if any(job not in allowed for job in spec.jobs):
        raise ValueError(
            f"Disallowed task type found in cluster spec. Allowed types are {allowed} and the cluster spec is {spec}."
        )
    if "chief" in spec.jobs and spec.num_tasks("chief") > 1:
        raise ValueError("There must be at most one 'chief' job.")
    if task_type is None or task_id is None:
        raise ValueError(
            "When `cluster_spec` is given, you must also specify `task_type` and `task_id`."
        )
    if task_type not in spec.jobs:
        raise ValueError(f"`task_type` {task_type!r} not found in cluster_spec.")
    if task_type not in ("chief", "worker", "evaluator"):
        raise ValueError(f"There is no id for task_type {task_type!r}")
    if task_id not in spec.task_indices(task_type):
        raise ValueError(f"The `task_id` {task_id} exceeds the maximum id of {task_type}.")


def addresses_of(resolver: Any) -> tuple[list[str], int]:
    """Returns the addresses of the workers and the rank of this one; none for a single worker."""
    spec, task = ClusterSpec(resolver.cluster_spec()), (resolver.task_type, resolver.task_id)
    if not spec:
        return [], 0
    _check_cluster(spec, *task)
    ranks = _ranks(spec, task[0])
    return [spec.task_address(*place) for place in ranks], ranks.index(task) if ranks else 0


# ------------------------------------------------------------------ the strategy


class WorkerReplicaContext(MirroredReplicaContext):
    """The context of a replica of one of several workers."""

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The id of this replica among those of all workers, from 0, as a tensor."""
        extended = self._strategy.extended
        return convert_to_tensor(extended._first_replica + self._number, dtype="int32")


WorkerReplicaContext.__name__ = WorkerReplicaContext.__qualname__ = "_MirroredReplicaContext"


class CollectiveAllReduceExtended(MirroredExtended):
    """The extended part of the strategy; see ``StrategyExtended``."""

    experimental_between_graph = True

    def __init__(
        self, container_strategy: Any, cluster_resolver: Any = None, options: Any = None
    ) -> None:
        self._cluster_resolver = cluster_resolver or TFConfigClusterResolver()
        self._options = options or CommunicationOptions()
        gpus = [f"/device:GPU:{d.index}" for d in runtime.devices if d.kind == "GPU"]
        super().__init__(container_strategy, gpus or ["/device:CPU:0"])
        self._group: Any = None
        self._first_replica = 0
        self._join(*addresses_of(self._cluster_resolver))

    def _join(self, addresses: list[str], rank: int) -> None:
        if len(addresses) < 2:
            return
        shares = self._options.implementation is not CommunicationImplementation.RING
        self._group = group_of(addresses, rank, self._options.timeout_seconds, shares)
        self._first_replica = rank * len(self._devices)
        self.should_checkpoint = self.should_save_summary = rank == 0

    @property
    def _num_replicas_in_sync(self) -> int:
        workers = 1 if self._group is None else self._group.size
        return len(self._devices) * workers

    @property
    def _num_workers(self) -> int:
        return 1 if self._group is None else int(self._group.size)

    def _in_multi_worker_mode(self) -> bool:
        return self._group is not None

    def _replica_context(self, number: int, replica: Replica) -> MirroredReplicaContext:
        return WorkerReplicaContext(self._strategy, number, replica)

    # ---------------------------------------------------------------- variables
    def _created(self, make: Callable[..., Any], options: dict[str, Any]) -> Any:
        variable = super()._created(make, options)
        if self._group is not None:
            with init_scope():
                first = variable.values[0]
                value = collective_ops.broadcast(self._group, first._read())
                for each in variable.values:
                    each.assign(value, read_value=False)
        return variable

    # ---------------------------------------------------------------- input
    @property
    def _replica_ids(self) -> range:
        return range(self._first_replica, self._first_replica + len(self._devices))

    def _distribute_dataset(self, dataset: Any, fetch: bool) -> Any:
        if self._group is None:
            return super()._distribute_dataset(dataset, fetch)
        dataset._variant_tensor  # noqa: B018 - other values are refused, as in TensorFlow
        count = len(self._devices)
        local = worker_dataset(dataset, self._group, count)
        places = self._devices if fetch else None
        return DistributedDataset(group_batches(local, count), places, dataset.cardinality())

    def _distribute_from_function(
        self, dataset_fn: Callable[[InputContext], Any], is_per_replica: bool, fetch: bool
    ) -> Any:
        if self._group is None:
            return super()._distribute_from_function(dataset_fn, is_per_replica, fetch)
        context = InputContext(self._group.size, self._group.rank, self._num_replicas_in_sync)
        count = len(self._devices)
        datasets = [dataset_fn(context) for _ in range(count if is_per_replica else 1)]
        for dataset in datasets:
            dataset.element_spec  # noqa: B018 - other values are refused, as in TensorFlow
        agreed = [agreed_dataset(dataset, self._group, dataset) for dataset in datasets]
        whole = zip_batches(agreed) if is_per_replica else group_batches(agreed[0], count)
        return DistributedDataset(whole, self._devices if fetch else None)

    # ---------------------------------------------------------------- per-replica values
    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        if self._group is None:
            return super()._reduce_to(reduce_op, value, destinations)
        return self.batch_reduce_to(reduce_op, [(value, destinations)])[0]

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Reduces several per-replica values; see ``CrossDeviceOps.reduce``."""
        if self._group is None:
            return super().batch_reduce_to(reduce_op, value_destination_pairs, options)
        op = reduce_op if isinstance(reduce_op, ReduceOp) else ReduceOp(reduce_op.upper())
        results: list[Any] = [value for value, _ in value_destination_pairs]
        open_ = [i for i, value in enumerate(results) if not _is_mean(op, value)]
        sums = [self._local_sum(results[i]) for i in open_]
        mean_of = self._num_replicas_in_sync if op is ReduceOp.MEAN else 0
        pack_bytes = (options or self._options).bytes_per_pack
        totals = collective_ops.all_reduce(self._group, sums, mean_of, pack_bytes)
        for i, total in zip(open_, totals, strict=True):
            destinations = value_destination_pairs[i][1]
            results[i] = broadcast(total, self._local(destinations))
        return results

    def _local(self, destinations: Any) -> Any:
        """Returns destinations, of which a plain value stands for those of this worker."""
        if isinstance(destinations, (str, DistributedValues)) or hasattr(destinations, "device"):
            return destinations
        if isinstance(destinations, IndexedSlices):
            return destinations
        return self._devices[0]

    def _local_sum(self, value: Any) -> Any:
        """Returns the sum over the replicas of this worker."""
        if isinstance(value, DistributedValues):
            values = [x._read() if hasattr(x, "assign") else x for x in value.values]
        else:
            tensor = value if isinstance(value, IndexedSlices) else convert_to_tensor(value)
            values = [tensor] * len(self._devices)
        return values[0] if len(values) == 1 else summed(values)

    def _gather_to(self, value: Any, destinations: Any, axis: int) -> Any:
        if self._group is None:
            return super()._gather_to(value, destinations, axis)
        values = value.values if isinstance(value, DistributedValues) else (value,)
        local = convert_to_tensor(values[0])
        if len(values) > 1:
            local = API["concat"]([API["identity"](x) for x in values], axis)
        if local.shape.rank == 0:
            raise ValueError(
                "Tensor conversion of a scalar to gather: all-gather needs at least one dimension."
            )
        gathered = collective_ops.all_gather(self._group, local, axis)
        return broadcast(gathered, self._local(destinations))


def _is_mean(op: ReduceOp, value: Any) -> bool:
    """True for values that equal their mean."""
    return op is ReduceOp.MEAN and isinstance(value, Mirrored) and not hasattr(value, "assign")


# ------------------------------------------------------------------ public classes


class CollectiveAllReduceStrategy(Strategy):
    """Synchronous training on the devices of several workers, with mirrored variables.

    Each worker is a process that runs the same program. Its task is in ``TF_CONFIG``, or comes from
    a cluster resolver. All workers make the same variables, whose first values are those of the
    first worker, and call the same functions in the same order.

    Args:
        cluster_resolver: The cluster resolver; ``TFConfigClusterResolver`` if None.
        communication_options: A ``tf.distribute.experimental.CommunicationOptions``.

    Raises:
        DeadlineExceededError: Not all workers start within five minutes.
        UnavailableError: The address of this worker is in use.
        ValueError: The task is not in the cluster.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        super().__init__(CollectiveAllReduceExtended(self, cluster_resolver, communication_options))


class CollectiveAllReduceStrategyOlder(Strategy):
    """Synchronous training on several workers; see ``CollectiveAllReduceStrategy``.

    Args:
        communication: A ``CommunicationImplementation``.
        cluster_resolver: The cluster resolver; ``TFConfigClusterResolver`` if None.
    """

    def __init__(
        self, communication: Any = CommunicationImplementation.AUTO, cluster_resolver: Any = None
    ) -> None:
        options = CommunicationOptions(implementation=communication)
        super().__init__(CollectiveAllReduceExtended(self, cluster_resolver, options))


@documented_like(CollectiveAllReduceStrategyOlder)
class CollectiveAllReduceStrategyV1(StrategyV1):
    """Synchronous training on several workers; see ``CollectiveAllReduceStrategy``."""

    def __init__(
        self, communication: Any = CommunicationImplementation.AUTO, cluster_resolver: Any = None
    ) -> None:
        options = CommunicationOptions(implementation=communication)
        super().__init__(CollectiveAllReduceExtended(self, cluster_resolver, options))


CollectiveAllReduceStrategyOlder.__name__ = CollectiveAllReduceStrategyOlder.__qualname__ = (
    "CollectiveAllReduceStrategy"
)
