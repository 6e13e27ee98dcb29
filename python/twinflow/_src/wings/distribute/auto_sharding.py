"""Auto-sharding: the part of a dataset that one of several workers reads.

The policy ``DATA`` cuts every global batch into one for each replica, and leaves each worker its own;
``FILE`` leaves each worker some of the files, ``HINT`` replaces ``shard`` with ``SHARD_HINT``, and
``OFF`` leaves all elements to every worker. ``AUTO`` is ``FILE`` where a dataset reads files, else
``DATA``. The workers agree on each element whether there is another one, so that all have as many: who
has no more gets empty batches.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from twinflow._src.core.errors import (
    InvalidArgumentError,
    NotFoundError,
    UnavailableError,
    invalid,
)
from twinflow._src.wings.data.dataset import DatasetV2
from twinflow._src.wings.data.dataset_ops import dataset_variant
from twinflow._src.wings.data.experimental import SHARD_HINT
from twinflow._src.wings.data.nesting import TransformedDataset
from twinflow._src.wings.data.options import AutoShardPolicy
from twinflow._src.wings.data.rows import RebatchIterator, RebatchStage
from twinflow._src.wings.data.selection import ShardStage
from twinflow._src.wings.data.stages import INFINITE, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Dense, Element, Elements, map_leaves
from twinflow._src.wings.distribute.distributed_datasets import batch_size, part_of

_READERS = frozenset(
    ("TextLineDataset", "TFRecordDataset", "TFRecordDatasetV2")
    + ("FixedLengthRecordDataset", "FixedLengthRecordDatasetV2")
)
# Datasets whose function may open files, and those without inputs.
_NESTED = frozenset(
    ("FlatMapDataset", "InterleaveDataset", "ParallelInterleaveDatasetV2")
    + ("ParallelInterleaveDatasetV3", "ParallelInterleaveDatasetV4", "ParallelInterleaveDataset")
    + ("LegacyParallelInterleaveDatasetV2", "ExperimentalParallelInterleaveDataset")
)
_BATCHES = frozenset(
    ("BatchDataset", "BatchDatasetV2", "ParallelBatchDataset")
    + ("PaddedBatchDataset", "PaddedBatchDatasetV2")
)
# Datasets whose batches have the size of those that they read.
_SAME_SIZE = frozenset(
    ("OptionsDataset", "PrefetchDataset", "RepeatDataset", "TakeDataset", "SkipDataset")
    + ("ShuffleDataset", "ShuffleDatasetV2", "ShuffleDatasetV3", "CacheDataset", "CacheDatasetV2")
    + ("AssertCardinalityDataset", "ShardDataset")
)
_TOO_FEW = (
    "Could not apply FILE based sharding: the dataset only has {} file(s), which is not enough for the required {} "
    "shards/workers. If you are using datasets with distribution strategy, consider setting the auto sharding policy "
    "to either DATA or OFF using the `experimental_distribute.auto_shard_policy` option of `tf.data.Options()`. Or, "
    "split your input files into a larger number of small files such that number of files is greater than number of "
    "shards/workers."
)


class _WorkerDataset(TransformedDataset):
    """The batches of one worker, for one replica each."""


def worker_dataset(dataset: DatasetV2, group: Any, replicas: int) -> DatasetV2:
    """Returns the batches for the replicas of a worker, one after the other."""
    elements = _partial(dataset)

    def stage(source: Stage) -> Stage:
        return _shard(source, elements, group.size, group.rank, replicas)

    variant = dataset_variant("AutoShardDataset", stage, [dataset])
    return agreed_dataset(_WorkerDataset(dataset, variant, elements), group, dataset)


def only_worker_dataset(dataset: DatasetV2) -> DatasetV2:
    """Returns the dataset of a strategy's only worker, without hints if the policy is ``HINT``."""
    policy = dataset.options().experimental_distribute.auto_shard_policy
    if policy is not AutoShardPolicy.HINT:
        return dataset
    variant = dataset_variant(
        "AutoShardDataset", lambda source: fill_hints(source, 1, 0), [dataset]
    )
    return _WorkerDataset(dataset, variant, dataset._elements)


def agreed_dataset(dataset: DatasetV2, group: Any, like: DatasetV2) -> DatasetV2:
    """Returns a dataset of as many elements in all workers; batches may be empty.

    Datasets without end are returned as they are. ``like`` has the same number of elements.
    """
    elements = _partial(dataset)

    def stage(source: Stage, original: Stage) -> Stage:
        if original.cardinality() == INFINITE:
            return source
        return AgreedStage(elements, source, group)

    variant = dataset_variant("AgreedDataset", stage, [dataset, like])
    return _WorkerDataset(dataset, variant, elements)


def _partial(dataset: DatasetV2) -> Elements:
    """Returns the elements of a dataset with batches of unknown sizes."""
    for leaf in dataset._elements.leaves:
        batch_size(leaf.spec)  # scalars are refused
    return Elements(map_leaves(lambda spec: part_of(spec, None), dataset.element_spec))


def _shard(source: Stage, elements: Elements, workers: int, worker: int, replicas: int) -> Stage:
    name = "experimental_distribute.auto_shard_policy"
    policy = source.all_settings({}).get(name, AutoShardPolicy.AUTO)
    count = workers * replicas
    if policy is AutoShardPolicy.HINT:
        return _rebatched(fill_hints(source, workers, worker), elements, worker, replicas, count)
    if policy is AutoShardPolicy.OFF:
        return _rebatched(source, elements, worker, replicas, count)
    if policy is not AutoShardPolicy.DATA:
        try:
            files = shard_files(source, workers, worker)
            return _rebatched(files, elements, worker, replicas, count)
        except NotFoundError:
            if policy is AutoShardPolicy.FILE:
                raise
    return ShardStage(SplitStage(elements, source, count), workers, worker)


def _rebatched(source: Stage, elements: Elements, worker: int, replicas: int, count: int) -> Stage:
    """Returns batches for single replicas, of which all replicas together take a global batch."""
    size = _size_of_batches(source)
    if size is None:
        return SplitStage(elements, source, count)
    first = [size // count + (i < size % count) for i in range(count)]
    turn = (worker * replicas) % count
    return PortionStage(elements, source, [*first[count - turn :], *first[: count - turn]])


def _size_of_batches(stage: Stage) -> int | None:
    """Returns the size of the batches of a stage; None if it is unknown."""
    shapes = [getattr(leaf.spec, "shape", None) for leaf in stage.elements.leaves]
    sizes = {shape[0] if shape is not None and shape.rank else None for shape in shapes}
    if len(sizes) == 1 and None not in sizes:
        return int(sizes.pop())  # type: ignore[arg-type]
    kind, inputs = stage.origin
    if kind in _BATCHES:
        return int(inputs[1])
    return _size_of_batches(stage.inputs[0]) if kind in _SAME_SIZE and stage.inputs else None


# ------------------------------------------------------------------ changed pipelines


def replace_inputs(stage: Stage, change: Callable[[Stage], Stage]) -> Stage:
    """Returns a stage that reads changed inputs; one that it reads twice is changed for each time."""
    pairs = [(source, change(source)) for source in stage.inputs]
    if all(new is source for source, new in pairs):
        return stage
    result = copy.copy(stage)

    def changed(values: Iterable[Any]) -> list[Any]:
        left = list(pairs)
        replaced = []
        for value in values:
            pair = next((pair for pair in left if pair[0] is value), None)
            if pair is not None:
                left.remove(pair)
            replaced.append(value if pair is None else pair[1])
        return replaced

    for name, value in vars(stage).items():
        if isinstance(value, Stage):
            setattr(result, name, changed([value])[0])
        elif isinstance(value, (tuple, list)) and any(isinstance(x, Stage) for x in value):
            setattr(result, name, type(value)(changed(value)))
    kind, origin = stage.origin
    result.origin = kind, tuple(changed(origin))
    return result


def shard_files(stage: Stage, workers: int, worker: int) -> Stage:
    """Returns a stage that reads some of the files; NotFoundError if it does not read files."""
    kind, inputs = stage.origin
    if kind in _READERS or (kind in _NESTED and any(map(_opens_files, inputs))):
        return replace_inputs(stage, lambda names: FileShardStage(names, workers, worker))
    if not stage.inputs:
        raise NotFoundError(None, None, f"Found an unshardable source dataset: {kind}")
    return replace_inputs(stage, lambda source: shard_files(source, workers, worker))


def _opens_files(function: Any) -> bool:
    """True if a function of a dataset makes a dataset that reads files."""
    graph = getattr(getattr(function, "function", None), "graph", None)
    return graph is not None and any(n.type in _READERS for n in graph.get_operations())


def fill_hints(stage: Stage, workers: int, worker: int) -> Stage:
    """Returns a stage with the index of a worker in the place of ``SHARD_HINT``."""
    kind, inputs = stage.origin
    if kind == "ShardDataset" and int(inputs[1]) == int(inputs[2]) == SHARD_HINT:
        return ShardStage(stage.inputs[0], workers, worker)
    return replace_inputs(stage, lambda source: fill_hints(source, workers, worker))


# ------------------------------------------------------------------ stages


class FileShardStage(ShardStage):
    """The names of every n-th file, of at least as many files as workers."""

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator; raises InvalidArgumentError if there are too few files."""
        names = self.inputs[0].iterate(run)
        count = names.skip(self._count)
        if count < self._count:
            raise invalid(_TOO_FEW.format(count, self._count))
        return super().iterate(run)


class PortionStage(RebatchStage):
    """Batches of other sizes, in turn, of which some may be empty."""

    def __init__(self, elements: Elements, source: Stage, sizes: list[int]) -> None:
        super().__init__(elements, source, [max(sizes)], False)
        self._sizes = sizes

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the batches."""
        return PortionIterator(self.elements, self.inputs[0].iterate(run), self._sizes, False)


class PortionIterator(RebatchIterator):
    """An iterator over batches of other sizes."""

    def __next__(self) -> Element:
        if self._sizes[self._turn]:
            return super().__next__()
        self._turn = (self._turn + 1) % len(self._sizes)
        return tuple(map(_empty_batch, self.elements.leaves))


class SplitStage(Stage):
    """The parts of batches: each batch is cut into as many of equal size, the last ones smaller."""

    def __init__(self, elements: Elements, source: Stage, parts: int) -> None:
        self.elements, self.inputs, self._parts = elements, (source,), parts

    def cardinality(self) -> int:
        """Returns the number of parts."""
        count = self.inputs[0].cardinality()
        return count if count < 0 else count * self._parts

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the parts."""
        return SplitIterator(self.elements, self.inputs[0].iterate(run), self._parts)


class SplitIterator(StageIterator):
    """An iterator over the parts of batches."""

    def __init__(self, elements: Elements, source: StageIterator, parts: int) -> None:
        self.elements, self.upstream, self._source = elements, (source,), source
        self._parts, self._next = parts, parts
        self._batch: Any = None

    def __next__(self) -> Element:
        if self._next == self._parts:
            self._batch, self._next = next(self._source), 0
        count = self.elements.count(self._batch)
        size = -(-count // self._parts)
        start = min(self._next * size, count)
        self._next += 1
        return self.elements.slice(self._batch, start, min(start + size, count))

    def position(self) -> dict[str, Any]:
        """Returns the current batch and the index of the next part."""
        batch = None if self._batch is None else list(self._batch)
        return {"batch": batch, "next": self._next}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the current batch and the index of the next part."""
        self._batch = None if saved["batch"] is None else tuple(saved["batch"])
        self._next = int(saved["next"])


class AgreedStage(Stage):
    """As many elements as the worker with the most of them has."""

    def __init__(self, elements: Elements, source: Stage, group: Any) -> None:
        self.elements, self.inputs, self._group = elements, (source,), group

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the elements."""
        return AgreedIterator(self.elements, self.inputs[0].iterate, run, self._group)


class AgreedIterator(StageIterator):
    """An iterator that stops when those of all workers have."""

    def __init__(
        self, elements: Elements, iterate: Callable[[Run], StageIterator], run: Run, group: Any
    ) -> None:
        self.elements, self._group = elements, group
        self._empty: Element | None = None
        self._error: Exception | None = None
        try:
            self.upstream = (iterate(run),)
        except Exception as error:  # the other workers learn of it with the first element
            self._error = error

    def __next__(self) -> Element:
        element, error = None, self._error
        try:
            if error is None:
                element = next(self.upstream[0])
        except StopIteration:
            pass
        except Exception as raised:
            error = raised
        state = np.asarray([element is not None, error is not None], np.int32)
        some, failed = self._group.all_reduce([state])[0].tolist()
        if error is not None:
            raise error
        if failed:
            raise UnavailableError(None, None, "The input pipeline of another worker has failed.")
        if not some:
            raise StopIteration
        return self._empty_element() if element is None else self._remembered(element)

    def _remembered(self, element: Element) -> Element:
        if self._empty is None:
            self._empty = self.elements.slice(element, 0, 0)
        return element

    def _empty_element(self) -> Element:
        if self._empty is None:
            self._empty = tuple(map(_empty_batch, self.elements.leaves))
        return self._empty


def _empty_batch(leaf: Any) -> Any:
    if not isinstance(leaf, Dense):
        raise InvalidArgumentError(
            None, None, f"A worker has no batch at all of the type {leaf.spec!r}."
        )
    dims: Sequence[Any] = leaf.spec.shape._dims or (0,)
    return np.empty((0, *[size or 0 for size in dims[1:]]), leaf.dtype.np)
