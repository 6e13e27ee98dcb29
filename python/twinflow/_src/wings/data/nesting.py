"""Datasets of datasets: flat_map, interleave, window, group_by_window, choose_from_datasets."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import bool_, float32, float64, int64
from twinflow._src.core.errors import OpError, invalid
from twinflow._src.core.specs import TensorSpec
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API
from twinflow._src.numerics.object_arrays import box
from twinflow._src.wings.data.dataset import (
    DatasetSource,
    DatasetSpec,
    DatasetV2,
    UnaryDataset,
    make,
    makes,
)
from twinflow._src.wings.data.dataset_ops import build_variant, builds, scalar
from twinflow._src.wings.data.functions import StructuredFunction, debug_mode
from twinflow._src.wings.data.run_ahead import RunAhead, is_ordered, parallelism, workers_of
from twinflow._src.wings.data.selection import is_scalar_spec
from twinflow._src.wings.data.shuffle_order import Categories, SeedGenerator, Words, seed_pair
from twinflow._src.wings.data.stages import (
    INFINITE,
    UNKNOWN,
    ListIterator,
    ListStage,
    Run,
    Stage,
    StageIterator,
    restored_element,
    saved_element,
)
from twinflow._src.wings.data.structure import Element, Elements, map_leaves, pack_like


class TransformedDataset(UnaryDataset):
    """A dataset with one input dataset and elements of another type."""

    def __init__(self, input_dataset: DatasetV2, variant_tensor: Any, elements: Elements) -> None:
        self._elements = elements
        super().__init__(input_dataset, variant_tensor)


def function_to_dataset(
    dataset: DatasetV2, map_func: Callable[..., Any], label: str
) -> tuple[StructuredFunction, Elements]:
    """Returns a traced function that returns a dataset, and the type of its elements."""
    function = StructuredFunction(map_func, label, dataset._elements)
    spec = function.elements.spec
    if not isinstance(spec, DatasetSpec):
        raise TypeError(
            "The `map_func` argument must return a `Dataset` object. Got a function that returns "
            f"{spec!r}."
        )
    return function, Elements(spec.element_spec)


# Interleave.


@builds("FlatMapDataset")
class InterleaveStage(Stage):
    """The elements of datasets that a function returns, of several in turn.

    Args:
        elements: The type of the elements.
        source: The stage of the arguments.
        function: Returns a dataset.
        cycle: The number of datasets that are read in turn.
        block: The number of elements that are read of each.
        width: The number of datasets that are read at the same time; 0 for those of the consumer.
        is_ordered: If False, elements that are ready may come earlier; if None, options decide.
    """

    def __init__(
        self,
        elements: Elements,
        source: Stage,
        function: Any,
        cycle: int = 1,
        block: int = 1,
        width: int = 0,
        is_ordered: bool | None = None,
    ) -> None:
        self.elements, self.inputs, self.function = elements, (source,), function
        _check_lengths(cycle, block, width)
        self.cycle, self.block_length, self.width, self.is_ordered = cycle, block, width, is_ordered

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the datasets in turn."""
        source = self.inputs[0].iterate(run)
        if self.width and not debug_mode.is_enabled:
            return ParallelInterleaveIterator(self, source, run)
        if self.cycle == 1:
            return FlatMapIterator(self.elements, source, self.function, run)
        return InterleaveIterator(self, source, run)


def _check_lengths(cycle: int, block: int, width: int) -> None:
    """Raises InvalidArgumentError for lengths that are not positive."""
    if cycle < 1 and width:
        raise invalid(f"`cycle_length` must be `tf.data.AUTOTUNE` or greater than 0 but is {cycle}")
    if cycle < 1:
        raise invalid("cycle_length must be greater than zero.")
    if block < 1:
        raise invalid(
            "`block_length` must be > 0" if width else "block_length must be greater than zero."
        )


class _Open:
    """An open dataset: the arguments that it was made of, and its iterator."""

    __slots__ = ("arguments", "iterator")

    def __init__(self, arguments: Element, iterator: Any) -> None:
        self.arguments, self.iterator = arguments, iterator

    def save(self) -> Any:
        """Returns the arguments and the position."""
        return {"arguments": saved_element(self.arguments), "position": self.iterator.save()}


def _opened(arguments: Element, function: Any, run: Run) -> _Open:
    """Opens the dataset that a function returns."""
    stage: Stage = function.call(arguments)[0][()]
    return _Open(arguments, stage.iterate(run))


def _reopened(saved: Any, source: StageIterator, opened: Callable[[Element], _Open]) -> Any:
    if saved is None:
        return None
    current = opened(restored_element(saved["arguments"], source.elements))
    current.iterator.restore(saved["position"])
    return current


class FlatMapIterator(StageIterator):
    """An iterator over datasets, one after the other."""

    def __init__(self, elements: Elements, source: StageIterator, function: Any, run: Run) -> None:
        self.elements, self.upstream, self._source = elements, (source,), source
        self._opened = lambda arguments: _opened(arguments, function, run)
        self._current: _Open | None = None

    def __next__(self) -> Element:
        while True:
            if self._current is None:
                self._current = self._opened(next(self._source))
            try:
                return next(self._current.iterator)
            except StopIteration:
                self._current = None

    def block(self, count: int) -> Element | None:
        """Returns a batch of the next elements, of one dataset where it has enough."""
        parts, left = [], count
        while left:
            if self._current is None:
                try:
                    arguments = next(self._source)
                except StopIteration:
                    break
                self._current = self._opened(arguments)
            part = self._current.iterator.block(left)
            if part is None:
                self._current = None
                continue
            parts.append(part)
            left -= self.elements.count(part)
        return self.elements.concat(parts) if parts else None

    def position(self) -> dict[str, Any]:
        """Returns the position in the current dataset."""
        return {"current": None if self._current is None else self._current.save()}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the position in the current dataset."""
        self._current = _reopened(saved["current"], self._source, self._opened)


class InterleaveIterator(StageIterator):
    """An iterator over several datasets in turn."""

    def __init__(self, stage: InterleaveStage, source: StageIterator, run: Run) -> None:
        self.elements, self.upstream, self._source = stage.elements, (source,), source
        self._stage, self._run = stage, run
        self._block, self._cycle, self._turn, self._taken = stage.block_length, stage.cycle, 0, 0
        self._open: list[_Open | None] = [None] * stage.cycle
        self._is_source_ended, self._count = False, 0

    def _opened(self, arguments: Element) -> _Open:
        return _opened(arguments, self._stage.function, self._run)

    def _following(self) -> _Open:
        """Opens the next dataset; raises StopIteration after the last one."""
        return self._opened(next(self._source))

    def _next_turn(self) -> None:
        self._taken, self._turn = 0, (self._turn + 1) % self._cycle

    def __next__(self) -> Element:
        while not self._is_source_ended or self._count:
            current = self._open[self._turn]
            if current is not None:
                try:
                    element = next(current.iterator)
                except StopIteration:
                    self._open[self._turn] = None
                    self._count -= 1
                    self._next_turn()
                    continue
                self._taken += 1
                if self._taken == self._block:
                    self._next_turn()
                return element
            if self._is_source_ended:
                self._next_turn()
                continue
            try:
                self._open[self._turn] = self._following()
            except StopIteration:
                self._is_source_ended = True
                continue
            self._count += 1
        raise StopIteration

    def position(self) -> dict[str, Any]:
        """Returns the positions in the open datasets."""
        return {
            "open": [None if x is None else x.save() for x in self._open],
            "turn": self._turn,
            "taken": self._taken,
            "is_source_ended": self._is_source_ended,
        }

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the positions in the open datasets."""
        self._open = [_reopened(x, self._source, self._opened) for x in saved["open"]]
        self._count = sum(x is not None for x in self._open)
        self._turn, self._taken = int(saved["turn"]), int(saved["taken"])
        self._is_source_ended = bool(saved["is_source_ended"])


class ParallelInterleaveIterator(InterleaveIterator):
    """An iterator over several datasets in turn, which threads open and read ahead.

    The following datasets are opened ahead, too: as many as are read at the same time.
    """

    def __init__(self, stage: InterleaveStage, source: StageIterator, run: Run) -> None:
        super().__init__(stage, source, run)
        self._workers = workers_of(run, self, stage.width)
        self._ahead: deque[_Open | OpError] = deque()
        self._is_last_open = False
        self._is_ordered = is_ordered(stage.is_ordered, run)

    def _opened(self, arguments: Element) -> _Open:
        later = _LaterIterator(self._stage, arguments, self._run)
        share = 1 / (self._cycle + self._stage.width)
        iterator = RunAhead(
            self.elements, later, self._run, depth=None, share=share, workers=self._workers
        )
        return _Open(arguments, iterator)

    def _following(self) -> _Open:
        least = self._cycle - self._count + min(self._stage.width, self._cycle)
        while len(self._ahead) < least and not self._is_last_open:
            try:
                opened = self._opened(next(self._source))
                opened.iterator.start()
                self._ahead.append(opened)
            except StopIteration:
                self._is_last_open = True
            except OpError as error:
                self._ahead.append(error)
        if not self._ahead:
            raise StopIteration
        first = self._ahead.popleft()
        if isinstance(first, OpError):
            raise first
        return first

    def __next__(self) -> Element:
        if not self._is_ordered:
            self._skip_to_ready()
        return super().__next__()

    def _skip_to_ready(self) -> None:
        """Moves the turn to a dataset whose next element is there, if the current one's is not."""
        for i in range(self._cycle):
            current = self._open[(self._turn + i) % self._cycle]
            if current is None and not self._is_source_ended:
                return
            if current is not None and current.iterator.is_ready:
                if i:
                    self._turn, self._taken = (self._turn + i) % self._cycle, 0
                return

    def position(self) -> dict[str, Any]:
        """Returns the positions in the open datasets, and in those that are opened ahead."""
        ahead = [{"error": x.message} if isinstance(x, OpError) else x.save() for x in self._ahead]
        return {**super().position(), "ahead": ahead, "is_last_open": self._is_last_open}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the positions in the open datasets, and in those that are opened ahead."""
        super().move(saved)
        self._ahead = deque(
            invalid(x["error"]) if "error" in x else _reopened(x, self._source, self._opened)
            for x in saved["ahead"]
        )
        self._is_last_open = bool(saved["is_last_open"])


class _LaterIterator(StageIterator):
    """An iterator over the dataset that a function returns, which is called for the first element."""

    def __init__(self, stage: InterleaveStage, arguments: Element, run: Run) -> None:
        self.elements, self._function = stage.elements, stage.function
        self._arguments, self._run = arguments, run
        self._iterator: StageIterator | None = None

    def _open(self) -> StageIterator:
        if self._iterator is None:
            self._iterator = ListIterator(self.elements, [])  # after an error there is no element
            self._iterator = _opened(self._arguments, self._function, self._run).iterator
        return self._iterator

    def __next__(self) -> Element:
        return next(self._open())

    def save(self) -> Any:
        """Returns the position, None before the first element."""
        return None if self._iterator is None else self._iterator.save()

    def restore(self, saved: Any) -> None:
        """Restores a position."""
        if saved is not None:
            self._open().restore(saved)


class _FlatMapDataset(TransformedDataset):
    """The elements of datasets, one after the other."""


class _InterleaveDataset(TransformedDataset):
    """The elements of datasets in turn."""


class _ParallelInterleaveDataset(TransformedDataset):
    """The elements of datasets in turn, of several that are read at the same time."""


@makes("flat_map")
def _flat_map(
    dataset: DatasetV2, map_func: Callable[..., Any], name: str | None = None
) -> DatasetV2:
    function, elements = function_to_dataset(dataset, map_func, "Dataset.flat_map()")
    variant = build_variant("FlatMapDataset", (elements,), [dataset], (), [function])
    return _FlatMapDataset(dataset, variant, elements)


def _chosen_cycle(calls: int) -> int:
    """Returns the cycle length of ``AUTOTUNE`` for a number of parallel calls; 0 for none.

    It depends on the number of cores as TensorFlow's does: of three threads for a dataset that is
    read, where the number of calls is chosen, too.
    """
    cores = parallelism(-1)
    if calls == -1:
        return -(-cores // 3)
    return min(calls, cores) if calls else cores


@builds("InterleaveDataset")
def _interleave_stage(
    elements: Elements, source: Stage, cycle: Any, block: Any, function: Any
) -> Stage:
    length = _chosen_cycle(0) if cycle == -1 else int(cycle)
    return InterleaveStage(elements, source, function, length, int(block), 0, True)


@builds("ParallelInterleaveDatasetV4")
def _parallel_interleave_stage(
    elements: Elements,
    is_ordered: bool | None,
    source: Stage,
    cycle: Any,
    block: Any,
    calls: Any,
    function: Any,
) -> Stage:
    width = parallelism(calls)
    length = _chosen_cycle(int(calls)) if cycle == -1 else int(cycle)
    if width > cycle > 0 and calls != -1:
        raise invalid(
            "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either "
            "`tf.data.AUTOTUNE` or a value less than or equal to `cycle_length`. However, "
            f"`num_parallel_calls` is {width} and `cycle_length` is {cycle}"
        )
    return InterleaveStage(elements, source, function, length, int(block), width, is_ordered)


@makes("interleave")
def _interleave(
    dataset: DatasetV2,
    map_func: Callable[..., Any],
    cycle_length: Any = None,
    block_length: Any = None,
    num_parallel_calls: Any = None,
    deterministic: Any = None,
    name: str | None = None,
) -> DatasetV2:
    if block_length is None:
        block_length = 1
    if cycle_length is None:
        cycle_length = -1
    function, elements = function_to_dataset(dataset, map_func, "Dataset.interleave()")

    is_parallel = num_parallel_calls is not None
    params = (elements, deterministic) if is_parallel else (elements,)
    tensors = [scalar(cycle_length, "cycle_length"), scalar(block_length, "block_length")]
    if is_parallel:
        tensors.append(scalar(num_parallel_calls, "num_parallel_calls"))
    kind = "ParallelInterleaveDatasetV4" if is_parallel else "InterleaveDataset"
    variant = build_variant(kind, params, [dataset], tensors, [function])
    cls = _ParallelInterleaveDataset if is_parallel else _InterleaveDataset
    return cls(dataset, variant, elements)


# Windows.


class WindowStage(Stage):
    """Windows of a source: each component is a dataset."""

    def __init__(
        self, elements: Elements, source: Stage, size: int, shift: int, stride: int, drops: bool
    ) -> None:
        for value, text in (
            (size, "Window size"),
            (shift, "Window shift"),
            (stride, "Window stride"),
        ):
            if value <= 0:
                raise invalid(f"{text} must be greater than zero.")
        self.elements, self.inputs = elements, (source,)
        self._size, self._shift, self._stride, self._drops = size, shift, stride, drops

    def cardinality(self) -> int:
        """Returns the number of windows."""
        count = self.inputs[0].cardinality()
        if count < 0:
            return count
        if not self._drops:
            return -(-count // self._shift)
        return (
            max(0, (count - 1 - (self._size - 1) * self._stride) // self._shift + 1) if count else 0
        )

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator over the windows."""
        args = self._size, self._shift, self._stride, self._drops
        return WindowIterator(self.elements, self.inputs[0].iterate(run), *args)


class WindowIterator(StageIterator):
    """An iterator over windows."""

    def __init__(
        self,
        elements: Elements,
        source: StageIterator,
        size: int,
        shift: int,
        stride: int,
        drops: bool,
    ) -> None:
        self.elements, self.upstream, self._source = elements, (source,), source
        self._size, self._shift, self._stride, self._drops = size, shift, stride, drops
        self._buffer: deque[Element] = deque()
        self._parts = [Elements(leaf.spec) for leaf in source.elements.leaves]
        self._is_ended = False

    def __next__(self) -> Element:
        span = (self._size - 1) * self._stride + 1
        while len(self._buffer) < span and not self._is_ended:
            try:
                self._buffer.append(next(self._source))
            except StopIteration:
                self._is_ended = True
        if not self._buffer or (self._drops and len(self._buffer) < span):
            raise StopIteration
        window = list(self._buffer)[: span : self._stride]
        for _ in range(self._shift):
            if self._buffer:
                self._buffer.popleft()
            elif self._source.skip(1) == 0:
                self._is_ended = True
        return tuple(
            [
                box(ListStage(part, [(element[i],) for element in window]))
                for i, part in enumerate(self._parts)
            ]
        )

    def position(self) -> dict[str, Any]:
        """Returns the elements that later windows hold."""
        return {"buffer": [list(e) for e in self._buffer], "is_ended": self._is_ended}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the elements that later windows hold."""
        self._buffer = deque(map(tuple, saved["buffer"]))
        self._is_ended = bool(saved["is_ended"])


class _WindowDataset(TransformedDataset):
    """Windows, each of which is a dataset for each component."""


@builds("WindowDataset")
def _window_stage(
    elements: Elements, source: Stage, size: Any, shift: Any, stride: Any, drops: Any
) -> Stage:
    return WindowStage(elements, source, int(size), int(shift), int(stride), bool(drops))


@makes("window")
def _window(
    dataset: DatasetV2,
    size: Any,
    shift: Any = None,
    stride: Any = 1,
    drop_remainder: Any = False,
    name: str | None = None,
) -> DatasetV2:
    elements = Elements(map_leaves(DatasetSpec, dataset.element_spec))
    tensors = [
        scalar(size, "size"),
        scalar(size if shift is None else shift, "shift"),
        scalar(stride, "stride"),
        scalar(drop_remainder, "drop_remainder", bool_),
    ]
    variant = build_variant("WindowDataset", (elements,), [dataset], tensors)
    return _WindowDataset(dataset, variant, elements)


# Groups.


@builds("GroupByWindowDataset")
class GroupByWindowStage(Stage):
    """The elements of datasets that a function makes of elements with a key."""

    def __init__(self, elements: Elements, source: Stage, key: Any, reduce: Any, size: Any) -> None:
        self.elements, self.inputs = elements, (source,)
        self.functions = key, reduce, size

    def cardinality(self) -> int:
        """Returns ``INFINITE`` for an infinite source, else ``UNKNOWN``."""
        return INFINITE if self.inputs[0].cardinality() == INFINITE else UNKNOWN

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that collects groups."""
        return GroupByWindowIterator(self, self.inputs[0].iterate(run), run)


class GroupByWindowIterator(StageIterator):
    """An iterator that collects the elements of each key, and reduces full groups."""

    def __init__(self, stage: GroupByWindowStage, source: StageIterator, run: Run) -> None:
        self.elements, self.upstream, self._source = stage.elements, (source,), source
        self._key, self._reduce, self._size = stage.functions
        self._run = run
        self._groups: dict[int, list[Element]] = {}
        self._sizes: dict[int, int] = {}
        self._current: StageIterator | None = None
        self._arguments: tuple[int, list[Element]] | None = None
        self._is_ended = False

    def __next__(self) -> Element:
        while True:
            if self._current is not None:
                try:
                    return next(self._current)
                except StopIteration:
                    self._current = None
            if self._is_ended:
                if not self._groups:
                    raise StopIteration
                self._start(min(self._groups))
                continue
            try:
                self._collect(next(self._source))
            except StopIteration:
                self._is_ended = True

    def _collect(self, element: Element) -> None:
        key = int(self._key.call(element)[0])
        group = self._groups.setdefault(key, [])
        if key not in self._sizes:
            size = int(self._size.call((np.asarray(key, np.int64),))[0])
            if size <= 0:
                raise invalid(f"Window size must be greater than zero, but got {size}.")
            self._sizes[key] = size
        group.append(element)
        if len(group) == self._sizes[key]:
            self._start(key)

    def _start(self, key: int) -> None:
        """Starts to read the dataset of a group."""
        self._sizes.pop(key, None)
        self._open(key, self._groups.pop(key))

    def _open(self, key: int, values: list[Element]) -> None:
        group = ListStage(self._source.elements, values)
        number = np.asarray(key, np.int64)
        stage: Stage = self._reduce.call((number,), (box(group),))[0][()]
        self._current, self._arguments = stage.iterate(self._run), (key, values)

    def position(self) -> dict[str, Any]:
        """Returns the groups, and the position in the current dataset."""
        current = None
        if self._current is not None and self._arguments is not None:
            key, values = self._arguments
            current = {"key": key, "values": list(map(list, values))}
            current["position"] = self._current.save()
        groups = [[key, list(map(list, values))] for key, values in self._groups.items()]
        sizes = [list(pair) for pair in self._sizes.items()]
        return {"groups": groups, "sizes": sizes, "current": current, "is_ended": self._is_ended}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the groups, and the position in the current dataset."""
        self._groups = {int(key): list(map(tuple, values)) for key, values in saved["groups"]}
        self._sizes = {int(key): int(size) for key, size in saved["sizes"]}
        self._is_ended, self._current = bool(saved["is_ended"]), None
        if saved["current"] is not None:
            current = saved["current"]
            self._open(int(current["key"]), list(map(tuple, current["values"])))
            assert self._current is not None
            self._current.restore(current["position"])


class _GroupByWindowDataset(TransformedDataset):
    """The elements of datasets that are made of elements with one key."""


@makes("group_by_window")
def _group_by_window(
    dataset: DatasetV2,
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
    name: str | None = None,
) -> DatasetV2:
    if (window_size is None) == (window_size_func is None):
        raise ValueError(
            "Either the `window_size` argument or the `window_size_func` argument must be specified."
        )
    label = "Dataset.group_by_window()"
    number = Elements(TensorSpec([], int64))
    convert = lambda value, what: convert_to_tensor(value, dtype=int64, name=what)
    key = StructuredFunction(
        lambda *args: convert(key_func(*args), "key"), label, dataset._elements
    )
    size_func = window_size_func or (lambda key: window_size)
    size = StructuredFunction(lambda k: convert(size_func(k), "window_size"), label, number)
    for what, function in (("key_func", key), ("window_size_func", size)):
        if not is_scalar_spec(function.elements.spec, int64):
            raise ValueError(
                f"Invalid `{what}`. `{what}` must return a single `tf.int64` scalar tensor but its "
                f"return type is {function.elements.spec!r}."
            )
    group = Elements(DatasetSpec(dataset.element_spec))
    reduce = StructuredFunction(reduce_func, label, number, group)
    spec = reduce.elements.spec
    if not isinstance(spec, DatasetSpec):
        raise TypeError(
            "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but "
            f"its return type is {spec!r}."
        )
    elements = Elements(spec.element_spec)
    functions = [key, reduce, size]
    variant = build_variant("GroupByWindowDataset", (elements,), [dataset], (), functions)
    return _GroupByWindowDataset(dataset, variant, elements)


# Choices.


class DirectedInterleaveStage(Stage):
    """The elements of datasets that another one selects by their indices."""

    def __init__(self, elements: Elements, selector: Stage, *sources: Stage, stops: bool) -> None:
        self.elements, self.inputs, self._stops = elements, (selector, *sources), stops

    def cardinality(self) -> int:
        """Returns ``INFINITE`` if a dataset is, as TensorFlow does, else ``UNKNOWN``."""
        is_endless = any(source.cardinality() == INFINITE for source in self.inputs[1:])
        return INFINITE if is_endless else UNKNOWN

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that selects."""
        upstream = tuple(source.iterate(run) for source in self.inputs)
        return DirectedInterleaveIterator(self.elements, upstream, self._stops)


class DirectedInterleaveIterator(StageIterator):
    """An iterator over selected datasets."""

    def __init__(
        self, elements: Elements, upstream: tuple[StageIterator, ...], stops: bool
    ) -> None:
        self.elements, self.upstream, self._stops = elements, upstream, stops
        self._selector, *self._sources = upstream
        self._is_left = [True] * len(self._sources)

    def __next__(self) -> Element:
        while any(self._is_left):
            index = int(next(self._selector)[0])
            if not 0 <= index < len(self._sources):
                raise invalid(f"Selector index out of range: {index} >= {len(self._sources)}")
            if not self._is_left[index]:
                continue
            try:
                return next(self._sources[index])
            except StopIteration:
                self._is_left[index] = False
                if self._stops:
                    self._is_left = [False] * len(self._sources)
        raise StopIteration

    def position(self) -> dict[str, Any]:
        """Returns True for each dataset that has elements left."""
        return {"is_left": list(self._is_left)}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the datasets that have elements left."""
        self._is_left = [bool(x) for x in saved["is_left"]]


@builds("DirectedInterleaveDataset")
def _directed_interleave_stage(elements: Elements, stops: bool, *sources: Stage) -> Stage:
    return DirectedInterleaveStage(elements, *sources, stops=stops)


class _DirectedInterleaveDataset(DatasetV2):
    """The elements of datasets that another one selects."""

    def __init__(self, selector: DatasetV2, datasets: Sequence[DatasetV2], stops: bool) -> None:
        self._selector_input, self._data_inputs = selector, list(datasets)
        spec = self._data_inputs[0].element_spec
        for other in self._data_inputs[1:]:
            spec = _common_spec(spec, other.element_spec)
        elements = self._elements = Elements(spec)
        inputs = [selector, *self._data_inputs]
        super().__init__(build_variant("DirectedInterleaveDataset", (elements, stops), inputs))

    def _inputs(self) -> list[DatasetV2]:
        return [self._selector_input, *self._data_inputs]


def _common_spec(a: Any, b: Any) -> Any:
    leaves = zip(Elements(a).leaves, Elements(b).leaves)
    return pack_like(a, [x.spec.most_specific_common_supertype([y.spec]) for x, y in leaves])


def _check_datasets(datasets: Sequence[DatasetV2]) -> None:
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    first = datasets[0].element_spec
    for i, other in enumerate(datasets[1:], 1):
        spec = other.element_spec
        try:
            is_compatible = None not in [
                a.spec.most_specific_common_supertype([b.spec])
                for a, b in zip(Elements(first).leaves, Elements(spec).leaves, strict=True)
            ]
        except ValueError:
            is_compatible = False
        if not is_compatible:
            raise TypeError(
                "Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 "
                f"element_spec={first}.\nDataset {i} element_spec={spec}."
            )


@makes("choose_from_datasets")
def _choose_from_datasets(
    datasets: Sequence[DatasetV2], choice_dataset: DatasetV2, stop_on_empty_dataset: bool = True
) -> DatasetV2:
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    spec = choice_dataset.element_spec
    if not (
        isinstance(spec, TensorSpec) and spec.dtype == int64 and spec.shape.is_compatible_with([])
    ):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
            f"tensors but are {spec!r}."
        )
    _check_datasets(datasets)
    return _DirectedInterleaveDataset(choice_dataset, datasets, stop_on_empty_dataset)


# Random numbers and random choices.


class RandomStage(Stage):
    """Random numbers below 2**32, without end."""

    def __init__(self, elements: Elements, generator: SeedGenerator) -> None:
        self.elements, self._generator = elements, generator

    def cardinality(self) -> int:
        """Returns ``INFINITE``."""
        return INFINITE

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator with the next seeds."""
        return RandomIterator(self.elements, Words(self._generator.next()))


class RandomIterator(StageIterator):
    """An iterator over the words of a random stream."""

    def __init__(self, elements: Elements, words: Words) -> None:
        self.elements, self._words = elements, words

    def __next__(self) -> Element:
        return (np.asarray(self._words.next(), np.int64),)

    def position(self) -> dict[str, Any]:
        """Returns the seeds, and the number of words."""
        return {"pair": list(self._words.pair), "words": self._words.position}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the seeds, and the number of words."""
        self._words = Words((int(saved["pair"][0]), int(saved["pair"][1])), int(saved["words"]))


@builds("RandomDatasetV2")
def _random_stage(elements: Elements, is_fixed: bool, first: Any, second: Any) -> Stage:
    return RandomStage(elements, SeedGenerator((int(first), int(second)), is_fixed))


class _RandomDataset(DatasetSource):
    """Random numbers."""

    def __init__(
        self, seed: Any = None, rerandomize_each_iteration: Any = None, name: str | None = None
    ) -> None:
        pair = seed_pair(seed)
        is_fixed = not rerandomize_each_iteration
        elements = self._elements = Elements(TensorSpec([], int64))
        tensors = [scalar(s, "seed") for s in pair]
        params = elements, is_fixed
        super().__init__(build_variant("RandomDatasetV2", params, (), tensors, impure=True))


makes("random")(_RandomDataset)


@builds("categories")
class CategoryStage(Stage):
    """Indices that are drawn by weights: constant ones, or those of a dataset."""

    def __init__(self, elements: Elements, numbers: Stage, weights: Any) -> None:
        self.elements = elements
        self.inputs = (numbers, weights) if isinstance(weights, Stage) else (numbers,)
        self._weights = weights

    def cardinality(self) -> int:
        """Returns that of the weights, or ``INFINITE``."""
        return self.inputs[-1].cardinality()

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that draws."""
        upstream = tuple(source.iterate(run) for source in self.inputs)
        return CategoryIterator(self.elements, upstream, self._weights)


class CategoryIterator(StageIterator):
    """An iterator over indices that are drawn by weights."""

    def __init__(
        self, elements: Elements, upstream: tuple[StageIterator, ...], weights: Any
    ) -> None:
        self.elements, self.upstream = elements, upstream
        self._constant = _categories(weights) if len(upstream) == 1 else None

    def __next__(self) -> Element:
        numbers = self.upstream[0]
        pair = int(next(numbers)[0]), int(next(numbers)[0])
        categories = self._constant
        if categories is None:
            categories = _categories(next(self.upstream[1])[0])
        return (np.asarray(categories.sample(pair), np.int64),)


def _categories(weights: Any) -> Categories:
    with np.errstate(divide="ignore"):
        return Categories(np.log(weights))


class _SelectorDataset(DatasetSource):
    """Indices that are drawn by weights."""

    def __init__(self, weights: Any, numbers: DatasetV2) -> None:
        elements = self._elements = Elements(TensorSpec([], int64))
        self._parents = [numbers, *([weights] if isinstance(weights, DatasetV2) else [])]
        tensors = [] if isinstance(weights, DatasetV2) else [weights]
        kind = "categories"
        super().__init__(
            build_variant("MapDataset", (elements,), self._parents, tensors, kind=kind)
        )

    def _inputs(self) -> list[DatasetV2]:
        return self._parents


@makes("sample_from_datasets")
def sample_from_datasets(
    datasets: Sequence[DatasetV2],
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
    rerandomize_each_iteration: Any = None,
) -> DatasetV2:
    """Returns a dataset of elements of random datasets; see ``Dataset.sample_from_datasets``."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if not isinstance(weights, DatasetV2):
        if weights is None:
            weights = [1.0] * len(datasets)
        elif not isinstance(weights, Tensor) and len(weights) != len(datasets):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                f"`len(weights)={len(weights)}` vs. `len(datasets)={len(datasets)}`."
            )
        weights = convert_to_tensor(weights, name="weights")
        if weights.dtype not in (float32, float64):
            raise TypeError(
                "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is "
                f"{weights.dtype}."
            )
    _check_datasets(datasets)
    if len(datasets) == 1:
        return datasets[0]
    numbers = _RandomDataset(seed, rerandomize_each_iteration)
    return _DirectedInterleaveDataset(
        _SelectorDataset(weights, numbers), datasets, stop_on_empty_dataset
    )


# Rejection resampling.

_BATCH, _SMOOTHING = 32, 10


@makes("rejection_resample")
def rejection_resample(
    dataset: Any,
    class_func: Callable[..., Any],
    target_dist: Any,
    initial_dist: Any = None,
    seed: Any = None,
    name: str | None = None,
) -> DatasetV2:
    """Returns a dataset with another distribution of classes; see ``Dataset.rejection_resample``.

    Elements come from the dataset itself or from those that a class-dependent condition accepts; the
    mix and the condition make the target distribution of the initial one, which is estimated from
    blocks of elements unless it is known.
    """
    target = convert_to_tensor(target_dist, name="target_dist")
    classes = dataset.map(class_func)
    datasets_of = make("from_tensors")

    def probabilities(initial: Any) -> Any:
        ratio = target / (initial + np.finfo(target.dtype.np).tiny)
        least, largest = API["reduce_min"](ratio), API["reduce_max"](ratio)
        return (ratio - least) / (largest - least), least

    def add_class(*element: Any) -> Any:
        value = element[0] if len(element) == 1 else element
        return class_func(*element), value

    if initial_dist is not None:
        initial = convert_to_tensor(initial_dist, name="initial_dist")
        pair = datasets_of(probabilities(initial)).repeat()
        mix = float(np.min(target.numpy() / initial.numpy())) if hasattr(target, "numpy") else None
        initials = datasets_of(initial).repeat()
    else:
        initials = _estimated(classes, target)
        pair, mix = initials.map(probabilities), None
    filtered = _accepted(dataset, classes, pair.map(lambda accept, _: accept), initials, seed)
    filtered = filtered.prefetch(3)
    if mix == 1:
        return dataset.map(add_class)
    if mix == 0:
        return filtered
    weights = pair.map(lambda _, original: API["stack"]([original, 1.0 - original]))
    return sample_from_datasets([dataset.map(add_class), filtered], weights, seed, True)


def _estimated(classes: Any, target: Any) -> Any:
    """Returns the dataset of estimated distributions of classes, one for each element."""
    count = target.shape[0] or API["shape"](target)[0]
    start = API["fill"]([count], np.int64(_SMOOTHING))

    def update(counts: Any, batch: Any) -> Any:
        ones = API["one_hot"](batch, count, dtype="int64")
        counts = counts + API["reduce_sum"](ones, 0)
        share = API["cast"](counts, target.dtype) / API["cast"](
            API["reduce_sum"](counts), target.dtype
        )
        return counts, API["tile"](share[None], [_BATCH, 1])

    return classes.batch(_BATCH).scan(start, update).unbatch()


def _accepted(dataset: Any, classes: Any, accepts: Any, initials: Any, seed: Any) -> Any:
    """Returns the dataset of pairs of classes and elements that random numbers accept."""

    def warn(accept: Any, initial: Any) -> Any:
        rejected = API["reduce_sum"]((1 - accept) * initial)

        def show() -> Any:
            with_print = API["control_dependencies"](
                [API["print"](_HIGH, rejected, initial, accept)]
            )
            with with_print:
                return API["identity"](accept)

        return API["cond"](rejected > 0.5, show, lambda: accept)

    current = make("zip")((accepts, initials)).map(warn)
    triples = make("zip")((classes, current, dataset))
    draw = lambda c, accept, _: API["random.uniform"]([], seed=seed) < accept[c]
    return triples.filter(draw).map(lambda c, _, element: (c, element))


_HIGH = "Proportion of examples rejected by sampler is high: "
