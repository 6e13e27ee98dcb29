"""Datasets of batches, and the batch sizes of datasets."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import constant
from twinflow._src.core.dtypes import bool_, int64
from twinflow._src.graph.static_values import array_of
from twinflow._src.wings.data.dataset import DatasetV2, UnaryDataset, makes
from twinflow._src.wings.data.dataset_ops import build_variant, builds, scalar
from twinflow._src.wings.data.run_ahead import PrefetchStage, parallelism
from twinflow._src.wings.data.stages import BatchStage, Stage
from twinflow._src.wings.data.structure import Elements, flatten


def known_size(size: Any, drops: Any) -> int | None:
    """Returns the static number of rows of a batch, None where it is unknown."""
    value, drop = array_of(size), array_of(drops)
    return int(value) if value is not None and drop is not None and bool(drop) else None


class _BatchDataset(UnaryDataset):
    """Batches of consecutive elements."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        batch_size: Any,
        drop_remainder: Any,
        num_parallel_calls: Any = None,
    ) -> None:
        size = scalar(batch_size, "batch_size")
        drops = scalar(drop_remainder, "drop_remainder", bool_)
        batch = input_dataset._elements.batched(known_size(size, drops))
        elements = self._elements = Elements(batch)

        kind, tensors = "BatchDatasetV2", [size, drops]
        if num_parallel_calls is not None:
            kind = "ParallelBatchDataset"
            tensors.append(scalar(num_parallel_calls, "num_parallel_calls"))
        super().__init__(input_dataset, build_variant(kind, (elements,), [input_dataset], tensors))


@builds("BatchDatasetV2")
def _batch_stage(elements: Elements, source: Stage, size: Any, drops: Any) -> Stage:
    return BatchStage(elements, source, int(size), bool(drops))


@builds("ParallelBatchDataset")
def _parallel_batch_stage(
    elements: Elements, source: Stage, size: Any, drops: Any, calls: Any
) -> Stage:
    return PrefetchStage(_batch_stage(elements, source, size, drops), parallelism(calls))


class _ParallelBatchDataset(_BatchDataset):
    """Batches of consecutive elements, which a thread computes ahead."""


@makes("batch")
def _batch(
    dataset: DatasetV2,
    batch_size: Any,
    drop_remainder: Any,
    num_parallel_calls: Any,
    deterministic: Any,
    name: str | None,
) -> DatasetV2:
    cls = _BatchDataset if num_parallel_calls is None else _ParallelBatchDataset
    return cls(dataset, batch_size, drop_remainder, num_parallel_calls)


# ------------------------------------------------------------------ batch sizes of datasets


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
