# Computed from the op table by tools/make_stubs.py.

from collections.abc import Iterator as _Iterator
from typing import Any

from twinflow._src.wings.data.dataset import DatasetSpec as DatasetSpec
from twinflow._src.wings.data.dataset import IteratorSpec as IteratorSpec
from twinflow._src.wings.data.iterators import NumpyIterator as NumpyIterator
from twinflow._src.wings.data.options import Options as Options
from twinflow._src.wings.data.options import ThreadingOptions as ThreadingOptions
from twinflow._src.wings.data.v1_datasets import DatasetV1 as _Dataset
from twinflow._src.wings.data.v1_datasets import DatasetV1Adapter
from twinflow._src.wings.data.v1_iterators import Iterator as Iterator
from twinflow.compat.v1.data import experimental as experimental

AUTOTUNE: int
Dataset = _Dataset
INFINITE_CARDINALITY: int
UNKNOWN_CARDINALITY: int

class FixedLengthRecordDataset(DatasetV1Adapter):
    """A dataset of the records of files of records of one size."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class TFRecordDataset(DatasetV1Adapter):
    """A dataset of the records of TFRecord files."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class TextLineDataset(DatasetV1Adapter):
    """A dataset of the lines of text files, without line ends."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

def get_output_classes(dataset_or_iterator: Any) -> Any:
    """Returns the structure of the classes of an element."""

def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """Returns the structure of the shapes of an element."""

def get_output_types(dataset_or_iterator: Any) -> Any:
    """Returns the structure of the dtypes of an element."""

def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> _Iterator:
    """Returns an iterator that its initializer starts."""

def make_one_shot_iterator(dataset: Any) -> Any:
    """Returns an iterator that needs no initializer."""
