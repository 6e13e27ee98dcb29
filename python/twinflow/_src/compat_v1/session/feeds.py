"""What is given to a session: values for tensors of its graph."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.arrays import as_bytes
from twinflow._src.core import nest
from twinflow._src.core.context import runtime
from twinflow._src.core.dtypes import string
from twinflow._src.core.tensor import EagerTensor, Tensor, settled


def feeds_of(graph: Any, feed_dict: Any) -> dict[int, tuple[Any, Any]]:
    """The tensors that a dictionary feeds, with their values as arrays.

    Args:
        graph: The graph.
        feed_dict: Tensors, names of tensors, composite tensors or structures of them, with values.

    Returns:
        Pairs of a tensor and an array, by the identity of the tensor.

    Raises:
        TypeError: A key is no tensor of the graph, or a value is a tensor.
        ValueError: A value does not have the type or the shape of its tensor.
    """
    found = {}
    for key, value in _flat(feed_dict or {}):
        for part, own in _parts(key, value):
            tensor = _tensor(graph, part)
            found[id(tensor)] = tensor, _array(graph, tensor, own, part)
    return found


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
    """A tensor and its value for each tensor that a composite one is made of."""
    if isinstance(key, (SparseTensor, IndexedSlices)):
        names = ("indices", "values", "dense_shape")
        names = names if isinstance(key, SparseTensor) else ("values", "indices", "dense_shape")
        given = value if isinstance(value, (tuple, list)) else [getattr(value, n) for n in names]
        for name, item in zip(names, given):
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
            f"{value} which was passed to the argument `feed_dict` with key {key}."
        )
    dtype = tensor.dtype.base_dtype
    if isinstance(value, int) and dtype.is_integer and not (dtype.min <= value <= dtype.max):
        raise TypeError(
            f"Type of feed value {value} with type {type(value)} is not compatible with Tensor type "
            f"{dtype.as_numpy_dtype}. Try explicitly setting the type of the feed tensor to a larger type "
            "(e.g. int64)."
        )
    if isinstance(value, str) and dtype is not string:
        value = np.str_(value)  # NumPy says of what type the text was
    array = np.asarray(value, dtype=dtype.np)
    if not tensor.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape {tensor.shape}"
        )
    if not graph.is_feedable(tensor):
        raise ValueError(f"Tensor {tensor.name} may not be fed.")
    return array


def for_kernels(tensor: Any, array: Any) -> Any:
    """An array as kernels take it: their own, where they run; strings are bytes."""
    dtype = tensor.dtype.base_dtype
    if dtype is not string:
        own = EagerTensor(np.array(array, order="C"), runtime.host, dtype)
        return settled(own, runtime.default)._array
    found = np.empty(array.shape, object)
    for place in np.ndindex(array.shape):
        found[place] = as_bytes(array[place])
    return found
