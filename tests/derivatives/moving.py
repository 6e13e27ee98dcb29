"""Points for ops that move elements, pick and place them."""

from __future__ import annotations

import numpy as np

from ._points import Table, apart, at, both, index, ints, some

POINTS: Table = {}

# ------------------------------------------------------------------ shapes

POINTS["Reshape"] = [at(some(2, 3), ints(3, -1)), at(both(2, 2), ints(4))]
POINTS["ExpandDims"] = [at(some(2, 3), index(1))]
POINTS["Squeeze"] = [at(some(1, 3, 1)), at(some(1, 3, 1), axis=[0])]
POINTS["Transpose"] = [at(some(2, 3, 2), ints(2, 0, 1)), at(both(2, 3), ints(1, 0))]
POINTS["BroadcastTo"] = [at(some(2, 1), ints(3, 2, 2)), at(some(), ints(2))]
POINTS["Tile"] = [at(some(2, 3), ints(2, 1)), at(some(2), ints(0)), at(both(2), ints(3))]
POINTS["ReverseV2"] = [at(some(2, 3), ints(1)), at(some(2, 3), ints(0, -1))]
POINTS["EnsureShape"] = [at(some(2, 3), shape=[None, 3])]
POINTS["Fill"] = [at(ints(2, 3), some())]
POINTS["CheckNumerics"] = [at(some(3), message="x")]
POINTS["ReadVariableOp"] = [at(some(2, 3))]

# ------------------------------------------------------------------ joining and splitting

POINTS["IdentityN"] = [at([some(2), some(3, 1)])]
POINTS["Pack"] = [at([some(2), some(2)]), at([some(2, 2), some(2, 2), some(2, 2)], axis=-1)]
POINTS["Unpack"] = [at(some(2, 3), num=2), at(some(2, 3), num=3, axis=-1)]
POINTS["ConcatV2"] = [
    at([some(1, 2), some(3, 2)], index(0)),
    at([some(2, 1), some(2, 2), some(2, 1)], index(-1)),
    at([both(2), both(1)], index(0)),
]
POINTS["Split"] = [at(index(1), some(2, 4), num_split=2)]
POINTS["SplitV"] = [at(some(2, 4), ints(1, 3), index(1), num_split=2)]
POINTS["AddN"] = [at([some(2), some(2), some(2)]), at([both(2), both(2)])]

# ------------------------------------------------------------------ padding and blocks

_PADS = ints([1, 0], [0, 2])
POINTS["Pad"] = [at(some(2, 3), _PADS)]
POINTS["PadV2"] = [at(some(2, 3), _PADS, some(), fixed=(2,))]
POINTS["MirrorPad"] = [at(some(2, 3), _PADS, mode=mode) for mode in ("REFLECT", "SYMMETRIC")]
POINTS["SpaceToBatchND"] = [at(some(1, 2, 3, 1), ints(2, 2), ints([0, 0], [1, 0]))]
POINTS["BatchToSpaceND"] = [at(some(4, 1, 2, 1), ints(2, 2), ints([0, 0], [1, 0]))]
POINTS["SpaceToDepth"] = [at(some(1, 2, 4, 1), block_size=2)]
POINTS["DepthToSpace"] = [at(some(1, 1, 2, 4), block_size=2)]
POINTS["Roll"] = [at(some(2, 3), index(1), index(0)), at(some(2, 3), ints(1, -1), ints(0, 1))]
POINTS["ReverseSequence"] = [
    at(some(2, 3), ints(2, 3), seq_dim=1),
    at(some(3, 2), ints(1, 3), seq_dim=0, batch_dim=1),
]

# ------------------------------------------------------------------ picking

POINTS["GatherV2"] = [
    at(some(3, 2), ints(2, 0, 2), index(0)),
    at(some(2, 3), ints([2, 0], [1, 1]), index(1)),
    at(some(2, 3), ints([2, 0], [1, 1]), index(1), batch_dims=1),
    at(some(3), index(1), index(0)),
    at(both(3), ints(1, 1), index(0)),
]
POINTS["GatherNd"] = [at(some(2, 3), ints([0, 1], [1, 2], [0, 1])), at(some(3, 2), ints([2], [2]))]
POINTS["ResourceGather"] = [at(some(3, 2), ints(2, 0, 2))]
POINTS["ResourceGatherNd"] = [at(some(3, 2), ints([2], [2])), at(some(3, 2), ints([2, 0]))]
POINTS["SelectV2"] = [
    at(np.array([True, False]), some(2), some(2)),
    at(np.array([[True], [False]]), some(3), some(2, 1)),
]
_MASKS = {
    "begin_mask": 0,
    "end_mask": 0,
    "ellipsis_mask": 0,
    "new_axis_mask": 0,
    "shrink_axis_mask": 0,
}
POINTS["StridedSlice"] = [
    at(some(3, 4), ints(0, 1), ints(3, 4), ints(2, 1), **_MASKS),
    at(
        some(3, 4),
        ints(1, -1),
        ints(2, 0),
        ints(1, -1),
        **{**_MASKS, "shrink_axis_mask": 1, "end_mask": 2},
    ),
    at(
        some(2, 2),
        ints(0, 0),
        ints(0, 1),
        ints(1, 1),
        **{**_MASKS, "ellipsis_mask": 1, "new_axis_mask": 0},
    ),
    at(some(2), ints(0, 0), ints(0, 2), ints(1, 1), **{**_MASKS, "new_axis_mask": 1}),
]
POINTS["StridedSliceGrad"] = [
    at(ints(3, 4), ints(0, 1), ints(3, 4), ints(2, 1), some(2, 3), **_MASKS)
]
POINTS["TensorStridedSliceUpdate"] = [
    at(some(3, 4), ints(0, 1), ints(3, 4), ints(2, 1), some(2, 3), **_MASKS),
    at(some(4), ints(1), ints(3), ints(1), some(1), **_MASKS),
]
POINTS["Slice"] = [at(some(3, 4), ints(1, 0), ints(2, -1))]

# ------------------------------------------------------------------ placing

POINTS["ScatterNd"] = [
    at(ints([1], [3], [1]), some(3, 2), ints(4, 2)),
    at(ints([0, 1]), some(1), ints(2, 2)),
]
_ROWS, _ELEMENTS = ints([2], [0]), ints([0, 1], [2, 0])
for _type in (
    "TensorScatterUpdate",
    "TensorScatterAdd",
    "TensorScatterSub",
    "ScatterNdNonAliasingAdd",
):
    POINTS[_type] = [at(some(3, 2), _ROWS, some(2, 2)), at(some(3, 2), _ELEMENTS, some(2))]
_TEN = apart(10)
for _type in ("TensorScatterMax", "TensorScatterMin"):
    POINTS[_type] = [at(_TEN[:6].reshape(3, 2), _ROWS, _TEN[6:].reshape(2, 2))]
POINTS["DynamicPartition"] = [
    at(some(4), ints(1, 0, 1, 1), num_partitions=3),
    at(some(3, 2), ints(1, 1, 0), num_partitions=2),
]
# TensorFlow gives a gradient to what is overwritten as well, so no place is named twice here.
POINTS["DynamicStitch"] = POINTS["ParallelDynamicStitch"] = [
    at([ints(2, 0), ints(1)], [some(2, 2), some(1, 2)])
]
POINTS["MirrorPadGrad"] = [at(some(5, 6), _PADS, mode=mode) for mode in ("REFLECT", "SYMMETRIC")]
