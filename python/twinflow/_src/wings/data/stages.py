"""Stages: the values of dataset variants, and the iterators that pull elements through them.

A stage is immutable but for resources that its iterators share (a cache, a seed generator). An
element is a tuple (see ``structure``). ``StageIterator.block`` pulls several elements at once, as a
batch: sources whose rows lie in arrays return slices of them, so that small elements cost nothing
one by one.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.core.errors import invalid
from twinflow._src.numerics.object_arrays import box
from twinflow._src.wings.data.structure import Element, Elements

INFINITE, UNKNOWN = -1, -2


class Run:
    """The context of one iterator of a dataset and of the iterators of all its stages.

    Args:
        stage: The stage of the dataset.

    Attributes:
        token: Identifies the iterator: random operations of functions keep a state for each.
        settings: The options of the dataset that are set, by their paths such as ``deterministic``.
        workers: The threads of the stages; see ``run_ahead``.
        writers: The writers of files that the drop of the iterator stops.
        pool: Those of all stages together where the options set their number.
        is_closed: True after the iterator was dropped.
    """

    __slots__ = ("__weakref__", "is_closed", "pool", "settings", "token", "workers", "writers")

    def __init__(self, stage: Stage) -> None:
        self.token = object()
        self.settings = stage.all_settings({})
        self.workers: weakref.WeakSet[Any] = weakref.WeakSet()
        self.writers: list[Any] = []
        self.pool: Any = None
        self.is_closed = False

    def close(self) -> None:
        """Lets the threads end, and stops the writers."""
        self.is_closed = True
        for each in [*self.workers, *self.writers]:
            each.stop()


class Stage:
    """A dataset inside a pipeline.

    Attributes:
        elements: The type of its elements.
        inputs: The stages that it reads.
        origin: The type of the operation that made it, and its inputs: stages, arrays, functions.
        recipe: The parameters of that operation, None where other processes cannot repeat it.
        settings: The options that it sets, by their paths.
    """

    origin: tuple[str, tuple[Any, ...]] = ("", ())
    recipe: Any = None
    settings: dict[str, Any] = {}
    inputs: tuple[Stage, ...] = ()
    elements: Elements

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator at the first element."""
        raise NotImplementedError

    def cardinality(self) -> int:
        """Returns the number of elements, ``INFINITE`` or ``UNKNOWN``."""
        return UNKNOWN

    def rows(self) -> Rows | None:
        """Returns random access to the elements where it is cheap, else None."""
        return None

    def saved(self) -> Any:
        """Returns what describes the stage in a position, if a position can have it."""
        return self

    def all_settings(self, past: dict[int, Any]) -> dict[str, Any]:
        """Returns the options of the stage and of its inputs; ``past`` has those of other stages."""
        if id(self) not in past:
            parts = [source.all_settings(past) for source in self.inputs]
            past[id(self)] = {k: v for part in [*parts, self.settings] for k, v in part.items()}
        result: dict[str, Any] = past[id(self)]
        return result


class FilteredStage(Stage):
    """Base class of stages that pass on elements of one source, as many as it has.

    Args:
        source: The stage of the source.
    """

    def __init__(self, source: Stage) -> None:
        self.inputs, self.elements = (source,), source.elements

    def cardinality(self) -> int:
        """Returns that of the source."""
        return self.inputs[0].cardinality()


class Rows:
    """Random access to the elements of a stage.

    Args:
        count: The number of elements.
        gather: Returns the batch of elements at a vector of indices.
        slice: Returns the batch of elements between two indices.
        row: Returns an element.
    """

    __slots__ = ("count", "gather", "row", "slice")

    def __init__(
        self,
        count: int,
        gather: Callable[[Any], Element],
        slice: Callable[[int, int], Element],
        row: Callable[[int], Element],
    ) -> None:
        self.count, self.gather, self.slice, self.row = count, gather, slice, row


class StageIterator:
    """An iterator over the elements of a stage.

    Subclasses define ``__next__``, which raises StopIteration after the last element, and ``save``
    and ``restore`` where they have a position of their own.

    Attributes:
        elements: The type of the elements.
        upstream: The iterators of the inputs.
    """

    elements: Elements
    upstream: tuple[StageIterator, ...] = ()

    def __iter__(self) -> StageIterator:
        return self

    def __next__(self) -> Element:
        raise NotImplementedError

    def block(self, count: int) -> Element | None:
        """Returns a batch of the next elements, None at the end.

        It has ``count`` rows, or fewer where the elements end.
        """
        pulled = self.pull(count)
        return self.elements.stack(pulled) if pulled else None

    def pull(self, count: int) -> list[Element]:
        """Returns the next elements, fewer than ``count`` where they end."""
        advance, pulled = self.__next__, []
        try:
            for _ in range(count):
                pulled.append(advance())
        except StopIteration:
            pass
        return pulled

    def skip(self, count: int) -> int:
        """Skips elements; returns the number of those that there were."""
        advance = self.__next__
        for i in range(count):
            try:
                advance()
            except StopIteration:
                return i
        return count

    # ---------------------------------------------------------------- positions
    def save(self) -> Any:
        """Returns the position: numbers, strings, arrays, lists and dictionaries of those."""
        return {"upstream": [it.save() for it in self.upstream], **self.position()}

    def restore(self, saved: Any) -> None:
        """Restores a position that ``save`` returned."""
        for it, state in zip(self.upstream, saved["upstream"]):
            it.restore(state)
        self.move(saved)

    def position(self) -> dict[str, Any]:
        """Returns the iterator's own part of the position."""
        return {}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the iterator's own part of a position."""


class IndexIterator(StageIterator):
    """An iterator over the elements that a function returns for each index below a count."""

    def __init__(self, elements: Elements, row: Callable[[int], Element], count: int) -> None:
        self.elements, self._row, self._count, self._next = elements, row, count, 0

    def __next__(self) -> Element:
        index = self._next
        if index >= self._count:
            raise StopIteration
        self._next = index + 1
        return self._row(index)

    def position(self) -> dict[str, Any]:
        """Returns the index of the next element."""
        return {"next": self._next}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the index of the next element."""
        self._next = int(saved["next"])


class RowsIterator(IndexIterator):
    """An iterator over elements with random access."""

    def __init__(self, elements: Elements, rows: Rows) -> None:
        super().__init__(elements, rows.row, rows.count)
        self._rows = rows

    def block(self, count: int) -> Element | None:
        """Returns a slice of the rows."""
        start = self._next
        stop = self._next = min(start + count, self._count)
        return self._rows.slice(start, stop) if stop > start else None

    def skip(self, count: int) -> int:
        """Moves the index."""
        start = self._next
        self._next = min(start + count, self._count)
        return self._next - start


class RowsStage(Stage):
    """Base class of sources whose elements are rows of arrays."""

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the rows."""
        rows = self.rows()
        assert rows is not None
        return RowsIterator(self.elements, rows)

    def cardinality(self) -> int:
        """Returns the number of rows."""
        rows = self.rows()
        assert rows is not None
        return rows.count


class TensorStage(Stage):
    """A dataset of one element."""

    def __init__(self, elements: Elements, element: Element) -> None:
        self.elements, self._element = elements, element

    def cardinality(self) -> int:
        """Returns 1."""
        return 1

    def rows(self) -> Rows:
        """Returns access to the element."""
        element = self._element
        return Rows(
            1,
            lambda indices: self.elements.stack([element] * len(indices)),
            lambda start, stop: self.elements.stack([element] * (stop - start)),
            lambda i: element,
        )

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the element."""
        return RowsIterator(self.elements, self.rows())


class SlicesStage(RowsStage):
    """The rows of a batch.

    Args:
        elements: The type of the rows.
        batch: The type of the batch.
        value: The batch.
    """

    def __init__(self, elements: Elements, batch: Elements, value: Element) -> None:
        self.elements, self._batch, self._value = elements, batch, value
        self._count = batch.count(value)

    def rows(self) -> Rows:
        """Returns access to the rows."""
        batch, value = self._batch, self._value
        if batch.is_dense and len(value) == 1:
            (array,) = value
            row: Callable[[int], Element] = lambda i: (array[i, ...],)
        elif batch.is_dense:
            row = lambda i: tuple([array[i, ...] for array in value])
        else:
            row = lambda i: batch.row(value, i)
        return Rows(
            self._count,
            lambda indices: batch.gather(value, indices),
            lambda start, stop: batch.slice(value, start, stop),
            row,
        )


class RangeStage(RowsStage):
    """The numbers of a range."""

    def __init__(self, elements: Elements, start: int, stop: int, step: int) -> None:
        if step == 0:
            raise invalid("step must be a non-zero integer.")
        self.elements, self._range = elements, range(start, stop, step)
        self._dtype = elements.leaves[0].dtype.np

    def cardinality(self) -> int:
        """Returns the number of numbers."""
        return self._size

    @property
    def _size(self) -> int:
        try:
            return len(self._range)
        except OverflowError:
            return (self._range.stop - self._range.start) // self._range.step

    def rows(self) -> Rows:
        """Returns access to the numbers."""
        numbers, dtype, array = self._range, self._dtype, np.array
        first, step = numbers.start, numbers.step

        def between(start: int, stop: int) -> Element:
            part = np.arange(first + start * step, first + stop * step, step, dtype=np.int64)
            return (part.astype(dtype, copy=False),)

        return Rows(
            self._size,
            lambda indices: ((first + indices.astype(np.int64) * step).astype(dtype, copy=False),),
            between,
            lambda i: (array(first + i * step, dtype),),
        )


class ListStage(Stage):
    """Elements in a list."""

    def __init__(self, elements: Elements, values: Sequence[Element]) -> None:
        self.elements, self.values = elements, list(values)
        self.origin = "Elements", ()

    def cardinality(self) -> int:
        """Returns the number of elements."""
        return len(self.values)

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the list."""
        return ListIterator(self.elements, self.values)

    def saved(self) -> Any:
        """Returns the elements."""
        return {"kind": "list", "elements": [saved_element(row) for row in self.values]}


class ListIterator(IndexIterator):
    """An iterator over a list."""

    def __init__(self, elements: Elements, values: list[Element]) -> None:
        super().__init__(elements, values.__getitem__, len(values))


def saved_element(element: Element) -> list[Any]:
    """Returns an element for a position: what describes a dataset in its place."""
    return [value[()].saved() if _is_dataset(value) else value for value in element]


def _is_dataset(value: Any) -> bool:
    is_scalar = isinstance(value, np.ndarray) and value.shape == () and value.dtype == object
    return is_scalar and isinstance(value[()], Stage)


def restored_element(saved: Sequence[Any], elements: Elements) -> Element:
    """Returns the element that ``saved_element`` saved."""
    return tuple(
        [
            _restored_dataset(value, leaf.spec) if isinstance(value, dict) else value
            for value, leaf in zip(saved, elements.leaves)
        ]
    )


def _restored_dataset(saved: Any, spec: Any) -> Any:
    return box(SAVED[saved["kind"]](Elements(spec.element_spec), saved))


# By kind: functions that return the stage that ``Stage.saved`` describes.
SAVED: dict[str, Callable[[Elements, dict[str, Any]], Stage]] = {
    "list": lambda elements, saved: ListStage(
        elements, [restored_element(row, elements) for row in saved["elements"]]
    )
}


class MapStage(FilteredStage):
    """The results of a function of each element.

    Args:
        elements: The type of the results.
        source: The stage of the arguments.
        function: A bound function; see ``functions``.
    """

    def __init__(self, elements: Elements, source: Stage, function: Any) -> None:
        self.elements, self.inputs, self._function = elements, (source,), function

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that calls the function."""
        return MapIterator(self, self.inputs[0].iterate(run), self._function)


class MapIterator(StageIterator):
    """An iterator over the results of a function."""

    def __init__(self, stage: Stage, source: StageIterator, function: Any) -> None:
        self.elements, self.upstream = stage.elements, (source,)
        self._advance, self._call = source.__next__, function.call

    def __next__(self) -> Element:
        return self._call(self._advance())


class BatchStage(Stage):
    """Batches of consecutive elements."""

    def __init__(self, elements: Elements, source: Stage, size: int, drops: bool) -> None:
        if size <= 0:
            raise invalid("Batch size must be greater than zero.")
        self.elements, self.inputs, self._size, self._drops = elements, (source,), size, drops

    def cardinality(self) -> int:
        """Returns the number of batches."""
        count = self.inputs[0].cardinality()
        if count < 0:
            return count
        return count // self._size if self._drops else -(-count // self._size)

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that pulls blocks."""
        return BatchIterator(self, self.inputs[0].iterate(run), self._size, self._drops)


class BatchIterator(StageIterator):
    """An iterator over batches."""

    def __init__(self, stage: Stage, source: StageIterator, size: int, drops: bool) -> None:
        self.elements, self.upstream = stage.elements, (source,)
        self._block, self._size, self._drops = source.block, size, drops
        self._count = source.elements.count

    def __next__(self) -> Element:
        batch = self._block(self._size)
        if batch is None or (self._drops and self._count(batch) < self._size):
            raise StopIteration
        return batch
