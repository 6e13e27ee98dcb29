"""Points for Fourier transforms."""

from __future__ import annotations

from ._points import Table, at, both, ints, some

POINTS: Table = {}

for _type in ("FFT", "IFFT"):
    POINTS[_type] = [at(both(2, 4)), at(both(5))]
    POINTS[f"{_type}2D"] = [at(both(2, 2, 3))]
    POINTS[f"{_type}3D"] = [at(both(2, 3, 2))]
    POINTS[f"{_type}ND"] = [
        at(both(2, 3, 2), ints(3, 2), ints(1, 2)),
        at(both(4, 2), ints(3), ints(0)),
    ]
_WIDE, _REAL = {"Tcomplex": "complex128"}, {"Treal": "float64"}
POINTS["RFFT"] = [at(some(2, n), ints(n), **_WIDE) for n in (4, 5)]
POINTS["RFFT2D"] = [at(some(2, n), ints(2, n), **_WIDE) for n in (3, 4)]
POINTS["RFFT3D"] = [at(some(2, 3, n), ints(2, 3, n), **_WIDE) for n in (2, 3)]
POINTS["RFFTND"] = [at(some(2, 3, n), ints(3, n), ints(1, 2), **_WIDE) for n in (2, 3)]
POINTS["IRFFT"] = [at(both(2, 3), ints(n), **_REAL) for n in (4, 5)]
POINTS["IRFFT2D"] = [at(both(3, 2), ints(3, n), **_REAL) for n in (2, 3)]
POINTS["IRFFT3D"] = [at(both(2, 3, 2), ints(2, 3, n), **_REAL) for n in (2, 3)]
POINTS["IRFFTND"] = [at(both(2, 3, 2), ints(3, n), ints(1, 2), **_REAL) for n in (2, 3)]
