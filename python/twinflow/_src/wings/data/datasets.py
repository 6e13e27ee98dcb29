"""The class ``tf.data.Dataset`` with all of its methods, and its siblings.

Each module that is imported here registers the functions behind methods (``dataset.makes``).
"""

from twinflow._src.wings.data import (
    batching,
    fingerprints,
    folding,
    generators,
    iterators,
    mapping,
    nesting,
    optional,
    options,
    readers,
    rows,
    saved_datasets,
    selection,
    sequences,
    snapshots,
    sources,
)
from twinflow._src.wings.data.dataset import DatasetSpec, DatasetV2, IteratorSpec
from twinflow._src.wings.data.iterators import IteratorBase, NumpyIterator
from twinflow._src.wings.data.options import Options, ThreadingOptions

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
    "NumpyIterator",
    "Options",
    "ThreadingOptions",
    "batching",
    "fingerprints",
    "folding",
    "generators",
    "iterators",
    "mapping",
    "nesting",
    "optional",
    "options",
    "readers",
    "rows",
    "saved_datasets",
    "selection",
    "sequences",
    "snapshots",
    "sources",
]
