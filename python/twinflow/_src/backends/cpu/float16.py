"""Vectorized conversions between 16-bit floats and float32 on the host.

NumPy converts float16 element by element, without the processor's instructions for it. On arrays, a
conversion by a few vectorized integer operations takes a third of the time and gives the same bits.
NumPy's conversions of bfloat16 hold the GIL; integer operations run in parallel. Native loops, where
there are any, use the instructions.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.native import NativeLoop

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
    is_float16 = x.dtype.kind == "f"
    if _WIDEN[is_float16].is_ready(x.size):
        return _convert_natively(_WIDEN[is_float16], x, np.dtype(np.float32))
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
    is_float16 = dtype.kind == "f"
    if x.dtype == np.float32 and _SHORTEN[is_float16].is_ready(x.size):
        return _convert_natively(_SHORTEN[is_float16], x, dtype)
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


# ------------------------------------------------------------------ native loops


def _convert_natively(loop: NativeLoop, x: Any, dtype: Any) -> Any:
    x, out = np.ascontiguousarray(x), np.empty(x.shape, dtype)
    loop([x, out], 0, x.size)
    return out


def arithmetic_loop(name: str, dtype: Any) -> NativeLoop | None:
    """Returns the loop of a NumPy function of two arrays, computed in float32 and rounded once."""
    return _ARITHMETIC.get((name, dtype.kind == "f"))


def _emit_widened(ir: Any, b: Any, x: Any, is_float16: bool) -> Any:
    single, integer = ir.FloatType(), ir.IntType(32)
    if is_float16:
        bits = b.bitcast(x, ir.IntType(16))
        shifted = b.shl(b.zext(bits, integer), ir.Constant(integer, 13))
        upper = b.shl(b.sext(bits, integer), ir.Constant(integer, 13))
        sign = b.and_(upper, ir.Constant(integer, 0x80000000))
        nan = b.or_(b.and_(shifted, ir.Constant(integer, 0x7FFFFF)), sign)
        nan = b.bitcast(b.or_(nan, ir.Constant(integer, 0x7F800000)), single)
        return b.select(b.fcmp_unordered("uno", x, x), nan, b.fpext(x, single))
    return b.bitcast(b.shl(b.zext(x, integer), ir.Constant(integer, 16)), single)


def _emit_shortened(ir: Any, b: Any, x: Any, is_float16: bool) -> Any:
    integer = lambda value: ir.Constant(ir.IntType(32), value)
    bits = b.bitcast(x, ir.IntType(32))
    if is_float16:
        digits = b.lshr(b.and_(bits, integer(0x7FFFFF)), integer(13))
        digits = b.select(b.icmp_unsigned("==", digits, integer(0)), integer(1), digits)
        sign = b.and_(b.lshr(bits, integer(16)), integer(0x8000))
        nan = b.trunc(b.or_(b.or_(digits, integer(0x7C00)), sign), ir.IntType(16))
        nan = b.bitcast(nan, ir.HalfType())
        return b.select(b.fcmp_unordered("uno", x, x), nan, b.fptrunc(x, ir.HalfType()))
    upper = b.lshr(bits, integer(16))
    rounded = b.add(bits, b.add(b.and_(upper, integer(1)), integer(0x7FFF)))
    nan = b.or_(b.and_(upper, integer(0x8000)), integer(0x7FC0))
    result = b.select(b.fcmp_unordered("uno", x, x), nan, b.lshr(rounded, integer(16)))
    return b.trunc(result, ir.IntType(16))


def _widen_body(is_float16: bool, ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    x, out = (b.gep(pointer, [index]) for pointer in pointers)
    b.store(_emit_widened(ir, b, b.load(x), is_float16), out)


def _shorten_body(is_float16: bool, ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    x, out = (b.gep(pointer, [index]) for pointer in pointers)
    b.store(_emit_shortened(ir, b, b.load(x), is_float16), out)


def _binary_body(
    instruction: str, is_float16: bool, ir: Any, b: Any, pointers: list[Any], index: Any
) -> None:
    *operands, out = (b.gep(pointer, [index]) for pointer in pointers)
    values = [b.load(x) for x in operands]
    if is_float16:  # the instruction makes NaN quiet, as the conversions do
        wide = [b.fpext(x, ir.FloatType()) for x in values]
        b.store(b.fptrunc(getattr(b, instruction)(*wide), ir.HalfType()), out)
        return
    wide = [_emit_widened(ir, b, x, is_float16) for x in values]
    b.store(_emit_shortened(ir, b, getattr(b, instruction)(*wide), is_float16), out)


# By whether they are of float16, which is "f2", or of bfloat16, whose bits are "u2".
_KEYS = {True: "f2", False: "u2"}
_WIDEN = {
    short: NativeLoop((key, "f4"), functools.partial(_widen_body, short))
    for short, key in _KEYS.items()
}
_SHORTEN = {
    short: NativeLoop(("f4", key), functools.partial(_shorten_body, short))
    for short, key in _KEYS.items()
}
_INSTRUCTIONS = {
    "add": "fadd", "subtract": "fsub", "multiply": "fmul", "divide": "fdiv", "true_divide": "fdiv",
}  # fmt: skip
_ARITHMETIC = {
    (name, short): NativeLoop((key,) * 3, functools.partial(_binary_body, instruction, short))
    for name, instruction in _INSTRUCTIONS.items()
    for short, key in _KEYS.items()
}
