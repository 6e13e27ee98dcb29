"""Sizes and places of dimensions: numbers where they are known, in graphs else tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twinflow._src.dispatch.op import API, OPS
from twinflow._src.graph.static_values import array_of


def sizes_of(x: Any, part: slice = slice(None)) -> Any:
    """Some sizes of a tensor: a list of numbers where all its sizes are known, else a vector.

    Args:
        x: The tensor.
        part: Which sizes.
    """
    dims = x.shape._dims
    if dims is not None and None not in dims:
        return list(dims[part])
    return API["shape"](x)[part]


def rank_of(x: Any) -> Any:
    """The rank of a tensor: a number where it is known, else a scalar tensor."""
    known = x.shape.rank
    return API["shape"](API["shape"](x))[0] if known is None else known


def size_of(x: Any, axis: int) -> Any:
    """A size of a tensor: a number where it is known, else a scalar tensor."""
    dims = x.shape._dims
    known = None if dims is None else dims[axis]
    return API["shape"](x)[axis] if known is None else known


def joined(*parts: Any) -> Any:
    """Runs of numbers one after another: a list, or a vector where one of them is a tensor."""
    if all(isinstance(part, list) for part in parts):
        return [number for part in parts for number in part]
    return API["concat"]([API["cast"](part, "int32") for part in parts], 0)


def span(start: Any, stop: Any) -> Any:
    """The numbers from one to another: a list, or a vector where one of the two is a tensor."""
    if isinstance(start, int) and isinstance(stop, int):
        return list(range(start, stop))
    return API["range"](start, stop)


def turned_back(order: Any) -> Any:
    """The order of dimensions that undoes another one."""
    if isinstance(order, list):
        return [order.index(i) for i in range(len(order))]
    return API["math.invert_permutation"](order)


def ones(count: Any) -> Any:
    """So many sizes of 1: a list, or a vector where the number is a tensor."""
    return [1] * count if isinstance(count, int) else API["fill"]([count], 1)


def product(sizes: Any) -> Any:
    """The product of sizes: a number where they are in a list, else a tensor."""
    return math.prod(sizes) if isinstance(sizes, list) else API["reduce_prod"](sizes)


def places_of(axes: Any, rank: Any) -> Any:
    """Dimensions counted from the first one, of some counted from either end.

    Args:
        axes: A list, or a tensor of integers; None for all dimensions.
        rank: How many dimensions there are: a number or a tensor.
    """
    if axes is None:
        return span(0, rank)
    known = axes if isinstance(axes, list) else array_of(axes)
    if known is not None and isinstance(rank, int):
        return [int(axis) % max(rank, 1) for axis in np.reshape(known, [-1])]
    axes = API["reshape"](API["cast"](axes, "int32"), [-1])
    return API["where"](axes < 0, axes + rank, axes)


def with_last(axes: Any, rank: Any) -> Any:
    """The order of dimensions in which some, given as ``places_of`` does, come last."""
    if isinstance(axes, list):
        return [*(i for i in range(rank) if i not in axes), *axes]
    others = OPS["ListDiff"].public(API["range"](rank), axes)[0]
    return API["concat"]([others, axes], 0)
