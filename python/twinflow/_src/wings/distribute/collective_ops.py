"""Collectives of tensors: at once in eager execution, as operations of a graph in traced functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API

Results = tuple[list[Any], list[Any], bool]


def _call(type: str, function: Callable[..., Any], tensors: Sequence[Any], results: Results) -> Any:
    """Calls a function of eager tensors that lie on the host, now or when the graph runs."""
    if thread.scope.graph is None:
        return function(*map(to_host, tensors))
    return later(type, function, tensors, results)


def to_host(tensor: Any) -> Any:
    """Returns an eager tensor on the host."""
    host = runtime.host
    if tensor._device is host:
        return tensor
    return EagerTensor(tensor._host(), host, tensor.dtype)


def _wrap(array: Any, like: Any) -> EagerTensor:
    return EagerTensor(array, runtime.host, like.dtype)


def all_reduce(group: Any, values: Sequence[Any], mean_of: int, pack_bytes: int = 0) -> list[Any]:
    """Returns the sums (means if ``mean_of``) of tensors and ``IndexedSlices`` over all workers."""
    results: dict[int, Any] = {}
    dense: list[int] = []
    for i, value in enumerate(values):
        if isinstance(value, IndexedSlices):
            results[i] = _all_reduce_slices(group, value, mean_of)
        else:
            dense.append(i)
    tensors = [convert_to_tensor(values[i]) for i in dense]
    for pack in _packs(tensors, pack_bytes):
        chosen = [tensors[i] for i in pack]
        for i, total in zip(pack, _all_reduce_dense(group, chosen, mean_of), strict=True):
            results[dense[i]] = total
    return [results[i] for i in range(len(values))]


def _packs(tensors: Sequence[Any], pack_bytes: int) -> list[list[int]]:
    """Returns the indices of the tensors that are added together: of one dtype, up to a size."""
    packs: list[list[int]] = []
    current: dict[Any, tuple[list[int], int]] = {}
    for i, tensor in enumerate(tensors):
        nbytes = _bytes(tensor)
        pack, size = current.get(tensor.dtype, ([], 0))
        if not pack or (pack_bytes and size + nbytes > pack_bytes):
            pack, size = [], 0
            packs.append(pack)
        pack.append(i)
        current[tensor.dtype] = pack, size + nbytes
    return packs


def _bytes(tensor: Any) -> int:
    dims = tensor.shape._dims
    return math.prod(size or 1 for size in dims or ()) * tensor.dtype.size


def _all_reduce_dense(group: Any, tensors: list[Any], mean_of: int) -> list[Any]:
    divides = mean_of and (tensors[0].dtype.is_floating or tensors[0].dtype.is_complex)

    def function(*values: Any) -> list[Any]:
        arrays = group.all_reduce([x._array for x in values], mean_of if divides else 0)
        return [_wrap(array, x) for array, x in zip(arrays, values, strict=True)]

    results = [x.dtype for x in tensors], [x.shape._dims for x in tensors], False
    sums = _call("CollectiveReduceV2", function, tensors, results)
    if mean_of and not divides:
        return [API["truediv"](total, mean_of) for total in sums]
    return list(sums)


def _all_reduce_slices(group: Any, slices: IndexedSlices, mean_of: int) -> IndexedSlices:
    values = all_gather(group, slices.values, 0)
    indices = all_gather(group, slices.indices, 0)
    if mean_of:
        values = API["truediv"](values, mean_of)
    return IndexedSlices(values, indices, slices.dense_shape)


def all_gather(group: Any, value: Any, axis: int) -> Any:
    """Returns the tensors of all workers, concatenated along an axis."""
    tensor = convert_to_tensor(value)

    def function(x: Any) -> Any:
        arrays = group.all_gather(x._array)
        return _wrap(np.concatenate(arrays, axis), x)

    dims = tensor.shape._dims
    if dims is not None:
        place = axis % len(dims)
        dims = tuple(None if i == place else size for i, size in enumerate(dims))
    return _call("CollectiveGatherV2", function, [tensor], ([tensor.dtype], [dims], True))


def broadcast(group: Any, value: Any) -> Any:
    """Returns the tensor of the first worker."""
    tensor = convert_to_tensor(value)

    def function(x: Any) -> Any:
        return _wrap(group.broadcast(x._array), x)

    results = [tensor.dtype], [tensor.shape._dims], True
    return _call("CollectiveBcastSendV2", function, [tensor], results)
