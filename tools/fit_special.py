"""Computes the Chebyshev series, and ratios of polynomials, behind the special functions (needs mpmath).

    python tools/fit_special.py > python/twinflow/ops/special/special.txt

Each line of the file is the name of a series, the interval of its variable, and the coefficients of
the interpolant in the Chebyshev points (L. N. Trefethen, Approximation Theory and Approximation
Practice, SIAM 2013, chapters 3 and 4), cut off where they no longer count in double precision; or those
of the powers of a polynomial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp

mp.mp.dps = 50
POINTS = 96
SMALL = mp.mpf(2) ** -58


def series(function: Callable[[Any], Any], low: Any, high: Any) -> list[Any]:
    """The Chebyshev coefficients of a function on an interval."""
    low, high = mp.mpf(low), mp.mpf(high)
    angles = [mp.pi * (k + mp.mpf(1) / 2) / POINTS for k in range(POINTS)]
    values = [function((low + high) / 2 + (high - low) / 2 * mp.cos(a)) for a in angles]
    found = [
        2 * mp.fsum(v * mp.cos(j * a) for v, a in zip(values, angles, strict=True)) / POINTS
        for j in range(POINTS)
    ]
    found[0] /= 2
    largest = max(map(abs, found))
    while abs(found[-1]) < SMALL * largest:
        found.pop()
    return found


def ratio(
    function: Callable[[Any], Any], low: Any, high: Any, above: int, below: int
) -> list[list[Any]]:
    """The coefficients of two polynomials whose ratio is nearest to a function, in relative error."""
    low, high = mp.mpf(low), mp.mpf(high)
    angles = [mp.pi * (k + mp.mpf(1) / 2) / POINTS for k in range(POINTS)]
    places = [(low + high) / 2 + (high - low) / 2 * mp.cos(a) for a in angles]
    values = [function(t) for t in places]
    over, under = [], [mp.mpf(1)]
    for _ in range(4):  # least squares, the denominators of the last time being weights
        weights = [
            1 / (v * mp.polyval(under[::-1], t)) for t, v in zip(places, values, strict=True)
        ]
        rows = [
            [*(w * t**k for k in range(above + 1)), *(-w * v * t**k for k in range(1, below + 1))]
            for t, v, w in zip(places, values, weights, strict=True)
        ]
        right = [v * w for v, w in zip(values, weights, strict=True)]
        found = list(mp.qr_solve(mp.matrix(rows), mp.matrix(right))[0])
        over, under = found[: above + 1], [mp.mpf(1), *found[above + 1 :]]
    return [over, under]


def normal_quantile(p: Any) -> Any:
    """The quantile of the normal distribution of a probability below a half, by Newton's method."""
    r = mp.sqrt(-2 * mp.log(p))
    z = r - mp.log(r * mp.sqrt(2 * mp.pi)) / r if p < 0.1 else (0.5 - p) * mp.sqrt(2 * mp.pi)
    for _ in range(60):
        tail = mp.erfc(z / mp.sqrt(2)) / 2
        step = (mp.log(tail) - mp.log(p)) * tail / (mp.exp(-z * z / 2) / mp.sqrt(2 * mp.pi))
        z += step
        if abs(step) < mp.mpf(10) ** -45:
            break
    return z


def quantile_tail(s: Any) -> Any:
    """The correction to r - log(r) / r, times r, where s = 1 / r and p = exp(-r^2 / 2)."""
    r = 1 / s
    return (normal_quantile(mp.exp(-r * r / 2)) - r + mp.log(r) / r) * r


def central(y2: Any) -> Any:
    """The quantile of 1/2 + y, divided by y, as a function of y^2."""
    y = mp.sqrt(y2)
    return normal_quantile(mp.mpf(1) / 2 - y) / y if y > mp.mpf(10) ** -12 else mp.sqrt(2 * mp.pi)


def scaled_quantile(w: Any) -> Any:
    """The inverse of the error function at x, divided by x, where w is -log(1 - x^2)."""
    x = mp.sqrt(-mp.expm1(-w))
    return mp.erfinv(x) / x


def scaled_erfc(y: Any) -> Any:
    """(1 + 2x) exp(x^2) erfc(x) with x = 3.75 (1 + y) / (1 - y)."""
    x = mp.mpf(15) / 4 * (1 + y) / (1 - y)
    return (1 + 2 * x) * mp.erfc(x) * mp.exp(x * x)


PSI_ROOT = mp.findroot(mp.digamma, 1.4616)


def log_gamma_middle(x: Any) -> Any:
    return mp.loggamma(x) / ((x - 1) * (x - 2)) if x != 2 else 1 - mp.euler


def hankel(order: int, part: int) -> Callable[[Any], Any]:
    """P (part 0) or x Q (part 1) of the Bessel functions of large x, as a function of (8 / x)^2."""

    def function(z: Any) -> Any:
        x = 8 / mp.sqrt(z)
        phase = x - (2 * order + 1) * mp.pi / 4
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        scale = mp.sqrt(mp.pi * x / 2)
        if part == 0:
            return scale * (j * mp.cos(phase) + y * mp.sin(phase))
        return scale * (y * mp.cos(phase) - j * mp.sin(phase)) * x

    return function


def zeros(order: int) -> list[Any]:
    return [mp.besseljzero(order, n) for n in (1, 2)]


def j_small(order: int) -> Callable[[Any], Any]:
    """J divided by x^order and by its zeros below 8, as a function of x^2."""
    a, b = zeros(order)
    return lambda t: (
        mp.besselj(order, mp.sqrt(t)) / mp.sqrt(t) ** order / ((t - a * a) * (t - b * b))
    )


def y_small(order: int) -> Callable[[Any], Any]:
    """Returns what Y has besides its logarithm (and pole), as a function of x^2."""

    def function(t: Any) -> Any:
        x = mp.sqrt(t)
        rest = mp.bessely(order, x) - 2 / mp.pi * mp.log(x) * mp.besselj(order, x)
        return rest if order == 0 else (rest + 2 / (mp.pi * x)) / x

    return function


def k_small(order: int) -> Callable[[Any], Any]:
    """Returns what K has besides its logarithm (and pole), as a function of x^2."""

    def function(t: Any) -> Any:
        x = mp.sqrt(t)
        if order == 0:
            return mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)
        return (mp.besselk(1, x) - mp.log(x / 2) * mp.besseli(1, x)) * x

    return function


def dawson(y: Any) -> Any:
    """(1 + 2 x^2) D(x) / x with x^2 = 4 (1 + y) / (1 - y)."""
    t = 4 * (1 + y) / (1 - y)
    x = mp.sqrt(t)
    if x > 200:
        return (1 + 2 * t) / (2 * t) * (1 + 1 / (2 * t) + 3 / (4 * t * t) + 15 / (8 * t**3))
    value = mp.sqrt(mp.pi) / 2 * mp.exp(-t) * mp.erfi(x)
    return (1 + 2 * t) * value / x


def fresnel(part: int) -> Callable[[Any], Any]:
    """The auxiliary functions x f(x) and x^3 g(x) as functions of (1.6 / x)^4."""

    def function(u: Any) -> Any:
        x = mp.mpf(8) / 5 / mp.root(u, 4)
        c, s, t = mp.fresnelc(x), mp.fresnels(x), mp.pi * x * x / 2
        half = mp.mpf(1) / 2
        f = (half - s) * mp.cos(t) - (half - c) * mp.sin(t)
        g = (half - c) * mp.cos(t) + (half - s) * mp.sin(t)
        return f * x if part == 0 else g * x**3

    return function


def all_series() -> Iterator[tuple[str, Callable[[Any], Any], Any, Any]]:
    """The name, the function and the interval of every series."""
    yield "erf", lambda t: mp.erf(mp.sqrt(t)) / mp.sqrt(t), 0, 1
    yield "erfc", scaled_erfc, -1, 1
    yield "ndtri_central", central, 0, mp.mpf("0.1406250")
    yield "ndtri_tail", quantile_tail, mp.mpf(1) / 8, mp.mpf(1) / 2
    yield "ndtri_far", quantile_tail, mp.mpf(1) / 40, mp.mpf(1) / 8
    yield "lgamma", log_gamma_middle, mp.mpf(3) / 2, mp.mpf(5) / 2
    yield "digamma", lambda x: mp.digamma(x) / (x - PSI_ROOT), 1, 2
    for order in (0, 1):
        i, k = (lambda x, n=order: mp.besseli(n, x)), (lambda x, n=order: mp.besselk(n, x))
        yield f"i{order}_small", lambda x, f=i, n=order: mp.exp(-x) * f(x) / x**n, 0, 8
        yield f"i{order}_large", lambda z, f=i: mp.exp(-8 / z) * f(8 / z) * mp.sqrt(8 / z), 0, 1
        yield f"k{order}_small", k_small(order), 0, 4
        yield f"k{order}_large", lambda z, f=k: mp.exp(2 / z) * f(2 / z) * mp.sqrt(2 / z), 0, 1
        yield f"j{order}_small", j_small(order), 0, 64
        yield f"y{order}_small", y_small(order), 0, 64
        yield f"p{order}_large", hankel(order, 0), 0, 1
        yield f"q{order}_large", hankel(order, 1), 0, 1
    yield "dawsn", dawson, -1, 1
    yield "spence", lambda x: mp.polylog(2, 1 - x) / (1 - x), mp.mpf(1) / 2, mp.mpf(3) / 2
    yield "fresnel_f", fresnel(0), 0, 1
    yield "fresnel_g", fresnel(1), 0, 1
    yield (
        "fresnel_s",
        lambda u: mp.fresnels(mp.root(u, 4)) / mp.root(u, 4) ** 3,
        0,
        mp.mpf("6.5536"),
    )
    yield "fresnel_c", lambda u: mp.fresnelc(mp.root(u, 4)) / mp.root(u, 4), 0, mp.mpf("6.5536")


def all_ratios() -> Iterator[tuple[str, Callable[[Any], Any], Any, int, int]]:
    """The name, the function, the end of the interval from 0 on, and the degrees of every ratio.

    They are for results of single precision, up to where those are 1 or 0.
    """
    yield "erfinv", scaled_quantile, mp.mpf("16.75"), 5, 5


def main() -> None:
    """Writes the file."""
    print(f"psi_root 0 0 {float(PSI_ROOT)!r} {float(PSI_ROOT - mp.mpf(float(PSI_ROOT)))!r}")
    for order in (0, 1):
        split = [
            part
            for zero in zeros(order)
            for part in (float(zero), float(zero - mp.mpf(float(zero))))
        ]
        print(f"j{order}_zeros 0 0", *map(repr, split))
    for name, function, high, above, below in all_ratios():
        for part, found in zip(
            ("over", "under"), ratio(function, 0, high, above, below), strict=True
        ):
            print(f"{name}_{part}", 0.0, float(high), *(repr(float(c)) for c in found))
    for name, function, low, high in all_series():
        found = " ".join(repr(float(c)) for c in series(function, low, high))
        print(name, repr(float(low)), repr(float(high)), found)


if __name__ == "__main__":
    main()
