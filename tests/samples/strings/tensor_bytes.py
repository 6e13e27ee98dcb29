"""Samples of the ops in ``_src/ops/strings/tensor_bytes.py``."""

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.graph_serialization.tensor_proto import content_proto

from .._sets import of
from .._values import ANY, array, counted


def _packed(values, dtype):
    return array(content_proto(values, dtypes.as_dtype(dtype)).SerializeToString(), "string")


_TENSORS = [(counted(shape, dtype), dtype) for dtype in ANY for shape in ((2, 3),)]
_TENSORS += [(counted(shape), "float32") for shape in ((), (0,), (2, 0, 1))]
_JSON = b'{"features": {"feature": {"a": {"int64List": {"value": [1, 2]}}}}}'

SAMPLES = {
    "SerializeTensor": of(
        lambda values, T: np.asarray(_packed(values, T)),
        *[(values, {"T": dtype}) for values, dtype in _TENSORS],
    ),
    "ParseTensor": [
        *of(None, *[(_packed(values, dtype), {"out_type": dtype}) for values, dtype in _TENSORS]),
        *of(
            lambda _, out_type: counted((2, 3)),
            (_packed(counted((2, 3)), "float32"), {"out_type": "float32"}),
        ),
    ],
    "DecodeJSONExample": of(None, (array([_JSON, b"{}"], "string"),), (array(_JSON, "string"),)),
}
