"""Datasets of the results of functions of each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.wings.data.dataset import DatasetV2, UnaryDataset, makes
from twinflow._src.wings.data.dataset_ops import dataset_variant
from twinflow._src.wings.data.functions import StructuredFunction
from twinflow._src.wings.data.stages import MapStage


class _MapDataset(UnaryDataset):
    """The results of a function of each element."""

    def __init__(self, input_dataset: DatasetV2, map_func: Callable[..., Any]) -> None:
        function = StructuredFunction(map_func, "Dataset.map()", input_dataset._elements)
        self._map_func = function
        elements = self._elements = function.elements
        stage = lambda source, bound: MapStage(elements, source, bound)
        variant = dataset_variant("MapDataset", stage, [input_dataset], (), [function])
        super().__init__(input_dataset, variant)


@makes("map")
def _map(
    dataset: DatasetV2,
    map_func: Callable[..., Any],
    num_parallel_calls: Any,
    deterministic: Any,
    synchronous: Any,
    use_unbounded_threadpool: Any,
    name: str | None,
) -> DatasetV2:
    return _MapDataset(dataset, map_func)
