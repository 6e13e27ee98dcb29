# Computed from the op table by tools/make_stubs.py.

from twinflow._src.wings.data.dataset import DatasetSpec as DatasetSpec
from twinflow._src.wings.data.dataset import DatasetV2 as _Dataset
from twinflow._src.wings.data.dataset import IteratorSpec as IteratorSpec
from twinflow._src.wings.data.iterators import IteratorBase as _Iterator

AUTOTUNE: int
Dataset = _Dataset
INFINITE_CARDINALITY: int
Iterator = _Iterator
UNKNOWN_CARDINALITY: int
