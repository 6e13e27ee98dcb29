"""Samples of the ops in ``_src/ops/linalg/matrix_functions.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import COMPLEXES, Sample, array, counted, definite, widely

SAMPLES: dict[str, list[Sample]] = {}

_TYPES = ("float32", "float64", *COMPLEXES)


def _of_eigenvalues(function: Any) -> Any:
    """A function of a self-adjoint matrix by that of its eigenvalues."""

    def reference(x: Any) -> Any:
        values, vectors = np.linalg.eigh(x)
        return vectors * function(values)[..., None, :] @ np.conj(np.swapaxes(vectors, -1, -2))

    return widely(reference)


SAMPLES["MatrixSquareRoot"] = of(
    _of_eigenvalues(np.sqrt),
    *[(definite(3, t),) for t in _TYPES],
    (np.stack([definite(2), 4 * definite(2)]),),
    (np.asfortranarray(definite(2)),),
) + of(None, (counted((0, 2, 2)),), (array([[0, 1], [-1, 0]]),))
SAMPLES["MatrixLogarithm"] = of(
    _of_eigenvalues(np.log),
    *[(definite(3, t),) for t in COMPLEXES],
    (np.stack([definite(2, "complex128"), 4 * definite(2, "complex128")]),),
) + of(None, (counted((0, 2, 2), "complex64"),))
