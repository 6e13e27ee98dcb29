"""The class ``tf.data.Dataset`` with all of its methods, and its siblings.

Each module that is imported here registers the functions behind methods (``dataset.makes``).
"""

from twinflow._src.wings.data import batching, iterators, mapping, sources
from twinflow._src.wings.data.dataset import DatasetSpec, DatasetV2, IteratorSpec
from twinflow._src.wings.data.iterators import IteratorBase

AUTOTUNE = -1
INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "DatasetSpec",
    "DatasetV2",
    "IteratorBase",
    "IteratorSpec",
    "batching",
    "iterators",
    "mapping",
    "sources",
]
