"""Datasets of the results of functions of each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.wings.data.dataset import DatasetV2, UnaryDataset, makes
from twinflow._src.wings.data.dataset_ops import build_variant, builds, scalar
from twinflow._src.wings.data.functions import StructuredFunction, debug_mode
from twinflow._src.wings.data.run_ahead import RunAhead, is_ordered, parallelism
from twinflow._src.wings.data.stages import MapStage, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Elements

builds("MapDataset")(MapStage)


class _MapDataset(UnaryDataset):
    """The results of a function of each element."""

    _type = "MapDataset"

    def __init__(self, input_dataset: DatasetV2, map_func: Callable[..., Any]) -> None:
        function = StructuredFunction(map_func, "Dataset.map()", input_dataset._elements)
        self._map_func = function
        elements = self._elements = function.elements
        variant = build_variant(self._type, (elements,), [input_dataset], (), [function])
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
        """Returns an iterator that hands elements to threads; in debug mode it computes them."""
        if debug_mode.is_enabled:
            return super().iterate(run)
        return RunAhead(
            self.elements,
            self.inputs[0].iterate(run),
            run,
            self._function.call,
            self._width,
            self._depth,
            is_ordered(self._is_ordered, run),
        )


@builds("ParallelMapDatasetV2")
def _parallel_map_stage(
    elements: Elements, is_ordered: bool | None, source: Stage, count: Any, function: Any
) -> Stage:
    return ParallelMapStage(elements, source, function, parallelism(count), is_ordered)


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
        tensors = [scalar(num_parallel_calls, "num_parallel_calls")]
        kind = "ParallelMapDatasetV2"
        params = elements, deterministic
        variant = build_variant(kind, params, [input_dataset], tensors, [function])
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
