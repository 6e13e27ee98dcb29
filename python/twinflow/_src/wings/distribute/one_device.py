"""Everything on one device."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from twinflow._src.core.scopes import device as device_block
from twinflow._src.wings.distribute.cross_device import canonical
from twinflow._src.wings.distribute.extended import StrategyExtended
from twinflow._src.wings.distribute.reduce_op import ReduceOp
from twinflow._src.wings.distribute.replica_context import ReplicaContext
from twinflow._src.wings.distribute.strategy import Strategy, StrategyV1


class OneDeviceExtended(StrategyExtended):
    """See ``StrategyExtended``."""

    def _surroundings(self) -> AbstractContextManager[Any]:
        return device_block(self._devices[0])

    def _context(self, number: int) -> ReplicaContext:
        return _OneDeviceReplicaContext(self._strategy, number)

    def _reduce_to(self, reduce_op: ReduceOp, value: Any, destinations: Any) -> Any:
        return value


class _OneDeviceReplicaContext(ReplicaContext):
    """The one replica."""

    @property
    def devices(self) -> Any:
        """The device."""
        return self._strategy.extended.worker_devices


class OneDeviceStrategy(Strategy):
    """Puts variables and computations on one device.

    Args:
        device: The name of the device.
    """

    __module__ = "twinflow.distribute"

    def __init__(self, device: str) -> None:
        super().__init__(OneDeviceExtended(self, (canonical(device),)))


class OneDeviceStrategyV1(StrategyV1):
    """Puts variables and computations on one device; see ``OneDeviceStrategy``.

    Args:
        device: The name of the device.
    """

    def __init__(self, device: str) -> None:
        super().__init__(OneDeviceExtended(self, (canonical(device),)))
