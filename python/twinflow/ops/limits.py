"""Larger and smaller values."""

from __future__ import annotations

from typing import Any

from ..constant import dense
from ..dtypes import ORDERED
from ..gradient import unbroadcast
from ..op import API, Call, export, op
from ..shapes import broadcast


@op("Maximum", ufunc="maximum", api=("maximum", "math.maximum"), shape=broadcast, dtypes=ORDERED)
def maximum(xp: Any, x: Any, y: Any) -> Any:
    """Returns the larger of x and y element-wise; NaN where either is.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.
    """
    return xp.maximum(x, y)


@maximum.gradient
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    first = API["cast"](x >= y, dz.dtype)
    return unbroadcast(dz * first, x), unbroadcast(dz * (1 - first), y)


@op("Minimum", ufunc="minimum", api=("minimum", "math.minimum"), shape=broadcast, dtypes=ORDERED)
def minimum(xp: Any, x: Any, y: Any) -> Any:
    """Returns the smaller of x and y element-wise; NaN where either is.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.
    """
    return xp.minimum(x, y)


@minimum.gradient
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    first = API["cast"](x <= y, dz.dtype)
    return unbroadcast(dz * first, x), unbroadcast(dz * (1 - first), y)


@export("clip_by_value")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Returns a tensor with its values limited to an interval.

    Args:
        t: A tensor of real numbers.
        clip_value_min: The lower limit, broadcast against t.
        clip_value_max: The upper limit, broadcast against t.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.

    Raises:
        ValueError: The limits would change the shape.
    """
    t = dense(t)
    for limit, towards in ((minimum, clip_value_max), (maximum, clip_value_min)):
        shape, t = t.shape, limit(t, towards)
        shape.assert_is_compatible_with(t.shape)
    return t
