"""``tf.distribute.StrategyExtended``: the part of strategies for library code."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.scopes import device
from twinflow._src.wings.distribute import mirrored_values, strategy_context
from twinflow._src.wings.distribute.cross_device import (
    CollectiveAllReduce,
    ReduceOp,
    broadcast,
    current_device,
    reduce_op_of,
)
from twinflow._src.wings.distribute.replica_context import ReplicaContext
from twinflow._src.wings.distribute.values import DistributedValues, Mirrored, regroup, select

_keys = itertools.count()


class StrategyExtended:
    """The extended part of a strategy, for library code; this class is for one device.

    Args:
        container_strategy: The strategy.
        devices: The full device names, one for each replica.
        cross_device_ops: The cross-device ops.
    """

    __module__ = "twinflow.distribute"

    experimental_between_graph = False
    experimental_should_init = True
    experimental_require_static_shapes = False
    experimental_enable_get_next_as_optional = True
    should_checkpoint = should_save_summary = True

    def __init__(self, container_strategy: Any, devices: Any, cross_device_ops: Any = None) -> None:
        self._strategy, self._devices, self._key = container_strategy, tuple(devices), next(_keys)
        self._cross_device_ops = cross_device_ops or CollectiveAllReduce()

    # ---------------------------------------------------------------- devices
    @property
    def worker_devices(self) -> Any:
        """The compute devices."""
        return self._devices

    @property
    def parameter_devices(self) -> Any:
        """The devices of variables."""
        return self._devices

    @property
    def worker_devices_by_replica(self) -> Any:
        """The devices of each replica."""
        return [[name] for name in self._devices]

    @property
    def _num_replicas_in_sync(self) -> int:
        return len(self._devices)

    @property
    def _retrace_functions_for_each_device(self) -> bool:
        return len(self._devices) > 1

    def non_slot_devices(self, var_list: Any) -> Any:
        """Returns the devices of optimizer state that belongs to no variable in particular."""
        return self._devices

    def _surroundings(self) -> AbstractContextManager[Any]:
        """Returns an additional context manager of the strategy's scope."""
        return nullcontext()

    # ---------------------------------------------------------------- variables
    def _created(self, make: Callable[..., Any], options: dict[str, Any]) -> Any:
        """Creates a variable of the strategy.

        Args:
            make: Creates an ordinary variable.
            options: The arguments of ``tf.Variable``.
        """
        return make(**options)

    def _variable(self, make: Callable[..., Any], options: dict[str, Any]) -> Any:
        made = self._created(make, options)
        made._strategy = self._strategy
        return made

    def variable_created_in_scope(self, v: Any) -> bool:
        """Returns True if a variable was created in the strategy's scope."""
        return getattr(v, "_strategy", None) is self._strategy

    def value_container(self, value: Any) -> Any:
        """Returns the distributed variable of a component; other values are returned unchanged."""
        container = getattr(value, "_distributed_container", None)
        return value if container is None else container()

    def colocate_vars_with(self, colocate_with_variable: Any) -> AbstractContextManager[Any]:
        """Context manager that colocates new variables with another one; without effect.

        Raises:
            RuntimeError: The strategy's scope is not active.
        """
        self._require_scope()
        return nullcontext()

    def _require_scope(self) -> None:
        there = strategy_context.get_strategy()
        if there is not self._strategy:
            if strategy_context.has_strategy():
                raise strategy_context.mixing(self._strategy, there)
            raise RuntimeError(f'Need to be inside "with strategy.scope()" for {self._strategy}')

    def read_var(self, v: Any) -> Any:
        """Reads the value of a variable."""
        return v.read_value()

    # ---------------------------------------------------------------- execution and updates
    def call_for_each_replica(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None
    ) -> Any:
        """Calls a function once per replica.

        Args:
            fn: The function.
            args: Its positional arguments.
            kwargs: Its keyword arguments.

        Raises:
            RuntimeError: Called in a replica context.
        """
        strategy_context.require_cross_replica(self)
        with self._strategy.scope():
            return self._run(fn, tuple(args), dict(kwargs or {}))

    def _run(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with (
            self._on(0),
            strategy_context.entered(strategy_context.Frame(self._strategy, self._context(0))),
        ):
            return fn(*args, **kwargs)

    def _on(self, number: int) -> AbstractContextManager[Any]:
        return device(self._devices[number])

    def _context(self, number: int) -> ReplicaContext:
        return ReplicaContext(self._strategy, number)

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: Any = None,
        group: bool = True,
    ) -> Any:
        """Calls a function on each component of a variable, on the component's device.

        Args:
            var: A variable.
            fn: Called with a component and the arguments; per-replica arguments are unwrapped.
            args: Its positional arguments.
            kwargs: Its keyword arguments.
            group: If True, groups the results into one value.

        Returns:
            The grouped result, or a tuple of the results.
        """
        strategy_context.require_cross_replica(self)
        copies = var.values if isinstance(var, DistributedValues) else (var,)
        found = [self._updated(i, copy, fn, args, kwargs or {}) for i, copy in enumerate(copies)]
        return _grouped(found, len(copies) > 1, group)

    def _updated(
        self, number: int, copy: Any, fn: Callable[..., Any], args: Any, kwargs: Any
    ) -> Any:
        frame = strategy_context.Frame(self._strategy, None, number)
        with device(copy.device), strategy_context.entered(frame):
            return fn(copy, *select(number, tuple(args)), **select(number, kwargs))

    def update_non_slot(
        self,
        colocate_with: Any,
        fn: Callable[..., Any],
        args: Any = (),
        kwargs: Any = None,
        group: bool = True,
    ) -> Any:
        """Calls a function on devices.

        Args:
            colocate_with: The result of ``non_slot_devices``.
            fn: The function.
            args: Its positional arguments.
            kwargs: Its keyword arguments.
            group: If True, groups the results into one value.
        """
        strategy_context.require_cross_replica(self)
        names = (colocate_with,) if isinstance(colocate_with, str) else tuple(colocate_with)
        found = []
        for i, name in enumerate(names):
            with (
                device(name),
                strategy_context.entered(strategy_context.Frame(self._strategy, None, i)),
            ):
                found.append(fn(*select(i, tuple(args)), **select(i, kwargs or {})))
        return _grouped(found, len(names) > 1, group)

    # ---------------------------------------------------------------- per-replica values
    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """Reduces per-replica values; see ``CrossDeviceOps.reduce``."""
        strategy_context.require_cross_replica(self)
        return self._reduce_to(reduce_op_of(reduce_op), value, destinations)

    def batch_reduce_to(
        self, reduce_op: Any, value_destination_pairs: Any, options: Any = None
    ) -> list[Any]:
        """Reduces several per-replica values; see ``CrossDeviceOps.reduce``."""
        strategy_context.require_cross_replica(self)
        chosen = reduce_op_of(reduce_op)
        return [
            self._reduce_to(chosen, value, destinations)
            for value, destinations in value_destination_pairs
        ]

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        if (
            isinstance(value, Mirrored)
            and not hasattr(value, "assign")
            and reduce_op is ReduceOp.MEAN
        ):
            return value
        if isinstance(value, DistributedValues):
            return self._cross_device_ops.reduce(reduce_op, value, destinations)
        if self._num_replicas_in_sync == 1:
            return value
        if reduce_op is ReduceOp.MEAN:
            return self.broadcast_to(value, destinations)
        if type(value) in (int, float) and value == 0:
            return 0
        raise ValueError(
            f"A non-DistributedValues value {value!s} cannot be reduced with the given reduce op {reduce_op}."
        )

    def broadcast_to(self, tensor: Any, destinations: Any) -> Any:
        """Copies a tensor to devices; see ``CrossDeviceOps.broadcast``."""
        strategy_context.require_cross_replica(self)
        return (
            tensor
            if type(tensor) in (int, float)
            else broadcast(convert_to_tensor(tensor), destinations)
        )

    def _reduce(self, reduce_op: ReduceOp, value: Any) -> Any:
        found = self._reduce_to(reduce_op, value, current_device())
        return self._local_results(found)[0]

    def _gather_to(self, value: Any, destinations: Any, axis: int) -> Any:
        if not isinstance(value, DistributedValues):
            return value
        return self._cross_device_ops._gather(value, destinations, axis)

    def _local_results(self, value: Any) -> tuple[Any, ...]:
        return value.values if isinstance(value, DistributedValues) else (value,)


def _grouped(found: list[Any], several: bool, group: bool) -> Any:
    if not group:
        return tuple(found) if several else found[0]
    return regroup(found, mirrored_values.Mirrored) if several else found[0]
