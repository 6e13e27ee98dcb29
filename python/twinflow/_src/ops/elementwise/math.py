"""Element-wise math functions: exponential, logarithm, roots, trigonometric, hyperbolic.

Gradients of roots and reciprocals are 0 where the upstream gradient is 0, even if the derivative
is infinite or NaN, so that the branch that ``tf.where`` did not select contributes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from twinflow._src.autodiff.reverse import conjugate, unbroadcast
from twinflow._src.backends.cpu.float32_functions import float32_function
from twinflow._src.backends.host_checks import on_host
from twinflow._src.core.dtypes import INEXACT, INTEGERS, ORDERED, REALS, float64, uint8
from twinflow._src.core.shapes import Dims, broadcast, same
from twinflow._src.dispatch.op import API, OPS, Call, documented_like, op
from twinflow._src.ops.array.select import select_elements
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.shape_rules.demands import merged

# Gradient ops (SqrtGrad, ReluGrad and others).


Real = Annotated[Any, float]


def both(one: Dims | None, other: Dims | None, **_: Any) -> Dims | None:
    """Shape rule of two tensors of the same shape."""
    return merged(one, other)


def _where_any(xp: Any, dy: Any, value: Any) -> Any:
    """Returns a product with a gradient, and 0 where the gradient is 0."""
    return select_elements(xp, dy != 0, value, dy.dtype.type(0))


@op("SqrtGrad", shape=same, dtypes=INEXACT, each=True)
def sqrt_grad(xp: Any, y: Any, dy: Any) -> Any:
    """Computes the gradient of ``sqrt`` from its output and the upstream gradient."""
    return _where_any(xp, dy, dy * dy.dtype.type(0.5) / xp.conj(y))


sqrt_grad.cuda("dy == 0 ? 0 : dy * number(0.5) / y")


@sqrt_grad.gradient
def _(call: Call, dz: Any) -> Any:
    share = dz / call.inputs[0]
    return -conjugate(share) * call.outputs, 0.5 * share


@op("RsqrtGrad", shape=same, dtypes=INEXACT, each=True)
def rsqrt_grad(xp: Any, y: Any, dy: Any) -> Any:
    """Computes the gradient of ``rsqrt`` from its output and the upstream gradient."""
    root = xp.conj(y)
    return _where_any(xp, dy, dy * dy.dtype.type(-0.5) * root * root * root)


rsqrt_grad.cuda("dy == 0 ? 0 : -dy * number(0.5) * y * y * y")


@rsqrt_grad.gradient
def _(call: Call, dz: Any) -> Any:
    y, dy = call.inputs
    root = conjugate(y)
    return -1.5 * conjugate(dz) * dy * root * root, rsqrt_grad(root, dz)


@op("ReciprocalGrad", shape=same, dtypes=INEXACT, each=True)
def reciprocal_grad(xp: Any, y: Any, dy: Any) -> Any:
    """Computes the gradient of ``reciprocal`` from its output and the upstream gradient."""
    value = xp.conj(y)
    return _where_any(xp, dy, -dy * value * value)


reciprocal_grad.cuda("dy == 0 ? 0 : -dy * y * y")


@reciprocal_grad.gradient
def _(call: Call, dz: Any) -> Any:
    y, dy = call.inputs
    value = conjugate(y)
    return -2 * conjugate(dz) * dy * value, reciprocal_grad(value, dz)


def _where_positive(xp: Any, gradients: Any, features: Any, out: Any) -> None:
    """``relu_grad`` into preallocated memory."""
    xp.greater(features, features.dtype.type(0), out=out)
    xp.multiply(gradients, out, out=out)


@op("ReluGrad", shape=both, dtypes=ORDERED, each=True, fill=_where_positive)
def relu_grad(xp: Any, gradients: Any, features: Any) -> Any:
    """Computes the gradient of ReLU: the upstream gradient where features are positive, else 0."""
    return gradients * (features > 0).astype(gradients.dtype)


relu_grad.cuda("gradients * (features > 0 ? 1 : 0)")


@relu_grad.gradient
def _(call: Call, dz: Any) -> Any:
    features = call.inputs[1]
    return relu_grad(dz, features), API["zeros_like"](features)


@op("Relu6Grad", shape=both, dtypes=ORDERED, each=True)
def relu6_grad(xp: Any, gradients: Any, features: Any) -> Any:
    """Computes the gradient of ReLU6: the upstream gradient where 0 < features < 6, else 0."""
    return gradients * ((features > 0) & (features < 6)).astype(gradients.dtype)


relu6_grad.cuda("gradients * (features > 0 && features < 6 ? 1 : 0)")


@relu6_grad.gradient
def _(call: Call, dz: Any) -> Any:
    features = call.inputs[1]
    return relu6_grad(dz, features), API["zeros_like"](features)


@op("LeakyReluGrad", shape=both, dtypes=REALS, each=True)
def leaky_grad(xp: Any, gradients: Any, features: Any, *, alpha: Real = 0.2) -> Any:
    """Computes the gradient of leaky ReLU: dy where features are positive, else alpha * dy."""
    factor = xp.float32(alpha).astype(gradients.dtype)  # op attributes are single precision
    return select_elements(xp, features > 0, gradients, gradients * factor)


leaky_grad.cuda("features > 0 ? gradients : gradients * alpha")


@leaky_grad.gradient
def _(call: Call, dz: Any) -> Any:
    features = call.inputs[1]
    return leaky_grad(dz, features, alpha=call.attrs["alpha"]), API["zeros_like"](features)


# Exponential, logarithm, roots and trigonometric functions.


SMALL = 4096


def rounded(function: Callable[..., Any], *arrays: Any) -> Any:
    """Applies a function to float32 arrays; small ones on the host in float64, rounded once."""
    # NumPy's float32 functions have errors of up to 4 ULP, TensorFlow's seldom of one: so more
    # printed digits agree. Large arrays use the faster functions, and those of a GPU match TensorFlow's
    # there.
    if arrays[0].dtype.char == "f" and arrays[0].size <= SMALL and on_host(arrays[0]):
        return function(*[a.astype("d") for a in arrays]).astype("f")
    return function(*arrays)


def accurate(xp: Any, name: str, x: Any) -> Any:
    """Applies a function of the array module, with TensorFlow's digits if they are to be had."""
    function = float32_function(name, x.dtype) if on_host(x) else None
    return rounded(getattr(xp, name), x) if function is None else function(x)


def squared(call: Call) -> Any:
    """Returns the square of a call's input, conjugated for complex gradients."""
    x = conjugate(call.inputs[0])
    return x * x


@op("Exp", api=("exp", "math.exp"), r="exp", shape=same, dtypes=INEXACT, bulk="exp")
def exp(xp: Any, x: Any) -> Any:
    """Returns the exponential of x, element-wise."""
    return accurate(xp, "exp", x)


exp.cuda("exp(x)")
exp.gradient(lambda call, dy: dy * conjugate(call.outputs), reads=("result",))


@op("Expm1", api=("math.expm1",), r="expm1", shape=same, dtypes=INEXACT, bulk="expm1")
def expm1(xp: Any, x: Any) -> Any:
    """Returns exp(x) - 1 element-wise, accurate near 0."""
    return accurate(xp, "expm1", x)


expm1.cuda("expm1(x)")
expm1.gradient(lambda call, dy: dy * conjugate(exp(call.inputs[0])))


@op("Log", api=("math.log",), r="log", shape=same, dtypes=INEXACT, bulk="log")
def log(xp: Any, x: Any) -> Any:
    """Returns the natural logarithm of x, element-wise."""
    return accurate(xp, "log", x)


log.cuda("log(x)")


@log.gradient(reads=("x",))
def _(call: Call, dy: Any) -> Any:
    return dy * reciprocal(conjugate(call.inputs[0]))


@op("Log1p", api=("math.log1p",), r="log1p", shape=same, dtypes=INEXACT, bulk="log1p")
def log1p(xp: Any, x: Any) -> Any:
    """Returns log(1 + x) element-wise, accurate near 0."""
    return accurate(xp, "log1p", x)


log1p.cuda("log1p(x)")


@log1p.gradient(reads=("x",))
def _(call: Call, dy: Any) -> Any:
    return dy * reciprocal(1 + conjugate(call.inputs[0]))


@op(
    "Sqrt",
    ufunc="sqrt",
    api=("sqrt", "math.sqrt"),
    r="sqrt",
    shape=same,
    dtypes=INEXACT,
    keeps_zero=True,
)
def sqrt(xp: Any, x: Any) -> Any:
    """Returns the square root of x, element-wise."""
    return xp.sqrt(x)


sqrt.cuda("sqrt(x)")
sqrt.gradient(lambda call, dy: sqrt_grad(call.outputs, dy), reads=("result",))


@op("Rsqrt", api=("math.rsqrt",), shape=same, dtypes=INEXACT, each=True)
def rsqrt(xp: Any, x: Any) -> Any:
    """Returns the reciprocal of the square root of x, element-wise."""
    return _complex_rsqrt(xp, x) if x.dtype.kind == "c" else 1 / xp.sqrt(x)


rsqrt.cuda("1 / sqrt(x)")


def _complex_rsqrt(xp: Any, z: Any) -> Any:
    """Returns the principal root of 1 / z from real and imaginary part, without computing 1 / z."""
    size = xp.absolute(z)
    root = xp.sqrt((xp.absolute(z.real) + size) / 2)
    long, short = root / size, xp.absolute(z.imag) / (2 * root * size)
    right = z.real > 0
    real = xp.where(right, long, xp.where(z.real == 0, long, short))
    imag = xp.where(right, short, long)
    result = xp.empty_like(z)
    result.real, result.imag = real, xp.copysign(imag, -z.imag)
    at_zero, at_infinity = xp.asarray(complex("inf+nanj")), xp.asarray(0j)
    result = xp.where(size == 0, at_zero, xp.where(xp.isinf(size), at_infinity, result))
    return result.astype(z.dtype)


rsqrt.gradient(lambda call, dy: rsqrt_grad(call.outputs, dy), reads=("result",))


@op("Reciprocal", api=("math.reciprocal",), shape=same, dtypes=INEXACT, each=True)
def reciprocal(xp: Any, x: Any) -> Any:
    """Returns the reciprocal of x, element-wise."""
    if x.dtype.kind != "c":
        return xp.reciprocal(x)
    return xp.where(x == 0, xp.asarray(complex(xp.nan, xp.nan), x.dtype), xp.true_divide(1, x))


reciprocal.cuda("1 / x")
reciprocal.gradient(lambda call, dy: reciprocal_grad(call.outputs, dy), reads=("result",))


@op(
    "Sin", api=("sin", "math.sin"), r="sin", shape=same, dtypes=INEXACT, bulk="sin", keeps_zero=True
)
def sin(xp: Any, x: Any) -> Any:
    """Returns the sine of x, element-wise.

    Args:
        x: A floating-point or complex tensor, in radians.
    """
    return rounded(xp.sin, x)


sin.cuda("sin(x)")


@sin.gradient(reads=("x",))
def _(call: Call, dy: Any) -> Any:
    return dy * cos(conjugate(call.inputs[0]))


@op("Cos", api=("cos", "math.cos"), r="cos", shape=same, dtypes=INEXACT, bulk="cos")
@documented_like(sin)
def cos(xp: Any, x: Any) -> Any:
    """Returns the cosine of x, element-wise."""
    return rounded(xp.cos, x)


cos.cuda("cos(x)")
cos.gradient(lambda call, dy: -dy * sin(conjugate(call.inputs[0])), reads=("x",))


@op(
    "Tan", api=("tan", "math.tan"), r="tan", shape=same, dtypes=INEXACT, bulk="tan", keeps_zero=True
)
@documented_like(sin)
def tan(xp: Any, x: Any) -> Any:
    """Returns the tangent of x, element-wise."""
    return rounded(xp.tan, x)


tan.cuda("tan(x)")
tan.gradient(lambda call, dy: dy * conjugate(1 + call.outputs * call.outputs))


@op(
    "Asin",
    api=("asin", "math.asin"),
    r="asin",
    shape=same,
    dtypes=INEXACT,
    bulk="arcsin",
    keeps_zero=True,
)
def asin(xp: Any, x: Any) -> Any:
    """Returns the inverse sine of x, element-wise, in radians."""
    return rounded(xp.arcsin, x)


asin.cuda("asin(x)")
asin.gradient(lambda call, dy: dy * rsqrt(1 - squared(call)))


@op("Acos", api=("acos", "math.acos"), r="acos", shape=same, dtypes=INEXACT, bulk="arccos")
def acos(xp: Any, x: Any) -> Any:
    """Returns the inverse cosine of x, element-wise, in radians."""
    return rounded(xp.arccos, x)


acos.cuda("acos(x)")
acos.gradient(lambda call, dy: -dy * rsqrt(1 - squared(call)))


@op(
    "Atan",
    api=("atan", "math.atan"),
    r="atan",
    shape=same,
    dtypes=INEXACT,
    bulk="arctan",
    keeps_zero=True,
)
def atan(xp: Any, x: Any) -> Any:
    """Returns the inverse tangent of x, element-wise, in radians."""
    return rounded(xp.arctan, x)


atan.cuda("atan(x)")
atan.gradient(lambda call, dy: dy * reciprocal(1 + squared(call)))


@op("Atan2", api=("atan2", "math.atan2"), shape=broadcast, dtypes=REALS, each=True)
def atan2(xp: Any, y: Any, x: Any) -> Any:
    """Returns the angle of the point (x, y) element-wise, in radians between -pi and pi."""
    return rounded(xp.arctan2, y, x)


atan2.native("atan2(y, x)")


@atan2.gradient
def _(call: Call, dz: Any) -> Any:
    y, x = call.inputs
    scaled = dz / (x * x + y * y)
    return unbroadcast(x * scaled, y), unbroadcast(-y * scaled, x)


# Hyperbolic functions.


@op("Sinh", api=("sinh", "math.sinh"), r="sinh", shape=same, dtypes=INEXACT, bulk="sinh")
def sinh(xp: Any, x: Any) -> Any:
    """Returns the hyperbolic sine of x, element-wise."""
    return rounded(xp.sinh, x)


sinh.cuda("sinh(x)")


@sinh.gradient
def _(call: Call, dy: Any) -> Any:
    return dy * cosh(conjugate(call.inputs[0]))


@op("Cosh", api=("cosh", "math.cosh"), r="cosh", shape=same, dtypes=INEXACT, bulk="cosh")
def cosh(xp: Any, x: Any) -> Any:
    """Returns the hyperbolic cosine of x, element-wise."""
    return rounded(xp.cosh, x)


cosh.cuda("cosh(x)")
cosh.gradient(lambda call, dy: dy * sinh(conjugate(call.inputs[0])))


@op(
    "Tanh",
    api=("tanh", "math.tanh", "nn.tanh"),
    r="tanh",
    shape=same,
    dtypes=INEXACT,
    bulk="tanh",
    keeps_zero=True,
)
def tanh(xp: Any, x: Any) -> Any:
    """Returns the hyperbolic tangent of x, element-wise."""
    return accurate(xp, "tanh", x)


tanh.cuda("tanh(x)")


@tanh.gradient(reads=("result",))
def _(call: Call, dy: Any) -> Any:
    return OPS["TanhGrad"].public(conjugate(call.outputs), dy)


@op(
    "Asinh",
    api=("asinh", "math.asinh"),
    r="asinh",
    shape=same,
    dtypes=INEXACT,
    bulk="arcsinh",
    keeps_zero=True,
)
def asinh(xp: Any, x: Any) -> Any:
    """Returns the inverse hyperbolic sine of x, element-wise."""
    return rounded(xp.arcsinh, x)


asinh.cuda("asinh(x)")
asinh.gradient(lambda call, dy: dy / cosh(conjugate(call.outputs)))


@op("Acosh", api=("acosh", "math.acosh"), r="acosh", shape=same, dtypes=INEXACT, bulk="arccosh")
def acosh(xp: Any, x: Any) -> Any:
    """Returns the inverse hyperbolic cosine of x, element-wise."""
    return rounded(xp.arccosh, x)


acosh.cuda("acosh(x)")
acosh.gradient(lambda call, dy: dy / sinh(conjugate(call.outputs)))


@op(
    "Atanh",
    api=("atanh", "math.atanh"),
    r="atanh",
    shape=same,
    dtypes=INEXACT,
    bulk="arctanh",
    keeps_zero=True,
)
def atanh(xp: Any, x: Any) -> Any:
    """Returns the inverse hyperbolic tangent of x, element-wise."""
    return rounded(xp.arctanh, x)


atanh.cuda("atanh(x)")
atanh.gradient(lambda call, dy: dy * reciprocal(1 - squared(call)))


# Population count.


@op("PopulationCount", shape=same, dtypes=INTEGERS, out=uint8, no_gradient=True)
def _population_count(xp: Any, x: Any) -> Any:
    """Returns the number of set bits of each integer, in two's complement."""
    bits = x.view(f"u{x.dtype.itemsize}")
    counts = xp.zeros(x.shape, xp.uint8)
    for shift in range(8 * x.dtype.itemsize):
        counts += ((bits >> bits.dtype.type(shift)) & bits.dtype.type(1)).astype(xp.uint8)
    return counts


# Functions of scalars with the accuracy of the C library that TensorFlow calls.


def _wide(name: str, *numbers: Any) -> Any:
    """Applies a function in float64 to scalars of at most 32 bits, and rounds once."""
    dtype = numbers[0].dtype
    if dtype is float64:
        return API[name](*numbers)
    return cast(API[name](*(cast(x, float64) for x in numbers)), dtype)


def power(x: Any, y: Any) -> Any:
    """Returns x to the power of y for scalars of the same dtype."""
    return _wide("pow", x, y)


def cosine(x: Any) -> Any:
    """Returns the cosine of a scalar."""
    return _wide("cos", x)


def logarithm(x: Any) -> Any:
    """Returns the natural logarithm of a scalar."""
    return _wide("math.log", x)
