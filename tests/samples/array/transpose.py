"""Samples of the ops in ``_src/ops/array/transpose.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, counted, exactly, ints, strided

SAMPLES: dict[str, list[Sample]] = {}
_TURNED = {"src_format": "NCHW", "dst_format": "NHWC"}
_DEEP = {"src_format": "NDHWC", "dst_format": "NCDHW"}


def _mapped(x: Any, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    axes = np.array([dst_format.index(c) for c in src_format], x.dtype)
    return axes[x % len(axes)]


def _permuted(x: Any, src_format: str = "NHWC", dst_format: str = "NCHW") -> Any:
    kept = [c for c in src_format if len(x) == len(src_format) or c not in "NC"]
    return np.stack([x[kept.index(c)] for c in dst_format if c in kept])


SAMPLES["DataFormatDimMap"] = of(
    exactly(_mapped),
    *[(ints(0, 1, 2, 3, -1, -4, dtype=t),) for t in ("int32", "int64")],
    (ints([1, 2], [0, 3]), _TURNED),
    (ints(1, 4), _DEEP),
    (np.array(2, "int32"),),
    (np.zeros((0,), "int32"),),
    (np.array([[0, 1], [2, 3]], "int32").T,),
)
SAMPLES["DataFormatVecPermute"] = of(
    exactly(_permuted),
    *[(ints(1, 2, 3, 4, dtype=t),) for t in ("int32", "int64")],
    (ints(1, 2, 3, 4), _TURNED),
    (ints(1, 2, 3, 4, 5), _DEEP),
    (ints(1, 2, 3), _DEEP),
    (counted((4, 2), "int32"),),
    (strided((4, 2)).astype("int32"),),
    (ints(1, 2), {"src_format": "WHNC", "dst_format": "NCHW"}),
)
