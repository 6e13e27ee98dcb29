"""Quantization, dequantization, and both in one op (``quantize_and_dequantize``)."""

from __future__ import annotations

import collections
from typing import Annotated, Any

import numpy as np

from twinflow._src.backends.host_checks import known_any
from twinflow._src.core.dtypes import FROM_NUMPY, QUANTIZED, DType, bfloat16, float32, float64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import Call, Kind, Type, documented_like, export, op

# Quantize and dequantize.


Floats = Annotated[Any, Kind("float", only=float32)]
Quantized = collections.namedtuple("QuantizeV2", "output output_min output_max")  # type: ignore[name-match]


def _extremes(dtype: DType) -> tuple[int, int]:
    info = np.iinfo(dtype.np)
    return int(info.min), int(info.max)


def sliced(x: Any, axis: int, *limits: Any) -> list[Any]:
    """Reshapes limits to broadcast along an axis; scalars if there is no axis (-1)."""
    if axis == -1:
        for name, limit in zip(("min_range", "max_range"), limits):
            if limit.size != 1:
                raise invalid(
                    f"If axis is not specified, {name} must contain a single float element, but it contains "
                    f"{limit.size} elements"
                )
        return [limit.reshape(()) for limit in limits]
    shape = [x.shape[axis] if i == axis else 1 for i in range(x.ndim)]
    return [limit.reshape(shape) for limit in limits]


def _check_slices(x: Any, axis: int, **limits: Any) -> None:
    """Raises InvalidArgumentError if limits are not vectors with one value per slice."""
    for name, limit in limits.items() if axis != -1 else ():
        expected = (
            f"If axis is specified, {name} must be a 1-D tensor whose size matches the axis dimension of the "
            f"input and output tensors, but {name}"
        )
        if limit.ndim != 1:
            raise invalid(f"{expected} dims are {limit.ndim}")
        if limit.size != x.shape[axis]:
            raise invalid(
                f"{expected} is a 1-D tensor of size {limit.size} and input's axis dimension is of size "
                f"{x.shape[axis]}"
            )


def _check_elements(x: Any, axis: int, **limits: Any) -> None:
    """Raises InvalidArgumentError if limits do not have one value per slice."""
    for name, limit in limits.items() if axis != -1 else ():
        if limit.size != x.shape[axis]:
            raise invalid(
                f"{name} must have as many elements as input on the dequantization axis ({axis}), got "
                f"{limit.size}, expected {x.shape[axis]}"
            )


def _away(xp: Any, x: Any) -> Any:
    """Rounds to the nearest integer, halves away from zero."""
    return xp.trunc(x + xp.copysign(x.dtype.type(0.5), x))


def _widened(xp: Any, low: Any, high: Any, least: float) -> tuple[Any, Any]:
    """Returns limits extended to include 0 and to a minimum distance."""
    if known_any(xp, lambda: high < low):
        raise invalid("input_max_range must be larger than input_min_range.")
    one, none = xp.float32(1), xp.float32(0)
    apart = xp.maximum(one, xp.maximum(xp.abs(low), xp.abs(high))) * xp.float32(least)
    bottom = xp.minimum(none, low)
    return bottom, xp.maximum(none, xp.maximum(high, bottom + apart))


def _combined(xp: Any, x: Any, low: Any, high: Any, T: DType) -> Any:
    first, last = _extremes(T)
    scale = xp.float32(last - first) / (high - low)
    steps = (xp.maximum(xp.minimum(x, high), low) - low) * scale
    if first < 0:
        return _away(xp, steps - xp.float32((last - first + 1) // 2))
    return xp.trunc(steps + xp.float32(0.5))


def _min_first(xp: Any, x: Any, low: Any, high: Any, T: DType) -> Any:
    first, last = _extremes(T)
    count = float(last - first + 1)
    span = (high.astype(xp.float64) - low) * (count / (count - 1))
    scale = (count / span).astype(xp.float32)
    steps = _away(xp, x * scale) - (_away(xp, low * scale) - xp.float32(first))
    top = xp.float32(2147483520.0) if last > 2**24 else xp.float32(last)
    return xp.minimum(xp.maximum(steps, xp.float32(first)), top)


def _scaled(
    xp: Any, x: Any, low: Any, high: Any, T: DType, narrow: bool, even: bool
) -> tuple[Any, Any, Any]:
    first, last = _extremes(T)
    scale, low, high = _factor(xp, low, high, first + narrow, last)
    steps = xp.maximum(xp.minimum(x, high), low) * scale
    return (xp.rint(steps) if even else _away(xp, steps)), low, high


def _factor(xp: Any, low: Any, high: Any, first: int, last: int) -> tuple[Any, Any, Any]:
    """Returns the largest scale that maps limits into an integer range, and the adjusted limits."""
    kind = low.dtype.type
    none, most = kind(0), np.finfo(kind).max
    divide = lambda a, b: xp.divide(kind(a), xp.where(b == 0, kind(1), b))
    below = xp.where(first * low > none, divide(first, low), most)
    above = xp.where(last * high > none, divide(last, high), most)
    factor = xp.minimum(below, above)
    return factor, kind(first) / factor, kind(last) / factor


def _quantized_shapes(input: Any, *_: Any, axis: int = -1, **__: Any) -> list[Any]:
    """Shape rule of ``QuantizeV2``: the limits are scalars, or one per slice."""
    limits = () if axis == -1 else (None if input is None else input[axis],)
    return [input, limits, limits]


@op("QuantizeV2", out="T", dtypes=QUANTIZED, shape=_quantized_shapes, devices=("CPU",))
def _quantize(
    xp: Any,
    input: Floats,
    min_range: Floats,
    max_range: Floats,
    *,
    T: Type,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int = -1,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Quantizes a float tensor to a quantized dtype; returns the integers and the range."""
    if round_mode == "HALF_TO_EVEN" and mode != "SCALED":
        raise invalid(
            f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'."
        )
    _check_slices(input, axis, min_range=min_range, max_range=max_range)
    low, high = sliced(input, axis, min_range, max_range)
    low, high = _widened(xp, low, high, ensure_minimum_range)
    if mode == "SCALED":
        even = round_mode == "HALF_TO_EVEN"
        steps, low, high = _scaled(xp, input, low, high, T, narrow_range, even)
    else:
        steps = (_combined if mode == "MIN_COMBINED" else _min_first)(xp, input, low, high, T)
    wide = steps.astype(xp.int64)
    kept = wide.astype(xp.int32) if T.size == 4 else wide
    if T.size == 4:  # out-of-range values become the lowest integer, as in x86 conversions
        kept = xp.where((wide > 2**31 - 1) | (wide < -(2**31)), xp.int32(-(2**31)), kept)
    shape = () if low.size == 1 else (low.size,)
    return [kept.astype(T.np), low.reshape(shape), high.reshape(shape)]


@export("quantization.quantize", "compat.v1.quantize")
def quantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    T: Any,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Quantizes a float tensor to a quantized dtype; returns the integers and the range.

    Args:
        input: A float32 tensor.
        min_range: The value that the lowest integer represents.
        max_range: The value that the highest integer represents.
        T: The dtype of the result, such as ``tf.quint8``.
        mode: ``"MIN_COMBINED"``, ``"MIN_FIRST"`` or ``"SCALED"``.
        round_mode: ``"HALF_AWAY_FROM_ZERO"`` or ``"HALF_TO_EVEN"``.
        name: A name for the operation.
        narrow_range: If True, mode ``"SCALED"`` does not use the lowest integer.
        axis: The axis of per-slice limits.
        ensure_minimum_range: The minimum distance of the limits, relative to their magnitude.

    Returns:
        The integers and both limits, which may be adjusted.

    Raises:
        InvalidArgumentError: The limits, their number or the modes are invalid.
    """
    return Quantized(
        *_quantize(
            input,
            min_range,
            max_range,
            T=T,
            mode=mode,
            round_mode=round_mode,
            narrow_range=narrow_range,
            axis=-1 if axis is None else axis,
            ensure_minimum_range=ensure_minimum_range,
        )
    )


@op("Dequantize", out="dtype", dtypes=QUANTIZED, shape=same)
def _dequantize(
    xp: Any,
    input: Any,
    min_range: Floats,
    max_range: Floats,
    *,
    mode: str = "MIN_COMBINED",
    narrow_range: bool = False,
    axis: int = -1,
    dtype: Type = float32,
) -> Any:
    """Dequantizes a tensor of a quantized dtype to a float tensor."""
    if dtype is bfloat16 and mode != "MIN_COMBINED":
        raise invalid(
            f"When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '{mode}'"
        )
    _check_elements(input, axis, input_min_tensor=min_range, input_max_tensor=max_range)
    low, high = sliced(input, axis, min_range, max_range)
    first, last = _extremes(FROM_NUMPY[input.dtype])
    x, count = input.astype(xp.float32), float(last - first + 1)
    if mode == "SCALED":
        above = high / xp.float32(last)
        scale = xp.maximum(low / xp.float32(first + narrow_range), above) if first else above
        return (x * scale).astype(dtype.np)
    if mode == "MIN_FIRST":
        scale = (high.astype(xp.float64) - low) / (count - 1)
        begin = xp.where(low == high, low, _away(xp, low / scale) * scale)
        return ((x - float(first)) * scale + begin).astype(dtype.np)
    half = xp.float32(count / 2 if first else 0)
    scale = (high - low) / xp.float32(last - first)
    return ((x + half) * scale + low).astype(dtype.np)


@export("quantization.dequantize", "compat.v1.dequantize")
@documented_like(quantize)
def dequantize(
    input: Any,
    min_range: Any,
    max_range: Any,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: Any = float32,
) -> Any:
    """Dequantizes a tensor of a quantized dtype to a float tensor.

    Args:
        input: A tensor of a quantized dtype.
        dtype: float32 or bfloat16.

    Returns:
        A tensor of the same shape.

    Raises:
        InvalidArgumentError: The limits, their number or the mode are invalid.
    """
    return _dequantize(
        input,
        min_range,
        max_range,
        mode=mode,
        narrow_range=narrow_range,
        axis=-1 if axis is None else axis,
        dtype=dtype,
    )


# Quantize and dequantize in one op.


def _range_of(xp: Any, x: Any, axis: int) -> tuple[Any, Any]:
    """Returns the minimum and the maximum; per slice if there is an axis."""
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
        if limit.ndim:  # hence TensorFlow's CPU kernel does not support per-slice limits
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
    """Quantizes and then dequantizes a tensor, which simulates the loss of precision."""
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
    steps = (
        xp.rint(steps) if round_mode == "HALF_TO_EVEN" else xp.floor(steps + steps.dtype.type(0.5))
    )
    return (steps * step).astype(input.dtype)


def _steps(xp: Any, low: Any, high: Any, first: int, last: int) -> tuple[Any, Any, Any, Any]:
    """Returns the scale to integers, its inverse and the adjusted limits."""
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
    """Shape rule of the gradients: the input and both limits."""
    return [gradients, input_min, input_max]


@op("QuantizeAndDequantizeV4Grad", dtypes=frozenset({float32, float64}), shape=_three)
def _there_and_back_gradient(
    xp: Any, gradients: Any, input: Any, input_min: Any, input_max: Any, *, axis: int = -1
) -> Any:
    """Returns the gradient: passed within the limits, 0 elsewhere and for the limits."""
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
    """Quantizes and then dequantizes a tensor, which simulates the loss of precision.

    Args:
        input: A floating-point tensor.
        input_min: The lower limit; used if ``range_given``.
        input_max: The upper limit; used if ``range_given``.
        signed_input: If True, the integers are signed.
        num_bits: The number of bits.
        range_given: If True, uses the given limits, else the minimum and maximum of the input.
        round_mode: ``"HALF_TO_EVEN"`` or ``"HALF_UP"``.
        name: A name for the operation.
        narrow_range: If True, does not use the lowest signed integer.
        axis: The axis of per-slice limits.

    Returns:
        A tensor of the same dtype and shape.

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
