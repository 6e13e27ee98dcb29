"""Samples of the ops in ``_src/wings/summary/summary_ops.py``."""

import numpy as np

from twinflow._src.core.protos import message

from .._sets import of
from .._values import array

_TAGS, _TAG = array([b"a", b"b"], "string"), array(b"a", "string")


def _summary(*values):
    summary = message("Summary")(value=values)
    return array(summary.SerializeToString(), "string")


def _scalars(tags, values):
    pairs = zip(tags.ravel(), values.ravel().astype(np.float32))
    return _summary(*({"tag": tag.decode(), "simple_value": x} for tag, x in pairs))


def _ones(tag, values):
    """The histogram of ones alone."""
    count = float(values.size)
    limits = [0.9172463890397760, 1.0089710279437536, np.finfo(float).max]
    histogram = {
        **{"min": 1.0, "max": 1.0, "num": count, "sum": count, "sum_squares": count},
        "bucket_limit": limits,
        "bucket": [0.0, count, 0.0],
    }
    return _summary({"tag": "a", "histo": histogram})


def _tensor(tag, tensor, metadata):
    proto = message("TensorProto")(dtype=1, tensor_content=tensor.tobytes())
    for size in tensor.shape:
        proto.tensor_shape.dim.add(size=size)
    return _summary({"tag": "a", "tensor": proto, "metadata": {"display_name": "x"}})


_METADATA = array(message("SummaryMetadata")(display_name="x").SerializeToString(), "string")
_ONE, _TWO = ({"tag": tag, "simple_value": 1.0} for tag in "ab")
_KINDS = (np.float32, np.float64, np.float16, np.int32, np.uint8, np.int64)

SAMPLES = {
    "ScalarSummary": of(_scalars, *((_TAGS, np.array([1, 2], kind)) for kind in _KINDS))
    + of(_scalars, (_TAG, np.array(2.5, np.float32))),
    "HistogramSummary": of(_ones, *((_TAG, np.ones(3, kind)) for kind in _KINDS)),
    "ImageSummary": of(
        None,
        (_TAG, np.arange(24, dtype=np.uint8).reshape(2, 2, 2, 3)),
        (_TAG, np.linspace(-1, 1, 16, dtype=np.float32).reshape(2, 2, 4, 1), {"max_images": 1}),
        (_TAG, np.full((1, 1, 2, 3), np.nan)),
    ),
    "AudioSummaryV2": of(
        None,
        (_TAG, np.zeros((2, 3, 1), np.float32), np.array(8000, np.float32)),
        (_TAG, np.ones((2, 3), np.float32), np.array([10], np.float32), {"max_outputs": 1}),
    ),
    "TensorSummaryV2": of(_tensor, (_TAG, np.array([1.5, 2], np.float32), _METADATA)),
    "MergeSummary": of(lambda inputs: _summary(_ONE, _TWO), ([_summary(_ONE), _summary(_TWO)],)),
}
