"""Samples of the ops in ``_src/ops/array/padding.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import moving, of
from .._values import ANY, NAN, NUMBERS, Sample, array, counted, exactly, strided

SAMPLES: dict[str, list[Sample]] = {}

_AROUND = np.array([[1, 0], [0, 2]], "int32")


def _pad(x: Any, paddings: Any) -> Any:
    return np.pad(x, paddings, constant_values=b"" if x.dtype == object else 0)


def _mirror(x: Any, paddings: Any, mode: str) -> Any:
    return np.pad(x, paddings, mode=mode.lower())


SAMPLES["Pad"] = moving(
    _pad, (_AROUND,), (_AROUND.astype("int64"),), (np.zeros((2, 2), "int32"),)
) + of(exactly(_pad), (counted((0,)), np.array([[1, 2]])))
SAMPLES["Pad"] += of(None, (counted(()), np.zeros((0, 2), "int32")))
SAMPLES["PadV2"] = of(
    exactly(lambda x, paddings, value: np.pad(x, paddings, constant_values=value[()])),
    *[(counted((2, 3), t), _AROUND, counted((), t)) for t in ANY],
    (counted((2, 3)), _AROUND.astype("int64"), array(NAN)),
    (counted((0, 2)), _AROUND, array(5)),
    (strided((2, 3)), _AROUND, array(-1)),
)
SAMPLES["MirrorPad"] = moving(
    _mirror,
    (_AROUND, {"mode": "REFLECT"}),
    (_AROUND, {"mode": "SYMMETRIC"}),
    (np.array([[2, 2], [0, 3]]), {"mode": "SYMMETRIC"}),
    types=(*NUMBERS, "bool", "string"),
)


def _folded(x: Any, paddings: Any, mode: str) -> Any:
    sizes = [n - sum(p) for n, p in zip(x.shape, paddings.tolist(), strict=True)]
    places = _mirror(np.arange(int(np.prod(sizes))).reshape(sizes), paddings, mode)
    result = np.zeros(int(np.prod(sizes)), x.dtype)
    np.add.at(result, places.reshape(-1), x.reshape(-1))
    return result.reshape(sizes)


SAMPLES["MirrorPadGrad"] = of(
    exactly(_folded),
    *[(counted((3, 5), t), _AROUND, {"mode": "REFLECT"}) for t in NUMBERS],
    *[(counted((3, 5), t), _AROUND, {"mode": "SYMMETRIC"}) for t in NUMBERS],
    (counted((7, 4)), np.array([[2, 2], [0, 0]]), {"mode": "SYMMETRIC"}),
    (strided((3, 5)), _AROUND, {"mode": "REFLECT"}),
)
