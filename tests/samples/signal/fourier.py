"""Samples of the ops in ``_src/wings/signal/fourier.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import COMPLEXES, array, counted, exactly, ints


def turned(shape, dtype="complex64"):
    """Complex numbers without an order."""
    values = counted(shape, "int64") % 7 / 4 - (counted(shape, "int64") % 5) * 0.5j
    return array(values, dtype)


def _transform(name, rank):
    axes = tuple(range(-rank, 0))
    wide = lambda x: getattr(np.fft, name)(x.astype(np.complex128), axes=axes).astype(x.dtype)
    reference = exactly(lambda x: wide(x) if x.size else x)
    shapes = (
        [(8,), (2, 5), (3, 0), (0,)]
        if rank == 1
        else [(4, 6, 8)[3 - rank :], (2, 3, 4, 5), (2, 0, 4, 1)]
    )
    calls = [(turned(shape, dtype),) for dtype in COMPLEXES for shape in shapes]
    return of(reference, *calls, (np.asfortranarray(turned((4, 3, 2))),))


SAMPLES = {
    name.upper(): _transform(kind, rank)
    for rank, suffix in ((1, ""), (2, "2d"), (3, "3d"))
    for name, kind in ((f"fft{suffix}", "fftn"), (f"ifft{suffix}", "ifftn"))
}


def waves(shape, dtype="float32"):
    """Real numbers without an order."""
    return array(counted(shape, "int64") % 7 / 4 - counted(shape, "int64") % 3, dtype)


def _forward(x, lengths, Tcomplex="complex64"):
    axes = tuple(range(-len(lengths), 0))
    if not x.size or 0 in lengths:
        last = lengths[-1] // 2 + 1 if lengths[-1] else 0
        return np.zeros((*x.shape[: -len(lengths)], *lengths[:-1], last), Tcomplex)
    return np.fft.rfftn(x.astype(np.float64), s=lengths, axes=axes).astype(Tcomplex)


def _back(x, lengths, Treal="float32"):
    axes = tuple(range(-len(lengths), 0))
    if not x.size or 0 in lengths:
        return np.zeros((*x.shape[: -len(lengths)], *lengths), Treal)
    return np.fft.irfftn(x.astype(np.complex128), s=lengths, axes=axes).astype(Treal)


_DOUBLE = {"Tcomplex": "complex128"}, {"Treal": "float64"}

SAMPLES |= {
    "RFFT": of(
        exactly(_forward),
        (waves((8,)), ints(8)),
        (waves((2, 5)), ints(5)),
        (waves((2, 9)), ints(4)),
        (waves((7,), "float64"), ints(6), _DOUBLE[0]),
        (waves((2, 0)), ints(0)),
        (waves((0, 4)), ints(4)),
        (waves((3,)), ints(0)),
    ),
    "RFFT2D": of(
        exactly(_forward),
        (waves((4, 6)), ints(4, 6)),
        (waves((2, 5, 3)), ints(4, 3)),
        (waves((2, 3, 4), "float64"), ints(3, 4), _DOUBLE[0]),
        (waves((2, 0, 4)), ints(0, 4)),
    ),
    "RFFT3D": of(
        exactly(_forward),
        (waves((2, 3, 4)), ints(2, 3, 4)),
        (waves((2, 2, 3, 5)), ints(2, 2, 5)),
        (waves((2, 3, 4), "float64"), ints(1, 3, 2), _DOUBLE[0]),
    ),
    "IRFFT": of(
        exactly(_back),
        (turned((5,)), ints(8)),
        (turned((2, 5)), ints(9)),
        (turned((2, 5)), ints(4)),
        (turned((5,), "complex128"), ints(8), _DOUBLE[1]),
        (turned((2, 0)), ints(0)),
        (turned((0, 3)), ints(4)),
    ),
    "IRFFT2D": of(
        exactly(_back),
        (turned((4, 5)), ints(4, 8)),
        (turned((2, 4, 5)), ints(3, 7)),
        (turned((2, 3), "complex128"), ints(2, 4), _DOUBLE[1]),
    ),
    "IRFFT3D": of(
        exactly(_back),
        (turned((2, 3, 4)), ints(2, 3, 6)),
        (turned((2, 3, 3, 4)), ints(2, 3, 7)),
        (turned((2, 3, 4), "complex128"), ints(2, 3, 5), _DOUBLE[1]),
    ),
}
