"""Rounding and classification of numbers."""

from __future__ import annotations

from typing import Any

from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import INTEGERS, REALS
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import op

_ROUNDED = REALS | {dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64}


@op(
    "Round",
    no_gradient=True,
    api=("round", "math.round"),
    r="round",
    shape=same,
    dtypes=_ROUNDED,
    variants=dict.fromkeys(INTEGERS - _ROUNDED, "Identity"),
)
def round(xp: Any, x: Any) -> Any:
    """Returns the nearest whole numbers, halves to the even one.

    Args:
        x: A tensor of real numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return x if x.dtype.kind == "i" else xp.rint(x)


@op("Rint", no_gradient=True, api=("math.rint",), shape=same, dtypes=REALS, bulk="rint")
def rint(xp: Any, x: Any) -> Any:
    """Returns the nearest whole numbers, halves to the even one.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.rint(x)


@op(
    "Floor",
    ufunc="floor",
    no_gradient=True,
    api=("floor", "math.floor"),
    r="floor",
    shape=same,
    dtypes=REALS,
)
def floor(xp: Any, x: Any) -> Any:
    """Returns the largest whole numbers not above x.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.floor(x)


@op(
    "Ceil",
    ufunc="ceil",
    no_gradient=True,
    api=("math.ceil",),
    r="ceiling",
    shape=same,
    dtypes=REALS,
)
def ceil(xp: Any, x: Any) -> Any:
    """Returns the smallest whole numbers not below x.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.ceil(x)


# ------------------------------------------------------------------ classification


@op("IsNan", api=("math.is_nan",), r="is.nan", shape=same, dtypes=REALS, bulk="isnan")
def is_nan(xp: Any, x: Any) -> Any:
    """Returns whether x is not a number.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A boolean tensor of the same shape.
    """
    return xp.isnan(x)


@op("IsInf", api=("math.is_inf",), r="is.infinite", shape=same, dtypes=REALS, bulk="isinf")
def is_inf(xp: Any, x: Any) -> Any:
    """Returns whether x is infinite.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A boolean tensor of the same shape.
    """
    return xp.isinf(x)


@op("IsFinite", api=("math.is_finite",), r="is.finite", shape=same, dtypes=REALS, bulk="isfinite")
def is_finite(xp: Any, x: Any) -> Any:
    """Returns whether x is a finite number.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A boolean tensor of the same shape.
    """
    return xp.isfinite(x)
