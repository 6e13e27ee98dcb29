"""Points of the ops in ``_src/ops/image``."""

from __future__ import annotations

import numpy as np

from ._points import Table, at

POINTS: Table = {}
_RNG = np.random.default_rng(9)

# three colours that differ, in every order
_COLORS = np.array(
    [[0.9, 0.5, 0.2], [0.2, 0.9, 0.5], [0.5, 0.2, 0.9], [0.9, 0.2, 0.5], [0.2, 0.5, 0.9]]
)
POINTS["RGBToHSV"] = [at(_COLORS), at(_COLORS[:, ::-1] + _RNG.uniform(0, 0.05, _COLORS.shape))]
