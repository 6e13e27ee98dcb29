"""Everything on one device."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from ..scopes import device as device_block
from .cross_device import canonical
from .extended import StrategyExtended
from .reduce_op import ReduceOp
from .replica_context import ReplicaContext
from .strategy import Strategy, StrategyV1


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

    def __init__(self, device: str) -> None:
        super().__init__(OneDeviceExtended(self, (canonical(device),)))


class OneDeviceStrategyV1(StrategyV1):
    """Puts variables and computations on one device; see ``OneDeviceStrategy``.

    Args:
        device: The name of the device.
    """

    def __init__(self, device: str) -> None:
        super().__init__(OneDeviceExtended(self, (canonical(device),)))
