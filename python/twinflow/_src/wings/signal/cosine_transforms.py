"""Discrete cosine transforms (DCT), computed with FFTs, and the modified DCT (MDCT).

The MDCT transforms frames that overlap by half; the aliasing at their ends cancels in the inverse.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, documented_like, export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.concat import concat, split
from twinflow._src.ops.array.padding import pad
from twinflow._src.ops.array.shapes import shape
from twinflow._src.ops.elementwise.complex_numbers import complex as make_complex
from twinflow._src.ops.elementwise.complex_numbers import real
from twinflow._src.wings.signal.fourier import irfft, rfft
from twinflow._src.wings.signal.frames import frame, overlap_and_add, scalar, vorbis_window

# Discrete cosine transforms, computed with FFTs.


# The supported types, each with the type of its inverse.
_TYPES, _INVERSES = (1, 2, 3, 4), (1, 3, 2, 4)


def _check_type(x: Any, type: int, n: Any, axis: int, norm: Any) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in _TYPES:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if type == 1 and static_size(x.shape, -1) in (0, 1):
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


@export("signal.dct")
def dct(
    input: Any,
    type: int = 2,
    n: Any = None,
    axis: int = -1,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the discrete cosine transform (DCT) over the last dimension.

    Args:
        input: A tensor of float32 or float64.
        type: The type of the transform, 1 to 4.
        n: The length to truncate or zero-pad the last dimension to.
        axis: -1, the last dimension.
        norm: None, or ``"ortho"`` to make the transform orthogonal.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: The type or norm is unknown.
    """
    _check_type(input, type, n, axis, norm)
    x = convert_to_tensor(input)
    zero = convert_to_tensor(0.0, dtype=x.dtype)
    if n is not None:
        x = _of_length(x, n)
    count = static_size(x.shape, -1)
    if count is None:
        count = shape(x)[-1]
    return _TRANSFORMS[_TYPES.index(type)](x, zero, count, norm == "ortho")


@export("signal.idct")
@documented_like(dct)
def idct(
    input: Any,
    type: int = 2,
    n: Any = None,
    axis: int = -1,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the inverse discrete cosine transform over the last dimension.

    Args:
        type: The type of the DCT to invert, 1 to 4.
        norm: The norm of the forward transform. If None, the inverse is up to a constant factor.
    """
    return dct(input, _INVERSES[_TYPES.index(type)] if type in _TYPES else type, n, axis, norm)


def _of_length(x: Any, n: int) -> Any:
    """Returns a tensor whose last dimension is truncated or zero-padded to n."""
    size = static_size(x.shape, -1)
    more = API["maximum"](n - shape(x)[-1], 0) if size is None else max(n - size, 0)
    if size is None or more:
        x = pad(x, [[0, 0]] * (len(x.shape) - 1) + [[0, more]])
    return x[..., :n]


def _angles(zero: Any, count: Any, sign: int) -> Any:
    """Returns the phase factors 2 * exp(sign * i * pi * k / (2 * count)) for each index k."""
    index = API["range"](API["cast"](count, zero.dtype))
    angle = index * (sign * math.pi * 0.5) / API["cast"](count, zero.dtype)
    return 2.0 * API["exp"](make_complex(zero, angle))


def _weights(first: Any, count: Any) -> Any:
    """Returns a vector with ``first`` at index 0 and sqrt(2) * ``first`` elsewhere."""
    others = first * math.sqrt(2.0)
    return pad(API["expand_dims"](first, 0), [[0, count - 1]], constant_values=others)


def _root(count: Any, dtype: Any) -> Any:
    return API["sqrt"](API["cast"](count, dtype))


def _type_1(x: Any, zero: Any, count: Any, ortho: bool) -> Any:
    mirrored = concat([x, x[..., -2:0:-1]], -1)
    return real(rfft(mirrored))


def _type_2(x: Any, zero: Any, count: Any, ortho: bool) -> Any:
    angles = _angles(zero, count, -1)
    result = real(rfft(x, fft_length=[2 * count])[..., :count] * angles)
    return result * _weights(0.5 / _root(count, x.dtype), count) if ortho else result


def _type_3(x: Any, zero: Any, count: Any, ortho: bool) -> Any:
    if ortho:
        root = _root(count, x.dtype)
        others = root * math.sqrt(0.5)
        x = x * pad(API["expand_dims"](root, 0), [[0, count - 1]], constant_values=others)
    else:
        x = x * API["cast"](count, x.dtype)
    turned = _angles(zero, count, 1) * make_complex(x, API["zeros_like"](x))
    return irfft(turned, fft_length=[2 * count])[..., :count]


def _type_4(x: Any, zero: Any, count: Any, ortho: bool) -> Any:
    doubled = _type_2(_of_length(x, 2 * count), zero, 2 * count, False)[..., 1::2]
    return doubled * (math.sqrt(0.5) / _root(count, x.dtype)) if ortho else doubled


_TRANSFORMS = (_type_1, _type_2, _type_3, _type_4)


# Modified discrete cosine transform: frames overlap by half, and their aliasing cancels.


def _assert_norm(norm: Any) -> None:
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


def _apply_window(frames: Any, window_fn: Callable[..., Any] | None, length: Any) -> Any:
    if window_fn is None:
        return frames * (1.0 / math.sqrt(2.0))
    return frames * window_fn(length, dtype=frames.dtype)


@export("signal.mdct")
def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    pad_end: bool = False,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the modified discrete cosine transform (MDCT) of the frames of signals.

    Args:
        signals: A real tensor; the last dimension is time.
        frame_length: The frame length in samples, a multiple of 4.
        window_fn: A function of a length and a ``dtype`` that returns the window; None for a
            constant.
        pad_end: If True, zero-pads the signal so that the last frames are complete.
        norm: None, or ``"ortho"`` for the orthogonal cosine transform.
        name: A name for the operation.

    Returns:
        A tensor in which the time axis is replaced by frames and frame_length / 2 coefficients.

    Raises:
        ValueError: The frame length is not a multiple of 4, or the norm is unknown.
    """
    x = convert_to_tensor(signals)
    x.shape.with_rank_at_least(1)
    length = scalar(frame_length, "frame_length")
    static = array_of(length)
    if static is not None and static % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    frames = _apply_window(frame(x, length, length // 2, pad_end=pad_end), window_fn, length)
    a, b, c, d = split(frames, 4, axis=-1)
    folded = concat([-API["reverse"](c, [-1]) - d, a - API["reverse"](b, [-1])], -1)
    return dct(folded, type=4, norm=norm)


@export("signal.inverse_mdct")
def inverse_mdct(
    mdcts: Any,
    window_fn: Callable[..., Any] | None = vorbis_window,
    norm: Any = None,
    name: str | None = None,
) -> Any:
    """Computes the inverse modified discrete cosine transform of MDCT frames.

    Args:
        mdcts: A tensor, as returned by ``tf.signal.mdct``.
        window_fn: Makes the window by which frames are multiplied before they are added; that of
            the transform.
        norm: The norm of the forward transform.
        name: A name for the operation.

    Returns:
        A real tensor.

    Raises:
        ValueError: The rank is too small, or the norm is unknown.
    """
    x = convert_to_tensor(mdcts)
    x.shape.with_rank_at_least(2)
    _assert_norm(norm)
    half = API["shape"](x)[-1]
    result = idct(x, type=4, norm=norm)
    if norm is None:
        result = result * (0.5 / API["cast"](half, x.dtype))
    first, second = split(result, 2, axis=-1)
    turned = API["reverse"]
    frames = concat([second, -turned(second, [-1]), -turned(first, [-1]), -first], -1)
    return overlap_and_add(_apply_window(frames, window_fn, 2 * half), half)
