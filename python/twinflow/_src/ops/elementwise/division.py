"""Division, modulo, rounding, and classification of NaN and inf."""

from __future__ import annotations

from typing import Any

from twinflow._src.autodiff.reverse import conjugate, unbroadcast
from twinflow._src.backends.host_checks import is_host, known_any
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import (
    COMPLEXES,
    INTEGERS,
    NUMBERS,
    ORDERED,
    REALS,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import broadcast, same
from twinflow._src.dispatch.op import Call, documented_like, export, op
from twinflow._src.ops.array.select import select_elements
from twinflow._src.ops.elementwise.cast import cast

# Division and modulo.


@op(
    "RealDiv",
    ufunc="true_divide",
    api="realdiv",
    shape=broadcast,
    dtypes=REALS | COMPLEXES,
    tf_name="truediv",
)
def realdiv(xp: Any, x: Any, y: Any) -> Any:
    """Returns x / y element-wise, for floating-point and complex tensors."""
    return xp.true_divide(x, y)


realdiv.cuda("x / y")


# Result dtypes of the true division of integers.


@realdiv.gradient(reads=("x", "y"))
def _(call: Call, dz: Any) -> Any:
    x, y = map(conjugate, call.inputs)
    return (
        lambda: unbroadcast(dz / y, call.inputs[0]),
        lambda: unbroadcast(dz * (-x / y / y), call.inputs[1]),
    )


_QUOTIENTS = dict.fromkeys((int8, uint8, int16, uint16), float32) | dict.fromkeys(
    (int32, uint32, int64, uint64), float64
)
_DIVIDED = (
    "{tf.uint8, tf.int8, tf.uint16, tf.int16, tf.uint32, tf.int32, tf.uint64, tf.int64, tf.bfloat16, "
    "tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128}"
)


@export("truediv", "math.truediv", r="/")
def truediv(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x / y element-wise, by Python 3 division; integers are cast to float. Dtype of x.

    Args:
        x: A numeric value.
        y: A value of the same dtype, broadcast against x.

    Returns:
        A tensor of the dtype of x; float64 for 32 and 64 bit integers, float32 for shorter ones.

    Raises:
        TypeError: The dtypes differ, or are not numeric.
    """
    return divide(x if is_tensor(x) else convert_to_tensor(x, name="x"), y)


@export("divide", "math.divide")
@documented_like(truediv)
def divide(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x / y element-wise, by Python 3 division; integers are cast to float.

    Args:
        x: A numeric tensor.
    """
    if not is_tensor(x):
        x = convert_to_tensor(x, dtype_hint=y.dtype.base_dtype if is_tensor(y) else None, name="x")
    dtype = x.dtype.base_dtype
    y = y if is_tensor(y) else convert_to_tensor(y, dtype_hint=dtype, name="y")
    if y.dtype.base_dtype is not dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    if dtype not in NUMBERS:
        raise TypeError(f"Invalid dtype {dtype!r} in __truediv__. Expected one of {_DIVIDED}.")
    wider = _QUOTIENTS.get(dtype)
    return realdiv(x, y) if wider is None else realdiv(cast(x, wider), cast(y, wider))


def _assert_divisor(xp: Any, x: Any, y: Any) -> None:
    if y.dtype.kind in "iu" and x.size and known_any(xp, lambda: y == 0):
        raise invalid("Integer division by zero")


@op(
    "FloorDiv",
    no_gradient=True,
    api=("math.floordiv",),
    r="%/%",
    shape=broadcast,
    dtypes=ORDERED,
    each=True,
    tf_name="floordiv",
)
def floordiv(xp: Any, x: Any, y: Any) -> Any:
    """Returns x / y rounded towards negative infinity, element-wise.

    Args:
        x: A real-valued tensor.
        y: A tensor of the same dtype, broadcast against x.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: An integer is divided by zero.
    """
    _assert_divisor(xp, x, y)
    return xp.floor_divide(x, y) if y.dtype.kind in "iu" else xp.floor(xp.true_divide(x, y))


@op(
    "FloorMod",
    api=("math.floormod", "math.mod"),
    r="%%",
    shape=broadcast,
    dtypes=ORDERED,
    each=True,
)
@documented_like(floordiv)
def floormod(xp: Any, x: Any, y: Any) -> Any:
    """Returns the remainder of floor division, element-wise; it has the sign of y."""
    _assert_divisor(xp, x, y)
    if y.dtype.kind in "iu":
        several = y.ndim or not is_host(xp)  # NumPy has a fast path for a scalar divisor
        return xp.mod(x, y) if several else x - xp.floor_divide(x, y) * y
    rest = xp.fmod(x, y)
    return select_elements(xp, (rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)


floormod.cuda("fmod(x, y) + (fmod(x, y) != 0 && (y < 0) != (fmod(x, y) < 0) ? y : 0)")


@floormod.gradient
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    return unbroadcast(dz, x), unbroadcast(-dz * floordiv(x, y), y)


@op("TruncateDiv", no_gradient=True, api="truncatediv", shape=broadcast, dtypes=ORDERED, each=True)
@documented_like(floordiv)
def truncatediv(xp: Any, x: Any, y: Any) -> Any:
    """Returns x / y rounded towards zero, element-wise."""
    _assert_divisor(xp, x, y)
    if y.dtype.kind not in "iu":
        return xp.trunc(xp.true_divide(x, y))
    return (x - xp.fmod(x, y)) // y


@op("TruncateMod", api="truncatemod", shape=broadcast, dtypes=REALS | {int32, int64}, each=True)
@documented_like(floordiv)
def truncatemod(xp: Any, x: Any, y: Any) -> Any:
    """Returns the remainder of truncated division, element-wise; it has the sign of x."""
    _assert_divisor(xp, x, y)
    return xp.fmod(x, y)


@op(
    "DivNoNan",
    shape=broadcast,
    dtypes=REALS | COMPLEXES,
    each=True,
    tf_name="div_no_nan",
    opens_scope=True,
)
def div_no_nan(xp: Any, x: Any, y: Any) -> Any:
    """Returns x / y element-wise, and 0 where y is 0."""
    return select_elements(xp, y != 0, xp.true_divide(x, y), y.dtype.type(0))


div_no_nan.cuda("y == 0 ? 0 : x / y")


@div_no_nan.gradient
def _(call: Call, dz: Any) -> Any:
    x, y = map(conjugate, call.inputs)
    return (
        unbroadcast(div_no_nan(dz, y), call.inputs[0]),
        unbroadcast(dz * div_no_nan(div_no_nan(-x, y), y), call.inputs[1]),
    )


@export("math.divide_no_nan")
@documented_like(divide)
def divide_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x / y element-wise, and 0 where y is 0; integers are cast to float."""
    if is_tensor(y) and not is_tensor(x):
        x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
    x = x if is_tensor(x) else convert_to_tensor(x, name="x")
    y = y if is_tensor(y) else convert_to_tensor(y, dtype_hint=x.dtype, name="y")
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    if y.dtype is not x.dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}.")
    if x.dtype not in NUMBERS:
        raise TypeError(
            f"Invalid dtype {x.dtype!r} in tf.math.divide_no_nan. Expected one of {_DIVIDED}."
        )
    wider = _QUOTIENTS.get(x.dtype)
    return div_no_nan(x, y) if wider is None else div_no_nan(cast(x, wider), cast(y, wider))


# Rounding and classification.


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
    """Rounds x to the nearest integer, element-wise; halves round to even."""
    return x if x.dtype.kind == "i" else xp.rint(x)


@op("Rint", no_gradient=True, api=("math.rint",), shape=same, dtypes=REALS, bulk="rint")
def rint(xp: Any, x: Any) -> Any:
    """Rounds x to the nearest integer, element-wise; halves round to even."""
    return xp.rint(x)


rint.cuda("rint(x)")


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
    """Returns the largest integer not greater than x, element-wise."""
    return xp.floor(x)


floor.cuda("floor(x)")


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
    """Returns the smallest integer not less than x, element-wise."""
    return xp.ceil(x)


ceil.cuda("ceil(x)")


# ------------------------------------------------------------------ classification


@op("IsNan", api=("math.is_nan",), r="is.nan", shape=same, dtypes=REALS, bulk="isnan")
def is_nan(xp: Any, x: Any) -> Any:
    """Returns True where x is NaN, element-wise.

    Returns:
        A boolean tensor of the same shape.
    """
    return xp.isnan(x)


is_nan.cuda("isnan(x)")
is_nan.scalar("{x} != {x}")


@op("IsInf", api=("math.is_inf",), r="is.infinite", shape=same, dtypes=REALS, bulk="isinf")
def is_inf(xp: Any, x: Any) -> Any:
    """Returns True where x is positive or negative infinity, element-wise.

    Returns:
        A boolean tensor of the same shape.
    """
    return xp.isinf(x)


is_inf.cuda("isinf(x)")


@op("IsFinite", api=("math.is_finite",), r="is.finite", shape=same, dtypes=REALS, bulk="isfinite")
def is_finite(xp: Any, x: Any) -> Any:
    """Returns True where x is finite, element-wise.

    Returns:
        A boolean tensor of the same shape.
    """
    return xp.isfinite(x)


is_finite.cuda("isfinite(x)")
is_finite.scalar("{x} - {x} == 0")
