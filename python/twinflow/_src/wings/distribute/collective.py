"""``tf.distribute.MultiWorkerMirroredStrategy`` for one worker: the devices of this machine."""

from __future__ import annotations

import enum
from typing import Any

from twinflow._src.core.context import runtime
from twinflow._src.wings.distribute.cluster_spec import TFConfigClusterResolver
from twinflow._src.wings.distribute.strategies import MirroredExtended
from twinflow._src.wings.distribute.strategy import Strategy, StrategyV1


class CommunicationImplementation(enum.Enum):
    """The implementation of collective communication; accepted and without effect."""

    __module__ = "twinflow.distribute.experimental"

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions:
    """Options of collective communication; accepted and without effect.

    Args:
        bytes_per_pack: The pack size in bytes; 0 for automatic.
        timeout_seconds: The timeout.
        implementation: A ``CommunicationImplementation``, or its name.

    Raises:
        ValueError: ``bytes_per_pack`` is negative, or the implementation is unknown.
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: Any = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(f"Argument `bytes_per_pack` must be >=0, Received {bytes_per_pack}.")
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        self.bytes_per_pack, self.timeout_seconds = bytes_per_pack, timeout_seconds
        self.implementation = implementation


CommunicationOptions.__name__ = CommunicationOptions.__qualname__ = "Options"


def collective_hints(
    bytes_per_pack: int = 0, timeout_seconds: float | None = None
) -> CommunicationOptions:
    """Deprecated alias of ``CommunicationOptions``.

    Args:
        bytes_per_pack: The pack size in bytes; 0 for automatic.
        timeout_seconds: The timeout.
    """
    return CommunicationOptions(bytes_per_pack, timeout_seconds)


class CollectiveAllReduceExtended(MirroredExtended):
    """The extended part of the strategy; see ``StrategyExtended``.

    Args:
        container_strategy: The strategy.
        cluster_resolver: The cluster resolver; ``TFConfigClusterResolver`` if None.

    Raises:
        NotImplementedError: There are several workers.
    """

    def __init__(self, container_strategy: Any, cluster_resolver: Any = None) -> None:
        self._cluster_resolver = cluster_resolver or TFConfigClusterResolver()
        tasks = self._cluster_resolver.cluster_spec().as_dict()
        if sum(len(tasks.get(job, ())) for job in ("chief", "worker")) > 1:
            raise NotImplementedError(
                "MultiWorkerMirroredStrategy works with the devices of one worker here; variables that several processes "
                "share are made with tf.config.experimental_connect_to_cluster and tf.device('/job:ps/task:0')."
            )
        gpus = [f"/device:GPU:{d.index}" for d in runtime.devices if d.kind == "GPU"]
        super().__init__(container_strategy, gpus or ["/device:CPU:0"])


class CollectiveAllReduceStrategy(Strategy):
    """Synchronous training on the devices of one worker, with mirrored variables.

    Args:
        cluster_resolver: The cluster resolver; ``TFConfigClusterResolver`` if None.
        communication_options: Accepted and without effect.
    """

    def __init__(self, cluster_resolver: Any = None, communication_options: Any = None) -> None:
        super().__init__(CollectiveAllReduceExtended(self, cluster_resolver))


class CollectiveAllReduceStrategyOlder(Strategy):
    """Synchronous training on the devices of one worker; see ``CollectiveAllReduceStrategy``.

    Args:
        communication: Accepted and without effect.
        cluster_resolver: The cluster resolver; ``TFConfigClusterResolver`` if None.
    """

    def __init__(
        self, communication: Any = CommunicationImplementation.AUTO, cluster_resolver: Any = None
    ) -> None:
        super().__init__(CollectiveAllReduceExtended(self, cluster_resolver))


class CollectiveAllReduceStrategyV1(StrategyV1):
    """Synchronous training on the devices of one worker; see ``CollectiveAllReduceStrategy``.

    Args:
        communication: Accepted and without effect.
        cluster_resolver: The cluster resolver; ``TFConfigClusterResolver`` if None.
    """

    def __init__(
        self, communication: Any = CommunicationImplementation.AUTO, cluster_resolver: Any = None
    ) -> None:
        super().__init__(CollectiveAllReduceExtended(self, cluster_resolver))


CollectiveAllReduceStrategyOlder.__name__ = CollectiveAllReduceStrategyOlder.__qualname__ = (
    "CollectiveAllReduceStrategy"
)
