"""Window functions, framing of signals into overlapping windows, and overlap-add."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import whole_numbers
from twinflow._src.core.dtypes import bool_, float32, int32
from twinflow._src.core.shapes import static_size, static_sizes
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import ones, ones_like, range_
from twinflow._src.ops.array.gather import gather, where
from twinflow._src.ops.array.padding import pad
from twinflow._src.ops.array.shapes import expand_dims, places_of, product, rank_of, reshape, shape
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.compare import equal
from twinflow._src.ops.elementwise.math import cos, sin, sqrt
from twinflow._src.ops.elementwise.minmax import maximum
from twinflow._src.ops.reduce.cumulative import cumsum
from twinflow._src.ops.reduce.reduce import reduce_sum
from twinflow._src.ops.special.bessel import bessel_i0

# Window functions for spectral analysis.


def _check_window(window_length: Any, dtype: Any, name: str | None = None) -> tuple[Any, Any]:
    """Returns the window length as a tensor, and the validated dtype."""
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    length = convert_to_tensor(window_length, dtype=int32, name=name)
    length.shape.assert_has_rank(0)
    return length, dtype


def _is_one(length: Any) -> bool:
    static = array_of(length)
    return static is not None and static == 1


def _raised_cosine(window_length: Any, periodic: Any, dtype: Any, a: float, b: float) -> Any:
    """Returns the window a - b * cos(2 * pi * n / period)."""
    length, window_dtype = _check_window(window_length, dtype, "window_length")
    if _is_one(length):
        return ones([1], dtype=window_dtype)
    even = 1 - length % 2
    closed = cast(convert_to_tensor(periodic, dtype=bool_, name="periodic"), int32)
    last = cast(length + closed * even - 1, window_dtype)
    indices = cast(range_(length), window_dtype)
    angle = convert_to_tensor(2 * math.pi, dtype=window_dtype) * indices / last
    weights = cast(a - b * cos(angle), window_dtype)
    if array_of(length) is not None:
        return weights
    return where(equal(length, 1), ones_like(weights), weights)


@export("signal.hann_window")
def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None
) -> Any:
    """Generates a Hann window.

    Args:
        window_length: The window length.
        periodic: If True, a periodic window for spectral analysis; if False, a symmetric one.
        dtype: A floating-point dtype.

    Returns:
        A vector.

    Raises:
        ValueError: The dtype is not floating-point.
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


@export("signal.hamming_window")
@documented_like(hann_window)
def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None
) -> Any:
    """Generates a Hamming window."""
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


@export("signal.kaiser_window")
@documented_like(hann_window)
def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Any:
    """Generates a Kaiser window.

    Args:
        beta: The shape parameter; larger values give a narrower window.
    """
    length, window_dtype = _check_window(window_length, dtype)
    if _is_one(length):
        return ones([1], dtype=window_dtype)
    half = (cast(length, float32) - 1.0) / 2.0
    indices = cast(range_(-half, half + 0.1, dtype=float32), window_dtype)
    steepness, one = cast(beta, window_dtype), cast(1.0, window_dtype)
    height = sqrt(maximum(one - (indices / cast(half, window_dtype)) ** 2, cast(0.0, window_dtype)))
    return cast(bessel_i0(steepness * height) / bessel_i0(steepness), window_dtype)


@export("signal.kaiser_bessel_derived_window")
@documented_like(hann_window)
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Any:
    """Generates a Kaiser-Bessel-derived (KBD) window, as used with the MDCT.

    Args:
        window_length: The window length, an even number; an odd one is decremented.
        beta: The shape parameter of the Kaiser window.
    """
    length, window_dtype = _check_window(window_length, dtype)
    sums = cumsum(kaiser_window(length // 2 + 1, beta, window_dtype))
    half = sqrt(sums[:-1] / sums[-1])
    return concat([half, half[::-1]], 0)


@export("signal.vorbis_window")
@documented_like(hann_window)
def vorbis_window(window_length: Any, dtype: Any = float32, name: str | None = None) -> Any:
    """Generates a Vorbis power complementary window."""
    length, window_dtype = _check_window(window_length, dtype)
    indices = cast(range_(length), window_dtype)
    inner = sin(math.pi / cast(length, window_dtype) * (indices + cast(0.5, window_dtype)))
    return cast(sin(math.pi / 2.0 * inner**2), window_dtype)


# Framing of signals into overlapping windows, and overlap-add reconstruction.


def scalar(value: Any, name: str) -> Any:
    """Converts a value to a scalar tensor."""
    x = convert_to_tensor(value, name=name)
    x.shape.assert_has_rank(0)
    return x


@export("signal.frame")
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: int = -1,
    name: str | None = None,
) -> Any:
    """Splits a signal into overlapping frames of fixed length.

    Args:
        signal: A tensor.
        frame_length: The frame length in samples.
        frame_step: The hop between the starts of consecutive frames.
        pad_end: If True, pads the end of the signal so that every sample is in a frame.
        pad_value: The padding value.
        axis: The axis of the signal.

    Returns:
        A tensor in which the axis is replaced by two: frames, and samples within a frame.

    Raises:
        ValueError: The signal is a scalar.
        InvalidArgumentError: The step is 0.
    """
    x = convert_to_tensor(signal)
    frame_length, frame_step = map(whole_numbers.with_integers, (frame_length, frame_step))
    length, step = scalar(frame_length, "frame_length"), scalar(frame_step, "frame_step")
    static_axis = array_of(scalar(axis, "axis"))
    x.shape.with_rank_at_least(1)
    axis = axis if static_axis is None else int(static_axis[()])
    if x.shape.rank is None:
        return _of_unknown_rank(x, length, step, pad_end, pad_value, axis)
    axis = list(range(x.shape.rank))[axis]
    dims = x.shape
    size = static_size(x.shape, axis)
    size = shape(x)[axis] if size is None else size
    none = convert_to_tensor(0, dtype=length.dtype)
    if pad_end:
        count = maximum(none, -(-size // step))
        missing = maximum(none, length + step * (count - 1) - size)
        x = _pad_end(x, missing, pad_value, axis)
    else:
        count = maximum(none, 1 + (size - length) // step)
    return _gather_frames(x, dims, axis, count, length, step)


def _of_unknown_rank(
    x: Any, length: Any, step: Any, pad_end: bool, pad_value: Any, axis: Any
) -> Any:
    """Frames a tensor of unknown rank by flattening the axes before and after the signal's."""
    sizes = shape(x)
    axis = places_of([axis], rank_of(x))[0]
    outer, inner = sizes[:axis], sizes[axis + 1 :]
    flat = reshape(x, API["stack"]([product(outer), sizes[axis], product(inner)]))
    result = frame(flat, length, step, pad_end, pad_value, axis=1)
    return reshape(result, concat([outer, shape(result)[1:3], inner], 0))


def _gather_frames(x: Any, dims: Any, axis: int, count: Any, length: Any, step: Any) -> Any:
    """Frames a tensor in units of gcd(length, step), which each frame gathers.

    ``dims`` is the static shape of the signal.
    """
    part = _common_divisor(length, step)
    sizes = API["cast"](shape(x), length.dtype)
    outer, inner = (
        _fold_static_sizes(dims[index], sizes[index])
        for index in (slice(None, axis), slice(axis + 1, None))
    )
    parts = sizes[axis] // part
    full = x[(slice(None),) * axis + (slice(None, parts * part),)]
    x = reshape(full, concat([outer, API["stack"]([parts, part]), inner], 0))
    first = expand_dims(range_(count) * (step // part), 1)
    x = gather(x, first + expand_dims(range_(length // part), 0), axis=axis)
    result = reshape(x, concat([outer, API["stack"]([count, length]), inner], 0))
    if array_of(length) is not None and array_of(step) is not None:
        result.set_shape([*static_sizes(dims[:axis]), None, None, *static_sizes(dims[axis + 1 :])])
    return result


def _fold_static_sizes(dims: Any, sizes: Any) -> Any:
    """Returns the sizes as a constant if the static shape is fully defined."""
    return (
        convert_to_tensor(dims.as_list(), dtype=sizes.dtype) if dims.is_fully_defined() else sizes
    )


def _common_divisor(a: Any, b: Any) -> Any:
    """Returns the greatest common divisor of static values; 1 if one of them is unknown."""
    static = [array_of(a), array_of(b)]
    if any(value is None for value in static):
        return 1
    return max(math.gcd(*map(int, static)), 1)


def _pad_end(x: Any, missing: Any, value: Any, axis: int) -> Any:
    row = API["stack"]([0, missing])
    rest = [[0, 0]] * (x.shape.rank - 1)
    paddings = [*rest[:axis], row, *rest[axis:]]
    value = convert_to_tensor(value, dtype=x.dtype)
    return pad(x, API["stack"](paddings), constant_values=value)


@export("signal.overlap_and_add")
def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Any:
    """Reconstructs a signal from frames by adding their overlaps.

    Args:
        signal: A tensor whose last two dimensions are frames and samples.
        frame_step: The hop between the starts of consecutive frames.

    Returns:
        A tensor of rank one less.

    Raises:
        ValueError: The rank is too small, or the step is not an integer.
    """
    x = convert_to_tensor(signal)
    x.shape.with_rank_at_least(2)
    step = convert_to_tensor(frame_step)
    step.shape.assert_has_rank(0)
    if not step.dtype.is_integer:
        raise ValueError(f"frame_step must be an integer. Got {step.dtype}")
    if x.shape.rank is None:
        return on_matrices(lambda flat: overlap_and_add(flat, step), x)
    static = array_of(step)
    if static is not None and x.shape.is_fully_defined() and static == static_size(x.shape, -1):
        return reshape(x, [*x.shape.as_list()[:-2], math.prod(x.shape.as_list()[-2:])])
    return _add_overlaps(x, API["cast"](step, int32))


def on_matrices(function: Callable[[Any], Any], x: Any) -> Any:
    """Applies a function of the last two dimensions, which become one, to a tensor of unknown rank."""
    sizes = shape(x)
    result = function(reshape(x, API["stack"]([-1, sizes[-2], sizes[-1]])))
    return reshape(result, concat([sizes[:-2], shape(result)[1:]], 0))


def _add_overlaps(x: Any, step: Any) -> Any:
    """Overlap-adds frames that are split into parts of the length of a step.

    Part p of frame f is added to output part f + p: the parts are laid out in rows, each shifted by
    one part against the row before, and summed column-wise.
    """
    sizes = shape(x)
    outer, frames, length = sizes[:-2], sizes[-2], sizes[-1]
    rank = x.shape.rank
    parts = -(-length // step)
    x = pad(x, _behind(rank, [frames * 0, parts * step - length]))
    x = reshape(x, concat([outer, API["stack"]([frames, parts, step])], 0))
    x = API["transpose"](x, [*range(rank - 2), rank - 1, rank - 2, rank])
    x = pad(x, _behind(rank + 1, [frames * 0, parts, frames * 0]))
    # Rows of frames + parts elements; reshaped to rows of one element less, each row is shifted by
    # one.
    x = reshape(x, concat([outer, API["stack"]([parts * (frames + parts), step])], 0))
    x = x[..., : (frames + parts - 1) * parts, :]
    x = reshape(x, concat([outer, API["stack"]([parts, frames + parts - 1, step])], 0))
    result = reshape(reduce_sum(x, -3), concat([outer, [(frames + parts - 1) * step]], 0))
    return result[..., : (frames - 1) * step + length]


def _behind(rank: int, sizes: list[Any]) -> Any:
    """Returns paddings at the end of the last dimensions."""
    after = [0] * (rank - len(sizes)) + sizes
    return API["stack"]([API["stack"]([0, size]) for size in after])
