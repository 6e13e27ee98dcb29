"""Samples of the ops in ``_src/ops/array/shapes.py``."""

from __future__ import annotations

import numpy as np

from .._sets import moving, of, unary
from .._values import ANY, Sample, counted, exactly, index, ints

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Shape"] = of(
    exactly(lambda x, out_type="int32": np.array(x.shape, out_type)),
    (counted((2, 3)),),
    (counted(()),),
    (counted((0, 4)), {"out_type": "int64"}),
    (counted((1,) * 6),),
    *[(counted((2,), t),) for t in ANY],
)
SAMPLES["Reshape"] = moving(
    np.reshape, (ints(3, 2),), (ints(-1),), (ints(1, 6, 1),), (ints(3, -1, dtype="int64"),)
) + of(
    exactly(np.reshape),
    (counted((1, 1)), ints()),
    (counted((0, 3)), ints(3, 0)),
    (counted((2,) * 6), ints(8, 8)),
)
SAMPLES["ExpandDims"] = moving(
    lambda x, axis: np.expand_dims(x, int(axis)), (index(0),), (index(-1),), (index(1),)
) + of(
    exactly(lambda x, axis: np.expand_dims(x, int(axis))),
    (counted(()), index(0)),
    (counted((0,)), index(1)),
)
SAMPLES["Squeeze"] = moving(
    lambda x, axis=None: np.squeeze(x, None if axis is None else tuple(axis)),
    (),
    ({"axis": [0]},),
    ({"axis": [-1, 0]},),
    shape=(1, 3, 1),
) + of(exactly(np.squeeze), (counted(()),), (counted((0, 1)),), (counted((1, 1)),))
SAMPLES["Transpose"] = moving(
    lambda x, perm=None: np.transpose(x, None if perm is None else perm.tolist()),
    (),
    (ints(1, 0),),
    (ints(0, 1),),
    (ints(-1, 0),),
) + of(
    exactly(np.transpose),
    (counted(()), ints()),
    (counted((2, 0, 3)), ints(2, 0, 1)),
    (counted((1, 2, 3, 1, 2, 2)), ints(5, 3, 1, 0, 2, 4)),
)
SAMPLES["BroadcastTo"] = moving(np.broadcast_to, (ints(2, 2, 3),), (ints(2, 3),)) + of(
    exactly(np.broadcast_to),
    (counted(()), ints(2, 2)),
    (counted((3, 1)), ints(3, 4)),
    (counted((1,)), ints(0)),
    (counted(()), ints()),
)
SAMPLES["Tile"] = moving(np.tile, (ints(2, 1),), (ints(1, 1),), (ints(0, 2),)) + of(
    exactly(np.tile), (counted(()), ints()), (counted((0,)), ints(3))
)

SAMPLES["GuaranteeConst"] = unary(ANY, exactly(np.array))
SAMPLES["IdentityN"] = of(
    exactly(lambda inputs: list(inputs)),
    ([counted((2, 3)), counted((0, 4), "int64")],),
    *[([counted((2,), t), counted((), "float32")],) for t in ANY],
)
