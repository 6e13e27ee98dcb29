"""Samples of the ops in ``_src/wings/sparse/segments.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import ORDERED, REALS, Sample, counted, exactly, index, ints, wide, widely

SAMPLES: dict[str, list[Sample]] = {}


def _of_rows(scale: Any) -> Any:
    """A reference that sums the chosen rows of each segment and divides by a function of their number."""

    def reference(data: Any, indices: Any, ids: Any, count: Any = None, **_: Any) -> Any:
        size = int(count) if count is not None else (int(ids[-1]) + 1 if len(ids) else 0)
        found = np.zeros((size, *data.shape[1:]), wide(data).dtype)
        for i in range(size):
            rows = wide(data)[indices[ids == i]]
            if len(rows):
                found[i] = rows.sum(axis=0) / scale(len(rows)) if scale else rows.sum(axis=0)
        return found.astype(data.dtype)

    return exactly(reference)


_ROWS, _IDS = ints(0, 2, 2, 1), ints(0, 0, 1, 3)
for _name, _scale, _types in (
    ("Sum", None, ORDERED),
    ("Mean", lambda n: n, REALS),
    ("SqrtN", np.sqrt, REALS),
):
    SAMPLES[f"SparseSegment{_name}"] = of(
        _of_rows(_scale),
        *[(counted((3, 2), t), _ROWS, _IDS) for t in _types],
        (counted((3,)), _ROWS.astype("int64"), _IDS.astype("int64")),
        (counted((3, 2)), _ROWS, _IDS, {"sparse_gradient": True}),
        (counted((3, 2)), ints(), ints()),
    )
    SAMPLES[f"SparseSegment{_name}WithNumSegments"] = of(
        _of_rows(_scale),
        *[(counted((3, 2), t), _ROWS, _IDS, index(5)) for t in _types],
        (counted((3,)), _ROWS, _IDS, np.array(4, np.int64)),
        (counted((3, 2)), _ROWS, _IDS, index(4), {"sparse_gradient": True}),
        (counted((3, 2)), ints(), ints(), index(3)),
    )


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
