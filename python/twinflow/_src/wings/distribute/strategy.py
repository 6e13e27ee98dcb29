"""``tf.distribute.Strategy`` and ``StrategyExtended``, and the default strategy of one replica."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from twinflow._src.autograph.autograph import converted
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.scopes import device
from twinflow._src.dispatch.op import API
from twinflow._src.function.function import Function
from twinflow._src.variables.options import creators
from twinflow._src.wings.distribute import cross_device, strategy_context
from twinflow._src.wings.distribute.auto_sharding import only_worker_dataset
from twinflow._src.wings.distribute.cross_device import (
    CollectiveAllReduce,
    ReduceOp,
    broadcast,
    current_device,
    reduce_op_of,
)
from twinflow._src.wings.distribute.distributed_datasets import distribute, distribute_from_function
from twinflow._src.wings.distribute.replica_context import (
    InputContext,
    InputReplicationMode,
    ReplicaContext,
    ValueContext,
)
from twinflow._src.wings.distribute.values import (
    DistributedValues,
    Mirrored,
    PerReplica,
    mapped,
    regroup,
    select,
)

# ------------------------------------------------------------------ the extended part


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

    def _in_multi_worker_mode(self) -> bool:
        """Returns True if several processes work together."""
        return False

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
    def _replica_ids(self) -> range:
        """The ids of the replicas of this process."""
        return range(len(self._devices))

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
        """Creates a variable of the strategy with ``make``, which creates an ordinary variable."""
        return make(**options)

    def _variable(self, make: Callable[..., Any], options: dict[str, Any]) -> Any:
        variable = self._created(make, options)
        variable._strategy = self._strategy
        return variable

    def _loaded(self, make: Callable[..., Any], name: str) -> Any:
        """Creates a variable of a SavedModel, without a value, with ``make``, which takes a name."""
        return make(name=name)

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
        current = strategy_context.get_strategy()
        if current is not self._strategy:
            if strategy_context.has_strategy():
                raise strategy_context.mixing(self._strategy, current)
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
        context = strategy_context.get_replica_context()
        if context is not None and context.num_replicas_in_sync > 1:  # a replica meets the others
            merged = lambda strategy, args, kwargs: self.update(var, fn, args, kwargs, group)
            return context.merge_call(merged, args=(tuple(args), dict(kwargs or {})))
        strategy_context.require_cross_replica(self)
        copies = var.values if isinstance(var, DistributedValues) else (var,)
        results = [
            self._update_component(i, copy, fn, args, kwargs or {}) for i, copy in enumerate(copies)
        ]
        return _group_results(results, len(copies) > 1, group)

    def _update_component(
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
        results = []
        for i, name in enumerate(names):
            with (
                device(name),
                strategy_context.entered(strategy_context.Frame(self._strategy, None, i)),
            ):
                results.append(fn(*select(i, tuple(args)), **select(i, kwargs or {})))
        return _group_results(results, len(names) > 1, group)

    # ---------------------------------------------------------------- input
    def _distribute_dataset(self, dataset: Any, fetch: bool) -> Any:
        """Returns a distributed dataset of a dataset of global batches."""
        dataset._variant_tensor  # noqa: B018 - other values are refused, as in TensorFlow
        return distribute(only_worker_dataset(dataset), self.worker_devices, fetch)

    def _distribute_from_function(
        self, dataset_fn: Callable[[InputContext], Any], is_per_replica: bool, fetch: bool
    ) -> Any:
        """Returns a distributed dataset of batches for single replicas."""
        context = InputContext(1, 0, self._num_replicas_in_sync)
        return distribute_from_function(
            lambda: dataset_fn(context), self.worker_devices, is_per_replica, fetch
        )

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
        op = reduce_op_of(reduce_op)
        return [
            self._reduce_to(op, value, destinations)
            if isinstance(value, DistributedValues) or not is_tensor(value)
            else value  # one value for all replicas, which TensorFlow does not reduce here
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
        reduced = self._reduce_to(reduce_op, value, current_device())
        return self._local_results(reduced)[0]

    def _gather_to(self, value: Any, destinations: Any, axis: int) -> Any:
        if not isinstance(value, DistributedValues):
            return value
        return self._cross_device_ops._gather(value, destinations, axis)

    def _local_results(self, value: Any) -> tuple[Any, ...]:
        if isinstance(value, DistributedValues):
            return value.values
        if isinstance(value, (list, tuple, Mapping)):
            return tuple([select(i, value) for i in range(len(self._devices))])
        return (value,)


def _group_results(results: list[Any], several: bool, group: bool) -> Any:
    if not group:
        return tuple(results) if several else results[0]
    return regroup(results, cross_device.Mirrored) if several else results[0]


# ------------------------------------------------------------------ strategies


def _is_fetched(options: Any) -> bool:
    """True if values of distributed datasets are copied to the devices of their replicas."""
    return options is None or bool(options.experimental_fetch_to_device)


class StrategyBase:
    """Base class of strategies for TensorFlow 1 and 2.

    Args:
        extended: The extended part, for library code.
    """

    # True of the strategies whose steps a coordinator schedules on workers.
    _should_use_with_coordinator = False

    def __init__(self, extended: Any) -> None:
        self._traces_for_each = extended._retrace_functions_for_each_device
        self._extended = extended
        self._functions: dict[int, tuple[Any, Function]] = {}

    @property
    def extended(self) -> Any:
        """The extended part, for library code."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """The number of replicas."""
        return int(self._extended._num_replicas_in_sync)

    @property
    def cluster_resolver(self) -> Any:
        """The cluster resolver; None for strategies on one machine."""
        return getattr(self._extended, "_cluster_resolver", None)

    def scope(self) -> Any:
        """Returns a context manager in which this strategy is current and creates the variables.

        Returns:
            A context manager that returns the strategy.
        """
        return _Block(self)

    # ---------------------------------------------------------------- execution
    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Calls a function once per replica, on the replica's device.

        Args:
            fn: A function, or a ``tf.function``.
            args: Its positional arguments; per-replica values are unwrapped.
            kwargs: Its keyword arguments.
            options: Accepted and without effect.

        Returns:
            Per-replica values of the results; if all replicas return the same object, that object.

        Raises:
            RuntimeError: Called in a replica context, or in the scope of another strategy.
        """
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        args, kwargs = tuple(args), dict(kwargs or {})
        with self.scope():
            if isinstance(fn, Function) and thread.scope.graph is None:
                return self._function_of(fn)(args, kwargs)
            body = (
                converted(fn)
                if thread.scope.graph is not None and not isinstance(fn, Function)
                else fn
            )
            return self._extended.call_for_each_replica(body, args, kwargs)

    def _function_of(self, fn: Function) -> Function:
        """Returns a ``tf.function`` that runs a function on all replicas and is traced as one."""
        cached = self._functions.get(id(fn))
        if cached is None:
            inner = converted(fn.python_function) if fn._autograph else fn.python_function
            call = self._extended.call_for_each_replica
            cached = self._functions[id(fn)] = (
                fn,
                Function(lambda args, kwargs: call(inner, args, kwargs), fn.name, autograph=False),
            )
        return cached[1]

    # ---------------------------------------------------------------- per-replica values
    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """Reduces per-replica values to one tensor.

        Args:
            reduce_op: A ``tf.distribute.ReduceOp``, or ``"SUM"`` or ``"MEAN"``.
            value: Per-replica values, or a structure of them.
            axis: The axes to reduce within each replica as well, or None.

        Raises:
            ValueError: ``reduce_op`` is unknown, or the value is not a per-replica value.
        """
        op = reduce_op_of(reduce_op)
        strategy_context.require_cross_replica(self._extended)
        return mapped(lambda component: self._reduced(op, component, axis), value)

    def _reduced(self, reduce_op: ReduceOp, value: Any, axis: Any) -> Any:
        if axis is None:
            return self._extended._reduce(reduce_op, value)
        if isinstance(axis, list):
            hash(axis)
        if reduce_op is ReduceOp.SUM:
            return self._extended._reduce(
                reduce_op, self.run(lambda v: API["reduce_sum"](v, axis), (value,))
            )
        total, count = self.run(lambda v: _sum_and_count(v, axis), (value,))
        total, count = (self._extended._reduce(ReduceOp.SUM, part) for part in (total, count))
        return API["truediv"](total, count)

    def gather(self, value: Any, axis: int) -> Any:
        """Concatenates per-replica values.

        Args:
            value: Per-replica values, or a structure of them.
            axis: The axis of the concatenation.

        Returns:
            A tensor on the first device.
        """
        strategy_context.require_cross_replica(self._extended)
        from twinflow._src.wings.distribute.cross_device import current_device

        where = current_device()
        return mapped(lambda component: self._extended._gather_to(component, where, axis), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Returns the per-replica values as a tuple.

        Args:
            value: The result of ``run``; of a structure, a structure for each replica is returned.
        """
        return tuple(self._extended._local_results(value))

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        """Creates per-replica values with a function.

        Args:
            value_fn: Called for each replica with a ``ValueContext``.

        Raises:
            ValueError: Called in a replica context.
        """
        count = self.num_replicas_in_sync
        values = [value_fn(ValueContext(i, count)) for i in self._extended._replica_ids]
        return values[0] if count == 1 else regroup(values, PerReplica, always=True)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Returns a dataset whose elements are values for the replicas.

        Args:
            dataset: A dataset of global batches. Each is cut into as many parts of equal size as there
                are replicas; the last parts may be smaller or empty.
            options: A ``tf.distribute.InputOptions``; with ``experimental_fetch_to_device=False``
                values stay on the host.

        Raises:
            IndexError: The dataset has scalars, and there are several replicas.
            NotImplementedError: The replication mode is ``PER_REPLICA``.
        """
        mode = getattr(options, "experimental_replication_mode", None)
        if mode is InputReplicationMode.PER_REPLICA:
            raise NotImplementedError(
                "InputReplicationMode.PER_REPLICA is only supported in `distribute_datasets_from_function`."
            )
        return self._extended._distribute_dataset(dataset, _is_fetched(options))

    def distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        """Returns a dataset whose elements are values for the replicas, from those of a function.

        Args:
            dataset_fn: A function of a ``tf.distribute.InputContext`` that returns a dataset of batches
                for single replicas, of which each replica takes the next one.
            options: A ``tf.distribute.InputOptions``; with the mode ``PER_REPLICA`` each replica has a
                dataset of its own.
        """
        mode = getattr(options, "experimental_replication_mode", None)
        is_per_replica = mode is InputReplicationMode.PER_REPLICA
        return self._extended._distribute_from_function(
            dataset_fn, is_per_replica, _is_fetched(options)
        )

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    # ---------------------------------------------------------------- deprecated names
    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """Deprecated alias of ``experimental_local_results``."""
        return self.experimental_local_results(value)

    def group(self, value: Any, name: str | None = None) -> Any:
        """Returns an op that depends on all per-replica values."""
        return API["group"](*self.experimental_local_results(value), name=name)

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """See ``extended.colocate_vars_with``."""
        return self._extended.colocate_vars_with(colocate_with_variable)

    def configure(self, *args: Any, **kwargs: Any) -> None:
        """Accepted and without effect on one machine."""

    def update_config_proto(self, config_proto: Any) -> Any:
        """Returns the session configuration unchanged."""
        return config_proto


class Strategy(StrategyBase):
    """A policy for distributing computation over devices."""

    __module__ = "twinflow.distribute"


class StrategyV1(StrategyBase):
    """A policy for distributing computation over devices, for TensorFlow 1."""


class _Block:
    """The context manager of ``Strategy.scope``."""

    def __init__(self, strategy: StrategyBase) -> None:
        self._strategy, self._undo = strategy, []  # type: ignore[var-annotated]

    def __enter__(self) -> StrategyBase:
        strategy, frame = self._strategy, strategy_context.current()
        if frame is not None and frame.strategy is strategy:
            strategy_context.require_cross_replica(strategy.extended)
            self._undo.append(None)
            return strategy
        if frame is not None:
            raise strategy_context.mixing(strategy, frame.strategy)
        around = strategy.extended._surroundings()
        around.__enter__()
        self._undo.append((around, strategy_context.frames.stack, creators.stack))
        strategy_context.frames.stack = (
            *strategy_context.frames.stack,
            strategy_context.Frame(strategy),
        )
        creators.stack = (
            *creators.stack,
            lambda make, **options: strategy.extended._variable(make, options),
        )
        return strategy

    def __exit__(self, *exc: Any) -> None:
        undo = self._undo.pop()
        if undo is not None:
            around, strategy_context.frames.stack, creators.stack = undo
            around.__exit__(*exc)


def _sum_and_count(value: Any, axis: Any) -> tuple[Any, Any]:
    """Returns the sum over an axis, and the number of summed elements."""
    tensor = convert_to_tensor(value)
    total = API["reduce_sum"](tensor, axis)
    sizes = API["gather"](API["shape"](tensor, out_type=as_dtype("int64")), axis)
    return total, API["cast"](API["reduce_prod"](sizes), total.dtype)


# ------------------------------------------------------------------ default strategy


class _DefaultDistributionStrategy(Strategy):
    """The strategy outside any strategy scope, without effect."""

    def __init__(self) -> None:
        super().__init__(_DefaultDistributionExtended(self, ("",)))

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Returns the dataset itself.

        Args:
            dataset: A dataset.
            options: Accepted and without effect.
        """
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        """Returns the dataset of a function.

        Args:
            dataset_fn: A function of a ``tf.distribute.InputContext``.
            options: Accepted and without effect.
        """
        return dataset_fn(InputContext())

    def scope(self) -> Any:
        """Returns a context manager without effect."""
        if strategy_context.has_strategy():
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        return nullcontext(self)

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Calls a function; see ``Strategy``."""
        return fn(*args, **(kwargs or {}))


class _DefaultDistributionExtended(StrategyExtended):
    """The extended part of the default strategy; see ``StrategyExtended``."""

    @property
    def worker_devices(self) -> Any:
        """Undefined: ops run on the current device."""
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    @property
    def parameter_devices(self) -> Any:
        """Undefined: variables are placed on the current device."""
        raise RuntimeError(
            "parameter_devices() method unsupported by default tf.distribute.Strategy."
        )

    def variable_created_in_scope(self, v: Any) -> bool:
        """Returns True if a variable was created outside the scopes of other strategies."""
        return getattr(v, "_strategy", None) is None

    def _run(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return fn(*args, **kwargs)

    def _on(self, number: int) -> AbstractContextManager[Any]:
        return nullcontext()

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        return value


class _DefaultReplicaContext(ReplicaContext):
    """The context of the only replica."""

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The replica id."""
        return 0

    @property
    def devices(self) -> Any:
        """The current device."""
        return ("",)

    def _require_here(self) -> None:
        if strategy_context.has_strategy():
            raise RuntimeError("The default replica context is not the current one.")


@functools.cache
def default_frame() -> strategy_context.Frame:
    """Returns the frame of the default strategy."""
    strategy = _DefaultDistributionStrategy()
    return strategy_context.Frame(strategy, _DefaultReplicaContext(strategy, 0))
