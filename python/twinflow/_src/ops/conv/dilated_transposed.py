"""Transposed atrous (dilated) convolution."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32
from twinflow._src.core.shapes import static_size
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.conv.conv_functions import conv2d_transpose
from twinflow._src.ops.conv.convolution import conv2d_backprop_input


@export("nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Any:
    """Computes the transposed 2-D atrous (dilated) convolution.

    Args:
        value: A tensor of shape (batch, height, width, channels).
        filters: A tensor of the same dtype, of shape (height, width, outputs, channels).
        output_shape: The shape of the result.
        rate: The dilation rate of the filter.
        padding: ``"SAME"`` or ``"VALID"``.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: The rate is not positive, or the arguments are incompatible.
        InvalidArgumentError: The shapes are incompatible.
    """
    x, filters = convert_to_tensor(value), convert_to_tensor(filters)
    _assert_channels(x, filters)
    if rate < 1:
        raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
    if rate == 1:
        return conv2d_transpose(x, filters, output_shape, [1, 1, 1, 1], padding)
    batch, height, width, channels = _sizes(output_shape, filters)
    margins = [_margins(static_size(filters.shape, i), rate, padding) for i in (0, 1)]
    extra = [
        (rate - (n + before + after) % rate) % rate
        for n, (before, after) in zip((height, width), margins, strict=True)
    ]
    sizes = [
        (n + before + after + more) // rate
        for n, (before, after), more in zip((height, width), margins, extra, strict=True)
    ]
    blocks = [rate, rate]
    parts = API["space_to_batch"](x, blocks, [[0, more] for more in extra])
    whole = conv2d_backprop_input(
        API["stack"]([rate * rate * batch, *sizes, channels]),
        filters,
        parts,
        strides=[1, 1, 1, 1],
        padding="VALID",
    )
    crops = [[a, b + more] for (a, b), more in zip(margins, extra, strict=True)]
    return API["batch_to_space"](whole, blocks, crops)


def _assert_channels(x: Any, filters: Any) -> None:
    one, other = static_size(x.shape, 3), static_size(filters.shape, 3)
    if None not in (one, other) and one != other:
        raise ValueError(
            "`value` channel count must be compatible with `filters` input channel count. "
            f"Received: value.shape={x.shape} with channel count {one} and "
            f"filters.shape={filters.shape} with input channel count {other}."
        )


def _sizes(output_shape: Any, filters: Any) -> list[Any]:
    """Returns the output shape: integers, or scalar tensors."""
    found = convert_to_tensor(output_shape, dtype_hint=int32)
    if not found.shape.is_compatible_with([4]):
        raise ValueError(
            f"`output_shape` must have shape (4,). Received: output_shape={found.shape}"
        )
    if isinstance(output_shape, Tensor):
        return [found[i] for i in range(4)]
    sizes = [int(n) for n in output_shape]
    if static_size(filters.shape, 2) not in (None, sizes[3]):
        raise ValueError(
            "`output_shape` channel count must be compatible with `filters` output channel count. "
            f"Received: output_shape={list(output_shape)} with channel count {sizes[3]} and "
            f"filters.shape={filters.shape} with output channel count {static_size(filters.shape, 2)}."
        )
    return sizes


def _margins(size: int, rate: int, padding: str) -> tuple[int, int]:
    """Returns the padding before and after a dimension for a filter size."""
    if padding == "VALID":
        return 0, 0
    if padding != "SAME":
        raise ValueError(f"`padding` must be either 'VALID' or 'SAME'. Received: padding={padding}")
    extra = (size - 1) * rate
    return extra // 2, extra - extra // 2
