# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.wings.distribute.cluster import Server as Server
from twinflow._src.wings.distribute.cross_device import CrossDeviceOps as CrossDeviceOps
from twinflow._src.wings.distribute.cross_device import (
    HierarchicalCopyAllReduce as HierarchicalCopyAllReduce,
)
from twinflow._src.wings.distribute.cross_device import NcclAllReduce as NcclAllReduce
from twinflow._src.wings.distribute.cross_device import ReduceOp as ReduceOp
from twinflow._src.wings.distribute.cross_device import ReductionToOneDevice as ReductionToOneDevice
from twinflow._src.wings.distribute.datasets import (
    DistributedDatasetInterface as _DistributedDataset,
)
from twinflow._src.wings.distribute.datasets import (
    DistributedIteratorInterface as _DistributedIterator,
)
from twinflow._src.wings.distribute.multi_worker import (
    CollectiveAllReduceStrategy as _MultiWorkerMirroredStrategy,
)
from twinflow._src.wings.distribute.parameter_server import (
    ParameterServerStrategyV2 as _ParameterServerStrategy,
)
from twinflow._src.wings.distribute.replica_context import InputContext as InputContext
from twinflow._src.wings.distribute.replica_context import InputOptions as InputOptions
from twinflow._src.wings.distribute.replica_context import (
    InputReplicationMode as InputReplicationMode,
)
from twinflow._src.wings.distribute.replica_context import ReplicaContext as ReplicaContext
from twinflow._src.wings.distribute.replica_context import RunOptions as RunOptions
from twinflow._src.wings.distribute.strategies import MirroredStrategy as MirroredStrategy
from twinflow._src.wings.distribute.strategies import OneDeviceStrategy as OneDeviceStrategy
from twinflow._src.wings.distribute.strategies import TPUStrategyV2 as _TPUStrategy
from twinflow._src.wings.distribute.strategy import Strategy as Strategy
from twinflow._src.wings.distribute.strategy import StrategyExtended as StrategyExtended
from twinflow._src.wings.distribute.values import DistributedValues as DistributedValues
from twinflow.distribute import cluster_resolver as cluster_resolver
from twinflow.distribute import coordinator as coordinator
from twinflow.distribute import experimental as experimental

DistributedDataset = _DistributedDataset
DistributedIterator = _DistributedIterator
MultiWorkerMirroredStrategy = _MultiWorkerMirroredStrategy
ParameterServerStrategy = _ParameterServerStrategy
TPUStrategy = _TPUStrategy

def experimental_set_strategy(strategy: Any) -> None:
    """Sets the global strategy of the process, or resets it."""

def get_replica_context() -> Any:
    """Returns the context of the current replica; None in cross-replica context."""

def get_strategy() -> Any:
    """Returns the current strategy; the default strategy outside any scope."""

def has_strategy() -> bool:
    """Returns True if a strategy other than the default one is current."""

def in_cross_replica_context() -> bool:
    """Returns True in cross-replica context, False in a replica."""
