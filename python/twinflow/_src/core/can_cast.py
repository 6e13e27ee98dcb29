"""Supported dtype conversions of ``tf.cast``."""

from __future__ import annotations

from twinflow._src.core.dtypes import (
    ALL,
    EXPERIMENTAL,
    INTEGERS,
    QUANTIZED,
    REALS,
    DType,
    float8_e4m3fn,
    float8_e5m2,
    int4,
    uint4,
)

_ORDINARY = frozenset(d for d in ALL.values() if d.kind not in "sr") - EXPERIMENTAL
_SHORT_REALS = frozenset({float8_e5m2, float8_e4m3fn})
_SHORT_INTEGERS = frozenset({int4, uint4})
_ALL_INTEGERS = INTEGERS | QUANTIZED | _SHORT_INTEGERS

# Pairs of groups: each dtype of the first can be cast to each of the second.
_CASTS = (
    (_ORDINARY | _SHORT_REALS, _ORDINARY),
    (REALS | _SHORT_REALS, _SHORT_REALS),
    (_ALL_INTEGERS, _ALL_INTEGERS),
)


def supported(source: DType, target: DType) -> bool:
    """True if the dtypes are the same or a cast kernel exists."""
    return source is target or any(source in a and target in b for a, b in _CASTS)
