# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.data.dataset import DatasetSpec as DatasetSpec
from twinflow._src.wings.data.dataset import DatasetV2 as _Dataset
from twinflow._src.wings.data.dataset import IteratorSpec as IteratorSpec
from twinflow._src.wings.data.iterators import IteratorBase as _Iterator
from twinflow._src.wings.data.iterators import NumpyIterator as NumpyIterator
from twinflow._src.wings.data.options import Options as Options
from twinflow._src.wings.data.options import ThreadingOptions as ThreadingOptions
from twinflow._src.wings.data.readers import FixedLengthRecordDatasetV2 as _FixedLengthRecordDataset
from twinflow._src.wings.data.readers import TextLineDatasetV2 as _TextLineDataset
from twinflow._src.wings.data.readers import TFRecordDatasetV2 as _TFRecordDataset
from twinflow.data import experimental as experimental

AUTOTUNE: int
Dataset = _Dataset
FixedLengthRecordDataset = _FixedLengthRecordDataset
INFINITE_CARDINALITY: int
Iterator = _Iterator
TFRecordDataset = _TFRecordDataset
TextLineDataset = _TextLineDataset
UNKNOWN_CARDINALITY: int
