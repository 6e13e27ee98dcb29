"""Samples of the ops in ``_src/wings/io_examples/parse_example.py``."""

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.core.protos import message

from .._sets import of
from .._values import array

INT, REAL, TEXT = dtypes.int64, dtypes.float32, dtypes.string
NONE = np.array([], object)


def features(**lists):
    """The features of a message; lists of integers, of real numbers, or of strings."""
    kinds = {int: "int64_list", float: "float_list", bytes: "bytes_list"}
    feature = message("Feature")  # old releases of protobuf make none of a dictionary within a map
    return {
        "feature": {
            key: feature(**{kinds[type(values[0])]: {"value": values}})
            for key, values in lists.items()
        }
    }


def packed(kind, *contents):
    """Messages of a kind as a vector of strings."""
    return array([message(kind)(**content).SerializeToString() for content in contents], "string")


def names(*keys):
    return array([key.encode() for key in keys], "string")


_TWO = packed(
    "Example",
    {"features": features(i=[1, 2], f=[1.5], s=[b"x", b"y"])},
    {"features": features(i=[3, 4], s=[b"z"])},
)
_ALL = {
    "sparse_types": (TEXT,),
    "ragged_value_types": (INT, TEXT),
    "ragged_split_types": (dtypes.int32, INT),
    "dense_shapes": ((), (2,), (None,)),
}
_ONLY = {"sparse_types": (), "ragged_value_types": (), "ragged_split_types": ()}
_DEFAULTS = [np.array(0.5, np.float32), np.array([], np.int64), array([b"-"], "string")]


def _parsed(serialized, *_, **__):
    return [
        np.array([[0, 0], [0, 1], [1, 0]]),
        names("x", "y", "z"),
        np.array([2, 2]),
        np.array([1.5, 0.5], np.float32),
        np.array([[1, 2], [3, 4]]),
        names("x", "y", "z", "-").reshape(2, 2),
        np.array([1, 2, 3, 4]),
        names("x", "y", "z"),
        np.array([0, 2, 4], np.int32),
        np.array([0, 2, 3]),
    ]


SAMPLES = {
    "ParseExampleV2": of(
        _parsed,
        (_TWO, names("a", "b"), names("s"), names("f", "i", "s"), names("i", "s"), _DEFAULTS, _ALL),
    )
    + of(
        None,
        (
            _TWO[0:1].reshape(()),
            NONE,
            names("s"),
            names("f", "i", "s"),
            names("i", "s"),
            _DEFAULTS,
            _ALL,
        ),
        (
            _TWO,
            NONE,
            NONE,
            names("i"),
            NONE,
            [np.array([], np.int64)],
            {**_ONLY, "dense_shapes": ((2, 1),)},
        ),
        (
            _TWO[:0],
            NONE,
            NONE,
            names("i"),
            NONE,
            [np.array([], np.int64)],
            {**_ONLY, "dense_shapes": ((2,),)},
        ),
        (
            _TWO,
            NONE,
            NONE,
            names("q"),
            NONE,
            [np.array([5], np.int64)],
            {**_ONLY, "dense_shapes": ((1,),)},
        ),
    ),
}
