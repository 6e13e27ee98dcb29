"""Datasets of the results of functions of each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.wings.data.dataset import DatasetV2, UnaryDataset, makes
from twinflow._src.wings.data.dataset_ops import dataset_variant, scalar
from twinflow._src.wings.data.functions import StructuredFunction
from twinflow._src.wings.data.run_ahead import RunAhead, is_ordered, parallelism
from twinflow._src.wings.data.stages import MapStage, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Elements


class _MapDataset(UnaryDataset):
    """The results of a function of each element."""

    _type = "MapDataset"

    def __init__(self, input_dataset: DatasetV2, map_func: Callable[..., Any]) -> None:
        function = StructuredFunction(map_func, "Dataset.map()", input_dataset._elements)
        self._map_func = function
        elements = self._elements = function.elements
        stage = lambda source, bound: MapStage(elements, source, bound)
        variant = dataset_variant(self._type, stage, [input_dataset], (), [function])
        super().__init__(input_dataset, variant)


class ParallelMapStage(MapStage):
    """The results of a function of each element, which threads compute ahead.

    Args:
        elements: The type of the results.
        source: The stage of the arguments.
        function: A bound function.
        width: The number of elements that are computed at the same time.
        is_ordered: If False, results may come in the order in which they are finished; if None,
            options decide.
    """

    def __init__(
        self, elements: Elements, source: Stage, function: Any, width: int, is_ordered: bool | None
    ) -> None:
        super().__init__(elements, source, function)
        self._is_ordered = is_ordered
        # Random numbers come in the order of the elements.
        self._width = 1 if function.function.draws_numbers else width
        self._depth = width

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that hands elements to threads."""
        return RunAhead(
            self.elements,
            self.inputs[0].iterate(run),
            run,
            self._function.call,
            self._width,
            self._depth,
            is_ordered(self._is_ordered, run),
        )


class _ParallelMapDataset(UnaryDataset):
    """The results of a function of several elements at the same time."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        map_func: Callable[..., Any],
        num_parallel_calls: Any,
        deterministic: bool | None,
    ) -> None:
        function = StructuredFunction(map_func, "Dataset.map()", input_dataset._elements)
        self._map_func = function
        elements = self._elements = function.elements

        def stage(source: Any, count: Any, bound: Any) -> ParallelMapStage:
            return ParallelMapStage(elements, source, bound, parallelism(count), deterministic)

        tensors = [scalar(num_parallel_calls, "num_parallel_calls")]
        kind = "ParallelMapDatasetV2"
        variant = dataset_variant(kind, stage, [input_dataset], tensors, [function])
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
    if num_parallel_calls is None:
        return _MapDataset(dataset, map_func)
    return _ParallelMapDataset(dataset, map_func, num_parallel_calls, deterministic)
