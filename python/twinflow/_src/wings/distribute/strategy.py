"""``tf.distribute.Strategy``, and the default strategy of one replica."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from twinflow._src.autograph.autograph import converted
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.dispatch.op import API
from twinflow._src.function.function import Function
from twinflow._src.variables.options import creators
from twinflow._src.wings.distribute import strategy_context
from twinflow._src.wings.distribute.cross_device import ReduceOp, reduce_op_of
from twinflow._src.wings.distribute.extended import StrategyExtended
from twinflow._src.wings.distribute.replica_context import ReplicaContext, ValueContext
from twinflow._src.wings.distribute.values import PerReplica, mapped, regroup

# Strategies.


_NO_DATASETS = (
    "twinflow has no tf.data, so there are no datasets to deal out: give each replica its values with "
    "Strategy.experimental_distribute_values_from_function."
)


class StrategyBase:
    """Base class of strategies for TensorFlow 1 and 2.

    Args:
        extended: The extended part, for library code.
    """

    def __init__(self, extended: Any) -> None:
        self._traces_for_each = extended._retrace_functions_for_each_device
        self._extended = extended
        self._whole: dict[int, tuple[Any, Function]] = {}

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
        known = self._whole.get(id(fn))
        if known is None:
            inner = converted(fn.python_function) if fn._autograph else fn.python_function
            call = self._extended.call_for_each_replica
            known = self._whole[id(fn)] = (
                fn,
                Function(lambda args, kwargs: call(inner, args, kwargs), fn.name, autograph=False),
            )
        return known[1]

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
        chosen = reduce_op_of(reduce_op)
        strategy_context.require_cross_replica(self._extended)
        return mapped(lambda one: self._reduced(chosen, one, axis), value)

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
        return mapped(lambda one: self._extended._gather_to(one, where, axis), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """Returns the per-replica values as a tuple.

        Args:
            value: The result of ``run``.
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
        found = [value_fn(ValueContext(i, count)) for i in range(count)]
        return found[0] if count == 1 else regroup(found, PerReplica, always=True)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Not supported: there are no datasets.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(_NO_DATASETS)

    def distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        """Not supported: there are no datasets.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(_NO_DATASETS)

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
        strategy, there = self._strategy, strategy_context.current()
        if there is not None and there.strategy is strategy:
            strategy_context.require_cross_replica(strategy.extended)
            self._undo.append(None)
            return strategy
        if there is not None:
            raise strategy_context.mixing(strategy, there.strategy)
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


# Default strategy: one replica on the current device.


class _DefaultDistributionStrategy(Strategy):
    """The strategy outside any strategy scope, without effect."""

    def __init__(self) -> None:
        super().__init__(_DefaultDistributionExtended(self, ("",)))

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
        """Undefined: ops run on the current device.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    @property
    def parameter_devices(self) -> Any:
        """Undefined: variables are placed on the current device.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(
            "parameter_devices() method unsupported by default tf.distribute.Strategy."
        )

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
