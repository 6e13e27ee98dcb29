"""Contexts of replicas, of per-replica value functions and of distributed input."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NamedTuple

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.dtypes import int32
from twinflow._src.dispatch.op import API
from twinflow._src.wings.distribute import strategy_context
from twinflow._src.wings.distribute.cross_device import ReduceOp, reduce_op_of
from twinflow._src.wings.distribute.values import DistributedValues, mapped


class ReplicaContext:
    """The context of a replica: its id, its device, and collectives with the other replicas.

    Args:
        strategy: The strategy.
        replica_id_in_sync_group: The replica id, an integer or a tensor.
    """

    __module__ = "twinflow.distribute"

    def __init__(self, strategy: Any, replica_id_in_sync_group: Any) -> None:
        self._strategy, self._number = strategy, int(replica_id_in_sync_group)

    @property
    def strategy(self) -> Any:
        """The strategy of the replica."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return int(self._strategy.num_replicas_in_sync)

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The id of this replica, from 0, as a tensor."""
        return convert_to_tensor(self._number, dtype=int32)

    @property
    def devices(self) -> Any:
        """The device of this replica."""
        return [self._strategy.extended.worker_devices_by_replica[self._number]]

    def _require_here(self) -> None:
        frame = strategy_context.current()
        if frame is not None and frame.replica is not self:
            raise RuntimeError("Context mismatch: this replica context is not the current one.")

    # ---------------------------------------------------------------- collectives
    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """Synchronizes all replicas and calls a function once in cross-replica context.

        Args:
            merge_fn: Called with the strategy and the merged arguments of all replicas.
            args: Its positional arguments.
            kwargs: Its keyword arguments.

        Returns:
            The function's result; this replica's component of per-replica values.
        """
        self._require_here()
        return self._merge_call(merge_fn, tuple(args), dict(kwargs or {}))

    def _merge_call(
        self, merge_fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        frame = strategy_context.Frame(self._strategy)
        with strategy_context.entered(frame):
            return merge_fn(self._strategy, *args, **kwargs)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """Reduces values across replicas and returns the result to all of them.

        Args:
            reduce_op: A ``tf.distribute.ReduceOp``, or ``"SUM"`` or ``"MEAN"``.
            value: A tensor, an ``IndexedSlices``, or a structure of them.
            options: Accepted and without effect.
        """
        op = reduce_op_of(reduce_op)
        flat: list[Any] = []
        mapped(flat.append, value)
        results = iter(self._all_reduce_values(op, flat))
        return mapped(lambda _: next(results), value)

    def _all_reduce_values(self, reduce_op: ReduceOp, values: list[Any]) -> list[Any]:
        if self.num_replicas_in_sync == 1:
            return [
                value if isinstance(value, IndexedSlices) else API["identity"](value)
                for value in values
            ]
        if any(isinstance(value, IndexedSlices) for value in values):
            return self._reduced(reduce_op, values)

        @API["custom_gradient"]
        def reduced(*xs: Any) -> Any:
            ys = self._reduced(reduce_op, [API["identity"](x) for x in xs], values)
            return ys, lambda *dys: self._reduced(reduce_op, list(dys))

        for value in values:
            value.dtype  # noqa: B018 - Python numbers are refused
        results = reduced(*values)
        return list(results) if isinstance(results, (list, tuple)) else [results]

    def _reduced(
        self, reduce_op: ReduceOp, values: list[Any], originals: list[Any] | None = None
    ) -> list[Any]:
        """Reduces values; where an original is one tensor in all replicas, that is the result."""
        count = len(values)

        def merged(strategy: Any, *args: Any) -> Any:
            pairs = [
                (value if isinstance(original, DistributedValues) else original, value)
                for value, original in zip(args[:count], args[count:])
            ]
            return strategy.extended.batch_reduce_to(reduce_op, pairs)

        args = (*values, *(values if originals is None else originals))
        return list(self.merge_call(merged, args=args))

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Concatenates values across replicas and returns the result to all of them.

        Args:
            value: A tensor, or a structure of tensors.
            axis: The axis of the concatenation.
            options: Accepted and without effect.
        """

        return mapped(lambda x: self._all_gather_value(x, axis), value)

    def _all_gather_value(self, value: Any, axis: int) -> Any:
        """Concatenates a tensor; the gradient is this replica's part of the sum of all."""

        def merged(strategy: Any, values: Any) -> Any:
            return strategy.extended._gather_to(values, values, axis)

        def gather(x: Any) -> Any:
            return convert_to_tensor(self.merge_call(merged, args=(x,)))

        if self.num_replicas_in_sync == 1 or not is_tensor(value):
            return gather(value)

        @API["custom_gradient"]
        def gathered(x: Any) -> Any:
            def gradient(dy: Any) -> Any:
                size = API["shape"](x)[axis]
                total = self._reduced(ReduceOp.SUM, [dy])[0]
                sizes = convert_to_tensor(
                    self.merge_call(merged_sizes, args=(API["reshape"](size, [1]),))
                )
                number = self.replica_id_in_sync_group
                first = API["reduce_sum"](sizes[:number])
                rows = API["range"](first, first + size)
                return API["gather"](total, rows, axis=axis)

            return gather(API["identity"](x)), gradient

        def merged_sizes(strategy: Any, sizes: Any) -> Any:
            return strategy.extended._gather_to(sizes, sizes, 0)

        return gathered(value)


class ValueContext:
    """The context of a per-replica value function.

    Args:
        replica_id_in_sync_group: The replica id.
        num_replicas_in_sync: The number of replicas.
    """

    __module__ = "twinflow.distribute.experimental"

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._number, self._count = replica_id_in_sync_group, num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._count

    @property
    def replica_id_in_sync_group(self) -> int:
        """The replica id."""
        return self._number

    def __str__(self) -> str:
        return f"tf.distribute.ValueContext(replica id {self._number},  total replicas in sync: {self._count})"


# ------------------------------------------------------------------ distributed input


class InputReplicationMode(enum.Enum):
    """The replication of input functions: per worker or per replica."""

    __module__ = "twinflow.distribute"

    PER_WORKER = "PER_WORKER"
    PER_REPLICA = "PER_REPLICA"


class InputContext:
    """The context of an input function.

    Args:
        num_input_pipelines: The number of input pipelines.
        input_pipeline_id: The index of this input pipeline.
        num_replicas_in_sync: The number of replicas.
    """

    __module__ = "twinflow.distribute"

    def __init__(
        self,
        num_input_pipelines: int = 1,
        input_pipeline_id: int = 0,
        num_replicas_in_sync: int = 1,
    ) -> None:
        self._pipelines, self._id, self._replicas = (
            num_input_pipelines,
            input_pipeline_id,
            num_replicas_in_sync,
        )

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return self._replicas

    @property
    def input_pipeline_id(self) -> int:
        """The index of this input pipeline."""
        return self._id

    @property
    def num_input_pipelines(self) -> int:
        """The number of input pipelines."""
        return self._pipelines

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """Returns the batch size per replica.

        Args:
            global_batch_size: The global batch size.

        Raises:
            ValueError: The global batch size is not divisible by the number of replicas.
        """
        if global_batch_size % self._replicas:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by "
                f"`num_replicas_in_sync` {self._replicas} "
            )
        return global_batch_size // self._replicas

    def __str__(self) -> str:
        return f"tf.distribute.InputContext(input pipeline id {self._id}, total: {self._pipelines})"


class InputOptions(NamedTuple):
    """Options of distributed input; accepted and without effect."""

    experimental_fetch_to_device: bool = True
    experimental_replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER
    experimental_place_dataset_on_device: bool = False
    experimental_per_replica_buffer_size: int = 1


InputOptions.__module__ = "twinflow.distribute"


class RunOptions(NamedTuple):
    """Options of ``Strategy.run``; accepted and without effect."""

    experimental_enable_dynamic_batch_size: bool = True
    experimental_bucketizing_dynamic_shape: bool = False
    experimental_xla_options: Any = None


RunOptions.__module__ = "twinflow.distribute"
