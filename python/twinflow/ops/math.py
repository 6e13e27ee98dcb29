"""Elementary functions of one variable, and complex numbers."""

from __future__ import annotations

from typing import Any

from .. import dtypes
from ..dtypes import COMPLEXES, INEXACT, NUMBERS, REALS
from ..op import export, op
from ..shapes import broadcast, same
from ..tensor import convert_to_tensor, is_tensor


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


# ------------------------------------------------------------------ rounding

_ROUNDED = REALS | {dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64}


@op("Round", api=("round", "math.round"), r="round", shape=same, dtypes=_ROUNDED)
def round(xp: Any, x: Any) -> Any:
    """Returns the nearest whole numbers, halves to the even one.

    Args:
        x: A tensor of real numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return x if x.dtype.kind == "i" else xp.rint(x)


@op("Rint", api=("math.rint",), shape=same, dtypes=REALS)
def rint(xp: Any, x: Any) -> Any:
    """Returns the nearest whole numbers, halves to the even one.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.rint(x)


@op("Floor", api=("floor", "math.floor"), r="floor", shape=same, dtypes=REALS)
def floor(xp: Any, x: Any) -> Any:
    """Returns the largest whole numbers not above x.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.floor(x)


@op("Ceil", api=("math.ceil",), r="ceiling", shape=same, dtypes=REALS)
def ceil(xp: Any, x: Any) -> Any:
    """Returns the smallest whole numbers not below x.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.ceil(x)


# ------------------------------------------------------------------ classification


@op("IsNan", api=("math.is_nan",), r="is.nan", shape=same, dtypes=REALS)
def is_nan(xp: Any, x: Any) -> Any:
    """Returns whether x is not a number.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A boolean tensor of the same shape.
    """
    return xp.isnan(x)


@op("IsInf", api=("math.is_inf",), r="is.infinite", shape=same, dtypes=REALS)
def is_inf(xp: Any, x: Any) -> Any:
    """Returns whether x is infinite.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A boolean tensor of the same shape.
    """
    return xp.isinf(x)


@op("IsFinite", api=("math.is_finite",), r="is.finite", shape=same, dtypes=REALS)
def is_finite(xp: Any, x: Any) -> Any:
    """Returns whether x is a finite number.

    Args:
        x: A tensor of floating numbers.

    Returns:
        A boolean tensor of the same shape.
    """
    return xp.isfinite(x)


# ------------------------------------------------------------------ complex numbers


@op("Real", shape=same, dtypes=COMPLEXES)
def complex_real(xp: Any, input: Any) -> Any:
    """Returns the real parts of complex numbers.

    Args:
        input: A tensor of complex numbers.

    Returns:
        A tensor of the real type, of the same shape.
    """
    return xp.ascontiguousarray(input.real).reshape(input.shape)


@op("Imag", shape=same, dtypes=COMPLEXES)
def complex_imag(xp: Any, input: Any) -> Any:
    """Returns the imaginary parts of complex numbers.

    Args:
        input: A tensor of complex numbers.

    Returns:
        A tensor of the real type, of the same shape.
    """
    return xp.ascontiguousarray(input.imag).reshape(input.shape)


@op("Conj", shape=same, dtypes=COMPLEXES)
def complex_conj(xp: Any, input: Any) -> Any:
    """Returns the conjugates of complex numbers.

    Args:
        input: A tensor of complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.conj(input)


@op("Angle", api=("math.angle",), r="Arg", shape=same, dtypes=INEXACT)
def angle(xp: Any, input: Any) -> Any:
    """Returns the angles of complex numbers, in radians.

    Args:
        input: A tensor of complex or floating numbers.

    Returns:
        A tensor of the real type, of the same shape.
    """
    return xp.angle(input).astype(input.real.dtype, copy=False)


def _tensor(value: Any) -> Any:
    return value if is_tensor(value) else convert_to_tensor(value)


@export("math.real")
def real(input: Any, name: str | None = None) -> Any:
    """Returns the real parts of numbers.

    Args:
        input: A tensor of numbers.
        name: A name for the operation.

    Returns:
        A tensor of the real type; real tensors come back as they are.

    Raises:
        TypeError: The tensor is not one of numbers.
    """
    input = _tensor(input)
    if input.dtype in COMPLEXES:
        return complex_real(input)
    if input.dtype not in NUMBERS:
        raise TypeError(f"Expected numeric tensor, got dtype {input.dtype!r}.")
    return convert_to_tensor(input)


@export("math.imag")
def imag(input: Any, name: str | None = None) -> Any:
    """Returns the imaginary parts of numbers.

    Args:
        input: A tensor of numbers.
        name: A name for the operation.

    Returns:
        A tensor of the real type; zeros for real tensors.
    """
    from .array import zeros_like

    input = _tensor(input)
    return complex_imag(input) if input.dtype in COMPLEXES else zeros_like(input)


@export("math.conj")
def conj(x: Any, name: str | None = None) -> Any:
    """Returns the conjugates of numbers.

    Args:
        x: A tensor of numbers.
        name: A name for the operation.

    Returns:
        A tensor of the same type; real tensors come back as they are.

    Raises:
        TypeError: The tensor is not one of numbers.
    """
    x = _tensor(x)
    if x.dtype in COMPLEXES:
        return complex_conj(x)
    if x.dtype not in NUMBERS:
        raise TypeError(f"Expected numeric or variant tensor, got dtype {x.dtype!r}.")
    return convert_to_tensor(x)


@op("Complex", shape=broadcast, dtypes=frozenset((dtypes.float32, dtypes.float64)))
def make_complex(xp: Any, real: Any, imag: Any) -> Any:
    """Returns complex numbers with the given parts.

    Args:
        real: The real parts, float32 or float64.
        imag: The imaginary parts, of the same type.

    Returns:
        A tensor of complex64 or complex128.
    """
    shape = xp.broadcast_shapes(real.shape, imag.shape)
    result = xp.empty(shape, xp.result_type(real, xp.complex64))
    result.real, result.imag = real, imag
    return result


@export("complex", "dtypes.complex")
def complex(real: Any, imag: Any, name: str | None = None) -> Any:
    """Returns complex numbers with the given parts.

    Args:
        real: The real parts, float32 or float64.
        imag: The imaginary parts, of the same type.
        name: A name for the operation.

    Returns:
        A tensor of complex64 or complex128.

    Raises:
        TypeError: The parts have another type.
    """
    real, imag = _tensor(real), _tensor(imag)
    if (real.dtype, imag.dtype) not in ((dtypes.float32,) * 2, (dtypes.float64,) * 2):
        raise TypeError(
            f"The `real` and `imag` components have incorrect types: {real.dtype.name} "
            f"{imag.dtype.name}. They must be consistent, and one of {[dtypes.float32, dtypes.float64]}"
        )
    return make_complex(real, imag)
