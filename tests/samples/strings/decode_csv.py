"""Samples of the ops in ``_src/ops/strings/decode_csv.py``."""

import numpy as np

from .._sets import of
from .._values import array

_LINES = array([b"1,2.5,abc", b',,"a, ""b"""', b"-7,1e3,"], "string")
_DEFAULTS = [np.array([9], np.int32), np.array([0.5], np.float32), array([b"none"], "string")]


def _columns(records, defaults, **_):
    return [
        np.array([1, 9, -7], np.int32),
        np.array([2.5, 0.5, 1e3], np.float32),
        array([b"abc", b'a, "b"', b"none"], "string"),
    ]


SAMPLES = {
    "DecodeCSV": of(_columns, (_LINES, _DEFAULTS))
    + of(
        None,
        (
            array(b"1;NA;3", "string"),
            [np.array([0], np.int64), np.array(5.0)],
            {"field_delim": ";", "na_value": "NA", "select_cols": (0, 1)},
        ),
        (array([[b"1 2"], [b"3 4"]], "string"), [np.array([], np.int32)] * 2, {"field_delim": " "}),
        (array([], "string"), [np.array([1], np.int32)]),
    ),
}
