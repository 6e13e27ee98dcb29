"""Samples of the ops in ``_src/wings/io_examples/protos.py``."""

import numpy as np

from twinflow._src.core import dtypes

from .._sets import of
from .parse_example import packed

_LISTS = packed("Int64List", {"value": [1, 2, 300]}, {"value": [-1]})
_SIZES, _VALUES = np.array([[3], [1]], np.int32), np.array([[1, 2, 300], [-1, 0, 0]])
_FIELDS = {"message_type": "tensorflow.Int64List", "field_names": ("value",)}
_TYPES = {"output_types": (dtypes.int64,)}

SAMPLES = {
    "DecodeProtoV2": of(
        lambda x, *_, **__: [_SIZES.reshape(*x.shape, 1), _VALUES.reshape(*x.shape, 3)],
        (_LISTS, _FIELDS | _TYPES),
        (_LISTS.reshape(2, 1), _FIELDS | _TYPES),
    ),
    "EncodeProto": of(
        lambda sizes, *_, **__: _LISTS.reshape(sizes.shape[:-1]),
        (_SIZES, [_VALUES], _FIELDS),
        (_SIZES.reshape(2, 1, 1), [_VALUES.reshape(2, 1, 3)], _FIELDS),
    ),
}
