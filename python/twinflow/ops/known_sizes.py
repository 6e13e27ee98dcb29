"""Sizes of tensors: numbers where they are known, in graphs else tensors."""

from __future__ import annotations

from typing import Any

from ..op import API


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
