# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.wings.distribute.coordinator import ClusterCoordinator as ClusterCoordinator
from twinflow._src.wings.distribute.coordinator import PerWorkerValues as _PerWorkerValue
from twinflow._src.wings.distribute.coordinator import RemoteValue as RemoteValue

PerWorkerValue = _PerWorkerValue

def experimental_get_current_worker_index() -> Any:
    """Returns the index of the worker that runs the function."""
