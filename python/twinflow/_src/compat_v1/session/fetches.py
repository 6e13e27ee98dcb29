"""What is asked of a session: structures of tensors, operations, variables and names."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorValue
from twinflow._src.graph.symbolic import Operation


class IndexedSlicesValue(NamedTuple):
    """The value of indexed slices."""

    values: Any
    indices: Any
    dense_shape: Any


class RaggedTensorValue:
    """The value of a ragged tensor.

    Args:
        values: The values of the rows, one after the other: an array, or such an object.
        row_splits: Where each row begins, and where the last one ends.
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        self.values, self.row_splits = values, row_splits

    @property
    def flat_values(self) -> Any:
        """The innermost values."""
        inner = self.values
        while isinstance(inner, RaggedTensorValue):
            inner = inner.values
        return inner

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The splits of all dimensions, the outermost first."""
        inner = self.values.nested_row_splits if isinstance(self.values, RaggedTensorValue) else ()
        return (self.row_splits, *inner)

    @property
    def dtype(self) -> Any:
        """The type of the values."""
        return self.flat_values.dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape; None for dimensions of rows of different length."""
        inner = self.values.shape
        return (len(self.row_splits) - 1, None, *inner[1:])

    def to_list(self) -> list[Any]:
        """The rows as nested lists."""
        inner = self.values
        rows = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        splits = self.row_splits.tolist()
        return [rows[a:b] for a, b in itertools.pairwise(splits)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"


Values = Callable[[Any], Any]  # gives the value of an element
Builder = Callable[[Values], Any]  # puts the values of elements into the structure that was asked for


class Fetches:
    """The elements of a graph that a structure asks for.

    Args:
        graph: The graph.
        asked: The structure.

    Attributes:
        elements: The operations and tensors, each once.

    Raises:
        TypeError: There is something in it that means no element.
        ValueError: A name is not that of an element.
    """

    def __init__(self, graph: Any, asked: Any) -> None:
        self._graph = graph
        self.elements: list[Any] = []
        self._known: set[int] = set()
        self._builder = self._of(asked)

    def build(self, values: Values) -> Any:
        """The structure with values."""
        return self._builder(values)

    def _of(self, asked: Any) -> Builder:
        if asked is None:
            raise TypeError(f"Argument `fetch` = {asked} has invalid type \"{type(asked).__name__}\". Cannot be None")
        if isinstance(asked, (list, tuple, Mapping)):
            return self._structure(asked)
        if hasattr(type(asked), "__attrs_attrs__"):
            names = [field.name for field in type(asked).__attrs_attrs__]
            return self._object(asked, names)
        for kind, parts, make in _COMPOSITES:
            if isinstance(asked, kind):
                inner = [None if part is None else self._of(part) for part in parts(asked)]
                return lambda values: make(*(None if f is None else f(values) for f in inner))
        return self._element(asked)

    def _structure(self, asked: Any) -> Builder:
        if isinstance(asked, Mapping):
            inner = {key: self._of(value) for key, value in asked.items()}
            kind: Any = type(asked)
            if isinstance(asked, collections.defaultdict):
                first = asked.default_factory
                return lambda values: kind(first, ((k, f(values)) for k, f in inner.items()))
            return lambda values: kind((k, f(values)) for k, f in inner.items())
        items = [self._of(value) for value in asked]
        own: Any = list if isinstance(asked, list) else type(asked)
        if hasattr(own, "_fields"):
            return lambda values: own(*(f(values) for f in items))
        return lambda values: own([f(values) for f in items])

    def _object(self, asked: Any, names: list[str]) -> Builder:
        inner = {name: self._of(getattr(asked, name)) for name in names}
        return lambda values: type(asked)(**{name: f(values) for name, f in inner.items()})

    def _element(self, asked: Any) -> Builder:
        try:
            element = self._graph.as_graph_element(asked)
        except TypeError as error:
            raise TypeError(
                f"Argument `fetch` = {asked} has invalid type \"{type(asked).__name__}\" must be a string or "
                f"Tensor. ({error})"
            ) from error
        except (ValueError, KeyError) as error:
            raise ValueError(
                f"Argument `fetch` = {asked} cannot be interpreted as a Tensor. ({error})"
            ) from error
        self._graph.assert_fetchable(element)
        if id(element) not in self._known:
            self._known.add(id(element))
            self.elements.append(element)
        if isinstance(element, Operation):
            return lambda values: None
        return lambda values: values(element)


def _ragged_parts(tensor: Any) -> tuple[Any, Any]:
    return tensor.values, tensor.row_splits


# Composite values: their class, the tensors that they are made of, and what is made of the values.
_COMPOSITES: list[tuple[type, Callable[[Any], tuple[Any, ...]], Callable[..., Any]]] = [
    (SparseTensor, lambda x: (x.indices, x.values, x.dense_shape), SparseTensorValue),
    (IndexedSlices, lambda x: (x.values, x.indices, x.dense_shape), IndexedSlicesValue),
    (RaggedTensor, _ragged_parts, RaggedTensorValue),
]
