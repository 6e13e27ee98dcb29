# Computed from the op table by tools/make_stubs.py.

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

from twinflow._src.wings.data.csv_dataset import CsvDatasetV2 as _CsvDataset
from twinflow._src.wings.data.dataset import DatasetV2
from twinflow._src.wings.data.folding import Reducer as Reducer
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
from twinflow._src.wings.data.readers import TFRecordWriter as TFRecordWriter
from twinflow._src.wings.data.sql_dataset import SqlDatasetV2 as _SqlDataset
from twinflow._src.wings.data.tables import DatasetInitializer as DatasetInitializer
from twinflow.data.experimental import service as service

AUTOTUNE: int
CsvDataset = _CsvDataset
INFINITE_CARDINALITY: int
RandomDataset = _RandomDataset
SHARD_HINT: int
SqlDataset = _SqlDataset
UNKNOWN_CARDINALITY: int

def Counter(start: Any = 0, step: Any = 1, dtype: Any = ...) -> DatasetV2:
    """Returns a dataset of numbers without end."""

def assert_cardinality(expected_cardinality: Any) -> Any:
    """Returns a transformation that checks the number of elements."""

def at(dataset: Any, index: Any) -> Any:
    """Returns an element by its index."""

def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[SupportsIndex],
    bucket_batch_sizes: Sequence[SupportsIndex],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Any:
    """Returns a transformation; see ``tf.data.Dataset.bucket_by_sequence_length``."""

def cardinality(dataset: Any) -> Any:
    """Returns the number of elements of a dataset; see ``tf.data.Dataset.cardinality``."""

def choose_from_datasets(
    datasets: Any, choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """Returns a dataset; see ``tf.data.Dataset.choose_from_datasets``."""

def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Any:
    """Returns a transformation that copies elements to a device; elements stay in host memory here."""

def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = ...
) -> Any:
    """Returns a transformation; see ``tf.data.Dataset.ragged_batch``."""

def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Any:
    """Returns a transformation; see ``tf.data.Dataset.sparse_batch``."""

def enable_debug_mode() -> None:
    """Lets Python call the functions of datasets for each element, without threads."""

def enumerate_dataset(start: Any = 0) -> Any:
    """Returns a transformation; see ``tf.data.Dataset.enumerate``."""

def from_list(elements: Sequence[Any], name: str | None = None) -> DatasetV2:
    """Returns a dataset of the elements of a list."""

def from_variant(variant: Any, structure: Any) -> DatasetV2:
    """Returns the dataset of a variant tensor."""

def get_model_proto(iterator: Any) -> Any:
    """Raises NotFoundError: iterators have no analytical model here."""

def get_next_as_optional(iterator: Any) -> Optional:
    """Returns the next element of an iterator as an optional, empty at the end."""

def get_single_element(dataset: Any) -> Any:
    """Returns the only element of a dataset; see ``tf.data.Dataset.get_single_element``."""

def get_structure(dataset_or_iterator: Any) -> Any:
    """Returns the type specification of the elements of a dataset or an iterator."""

def group_by_reducer(
    key_func: Callable[..., Any], reducer: Any
) -> Callable[[DatasetV2], DatasetV2]:
    """Returns a transformation that reduces the elements of each key."""

def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Any:
    """Returns a transformation; see ``tf.data.Dataset.group_by_window``."""

def ignore_errors(log_warning: bool = False) -> Any:
    """Returns a transformation; see ``tf.data.Dataset.ignore_errors``."""

def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: SupportsIndex = 0,
    vocab_size: Any = None,
    default_value: Any = -1,
    hasher_spec: Any = ...,
    key_dtype: Any = ...,
    name: str | None = None,
) -> Any:
    """Returns a lookup table from the elements of a dataset to their indices."""

def load(
    path: Any, element_spec: Any = None, compression: Any = None, reader_func: Any = None
) -> DatasetV2:
    """Returns a saved dataset; see ``tf.data.Dataset.load``."""

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

def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Any:
    """Returns a transformation that maps and batches."""

def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Callable[[Any], DatasetV2]:
    """Returns a transformation that adds zeros up to a number of elements, and a mask of the others."""

def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: Any = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Any:
    """Returns a transformation; see ``tf.data.Dataset.interleave``."""

def parse_example_dataset(
    features: dict[str, Any], num_parallel_calls: Any = 1, deterministic: bool | None = None
) -> Callable[[DatasetV2], DatasetV2]:
    """Returns a transformation that parses vectors of serialized examples."""

def prefetch_to_device(device: str, buffer_size: Any = None) -> Any:
    """Returns a transformation that prepares elements ahead."""

def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Any:
    """Returns a transformation; see ``tf.data.Dataset.rejection_resample``."""

def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """Returns a dataset; see ``tf.data.Dataset.sample_from_datasets``."""

def save(
    dataset: Any,
    path: Any,
    compression: Any = None,
    shard_func: Any = None,
    checkpoint_args: Any = None,
) -> None:
    """Saves a dataset; see ``tf.data.Dataset.save``."""

def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Any:
    """Returns a transformation; see ``tf.data.Dataset.scan``."""

def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Any:
    """Returns a transformation that shuffles and repeats."""

def snapshot(
    path: Any, compression: Any = "AUTO", reader_func: Any = None, shard_func: Any = None
) -> Any:
    """Returns a transformation; see ``tf.data.Dataset.snapshot``."""

def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: SupportsIndex = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: Any = ...,
    key_dtype: Any = ...,
    name: str | None = None,
) -> Any:
    """Returns a lookup table of the pairs of keys and values in a dataset."""

def take_while(predicate: Callable[..., Any]) -> Any:
    """Returns a transformation; see ``tf.data.Dataset.take_while``."""

def to_variant(dataset: Any) -> Any:
    """Returns the variant tensor of a dataset."""

def unbatch() -> Any:
    """Returns a transformation; see ``tf.data.Dataset.unbatch``."""

def unique() -> Any:
    """Returns a transformation; see ``tf.data.Dataset.unique``."""
