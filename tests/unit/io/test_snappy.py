"""Snappy: what is compressed here is decompressed here; blocks of other writers are read."""

import os

import pytest

import twinflow as tf
from twinflow._src.io import snappy
from twinflow._src.io.records import frame, read_records


@pytest.mark.parametrize("size", [0, 1, 59, 60, 61, 65535, 65536, 65537, 200_000])
def test_round_trip(size):
    data = os.urandom(size)
    assert snappy.decompress(snappy.compress(data)) == data


def test_copies_are_decompressed():
    assert snappy.decompress(b"\x0c\x08abc\x15\x03") == b"abc" * 4


@pytest.mark.parametrize("data", [b"", b"\x05\x10ab", b"\x04\x01\x05", b"\xff\xff\xff\xff\x7f"])
def test_damaged_data_are_refused(data):
    with pytest.raises(tf.errors.DataLossError, match="corrupted compressed block"):
        snappy.decompress(data)


def test_streams_of_blocks_are_read(tmp_path):
    records = [os.urandom(n) for n in (0, 5, 70_000, 200_000)]
    compressor = snappy.Compressor()
    path = tmp_path / "records"
    path.write_bytes(b"".join(map(compressor.compress, map(frame, records))) + compressor.flush())
    assert list(read_records(str(path), "SNAPPY")) == records
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(tf.errors.DataLossError):
        list(read_records(str(path), "SNAPPY"))
