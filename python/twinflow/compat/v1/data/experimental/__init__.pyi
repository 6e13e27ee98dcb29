# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable
from typing import Any, SupportsIndex

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensorSpec
from twinflow._src.composite_tensors.sparse_tensor import SparseTensorSpec
from twinflow._src.control_flow.tensor_array import TensorArraySpec
from twinflow._src.core.specs import TensorSpec
from twinflow._src.core.specs import TypeSpec as _Structure
from twinflow._src.wings.data.dataset import DatasetSpec as _DatasetStructure
from twinflow._src.wings.data.dataset import DatasetV2
from twinflow._src.wings.data.folding import Reducer as Reducer
from twinflow._src.wings.data.optional import Optional as Optional
from twinflow._src.wings.data.optional import OptionalSpec as _OptionalStructure
from twinflow._src.wings.data.options import AutoShardPolicy as AutoShardPolicy
from twinflow._src.wings.data.options import AutotuneAlgorithm as AutotuneAlgorithm
from twinflow._src.wings.data.options import AutotuneOptions as AutotuneOptions
from twinflow._src.wings.data.options import DistributeOptions as DistributeOptions
from twinflow._src.wings.data.options import ExternalStatePolicy as ExternalStatePolicy
from twinflow._src.wings.data.options import OptimizationOptions as OptimizationOptions
from twinflow._src.wings.data.options import ServiceOptions as ServiceOptions
from twinflow._src.wings.data.options import ThreadingOptions as ThreadingOptions
from twinflow._src.wings.data.readers import TFRecordWriter as TFRecordWriter
from twinflow._src.wings.data.tables import DatasetInitializer as DatasetInitializer
from twinflow._src.wings.data.v1_datasets import DatasetV1Adapter
from twinflow.compat.v1.data.experimental import service as service
from twinflow.data.experimental import assert_cardinality as assert_cardinality
from twinflow.data.experimental import at as at
from twinflow.data.experimental import bucket_by_sequence_length as bucket_by_sequence_length
from twinflow.data.experimental import cardinality as cardinality
from twinflow.data.experimental import copy_to_device as copy_to_device
from twinflow.data.experimental import dense_to_ragged_batch as dense_to_ragged_batch
from twinflow.data.experimental import dense_to_sparse_batch as dense_to_sparse_batch
from twinflow.data.experimental import enable_debug_mode as enable_debug_mode
from twinflow.data.experimental import enumerate_dataset as enumerate_dataset
from twinflow.data.experimental import from_list as from_list
from twinflow.data.experimental import from_variant as from_variant
from twinflow.data.experimental import get_model_proto as get_model_proto
from twinflow.data.experimental import get_next_as_optional as get_next_as_optional
from twinflow.data.experimental import get_single_element as get_single_element
from twinflow.data.experimental import get_structure as get_structure
from twinflow.data.experimental import group_by_reducer as group_by_reducer
from twinflow.data.experimental import group_by_window as group_by_window
from twinflow.data.experimental import ignore_errors as ignore_errors
from twinflow.data.experimental import index_table_from_dataset as index_table_from_dataset
from twinflow.data.experimental import load as load
from twinflow.data.experimental import map_and_batch as map_and_batch
from twinflow.data.experimental import pad_to_cardinality as pad_to_cardinality
from twinflow.data.experimental import parallel_interleave as parallel_interleave
from twinflow.data.experimental import parse_example_dataset as parse_example_dataset
from twinflow.data.experimental import prefetch_to_device as prefetch_to_device
from twinflow.data.experimental import rejection_resample as rejection_resample
from twinflow.data.experimental import save as save
from twinflow.data.experimental import scan as scan
from twinflow.data.experimental import shuffle_and_repeat as shuffle_and_repeat
from twinflow.data.experimental import snapshot as snapshot
from twinflow.data.experimental import table_from_dataset as table_from_dataset
from twinflow.data.experimental import take_while as take_while
from twinflow.data.experimental import to_variant as to_variant
from twinflow.data.experimental import unbatch as unbatch
from twinflow.data.experimental import unique as unique

AUTOTUNE: int
DatasetStructure = _DatasetStructure
INFINITE_CARDINALITY: int
OptionalStructure = _OptionalStructure
SHARD_HINT: int
Structure = _Structure
UNKNOWN_CARDINALITY: int

def Counter(start: Any = 0, step: Any = 1, dtype: Any = ...) -> DatasetV2:
    """Returns a dataset of numbers without end."""

class CsvDataset(DatasetV1Adapter):
    """A dataset of the records of CSV files, each a tuple of scalars."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

def RaggedTensorStructure(dtype: Any, shape: Any, ragged_rank: SupportsIndex) -> RaggedTensorSpec:
    """Returns the spec of a ragged tensor."""

class RandomDataset(DatasetV1Adapter):
    """Random numbers."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

def SparseTensorStructure(dtype: Any, shape: Any) -> SparseTensorSpec:
    """Returns the spec of a sparse tensor."""

class SqlDataset(DatasetV1Adapter):
    """A dataset of the rows of a query of a database."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

def TensorArrayStructure(
    dtype: Any, element_shape: Any, dynamic_size: bool, infer_shape: bool
) -> TensorArraySpec:
    """Returns the spec of a tensor array."""

def TensorStructure(dtype: Any, shape: Any) -> TensorSpec:
    """Returns the spec of a tensor."""

def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """Returns a dataset; see ``tf.data.Dataset.choose_from_datasets``."""

def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: Any,
    features: dict[str, Any],
    reader: Any = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: SupportsIndex | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = 10000,
    shuffle_seed: SupportsIndex | None = None,
    prefetch_buffer_size: Any = None,
    reader_num_threads: Any = None,
    parser_num_threads: Any = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> DatasetV2:
    """Returns a dataset of batches of parsed examples, as dictionaries of features."""

def make_csv_dataset(
    file_pattern: Any,
    batch_size: Any,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: SupportsIndex | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: Any = 10000,
    shuffle_seed: SupportsIndex | None = None,
    prefetch_buffer_size: Any = None,
    num_parallel_reads: Any = None,
    sloppy: bool = False,
    num_rows_for_inference: SupportsIndex | None = 100,
    compression_type: Any = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> DatasetV2:
    """Returns a dataset of batches of the rows of CSV files, as ordered dictionaries of columns."""

def map_and_batch_with_legacy_function(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Callable[..., Any]:
    """Returns a transformation that maps and batches; see ``map_and_batch``."""

def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """Returns a dataset; see ``tf.data.Dataset.sample_from_datasets``."""
