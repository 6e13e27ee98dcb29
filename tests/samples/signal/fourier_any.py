"""Samples of the ops in ``_src/wings/signal/fourier_any.py``."""

import numpy as np

from .._sets import of
from .._values import exactly, ints
from .fourier import turned, waves


def _by(name, storage):
    def reference(x, lengths, axes, **types):
        result = types.get("Tcomplex") or types.get("Treal") or x.dtype
        found = getattr(np.fft, name)(x.astype(storage), s=lengths, axes=axes) if axes.size else x
        return found.astype(result)

    return exactly(reference)


_COMPLEX = [
    (turned((2, 3, 4)), ints(2, 3, 4), ints(0, 1, 2)),
    (turned((2, 3, 4)), ints(3), ints(1)),
    (turned((2, 3, 4)), ints(4, 2), ints(2, 0)),
    (turned((2, 3, 4)), ints(2, 6), ints(-3, -1)),
    (turned((2, 3, 4)), ints(), ints()),
    (turned((5,), "complex128"), ints(5), ints(0)),
]
_REAL = [
    (waves((2, 3, 4)), ints(2, 3, 4), ints(0, 1, 2)),
    (waves((2, 3, 4)), ints(5, 2), ints(2, 1)),
    (waves((2, 3, 4), "float64"), ints(3), ints(-2)),
]

SAMPLES = {
    "FFTND": of(_by("fftn", np.complex128), *_COMPLEX),
    "IFFTND": of(_by("ifftn", np.complex128), *_COMPLEX),
    "RFFTND": of(
        _by("rfftn", np.float64),
        *[
            (*call, {"Tcomplex": "complex128" if call[0].dtype == np.float64 else "complex64"})
            for call in _REAL
        ],
    ),
    "IRFFTND": of(
        _by("irfftn", np.complex128),
        (turned((2, 3, 4)), ints(2, 3, 6), ints(0, 1, 2), {"Treal": "float32"}),
        (turned((2, 3, 4)), ints(4, 5), ints(1, 0), {"Treal": "float32"}),
        (turned((5,), "complex128"), ints(8), ints(0), {"Treal": "float64"}),
    ),
}
