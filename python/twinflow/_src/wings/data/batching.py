"""Datasets of batches."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import bool_
from twinflow._src.graph.static_values import array_of
from twinflow._src.wings.data.dataset import DatasetV2, UnaryDataset, makes
from twinflow._src.wings.data.dataset_ops import dataset_variant, scalar
from twinflow._src.wings.data.run_ahead import PrefetchStage, parallelism
from twinflow._src.wings.data.stages import BatchStage, Stage
from twinflow._src.wings.data.structure import Elements


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

        def stage(source: Stage, size: Any, drops: Any, *ahead: Any) -> Stage:
            batches = BatchStage(elements, source, int(size), bool(drops))
            return PrefetchStage(batches, parallelism(ahead[0])) if ahead else batches

        kind, tensors = "BatchDatasetV2", [size, drops]
        if num_parallel_calls is not None:
            kind = "ParallelBatchDataset"
            tensors.append(scalar(num_parallel_calls, "num_parallel_calls"))
        super().__init__(input_dataset, dataset_variant(kind, stage, [input_dataset], tensors))


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
