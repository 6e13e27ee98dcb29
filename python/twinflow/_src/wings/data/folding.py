"""Results of functions of states and elements: reduce, scan, get_single_element, counter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.specs import TensorSpec
from twinflow._src.dispatch.op import API
from twinflow._src.wings.data.dataset import DatasetSource, DatasetV2, make, makes
from twinflow._src.wings.data.dataset_ops import (
    build_variant,
    builds,
    component_tensors,
    element_results,
    packed,
    run_op,
    scalar,
)
from twinflow._src.wings.data.functions import StructuredFunction
from twinflow._src.wings.data.nesting import TransformedDataset
from twinflow._src.wings.data.stages import (
    INFINITE,
    UNKNOWN,
    FilteredStage,
    ListIterator,
    Run,
    Stage,
    StageIterator,
)
from twinflow._src.wings.data.structure import (
    Element,
    Elements,
    flatten,
    map_leaves,
    normalized,
    pack_like,
    spec_of,
)


def _check_state(expected: Any, state: Any, what: str) -> Any:
    """Returns the common spec of two states; raises TypeError if their types differ."""
    leaves, others = flatten(expected), flatten(state)
    types, names = (
        [getattr(s, "dtype", s) for s in leaves],
        [getattr(s, "dtype", s) for s in others],
    )
    if len(leaves) != len(others) or types != names:
        old, new = (pack_like(x, kinds) for x, kinds in ((expected, types), (state, names)))
        text = "The element types for the new state must match the initial state."
        if what == "scan_func":
            text = f"Invalid `scan_func`. {text} Expected {old}, got {new}."
        else:
            text = f"{text} Expected {old} but got {new}."
        raise TypeError(
            text
            if len(leaves) == len(others)
            else f"Invalid `{what}`. The structure of the new state, {state!r}, is not that of the initial "
            f"state, {expected!r}."
        )
    common = [a.most_specific_common_supertype([b]) for a, b in zip(leaves, others)]
    return pack_like(expected, common)


def _trace(
    function: Callable[..., Any], label: str, state: Any, dataset: DatasetV2, new_state: Any
) -> tuple[StructuredFunction, Elements]:
    """Traces a function of a state and an element, until the shapes of the state are general."""
    while True:
        elements = Elements(state)
        traced = StructuredFunction(function, label, elements, dataset._elements)
        common = _check_state(state, new_state(traced), label.split(".")[-1].strip("()") + "_func")
        if repr(common) == repr(state):
            return traced, elements
        state = common


@makes("reduce")
def reduce(
    dataset: DatasetV2,
    initial_state: Any,
    reduce_func: Callable[..., Any],
    name: str | None = None,
) -> Any:
    """Returns the last state of a function of a state and an element; see ``Dataset.reduce``."""
    value = normalized(initial_state)
    spec = map_leaves(spec_of, value)
    traced, elements = _trace(
        reduce_func, "Dataset.reduce()", spec, dataset, lambda f: f.elements.spec
    )
    tensors = component_tensors(elements, value)

    def kernel(source: Any, *rest: Any) -> Any:
        *arrays, bound = rest
        state, run, outer = elements.element(arrays), Run(source[()]), thread.session
        thread.session = run.token
        try:
            for element in source[()].iterate(run):
                state = bound.call(state, element)
        finally:
            thread.session = outer
            run.close()
        return list(elements.arrays(state))

    inputs = [dataset._variant_tensor, *tensors]
    results = run_op("ReduceDataset", kernel, inputs, [traced], element_results(elements), True)
    return packed(elements, results)


@makes("get_single_element")
def get_single_element(dataset: DatasetV2, name: str | None = None) -> Any:
    """Returns the only element of a dataset; see ``Dataset.get_single_element``."""
    elements = dataset._elements

    def kernel(source: Any) -> Any:
        run = Run(source[()])
        try:
            pulled = source[()].iterate(run).pull(2)
        finally:
            run.close()
        if not pulled:
            raise invalid("Dataset was empty.")
        if len(pulled) > 1:
            raise invalid("Dataset had more than one element.")
        return list(elements.arrays(pulled[0]))

    inputs = [dataset._variant_tensor]
    results = element_results(elements)
    return packed(elements, run_op("DatasetToSingleElement", kernel, inputs, (), results, True))


# Scan.


class ScanStage(FilteredStage):
    """The outputs of a function of a state and an element."""

    def __init__(
        self, elements: Elements, source: Stage, state: Element, function: Any, count: int
    ) -> None:
        self.elements, self.inputs, self._state = elements, (source,), state
        self._function, self._count = function, count

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator with the first state."""
        source = self.inputs[0].iterate(run)
        return ScanIterator(self.elements, source, self._state, self._function, self._count)


class ScanIterator(StageIterator):
    """An iterator that carries a state."""

    def __init__(
        self, elements: Elements, source: StageIterator, state: Element, function: Any, count: int
    ) -> None:
        self.elements, self.upstream, self._advance = elements, (source,), source.__next__
        self._state, self._call, self._count = state, function.call, count

    def __next__(self) -> Element:
        values = self._call(self._state, self._advance())
        self._state = values[: self._count]
        return values[self._count :]

    def position(self) -> dict[str, Any]:
        """Returns the state."""
        return {"state": list(self._state)}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the state."""
        self._state = tuple(saved["state"])


class _ScanDataset(TransformedDataset):
    """The outputs of a function of a state and an element."""


def _pair(function: StructuredFunction) -> Any:
    """Returns the specs of the new state and the output."""
    spec = function.elements.spec
    if not isinstance(spec, tuple) or len(spec) != 2:
        raise TypeError(
            "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the "
            f"output value but its return type is {spec!r}."
        )
    return spec


@builds("ScanDataset")
def _scan_stage(elements: Elements, states: Elements, source: Stage, *rest: Any) -> Stage:
    *arrays, function = rest
    return ScanStage(elements, source, states.element(arrays), function, len(states.leaves))


@makes("scan")
def _scan(
    dataset: DatasetV2, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
) -> DatasetV2:
    value = normalized(initial_state)
    spec = map_leaves(spec_of, value)
    traced, states = _trace(scan_func, "Dataset.scan()", spec, dataset, lambda f: _pair(f)[0])
    elements = Elements(_pair(traced)[1])

    tensors = component_tensors(states, value)
    variant = build_variant("ScanDataset", (elements, states), [dataset], tensors, [traced])
    return _ScanDataset(dataset, variant, elements)


# Counter.


@builds("counter")
class CounterStage(Stage):
    """Numbers without end."""

    def __init__(self, elements: Elements, start: Any, step: Any) -> None:
        self.elements, self.start, self.step = elements, start, step

    def cardinality(self) -> int:
        """Returns ``INFINITE``."""
        return INFINITE

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator at the first number."""
        return CounterIterator(self)


class CounterIterator(StageIterator):
    """An iterator over numbers without end."""

    def __init__(self, stage: CounterStage) -> None:
        self.elements, self._step, self._next = stage.elements, stage.step, stage.start

    def __next__(self) -> Element:
        number = self._next
        with np.errstate(over="ignore"):
            self._next = np.asarray(number + self._step, number.dtype)
        return (number,)

    def position(self) -> dict[str, Any]:
        """Returns the next number."""
        return {"next": self._next}

    def move(self, saved: dict[str, Any]) -> None:
        """Restores the next number."""
        self._next = np.asarray(saved["next"])


class _CounterDataset(DatasetSource):
    """Numbers without end."""

    def __init__(
        self, start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None
    ) -> None:
        kind = as_dtype(dtype)
        elements = self._elements = Elements(TensorSpec([], kind))
        tensors = [scalar(start, "start", kind), scalar(step, "step", kind)]
        super().__init__(build_variant("ScanDataset", (elements,), (), tensors, kind="counter"))


_CounterDataset.__name__ = "_ScanDataset"  # as TensorFlow composes it
makes("counter")(_CounterDataset)


# ------------------------------------------------------------------ ``group_by_reducer`` and ``pad_to_cardinality`` of ``tf.data.experimental``


class Reducer:
    """The three functions of a reduction.

    Args:
        init_func: The function of a key, which returns the first state.
        reduce_func: The function of a state and an element, which returns the next state.
        finalize_func: The function of the last state, which returns the result.
    """

    __module__ = "twinflow.data.experimental"

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self._init_func, self._reduce_func = init_func, reduce_func
        self._finalize_func = finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """The function of a key."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """The function of a state and an element."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """The function of the last state."""
        return self._finalize_func


@builds("GroupByReducerDataset")
class ReduceGroupsStage(Stage):
    """The results of reductions of the elements of each key."""

    def __init__(self, elements: Elements, source: Stage, *functions: Any) -> None:
        self.elements, self.inputs, self._functions = elements, (source,), functions

    def cardinality(self) -> int:
        """Returns ``UNKNOWN``, or 0 for an empty source."""
        return UNKNOWN if self.inputs[0].cardinality() else 0

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that reduces at its first element."""
        return ReduceGroupsIterator(self.elements, self.inputs[0].iterate(run), self._functions)


class ReduceGroupsIterator(StageIterator):
    """An iterator over the results of reductions, in order of the keys."""

    def __init__(
        self, elements: Elements, source: StageIterator, functions: tuple[Any, ...]
    ) -> None:
        self.elements, self.upstream, self._source = elements, (source,), source
        self._functions = functions
        self._results: ListIterator | None = None

    def __next__(self) -> Element:
        if self._results is None:
            self._results = ListIterator(self.elements, self._reduce())
        return next(self._results)

    def _reduce(self) -> list[Element]:
        key, start, step, finish = self._functions
        states: dict[int, Element] = {}
        for element in self._source:
            number = key.call(element)
            index = int(number[0])
            state = states[index] if index in states else start.call(number)
            states[index] = step.call(state, element)
        return [finish.call(states[index]) for index in sorted(states)]


class _GroupByReducerDataset(TransformedDataset):
    """The results of reductions of the elements of each key."""


def group_by_reducer(
    key_func: Callable[..., Any], reducer: Reducer
) -> Callable[[DatasetV2], DatasetV2]:
    """Returns a transformation that reduces the elements of each key.

    Args:
        key_func: The function of an element, which returns its key, an int64 scalar.
        reducer: The functions of the reduction.
    """

    def apply(dataset: DatasetV2) -> DatasetV2:
        label = "tf.data.experimental.group_by_reducer()"
        convert = lambda value: convert_to_tensor(value, dtype=int64, name="key")
        key = StructuredFunction(lambda *args: convert(key_func(*args)), label, dataset._elements)
        number = Elements(TensorSpec([], int64))
        start = StructuredFunction(reducer.init_func, label, number)
        step = StructuredFunction(reducer.reduce_func, label, start.elements, dataset._elements)
        finish = StructuredFunction(reducer.finalize_func, label, start.elements)
        elements = finish.elements
        functions = [key, start, step, finish]
        variant = build_variant("GroupByReducerDataset", (elements,), [dataset], (), functions)
        return _GroupByReducerDataset(dataset, variant, elements)

    return apply


def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Callable[[Any], DatasetV2]:
    """Returns a transformation that adds zeros up to a number of elements, and a mask of the others.

    Args:
        cardinality: The number of elements.
        mask_key: The key of the mask in elements, which are dictionaries.
    """

    def apply(dataset: Any) -> DatasetV2:
        spec = dataset.element_spec
        if not isinstance(spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        if mask_key in spec:
            raise ValueError(
                f"The dataset element already has the key '{mask_key}', which is that of the mask."
            )
        count = dataset.cardinality()
        zeros = map_leaves(lambda s: np.zeros(s.shape.as_list(), s.dtype.np), spec)
        padding = make("from_tensors")(zeros).repeat(API["maximum"](cardinality - count, 0))
        mark = lambda value: lambda element: {**element, mask_key: value}
        padded = dataset.map(mark(True)).concatenate(padding.map(mark(False)))
        return make("assert_cardinality")(padded, cardinality)

    return apply
