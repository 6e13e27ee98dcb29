"""Sparse tensors joined and cut into pieces."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import int64
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.op import Kind, Tensors, op
from twinflow._src.shape_rules.demands import merged_size, plus, ranked, vector
from twinflow._src.wings.sparse.parts import HOST, Lengths, Places, ascending, check_inside, depth

_ManyPlaces = Annotated[Any, Kind("places", only=int64, many=True)]
_ManyLengths = Annotated[Any, Kind("lengths", only=int64, many=True)]


def _joined(indices: Any, values: Any, shapes: Any, concat_dim: int) -> list[Any]:
    rank: int | None = None
    rows: int | None = 0
    for places, elements, shape in zip(indices, values, shapes, strict=True):
        number, columns = ranked(places, 2)
        rank = merged_size(rank, merged_size(columns, vector(shape)))
        rows = plus(rows, merged_size(number, vector(elements)))
    return [(rows, rank), (rows,), (rank,)]


def _check_shapes(shapes: list[Any], axis: int) -> int:
    """The axis counted from the front, after a check that the shapes fit."""
    rank = len(shapes[0])
    if not -rank <= axis < rank:
        raise invalid(f"Concat dimension must be in range [{-rank}, {rank}), got {axis}")
    for position, shape in enumerate(shapes):
        if len(shape) != rank:
            raise invalid(
                f"Ranks of all input tensors must match: expected {rank} but got {len(shape)} at "
                f"position {position}"
            )
        for i in range(rank):
            if i != axis % rank and shape[i] != shapes[0][i]:
                raise invalid(
                    f"Input shapes must match: expected {shapes[0][i]} for dimension {i} but got "
                    f"{shape[i]} at position {position}"
                )
    return axis % rank


@op("SparseConcat", shape=_joined, devices=HOST, no_gradient=True)
def sparse_concat(
    xp: Any, indices: _ManyPlaces, values: Tensors, shapes: _ManyLengths, *, concat_dim: int
) -> list[Any]:
    """Returns sparse tensors joined along a dimension.

    Args:
        indices: Where the elements of each tensor lie.
        values: The elements of each tensor.
        shapes: The shape of each tensor.
        concat_dim: The dimension.

    Returns:
        The indices, the values and the shape of the whole.

    Raises:
        InvalidArgumentError: The shapes do not fit, or there is no such dimension.
    """
    sizes = [shape.tolist() for shape in shapes]
    axis = _check_shapes(sizes, concat_dim)
    parts, offset = [], 0
    for places, shape in zip(indices, sizes, strict=True):
        moved = places.copy()
        moved[:, axis] += offset
        parts.append(moved)
        offset += shape[axis]
    every = np.concatenate(parts)
    order = ascending(every)
    whole = np.array(sizes[0], np.int64)
    whole[axis] = offset
    return [every[order], np.concatenate(values)[order], whole]


def _cut(split_dim: Any, indices: Any, values: Any, shape: Any, num_split: int) -> list[Any]:
    rank = depth(indices, shape)
    return [(None, rank)] * num_split + [(None,)] * num_split + [(rank,)] * num_split


@op("SparseSplit", shape=_cut, devices=HOST)
def sparse_split(
    xp: Any, split_dim: Lengths, indices: Places, values: Any, shape: Lengths, *, num_split: int
) -> list[Any]:
    """Returns a sparse tensor cut into pieces; the first ones get what does not divide.

    Args:
        split_dim: The dimension.
        indices: Where the elements lie.
        values: The elements.
        shape: The shape.
        num_split: The number of pieces.

    Returns:
        The indices of all pieces, then the values of all, then the shapes of all.

    Raises:
        InvalidArgumentError: There is no such dimension, or it cannot be cut into so many pieces.
    """
    if num_split < 1:
        raise opdefs.too_small("SparseSplit", "num_split", num_split)
    rank, axis = len(shape), int(split_dim.reshape(-1)[0])
    if not -rank <= axis < rank:
        raise invalid(f"Input axis should be in range [{-rank}, {rank}), got {axis}")
    if num_split > shape[axis]:
        raise invalid(
            "Input num_split should be between 1 and the splitting dimension size "
            f"({int(shape[axis])}), got {num_split}"
        )
    check_inside(indices, shape)
    base, extra = divmod(int(shape[axis]), num_split)
    limits = np.cumsum([base + (i < extra) for i in range(num_split)])
    piece = np.searchsorted(limits, indices[:, axis], side="right")
    found: list[list[Any]] = [[], [], []]
    for i, limit in enumerate(limits):
        begin, sizes = limits[i - 1] if i else 0, shape.copy()
        sizes[axis] = limit - begin
        places = indices[piece == i]
        places[:, axis] -= begin
        for of_kind, item in zip(found, (places, values[piece == i], sizes), strict=True):
            of_kind.append(item)
    return [item for of_kind in found for item in of_kind]
