"""What a replica knows of itself, and how it meets the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32
from twinflow._src.dispatch.op import API
from twinflow._src.wings.distribute import strategy_context
from twinflow._src.wings.distribute.cross_device import ReduceOp, reduce_op_of
from twinflow._src.wings.distribute.values import mapped


class ReplicaContext:
    """What a replica knows of itself.

    Args:
        strategy: The strategy.
        replica_id_in_sync_group: The number of the replica, an integer or a tensor.
    """

    __module__ = "twinflow.distribute"

    def __init__(self, strategy: Any, replica_id_in_sync_group: Any) -> None:
        self._strategy, self._number = strategy, int(replica_id_in_sync_group)

    @property
    def strategy(self) -> Any:
        """The strategy that the replica is part of."""
        return self._strategy

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return int(self._strategy.num_replicas_in_sync)

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of this replica, from 0, as a tensor."""
        return convert_to_tensor(self._number, dtype=int32)

    @property
    def devices(self) -> Any:
        """The device of this replica."""
        return [self._strategy.extended.worker_devices_by_replica[self._number]]

    def _require_here(self) -> None:
        frame = strategy_context.current()
        if frame is not None and frame.replica is not self:
            raise RuntimeError("Context mismatch: this replica context is not the current one.")

    # ---------------------------------------------------------------- meeting the others
    def merge_call(self, merge_fn: Callable[..., Any], args: Any = (), kwargs: Any = None) -> Any:
        """Waits for all replicas, and calls a function once for all of them.

        Args:
            merge_fn: Called with the strategy and the arguments of all replicas.
            args: Positional arguments.
            kwargs: Arguments by name.

        Returns:
            The function's result; of values for each replica that of this one.
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
        """Makes one value of those of all replicas, and gives it to each.

        Args:
            reduce_op: A ``tf.distribute.ReduceOp``, or ``"SUM"`` or ``"MEAN"``.
            value: A tensor, a sparse gradient, or a structure of them.
            options: Accepted and without effect.
        """
        chosen = reduce_op_of(reduce_op)
        flat: list[Any] = []
        mapped(flat.append, value)
        found = iter(self._all_reduced(chosen, flat))
        return mapped(lambda _: next(found), value)

    def _all_reduced(self, reduce_op: ReduceOp, values: list[Any]) -> list[Any]:
        if self.num_replicas_in_sync == 1:
            return [
                value if isinstance(value, IndexedSlices) else API["identity"](value)
                for value in values
            ]
        if any(isinstance(value, IndexedSlices) for value in values):
            return self._reduced(reduce_op, values)

        @API["custom_gradient"]
        def reduced(*xs: Any) -> Any:
            ys = self._reduced(reduce_op, [API["identity"](x) for x in xs])
            return ys, lambda *dys: self._reduced(reduce_op, list(dys))

        for value in values:
            value.dtype  # noqa: B018 - Python numbers are refused
        found = reduced(*values)
        return list(found) if isinstance(found, (list, tuple)) else [found]

    def _reduced(self, reduce_op: ReduceOp, values: list[Any]) -> list[Any]:
        def merged(strategy: Any, *all_values: Any) -> Any:
            pairs = [(value, value) for value in all_values]
            return strategy.extended.batch_reduce_to(reduce_op, pairs)

        return list(self.merge_call(merged, args=tuple(values)))

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """Joins the values of all replicas, and gives the whole to each.

        Args:
            value: A tensor, or a structure of them.
            axis: The dimension along which they are joined.
            options: Accepted and without effect.
        """

        def merged(strategy: Any, mine: Any) -> Any:
            return strategy.extended._gather_to(mine, mine, axis)

        return mapped(lambda x: convert_to_tensor(self.merge_call(merged, args=(x,))), value)


class ValueContext:
    """What a function that makes values for replicas is told.

    Args:
        replica_id_in_sync_group: The number of the replica.
        num_replicas_in_sync: The number of replicas.
    """

    __module__ = "twinflow.distribute.experimental"

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self._number, self._count = replica_id_in_sync_group, num_replicas_in_sync

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return self._count

    @property
    def replica_id_in_sync_group(self) -> int:
        """The number of the replica."""
        return self._number

    def __str__(self) -> str:
        return f"tf.distribute.ValueContext(replica id {self._number},  total replicas in sync: {self._count})"
