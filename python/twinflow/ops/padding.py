"""Margins around tensors, and blocks of space moved into the batch or the depth."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ..constant import convert_to_tensor, is_tensor
from ..dtypes import int32, int64
from ..errors import invalid
from ..op import Kind, export, op
from ..shapes import text

_SIZES = frozenset((int32, int64))
Paddings = Annotated[Any, Kind("Tpaddings", default=int32, allowed=_SIZES, host=True)]
Crops = Annotated[Any, Kind("Tcrops", default=int32, allowed=_SIZES, host=True)]
Block = Annotated[Any, Kind("Tblock_shape", default=int32, allowed=_SIZES, host=True)]


def _margins(x: Any, paddings: Any, what: str = "Paddings") -> list[list[int]]:
    """What goes before and after each dimension, checked."""
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        raise invalid(f"paddings must be a matrix with 2 columns: {text(paddings.shape)}")
    if len(paddings) != x.ndim:
        raise invalid(
            "The first dimension of paddings must be the rank of inputs"
            f"{text(paddings.shape)} {text(x.shape)}"
        )
    margins: list[list[int]] = paddings.tolist()
    for before, after in margins:
        if before < 0 or after < 0:
            raise invalid(f"{what} must be non-negative: {before} {after}")
    return margins


def _padded(xp: Any, x: Any, paddings: Any, value: Any) -> Any:
    margins = _margins(x, paddings)
    sizes = [n + sum(margin) for n, margin in zip(x.shape, margins, strict=True)]
    result = xp.full(sizes, value, dtype=x.dtype)
    inner = [slice(low, low + n) for (low, _), n in zip(margins, x.shape, strict=True)]
    result[tuple(inner)] = x
    return result


@op("Pad")
def pad_with_zeros(xp: Any, input: Any, paddings: Paddings) -> Any:
    """Returns a tensor with zeros (empty strings, False) around it.

    Args:
        input: A tensor.
        paddings: A row per dimension: how many zeros go before and after.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is not one row per dimension, or a number is negative.
    """
    return _padded(xp, input, paddings, b"" if input.dtype.kind == "O" else 0)


@op("PadV2")
def pad_with(xp: Any, input: Any, paddings: Paddings, constant_values: Any) -> Any:
    """Returns a tensor with a value around it.

    Args:
        input: A tensor.
        paddings: A row per dimension: how many values go before and after.
        constant_values: The value, a scalar.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is not one row per dimension, or a number is negative.
    """
    if constant_values.ndim:
        raise invalid(f"constant_values must be a scalar. Found: {text(constant_values.shape)}")
    return _padded(xp, input, paddings, constant_values[()])


@op("MirrorPad")
def pad_with_mirror(xp: Any, input: Any, paddings: Paddings, *, mode: str) -> Any:
    """Returns a tensor with its mirror images around it.

    Args:
        input: A tensor.
        paddings: A row per dimension: how many elements go before and after.
        mode: ``"SYMMETRIC"`` repeats the elements at the border, ``"REFLECT"`` does not.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is not one row per dimension, or a number is too large.
    """
    margins = _margins(input, paddings, "paddings")
    offset = 0 if mode == "SYMMETRIC" else 1
    for (before, after), size in zip(margins, input.shape, strict=True):
        if max(before, after) > size - offset:
            limit, excess = (
                ("less than", "not less than") if offset else ("no greater than", "greater than")
            )
            raise invalid(
                f"paddings must be {limit} the dimension size: {before}, {after} {excess} {size}"
            )
    for axis, ((before, after), size) in enumerate(zip(margins, input.shape, strict=True)):
        if before or after:
            input = xp.take(input, _mirrored(xp, size, before, after, offset), axis=axis)
    return input.copy() if not any(map(any, margins)) else input


def _mirrored(xp: Any, size: int, before: int, after: int, offset: int) -> Any:
    """The indices of a dimension with its mirror images on both sides."""
    low = xp.arange(before - 1 + offset, offset - 1, -1)
    high = xp.arange(size - 1 - offset, size - 1 - offset - after, -1)
    return xp.concatenate([low, xp.arange(size), high])


@export("pad")
def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Any:
    """Returns a tensor with elements around it.

    Args:
        tensor: A tensor.
        paddings: A row per dimension: how many elements go before and after.
        mode: ``"CONSTANT"``, or ``"REFLECT"`` or ``"SYMMETRIC"`` for mirror images without and with
            the elements at the border.
        constant_values: The value for ``"CONSTANT"``.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: There is no such mode.
        InvalidArgumentError: There is not one row per dimension, or a number does not fit.
    """
    kind = mode.upper()
    if kind == "CONSTANT":
        if not is_tensor(constant_values) and np.isscalar(constant_values) and not constant_values:
            return pad_with_zeros(tensor, paddings)
        return pad_with(tensor, paddings, constant_values)
    if kind not in ("REFLECT", "SYMMETRIC"):
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or '
            f'"SYMMETRIC". Received `mode` = {kind}'
        )
    return pad_with_mirror(tensor, paddings, mode=kind)


# ------------------------------------------------------------------ space and batch


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


@op("SpaceToBatchND", api=("space_to_batch", "nn.space_to_batch", "space_to_batch_nd"))
def space_to_batch(xp: Any, input: Any, block_shape: Block, paddings: Paddings) -> Any:
    """Returns a tensor with blocks of space moved into the batch.

    Args:
        input: A tensor ``[batch, space..., rest...]``.
        block_shape: The size of the blocks, per dimension of space.
        paddings: A row per dimension of space: how many zeros go before and after first.

    Returns:
        A tensor ``[batch * blocks, smaller space..., rest...]``.

    Raises:
        InvalidArgumentError: The padded space is not a multiple of the blocks.
    """
    blocks, margins = _blocks(input, block_shape, paddings, "paddings")
    count = len(blocks)
    edges = np.zeros((input.ndim, 2), np.int64)
    edges[1 : count + 1] = margins
    x = _padded(xp, input, edges, b"" if input.dtype.kind == "O" else 0)
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


@op("BatchToSpaceND", api=("batch_to_space",))
def batch_to_space(xp: Any, input: Any, block_shape: Block, crops: Crops) -> Any:
    """Returns a tensor with parts of the batch moved into blocks of space.

    Args:
        input: A tensor ``[batch, space..., rest...]``.
        block_shape: The size of the blocks, per dimension of space.
        crops: A row per dimension of space: how many elements are cut off before and after.

    Returns:
        A tensor ``[batch / blocks, larger space..., rest...]``.

    Raises:
        InvalidArgumentError: The batch is not a multiple of the blocks, or the crops are too large.
    """
    blocks, margins = _blocks(input, block_shape, crops, "crops")
    count, total = len(blocks), int(np.prod(blocks))
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


@export("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> Any:
    """Returns the paddings that make a space a multiple of blocks, and the crops that undo them.

    Args:
        input_shape: The sizes of the space.
        block_shape: The size of the blocks, per dimension.
        base_paddings: The least paddings, a row per dimension; zeros where None.
        name: A name for the operation.

    Returns:
        A pair of int32 tensors with two columns: paddings and crops.
    """
    sizes = np.asarray(convert_to_tensor(input_shape, dtype=int32))
    blocks = np.asarray(convert_to_tensor(block_shape, dtype=int32))
    if base_paddings is None:
        base = np.zeros((len(blocks), 2), np.int32)
    else:
        base = np.asarray(convert_to_tensor(base_paddings, dtype=int32))
    extra = (blocks - (sizes + base.sum(1, dtype=np.int32)) % blocks) % blocks
    paddings = np.stack([base[:, 0], base[:, 1] + extra], 1)
    crops = np.stack([np.zeros_like(extra), extra], 1)
    return convert_to_tensor(paddings), convert_to_tensor(crops)
