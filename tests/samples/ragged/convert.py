"""Samples of the ops in ``_src/wings/ragged/convert.py``."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .._sets import of
from .._sparse import longs
from .._values import STORED, Sample, array, counted, exactly

SAMPLES: dict[str, list[Sample]] = {}


def _rows(values: list[Any], splits: Any) -> list[Any]:
    return [values[a:b] for a, b in itertools.pairwise(splits)]


def _filled(
    shape: Any, values: Any, default: Any, splits: list[Any], row_partition_types: Any
) -> Any:
    nested: Any = list(values)
    for level in reversed(splits):
        nested = _rows(nested, level.tolist())
    needed = [len(splits[0]) - 1, *(int(np.diff(s).max(initial=0)) for s in splits)]
    sizes = [*needed, *values.shape[1:]]
    if shape.ndim:
        sizes = [n if w < 0 else int(w) for w, n in zip(shape, sizes, strict=True)]
    result = np.empty(sizes, values.dtype)
    result[...] = default
    _put(result, nested, len(splits))
    return result


def _put(result: Any, rows: Any, depth: int) -> None:
    for i, row in enumerate(rows[: len(result)]):
        if depth:
            _put(result[i], row, depth - 1)
        else:
            result[i] = row


_ONE, _TWO = {"row_partition_types": ["ROW_SPLITS"]}, {"row_partition_types": ["ROW_SPLITS"] * 2}
_ALL, _SPLITS = np.array(-1), longs(0, 2, 2, 5)

SAMPLES["RaggedTensorToTensor"] = of(
    exactly(_filled),
    *[(_ALL, counted((5,), t), counted((), t), [_SPLITS], _ONE) for t in STORED],
    (longs(-1, 2), counted((5,)), array(9.0), [_SPLITS], _ONE),
    (longs(4, -1), counted((5,)), array(9.0), [_SPLITS], _ONE),
    (_ALL, counted((5, 2)), array([8.0, 9.0]), [_SPLITS], _ONE),
    (_ALL, counted((5,)), array(0.0), [longs(0, 1, 3), _SPLITS], _TWO),
    (_ALL, counted((0,)), array(0.0), [longs(0)], _ONE),
    (_ALL, counted((5,)), array(0.0), [_SPLITS.astype("int32")], _ONE),
)
