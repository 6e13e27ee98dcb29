"""Bessel functions of orders 0 and 1, and evaluation of Chebyshev series and ratios of polynomials.

The Bessel functions are Chebyshev series: for small arguments with the logarithms, poles and first
zeros removed, for large ones of the asymptotic forms (Abramowitz and Stegun, Handbook of
Mathematical Functions, 9.2 and 9.7), with the intervals of S. L. Moshier's Cephes library.

``special.txt`` holds the coefficients; ``tools/fit_special.py`` computes and documents them. The
series are evaluated by Clenshaw's algorithm (C. W. Clenshaw, A note on the summation of Chebyshev
series, Math. Comp. 9, 1955).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.data_files import read_text
from twinflow._src.core.dtypes import float16, float32, float64
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import API, OPS, Call, OpFunction, documented_like, named, op
from twinflow._src.ops.array.shapes import sizes_of

# Chebyshev series and ratios of polynomials.


@functools.cache
def _series() -> dict[str, tuple[float, float, tuple[float, ...]]]:
    text = read_text("ops/special/special.txt")
    series = {}
    for line in text.splitlines():
        name, low, high, *coefficients = line.split()
        series[name] = float(low), float(high), tuple(map(float, coefficients))
    return series


def constants(name: str) -> tuple[float, ...]:
    """Returns the constants under a name of ``special.txt``."""
    return _series()[name][2]


def chebyshev(name: str, x: Any) -> Any:
    """Evaluates a Chebyshev series."""
    low, high, coefficients = _series()[name]
    twice = (4.0 * x - 2.0 * (low + high)) / (high - low)
    before, last = 0.0 * x, 0.0 * x + coefficients[-1]
    for c in coefficients[-2:0:-1]:
        value = twice * last
        value -= before
        value += c
        before, last = last, value
    return 0.5 * twice * last - before + coefficients[0]


def ratio(name: str, x: Any) -> Any:
    """Evaluates a ratio of two polynomials."""
    value = _polynomial(constants(f"{name}_over"), x)
    value /= _polynomial(constants(f"{name}_under"), x)
    return value


def _polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """Evaluates a polynomial by Horner's scheme."""
    value = x * coefficients[-1]
    for c in coefficients[-2:0:-1]:
        value += c
        value *= x
    value += coefficients[0]
    return value


def within(xp: Any, name: str, x: Any) -> Any:
    """Evaluates a Chebyshev series, with arguments clipped to its interval."""
    low, high, _ = _series()[name]
    return chebyshev(name, xp.clip(x, low, high))


def widely(xp: Any, function: Callable[..., Any], *arrays: Any) -> Any:
    """Applies a function of float64 arrays to arrays of another floating-point dtype."""
    result = function(xp, *(a.astype(xp.float64, copy=False) for a in arrays))
    return xp.asarray(result).astype(arrays[0].dtype, copy=False)


_TYPES = frozenset((float16, float32, float64))


def special(
    type: str,
    *aliases: str,
    cuda: str = "",
    dtypes: Any = _TYPES,
    gradient: Callable[[Any, Any, Any], Any] | None = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], OpFunction]:
    """Returns a decorator that defines the op of a function of float64 arrays."""
    # ``gradient`` is a formula of the upstream gradient, the argument and the result.

    def define(compute: Callable[..., Any]) -> OpFunction:
        def kernel(xp: Any, x: Any) -> Any:
            return widely(xp, compute, x)

        name = compute.__name__
        kernel.__module__ = compute.__module__
        api, tf_name = (*aliases, f"math.special.{name}"), f"{name}/{type}"
        define_op = op(type, api=api, shape=same, dtypes=dtypes, tf_name=tf_name, **options)
        function = define_op(named(kernel, name, compute.__doc__ or ""))
        function.cuda(cuda)
        if gradient is not None:
            function.gradient(lambda call, dy: gradient(dy, call.inputs[0], call.outputs))
        return function

    return define


# Bessel functions of orders 0 and 1.


def _modified_first(xp: Any, x: Any, order: int) -> Any:
    """Computes exp(-|x|) I(x)."""
    size = xp.abs(x)
    small = within(xp, f"i{order}_small", size) * (size if order else 1.0)
    far = xp.maximum(size, 8.0)
    value = xp.where(size <= 8.0, small, within(xp, f"i{order}_large", 8.0 / far) / xp.sqrt(far))
    return xp.copysign(value, x) if order else value


def _compute_bessel_i(xp: Any, x: Any, order: int) -> Any:
    return _modified_first(xp, x, order) * xp.exp(xp.abs(x))


def _modified_second(xp: Any, x: Any, order: int, scaled: bool) -> Any:
    """Computes K(x), or exp(x) K(x) if scaled."""
    near = xp.clip(x, 0.0, 2.0)
    first = _compute_bessel_i(xp, near, order) * xp.log(0.5 * near)
    rest = within(xp, f"k{order}_small", near * near)
    small = first + rest / near if order else rest - first
    far = xp.maximum(x, 2.0)
    large = within(xp, f"k{order}_large", 2.0 / far) / xp.sqrt(far)
    value = xp.where(
        x <= 2.0,
        small * xp.exp(near) if scaled else small,
        large if scaled else large * xp.exp(-far),
    )
    return xp.where(x <= 0, xp.inf, value)


def _waves(xp: Any, x: Any, order: int) -> tuple[Any, Any, Any]:
    """Returns the terms P and Q and the phase of the asymptotic form of J and Y, for x >= 8."""
    inverse = 8.0 / x
    square = inverse * inverse
    p, q = within(xp, f"p{order}_large", square), within(xp, f"q{order}_large", square) / x
    scale = xp.sqrt(2.0 / (math.pi * x))
    return scale * p, scale * q, x - (2 * order + 1) * math.pi / 4


def _first(xp: Any, x: Any, order: int) -> Any:
    size = xp.abs(x)
    near = xp.minimum(size, 8.0)
    series = within(xp, f"j{order}_small", near * near) * (near if order else 1.0)
    roots = constants(f"j{order}_zeros")
    for high, low in zip(roots[::2], roots[1::2], strict=True):
        series = series * (((near - high) - low) * (near + high))
    p, q, phase = _waves(xp, xp.maximum(size, 8.0), order)
    value = xp.where(size <= 8.0, series, p * xp.cos(phase) - q * xp.sin(phase))
    return xp.where(xp.signbit(x), -value, value) if order else value


def _second(xp: Any, x: Any, order: int) -> Any:
    near = xp.clip(x, 0.0, 8.0)
    logarithm = 2.0 / math.pi * _first(xp, near, order) * xp.log(near)
    rest = within(xp, f"y{order}_small", near * near)
    small = rest * near - 2.0 / (math.pi * near) + logarithm if order else rest + logarithm
    p, q, phase = _waves(xp, xp.maximum(x, 8.0), order)
    large = p * xp.sin(phase) + q * xp.cos(phase)
    return xp.where(x <= 0, -xp.inf, xp.where(x <= 8.0, small, large))


def _at_zero(x: Any, derivative: Any) -> Any:
    """Returns a derivative with its value at 0 replaced by 1/2."""
    half = API["fill"](sizes_of(x), convert_to_tensor(0.5, dtype=x.dtype))
    return API["where"](API["equal"](x, API["zeros_like"](x)), half, derivative)


@special("BesselI0", "math.bessel_i0", gradient=lambda dy, x, y: dy * OPS["BesselI1"].public(x))
def bessel_i0(xp: Any, x: Any) -> Any:
    """Computes the modified Bessel function of the first kind of order 0."""
    return _compute_bessel_i(xp, x, 0)


@special(
    "BesselI0e",
    "math.bessel_i0e",
    keeps_zero=True,
    gradient=lambda dy, x, y: dy * (OPS["BesselI1e"].public(x) - API["sign"](x) * y),
)
def bessel_i0e(xp: Any, x: Any) -> Any:
    """Computes the exponentially scaled modified Bessel function of the first kind of order 0.

    The scaled function is ``exp(-abs(x)) * bessel_i0(x)``.
    """
    return _modified_first(xp, x, 0)


@special("BesselK0", gradient=lambda dy, x, y: -dy * OPS["BesselK1"].public(x))
def bessel_k0(xp: Any, x: Any) -> Any:
    """Computes the modified Bessel function of the second kind of order 0.

    Returns:
        A tensor of the same dtype and shape; infinite for x <= 0.
    """
    return _modified_second(xp, x, 0, False)


@special("BesselK0e", gradient=lambda dy, x, y: dy * (y - OPS["BesselK1e"].public(x)))
@documented_like(bessel_k0)
def bessel_k0e(xp: Any, x: Any) -> Any:
    """Computes the exponentially scaled modified Bessel function of the second kind of order 0.

    The scaled function is ``exp(x) * bessel_k0(x)``.
    """
    return _modified_second(xp, x, 0, True)


@special(
    "BesselJ0", cuda="j0(x) + 0 * x", gradient=lambda dy, x, y: -dy * OPS["BesselJ1"].public(x)
)
def bessel_j0(xp: Any, x: Any) -> Any:
    """Computes the Bessel function of the first kind of order 0."""
    return _first(xp, x, 0)


@special(
    "BesselY0",
    cuda="x <= 0 ? number(-1) / 0 : y0(x) + 0 * x",
    gradient=lambda dy, x, y: -dy * OPS["BesselY1"].public(x),
)
@documented_like(bessel_k0)
def bessel_y0(xp: Any, x: Any) -> Any:
    """Computes the Bessel function of the second kind of order 0."""
    return _second(xp, x, 0)


@special("BesselI1", "math.bessel_i1")
def bessel_i1(xp: Any, x: Any) -> Any:
    """Computes the modified Bessel function of the first kind of order 1."""
    return _compute_bessel_i(xp, x, 1)


@bessel_i1.gradient
def _(call: Call, dy: Any) -> Any:
    x, y = call.inputs[0], call.outputs
    # At 0 TensorFlow's gradient is the value of I0, which is 1, not the derivative, which is 1/2.
    there = API["equal"](x, API["zeros_like"](x))
    return dy * API["where"](there, API["ones_like"](x), bessel_i0(x) - y / x)


@special(
    "BesselI1e",
    "math.bessel_i1e",
    keeps_zero=True,
    gradient=lambda dy, x, y: dy * _at_zero(x, bessel_i0e(x) - y * (API["sign"](x) + 1.0 / x)),
)
def bessel_i1e(xp: Any, x: Any) -> Any:
    """Computes the exponentially scaled modified Bessel function of the first kind of order 1.

    The scaled function is ``exp(-abs(x)) * bessel_i1(x)``.
    """
    return _modified_first(xp, x, 1)


@special("BesselK1", gradient=lambda dy, x, y: -dy * (bessel_k0(x) + y / x))
@documented_like(bessel_k0)
def bessel_k1(xp: Any, x: Any) -> Any:
    """Computes the modified Bessel function of the second kind of order 1."""
    return _modified_second(xp, x, 1, False)


@special("BesselK1e", gradient=lambda dy, x, y: dy * (y * (1.0 - 1.0 / x) - bessel_k0e(x)))
@documented_like(bessel_k0)
def bessel_k1e(xp: Any, x: Any) -> Any:
    """Computes the exponentially scaled modified Bessel function of the second kind of order 1.

    The scaled function is ``exp(x) * bessel_k1(x)``.
    """
    return _modified_second(xp, x, 1, True)


@special(
    "BesselJ1",
    cuda="j1(x) + 0 * x",
    gradient=lambda dy, x, y: dy * _at_zero(x, bessel_j0(x) - y / x),
)
def bessel_j1(xp: Any, x: Any) -> Any:
    """Computes the Bessel function of the first kind of order 1."""
    return _first(xp, x, 1)


@op(
    "BesselY1",
    api=("math.special.bessel_y1",),
    shape=same,
    dtypes=_TYPES,
    tf_name="bessel_y1/BesselY1",
)
def bessel_y1(xp: Any, x: Any) -> Any:
    """Computes the Bessel function of the second kind of order 1.

    Returns:
        A tensor of the same dtype and shape; infinite for x <= 0.
    """
    value = widely(xp, lambda xp, x: _second(xp, x, 1), x)
    # As in TensorFlow, NaN at 0 for less than 64 bits (0 times infinity).
    return value if x.dtype.itemsize == 8 else xp.where(x == 0, x.dtype.type(float("nan")), value)


bessel_y1.cuda()


@bessel_y1.gradient
def _(call: Call, dy: Any) -> Any:
    x, y = call.inputs[0], call.outputs
    return dy * (bessel_y0(x) - y / x)
