"""TensorFlow's float32 functions: polynomials and quotients whose operations are rounded one by one.

A formula computes with NumPy's arrays or with LLVM's registers, by their operators and by the functions
of an arithmetic: ``ArrayArithmetic`` here, ``RegisterArithmetic`` beside LLVM. The bits are the same.
``+=`` and its kin may write to what the formula itself has computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Formula = Callable[[Any, Any], Any]


def _constants(*values: float) -> tuple[Any, ...]:
    """Returns float32 constants as arrays, which NumPy's functions take faster than numbers."""
    return tuple(np.array(value, np.float32) for value in values)


class ArrayArithmetic:
    """The functions of formulas on float32 arrays."""

    minimum, maximum, floor, reciprocal = np.minimum, np.maximum, np.floor, np.reciprocal
    clipped, select = np.clip, np.where

    @staticmethod
    def square_error(x: Any, square: Any) -> Any:
        """Returns x * x - square, without rounding."""
        exact = x.astype(np.float64)
        exact *= exact
        exact -= square
        return exact.astype(np.float32)

    @staticmethod
    def scaled(x: Any, exponent: Any) -> Any:
        """Returns x * 2^exponent; the exponent is a whole float32."""
        return np.ldexp(x, exponent.astype(np.int32))

    @staticmethod
    def fraction(x: Any) -> tuple[Any, Any]:
        """Returns m and k of x = m * 2^k, 1/2 <= m < 1; anything if x is not positive and finite."""
        mantissa, exponent = np.frexp(x)
        return mantissa, exponent.astype(np.float32)


_ZERO, ONE, _HALF, _INF, _NAN = _constants(0, 1, 0.5, math.inf, math.nan)
# exp(x) = 2^k exp(r) with r = x - k ln(2); ln(2) in two parts, the first of few digits.
_LOG2_E, _LN2_HIGH, _LN2_LOW = _constants(math.log2(math.e), 0.693359375, -2.12194440e-4)
_EXP_EVEN = _constants(
    1.37449637986719608306884765625e-3, 4.166965186595916748046875e-2, 0.49999988079071044921875
)  # fmt: skip
_EXP_ODD = _constants(8.36894474923610687255859375e-3, 0.16666518151760101318359375)
_LARGEST, _SMALLEST = _constants(88.723, -104)  # beyond, exp is inf and 0
# The sigmoid from the square of exp(x / 2); from its limit on it is 1.
_SIGMOID_EVEN = _constants(4.1898667812347412109375e-2, 0.49999141693115234375)
_SIGMOID_ODD = _constants(8.33471305668354034423828125e-3, 0.16666877269744873046875)
SIGMOID_ONE = _constants(16.6355324)[0]
# log(x) = k ln(2) + f p(f) / q(f) with x = 2^k (1 + f).
_LN2, _ROOT_HALF = _constants(math.log(2), math.sqrt(0.5))
_LOG_OVER = _constants(0.18256296349849254, 1.0000000190281063, 1.0000000190281136)
_LOG_UNDER = _constants(0.049616247954120038, 0.59923249590823520, 1.4999999999999927, 1)
# tanh(x) = (x + x^3 p(x^2)) / q(x^2), up to the argument from which it is 1.
_TANH_OVER = _constants(1.394553628e-8, 2.102733560e-5, 3.520756727e-3, 1.340216100e-1)
_TANH_UNDER = _constants(8.015776984e-7, 3.326951409e-4, 2.597254514e-2, 4.673548340e-1, 1)
_TANH_ONE, _TANH_MINUS_ONE = _constants(7.90738964080810547, -7.90738964080810547)
# erf(x) = x p(x^2) / q(x^2), up to the argument from which it is 1.
_ERF_OVER = _constants(
    2.1237322e-06, 2.86197959e-04, 3.65804834e-03, 0.0524330214, 0.187416077, 1.12837911
)  # fmt: skip
_ERF_UNDER = _constants(
    3.89185734e-05, 1.14329602e-03, 0.0147520881, 0.112945676, 0.499425799, 1
)  # fmt: skip
_ERF_ONE, _ERF_MINUS_ONE = _constants(4, -4)
# erfc(x) = 1 + x p(x^2) up to 1, then exp(-x^2) / x p(1 / x^2) / q(1 / x^2) up to a limit.
_ERFC_NEAR = _constants(
    5.61802299e-04, -4.91381669e-03, 2.67075151e-02, -0.112800106, 0.376122952, -1.12837911
)  # fmt: skip
_ERFC_OVER = _constants(0.102081165, 0.429206669, 0.323790789, 0.053971976)
_ERFC_UNDER = _constants(0.0172516778, 0.391371638, 1, 0.62173242, 0.0956628621)
_ERFC_LIMIT, _ERFC_MINUS_LIMIT, _TWO = _constants(11, -11, 2)
_MINUS_ONE, _MINUS_INF = _constants(-1, -math.inf)
# Arguments from which log(1 + exp(x)) is x, and up to which it is exp(x).
_SOFTPLUS_HIGH, _SOFTPLUS_LOW = _constants(13.942385, -13.942385)


def polynomial(x: Any, coefficients: Sequence[Any]) -> Any:
    """Returns a polynomial by Horner's rule; the coefficient of the highest power comes first."""
    first, *others, last = coefficients
    value = x * first
    for c in others:
        value += c
        value *= x
    value += last
    return value


def _power(m: Any, x: Any, even: Sequence[Any], odd: Sequence[Any]) -> Any:
    """Returns exp(x) by the coefficients of the even and the odd powers from the second on."""
    k = x * _LOG2_E
    k += _HALF
    k = m.floor(k)
    r = x - k * _LN2_HIGH
    r -= k * _LN2_LOW
    square = r * r
    value = polynomial(square, odd)
    value *= r
    value += polynomial(square, even)
    value *= square
    value += r + ONE
    return m.scaled(value, k)


def exp(m: Any, x: Any) -> Any:
    """Returns the exponential."""
    power = _power(m, m.minimum(x, _LARGEST), _EXP_EVEN, _EXP_ODD)
    return m.select(x < _SMALLEST, _ZERO, m.maximum(power, x))  # also inf and NaN


def sigmoid(m: Any, x: Any) -> Any:
    """Returns exp(x) / (1 + exp(x))."""
    root = _power(m, m.minimum(x, SIGMOID_ONE) * _HALF, _SIGMOID_EVEN, _SIGMOID_ODD)
    power = root * root
    return m.select(x < _SMALLEST, _ZERO, power / (power + ONE))


def log(m: Any, x: Any) -> Any:
    """Returns the natural logarithm."""
    f, k = m.fraction(x)
    is_low = f < _ROOT_HALF
    k -= m.select(is_low, ONE, _ZERO)
    low = m.select(is_low, f, _ZERO)
    f = f - ONE
    f += low
    quotient = polynomial(f, _LOG_OVER)
    quotient *= f
    quotient /= polynomial(f, _LOG_UNDER)
    quotient += k * _LN2
    value = m.select(x < _INF, quotient, x)  # also NaN
    value = m.select(x < _ZERO, _NAN, value)
    return m.select(x == _ZERO, _MINUS_INF, value)


def log1p(m: Any, x: Any) -> Any:
    """Returns log(1 + x), corrected for what the sum loses."""
    total = x + ONE
    logarithm = log(m, total)
    value = logarithm / (total - ONE)
    value *= x
    return m.select(total == ONE, x, m.select(total == logarithm, x, value))


def expm1(m: Any, x: Any) -> Any:
    """Returns exp(x) - 1, corrected for what the difference loses."""
    power = exp(m, x)
    logarithm, less = log(m, power), power - ONE
    value = x / logarithm
    value *= less
    value = m.select(logarithm == power, power, value)  # inf
    return m.select(power == ONE, x, m.select(less == _MINUS_ONE, less, value))


def tanh(m: Any, x: Any) -> Any:
    """Returns the hyperbolic tangent."""
    x = m.clipped(x, _TANH_MINUS_ONE, _TANH_ONE)
    square = x * x
    over = polynomial(square, _TANH_OVER)
    over *= square * x
    over += x
    over /= polynomial(square, _TANH_UNDER)
    return over


def erf(m: Any, x: Any) -> Any:
    """Returns the error function."""
    x = m.clipped(x, _ERF_MINUS_ONE, _ERF_ONE)
    square = x * x
    value = polynomial(square, _ERF_OVER)
    value *= x
    value /= polynomial(square, _ERF_UNDER)
    return m.clipped(value, _MINUS_ONE, ONE)


def erfc(m: Any, x: Any, exp: Formula = exp) -> Any:
    """Returns the complementary error function; beyond 1 with a factor for the square's rounding error."""
    x = m.clipped(x, _ERFC_MINUS_LIMIT, _ERFC_LIMIT)
    square = x * x
    near = polynomial(square, _ERFC_NEAR)
    near *= x
    near += ONE
    power, inverse = exp(m, square * _MINUS_ONE), m.reciprocal(square)
    power -= power * m.square_error(x, square)
    far = polynomial(inverse, _ERFC_OVER)
    far /= polynomial(inverse, _ERFC_UNDER) * x
    far *= power
    far += m.select(x < _ZERO, _TWO, _ZERO)
    return m.select(square > ONE, far, near)


def softplus(m: Any, x: Any, exp: Formula = exp, log1p: Formula = log1p) -> Any:
    """Returns log(1 + exp(x))."""
    power = exp(m, x)
    near = m.select(x < _SOFTPLUS_LOW, power, log1p(m, power))
    return m.select(x > _SOFTPLUS_HIGH, x, near)
