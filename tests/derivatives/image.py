"""Points of the ops in ``_src/ops/image``."""

from __future__ import annotations

import numpy as np

from ._points import Table, at, some

POINTS: Table = {}
_RNG = np.random.default_rng(9)

# three colours that differ, in every order
_COLORS = np.array(
    [[0.9, 0.5, 0.2], [0.2, 0.9, 0.5], [0.5, 0.2, 0.9], [0.9, 0.2, 0.5], [0.2, 0.5, 0.9]]
)
POINTS["RGBToHSV"] = [at(_COLORS), at(_COLORS[:, ::-1] + _RNG.uniform(0, 0.05, _COLORS.shape))]

_WINDOW = {"ksizes": [1, 2, 3, 1], "strides": [1, 2, 1, 1], "rates": [1, 1, 2, 1]}
POINTS["ExtractImagePatches"] = [
    at(some(1, 3, 5, 2), **_WINDOW, padding=padding) for padding in ("SAME", "VALID")
]
POINTS["ExtractVolumePatches"] = [
    at(some(1, 3, 2, 3, 1), ksizes=[1, 2, 1, 2, 1], strides=[1, 1, 1, 2, 1], padding="SAME")
]
