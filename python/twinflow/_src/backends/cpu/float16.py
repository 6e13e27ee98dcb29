"""Half precision of the host by way of single precision: whole arrays at a time.

NumPy converts float16 number by number, without the processor's instructions for it. On whole arrays a conversion
is a few operations on integers, which are vectorised: it takes a third of the time, and gives the same bits.
The conversions of bfloat16 keep the interpreter to themselves; those on integers run beside each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_FEW = 1 << 11  # numbers of which NumPy is as quick
# Bits of float32: float16 has 13 less of the mantissa, and exponents that are 112 less.
_SIGN, _SHIFT, _WORD = np.uint16(0x8000), np.uint32(13), np.uint32(16)
_REST = np.uint32(0x7FFF)
_SCALE = np.float32(2.0**112)
# What shifts float16, whose sign was extended to 32 bits, to float32, and the bits that are left: of the sign the first.
_SIGNED_SHIFT, _SIGNED, _INFINITE = np.int32(13), np.int32(-0x70002000), np.int32(0x7F800000)
# The exponent of what is infinite or NaN in float16; the same without the sign, from which on such numbers are.
_LAST, _UP, _LARGE = np.uint16(0x7C00), np.uint16(1), 0xF800
# The exponent of float32; from what number on float16 is infinite. A power of two that is 13 places above a number has the
# last bit of float16 as its own; the least such power, below which numbers are subnormal. Powers have other exponents there.
_EXPONENT, _TOO_LARGE = np.uint32(0x7F800000), np.float32(65520)
_ABOVE, _LEAST_ABOVE, _ANY = np.float32(2.0**13), np.float32(0.5), np.float32(np.inf)
_REBASED = np.uint16(0x800)
_ONE = np.uint32(1)


def is_short_float(dtype: Any) -> bool:
    """Whether numbers of a type are floats of two bytes."""
    return bool(dtype.itemsize == 2 and dtype.kind in "fV")


def widened(x: Any) -> Any:
    """Short floats of the host in single precision; any other array as it is.

    Args:
        x: An array.
    """
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
    wide *= _SCALE  # exact: for subnormal numbers as well
    if (short << _UP).max() >= _LARGE:
        signed[(short & _LAST) == _LAST] |= _INFINITE
    return wide


def shortened(x: Any, dtype: Any) -> Any:
    """Numbers in single precision rounded to a type of short floats, to nearest, ties to even.

    Args:
        x: An array of float32.
        dtype: The type.
    """
    if x.size < _FEW:
        return x.astype(dtype)
    if dtype.kind == "V":
        return _as_bfloat16(x, dtype)
    return _as_float16(np.ascontiguousarray(x), dtype)


def _as_float16(x: Any, dtype: Any) -> Any:
    size = np.abs(x)
    lost = None
    if not size.max() < _TOO_LARGE:  # such numbers, and NaN, have bits of their own
        lost = ~(size < _TOO_LARGE)
        size[lost] = 0
    power = size * _ABOVE
    np.clip(power, _LEAST_ABOVE, _ANY, out=power)  # as maximum, in less than half of the time
    digits = power.view(np.uint32)
    digits &= _EXPONENT
    size += power  # the addition rounds where the last bit is, and leaves the digits at the end
    bits = size.view(np.uint32)
    result = bits.astype(np.uint16)
    bits >>= _SHIFT
    result += bits.astype(np.uint16)  # a digit more counts as an exponent
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
