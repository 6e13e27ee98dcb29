"""Samples of the ops in ``_src/ops/strings/encoding.py``."""

import base64
import gzip
import zlib

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.graph_serialization.tensor_proto import content_proto

from .._sets import of
from .._values import ANY, array, counted, index, strings

_WORDS = array([[b"", b"a", b"ab"], [b"abc", b"\xff\xfe\xfd\xfb", b"hello"]], "string")
_CODES = array([b"", b"YQ", b"YWI=", b"YWJj", b"__79-w", b"aGVsbG8"], "string")
_BYTES = array([b"abcdefgh", b"ijklmnop"], "string")


def _raw(values, out_type, little_endian=True):
    kind = np.dtype(out_type)
    found = [
        np.frombuffer(v, kind if little_endian else kind.newbyteorder(">")) for v in values.ravel()
    ]
    return np.array(found).astype(kind).reshape(*values.shape, -1)


def _padded(values, length, out_type, little_endian=True):
    cut = [v[: int(length)].ljust(int(length), b"\0") for v in values.ravel()]
    return _raw(array(cut, "string").reshape(values.shape), out_type, little_endian)


def _packed(values, dtype):
    return array(content_proto(values, dtypes.as_dtype(dtype)).SerializeToString(), "string")


_TENSORS = [(counted(shape, dtype), dtype) for dtype in ANY for shape in ((2, 3),)]
_TENSORS += [(counted(shape), "float32") for shape in ((), (0,), (2, 0, 1))]
_JSON = b'{"features": {"feature": {"a": {"int64List": {"value": [1, 2]}}}}}'

SAMPLES = {
    "EncodeBase64": of(
        strings(lambda s: base64.urlsafe_b64encode(s).rstrip(b"=")),
        (_WORDS,),
        (_WORDS[:0],),
        (array(b"x", "string"),),
    )
    + of(lambda values, pad: strings(base64.urlsafe_b64encode)(values), (_WORDS, {"pad": True})),
    "DecodeBase64": of(
        strings(lambda s: base64.urlsafe_b64decode(s + b"=" * (-len(s) % 4))),
        (_CODES,),
        (_CODES.reshape(2, 3),),
    ),
    "DecodeRaw": of(
        _raw,
        *[
            (_BYTES, {"out_type": dtype, "little_endian": little})
            for dtype in (
                "uint8",
                "int16",
                "uint16",
                "int32",
                "int64",
                "float32",
                "float64",
                "complex64",
            )
            for little in (True,) + ((False,) if dtype != "complex64" else ())
        ],
        (array([[b""], [b""]], "string"), {"out_type": "int8"}),
        (array(b"abcd", "string"), {"out_type": "int32"}),
    )
    + of(
        None,
        (_BYTES, {"out_type": "bool"}),
        (_BYTES, {"out_type": "bfloat16"}),
        (_BYTES, {"out_type": "complex64", "little_endian": False}),
        (_BYTES[:0], {"out_type": "int8"}),
    ),
    "DecodePaddedRaw": of(
        _padded,
        (array([b"a", b"abcdef"], "string"), index(4), {"out_type": "int16"}),
        (
            array([[b"a", b"abcdef"]], "string"),
            index(4),
            {"out_type": "int16", "little_endian": False},
        ),
        (array(b"ab", "string"), index(8), {"out_type": "float64"}),
    ),
    "DecodeCompressed": of(
        None,
        (_WORDS,),
        (
            array([zlib.compress(b"a"), zlib.compress(b"bc" * 100)], "string"),
            {"compression_type": "ZLIB"},
        ),
        (array([gzip.compress(b"a", mtime=0)], "string"), {"compression_type": "GZIP"}),
    ),
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
