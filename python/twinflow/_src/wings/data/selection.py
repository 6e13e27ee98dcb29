"""Datasets of some elements of others: take, skip, filter, take_while, shard, unique, ignore_errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.core.dtypes import bool_, int32, int64, string
from twinflow._src.core.errors import FailedPreconditionError, OpError, invalid
from twinflow._src.core.scopes import get_logger
from twinflow._src.core.specs import TensorSpec
from twinflow._src.wings.data.dataset import DatasetV2, UnaryUnchangedStructureDataset, makes
from twinflow._src.wings.data.dataset_ops import build_variant, builds, scalar
from twinflow._src.wings.data.functions import StructuredFunction
from twinflow._src.wings.data.stages import (
    INFINITE,
    UNKNOWN,
    FilteredStage,
    Run,
    Stage,
    StageIterator,
)
from twinflow._src.wings.data.structure import Element


class FilteredIterator(StageIterator):
    """Base class of iterators that pass on elements of one source."""

    def __init__(self, source: StageIterator) -> None:
        self.elements, self.upstream, self._source = source.elements, (source,), source
        self._advance = source.__next__


# First and last elements.


class TakeStage(FilteredStage):
    """The first elements of a source; all of them if ``count`` is negative."""

    def __init__(self, source: Stage, count: int) -> None:
        super().__init__(source)
        self._count = count

    def cardinality(self) -> int:
        """Returns the number of elements."""
        count = self.inputs[0].cardinality()
        if self._count < 0 or count == UNKNOWN:
            return count
        return self._count if count == INFINITE else min(count, self._count)

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that ends early."""
        source = self.inputs[0].iterate(run)
        return source if self._count < 0 else TakeIterator(source, self._count)


class TakeIterator(FilteredIterator):
    """An iterator over the first elements of a source."""

    def __init__(self, source: StageIterator, count: int) -> None:
        super().__init__(source)
        self._left = count

    def __next__(self) -> Element:
        if self._left <= 0:
            raise StopIteration
        self._left -= 1
        return self._advance()

    def block(self, count: int) -> Element | None:
        """Returns a batch of the next elements."""
        count = min(count, self._left)
        if not count:
            return None
        self._left -= count
        return self._source.block(count)

    def skip(self, count: int) -> int:
        """Skips elements of the source."""
        count = min(count, self._left)
        self._left -= count
        return self._source.skip(count)

    def position(self) -> dict[str, Any]:
        """Returns the number of elements left."""
        return {"left": self._left}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the number of elements left."""
        self._left = int(saved["left"])


class SkipStage(FilteredStage):
    """The elements of a source after the first ones; none if ``count`` is negative."""

    def __init__(self, source: Stage, count: int) -> None:
        super().__init__(source)
        self._count = count

    def cardinality(self) -> int:
        """Returns the number of elements."""
        count = self.inputs[0].cardinality()
        if count < 0:
            return count
        return 0 if self._count < 0 else max(count - self._count, 0)

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that skips elements at its first one."""
        return SkipIterator(self.inputs[0].iterate(run), self._count)


class SkipIterator(FilteredIterator):
    """An iterator that skips the first elements of a source."""

    def __init__(self, source: StageIterator, count: int) -> None:
        super().__init__(source)
        self._count, self._is_empty = max(count, 0), count < 0

    def _start(self) -> None:
        if self._is_empty:
            raise StopIteration
        if self._count:
            self._source.skip(self._count)
            self._count = 0

    def __next__(self) -> Element:
        if self._count or self._is_empty:
            self._start()
        return self._advance()

    def block(self, count: int) -> Element | None:
        """Returns a batch of the next elements."""
        if self._is_empty:
            return None
        self._start()
        return self._source.block(count)

    def position(self) -> dict[str, Any]:
        """Returns the number of elements to skip."""
        return {"count": self._count}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the number of elements to skip."""
        self._count = int(saved["count"])


# The number and the index of shards that a strategy fills in.
HINT = -1


class ShardStage(FilteredStage):
    """Every ``count``-th element of a source, from ``index`` on."""

    def __init__(self, source: Stage, count: int, index: int) -> None:
        super().__init__(source)
        self._is_hint = count == index == HINT
        if self._is_hint:
            self._count, self._index = 1, 0
            return
        if count < 1:
            raise invalid(
                f"Number of shards must be greater than zero (currently num_shards = {count})."
            )
        if not 0 <= index < count:
            raise invalid(f"Index must be between 0 and {count - 1} (currently index = {index}).")
        self._count, self._index = count, index

    def cardinality(self) -> int:
        """Returns the number of elements."""
        count = self.inputs[0].cardinality()
        return count if count < 0 else (count - self._index + self._count - 1) // self._count

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that skips elements between others."""
        if self._is_hint:
            raise FailedPreconditionError(
                None,
                None,
                "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
                "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
                "`tf.data.experimental.AutoShardPolicy.HINT` policy, or tf.data service with "
                "`tf.data.experimental.service.ShardingPolicy.HINT` processing mode.",
            )
        return ShardIterator(self.inputs[0].iterate(run), self._count, self._index)


class ShardIterator(FilteredIterator):
    """An iterator over every n-th element."""

    def __init__(self, source: StageIterator, count: int, index: int) -> None:
        super().__init__(source)
        self._gap, self._next_gap = count - 1, index

    def __next__(self) -> Element:
        if self._next_gap:
            self._source.skip(self._next_gap)
        element = self._advance()
        self._next_gap = self._gap
        return element

    def position(self) -> dict[str, Any]:
        """Returns the number of elements to skip."""
        return {"gap": self._next_gap}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the number of elements to skip."""
        self._next_gap = int(saved["gap"])


# Elements that fulfil a condition.


@builds("FilterDataset")
class FilterStage(FilteredStage):
    """The elements of a source for which a function returns True."""

    def __init__(self, source: Stage, predicate: Any) -> None:
        super().__init__(source)
        self._predicate = predicate

    def cardinality(self) -> int:
        """Returns ``UNKNOWN``."""
        return UNKNOWN

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that calls the function."""
        return FilterIterator(self.inputs[0].iterate(run), self._predicate)


class FilterIterator(FilteredIterator):
    """An iterator over the elements for which a function returns True."""

    def __init__(self, source: StageIterator, predicate: Any) -> None:
        super().__init__(source)
        self._call = predicate.call

    def __next__(self) -> Element:
        while True:
            element = self._advance()
            if self._call(element)[0]:
                return element


@builds("TakeWhileDataset")
class TakeWhileStage(FilterStage):
    """The elements of a source before the first for which a function returns False."""

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that ends early."""
        return TakeWhileIterator(self.inputs[0].iterate(run), self._predicate)


class TakeWhileIterator(FilteredIterator):
    """An iterator that ends where a function returns False."""

    def __init__(self, source: StageIterator, predicate: Any) -> None:
        super().__init__(source)
        self._call, self._is_ended = predicate.call, False

    def __next__(self) -> Element:
        if not self._is_ended:
            element = self._advance()
            if self._call(element)[0]:
                return element
            self._is_ended = True
        raise StopIteration

    def position(self) -> dict[str, Any]:
        """Returns True after the end."""
        return {"is_ended": self._is_ended}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the end."""
        self._is_ended = bool(saved["is_ended"])


@builds("UniqueDataset")
class UniqueStage(FilteredStage):
    """The elements of a source that did not occur before."""

    def cardinality(self) -> int:
        """Returns ``UNKNOWN``."""
        return UNKNOWN

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that keeps the elements that occurred."""
        return UniqueIterator(self.inputs[0].iterate(run))


class UniqueIterator(FilteredIterator):
    """An iterator over the elements that did not occur before."""

    def __init__(self, source: StageIterator) -> None:
        super().__init__(source)
        self._past: set[Any] = set()
        self._values: list[Any] = []

    def __next__(self) -> Element:
        while True:
            element = self._advance()
            value = element[0]
            key = _key(value)
            if key not in self._past:
                self._past.add(key)
                self._values.append(value)
                return element

    def position(self) -> dict[str, Any]:
        """Returns the elements that occurred."""
        return {"values": list(self._values)}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the elements that occurred."""
        self._values = list(saved["values"])
        self._past = {_key(value) for value in self._values}


def _key(value: Any) -> Any:
    """Returns a hashable key of an array."""
    return value.shape, str(value.tolist()) if value.dtype == object else value.tobytes()


class IgnoreErrorsStage(FilteredStage):
    """The elements of a source without those that are errors."""

    def __init__(self, source: Stage, logs: bool) -> None:
        super().__init__(source)
        self._logs = logs

    def cardinality(self) -> int:
        """Returns ``UNKNOWN``, since any element may be an error."""
        return UNKNOWN

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that goes on after errors."""
        return IgnoreErrorsIterator(self.inputs[0].iterate(run), self._logs)


class IgnoreErrorsIterator(FilteredIterator):
    """An iterator that goes on after errors."""

    def __init__(self, source: StageIterator, logs: bool) -> None:
        super().__init__(source)
        self._logs = logs

    def __next__(self) -> Element:
        while True:
            try:
                return self._advance()
            except OpError as error:
                if self._logs:
                    get_logger().warning("Error raised with error message %s", error.message)


class AssertCardinalityStage(FilteredStage):
    """The elements of a source, whose number is checked at the end."""

    def __init__(self, source: Stage, count: int) -> None:
        super().__init__(source)
        self._count = count

    def cardinality(self) -> int:
        """Returns the expected number."""
        return self._count

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that counts."""
        return AssertCardinalityIterator(self.inputs[0].iterate(run), self._count)


class AssertCardinalityIterator(FilteredIterator):
    """An iterator that raises FailedPreconditionError for another number of elements."""

    def __init__(self, source: StageIterator, count: int) -> None:
        super().__init__(source)
        self._expected, self._count = count, 0

    def __next__(self) -> Element:
        try:
            element = self._advance()
        except StopIteration:
            if self._count < self._expected or self._expected == INFINITE:
                raise self._failure(f"contained only {_elements(self._count)}") from None
            raise
        self._count += 1
        if self._count > self._expected >= 0:
            raise self._failure(f"contained at least {_elements(self._count)}")
        return element

    def _failure(self, text: str) -> Exception:
        expected = (
            "an infinite number of elements" if self._expected < 0 else _elements(self._expected)
        )
        message = f"Input dataset was expected to contain {expected} but {text}."
        return FailedPreconditionError(None, None, message)

    def position(self) -> dict[str, Any]:
        """Returns the number of elements."""
        return {"count": self._count}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the number of elements."""
        self._count = int(saved["count"])


def _elements(count: int) -> str:
    return f"{count} element{'' if count == 1 else 's'}"


# Datasets.


class _TakeDataset(UnaryUnchangedStructureDataset):
    """The first elements."""


class _SkipDataset(UnaryUnchangedStructureDataset):
    """The elements after the first ones."""


class _ShardDataset(UnaryUnchangedStructureDataset):
    """Every n-th element."""


class _FilterDataset(UnaryUnchangedStructureDataset):
    """The elements that fulfil a condition."""


class _TakeWhileDataset(UnaryUnchangedStructureDataset):
    """The elements before the first that does not fulfil a condition."""


class _UniqueDataset(UnaryUnchangedStructureDataset):
    """The elements that did not occur before."""


class _IgnoreErrorsDataset(UnaryUnchangedStructureDataset):
    """The elements without those that are errors."""


class _AssertCardinalityDataset(UnaryUnchangedStructureDataset):
    """The elements, whose number is checked."""


@builds("TakeDataset")
def _take_stage(source: Stage, count: Any) -> Stage:
    return TakeStage(source, int(count))


@builds("SkipDataset")
def _skip_stage(source: Stage, count: Any) -> Stage:
    return SkipStage(source, int(count))


@builds("ShardDataset")
def _shard_stage(source: Stage, count: Any, index: Any) -> Stage:
    return ShardStage(source, int(count), int(index))


@builds("IgnoreErrorsDataset")
def _ignore_errors_stage(log_warning: bool, source: Stage) -> Stage:
    return IgnoreErrorsStage(source, log_warning)


@builds("AssertCardinalityDataset")
def _assert_cardinality_stage(source: Stage, count: Any) -> Stage:
    return AssertCardinalityStage(source, int(count))


@makes("take")
def _take(dataset: DatasetV2, count: Any, name: str | None = None) -> DatasetV2:
    tensors = [scalar(count, "count")]
    return _TakeDataset(dataset, build_variant("TakeDataset", (), [dataset], tensors))


@makes("skip")
def _skip(dataset: DatasetV2, count: Any, name: str | None = None) -> DatasetV2:
    tensors = [scalar(count, "count")]
    return _SkipDataset(dataset, build_variant("SkipDataset", (), [dataset], tensors))


@makes("shard")
def _shard(dataset: DatasetV2, num_shards: Any, index: Any, name: str | None = None) -> DatasetV2:
    tensors = [scalar(num_shards, "num_shards"), scalar(index, "index")]
    return _ShardDataset(dataset, build_variant("ShardDataset", (), [dataset], tensors))


def is_scalar_spec(spec: Any, dtype: Any) -> bool:
    """True for the spec of a tensor of a dtype that may be a scalar."""
    is_tensor = isinstance(spec, TensorSpec) and spec.dtype == dtype
    return is_tensor and bool(spec.shape.is_compatible_with([]))


def predicate_of(
    dataset: DatasetV2, predicate: Callable[..., Any], label: str
) -> StructuredFunction:
    """Returns a traced condition; raises ValueError unless it returns a bool scalar."""
    function = StructuredFunction(predicate, label, dataset._elements)
    spec = function.elements.spec
    if not is_scalar_spec(spec, bool_):
        raise ValueError(
            "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return "
            f"type is {spec!r}."
        )
    return function


@makes("filter")
def _filter(
    dataset: DatasetV2, predicate: Callable[..., Any], name: str | None = None
) -> DatasetV2:
    function = predicate_of(dataset, predicate, "Dataset.filter()")
    variant = build_variant("FilterDataset", (), [dataset], (), [function])
    return _FilterDataset(dataset, variant)


@makes("take_while")
def _take_while(
    dataset: DatasetV2, predicate: Callable[..., Any], name: str | None = None
) -> DatasetV2:
    function = predicate_of(dataset, predicate, "Dataset.take_while()")
    variant = build_variant("TakeWhileDataset", (), [dataset], (), [function])
    return _TakeWhileDataset(dataset, variant)


@makes("unique")
def _unique(dataset: DatasetV2, name: str | None = None) -> DatasetV2:
    leaves = dataset._elements.leaves
    for leaf in leaves:
        dtype = getattr(leaf.spec, "dtype", None)
        if dtype not in (int32, int64, string):
            raise TypeError(
                f"`tf.data.Dataset.unique` does not support type {dtype} -- only `tf.int32`, "
                "`tf.int64`, and `tf.string` are supported."
            )
    if len(leaves) != 1:
        raise invalid("UniqueDataset only supports inputs with a single component.")
    return _UniqueDataset(dataset, build_variant("UniqueDataset", (), [dataset]))


@makes("ignore_errors")
def _ignore_errors(
    dataset: DatasetV2, log_warning: bool = False, name: str | None = None
) -> DatasetV2:
    return _IgnoreErrorsDataset(
        dataset, build_variant("IgnoreErrorsDataset", (log_warning,), [dataset])
    )


@makes("assert_cardinality")
def _assert_cardinality(dataset: DatasetV2, count: Any) -> DatasetV2:
    tensors = [scalar(count, "expected_cardinality")]
    variant = build_variant("AssertCardinalityDataset", (), [dataset], tensors)
    return _AssertCardinalityDataset(dataset, variant)
