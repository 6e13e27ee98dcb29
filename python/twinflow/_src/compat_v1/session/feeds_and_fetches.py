"""Feeds and fetches of sessions."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorValue
from twinflow._src.conversion.arrays import as_bytes
from twinflow._src.core import nest
from twinflow._src.core.context import runtime
from twinflow._src.core.dtypes import string
from twinflow._src.core.tensor import EagerTensor, Tensor, place_on_device
from twinflow._src.graph.symbolic import Operation

# Feeds.


def feeds_of(graph: Any, feed_dict: Any) -> dict[int, tuple[Any, Any]]:
    """Converts a feed dictionary to pairs of a tensor and an array, keyed by the id of the tensor."""
    # Keys are tensors, names of tensors, composite tensors or structures of them.
    feeds = {}
    for key, value in _flat(feed_dict or {}):
        for part, item in _parts(key, value):
            tensor = _tensor(graph, part)
            feeds[id(tensor)] = tensor, _array(graph, tensor, item, part)
    return feeds


def _flat(feed_dict: Any) -> Iterator[tuple[Any, Any]]:
    if not isinstance(feed_dict, Mapping):
        raise TypeError(
            "FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, instead of "
            f"'{type(feed_dict).__name__}'."
        )
    for key, value in feed_dict.items():
        if isinstance(key, tuple):
            nest.assert_same_structure(list(key), list(value))
            yield from zip(nest.flatten(key), nest.flatten(value))
        else:
            yield key, value


def _parts(key: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """Yields the components of a composite tensor with their values."""
    if isinstance(key, (SparseTensor, IndexedSlices)):
        names = ("indices", "values", "dense_shape")
        names = names if isinstance(key, SparseTensor) else ("values", "indices", "dense_shape")
        items = value if isinstance(value, (tuple, list)) else [getattr(value, n) for n in names]
        for name, item in zip(names, items):
            if getattr(key, name) is not None:
                yield getattr(key, name), item
    elif isinstance(key, RaggedTensor):
        yield from _parts(key.values, value.values)
        yield key.row_splits, value.row_splits
    else:
        yield key, value


def _tensor(graph: Any, key: Any) -> Any:
    try:
        return graph.as_graph_element(key, allow_operation=False)
    except (KeyError, TypeError, ValueError) as error:
        raise TypeError(f"Cannot interpret feed_dict key as Tensor: {error.args[0]}") from error


def _array(graph: Any, tensor: Any, value: Any, key: Any) -> Any:
    if isinstance(value, Tensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python "
            "scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the tensor object was "
            f"{value!s} which was passed to the argument `feed_dict` with key {key}."
        )
    dtype = tensor.dtype.base_dtype
    if isinstance(value, int) and dtype.is_integer and not (dtype.min <= value <= dtype.max):
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type "
            f"{dtype.as_numpy_dtype}. Try explicitly setting the type of the feed tensor to a larger type "
            "(e.g. int64)."
        )
    if isinstance(value, str) and dtype is not string:
        value = np.str_(value)  # NumPy's error message names the dtype of the string
    array = np.asarray(value, dtype=dtype.np)
    if not tensor.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape {tensor.shape}"
        )
    if not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor.name} may not be fed.")
    return array


def for_kernels(tensor: Any, array: Any) -> Any:
    """Converts an array to a kernel input: a device array; strings become bytes."""
    dtype = tensor.dtype.base_dtype
    if dtype is not string:
        copied = EagerTensor(np.array(array, order="C"), runtime.host, dtype)
        return place_on_device(copied, runtime.default)._array
    copies = np.empty(array.shape, object)
    for index in np.ndindex(array.shape):
        copies[index] = as_bytes(array[index])
    return copies


# Fetches.


class IndexedSlicesValue(NamedTuple):
    """The value of IndexedSlices, as arrays."""

    values: Any
    indices: Any
    dense_shape: Any


class RaggedTensorValue:
    """The value of a RaggedTensor, as arrays.

    Args:
        values: The concatenated rows: an array or a RaggedTensorValue.
        row_splits: The offsets of the rows.
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
        """The row splits of all dimensions, outermost first."""
        inner = self.values.nested_row_splits if isinstance(self.values, RaggedTensorValue) else ()
        return (self.row_splits, *inner)

    @property
    def dtype(self) -> Any:
        """The dtype of the values."""
        return self.flat_values.dtype

    @property
    def shape(self) -> tuple[int | None, ...]:
        """The shape; None for ragged dimensions."""
        inner = self.values.shape
        return (len(self.row_splits) - 1, None, *inner[1:])

    def to_list(self) -> list[Any]:
        """Returns the rows as nested lists."""
        inner = self.values
        rows = inner.to_list() if isinstance(inner, RaggedTensorValue) else inner.tolist()
        splits = self.row_splits.tolist()
        return [rows[a:b] for a, b in itertools.pairwise(splits)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self.values!r}, row_splits={self.row_splits!r})"


Values = Callable[[Any], Any]  # returns the value of an element
Builder = Callable[[Values], Any]  # fills the fetched structure with the values of elements


class Fetches:
    """Graph elements of a fetch structure; ``elements`` are those without duplicates."""

    def __init__(self, graph: Any, fetch: Any) -> None:
        self._graph = graph
        self.elements: list[Any] = []
        self._ids: set[int] = set()
        self._builder = self._of(fetch)

    def build(self, values: Values) -> Any:
        """Returns the structure filled with values."""
        return self._builder(values)

    def _of(self, fetch: Any) -> Builder:
        if fetch is None:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}". Cannot be None'
            )
        if isinstance(fetch, (list, tuple, Mapping)):
            return self._structure(fetch)
        if hasattr(type(fetch), "__attrs_attrs__"):
            names = [field.name for field in type(fetch).__attrs_attrs__]
            return self._object(fetch, names)
        for kind, parts, make in _COMPOSITES:
            if isinstance(fetch, kind):
                inner = [None if part is None else self._of(part) for part in parts(fetch)]
                return lambda values: make(*(None if f is None else f(values) for f in inner))
        return self._element(fetch)

    def _structure(self, fetch: Any) -> Builder:
        if isinstance(fetch, Mapping):
            inner = {key: self._of(value) for key, value in fetch.items()}
            kind: Any = type(fetch)
            if isinstance(fetch, collections.defaultdict):
                first = fetch.default_factory
                return lambda values: kind(first, ((k, f(values)) for k, f in inner.items()))
            return lambda values: kind((k, f(values)) for k, f in inner.items())
        items = [self._of(value) for value in fetch]
        make: Any = list if isinstance(fetch, list) else type(fetch)
        if hasattr(make, "_fields"):
            return lambda values: make(*(f(values) for f in items))
        return lambda values: make([f(values) for f in items])

    def _object(self, fetch: Any, names: list[str]) -> Builder:
        inner = {name: self._of(getattr(fetch, name)) for name in names}
        return lambda values: type(fetch)(**{name: f(values) for name, f in inner.items()})

    def _element(self, fetch: Any) -> Builder:
        try:
            element = self._graph.as_graph_element(fetch)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a string or '
                f"Tensor. ({error})"
            ) from error
        except (ValueError, KeyError) as error:
            raise ValueError(
                f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})"
            ) from error
        self._graph.assert_fetchable(element)
        if id(element) not in self._ids:
            self._ids.add(id(element))
            self.elements.append(element)
        if isinstance(element, Operation):
            return lambda values: None
        return lambda values: values(element)


def _ragged_parts(tensor: Any) -> tuple[Any, Any]:
    return tensor.values, tensor.row_splits


# Composite tensors: class, component tensors, and constructor of the value.
_COMPOSITES: list[tuple[type, Callable[[Any], tuple[Any, ...]], Callable[..., Any]]] = [
    (SparseTensor, lambda x: (x.indices, x.values, x.dense_shape), SparseTensorValue),
    (IndexedSlices, lambda x: (x.values, x.indices, x.dense_shape), IndexedSlicesValue),
    (RaggedTensor, _ragged_parts, RaggedTensorValue),
]
