"""``group_by_reducer`` and ``pad_to_cardinality`` of ``tf.data.experimental``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int64
from twinflow._src.core.specs import TensorSpec
from twinflow._src.dispatch.op import API
from twinflow._src.wings.data.dataset import DatasetV2, make
from twinflow._src.wings.data.dataset_ops import dataset_variant
from twinflow._src.wings.data.functions import StructuredFunction
from twinflow._src.wings.data.nesting import TransformedDataset
from twinflow._src.wings.data.stages import UNKNOWN, ListIterator, Run, Stage, StageIterator
from twinflow._src.wings.data.structure import Element, Elements, map_leaves


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


class ReduceGroupsStage(Stage):
    """The results of reductions of the elements of each key."""

    def __init__(self, elements: Elements, source: Stage, functions: tuple[Any, ...]) -> None:
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
        stage = lambda source, *bound: ReduceGroupsStage(elements, source, bound)
        functions = [key, start, step, finish]
        variant = dataset_variant("GroupByReducerDataset", stage, [dataset], (), functions)
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
