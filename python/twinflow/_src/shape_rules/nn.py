"""Shape inference for space-to-batch, space-to-depth and batch normalization ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.core.shapes import Dims, refused
from twinflow._src.shape_rules.demands import (
    Size,
    at_least,
    flatten_known,
    merged,
    merged_size,
    minus,
    parted,
    plus,
    ranked,
    times,
    value_dims,
)

# Space to batch and space to depth.


def space_to_batch_shape(input: Dims | None, block_shape: Any, paddings: Any) -> Dims | None:
    """Infers the output shape of ``SpaceToBatchND``."""

    def parted_size(size: Size, block: int, before: int, after: int) -> Size:
        return parted(plus(size, before + after), block)

    return _regrouped_shape(input, block_shape, paddings, "paddings", times, parted_size)


def batch_to_space_shape(input: Dims | None, block_shape: Any, crops: Any) -> Dims | None:
    """Infers the output shape of ``BatchToSpaceND``."""

    def joined_size(size: Size, block: int, before: int, after: int) -> Size:
        return minus(minus(times(size, block), before), after)

    return _regrouped_shape(input, block_shape, crops, "crops", parted, joined_size)


def _regrouped_shape(
    input: Dims | None,
    block_shape: Any,
    edges: Any,
    name: str,
    batch_of: Callable[[Size, int], Size],
    size_of: Callable[[Size, int, int, int], Size],
) -> Dims | None:
    """Infers a shape with blocks of space in the batch, from the rules of the batch and of a size."""
    count = _count(input, block_shape, edges)
    blocks, limits = _values(block_shape, edges, name)
    if input is None or count is None:
        return None if input is None else (None,) * len(input)
    batch = None if blocks is None and count else input[0]
    for block in blocks or ():
        batch = batch_of(batch, block)
    space: list[Size] = [None] * count
    if blocks is not None and limits is not None:
        space = list(map(size_of, input[1:], blocks, limits[::2], limits[1::2]))
    return (batch, *space, *input[count + 1 :])


def _count(input: Dims | None, block_shape: Any, margins: Any) -> int | None:
    """Returns the number of spatial dimensions, if known."""
    shape = value_dims(block_shape)
    if shape is not None and len(shape) != 1:
        raise refused("block_shape must have rank 1.")
    if shape is None or shape[0] is None:
        return None
    at_least(input, shape[0] + 1)
    merged(value_dims(margins), (shape[0], 2))
    return shape[0]


def _values(block_shape: Any, margins: Any, what: str) -> tuple[list[int] | None, list[int] | None]:
    """Returns the block sizes and the paddings or crops, if known."""
    blocks, edges = flatten_known(block_shape), flatten_known(margins)
    if min(blocks or (), default=1) < 1:
        raise refused("block_shape must be positive")
    if min(edges or (), default=0) < 0:
        raise refused(f"{what} cannot be negative")
    return blocks, edges


def _ordered(input: Dims | None, data_format: str) -> tuple[Dims, int]:
    """Returns the dimensions as batch, height, width, depth, and the axis of the depth."""
    dims = ranked(input, 4)
    return ((dims[0], *dims[2:], dims[1]), 1) if data_format == "NCHW" else (dims, 3)


def space_to_depth_shape(
    input: Dims | None, *, block_size: int, data_format: str = "NHWC"
) -> Dims | None:
    """Infers the output shape of ``SpaceToDepth``."""
    (batch, height, width, depth), at = _ordered(input, data_format)
    space = parted(height, block_size), parted(width, block_size)
    depth = times(depth, block_size * block_size)
    return (batch, depth, *space) if at == 1 else (batch, *space, depth)


def depth_to_space_shape(
    input: Dims | None, *, block_size: int, data_format: str = "NHWC"
) -> Dims | None:
    """Infers the output shape of ``DepthToSpace``."""
    (batch, height, width, depth), at = _ordered(input, data_format)
    space = times(height, block_size), times(width, block_size)
    depth = parted(depth, block_size * block_size)
    return (batch, depth, *space) if at == 1 else (batch, *space, depth)


# Batch normalization.


def normalized_batches(count: int) -> Any:
    """Returns the shape function of ops with normalized images and ``count`` other outputs."""

    def rule(
        x: Dims | None,
        *channels: Dims | None,
        data_format: str = "NHWC",
        is_training: bool = True,
        **_: Any,
    ) -> list[Dims | None]:
        input = ranked(x, len(data_format))
        axis = 1 if data_format.startswith("NC") else len(data_format) - 1
        size = input[axis]
        for dims in channels[: 2 if is_training else 4]:
            size = merged_size(size, ranked(dims, 1)[0])
        each = [(size,)] * 4
        return [(*input[:axis], size, *input[axis + 1 :]), *each, *[(0,)] * (count - 4)]

    return rule
