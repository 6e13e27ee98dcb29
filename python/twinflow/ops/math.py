"""Elementary functions."""

from __future__ import annotations

from typing import Any

from ..dtypes import INEXACT, REALS
from ..op import op
from ..shapes import broadcast, same


@op("Exp", api=("exp", "math.exp"), r="exp", shape=same, dtypes=INEXACT)
def exp(xp: Any, x: Any) -> Any:
    """Returns e to the power of x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.exp(x)


@op("Expm1", api=("math.expm1",), r="expm1", shape=same, dtypes=INEXACT)
def expm1(xp: Any, x: Any) -> Any:
    """Returns exp(x) - 1, exact near 0.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.expm1(x)


@op("Log", api=("math.log",), r="log", shape=same, dtypes=INEXACT)
def log(xp: Any, x: Any) -> Any:
    """Returns the natural logarithm of x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.log(x)


@op("Log1p", api=("math.log1p",), r="log1p", shape=same, dtypes=INEXACT)
def log1p(xp: Any, x: Any) -> Any:
    """Returns log(1 + x), exact near 0.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.log1p(x)


@op("Sqrt", api=("sqrt", "math.sqrt"), r="sqrt", shape=same, dtypes=INEXACT)
def sqrt(xp: Any, x: Any) -> Any:
    """Returns the square root of x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.sqrt(x)


@op("Rsqrt", api=("math.rsqrt",), shape=same, dtypes=INEXACT)
def rsqrt(xp: Any, x: Any) -> Any:
    """Returns 1 / sqrt(x).

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.reciprocal(xp.sqrt(x))


@op("Reciprocal", api=("math.reciprocal",), shape=same, dtypes=INEXACT)
def reciprocal(xp: Any, x: Any) -> Any:
    """Returns 1 / x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.reciprocal(x)


@op("Sin", api=("sin", "math.sin"), r="sin", shape=same, dtypes=INEXACT)
def sin(xp: Any, x: Any) -> Any:
    """Returns the sine of x.

    Args:
        x: A tensor of floating or complex numbers, in radians.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.sin(x)


@op("Cos", api=("cos", "math.cos"), r="cos", shape=same, dtypes=INEXACT)
def cos(xp: Any, x: Any) -> Any:
    """Returns the cosine of x.

    Args:
        x: A tensor of floating or complex numbers, in radians.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.cos(x)


@op("Tan", api=("tan", "math.tan"), r="tan", shape=same, dtypes=INEXACT)
def tan(xp: Any, x: Any) -> Any:
    """Returns the tangent of x.

    Args:
        x: A tensor of floating or complex numbers, in radians.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.tan(x)


@op("Asin", api=("asin", "math.asin"), r="asin", shape=same, dtypes=INEXACT)
def asin(xp: Any, x: Any) -> Any:
    """Returns the angle whose sine is x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.arcsin(x)


@op("Acos", api=("acos", "math.acos"), r="acos", shape=same, dtypes=INEXACT)
def acos(xp: Any, x: Any) -> Any:
    """Returns the angle whose cosine is x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.arccos(x)


@op("Atan", api=("atan", "math.atan"), r="atan", shape=same, dtypes=INEXACT)
def atan(xp: Any, x: Any) -> Any:
    """Returns the angle whose tangent is x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.arctan(x)


@op("Atan2", api=("atan2", "math.atan2"), shape=broadcast, dtypes=REALS)
def atan2(xp: Any, y: Any, x: Any) -> Any:
    """Returns the angle of the point (x, y), between -pi and pi.

    Args:
        y: A tensor of floating numbers.
        x: A tensor of the same type, broadcast against y.

    Returns:
        A tensor of the same type.
    """
    return xp.arctan2(y, x)


@op("Sinh", api=("sinh", "math.sinh"), r="sinh", shape=same, dtypes=INEXACT)
def sinh(xp: Any, x: Any) -> Any:
    """Returns the hyperbolic sine of x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.sinh(x)


@op("Cosh", api=("cosh", "math.cosh"), r="cosh", shape=same, dtypes=INEXACT)
def cosh(xp: Any, x: Any) -> Any:
    """Returns the hyperbolic cosine of x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.cosh(x)


@op("Tanh", api=("tanh", "math.tanh", "nn.tanh"), r="tanh", shape=same, dtypes=INEXACT)
def tanh(xp: Any, x: Any) -> Any:
    """Returns the hyperbolic tangent of x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.tanh(x)


@op("Asinh", api=("asinh", "math.asinh"), r="asinh", shape=same, dtypes=INEXACT)
def asinh(xp: Any, x: Any) -> Any:
    """Returns the number whose hyperbolic sine is x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.arcsinh(x)


@op("Acosh", api=("acosh", "math.acosh"), r="acosh", shape=same, dtypes=INEXACT)
def acosh(xp: Any, x: Any) -> Any:
    """Returns the number whose hyperbolic cosine is x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.arccosh(x)


@op("Atanh", api=("atanh", "math.atanh"), r="atanh", shape=same, dtypes=INEXACT)
def atanh(xp: Any, x: Any) -> Any:
    """Returns the number whose hyperbolic tangent is x.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.arctanh(x)
