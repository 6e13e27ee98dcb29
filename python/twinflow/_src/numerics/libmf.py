"""The C library's logf, sinf and cosf, bitwise equal.

TensorFlow's float32 normal numbers use these functions, so their rounding affects every value. The
C library computes them in float64, from a table of 16 logarithms and short polynomials, and rounds
once. The algorithms and constants are published (Arm's Optimized Routines, adopted by several C
libraries). This version is vectorized and arranged for few passes over memory; results were
compared for all 2^23 values of a float32 uniform number.
"""

from __future__ import annotations

import functools
import math
import struct
from typing import Any

import numpy as np

_hex = float.fromhex

# Per sixteenth of a binade: an approximate reciprocal and the negative logarithm of the reciprocal.
_RECIPROCALS = tuple(
    map(
        _hex,
        [
            "0x1.661ec79f8f3bep+0",
            "0x1.571ed4aaf883dp+0",
            "0x1.49539f0f010bp+0",
            "0x1.3c995b0b80385p+0",
            "0x1.30d190c8864a5p+0",
            "0x1.25e227b0b8eap+0",
            "0x1.1bb4a4a1a343fp+0",
            "0x1.12358f08ae5bap+0",
            "0x1.0953f419900a7p+0",
            "0x1p+0",
            "0x1.e608cfd9a47acp-1",
            "0x1.ca4b31f026aap-1",
            "0x1.b2036576afce6p-1",
            "0x1.9c2d163a1aa2dp-1",
            "0x1.886e6037841edp-1",
            "0x1.767dcf5534862p-1",
        ],
    )
)
_LOGARITHMS = tuple(
    map(
        _hex,
        [
            "-0x1.57bf7808caadep-2",
            "-0x1.2bef0a7c06ddbp-2",
            "-0x1.01eae7f513a67p-2",
            "-0x1.b31d8a68224e9p-3",
            "-0x1.6574f0ac07758p-3",
            "-0x1.1aa2bc79c81p-3",
            "-0x1.a4e76ce8c0e5ep-4",
            "-0x1.1973c5a611cccp-4",
            "-0x1.252f438e10c1ep-5",
            "0x0p+0",
            "0x1.aa5aa5df25984p-5",
            "0x1.c5e53aa362eb4p-4",
            "0x1.526e57720db08p-3",
            "0x1.bc2860d22477p-3",
            "0x1.1058bc8a07ee1p-2",
            "0x1.4043057b6ee09p-2",
        ],
    )
)
_LN2 = _hex("0x1.62e42fefa39efp-1")
_LOG = tuple(map(_hex, ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2")))
# Start of the table's first interval: 0x3F330000 as float32, this bit pattern as float64.
_FIRST = 0x3FE6600000000000
_LOWEST = -126

_QUARTERS = _hex("0x1.45F306DC9C883p+23")  # 2/pi, times 2^24
_QUARTER = _hex("0x1.921FB54442D18p0")  # pi/2
_SIN = tuple(map(_hex, ("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13")))
_COS = tuple(
    map(
        _hex,
        (
            "-0x1.ffffffd0c621cp-2",
            "0x1.55553e1068f19p-5",
            "-0x1.6c087e89a359dp-10",
            "0x1.99343027bf8c3p-16",
        ),
    )
)


@functools.cache
def tables(xp: Any) -> tuple[Any, Any]:
    """Returns per sixteenth of a binade the factor that scales numbers to about 1, and its log."""
    exponents = np.arange(_LOWEST, 128)[:, None]
    factors = np.ldexp(np.array(_RECIPROCALS)[None, :], -exponents)
    logarithms = np.array(_LOGARITHMS)[None, :] + exponents * _LN2
    return xp.asarray(factors.ravel()), xp.asarray(logarithms.ravel())


def logf(xp: Any, x: Any) -> Any:
    """Returns the logarithm of positive normal float32 numbers, rounded as in the C library."""
    factors, logarithms = tables(xp)
    z = x.astype(np.float64)
    index = z.view(np.int64) - (_FIRST + (_LOWEST << 52))
    index >>= 48
    r = factors.take(index)
    r *= z
    r -= 1.0
    a0, a1, a2 = _LOG
    y = xp.multiply(r, a0, out=z)
    y += a1
    y *= r
    y += a2
    y *= r
    y += 1.0
    y *= r
    y += logarithms.take(index)
    return y.astype(np.float32)


def box_muller(u: float, v: float) -> tuple[float, float]:
    """Returns two normal numbers of two uniform ones, u positive, rounded as the arrays' functions."""
    factors, logarithms = tables(np)
    index = (_bits(_double(u))[0] - (_FIRST + (_LOWEST << 52))) >> 48
    r = factors.item(index) * u - 1.0
    a0, a1, a2 = _LOG
    y = (((r * a0 + a1) * r + a2) * r + 1.0) * r + logarithms.item(index)
    radius = _rounded(math.sqrt(-2.0 * _rounded(y)))
    x = _rounded(v * (2 * math.pi))
    quarter = (int(x * _QUARTERS) + 0x800000) >> 24
    x -= quarter * _QUARTER
    square = x * x
    c0, c1, c2, c3 = _COS
    s0, s1, s2 = _SIN
    cosine = _rounded((((square * c3 + c2) * square + c1) * square + c0) * square + 1.0)
    sine = _rounded(((square * s2 + s1) * square + s0) * square * x + x)
    if quarter & 1:
        sine, cosine = cosine, -sine
    if quarter & 2:
        sine, cosine = -sine, -cosine
    return _rounded(sine * radius), _rounded(cosine * radius)


_double, _bits = struct.Struct("<d").pack, struct.Struct("<q").unpack
_single, _value = struct.Struct("<f").pack, struct.Struct("<f").unpack


def _rounded(x: float) -> float:
    """Returns a number rounded to float32."""
    return float(_value(_single(x))[0])


def emit_box_muller(ir: Any, b: Any, u: Any, v: Any, factors: Any, logarithms: Any) -> list[Any]:
    """Emits ``box_muller`` as LLVM instructions; the last two arguments point to the ``tables``."""
    single, double, short, long = ir.FloatType(), ir.DoubleType(), ir.IntType(32), ir.IntType(64)
    real = lambda value: ir.Constant(double, value)
    z = b.fpext(u, double)
    bits = b.sub(b.bitcast(z, long), ir.Constant(long, _FIRST + (_LOWEST << 52)))
    index = b.ashr(bits, ir.Constant(long, 48))
    r = b.fsub(b.fmul(b.load(b.gep(factors, [index])), z), real(1.0))
    y = b.fmul(r, real(_LOG[0]))
    for c in (*_LOG[1:], 1.0):
        y = b.fmul(b.fadd(y, real(c)), r)
    logarithm = b.fptrunc(b.fadd(y, b.load(b.gep(logarithms, [index]))), single)
    root = b.module.declare_intrinsic("llvm.sqrt", [single])
    radius = b.call(root, [b.fmul(logarithm, ir.Constant(single, -2.0))])
    angle = b.fptrunc(b.fmul(b.fpext(v, double), real(2 * math.pi)), single)
    x = b.fpext(angle, double)
    quarter = b.fptosi(b.fmul(x, real(_QUARTERS)), short)
    quarter = b.ashr(b.add(quarter, ir.Constant(short, 0x800000)), ir.Constant(short, 24))
    x = b.fsub(x, b.fmul(b.sitofp(quarter, double), real(_QUARTER)))
    square = b.fmul(x, x)

    def series(coefficients: tuple[float, ...]) -> Any:
        value = b.fmul(square, real(coefficients[-1]))
        for c in coefficients[-2::-1]:
            value = b.fmul(b.fadd(value, real(c)), square)
        return value

    cosine = b.fptrunc(b.fadd(series(_COS), real(1.0)), single)
    sine = b.fptrunc(b.fadd(b.fmul(series(_SIN), x), x), single)
    is_odd = b.trunc(quarter, ir.IntType(1))
    is_half = b.trunc(b.lshr(quarter, ir.Constant(short, 1)), ir.IntType(1))
    turned = b.select(is_odd, cosine, sine), b.select(is_odd, b.fneg(sine), cosine)
    return [b.fmul(b.select(is_half, b.fneg(x), x), radius) for x in turned]


def sincosf(xp: Any, y: Any) -> tuple[Any, Any]:
    """Returns sine and cosine of float32 numbers from 0 to 120, rounded as in the C library."""
    x = y.astype(np.float64)
    quarter = (x * _QUARTERS).astype(np.int32)
    quarter += 0x800000
    quarter >>= 24
    shift = quarter.astype(np.float64)
    shift *= _QUARTER
    x -= shift
    square = xp.multiply(x, x, out=shift)
    cosine = _polynomial(square, _COS)
    cosine *= square
    cosine += 1.0
    sine = _polynomial(square, _SIN)
    sine *= square
    sine *= x
    sine += x
    return _apply_quarter_turns(sine.astype(np.float32), cosine.astype(np.float32), quarter)


def _polynomial(x: Any, coefficients: tuple[float, ...]) -> Any:
    y = x * coefficients[-1]
    for coefficient in coefficients[-2:0:-1]:
        y += coefficient
        y *= x
    y += coefficients[0]
    return y


def _apply_quarter_turns(sine: Any, cosine: Any, quarter: Any) -> tuple[Any, Any]:
    """Applies a number of quarter turns: swaps sine and cosine after odd ones, and sets signs."""
    s, c = sine.view(np.int32), cosine.view(np.int32)
    swap = s ^ c
    odd = quarter & 1
    swap &= -odd
    s ^= swap
    c ^= swap
    # The sign is bit 31: for the sine bit 1 of the quarter, for the cosine bit 1 xor bit 0.
    quarter <<= 30
    odd <<= 31
    sign = np.int32(-(2**31))
    odd ^= quarter
    odd &= sign
    quarter &= sign
    s ^= quarter
    c ^= odd
    return sine, cosine
