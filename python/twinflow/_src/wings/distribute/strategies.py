"""The strategies of ``tf.distribute`` for one process: mirrored, central storage, one device."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from twinflow._src.core.context import runtime
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.core.scopes import device
from twinflow._src.core.scopes import device as device_block
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.variables.options import VariableSynchronization
from twinflow._src.variables.variable import Variable
from twinflow._src.wings.distribute import strategy_context
from twinflow._src.wings.distribute.cross_device import ReduceOp, canonical, has_aggregation
from twinflow._src.wings.distribute.replica_context import ReplicaContext
from twinflow._src.wings.distribute.replicas import (
    MirroredReplicaContext,
    Replica,
    must_run_nested,
    run_nested,
    run_replicas,
)
from twinflow._src.wings.distribute.strategy import Strategy, StrategyExtended, StrategyV1
from twinflow._src.wings.distribute.variables import Copy, make_assignment, mirrored_variable

# ------------------------------------------------------------------ MirroredStrategy


def all_devices() -> tuple[str, ...]:
    """Returns the names of all GPUs, or of all CPUs if there are none."""
    kinds = {kind: [d.name for d in runtime.devices if d.kind == kind] for kind in ("GPU", "CPU")}
    return tuple(kinds["GPU"] or kinds["CPU"])


class MirroredExtended(StrategyExtended):
    """The extended part of ``MirroredStrategy``; see ``StrategyExtended``."""

    def __init__(
        self, container_strategy: Any, devices: Any = None, cross_device_ops: Any = None
    ) -> None:
        names = tuple(map(canonical, devices)) if devices else all_devices()
        if len(set(names)) != len(names):
            raise AssertionError(f"No duplicates allowed in `devices` argument: {names}")
        if devices and any(DeviceSpec.from_string(name).job is not None for name in devices):
            raise RuntimeError(
                "In-graph multi-worker training with `MirroredStrategy` is not supported in eager mode."
            )
        super().__init__(container_strategy, names, cross_device_ops)

    def _replica_context(self, number: int, replica: Replica) -> MirroredReplicaContext:
        return MirroredReplicaContext(self._strategy, number, replica)

    def _run(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return (run_nested if must_run_nested(fn) else run_replicas)(self, fn, args, kwargs)

    def _created(self, make: Callable[..., Any], options: dict[str, Any]) -> Any:
        if options.get("synchronization") is VariableSynchronization.NONE:
            raise ValueError(
                "`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please change "
                f"the `synchronization` for variable: {options.get('name')}"
            )
        return mirrored_variable(self._strategy, self._devices, make, options)

    def _loaded(self, make: Callable[..., Any], name: str) -> Any:
        without_value = lambda name, **_: make(name=name.rstrip("/"))
        return mirrored_variable(self._strategy, self._devices, without_value, {"name": name})


class MirroredStrategy(Strategy):
    """Synchronous training on several devices of one machine, with mirrored variables.

    Args:
        devices: The device names; all GPUs, or all CPUs, if None.
        cross_device_ops: The cross-device ops.
    """

    __module__ = "twinflow.distribute"

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__(MirroredExtended(self, devices, cross_device_ops))


@documented_like(MirroredStrategy)
class MirroredStrategyV1(StrategyV1):
    """Synchronous training on several devices of one machine; see ``MirroredStrategy``."""

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__(MirroredExtended(self, devices, cross_device_ops))


# ------------------------------------------------------------------ CentralStorageStrategy


class AggregatingVariable(Copy):
    """A variable shared by all replicas; values assigned in replicas are aggregated first."""

    def _aggregate(self, method: str, value: Any, options: dict[str, Any]) -> Any:
        write = getattr(super(), method)
        frame = strategy_context.current()
        if frame is None or frame.replica is None:
            return write(value, **options)
        if has_aggregation(self.aggregation, "NONE"):
            raise ValueError(
                "You must specify an aggregation method to update a a variable in replica context. You can do so by "
                f"passing an explicit value for argument `aggregation` to tf.Variable(..). e.g. `tf.Variable(..., "
                f"aggregation=tf.VariableAggregation.SUM)`. (variable: {self.name})"
            )

        def merged(strategy: Any, value: Any) -> Any:
            extended = strategy.extended
            if has_aggregation(self.aggregation, "ONLY_FIRST_REPLICA"):
                value = extended._local_results(value)[0]
            else:
                reduce_op = ReduceOp.from_variable_aggregation(self.aggregation)
                value = extended._reduce_to(reduce_op, value, self.device)
            return write(value, **options)

        return frame.replica.merge_call(merged, args=(value,))


for _name in ("assign", "assign_add", "assign_sub"):
    _doc = f"See ``tf.Variable.{_name}``."
    setattr(AggregatingVariable, _name, make_assignment(_name, "_aggregate", _doc))


class CentralStorageExtended(MirroredExtended):
    """The extended part of ``CentralStorageStrategy``; see ``StrategyExtended``."""

    def __init__(
        self,
        container_strategy: Any,
        compute_devices: Any = None,
        parameter_device: str | None = None,
    ) -> None:
        if compute_devices is None:
            compute_devices = [n.split("task:0")[1] for n in all_devices()]
            if "CPU" in compute_devices[0]:
                compute_devices = compute_devices[:1]
        super().__init__(container_strategy, compute_devices)
        alone = len(self._devices) == 1
        default = self._devices[0] if alone else runtime.host.name
        self._parameter_device = parameter_device or default

    @property
    def worker_devices(self) -> Any:
        """The compute devices."""
        return list(self._devices)

    @property
    def parameter_devices(self) -> Any:
        """The device of the variables."""
        return (self._parameter_device,)

    def non_slot_devices(self, var_list: Any) -> Any:
        """Returns the device of optimizer state that belongs to no variable in particular."""
        return min(var_list, key=lambda v: str(v.name)) if var_list else self._parameter_device

    def _created(self, make: Callable[..., Any], options: dict[str, Any]) -> Any:
        options = {k: v for k, v in options.items() if k != "use_resource"}
        with device(canonical(self._parameter_device)):
            created = make(**options)
        state = vars(created)
        variable: Variable = AggregatingVariable.__new__(AggregatingVariable)
        vars(variable).update(state)
        return variable


CentralStorageExtended.__name__ = CentralStorageExtended.__qualname__ = (
    "ParameterServerStrategyExtended"
)


class CentralStorageStrategy(Strategy):
    """Places variables on one device and computation on several.

    Args:
        compute_devices: The compute devices; all GPUs, or the first CPU, if None.
        parameter_device: The device of the variables; if None, the only compute device, or the
            first CPU.
    """

    __module__ = "twinflow.distribute.experimental"

    def __init__(self, compute_devices: Any = None, parameter_device: str | None = None) -> None:
        super().__init__(CentralStorageExtended(self, compute_devices, parameter_device))


class CentralStorageStrategyV1(StrategyV1):
    """Places variables on one device and computation on several; see ``CentralStorageStrategy``.

    Args:
        compute_devices: The compute devices; all GPUs, or the first CPU, if None.
        parameter_device: The device of the variables.
    """

    def __init__(self, compute_devices: Any = None, parameter_device: str | None = None) -> None:
        super().__init__(CentralStorageExtended(self, compute_devices, parameter_device))


# ------------------------------------------------------------------ OneDeviceStrategy


class OneDeviceExtended(StrategyExtended):
    """The extended part of ``OneDeviceStrategy``; see ``StrategyExtended``."""

    def _surroundings(self) -> AbstractContextManager[Any]:
        return device_block(self._devices[0])

    def _context(self, number: int) -> ReplicaContext:
        return _OneDeviceReplicaContext(self._strategy, number)

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        return value


class _OneDeviceReplicaContext(ReplicaContext):
    """The context of the only replica."""

    @property
    def devices(self) -> Any:
        """The device."""
        return self._strategy.extended.worker_devices


class OneDeviceStrategy(Strategy):
    """Places variables and computation on one device.

    Args:
        device: The device name.
    """

    __module__ = "twinflow.distribute"

    def __init__(self, device: str) -> None:
        super().__init__(OneDeviceExtended(self, (canonical(device),)))


@documented_like(OneDeviceStrategy)
class OneDeviceStrategyV1(StrategyV1):
    """Places variables and computation on one device; see ``OneDeviceStrategy``."""

    def __init__(self, device: str) -> None:
        super().__init__(OneDeviceExtended(self, (canonical(device),)))


# ------------------------------------------------------------------ TPUs

_NO_TPU = "Please provide a TPU Name to connect to."


class TPUStrategyV2(Strategy):
    """The strategy of TPUs, which libraries tell from others; there are none here.

    Args:
        tpu_cluster_resolver: Accepted and without effect.
        experimental_device_assignment: Accepted and without effect.
        experimental_spmd_xla_partitioning: Accepted and without effect.

    Raises:
        ValueError: Always: there is no TPU.
    """

    __module__ = "twinflow.distribute"

    def __init__(
        self,
        tpu_cluster_resolver: Any = None,
        experimental_device_assignment: Any = None,
        experimental_spmd_xla_partitioning: bool = False,
    ) -> None:
        raise ValueError(_NO_TPU)


@documented_like(TPUStrategyV2)
class TPUStrategy(Strategy):
    """The older strategy of TPUs; see ``TPUStrategyV2``.

    Args:
        device_assignment: Accepted and without effect.
    """

    __module__ = "twinflow.distribute.experimental"

    def __init__(self, tpu_cluster_resolver: Any = None, device_assignment: Any = None) -> None:
        raise ValueError(_NO_TPU)
