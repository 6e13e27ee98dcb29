"""``tf.distribute.MirroredStrategy``: every device has a copy of each variable and works on a part of the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.core.context import runtime
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.variables.options import VariableSynchronization
from twinflow._src.wings.distribute.cross_device import canonical
from twinflow._src.wings.distribute.extended import StrategyExtended
from twinflow._src.wings.distribute.replica_threads import run_replicas
from twinflow._src.wings.distribute.replica_turns import run_in_turns, runs_in_turns
from twinflow._src.wings.distribute.replicas import MirroredReplicaContext, Replica
from twinflow._src.wings.distribute.strategy import Strategy, StrategyV1
from twinflow._src.wings.distribute.synchronized import mirrored_variable


def all_devices() -> tuple[str, ...]:
    """The GPUs; the CPUs where there are none."""
    kinds = {kind: [d.name for d in runtime.devices if d.kind == kind] for kind in ("GPU", "CPU")}
    return tuple(kinds["GPU"] or kinds["CPU"])


class MirroredExtended(StrategyExtended):
    """See ``StrategyExtended``.

    Args:
        container_strategy: The strategy.
        devices: The names of the devices; all GPUs, or all CPUs, where None.
        cross_device_ops: How values of several devices become one.

    Raises:
        AssertionError: A device is named twice.
        RuntimeError: Some devices are said to be on another machine.
    """

    def __init__(self, container_strategy: Any, devices: Any = None, cross_device_ops: Any = None) -> None:
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
        return (run_in_turns if runs_in_turns(fn) else run_replicas)(self, fn, args, kwargs)

    def _created(self, make: Callable[..., Any], options: dict[str, Any]) -> Any:
        if options.get("synchronization") is VariableSynchronization.NONE:
            raise ValueError(
                "`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please change "
                f"the `synchronization` for variable: {options.get('name')}"
            )
        return mirrored_variable(self._strategy, self._devices, make, options)


class MirroredStrategy(Strategy):
    """Runs functions on several devices of one machine; each has a copy of every variable.

    Args:
        devices: The names of the devices; all GPUs, or all CPUs, where None.
        cross_device_ops: How values of several devices become one.
    """

    __module__ = "twinflow.distribute"

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__(MirroredExtended(self, devices, cross_device_ops))


class MirroredStrategyV1(StrategyV1):
    """Runs functions on several devices; see ``MirroredStrategy``.

    Args:
        devices: The names of the devices; all GPUs, or all CPUs, where None.
        cross_device_ops: How values of several devices become one.
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        super().__init__(MirroredExtended(self, devices, cross_device_ops))
