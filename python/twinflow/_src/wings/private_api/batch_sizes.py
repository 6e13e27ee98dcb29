"""Batch sizes of datasets: ``tensorflow.python.data.experimental.ops.distribute``."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import constant
from twinflow._src.core.dtypes import int64
from twinflow._src.wings.data.stages import Stage
from twinflow._src.wings.data.structure import flatten

_UNKNOWN = -1
_BATCHES = frozenset(["BatchDatasetV2", "PaddedBatchDatasetV2", "RaggedBatchDataset"])
_TRANSPARENT = frozenset(
    [
        *("AssertCardinalityDataset", "CacheDatasetV2", "FilterDataset", "OptionsDataset"),
        *("PrefetchDataset", "RepeatDataset", "ShardDataset", "ShuffleDatasetV3"),
        *("SkipDataset", "TakeDataset"),
    ]
)
_MERGES = frozenset(["ConcatenateDataset", "ZipDataset"])


def compute_batch_size(dataset: Any) -> Any:
    """Returns the number of rows of the batches of a dataset as an int64 tensor; -1 if it is unknown.

    Args:
        dataset: A dataset; an eager one where the sizes of its elements are not static.

    Raises:
        IndexError: A component of its elements is a scalar.
    """
    specs = flatten(dataset.element_spec)
    dims = [spec.shape.as_list()[0] if hasattr(spec, "shape") else None for spec in specs]
    if None in dims:
        return constant(_size_of(dataset._variant_tensor._host()[()]), int64)
    return constant(dims[0] if len(set(dims)) == 1 else _UNKNOWN, int64)


def _size_of(stage: Any) -> int:
    """Returns the size with which a stage, or one whose elements it passes on, makes batches."""
    kind, inputs = stage.origin
    if kind in _BATCHES:
        return int(inputs[1])
    if kind not in _TRANSPARENT | _MERGES:
        return _UNKNOWN
    sources = [x for x in inputs if isinstance(x, Stage)]
    sizes = set(map(_size_of, sources if kind in _MERGES else sources[:1]))
    return sizes.pop() if len(sizes) == 1 else _UNKNOWN
