"""Shapes with ragged dimensions, on the host: what they are, and how two of them broadcast.

A dimension is an ``int`` where all rows have one length, else an array with the length of each row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API

Dimension = Any  # int, or an array of lengths
Dims = list[Dimension]


class Broadcast(NamedTuple):
    """What two shapes broadcast to, and where the elements of both go.

    Attributes:
        dims: The dimensions.
        first: For each position of the result the position in the first operand.
        second: The same for the second operand.
    """

    dims: Dims
    first: Any
    second: Any


def partition_dim(partition: Any) -> Dimension:
    """The dimension that a row partition stands for."""
    if partition._uniform is not None:
        return int(partition._uniform)
    return np.diff(partition._splits._host())


def dims_of(x: Any) -> Dims:
    """The dimensions of a tensor, ragged or not."""
    partitions = getattr(x, "_partitions", ())
    if not partitions:
        return list(x.shape)
    outer = [partitions[0].static_nrows, *map(partition_dim, partitions)]
    return [*outer, *x.flat_values.shape[1:]]


def padded(dims: Dims, rank: int) -> Dims:
    """Dimensions with as many ones before them as a rank needs."""
    return [1] * (rank - len(dims)) + dims


def is_uniform(dim: Dimension) -> bool:
    """Whether all rows have one length."""
    return isinstance(dim, int)


def _lengths(dim: Dimension, rows: Any) -> Any:
    """The lengths of some rows."""
    return np.full(len(rows), dim) if is_uniform(dim) else dim[rows]


def _starts(dim: Dimension, rows: Any) -> Any:
    """Where some rows begin."""
    return rows * dim if is_uniform(dim) else (np.cumsum(dim) - dim)[rows]


def splits_of(lengths: Any) -> Any:
    """Row splits of the lengths of rows."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _inside(starts: Any, lengths: Any, single: bool) -> Any:
    """The positions of rows, given where they begin; of one element each where it is repeated."""
    first = np.repeat(starts, lengths)
    if single:
        return first
    return first + np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)


def _assert_same(a: Dimension, b: Dimension, first: Any, second: Any) -> None:
    if is_uniform(a) and is_uniform(b):
        if a != b:
            API["debugging.assert_equal"](False, True)
    elif not np.array_equal(first, second):
        x, y = (convert_to_tensor(splits_of(lengths)) for lengths in (first, second))
        API["debugging.assert_equal"](x, y)


def broadcast(a: Dims, b: Dims, depth: int, check: Any = _assert_same) -> Broadcast:
    """What the first dimensions of two shapes of one rank broadcast to.

    Args:
        a: A shape.
        b: Another one of the same rank.
        depth: The number of dimensions to look at.
        check: Raises where two dimensions do not match; called with both and the lengths of their rows.

    Returns:
        The dimensions of the result, and where the elements come from.
    """
    dims: Dims = []
    first = second = np.zeros(1, np.int64)
    for x, y in zip(a[:depth], b[:depth], strict=True):
        ones = [is_uniform(d) and d == 1 for d in (x, y)]
        in_a, in_b = _lengths(x, first), _lengths(y, second)
        if not any(ones):
            turned = is_uniform(y) and not is_uniform(x)  # TensorFlow names the uniform dimension first
            check(*((y, x, in_b, in_a) if turned else (x, y, in_a, in_b)))
        lengths = in_b if ones[0] else in_a
        taken = y if ones[0] else x
        first = _inside(_starts(x, first), lengths, ones[0])
        second = _inside(_starts(y, second), lengths, ones[1] and not ones[0])
        uniform = is_uniform(taken) and (any(ones) or is_uniform(y))
        dims.append(taken if uniform else lengths)
    return Broadcast(dims, first, second)


def flattened(x: Any, dims: Dims, depth: int) -> Any:
    """The elements of a tensor with its first dimensions made one."""
    ragged_rank = getattr(x, "ragged_rank", 0)
    flat = x.flat_values if ragged_rank else x
    if ragged_rank + 1 == depth:
        return flat
    return API["reshape"](flat, [-1, *dims[depth:]])


def picked(values: Any, where: Any) -> Any:
    """Elements by their positions; as they are where those are all of them in order."""
    count = values.shape[0]
    if len(where) == count and np.array_equal(where, np.arange(count)):
        return values
    return API["gather"](values, convert_to_tensor(where))
