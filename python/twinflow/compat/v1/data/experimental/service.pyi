# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.distribute.data_service import CrossTrainerCache as CrossTrainerCache
from twinflow._src.wings.distribute.data_service import DispatcherConfig as DispatcherConfig
from twinflow._src.wings.distribute.data_service import DispatchServer as DispatchServer
from twinflow._src.wings.distribute.data_service import WorkerConfig as WorkerConfig
from twinflow._src.wings.distribute.data_service import WorkerServer as WorkerServer
from twinflow._src.wings.distribute.data_sharding import ShardingPolicy as ShardingPolicy
from twinflow.data.experimental.service import distribute as distribute
from twinflow.data.experimental.service import from_dataset_id as from_dataset_id
from twinflow.data.experimental.service import register_dataset as register_dataset
