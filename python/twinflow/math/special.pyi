# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.core.tensor import Tensor
from twinflow.math import bessel_i0 as bessel_i0
from twinflow.math import bessel_i0e as bessel_i0e
from twinflow.math import bessel_i1 as bessel_i1
from twinflow.math import bessel_i1e as bessel_i1e

def bessel_j0(x: Any, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the first kind of order 0."""

def bessel_j1(x: Any, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the first kind of order 1."""

def bessel_k0(x: Any, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the second kind of order 0."""

def bessel_k0e(x: Any, name: str | None = None) -> Tensor:
    """Computes the exponentially scaled modified Bessel function of the second kind of order 0."""

def bessel_k1(x: Any, name: str | None = None) -> Tensor:
    """Computes the modified Bessel function of the second kind of order 1."""

def bessel_k1e(x: Any, name: str | None = None) -> Tensor:
    """Computes the exponentially scaled modified Bessel function of the second kind of order 1."""

def bessel_y0(x: Any, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the second kind of order 0."""

def bessel_y1(x: Any, name: str | None = None) -> Tensor:
    """Computes the Bessel function of the second kind of order 1."""

def dawsn(x: Any, name: str | None = None) -> Tensor:
    """Computes Dawson's integral: ``exp(-x**2)`` times the integral of ``exp(t**2)`` from 0 to x."""

def expint(x: Any, name: str | None = None) -> Tensor:
    """Computes the exponential integral Ei(x): the integral of ``exp(t) / t`` from -inf to x."""

def fresnel_cos(x: Any, name: str | None = None) -> Tensor:
    """Computes Fresnel's cosine integral: the integral of ``cos(pi * t**2 / 2)`` from 0 to x."""

def fresnel_sin(x: Any, name: str | None = None) -> Tensor:
    """Computes Fresnel's sine integral: the integral of ``sin(pi * t**2 / 2)`` from 0 to x."""

def spence(x: Any, name: str | None = None) -> Tensor:
    """Computes Spence's function: the integral of ``log(t) / (1 - t)`` from 1 to x."""
