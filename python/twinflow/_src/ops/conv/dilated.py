"""Dilated windows via space_to_batch and batch_to_space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.shapes import static_size, static_sizes
from twinflow._src.dispatch.op import API, documented, export
from twinflow._src.ops.conv.geometry import TEXTS, split_padding


@export("nn.with_space_to_batch")
@documented(
    TEXTS,
    "Applies a window op with dilation, by space_to_batch before and batch_to_space after it.",
    "The result of the op, with the layout of the input.",
    {"ValueError": "An argument is malformed."},
    input="A tensor of shape (batch, spatial dimensions, channels).",
    dilation_rate="The dilation rate of the window in each spatial dimension.",
    padding='``"SAME"``, ``"VALID"``, or a list of pairs (before, after), one per dimension.',
    op="A function of a tensor, the number of spatial dimensions and a padding.",
    filter_shape='The window sizes; required for ``"SAME"``.',
    spatial_dims="The spatial dimensions; by default those after the batch (and channels).",
    data_format='If it starts with ``"NC"``, the spatial dimensions start at the third one.',
)
def with_space_to_batch(
    input: Any,
    dilation_rate: Any,
    padding: Any,
    op: Callable[[Any, int, Any], Any],
    filter_shape: Any = None,
    spatial_dims: Any = None,
    data_format: str | None = None,
) -> Any:
    x = convert_to_tensor(input, name="input")
    rates = np.asarray(dilation_rate, np.int32)
    count, first = len(rates), 2 if (data_format or "").startswith("NC") else 1
    axes = _axes(range(first, first + count) if spatial_dims is None else spatial_dims)
    if x.shape.rank is not None and x.shape.rank < axes[-1] + 1:
        raise ValueError(
            f"`input.shape.rank` must be at least {axes[-1] + 1}. "
            f"Received: input.shape={x.shape} with rank {x.shape.rank}"
        )
    if (rates < 1).any():
        raise ValueError(f"`dilation_rate` must be positive. Received: dilation_rate={rates}")
    if (rates == 1).all():
        return op(x, count, padding)
    margins = _margins(padding, filter_shape, rates, first == 2)
    return _apply_to_blocks(x, lambda part: op(part, count, "VALID"), rates, margins, axes)


def _axes(spatial_dims: Any) -> list[int]:
    axes = [int(axis) for axis in spatial_dims]
    if axes != sorted(set(axes)) or any(axis < 1 for axis in axes):
        raise ValueError(
            "`spatial_dims` must be a monotonically increasing sequence of positive integers. "
            f"Received: spatial_dims={list(spatial_dims)}"
        )
    return axes


def _margins(padding: Any, filter_shape: Any, rates: Any, channels_first: bool) -> Any:
    """Returns the minimum padding before and after each spatial dimension."""
    count = len(rates)
    name, explicit = split_padding(padding, count + 2)
    if name == "EXPLICIT":
        pairs = np.reshape(np.asarray(explicit, np.int32), (count + 2, 2))
        return pairs[2:] if channels_first else pairs[1:-1]
    if name == "VALID":
        return np.zeros((count, 2), np.int32)
    if name != "SAME":
        raise ValueError(f"`padding` must be one of 'SAME' or 'VALID'. Received: padding={padding}")
    if filter_shape is None:
        raise ValueError(
            "`filter_shape` must be specified for `padding='SAME'`. "
            f"Received: filter_shape={filter_shape} and padding={padding}"
        )
    sizes = static_sizes(filter_shape[:count])
    if None in sizes:
        raise ValueError("None values not supported.")
    extra = (np.asarray(sizes, np.int32) - 1) * rates
    return np.stack([extra // 2, extra - extra // 2], axis=1)


def _apply_to_blocks(
    x: Any, apply: Callable[[Any], Any], rates: Any, margins: Any, axes: list[int]
) -> Any:
    """Applies a function between space_to_batch and batch_to_space."""
    # Other dimensions, such as channels in the second position, have block size 1.
    last, at = axes[-1], np.asarray(axes) - 1
    blocks, whole = np.ones(last, np.int32), np.zeros((last, 2), np.int32)
    blocks[at], whole[at] = rates, margins
    paddings, crops = _paddings(_sizes(x, list(range(1, last + 1))), blocks, whole)
    return API["batch_to_space"](apply(API["space_to_batch"](x, blocks, paddings)), blocks, crops)


def _sizes(x: Any, axes: list[int]) -> Any:
    """Returns the sizes of axes: an array if they are static, else a vector."""
    dims = [None] if x.shape.rank is None else [static_size(x.shape, axis) for axis in axes]
    return API["gather"](API["shape"](x), axes) if None in dims else np.asarray(dims, np.int32)


def _paddings(sizes: Any, rates: Any, margins: Any) -> tuple[Any, Any]:
    """Returns paddings that make sizes a multiple of the blocks, and the crops of the result."""
    extra = -(sizes + margins.sum(axis=1, dtype=np.int32)) % rates
    stack = np.stack if isinstance(extra, np.ndarray) else API["stack"]
    after = margins[:, 1] + extra
    return stack([margins[:, 0], after], axis=1), stack([0 * rates, extra], axis=1)


def steps(count: int, strides: Any, dilation_rate: Any) -> tuple[Any, Any]:
    """Returns strides and dilation rates per spatial dimension; 1 for None."""
    rates = _positive("dilation_rate", count, dilation_rate)
    moves = _positive("strides", count, strides)
    if (moves > 1).any() and (rates > 1).any():
        raise ValueError(
            "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
            f"Received: strides={moves} and dilation_rate={rates}"
        )
    return moves, rates


def _positive(name: str, count: int, values: Any) -> Any:
    if values is None:
        return np.ones(count, np.int32)
    if len(values) != count:
        raise ValueError(
            f"`len({name})` should be {count}. Received: {name}={values} of length {len(values)}"
        )
    numbers = np.asarray(values, np.int32)
    if (numbers < 1).any():
        raise ValueError(f"all values of `{name}` must be positive. Received: {name}={numbers}")
    return numbers
