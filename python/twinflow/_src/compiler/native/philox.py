"""Native code of stateless random numbers: Philox blocks, as in ``random/philox.py``."""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir

from twinflow._src.compiler.native.formulas import TYPES, Scalar, Scalars
from twinflow._src.random.distributions import TINY
from twinflow._src.random.philox import M0, M1, ROUNDS, W0, W1

_I64 = ir.IntType(64)
_MASK = 0xFFFFFFFF


def _word(value: int) -> ir.Constant:
    return ir.Constant(_I64, value)


def philox_block(scalars: Scalars, key: Any, low: Any, high: Any) -> list[Any]:
    """Emits a block of a key and the halves of a counter; returns its words in 64 bits each."""
    b, mask = scalars.builder, _word(_MASK)
    upper = lambda x: b.lshr(x, _word(32))
    c0, c1, c2, c3 = b.and_(low, mask), upper(low), b.and_(high, mask), upper(high)
    k0, k1 = b.and_(key, mask), upper(key)
    for _ in range(ROUNDS):
        p0, p1 = b.mul(c0, _word(M0)), b.mul(c2, _word(M1))
        c0, c2 = b.xor(b.xor(upper(p1), c1), k0), b.xor(b.xor(upper(p0), c3), k1)
        c1, c3 = b.and_(p1, mask), b.and_(p0, mask)
        k0, k1 = b.and_(b.add(k0, _word(W0)), mask), b.and_(b.add(k1, _word(W1)), mask)
    return [c0, c1, c2, c3]


def join_words(scalars: Scalars, low: Any, high: Any) -> Any:
    """Returns the 64 bits of two words."""
    return scalars.builder.or_(low, scalars.builder.shl(high, _word(32)))


def numbers(scalars: Scalars, draw: str, key: str, words: list[Any]) -> list[Scalar]:
    """Emits the numbers of a block: "uniform" or "normal" floats, or "integers" of all bits."""
    if draw == "integers":
        return _integers(scalars, key, words)
    make = _float if key == "f4" else _double
    uniforms = [make(scalars, words[i : i + (1 if key == "f4" else 2)]) for i in _starts(key)]
    if draw == "uniform":
        return uniforms
    pairs = zip(uniforms[::2], uniforms[1::2])
    return [x for u, v in pairs for x in _normals(scalars, u, v)]


def _starts(key: str) -> range:
    """Returns the first word of each number of a block."""
    return range(0, 4, 1 if key[1] == "4" else 2)


def _integers(scalars: Scalars, key: str, words: list[Any]) -> list[Scalar]:
    if key[1] == "4":
        return [Scalar(scalars.builder.trunc(word, TYPES[key]), key) for word in words]
    return [Scalar(join_words(scalars, *words[i : i + 2]), key) for i in _starts(key)]


def _float(scalars: Scalars, words: list[Any]) -> Scalar:
    """Returns a float32 in [0, 1): 23 bits of a number in [1, 2), minus 1."""
    b = scalars.builder
    bits = b.or_(b.and_(words[0], _word(0x7FFFFF)), _word(127 << 23))
    one = b.bitcast(b.trunc(bits, ir.IntType(32)), TYPES["f4"])
    return scalars.operate("-", Scalar(one, "f4"), 1.0)


def _double(scalars: Scalars, words: list[Any]) -> Scalar:
    """Returns a float64 in [0, 1): 20 bits of the first word, then the second."""
    b = scalars.builder
    pair = join_words(scalars, words[1], words[0])
    bits = b.or_(b.and_(pair, _word((1 << 52) - 1)), _word(1023 << 52))
    return scalars.operate("-", Scalar(b.bitcast(bits, TYPES["f8"]), "f8"), 1.0)


def _normals(scalars: Scalars, u: Scalar, v: Scalar) -> list[Scalar]:
    """Returns two normal numbers (Box-Muller)."""
    s, op = scalars, scalars.operate
    u = s.select(op("<", u, TINY), TINY, u)
    radius = s.call("sqrt", op("*", s.call("log", u), -2.0))
    angle = s.cast(op("*", s.cast(v, "f8"), 2 * math.pi), u.key)
    return [op("*", s.call(name, angle), radius) for name in ("sin", "cos")]
