"""Datasets of batches."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import bool_
from twinflow._src.graph.static_values import array_of
from twinflow._src.wings.data.dataset import DatasetV2, UnaryDataset, makes
from twinflow._src.wings.data.dataset_ops import dataset_variant, scalar
from twinflow._src.wings.data.stages import BatchStage
from twinflow._src.wings.data.structure import Elements


def known_size(size: Any, drops: Any) -> int | None:
    """Returns the static number of rows of a batch, None where it is unknown."""
    value, drop = array_of(size), array_of(drops)
    return int(value) if value is not None and drop is not None and bool(drop) else None


class _BatchDataset(UnaryDataset):
    """Batches of consecutive elements."""

    _type = "BatchDatasetV2"

    def __init__(self, input_dataset: DatasetV2, batch_size: Any, drop_remainder: Any) -> None:
        size = scalar(batch_size, "batch_size")
        drops = scalar(drop_remainder, "drop_remainder", bool_)
        batch = input_dataset._elements.batched(known_size(size, drops))
        elements = self._elements = Elements(batch)
        stage = lambda source, size, drops: BatchStage(elements, source, int(size), bool(drops))
        variant = dataset_variant(self._type, stage, [input_dataset], [size, drops])
        super().__init__(input_dataset, variant)


class _ParallelBatchDataset(_BatchDataset):
    """Batches of consecutive elements, of which several are computed at the same time."""

    _type = "ParallelBatchDataset"


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
    return cls(dataset, batch_size, drop_remainder)
