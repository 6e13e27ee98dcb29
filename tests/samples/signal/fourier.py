"""Samples of the ops in ``_src/wings/signal/fourier.py``."""

import numpy as np

from .._sets import of
from .._values import COMPLEXES, array, counted, exactly


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
