"""Fake quantization and its gradients (straight-through within the limits)."""

from __future__ import annotations

import collections
import inspect
from typing import Annotated, Any

from twinflow._src.backends.host_checks import is_host
from twinflow._src.core.dtypes import float32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import Call, Kind, documented_like, export, op
from twinflow._src.shape_rules.demands import check_same_shape

Floats = Annotated[Any, Kind("float", only=float32)]


def _steps(num_bits: int, narrow_range: bool) -> tuple[int, int]:
    if not 2 <= num_bits <= 16:
        raise invalid("num_bits must be between 2 and 16, inclusive")
    return int(narrow_range), (1 << num_bits) - 1


def _nudged(xp: Any, low: Any, high: Any, steps: tuple[int, int]) -> tuple[Any, Any, Any]:
    """Returns limits nudged so that 0 is exactly representable, and the quantization step."""
    first, last = (xp.float32(step) for step in steps)
    scale = (high - low) / (last - first)
    zero = first - low / scale
    zero = xp.where(
        zero < first, first, xp.where(zero > last, last, xp.floor(zero + xp.float32(0.5)))
    )
    return (first - zero) * scale, (last - zero) * scale, scale


def _quantize_dequantize(
    xp: Any, x: Any, low: Any, high: Any, steps: tuple[int, int], inverse: Any = None
) -> Any:
    low, high, scale = _nudged(xp, low, high, steps)
    half, inverse = xp.float32(0.5), xp.float32(1) / scale if inverse is None else inverse
    zero = xp.floor(-low * inverse + half)
    inside = xp.maximum(xp.minimum(x, high), low)
    return xp.floor((inside - low) * inverse - zero + half) * scale


def _inside(xp: Any, x: Any, low: Any, high: Any, steps: tuple[int, int]) -> tuple[Any, Any]:
    """Returns masks of the elements below the lower limit and above the upper limit."""
    low, high, _ = _nudged(xp, low, high, steps)
    return x < low, x > high


def _limits(xp: Any, low: float, high: float) -> tuple[Any, Any]:
    if low >= high:
        raise invalid(f"min has to be smaller than max, was: {low:g} >= {high:g}")
    return xp.float32(low), xp.float32(high)


def _scalars(*limits: Any) -> None:
    for name, limit in zip(("min", "max"), limits):
        if limit.ndim:
            raise invalid(f"`{name}` must be rank 0 but is rank {limit.ndim}")


def _channels(x: Any, *limits: Any) -> None:
    for name, limit in zip(("min", "max"), limits):
        if limit.shape != x.shape[-1:]:
            raise invalid(f"{name} has incorrect size, expected {x.shape[-1]} was {limit.size}")


def _three(gradients: Any, inputs: Any, min: Any, max: Any, **_: Any) -> Any:
    """Shape rule of the gradients: the input and both limits."""
    return [gradients, min, max]


@op("FakeQuantWithMinMaxArgs", api="quantization.fake_quant_with_min_max_args", shape=same)
def fake_quant_args(
    xp: Any,
    inputs: Floats,
    *,
    min: float = -6.0,
    max: float = 6.0,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Any:
    """Fake-quantizes a tensor: clips it to a range and rounds it to ``2**num_bits`` levels.

    Args:
        inputs: A float32 tensor.
        min: The lower limit.
        max: The upper limit; both are nudged so that 0 is exactly representable.
        num_bits: The number of bits, from 2 to 16.
        narrow_range: If True, uses one level less (without the lowest).

    Returns:
        A tensor of the same dtype and shape.

    Raises:
        InvalidArgumentError: The limits or the bits are out of range.
    """
    first, last = _steps(num_bits, narrow_range)
    low, high = _limits(xp, min, max)
    inverse = xp.float32(last - first) / (
        high - low
    )  # tensor limits are rounded differently, as in TensorFlow
    return _quantize_dequantize(xp, inputs, low, high, (first, last), inverse)


@fake_quant_args.gradient
def _(call: Call, dy: Any) -> Any:
    return fake_quant_args_gradient(dy, call.inputs[0], **call.attrs)


@op(
    "FakeQuantWithMinMaxArgsGradient",
    no_gradient=True,
    api="quantization.fake_quant_with_min_max_args_gradient",
    shape=same,
)
@documented_like(fake_quant_args)
def fake_quant_args_gradient(
    xp: Any,
    gradients: Floats,
    inputs: Floats,
    *,
    min: float = -6.0,
    max: float = 6.0,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Any:
    """Returns the gradient of fake quantization: passed within the limits, 0 elsewhere.

    Args:
        gradients: The upstream gradients.
        inputs: The input of the fake quantization.
        max: The upper limit.

    Returns:
        A tensor of the same shape.

    Raises:
        InvalidArgumentError: The limits or the bits are out of range, or the shapes differ.
    """
    steps, limits = _steps(num_bits, narrow_range), _limits(xp, min, max)
    check_same_shape("FakeQuantWithMinMaxArgsGradient", gradients, inputs)
    below, above = _inside(xp, inputs, *limits, steps)
    return xp.where(below | above, xp.float32(0), gradients)


@op("FakeQuantWithMinMaxVars", api="quantization.fake_quant_with_min_max_vars", shape=same)
@documented_like(fake_quant_args)
def fake_quant_vars(
    xp: Any,
    inputs: Floats,
    min: Floats,
    max: Floats,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Any:
    """Fake-quantizes a tensor: clips it to a range and rounds it to ``2**num_bits`` levels.

    Args:
        min: The lower limit, a scalar.
        max: The upper limit, a scalar; the result is 0 if both are 0.

    Raises:
        InvalidArgumentError: The bits are out of range, or a limit is not a scalar.
    """
    steps = _steps(num_bits, narrow_range)
    _scalars(min, max)
    if is_host(xp) and min == 0 and max == 0:
        return xp.zeros_like(inputs)
    return xp.where(
        (min == 0) & (max == 0),
        inputs.dtype.type(0),
        _quantize_dequantize(xp, inputs, min, max, steps),
    )


@fake_quant_vars.gradient
def _(call: Call, dy: Any) -> Any:
    return fake_quant_vars_gradient(dy, *call.inputs, **call.attrs)


@op("FakeQuantWithMinMaxVarsGradient", shape=_three, no_gradient=True)
@documented_like(fake_quant_args_gradient)
def fake_quant_vars_gradient(
    xp: Any,
    gradients: Floats,
    inputs: Floats,
    min: Floats,
    max: Floats,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Any:
    """Returns the gradients of fake quantization for the input and both limits.

    Args:
        min: The lower limit, a scalar.
        max: The upper limit, a scalar.

    Returns:
        Three tensors: the gradients of the input, the lower and the upper limits.

    Raises:
        InvalidArgumentError: The bits are out of range, the shapes differ, or a limit is not a scalar.
    """
    steps = _steps(num_bits, narrow_range)
    check_same_shape("FakeQuantWithMinMaxVarsGradient", gradients, inputs)
    _scalars(min, max)
    if is_host(xp) and min == 0 and max == 0:
        return [gradients.copy(), xp.zeros_like(min), xp.zeros_like(max)]
    somewhere = (min != 0) | (max != 0)
    below, above = (side & somewhere for side in _inside(xp, inputs, min, max, steps))
    none = xp.float32(0)
    kept = xp.where(below | above, none, gradients)
    return [
        kept,
        xp.sum(xp.where(below, gradients, none)),
        xp.sum(xp.where(above, gradients, none)),
    ]


@op(
    "FakeQuantWithMinMaxVarsPerChannel",
    api="quantization.fake_quant_with_min_max_vars_per_channel",
    shape=same,
)
@documented_like(fake_quant_args)
def fake_quant_channels(
    xp: Any,
    inputs: Floats,
    min: Floats,
    max: Floats,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Any:
    """Fake-quantizes a tensor with separate limits per channel (the last axis).

    Args:
        min: The lower limit of each channel.
        max: The upper limit of each channel; the result is 0 where both are 0.

    Raises:
        InvalidArgumentError: The bits are out of range, or the number of limits differs from the number of channels.
    """
    steps = _steps(num_bits, narrow_range)
    _channels(inputs, min, max)
    return xp.where(
        (min == 0) & (max == 0), xp.float32(0), _quantize_dequantize(xp, inputs, min, max, steps)
    )


@fake_quant_channels.gradient
def _(call: Call, dy: Any) -> Any:
    return fake_quant_channels_gradient(dy, *call.inputs, **call.attrs)


@op("FakeQuantWithMinMaxVarsPerChannelGradient", shape=_three, no_gradient=True)
@documented_like(fake_quant_vars_gradient)
def fake_quant_channels_gradient(
    xp: Any,
    gradients: Floats,
    inputs: Floats,
    min: Floats,
    max: Floats,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Any:
    """Returns the gradients of per-channel fake quantization for the input and the limits.

    Args:
        min: The lower limit of each channel.
        max: The upper limit of each channel.

    Raises:
        InvalidArgumentError: The bits are out of range, or the shapes are incompatible.
    """
    steps = _steps(num_bits, narrow_range)
    check_same_shape("FakeQuantWithMinMaxVarsPerChannelGradient", gradients, inputs)
    _channels(inputs, min, max)
    empty, none = (min == 0) & (max == 0), xp.float32(0)
    below, above = _inside(xp, inputs, min, max, steps)
    below, above = below & ~empty, above & ~empty
    over = tuple(range(inputs.ndim - 1))
    return [
        xp.where(below | above, none, gradients),
        xp.sum(xp.where(below, gradients, none), axis=over),
        xp.sum(xp.where(above, gradients, none), axis=over),
    ]


def _named(name: str, compute: Any, type: str) -> None:
    """Exports a gradient function under a public name; it returns a named tuple."""
    results = collections.namedtuple(  # type: ignore[misc]
        type, "backprops_wrt_input backprop_wrt_min backprop_wrt_max"
    )

    def gradient(
        gradients: Any,
        inputs: Any,
        min: Any,
        max: Any,
        num_bits: int = 8,
        narrow_range: bool = False,
        name: str | None = None,
    ) -> Any:
        return results(
            *compute(gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range)
        )

    gradient.__name__ = gradient.__qualname__ = name
    gradient.__doc__ = inspect.cleandoc(compute.__doc__).replace(
        "\nReturns:", "    name: A name for the operation.\n\nReturns:"
    )
    export(f"quantization.{name}")(gradient)


_named(
    "fake_quant_with_min_max_vars_gradient",
    fake_quant_vars_gradient,
    "FakeQuantWithMinMaxVarsGradient",
)
_named(
    "fake_quant_with_min_max_vars_per_channel_gradient",
    fake_quant_channels_gradient,
    "FakeQuantWithMinMaxVarsPerChannelGradient",
)
