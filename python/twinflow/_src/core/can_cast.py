"""Which types TensorFlow converts into which."""

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

# From any type of the first group to any of the second.
_CASTS = (
    (_ORDINARY | _SHORT_REALS, _ORDINARY),
    (REALS | _SHORT_REALS, _SHORT_REALS),
    (_ALL_INTEGERS, _ALL_INTEGERS),
)


def supported(source: DType, target: DType) -> bool:
    """Whether values of a type can be cast to another one.

    Args:
        source: The type that they have.
        target: The type that they are to have.

    Returns:
        True where the types are the same or a kernel exists.
    """
    return source is target or any(source in a and target in b for a, b in _CASTS)
