"""space_to_batch, batch_to_space, space_to_depth and depth_to_space."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import ORDERED, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Call, Kind, documented, export, op
from twinflow._src.ops.array.padding import Paddings, padded
from twinflow._src.ops.conv.geometry import TEXTS
from twinflow._src.shape_rules.nn import (
    batch_to_space_shape,
    depth_to_space_shape,
    space_to_batch_shape,
    space_to_depth_shape,
)

_SIZES = frozenset((int32, int64))
Crops = Annotated[Any, Kind("Tcrops", default=int32, allowed=_SIZES, host=True)]
Block = Annotated[Any, Kind("Tblock_shape", default=int32, allowed=_SIZES, host=True)]


def _blocks(x: Any, block_shape: Any, margins: Any, what: str) -> tuple[list[int], list[list[int]]]:
    if block_shape.ndim != 1:
        raise invalid(f"block_shape rank should be 1 instead of {block_shape.ndim}")
    blocks = block_shape.tolist()
    if x.ndim < 1 + len(blocks):
        raise invalid(f"input rank should be >= {1 + len(blocks)} instead of {x.ndim}")
    if margins.shape != (len(blocks), 2):
        raise invalid(
            f"{what} should have shape [{len(blocks)}, 2] instead of {text(margins.shape)}"
        )
    for i, block in enumerate(blocks):
        if block < 1:
            raise invalid(
                f"All values in block_shape must be positive, got value, {block} at index {i}."
            )
    if (margins < 0).any():
        raise invalid(f"{what.capitalize()} must be non-negative")
    return blocks, margins.tolist()


@op(
    "SpaceToBatchND",
    api="space_to_batch_nd",
    shape=space_to_batch_shape,
    dtypes=ORDERED,
)
@documented(
    TEXTS,
    "Rearranges blocks of the spatial dimensions into the batch dimension.",
    "A tensor ``[batch * blocks, smaller space..., rest...]``.",
    {"InvalidArgumentError": "A padded spatial dimension is not a multiple of the block size."},
    input="A tensor ``[batch, space..., rest...]``.",
)
def space_to_batch_nd(xp: Any, input: Any, block_shape: Block, paddings: Paddings) -> Any:
    blocks, margins = _blocks(input, block_shape, paddings, "paddings")
    count = len(blocks)
    edges = np.zeros((input.ndim, 2), np.int64)
    edges[1 : count + 1] = np.reshape(margins, (count, 2))
    x = padded(xp, input, edges, b"" if input.dtype.kind == "O" else 0)
    for axis, block in enumerate(blocks):
        if x.shape[axis + 1] % block:
            raise invalid(
                f"padded_shape[{axis}]={x.shape[axis + 1]} is not divisible by "
                f"block_shape[{axis}]={block}"
            )
    batch, rest = x.shape[0], x.shape[count + 1 :]
    space = [n // b for n, b in zip(x.shape[1:], blocks, strict=False)]
    split = [v for pair in zip(space, blocks, strict=True) for v in pair]
    order = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2)]
    moved = x.reshape([batch, *split, *rest]).transpose(
        [*order, *range(2 * count + 1, 2 * count + 1 + len(rest))]
    )
    return xp.asarray(moved, order="C").reshape([batch * int(np.prod(blocks)), *space, *rest])


@space_to_batch_nd.gradient
def _(call: Call, dy: Any) -> Any:
    block_shape, paddings = call.inputs[1:]
    return batch_to_space_nd(dy, block_shape, paddings), None, None


@export("space_to_batch", "nn.space_to_batch")
@documented(
    TEXTS,
    "Rearranges blocks of the spatial dimensions into the batch dimension.",
    "A tensor ``[batch * blocks, smaller space..., rest...]``.",
    {"InvalidArgumentError": "A padded spatial dimension is not a multiple of the block size."},
    input="A tensor ``[batch, space..., rest...]``.",
)
def space_to_batch(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Any:
    return space_to_batch_nd(input, block_shape, paddings)


@op("BatchToSpaceND", shape=batch_to_space_shape, dtypes=ORDERED)
@documented(
    TEXTS,
    "Rearranges the batch dimension into blocks of the spatial dimensions.",
    "A tensor ``[batch / blocks, larger space..., rest...]``.",
    {
        "InvalidArgumentError": "The batch size is not a multiple of the blocks, or the crops are too large."
    },
    input="A tensor ``[batch, space..., rest...]``.",
)
def batch_to_space_nd(xp: Any, input: Any, block_shape: Block, crops: Crops) -> Any:
    total = int(np.prod(block_shape, dtype=np.int64))
    if total < 1:
        raise invalid(f"Product of block sizes must be positive, got {total}")
    blocks, margins = _blocks(input, block_shape, crops, "crops")
    count = len(blocks)
    if input.shape[0] % total:
        raise invalid(
            f"Input batch dimension ({input.shape[0]}) is not divisible by product of block "
            f"sizes ({total})"
        )
    batch, space, rest = (
        input.shape[0] // total,
        input.shape[1 : count + 1],
        input.shape[count + 1 :],
    )
    pairs = [axis for i in range(count) for axis in (count + 1 + i, i)]
    moved = input.reshape([*blocks, batch, *space, *rest]).transpose(
        [count, *pairs, *range(2 * count + 1, 2 * count + 1 + len(rest))]
    )
    sizes = [n * b for n, b in zip(space, blocks, strict=True)]
    window: list[slice] = []
    for (low, high), size in zip(margins, sizes, strict=True):
        if low + high > size:
            raise invalid(f"cropped_shape[{len(window)}]={size - low - high} must be non-negative")
        window.append(slice(low, size - high))
    whole = moved.reshape([batch, *sizes, *rest])
    return xp.asarray(whole[(slice(None), *window)], order="C")


@batch_to_space_nd.gradient
def _(call: Call, dy: Any) -> Any:
    block_shape, crops = call.inputs[1:]
    return space_to_batch_nd(dy, block_shape, crops), None, None


@export("batch_to_space")
@documented(
    TEXTS,
    "Rearranges the batch dimension into blocks of the spatial dimensions.",
    "A tensor ``[batch / blocks, larger space..., rest...]``.",
    {
        "InvalidArgumentError": "The batch size is not a multiple of the blocks, or the crops are too large."
    },
    input="A tensor ``[batch, space..., rest...]``.",
    block_shape="The block size per spatial dimension; an integer stands for two dimensions.",
)
def batch_to_space(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Any:
    if isinstance(block_shape, int):
        block_shape = np.array([block_shape, block_shape])
    return batch_to_space_nd(input, block_shape, crops)


@export("required_space_to_batch_paddings")
@documented(
    TEXTS,
    "Returns paddings that make sizes divisible by a block shape, and the crops that undo them.",
    "A pair of int32 tensors with two columns: paddings and crops.",
    input_shape="The sizes of the spatial dimensions.",
    block_shape="The block size per dimension.",
    base_paddings="The minimum paddings, one row per dimension; zeros if None.",
)
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> Any:
    sizes = np.asarray(convert_to_tensor(input_shape, dtype=int32, name="input_shape"))
    blocks = np.asarray(convert_to_tensor(block_shape, dtype=int32, name="block_shape"))
    if base_paddings is None:
        base = np.zeros((len(blocks), 2), np.int32)
    else:
        base = np.asarray(convert_to_tensor(base_paddings, dtype=int32, name="base_paddings"))
    extra = (blocks - (sizes + base.sum(1, dtype=np.int32)) % blocks) % blocks
    paddings = np.stack([base[:, 0], base[:, 1] + extra], 1)
    crops = np.stack([np.zeros_like(extra), extra], 1)
    return convert_to_tensor(paddings), convert_to_tensor(crops)


# ------------------------------------------------------------------ space and depth


def _assert_blocks(input: Any, block_size: int, data_format: str, mark: str = "") -> None:
    if block_size < 2:
        raise invalid(f"Value for attr 'block_size' of {block_size} must be at least minimum 2")
    if data_format not in ("NHWC", "NCHW"):
        raise invalid(
            f"Value for attr 'data_format' of \"{data_format}\" is not in the list of allowed "
            'values: "NHWC", "NCHW", "NCHW_VECT_C"'
        )
    if input.ndim != 4:
        raise invalid(f"Input rank should be{mark} 4 instead of{mark} {input.ndim}")


@op("SpaceToDepth", api=("nn.space_to_depth",), shape=space_to_depth_shape)
@documented(
    TEXTS,
    "Rearranges square blocks of pixels into the channel dimension.",
    "A tensor of the same dtype.",
    {"InvalidArgumentError": "The height or the width is not a multiple of the block size."},
    input="A tensor of rank 4.",
    data_format='``"NHWC"`` or ``"NCHW"``.',
)
def space_to_depth(xp: Any, input: Any, *, block_size: int, data_format: str = "NHWC") -> Any:
    _assert_blocks(input, block_size, data_format)
    b = block_size
    x = input if data_format == "NHWC" else input.transpose(0, 2, 3, 1)
    n, h, w, c = x.shape
    if h % b or w % b:
        raise invalid(f"Image width {w} and height {h} should be divisible by block_size: {b}")
    x = x.reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5)
    x = x.reshape(n, h // b, w // b, b * b * c)
    return xp.asarray(x if data_format == "NHWC" else x.transpose(0, 3, 1, 2), order="C")


space_to_depth.batched(lambda call: call.folded(0))


@space_to_depth.gradient
def _(call: Call, dy: Any) -> Any:
    return depth_to_space(dy, **call.attrs)


@op("DepthToSpace", api=("nn.depth_to_space",), shape=depth_to_space_shape)
@documented(
    TEXTS,
    "Rearranges the channel dimension into square blocks of pixels.",
    "A tensor of the same dtype.",
    {"InvalidArgumentError": "The number of channels is not a multiple of the squared block size."},
    input="A tensor of rank 4.",
    data_format='``"NHWC"`` or ``"NCHW"``.',
)
def depth_to_space(xp: Any, input: Any, *, block_size: int, data_format: str = "NHWC") -> Any:
    _assert_blocks(input, block_size, data_format, ":")
    b = block_size
    x = input if data_format == "NHWC" else input.transpose(0, 2, 3, 1)
    n, h, w, c = x.shape
    if c % (b * b):
        raise invalid(f"Input depth dimension {c} should be divisible by: {b * b}")
    x = x.reshape(n, h, w, b, b, c // (b * b)).transpose(0, 1, 3, 2, 4, 5)
    x = x.reshape(n, h * b, w * b, c // (b * b))
    return xp.asarray(x if data_format == "NHWC" else x.transpose(0, 3, 1, 2), order="C")


depth_to_space.batched(lambda call: call.folded(0))


depth_to_space.gradient(lambda call, dy: space_to_depth(dy, **call.attrs))
