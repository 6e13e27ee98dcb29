"""Discrete cosine transforms, made of Fourier transforms."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.dispatch.op import API, export
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.padding import pad
from twinflow._src.ops.array.shapes import shape
from twinflow._src.ops.elementwise.complex_numbers import complex as make_complex
from twinflow._src.ops.elementwise.complex_numbers import real
from twinflow._src.wings.signal.fourier_functions import irfft, rfft

# The types, and for each the one that undoes it.
_TYPES, _INVERSES = (1, 2, 3, 4), (1, 3, 2, 4)


def _checked(x: Any, type: int, n: Any, axis: int, norm: Any) -> None:
    if axis != -1:
        raise NotImplementedError(f"axis must be -1. Got: {axis}")
    if n is not None and n < 1:
        raise ValueError("n should be a positive integer or None")
    if type not in _TYPES:
        raise ValueError("Types I, II, III and IV (I)DCT are supported.")
    if type == 1 and norm == "ortho":
        raise ValueError("Normalization is not supported for the Type-I DCT.")
    if type == 1 and x.shape[-1] is not None and x.shape[-1] < 2:
        raise ValueError("Type-I DCT requires the dimension to be greater than one.")
    if norm not in (None, "ortho"):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


@export("signal.dct")
def dct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, name: str | None = None
) -> Any:
    """Returns the discrete cosine transform over the last dimension.

    Args:
        input: A tensor of float32 or float64.
        type: The kind of transform, 1 to 4.
        n: The length to cut the tensor to, or to fill it up to with zeros.
        axis: -1, the last dimension.
        norm: None, or ``"ortho"`` to make the transform orthogonal.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: There is no such type or norm.
    """
    _checked(input, type, n, axis, norm)
    x = convert_to_tensor(input)
    zero = convert_to_tensor(0.0, dtype=x.dtype)
    if n is not None:
        x = _of_length(x, n)
    count = x.shape[-1]
    if count is None:
        count = shape(x)[-1]
    return _TRANSFORMS[_TYPES.index(type)](x, zero, count, norm == "ortho")


@export("signal.idct")
def idct(
    input: Any, type: int = 2, n: Any = None, axis: int = -1, norm: Any = None, name: str | None = None
) -> Any:
    """Returns what the discrete cosine transform was made of, up to a factor where ``norm`` is None.

    Args:
        input: A tensor of float32 or float64.
        type: The kind of transform to undo, 1 to 4.
        n: The length to cut the tensor to, or to fill it up to with zeros.
        axis: -1, the last dimension.
        norm: That of the transform that is undone.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: There is no such type or norm.
    """
    return dct(input, _INVERSES[_TYPES.index(type)] if type in _TYPES else type, n, axis, norm)


def _of_length(x: Any, n: int) -> Any:
    """A tensor whose last dimension is cut, or filled up with zeros."""
    own = x.shape[-1]
    if own is not None and own < n:
        return pad(x, [[0, 0]] * (x.shape.rank - 1) + [[0, n - own]])
    return x[..., :n]


def _angles(zero: Any, count: Any, sign: int) -> Any:
    """The turns that go with each place: twice a number on the circle."""
    place = API["range"](API["cast"](count, zero.dtype))
    angle = place * (sign * math.pi * 0.5) / API["cast"](count, zero.dtype)
    return 2.0 * API["exp"](make_complex(zero, angle))


def _weights(first: Any, count: Any) -> Any:
    """A number for the first place, and its root-of-two-fold for the others."""
    others = first * math.sqrt(2.0)
    return pad(API["expand_dims"](first, 0), [[0, count - 1]], constant_values=others)


def _root(count: Any, dtype: Any) -> Any:
    return API["sqrt"](API["cast"](count, dtype))


def _type_1(x: Any, zero: Any, count: Any, ortho: bool) -> Any:
    mirrored = concat([x, x[..., -2:0:-1]], -1)
    return real(rfft(mirrored))


def _type_2(x: Any, zero: Any, count: Any, ortho: bool) -> Any:
    angles = _angles(zero, count, -1)
    found = real(rfft(x, fft_length=[2 * count])[..., :count] * angles)
    return found * _weights(0.5 / _root(count, x.dtype), count) if ortho else found


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
