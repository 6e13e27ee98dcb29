"""Samples of the ops in ``_src/wings/sparse/segment_adjoints.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import REALS, Sample, counted, ints, widely

SAMPLES: dict[str, list[Sample]] = {}


def _adjoint(scale: Any) -> Any:
    def reference(grad: Any, indices: Any, ids: Any, size: Any) -> Any:
        found = np.zeros((int(size), *grad.shape[1:]), np.float64)
        for i, segment in zip(indices, ids, strict=True):
            found[i] += grad[segment] / scale((ids == segment).sum())
        return found

    return widely(reference)


_ROWS, _IDS, _SIZE = ints(0, 2, 2, 5), ints(0, 0, 1, 2), np.array(7, "int32")
for _name, _scale in (("Sum", lambda n: 1), ("Mean", lambda n: n), ("SqrtN", np.sqrt)):
    for _version in ("", "V2"):
        SAMPLES[f"SparseSegment{_name}Grad{_version}"] = of(
            None if _version else _adjoint(_scale),
            *[(counted((3, 2), t), _ROWS, _IDS, _SIZE) for t in REALS],
            (counted((3,)), _ROWS.astype("int64"), _IDS.astype("int64"), _SIZE),
            (counted((3, 1)), ints(5, 2, 2, 0), ints(1, 0, 1, 2), _SIZE),
            (counted((3, 2)), ints(), ints(), _SIZE),
        )
