"""The part of a dataset that a worker of the data service processes.

``OFF`` leaves all elements to every worker. ``DYNAMIC`` gives every row of the sources to the worker
that asks first. The static policies divide files or elements by the index of the worker.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterator

from twinflow._src.core.errors import NotFoundError
from twinflow._src.wings.data.selection import ShardStage
from twinflow._src.wings.data.stages import Rows, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Element
from twinflow._src.wings.distribute.auto_sharding import fill_hints, replace_inputs, shard_files

_ENDLESS = 2**62


class ShardingPolicy(enum.IntEnum):
    """Policy by which the workers of the data service divide a dataset."""

    __module__ = "twinflow.data.experimental.service"

    OFF = 0
    DYNAMIC = 1
    FILE = 2
    DATA = 3
    FILE_OR_DATA = 4
    HINT = 5

    @property
    def is_static(self) -> bool:
        """True if the index of the worker decides."""
        return self >= ShardingPolicy.FILE


def sources(stage: Stage) -> list[tuple[Stage, Rows]]:
    """Returns the sources whose rows can be divided, with their rows, each time that they are read."""
    if stage.inputs:
        return [pair for source in stage.inputs for pair in sources(source)]
    rows = _divisible_rows(stage)
    return [] if rows is None else [(stage, rows)]


def _divisible_rows(stage: Stage) -> Rows | None:
    """Returns the rows of a source; None if it has no end, as the numbers of ``enumerate``."""
    rows = stage.rows()
    return None if rows is None or rows.count > _ENDLESS else rows


def shard(
    stage: Stage,
    policy: ShardingPolicy,
    count: int,
    index: int,
    next_split: Callable[[int, int], int | None],
) -> Stage:
    """Returns the stage that a worker processes.

    Args:
        stage: The stage of the dataset.
        policy: The policy.
        count: The number of workers of a static policy.
        index: The index of the worker among those.
        next_split: Returns the next row for this worker, from the index of a source and the number
            of its repetition; None at the end.

    Raises:
        NotFoundError: The policy is ``FILE``, and the dataset reads no files.
    """
    if policy is ShardingPolicy.OFF:
        return stage
    if policy is ShardingPolicy.DYNAMIC:
        return _split(stage, itertools.count(), next_split)
    if policy is ShardingPolicy.HINT:
        return fill_hints(stage, count, index)
    if policy is not ShardingPolicy.DATA:
        try:
            return shard_files(stage, count, index)
        except NotFoundError:
            if policy is ShardingPolicy.FILE:
                raise
    return ShardStage(stage, count, index)


def _split(
    stage: Stage, numbers: Iterator[int], next_split: Callable[[int, int], int | None]
) -> Stage:
    """Returns a stage that reads parts of the sources, which are numbered as ``sources`` does."""
    if stage.inputs:
        return replace_inputs(stage, lambda source: _split(source, numbers, next_split))
    rows = _divisible_rows(stage)
    return stage if rows is None else SplitSourceStage(stage, rows, next(numbers), next_split)


class SplitSourceStage(Stage):
    """The rows of a source that this worker is given.

    Args:
        source: The source.
        rows: Its rows.
        index: Its index among the sources of the dataset.
        next_split: Returns the next row.
    """

    def __init__(
        self, source: Stage, rows: Rows, index: int, next_split: Callable[[int, int], int | None]
    ) -> None:
        self.elements, self.settings = source.elements, source.settings
        self._row, self._index, self._next_split = rows.row, index, next_split
        self._repetitions = itertools.count()

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the rows of the next repetition."""
        repetition = next(self._repetitions)
        return SplitIterator(self, lambda: self._next_split(self._index, repetition), self._row)


class SplitIterator(StageIterator):
    """An iterator over the rows that a worker is given."""

    def __init__(
        self, stage: Stage, next_split: Callable[[], int | None], row: Callable[[int], Element]
    ) -> None:
        self.elements, self._next_split, self._row = stage.elements, next_split, row

    def __next__(self) -> Element:
        index = self._next_split()
        if index is None:
            raise StopIteration
        return self._row(index)
