# Computed from the op table by tools/make_stubs.py.

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
from twinflow._src.wings.distribute.strategies import MirroredStrategyV1 as _MirroredStrategy
from twinflow._src.wings.distribute.strategies import OneDeviceStrategyV1 as _OneDeviceStrategy
from twinflow._src.wings.distribute.strategies import TPUStrategyV2 as _TPUStrategy
from twinflow._src.wings.distribute.strategy import StrategyExtended as StrategyExtended
from twinflow._src.wings.distribute.strategy import StrategyV1 as _Strategy
from twinflow._src.wings.distribute.values import DistributedValues as DistributedValues
from twinflow.compat.v1.distribute import cluster_resolver as cluster_resolver
from twinflow.compat.v1.distribute import coordinator as coordinator
from twinflow.compat.v1.distribute import experimental as experimental
from twinflow.distribute import experimental_set_strategy as experimental_set_strategy
from twinflow.distribute import get_replica_context as get_replica_context
from twinflow.distribute import get_strategy as get_strategy
from twinflow.distribute import has_strategy as has_strategy
from twinflow.distribute import in_cross_replica_context as in_cross_replica_context

DistributedDataset = _DistributedDataset
DistributedIterator = _DistributedIterator
MirroredStrategy = _MirroredStrategy
MultiWorkerMirroredStrategy = _MultiWorkerMirroredStrategy
OneDeviceStrategy = _OneDeviceStrategy
ParameterServerStrategy = _ParameterServerStrategy
Strategy = _Strategy
TPUStrategy = _TPUStrategy
