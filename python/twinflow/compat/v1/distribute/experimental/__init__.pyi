# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.distribute.multi_worker import (
    CollectiveAllReduceStrategyV1 as _MultiWorkerMirroredStrategy,
)
from twinflow._src.wings.distribute.multi_worker import (
    CommunicationImplementation as CommunicationImplementation,
)
from twinflow._src.wings.distribute.multi_worker import (
    CommunicationImplementation as _CollectiveCommunication,
)
from twinflow._src.wings.distribute.multi_worker import CommunicationOptions as CommunicationOptions
from twinflow._src.wings.distribute.parameter_server import (
    ParameterServerStrategyV2 as _ParameterServerStrategy,
)
from twinflow._src.wings.distribute.preemption import (
    PreemptionCheckpointHandler as PreemptionCheckpointHandler,
)
from twinflow._src.wings.distribute.preemption import PreemptionWatcher as PreemptionWatcher
from twinflow._src.wings.distribute.preemption import TerminationConfig as TerminationConfig
from twinflow._src.wings.distribute.replica_context import ValueContext as ValueContext
from twinflow._src.wings.distribute.strategies import (
    CentralStorageStrategyV1 as _CentralStorageStrategy,
)
from twinflow._src.wings.distribute.strategies import TPUStrategy as TPUStrategy
from twinflow.compat.v1.distribute.experimental import coordinator as coordinator
from twinflow.compat.v1.distribute.experimental import partitioners as partitioners
from twinflow.distribute.experimental import CollectiveHints as CollectiveHints

CentralStorageStrategy = _CentralStorageStrategy
CollectiveCommunication = _CollectiveCommunication
MultiWorkerMirroredStrategy = _MultiWorkerMirroredStrategy
ParameterServerStrategy = _ParameterServerStrategy
