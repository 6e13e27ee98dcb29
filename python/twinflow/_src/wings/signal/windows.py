"""Window functions for spectral analysis."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import bool_, float32, int32
from twinflow._src.dispatch.op import export
from twinflow._src.graph.static_values import array_of
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import ones, ones_like, range_
from twinflow._src.ops.array.gather import where
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.compare import equal
from twinflow._src.ops.elementwise.math import cos, sin, sqrt
from twinflow._src.ops.elementwise.minmax import maximum
from twinflow._src.ops.reduce.cumulative import cumsum
from twinflow._src.ops.special.bessel import bessel_i0


def _checked(window_length: Any, dtype: Any, name: str | None = None) -> tuple[Any, Any]:
    """Returns the window length as a tensor, and the validated dtype."""
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    length = convert_to_tensor(window_length, dtype=int32, name=name)
    length.shape.assert_has_rank(0)
    return length, dtype


def _is_one(length: Any) -> bool:
    known = array_of(length)
    return known is not None and known == 1


def _raised_cosine(window_length: Any, periodic: Any, dtype: Any, a: float, b: float) -> Any:
    """Returns the window a - b * cos(2 * pi * n / period)."""
    length, wanted = _checked(window_length, dtype, "window_length")
    if _is_one(length):
        return ones([1], dtype=wanted)
    even = 1 - length % 2
    closed = cast(convert_to_tensor(periodic, dtype=bool_, name="periodic"), int32)
    last = cast(length + closed * even - 1, wanted)
    places = cast(range_(length), wanted)
    angle = convert_to_tensor(2 * math.pi, dtype=wanted) * places / last
    weights = cast(a - b * cos(angle), wanted)
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
        name: A name for the operation.

    Returns:
        A vector.

    Raises:
        ValueError: The dtype is not floating-point.
    """
    return _raised_cosine(window_length, periodic, dtype, 0.5, 0.5)


@export("signal.hamming_window")
def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = float32, name: str | None = None
) -> Any:
    """Generates a Hamming window.

    Args:
        window_length: The window length.
        periodic: If True, a periodic window for spectral analysis; if False, a symmetric one.
        dtype: A floating-point dtype.
        name: A name for the operation.

    Returns:
        A vector.

    Raises:
        ValueError: The dtype is not floating-point.
    """
    return _raised_cosine(window_length, periodic, dtype, 0.54, 0.46)


@export("signal.kaiser_window")
def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Any:
    """Generates a Kaiser window.

    Args:
        window_length: The window length.
        beta: The shape parameter; larger values give a narrower window.
        dtype: A floating-point dtype.
        name: A name for the operation.

    Returns:
        A vector.

    Raises:
        ValueError: The dtype is not floating-point.
    """
    length, wanted = _checked(window_length, dtype)
    if _is_one(length):
        return ones([1], dtype=wanted)
    half = (cast(length, float32) - 1.0) / 2.0
    places = cast(range_(-half, half + 0.1, dtype=float32), wanted)
    steepness, one = cast(beta, wanted), cast(1.0, wanted)
    height = sqrt(maximum(one - (places / cast(half, wanted)) ** 2, cast(0.0, wanted)))
    return cast(bessel_i0(steepness * height) / bessel_i0(steepness), wanted)


@export("signal.kaiser_bessel_derived_window")
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = float32, name: str | None = None
) -> Any:
    """Generates a Kaiser-Bessel-derived (KBD) window, as used with the MDCT.

    Args:
        window_length: The window length, an even number; an odd one is decremented.
        beta: The shape parameter of the Kaiser window.
        dtype: A floating-point dtype.
        name: A name for the operation.

    Returns:
        A vector.

    Raises:
        ValueError: The dtype is not floating-point.
    """
    length, wanted = _checked(window_length, dtype)
    sums = cumsum(kaiser_window(length // 2 + 1, beta, wanted))
    half = sqrt(sums[:-1] / sums[-1])
    return concat([half, half[::-1]], 0)


@export("signal.vorbis_window")
def vorbis_window(window_length: Any, dtype: Any = float32, name: str | None = None) -> Any:
    """Generates a Vorbis power complementary window.

    Args:
        window_length: The window length.
        dtype: A floating-point dtype.
        name: A name for the operation.

    Returns:
        A vector.

    Raises:
        ValueError: The dtype is not floating-point.
    """
    length, wanted = _checked(window_length, dtype)
    places = cast(range_(length), wanted)
    inner = sin(math.pi / cast(length, wanted) * (places + cast(0.5, wanted)))
    return cast(sin(math.pi / 2.0 * inner**2), wanted)
