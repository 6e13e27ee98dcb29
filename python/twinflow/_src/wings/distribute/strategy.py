"""``tf.distribute.Strategy``: the part of a strategy that programs use.

The strategy where none was put in force: one replica, wherever operations run.
"""

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
from twinflow._src.variables.creator_scopes import creators
from twinflow._src.wings.distribute import strategy_context
from twinflow._src.wings.distribute.cross_device import ReduceOp, reduce_op_of
from twinflow._src.wings.distribute.extended import StrategyExtended
from twinflow._src.wings.distribute.replica_context import ReplicaContext, ValueContext
from twinflow._src.wings.distribute.values import PerReplica, mapped, regroup

# ``tf.distribute.Strategy``: the part of a strategy that programs use.


_NO_DATASETS = (
    "twinflow has no tf.data, so there are no datasets to deal out: give each replica its values with "
    "Strategy.experimental_distribute_values_from_function."
)


class StrategyBase:
    """What strategies for TensorFlow 1 and 2 share.

    Args:
        extended: The part that libraries use.
    """

    def __init__(self, extended: Any) -> None:
        self._traces_for_each = extended._retrace_functions_for_each_device
        self._extended = extended
        self._whole: dict[int, tuple[Any, Function]] = {}

    @property
    def extended(self) -> Any:
        """The part that libraries use."""
        return self._extended

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas there are."""
        return int(self._extended._num_replicas_in_sync)

    @property
    def cluster_resolver(self) -> Any:
        """What knows the machines; None on one machine."""
        return getattr(self._extended, "_cluster_resolver", None)

    def scope(self) -> Any:
        """A block in which variables are those of the strategy.

        Returns:
            A context manager, which gives the strategy.
        """
        return _Block(self)

    # ---------------------------------------------------------------- running
    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Calls a function once for each replica, on its device.

        Args:
            fn: A function, or what ``tf.function`` gives.
            args: Positional arguments; of values for each replica it gets its own.
            kwargs: Arguments by name.
            options: Accepted and without effect.

        Returns:
            The function's result: values for each replica, or where all gave the same object that one.

        Raises:
            RuntimeError: A replica calls this, or another strategy is in force.
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
        """A function that runs another one on all replicas, and is traced as a whole."""
        known = self._whole.get(id(fn))
        if known is None:
            inner = converted(fn.python_function) if fn._autograph else fn.python_function
            call = self._extended.call_for_each_replica
            known = self._whole[id(fn)] = (
                fn,
                Function(lambda args, kwargs: call(inner, args, kwargs), fn.name, autograph=False),
            )
        return known[1]

    # ---------------------------------------------------------------- values of all replicas
    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """Makes one tensor of the values of all replicas.

        Args:
            reduce_op: A ``tf.distribute.ReduceOp``, or ``"SUM"`` or ``"MEAN"``.
            value: The values, or a structure of such.
            axis: The dimensions that are reduced as well, or None.

        Raises:
            ValueError: ``reduce_op`` is no such thing, or the value is not of several replicas.
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
        """Joins the values of all replicas.

        Args:
            value: The values, or a structure of such.
            axis: The dimension along which they are joined.

        Returns:
            A tensor on the first device.
        """
        strategy_context.require_cross_replica(self._extended)
        from twinflow._src.wings.distribute.cross_device import current_device

        where = current_device()
        return mapped(lambda one: self._extended._gather_to(one, where, axis), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The values of all replicas as a tuple.

        Args:
            value: What ``run`` gave.
        """
        return tuple(self._extended._local_results(value))

    def experimental_distribute_values_from_function(
        self, value_fn: Callable[[ValueContext], Any]
    ) -> Any:
        """Makes values for all replicas.

        Args:
            value_fn: Called for each replica with a ``ValueContext``.

        Raises:
            ValueError: A replica calls this.
        """
        count = self.num_replicas_in_sync
        found = [value_fn(ValueContext(i, count)) for i in range(count)]
        return found[0] if count == 1 else regroup(found, PerReplica, always=True)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """Refused: there are no datasets.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(_NO_DATASETS)

    def distribute_datasets_from_function(self, dataset_fn: Any, options: Any = None) -> Any:
        """Refused: there are no datasets.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(_NO_DATASETS)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    # ---------------------------------------------------------------- older names
    def unwrap(self, value: Any) -> tuple[Any, ...]:
        """The older name of ``experimental_local_results``."""
        return self.experimental_local_results(value)

    def group(self, value: Any, name: str | None = None) -> Any:
        """An operation that depends on the values of all replicas."""
        return API["group"](*self.experimental_local_results(value), name=name)

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """See ``extended.colocate_vars_with``."""
        return self._extended.colocate_vars_with(colocate_with_variable)

    def configure(self, *args: Any, **kwargs: Any) -> None:
        """Accepted and without effect: there is nothing to set on one machine."""

    def update_config_proto(self, config_proto: Any) -> Any:
        """A configuration of sessions, as it is."""
        return config_proto


class Strategy(StrategyBase):
    """How computations are spread over devices."""

    __module__ = "twinflow.distribute"


class StrategyV1(StrategyBase):
    """How computations are spread over devices, for TensorFlow 1."""


class _Block:
    """A block in which a strategy is in force."""

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
    """The sum over dimensions of a tensor, and over how many elements."""
    tensor = convert_to_tensor(value)
    total = API["reduce_sum"](tensor, axis)
    sizes = API["gather"](API["shape"](tensor, out_type=as_dtype("int64")), axis)
    return total, API["cast"](API["reduce_prod"](sizes), total.dtype)


# The strategy where none was put in force: one replica, wherever operations run.


class _DefaultDistributionStrategy(Strategy):
    """Does nothing."""

    def __init__(self) -> None:
        super().__init__(_DefaultDistributionExtended(self, ("",)))

    def scope(self) -> Any:
        """A block in which nothing is different."""
        if strategy_context.has_strategy():
            raise RuntimeError("Must not nest tf.distribute.Strategy scopes.")
        return nullcontext(self)

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, options: Any = None
    ) -> Any:
        """Calls a function; see ``Strategy``."""
        return fn(*args, **(kwargs or {}))


class _DefaultDistributionExtended(StrategyExtended):
    """See ``StrategyExtended``."""

    @property
    def worker_devices(self) -> Any:
        """Unknown: operations run where they are put.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("worker_devices() method unsupported by default tf.distribute.Strategy.")

    @property
    def parameter_devices(self) -> Any:
        """Unknown: variables are where they are put.

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
    """The one replica."""

    @property
    def replica_id_in_sync_group(self) -> Any:
        """The number of this replica."""
        return 0

    @property
    def devices(self) -> Any:
        """The device: wherever operations run."""
        return ("",)

    def _require_here(self) -> None:
        if strategy_context.has_strategy():
            raise RuntimeError("The default replica context is not the current one.")


@functools.cache
def default_frame() -> strategy_context.Frame:
    """What holds where no strategy was put in force."""
    strategy = _DefaultDistributionStrategy()
    return strategy_context.Frame(strategy, _DefaultReplicaContext(strategy, 0))
