"""Datasets of several passes or several datasets: repeat, concatenate, zip, shuffle, cache, prefetch."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int64, string
from twinflow._src.core.errors import OpError, invalid
from twinflow._src.core.specs import TensorSpec
from twinflow._src.wings.data.dataset import (
    DatasetSource,
    DatasetV2,
    UnaryUnchangedStructureDataset,
    makes,
)
from twinflow._src.wings.data.dataset_ops import build_variant, builds, scalar
from twinflow._src.wings.data.file_cache import FileCacheStage
from twinflow._src.wings.data.run_ahead import PrefetchStage
from twinflow._src.wings.data.shuffle_order import (
    SeedGenerator,
    ShuffleBuffer,
    seed_pair,
)
from twinflow._src.wings.data.stages import (
    INFINITE,
    UNKNOWN,
    FilteredStage,
    RangeStage,
    Rows,
    Run,
    Stage,
    StageIterator,
)
from twinflow._src.wings.data.structure import Element, Elements, flatten, pack_like

# Repeat.


class RepeatStage(FilteredStage):
    """The elements of a source several times; without end if ``count`` is negative."""

    def __init__(self, source: Stage, count: int) -> None:
        super().__init__(source)
        self._count = count

    def cardinality(self) -> int:
        """Returns the number of elements."""
        count = self.inputs[0].cardinality()
        if not count or not self._count:
            return 0
        if self._count < 0 or count == INFINITE:
            return INFINITE
        return UNKNOWN if count == UNKNOWN else count * self._count

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that starts again."""
        source = self.inputs[0]
        if isinstance(source, ShuffleStage):
            return ShuffleIterator(source, run, self._count)
        return RepeatIterator(source, run, self._count)


class RepeatIterator(StageIterator):
    """An iterator that iterates over its source again and again."""

    def __init__(self, stage: Stage, run: Run, count: int) -> None:
        self.elements, self._stage, self._run = stage.elements, stage, run
        self._left, self._is_first = count, True
        # Now, not for the first element: a shuffle draws seeds when its iterator starts.
        self._source = stage.iterate(run) if count else None

    def __next__(self) -> Element:
        while self._left:
            assert self._source is not None
            try:
                element = next(self._source)
            except StopIteration:
                self._next_pass()
                continue
            self._is_first = False
            return element
        raise StopIteration

    def _next_pass(self) -> None:
        """Starts the next pass; an endless repetition of nothing ends."""
        if self._left < 0 and self._is_first:
            self._left = 0
        else:
            self._left -= 1 if self._left > 0 else 0
        # TensorFlow starts an iterator after the last pass, too: shuffles draw seeds for it.
        self._source, self._is_first = self._stage.iterate(self._run), True

    def save(self) -> Any:
        """Returns the number of passes left, and the position of the current one."""
        source = None if self._source is None else self._source.save()
        return {"left": self._left, "is_first": self._is_first, "source": source}

    def restore(self, saved: Any) -> None:
        """Restores the number of passes left, and the position of the current one."""
        self._left, self._is_first = int(saved["left"]), bool(saved["is_first"])
        if self._source is not None:
            self._source.restore(saved["source"])


# Concatenate.


@builds("ConcatenateDataset")
class ConcatenateStage(Stage):
    """The elements of a source, then those of another one."""

    def __init__(self, elements: Elements, first: Stage, second: Stage) -> None:
        self.elements, self.inputs = elements, (first, second)

    def cardinality(self) -> int:
        """Returns the number of elements."""
        a, b = (source.cardinality() for source in self.inputs)
        if INFINITE in (a, b):
            return INFINITE
        return UNKNOWN if UNKNOWN in (a, b) else a + b

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over both."""
        return ConcatenateIterator(self.elements, [s.iterate(run) for s in self.inputs])


class ConcatenateIterator(StageIterator):
    """An iterator over two sources, one after the other."""

    def __init__(self, elements: Elements, sources: list[StageIterator]) -> None:
        self.elements, self.upstream, self._index = elements, tuple(sources), 0

    def __next__(self) -> Element:
        while self._index < len(self.upstream):
            try:
                return next(self.upstream[self._index])
            except StopIteration:
                self._index += 1
        raise StopIteration

    def position(self) -> dict[str, Any]:
        """Returns the index of the current source."""
        return {"index": self._index}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the index of the current source."""
        self._index = int(saved["index"])


# Zip.


@builds("ZipDataset")
class ZipStage(Stage):
    """The elements of several sources together."""

    def __init__(self, elements: Elements, *sources: Stage) -> None:
        self.elements, self.inputs = elements, sources

    def cardinality(self) -> int:
        """Returns the smallest number of elements."""
        counts = [source.cardinality() for source in self.inputs]
        finite = [count for count in counts if count != INFINITE]
        if UNKNOWN in finite:
            return UNKNOWN
        return min(finite) if finite else INFINITE

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over all."""
        return ZipIterator(self.elements, tuple(source.iterate(run) for source in self.inputs))

    def rows(self) -> Rows | None:
        """Returns random access if all sources have it."""
        parts = [source.rows() for source in self.inputs]
        if not all(parts):
            return None
        rows: Any = parts
        join = lambda tuples: tuple([value for part in tuples for value in part])
        return Rows(
            min(part.count for part in rows),
            lambda indices: join(part.gather(indices) for part in rows),
            lambda start, stop: join(part.slice(start, stop) for part in rows),
            lambda i: join(part.row(i) for part in rows),
        )


class ZipIterator(StageIterator):
    """An iterator over several sources together."""

    def __init__(self, elements: Elements, sources: tuple[StageIterator, ...]) -> None:
        self.elements, self.upstream = elements, sources
        self._advances = [source.__next__ for source in sources]

    def __next__(self) -> Element:
        values: list[Any] = []
        error = None
        for advance in self._advances:
            try:
                values += advance()
            except OpError as failure:  # the other sources advance nevertheless
                error = error or failure
        if error is not None:
            raise error
        return tuple(values)

    def block(self, count: int) -> Element | None:
        """Returns a batch of the next elements."""
        parts = [source.block(count) for source in self.upstream]
        if None in [None if part is None else 0 for part in parts]:
            return None
        blocks: Any = parts
        sizes = [s.elements.count(b) for s, b in zip(self.upstream, blocks)]
        least = min(sizes)
        if max(sizes) > least:
            blocks = [s.elements.slice(b, 0, least) for s, b in zip(self.upstream, blocks)]
        return tuple([value for part in blocks for value in part])

    def skip(self, count: int) -> int:
        """Skips elements of all sources."""
        return min(source.skip(count) for source in self.upstream)


# Shuffle.


class ShuffleStage(FilteredStage):
    """The elements of a source in random order."""

    def __init__(self, source: Stage, size: int, generator: SeedGenerator) -> None:
        super().__init__(source)
        self.size, self.generator = size, generator

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator with a buffer."""
        return ShuffleIterator(self, run, 1)


class ShuffleIterator(StageIterator):
    """An iterator over elements in random order.

    Of a source with random access only indices are shuffled.
    """

    def __init__(self, stage: ShuffleStage, run: Run, epochs: int) -> None:
        source = stage.inputs[0]
        self.elements, self._run, self._stage = stage.elements, run, source
        rows = source.rows()
        self._rows = rows
        self._input: StageIterator | None = None
        self._indices: _Indices | None = None
        count = source.cardinality()
        size = stage.size if stage.size > 0 else count
        if size <= 0:
            raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        self._buffer: ShuffleBuffer[Any] = ShuffleBuffer(self._open, size, stage.generator, epochs)

    def _open(self, position: Any = None) -> Any:
        """Opens the source at a position: indices, or an iterator."""
        if self._rows is not None:
            self._indices = _Indices(self._rows.count, position or 0)
            return self._indices
        self._input = self._stage.iterate(self._run)
        if position is not None:
            self._input.restore(position)
        return self._input

    def __next__(self) -> Element:
        drawn = next(self._buffer)
        return drawn if self._rows is None else self._rows.row(drawn)

    def block(self, count: int) -> Element | None:
        """Returns a batch of the next elements."""
        if self._rows is None:
            return super().block(count)
        indices = self._buffer.pull(count)
        return self._rows.gather(np.array(indices)) if indices else None

    def save(self) -> Any:
        """Returns the buffer, the random state and the position of the source."""
        if self._rows is not None:
            return self._buffer.save(None if self._indices is None else self._indices.next)
        return self._buffer.save(None if self._input is None else self._input.save())

    def restore(self, saved: Any) -> None:
        """Restores the buffer, the random state and the position of the source."""
        self._buffer.restore(saved, self._open)


class _Indices:
    """An iterator over indices with a known position."""

    def __init__(self, count: int, start: int) -> None:
        self._count, self.next = count, start

    def __iter__(self) -> _Indices:
        return self

    def __next__(self) -> int:
        index = self.next
        if index == self._count:
            raise StopIteration
        self.next = index + 1
        return index


# Cache in memory.


class CacheStage(FilteredStage):
    """The elements of a source, kept in memory by the first complete iteration."""

    def __init__(self, source: Stage) -> None:
        super().__init__(source)
        self._kept: list[Element] | None = None

    def rows(self) -> Rows | None:
        """Returns random access to the elements after the first iteration."""
        kept = self._kept
        if kept is None:
            return None
        stack = self.elements.stack
        return Rows(
            len(kept),
            lambda indices: stack([kept[i] for i in indices.tolist()]),
            lambda start, stop: stack(kept[start:stop]),
            kept.__getitem__,
        )

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the kept elements, or one that keeps them."""
        return CacheIterator(self, run)

    def keep(self, elements: list[Element]) -> None:
        """Keeps the elements of a complete iteration."""
        if self._kept is None:
            self._kept = elements


class CacheIterator(StageIterator):
    """An iterator that keeps the elements of its source, or yields the kept ones."""

    def __init__(self, stage: CacheStage, run: Run) -> None:
        self.elements, self._stage, self._run = stage.elements, stage, run
        self._past: list[Element] = []
        self._source: Any = None
        self._kept: list[Element] | None = stage._kept
        self._next = 0
        if self._kept is None:
            self._source = stage.inputs[0].iterate(run)
            self.upstream = (self._source,)

    def __next__(self) -> Element:
        if self._kept is not None:
            if self._next == len(self._kept):
                raise StopIteration
            self._next += 1
            return self._kept[self._next - 1]
        try:
            element: Element = next(self._source)
        except StopIteration:
            self._stage.keep(self._past)
            raise
        self._past.append(element)
        return element

    def save(self) -> Any:
        """Returns the number of elements, or those that are kept and the position of the source."""
        if self._kept is not None:
            return {"count": self._next}
        return {"past": [list(element) for element in self._past], "source": self._source.save()}

    def restore(self, saved: Any) -> None:
        """Restores what ``save`` returned; skips elements where the cache is not complete."""
        self.__init__(self._stage, self._run)  # type: ignore[misc]
        if "count" in saved:
            self.skip(int(saved["count"]))
            return
        self._kept, self._past = None, list(map(tuple, saved["past"]))
        self._source = self._stage.inputs[0].iterate(self._run)
        self._source.restore(saved["source"])


# Datasets.


class _RepeatDataset(UnaryUnchangedStructureDataset):
    """The elements several times."""


class _ShuffleDataset(UnaryUnchangedStructureDataset):
    """The elements in random order."""


class CacheDataset(UnaryUnchangedStructureDataset):
    """The elements, kept by the first iteration."""


class _PrefetchDataset(UnaryUnchangedStructureDataset):
    """The elements, prepared ahead."""


@builds("RepeatDataset")
def _repeat_stage(source: Stage, count: Any) -> Stage:
    return RepeatStage(source, int(count))


@makes("repeat")
def _repeat(dataset: DatasetV2, count: Any = None, name: str | None = None) -> DatasetV2:
    tensors = [scalar(-1 if count is None else count, "count")]
    return _RepeatDataset(dataset, build_variant("RepeatDataset", (), [dataset], tensors))


@makes("shuffle")
def _shuffle(
    dataset: DatasetV2,
    buffer_size: Any,
    seed: Any = None,
    reshuffle_each_iteration: Any = None,
    name: str | None = None,
) -> DatasetV2:
    pair = seed_pair(seed)
    is_fixed = reshuffle_each_iteration is not None and not reshuffle_each_iteration
    tensors = [scalar(buffer_size, "buffer_size"), *(scalar(s, "seed") for s in pair)]
    variant = build_variant("ShuffleDatasetV3", (is_fixed,), [dataset], tensors, impure=True)
    return _ShuffleDataset(dataset, variant)


@builds("ShuffleDatasetV3")
def _shuffle_stage(is_fixed: bool, source: Stage, size: Any, first: Any, second: Any) -> Stage:
    if size < 1 and size != UNKNOWN:
        raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
    return ShuffleStage(source, int(size), SeedGenerator((int(first), int(second)), is_fixed))


@makes("cache")
def _cache(dataset: DatasetV2, filename: Any = "", name: str | None = None) -> DatasetV2:
    tensor = convert_to_tensor(filename, dtype=string, name="filename")
    return CacheDataset(dataset, build_variant("CacheDatasetV2", (), [dataset], [tensor]))


@builds("CacheDatasetV2")
def _cache_stage(source: Stage, filename: Any) -> Stage:
    prefix = filename[()].decode("utf-8", "surrogateescape")
    return FileCacheStage(source, prefix) if prefix else CacheStage(source)


@builds("PrefetchDataset")
def _prefetch_stage(source: Stage, size: Any) -> Stage:
    if size < -1:
        raise invalid("buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning")
    return PrefetchStage(source, int(size))


@makes("prefetch")
def _prefetch(dataset: DatasetV2, buffer_size: Any, name: str | None = None) -> DatasetV2:
    tensors = [scalar(-1 if buffer_size is None else buffer_size, "buffer_size")]
    variant = build_variant("PrefetchDataset", (), [dataset], tensors)
    return _PrefetchDataset(dataset, variant)


class _ConcatenateDataset(DatasetV2):
    """The elements of two datasets."""

    def __init__(self, first: DatasetV2, second: DatasetV2, name: str | None = None) -> None:
        self._input_dataset, self._dataset_to_concatenate = first, second
        specs = flatten(first.element_spec), flatten(second.element_spec)
        spec = None
        if len(specs[0]) == len(specs[1]):
            common = [a.most_specific_common_supertype([b]) for a, b in zip(*specs)]
            spec = None if None in common else pack_like(first.element_spec, common)
        if spec is None:
            raise TypeError(
                f"Incompatible dataset elements:\n  {first.element_spec!r} vs.   "
                f"{second.element_spec!r}"
            )
        elements = self._elements = Elements(spec)
        super().__init__(build_variant("ConcatenateDataset", (elements,), [first, second]))

    def _inputs(self) -> list[DatasetV2]:
        return [self._input_dataset, self._dataset_to_concatenate]


makes("concatenate")(_ConcatenateDataset)


class _ZipDataset(DatasetV2):
    """The elements of several datasets together."""

    def __init__(self, datasets: Any, name: str | None = None) -> None:
        leaves = flatten(datasets)
        for leaf in leaves:
            if isinstance(leaf, list):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    "`tf.data.Dataset` objects. Python `list` is not supported and you should use "
                    "`tuple` instead."
                )
            if not isinstance(leaf, DatasetV2):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    f"`tf.data.Dataset` objects but encountered object of type {type(leaf)}."
                )
        if not leaves:
            raise invalid("Length for attr 'output_types' of 0 must be at least minimum 1")
        self._datasets = leaves
        spec = pack_like(datasets, [leaf.element_spec for leaf in leaves])
        elements = self._elements = Elements(spec)
        super().__init__(build_variant("ZipDataset", (elements,), leaves))

    def _inputs(self) -> list[DatasetV2]:
        return self._datasets


@makes("zip")
def _zip(*args: Any, datasets: Any = None, name: str | None = None) -> DatasetV2:
    if not args and datasets is None:
        raise TypeError("Must pass at least one dataset to `zip`.")
    if args and datasets is not None:
        raise TypeError("Both `*args` and `datasets` cannot be set.")
    if len(args) == 1:
        datasets = args[0]
    elif args:
        datasets = args
    return _ZipDataset(datasets, name)


@builds("numbers")
class NumbersStage(RangeStage):
    """The numbers from a first one on."""

    def __init__(self, elements: Elements, start: Any) -> None:
        super().__init__(elements, int(start), np.iinfo(np.int64).max, 1)

    def cardinality(self) -> int:
        """Returns ``INFINITE``."""
        return INFINITE


class _NumbersDataset(DatasetSource):
    """The numbers from a first one on."""

    def __init__(self, start: Any) -> None:
        elements = self._elements = Elements(TensorSpec([], int64))
        tensors = [scalar(start, "start")]
        super().__init__(build_variant("RangeDataset", (elements,), (), tensors, kind="numbers"))


@makes("enumerate")
def _enumerate(dataset: DatasetV2, start: Any = 0, name: str | None = None) -> DatasetV2:
    return _ZipDataset((_NumbersDataset(start), dataset))
