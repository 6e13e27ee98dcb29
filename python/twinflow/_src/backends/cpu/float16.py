"""Vectorized conversions between 16-bit floats and float32 on the host.

NumPy converts float16 element by element, without the processor's instructions for it. On arrays, a
conversion by a few vectorized integer operations takes a third of the time and gives the same bits.
NumPy's conversions of bfloat16 hold the GIL; integer operations run in parallel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_FEW = 1 << 11  # number of elements below which NumPy is as fast
# float32 compared to float16: 13 more mantissa bits, and an exponent bias that is 112 larger.
_SIGN, _SHIFT, _WORD = np.uint16(0x8000), np.uint32(13), np.uint32(16)
_REST = np.uint32(0x7FFF)
_SCALE = np.float32(2.0**112)
# Shift from a sign-extended 32-bit float16 to float32, and the mask of its bits, of the sign the
# first.
_SIGNED_SHIFT, _SIGNED, _INFINITE = np.int32(13), np.int32(-0x70002000), np.int32(0x7F800000)
# The exponent of float16 inf and NaN; the same doubled, as a lower bound of their magnitude bits.
_LAST, _UP, _LARGE = np.uint16(0x7C00), np.uint16(1), 0xF800
# The exponent mask of float32; the magnitude that rounds to float16 inf. Adding a power of two 13
# binary places above a number aligns the last bit of the sum with that of float16; the minimum of
# these powers is for subnormal numbers. _REBASED corrects the exponent of the sum.
_EXPONENT, _TOO_LARGE = np.uint32(0x7F800000), np.float32(65520)
_ABOVE, _LEAST_ABOVE, _ANY = np.float32(2.0**13), np.float32(0.5), np.float32(np.inf)
_REBASED = np.uint16(0x800)
_ONE = np.uint32(1)


def is_short_float(dtype: Any) -> bool:
    """True for 16-bit float dtypes."""
    return bool(dtype.itemsize == 2 and dtype.kind in "fV")


def widened(x: Any) -> Any:
    """Converts 16-bit floats on the host to float32; other arrays are returned as they are."""
    if not is_short_float(x.dtype):
        return x
    if x.size < _FEW:
        return x.astype(np.float32)
    short = x.view(np.uint16)
    if x.dtype.kind == "V":
        bits = short.astype(np.uint32)
        bits <<= _WORD
        return bits.view(np.float32)
    signed = x.view(np.int16).astype(np.int32)
    signed <<= _SIGNED_SHIFT
    signed &= _SIGNED
    wide = signed.view(np.float32)
    wide *= _SCALE  # exact, also for subnormal numbers
    if (short << _UP).max() >= _LARGE:
        signed[(short & _LAST) == _LAST] |= _INFINITE
    return wide


def shortened(x: Any, dtype: Any) -> Any:
    """Rounds float32 to a 16-bit float dtype, to nearest, ties to even."""
    if x.size < _FEW:
        return x.astype(dtype)
    if dtype.kind == "V":
        return _as_bfloat16(x, dtype)
    return _as_float16(np.ascontiguousarray(x), dtype)


def _as_float16(x: Any, dtype: Any) -> Any:
    size = np.abs(x)
    lost = None
    if not size.max() < _TOO_LARGE:  # inf, overflow and NaN are handled separately
        lost = ~(size < _TOO_LARGE)
        size[lost] = 0
    power = size * _ABOVE
    np.clip(power, _LEAST_ABOVE, _ANY, out=power)  # like maximum, in less than half of the time
    digits = power.view(np.uint32)
    digits &= _EXPONENT
    size += power  # the addition rounds at the last bit and leaves the digits at the low end
    bits = size.view(np.uint32)
    result = bits.astype(np.uint16)
    bits >>= _SHIFT
    result += bits.astype(np.uint16)  # a carry increments the exponent
    result += _REBASED
    sign = (x.view(np.uint32) >> _WORD).astype(np.uint16)
    sign &= _SIGN
    result |= sign
    if lost is not None:
        result[lost] = x[lost].astype(dtype).view(np.uint16)
    return result.view(dtype)


def _as_bfloat16(x: Any, dtype: Any) -> Any:
    bits = np.ascontiguousarray(x).view(np.uint32)
    rounded = bits >> _WORD
    rounded &= _ONE
    rounded += _REST
    rounded += bits
    rounded >>= _WORD
    result = rounded.astype(np.uint16).view(dtype)
    lost = np.isnan(x)
    if lost.any():
        result[lost] = x[lost].astype(dtype)
    return result
