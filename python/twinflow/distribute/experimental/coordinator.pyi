# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.distribute.coordinator import ClusterCoordinator as ClusterCoordinator
from twinflow._src.wings.distribute.coordinator import PerWorkerValues as PerWorkerValues
from twinflow._src.wings.distribute.coordinator import RemoteValue as RemoteValue
