"""Samples of the ops in ``_src/wings/io_examples/parse_sequence_example.py``."""

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.core.protos import message

from .._sets import of
from .parse_example import INT, NONE, TEXT, features, names, packed


def _lists(**lists):
    return {
        "feature_list": {
            key: message("FeatureList")(
                feature=[features(x=item)["feature"]["x"] for item in items]
            )
            for key, items in lists.items()
        }
    }


_TWO = packed(
    "SequenceExample",
    {
        "context": features(c=[5], t=[b"q"]),
        "feature_lists": _lists(x=[[1, 2], [3, 4]], w=[[b"a"], [b"b", b"c"]]),
    },
    {"context": features(c=[6]), "feature_lists": _lists(x=[[7, 8]], w=[[b"d"]])},
)
_KEYS = (names("t"), names("c"), names("c"), names("w"), names("x", "none"), names("w"))
_ATTRS = {
    "context_sparse_types": (TEXT,),
    "context_ragged_value_types": (INT,),
    "context_ragged_split_types": (dtypes.int32,),
    "context_dense_shapes": ((),),
    "feature_list_dense_types": (INT, TEXT),
    "feature_list_sparse_types": (TEXT,),
    "feature_list_ragged_value_types": (TEXT,),
    "feature_list_ragged_split_types": (INT,),
    "feature_list_dense_shapes": ((2,), ()),
}
_REST = (np.array([False, True]), [np.array([], np.int64)], _ATTRS)


def _parsed(*_, **__):
    return [
        np.array([[0, 0]]),
        names("q"),
        np.array([2, 1]),
        np.array([5, 6]),
        np.array([5, 6]),
        np.array([0, 1, 2], np.int32),
        np.array([[0, 0, 0], [0, 1, 0], [0, 1, 1], [1, 0, 0]]),
        names("a", "b", "c", "d"),
        np.array([2, 2, 2]),
        np.array([[[1, 2], [3, 4]], [[7, 8], [0, 0]]]),
        np.empty((2, 0), object),
        np.array([2, 1]),
        np.array([0, 0]),
        names("a", "b", "c", "d"),
        np.array([0, 2, 3]),
        np.array([0, 1, 3, 4]),
    ]


SAMPLES = {
    "ParseSequenceExampleV2": of(_parsed, (_TWO, names("a", "b"), *_KEYS, *_REST))
    + of(None, (_TWO[1:2].reshape(()), NONE, *_KEYS, *_REST), (_TWO[:0], NONE, *_KEYS, *_REST)),
}
