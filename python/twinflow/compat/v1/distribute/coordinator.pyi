# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.distribute.coordinator import ClusterCoordinator as ClusterCoordinator
from twinflow._src.wings.distribute.coordinator import PerWorkerValues as _PerWorkerValue
from twinflow._src.wings.distribute.coordinator import RemoteValue as RemoteValue
from twinflow.distribute.coordinator import (
    experimental_get_current_worker_index as experimental_get_current_worker_index,
)

PerWorkerValue = _PerWorkerValue
