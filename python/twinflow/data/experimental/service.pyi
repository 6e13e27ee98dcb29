# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable
from typing import Any, SupportsIndex

from twinflow._src.wings.data.dataset import DatasetV2
from twinflow._src.wings.distribute.data_service import CrossTrainerCache as CrossTrainerCache
from twinflow._src.wings.distribute.data_service import DispatcherConfig as DispatcherConfig
from twinflow._src.wings.distribute.data_service import DispatchServer as DispatchServer
from twinflow._src.wings.distribute.data_service import WorkerConfig as WorkerConfig
from twinflow._src.wings.distribute.data_service import WorkerServer as WorkerServer
from twinflow._src.wings.distribute.data_sharding import ShardingPolicy as ShardingPolicy

def distribute(
    processing_mode: Any,
    service: Any,
    job_name: str | None = None,
    consumer_index: SupportsIndex | None = None,
    num_consumers: SupportsIndex | None = None,
    max_outstanding_requests: SupportsIndex | None = None,
    data_transfer_protocol: str | None = None,
    compression: Any = "AUTO",
    cross_trainer_cache: Any = None,
    target_workers: str = "AUTO",
) -> Callable[[DatasetV2], DatasetV2]:
    """Returns a transformation that has the data service compute the elements of a dataset."""

def from_dataset_id(
    processing_mode: Any,
    service: Any,
    dataset_id: Any,
    element_spec: Any = None,
    job_name: str | None = None,
    consumer_index: SupportsIndex | None = None,
    num_consumers: SupportsIndex | None = None,
    max_outstanding_requests: SupportsIndex | None = None,
    data_transfer_protocol: str | None = None,
    cross_trainer_cache: Any = None,
    target_workers: str = "AUTO",
) -> DatasetV2:
    """Returns a dataset of the elements of a registered dataset."""

def register_dataset(
    service: Any, dataset: Any, compression: Any = "AUTO", dataset_id: str | None = None
) -> Any:
    """Registers a dataset with the data service."""
