"""Native code of stateless random numbers: Philox blocks, as in ``random/philox.py``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir

from twinflow._src.compiler.native.formulas import TYPES, Scalar, Scalars
from twinflow._src.numerics.libmf import emit_box_muller, tables
from twinflow._src.random.distributions import TINY

_I64 = ir.IntType(64)


def _word(value: int) -> ir.Constant:
    return ir.Constant(_I64, value)


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
    normals = _normals32 if key == "f4" else _normals
    return [x for u, v in zip(uniforms[::2], uniforms[1::2]) for x in normals(scalars, u, v)]


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


def _normals32(scalars: Scalars, u: Scalar, v: Scalar) -> list[Scalar]:
    """Returns two float32 normal numbers, with the bits of ``box_muller``."""
    address = lambda table: _word(table.ctypes.data).inttoptr(TYPES["f8"].as_pointer())
    u = scalars.select(scalars.operate("<", u, TINY), TINY, u)
    numbers = emit_box_muller(ir, scalars.builder, u.value, v.value, *map(address, tables(np)))
    return [Scalar(number, "f4") for number in numbers]


def _normals(scalars: Scalars, u: Scalar, v: Scalar) -> list[Scalar]:
    """Returns two normal numbers (Box-Muller)."""
    s, op = scalars, scalars.operate
    u = s.select(op("<", u, TINY), TINY, u)
    radius = s.call("sqrt", op("*", s.call("log", u), -2.0))
    angle = s.cast(op("*", s.cast(v, "f8"), 2 * math.pi), u.key)
    return [op("*", s.call(name, angle), radius) for name in ("sin", "cos")]
