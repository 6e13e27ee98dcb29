"""Samples of the ops in ``_src/ops/array/masks.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import ANY, Sample, array, counted, exactly, index, ints

SAMPLES: dict[str, list[Sample]] = {}


def _one_hot(indices: Any, depth: Any, on: Any, off: Any, axis: int = -1) -> Any:
    hot = np.where(indices[..., None] == np.arange(int(depth)), on, off)
    return np.moveaxis(hot, -1, axis)


def _on_off(dtype: str = "float32") -> Any:
    on, off = counted((2,), dtype).reshape(2, 1)
    return on.reshape(()), off.reshape(())


SAMPLES["OneHot"] = of(
    exactly(_one_hot),
    *[(ints(0, 2, -1, 3), index(3), *_on_off(t)) for t in ANY],
    *[(array([0, 1], t), index(2), *_on_off()) for t in ("uint8", "int8", "int64")],
    (np.array([[0, 1], [2, 0]]), index(3), *_on_off(), {"axis": 1}),
    (ints(1, 0), index(3), *_on_off(), {"axis": 0}),
    (index(1), index(2), *_on_off()),
    (ints(), index(2), *_on_off()),
    (ints(0, 1), index(0), *_on_off()),
)
