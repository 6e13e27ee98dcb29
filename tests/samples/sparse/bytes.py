"""Samples of the ops in ``_src/wings/sparse/bytes.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.graph_serialization.tensor_proto import content_proto

from .._sets import of
from .._sparse import nothing, parts
from .._values import INTEGERS, Sample, array, exactly

SAMPLES: dict[str, list[Sample]] = {}


def _message(values: Any) -> bytes:
    proto = content_proto(values, dtypes.as_dtype(values.dtype))
    if values.dtype.kind == "O":  # short strings only: a byte for each length
        flat = values.ravel().tolist()
        proto.ClearField("string_val")
        proto.tensor_content = bytes(map(len, flat)) + b"".join(flat)
    return proto.SerializeToString()


def _one(places: Any, values: Any, shape: Any) -> Any:
    return array([_message(x) for x in (places, values, shape)], "string")


def _many(places: Any, values: Any, shape: Any) -> Any:
    rows = [places[:, 0] == i for i in range(shape[0])]
    return np.stack([_one(np.ascontiguousarray(places[r, 1:]), values[r], shape[1:]) for r in rows])


_TYPES = ("float32", "float64", *INTEGERS, "bool", "complex64", "string")
SAMPLES["SerializeSparse"] = of(
    exactly(_one), *[parts(t) for t in _TYPES], parts("float32", (5,)), nothing()
)
SAMPLES["SerializeManySparse"] = of(
    exactly(_many),
    *[parts(t) for t in _TYPES],
    parts("float32", (2, 3, 2)),
    parts("float32", (5, 2), 4),
    nothing(),
)


def _whole(*given: Any) -> Any:
    return lambda strings, dtype: list(given)


def _reads(dtype: str, shape: Any = (3, 4)) -> Sample:
    given = parts(dtype, shape)
    return Sample((_many(*given),), {"dtype": dtype}, exactly(_whole(*given)))


def _longer(strings: Any, dtype: Any) -> Any:
    places, values, shape = parts("float32", (5,))
    return [np.insert(places, 0, 0, axis=1), values, np.array([1, *shape])]


SAMPLES["DeserializeManySparse"] = [
    *map(_reads, _TYPES),
    _reads("float32", (2, 3, 2)),
    *of(exactly(_longer), (_one(*parts("float32", (5,))), {"dtype": "float32"})),
]
