"""Features of a whole batch, decoded from the wire, beside the same features parsed one by one."""

import random

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.core import dtypes
from twinflow._src.core.errors import invalid
from twinflow._src.core.protos import message
from twinflow._src.io.varints import varint
from twinflow._src.wings.io_examples import values

KINDS = {"bytes_list": dtypes.string, "float_list": dtypes.float32, "int64_list": dtypes.int64}
INTEGERS = [0, 1, 127, 128, -1, 2**40, -(2**63), 2**63 - 1, 300]


def field(number, data):
    return bytes([number << 3 | 2]) + varint(len(data)) + data


def feature(draw, kind, is_packed):
    """A serialized feature of a kind, packed or with a tag before each value."""
    count = draw.choice([0, 1, 1, 2, 3, 40, 200])
    if kind == "bytes_list":
        texts = [draw.randbytes(draw.choice([0, 1, 3, 200])) for _ in range(count)]
        return field(1, b"".join(field(1, text) for text in texts))
    if kind == "float_list":
        parts = [np.float32(draw.choice([0, 1.5, -2, 1e30])).tobytes() for _ in range(count)]
        tag, number = b"\x0d", 2
    else:
        parts = [varint(draw.choice(INTEGERS) & (1 << 64) - 1) for _ in range(count)]
        tag, number = b"\x08", 3
    packed = field(1, b"".join(parts))
    return field(number, packed if is_packed else b"".join(tag + part for part in parts))


def parsed(data, kind):
    """The values of a feature by protobuf's own parser; None for no list."""
    feature = message("Feature").FromString(data or b"")
    return list(getattr(feature, kind).value) if feature.WhichOneof("kind") else None


def damaged(row):
    return invalid(f"row {row}")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(40))
def test_columns_are_what_protobuf_parses(kind, seed):
    draw = random.Random(seed)
    rows = [
        draw.choice([None, b""])
        if draw.random() < 0.1
        else feature(draw, kind, is_packed=draw.random() < 0.8)
        for _ in range(draw.choice([0, 1, 2, 30]))
    ]
    expected = [parsed(row, kind) for row in rows]
    column = values.decode_column(rows, KINDS[kind], damaged)
    missing = np.zeros(len(rows), bool) if column.is_missing is None else column.is_missing
    assert missing.tolist() == [row is None for row in expected]
    assert column.counts.tolist() == [len(row or []) for row in expected]
    assert column.values.tolist() == [value for row in expected for value in row or []]
    assert column.values.dtype == KINDS[kind].np


@pytest.mark.parametrize("rows", [2, 60])
@pytest.mark.parametrize("tail", [b"\x80", b"\xff" * 11 + b"\x01"])
def test_a_torn_integer_is_an_error_of_its_row(rows, tail):
    whole = field(3, field(1, varint(1 << 40)))
    data = [whole] * rows
    data[1] = field(3, field(1, tail))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"^row 1$"):
        values.decode_column(data, dtypes.int64, damaged)


def test_another_type_is_an_error_of_its_row():
    data = [field(3, field(1, b"\x01")), field(2, field(1, bytes(4)))]
    with pytest.raises(values.WrongType) as caught:
        values.decode_column(data, dtypes.int64, damaged)
    assert (caught.value.row, caught.value.dtype) == (1, dtypes.float32)


def test_a_feature_of_no_elements_is_required_without_a_default():
    example = tf.train.Example().SerializeToString()
    spec = {"x": tf.io.FixedLenFeature([0], tf.float32)}
    said = r"Feature: x \(data type: float\) is required but could not be found."
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        tf.io.parse_example([example], spec)
