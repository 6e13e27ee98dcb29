# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.wings.data.nesting import _RandomDataset as _RandomDataset
from twinflow._src.wings.data.optional import Optional as Optional
from twinflow._src.wings.data.options import AutoShardPolicy as AutoShardPolicy
from twinflow._src.wings.data.options import AutotuneAlgorithm as AutotuneAlgorithm
from twinflow._src.wings.data.options import AutotuneOptions as AutotuneOptions
from twinflow._src.wings.data.options import DistributeOptions as DistributeOptions
from twinflow._src.wings.data.options import ExternalStatePolicy as ExternalStatePolicy
from twinflow._src.wings.data.options import OptimizationOptions as OptimizationOptions
from twinflow._src.wings.data.options import ServiceOptions as ServiceOptions
from twinflow._src.wings.data.options import ThreadingOptions as ThreadingOptions
from twinflow._src.wings.data.record_writer import TFRecordWriter as TFRecordWriter
from twinflow._src.wings.data.v1_datasets import DatasetV1Adapter
from twinflow.data.experimental import Counter as Counter
from twinflow.data.experimental import assert_cardinality as assert_cardinality
from twinflow.data.experimental import at as at
from twinflow.data.experimental import bucket_by_sequence_length as bucket_by_sequence_length
from twinflow.data.experimental import cardinality as cardinality
from twinflow.data.experimental import choose_from_datasets as choose_from_datasets
from twinflow.data.experimental import copy_to_device as copy_to_device
from twinflow.data.experimental import dense_to_ragged_batch as dense_to_ragged_batch
from twinflow.data.experimental import dense_to_sparse_batch as dense_to_sparse_batch
from twinflow.data.experimental import enumerate_dataset as enumerate_dataset
from twinflow.data.experimental import from_list as from_list
from twinflow.data.experimental import from_variant as from_variant
from twinflow.data.experimental import get_next_as_optional as get_next_as_optional
from twinflow.data.experimental import get_single_element as get_single_element
from twinflow.data.experimental import get_structure as get_structure
from twinflow.data.experimental import group_by_window as group_by_window
from twinflow.data.experimental import ignore_errors as ignore_errors
from twinflow.data.experimental import load as load
from twinflow.data.experimental import (
    make_batched_features_dataset as make_batched_features_dataset,
)
from twinflow.data.experimental import make_csv_dataset as make_csv_dataset
from twinflow.data.experimental import map_and_batch as map_and_batch
from twinflow.data.experimental import parallel_interleave as parallel_interleave
from twinflow.data.experimental import parse_example_dataset as parse_example_dataset
from twinflow.data.experimental import prefetch_to_device as prefetch_to_device
from twinflow.data.experimental import rejection_resample as rejection_resample
from twinflow.data.experimental import sample_from_datasets as sample_from_datasets
from twinflow.data.experimental import save as save
from twinflow.data.experimental import scan as scan
from twinflow.data.experimental import shuffle_and_repeat as shuffle_and_repeat
from twinflow.data.experimental import snapshot as snapshot
from twinflow.data.experimental import take_while as take_while
from twinflow.data.experimental import to_variant as to_variant
from twinflow.data.experimental import unbatch as unbatch
from twinflow.data.experimental import unique as unique

AUTOTUNE: int
INFINITE_CARDINALITY: int
RandomDataset = _RandomDataset
SHARD_HINT: int
UNKNOWN_CARDINALITY: int

class CsvDataset(DatasetV1Adapter):
    """A dataset of the records of CSV files, each a tuple of scalars."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class SqlDataset(DatasetV1Adapter):
    """A dataset of the rows of a query of a database."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
