"""No-NaN arithmetic (``multiply_no_nan``, ``xlogy``), bit shifts and composite functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core.dtypes import COMPLEXES, INTEGERS, REALS, as_dtype, float32, float64
from twinflow._src.core.shapes import broadcast
from twinflow._src.dispatch.op import API, Call, documented_like, export, op
from twinflow._src.ops.array.fill import zeros_like
from twinflow._src.ops.array.shapes import reshape
from twinflow._src.ops.elementwise.arithmetic import multiply
from twinflow._src.ops.elementwise.compare import (
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
)
from twinflow._src.ops.elementwise.division import div_no_nan
from twinflow._src.ops.elementwise.math import accurate
from twinflow._src.ops.reduce.reduce import reduce_all

_TYPES = REALS | COMPLEXES


def _zero_where(xp: Any, x: Any, function: Callable[[], Any]) -> Any:
    """Returns the result of a function, and 0 where x is 0."""
    return xp.where(xp.equal(x, 0), x.dtype.type(0), function())


def _gradients(call: Call, dz: Any, dx: Any, dy: Any) -> Any:
    """Returns the gradients of both inputs from the partial derivatives."""
    x, y = call.inputs
    # As in TensorFlow, complex numbers are not conjugated in this family.
    return unbroadcast(dz * dx, x), unbroadcast(dz * dy, y)


def _present(x: Any) -> Any:
    """Returns 1 where a number is nonzero, else 0."""
    return API["cast"](API["not_equal"](x, API["zeros_like"](x)), x.dtype)


@export("math.multiply_no_nan")
def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x * y element-wise, and 0 where y is 0 even if x is not finite.

    Args:
        x: A floating-point or complex tensor.
        y: A value of the same dtype, broadcast against x.

    Returns:
        A tensor of the same dtype.
    """
    x = convert_to_tensor(x)
    return mul_no_nan(x, convert_to_tensor(y, dtype=x.dtype, name="y"))


@op("MulNoNan", shape=broadcast, dtypes=_TYPES, each=True)
def mul_no_nan(xp: Any, x: Any, y: Any) -> Any:
    """Returns x * y element-wise, and 0 where y is 0 even if x is not finite."""
    return _zero_where(xp, y, lambda: xp.multiply(x, y))


mul_no_nan.cuda("y == 0 ? 0 : x * y")


@mul_no_nan.gradient
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    dx, dy = mul_no_nan(dz, y), mul_no_nan(x, dz)
    return unbroadcast(dx, x), unbroadcast(dy, y)


@op("Xlogy", api="math.xlogy", shape=broadcast, dtypes=_TYPES, each=True)
def xlogy(xp: Any, x: Any, y: Any) -> Any:
    """Returns x * log(y) element-wise, and 0 where x is 0 for any y."""
    return _zero_where(xp, x, lambda: xp.multiply(x, accurate(xp, "log", y)))


xlogy.cuda("x == 0 ? 0 : x * log(y)")


@xlogy.gradient
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    return _gradients(call, dz, xlogy(_present(x), y), xdivy(x, y))


@op("Xlog1py", api="math.xlog1py", shape=broadcast, dtypes=_TYPES, tf_name="xlog1py/Xlog1py")
def xlog1py(xp: Any, x: Any, y: Any) -> Any:
    """Returns x * log(1 + y) element-wise, and 0 where x is 0 for any y."""
    return _zero_where(xp, x, lambda: xp.multiply(x, accurate(xp, "log1p", y)))


xlog1py.cuda("x == 0 ? 0 : x * log1p(y)")


@xlog1py.gradient
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    return _gradients(call, dz, xlog1py(_present(x), y), xdivy(x, y + 1))


@op("Xdivy", api="math.xdivy", shape=broadcast, dtypes=_TYPES, each=True, tf_name="xdivy/Xdivy")
def xdivy(xp: Any, x: Any, y: Any) -> Any:
    """Returns x / y element-wise, and 0 where x is 0 for any y."""
    return _zero_where(xp, x, lambda: xp.true_divide(x, y))


xdivy.cuda("x == 0 ? 0 : x / y")


@xdivy.gradient
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    return _gradients(call, dz, xdivy(_present(x), y), xdivy(-x, y * y))


@op(
    "NextAfter",
    api="math.nextafter",
    shape=broadcast,
    dtypes=frozenset((float32, float64)),
    each=True,
)
def nextafter(xp: Any, x1: Any, x2: Any) -> Any:
    """Returns the next representable value after x1 in the direction of x2, element-wise."""
    return xp.nextafter(x1, x2)


@nextafter.gradient
def _(call: Call, dz: Any) -> Any:
    x1, x2 = call.inputs
    return unbroadcast(dz, x1), API["zeros_like"](x2)


def _shift(xp: Any, y: Any) -> Any:
    """Clips shifts to the bit width of the dtype; larger ones are undefined in C."""
    return xp.clip(y, 0, 8 * y.dtype.itemsize - 1).astype(y.dtype, copy=False)


@op(
    "LeftShift",
    no_gradient=True,
    api="bitwise.left_shift",
    shape=broadcast,
    dtypes=INTEGERS,
    each=True,
)
def left_shift(xp: Any, x: Any, y: Any) -> Any:
    """Shifts the bits of x left by y positions, element-wise."""
    return xp.left_shift(x, _shift(xp, y))


@op(
    "RightShift",
    no_gradient=True,
    api="bitwise.right_shift",
    shape=broadcast,
    dtypes=INTEGERS,
    each=True,
)
def right_shift(xp: Any, x: Any, y: Any) -> Any:
    """Shifts the bits of x right by y positions, element-wise; arithmetic for signed integers."""
    return xp.right_shift(x, _shift(xp, y))


# ------------------------------------------------------------------ composite functions


@export("math.reciprocal_no_nan")
@documented_like(multiply_no_nan)
def reciprocal_no_nan(x: Any, name: str | None = None) -> Any:
    """Returns 1 / x element-wise, and 0 where x is 0.

    Returns:
        A tensor of the same dtype and shape.
    """
    x = convert_to_tensor(x)
    return div_no_nan(convert_to_tensor(1, dtype=x.dtype), x)


@export("scalar_mul", "math.scalar_mul")
@documented_like(reciprocal_no_nan)
def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """Multiplies a tensor by a scalar.

    Args:
        scalar: A scalar.
        x: A numeric tensor.

    Raises:
        ValueError: ``scalar`` does not have rank 0.
    """
    scalar = convert_to_tensor(scalar, dtype=as_dtype(x.dtype).base_dtype, name="scalar")
    if scalar.shape.rank:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(multiply(scalar, x.values), x.indices, x.dense_shape)
    return multiply(scalar, x)


@export("math.polyval")
def polyval(coeffs: Any, x: Any, name: str | None = None) -> Any:
    """Evaluates a polynomial element-wise, by Horner's method.

    Args:
        coeffs: A list of coefficients, the one of the highest power first.
        x: The points to evaluate at.

    Returns:
        A tensor.

    Raises:
        ValueError: The coefficients are not a list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    x = convert_to_tensor(x)
    if not coeffs:
        return zeros_like(x)
    terms = [convert_to_tensor(c) for c in coeffs]
    value = terms[0]
    for term in terms[1:]:
        value = term + value * x
    return value


@export("math.logical_xor")
def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Any:
    """Returns the logical XOR of x and y, element-wise.

    Args:
        x: A boolean tensor.
        y: A boolean tensor, broadcast against x.

    Returns:
        A boolean tensor.
    """
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)


def _pairwise(x: Any, ordered: Callable[[Any, Any], Any]) -> Any:
    """True if an order relation holds for all adjacent elements of the flattened tensor."""
    x = dense(x)
    if not x.dtype.is_numeric:
        raise TypeError(f"Expected x to be numeric, instead found: {x!s}")
    flat = reshape(x, [-1])
    return reduce_all(ordered(flat[:-1], flat[1:]))


@export("math.is_non_decreasing")
def is_non_decreasing(x: Any, name: str | None = None) -> Any:
    """Returns True if no element is smaller than its predecessor.

    Args:
        x: A real-valued tensor, which is flattened.

    Returns:
        A boolean scalar.

    Raises:
        TypeError: The tensor is not numeric.
    """
    return _pairwise(x, less_equal)


@export("math.is_strictly_increasing")
@documented_like(is_non_decreasing)
def is_strictly_increasing(x: Any, name: str | None = None) -> Any:
    """Returns True if every element is larger than its predecessor."""
    return _pairwise(x, less)
