"""Numbers rounded as if they had been small integers in between."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.backends.host_checks import known_any
from twinflow._src.core.dtypes import float32, float64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import Call, export, op
from twinflow._src.ops.elementwise.quantize import sliced


def _range_of(xp: Any, x: Any, axis: int) -> tuple[Any, Any]:
    """The least and the largest number, of each slice where there is an axis."""
    if not x.size:
        return x.dtype.type(0), x.dtype.type(0)
    over = None if axis == -1 else tuple(i for i in range(x.ndim) if i != axis)
    return xp.min(x, axis=over), xp.max(x, axis=over)


def _checked_limits(xp: Any, low: Any, high: Any, x: Any, axis: int) -> None:
    if x.ndim <= axis:
        raise invalid(f"Shape must be at least rank {axis + 1} but is rank {x.ndim}")
    for name, limit in (("input_min", low), ("input_max", high)):
        if axis != -1 and limit.ndim != 1:
            raise invalid(f"Shape must be rank 1 for {name}_tensor when the axis is specified")
        if limit.ndim:  # so TensorFlow's CPU takes no limits of slices
            raise invalid(f"{name} must be a scalar.")
    if known_any(xp, lambda: low > high):
        i = np.argwhere(np.atleast_1d(low > high))[0]
        raise invalid(
            f"Invalid range: input_min {float(np.atleast_1d(low)[tuple(i)]):g} > input_max "
            f"{float(np.atleast_1d(high)[tuple(i)]):g}"
        )


@op("QuantizeAndDequantizeV4", dtypes=frozenset({float32, float64}), shape=same)
def _there_and_back(
    xp: Any,
    input: Any,
    input_min: Any,
    input_max: Any,
    *,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    narrow_range: bool = False,
    axis: int = -1,
) -> Any:
    """Returns numbers rounded as if they had been integers of some bits in between.

    Args:
        input: A tensor of floating numbers.
        input_min: The least number, where it is given.
        input_max: The largest number, where it is given.
        signed_input: Whether the integers have signs.
        num_bits: The number of bits.
        range_given: Whether the limits are those given, rather than those of the numbers.
        round_mode: ``"HALF_TO_EVEN"`` or ``"HALF_UP"``.
        narrow_range: Whether the lowest signed integer is left out.
        axis: The dimension along which slices have limits of their own; -1 for one pair of limits.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The bits or the limits are out of range.
    """
    if not 0 < num_bits < (62 if signed_input else 63):
        raise invalid(
            f"num_bits is out of range: {num_bits} with signed_input_ {int(signed_input)}"
        )
    if range_given or input.ndim <= axis:
        _checked_limits(xp, input_min, input_max, input, axis)
    low, high = (input_min, input_max) if range_given else _range_of(xp, input, axis)
    if axis != -1:
        low, high = sliced(input, axis, low, high)
    first = -(1 << (num_bits - 1)) + narrow_range if signed_input else 0
    last = (1 << (num_bits - 1 if signed_input else num_bits)) - 1
    factor, step, low, high = _steps(xp, low, high, first, last)
    inside = xp.maximum(xp.minimum(input, high), low) if range_given else input
    steps = inside * factor
    steps = xp.rint(steps) if round_mode == "HALF_TO_EVEN" else xp.floor(steps + steps.dtype.type(0.5))
    return (steps * step).astype(input.dtype)


def _steps(xp: Any, low: Any, high: Any, first: int, last: int) -> tuple[Any, Any, Any, Any]:
    """The factor to integers, the step between two of them, and the limits that fit."""
    low, high = xp.asarray(low), xp.asarray(high)
    kind = low.dtype.type
    most = np.finfo(kind).max
    divide = lambda a, b: xp.divide(kind(a), xp.where(b == 0, kind(1), b))
    below = xp.where(first * low > 0, divide(first, low), most)
    above = xp.where(last * high > 0, divide(last, high), most)
    by_low = below < above
    step = xp.where(by_low, low / kind(first or 1), high / kind(last))
    return (
        xp.where(by_low, below, above),
        step,
        xp.where(by_low, low, kind(first) * step),
        xp.where(by_low, kind(last) * step, high),
    )


@_there_and_back.gradient
def _(call: Call, dy: Any) -> Any:
    return _there_and_back_gradient(dy, *call.inputs, axis=call.attrs["axis"])


def _three(gradients: Any, input: Any, input_min: Any, input_max: Any, **_: Any) -> Any:
    """The shapes of the gradients of numbers and limits."""
    return [gradients, input_min, input_max]


@op("QuantizeAndDequantizeV4Grad", dtypes=frozenset({float32, float64}), shape=_three)
def _there_and_back_gradient(
    xp: Any, gradients: Any, input: Any, input_min: Any, input_max: Any, *, axis: int = -1
) -> Any:
    """Returns gradients where numbers lie within the limits, and 0 elsewhere and for the limits.

    Args:
        gradients: The gradients of the rounded numbers.
        input: The numbers.
        input_min: The least number.
        input_max: The largest number.
        axis: The dimension along which slices have limits of their own; -1 for one pair of limits.

    Returns:
        Three tensors.
    """
    low, high = sliced(input, axis, input_min, input_max) if axis != -1 else (input_min, input_max)
    kept = xp.where((input < low) | (input > high), gradients.dtype.type(0), gradients)
    return [kept, xp.zeros_like(input_min), xp.zeros_like(input_max)]


@export("quantization.quantize_and_dequantize_v2", "quantization.quantize_and_dequantize")
def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Any:
    """Returns numbers rounded as if they had been integers of some bits in between.

    Args:
        input: A tensor of floating numbers.
        input_min: The least number, where it is given.
        input_max: The largest number, where it is given.
        signed_input: Whether the integers have signs.
        num_bits: The number of bits.
        range_given: Whether the limits are those given, rather than those of the numbers.
        round_mode: ``"HALF_TO_EVEN"`` or ``"HALF_UP"``.
        name: A name for the operation.
        narrow_range: Whether the lowest signed integer is left out.
        axis: The dimension along which slices have limits of their own.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The bits or the limits are out of range.
    """
    return _there_and_back(
        input,
        input_min,
        input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=-1 if axis is None else axis,
    )
