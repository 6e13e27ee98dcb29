"""Files and records beyond the recorded answers: compression, what is left open, packages that are absent."""

import gc
import gzip
import random
import struct
import sys
import tracemalloc
import warnings
import zlib

import pytest

import twinflow as tf
from twinflow._src.io import records

PACK = {"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}
UNPACK = {"": bytes, "GZIP": gzip.decompress, "ZLIB": zlib.decompress}
STRINGS = [b"", b"a", b"\x00" * 70_000, "\u00e9".encode()]


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records_come_back(tmp_path, kind):
    path = str(tmp_path / "records")
    with tf.io.TFRecordWriter(path, kind) as writer:
        for string in STRINGS:
            writer.write(string)
    assert list(records.tf_record_iterator(path, kind)) == STRINGS
    size = sum(16 + len(string) for string in STRINGS)
    assert len(UNPACK[kind]((tmp_path / "records").read_bytes())) == size


@pytest.mark.parametrize("level", [0, 1, 9])
def test_options_of_compression_are_read_by_any_reader(tmp_path, level):
    path = str(tmp_path / "records")
    options = tf.io.TFRecordOptions("GZIP", compression_level=level, mem_level=5, window_bits=12)
    with tf.io.TFRecordWriter(path, options) as writer:
        writer.write("text")
    assert list(records.tf_record_iterator(path, "GZIP")) == [b"text"]


@pytest.mark.parametrize("kind", ["", "GZIP"])
def test_a_writer_that_is_dropped_finishes_its_file(tmp_path, kind):
    path = str(tmp_path / "records")
    writer = tf.io.TFRecordWriter(path, kind)
    writer.write("text")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del writer
        gc.collect()
    assert list(records.tf_record_iterator(path, kind)) == [b"text"]


def test_files_that_are_dropped_are_closed_in_silence(tmp_path):
    path = str(tmp_path / "file")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tf.io.gfile.GFile(path, "w").write("text")
        file = tf.io.gfile.GFile(path)
        ring = [file]
        ring.append(ring)
        assert file.read() == "text"
        del file, ring
        gc.collect()


@pytest.mark.parametrize("place", [0, 8, 12, 18])
def test_a_changed_byte_is_found(tmp_path, place):
    path = tmp_path / "records"
    with tf.io.TFRecordWriter(str(path)) as writer:
        writer.write("abcdef")
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(tf.errors.DataLossError, match="corrupted record at "):
        list(records.tf_record_iterator(str(path)))


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
@pytest.mark.parametrize("length", [2**32, 2**40, 2**62, 2**63, 2**64 - 16])
def test_lengths_that_no_file_has(tmp_path, kind, length):
    header = struct.pack("<Q", length)
    path = tmp_path / "records"
    path.write_bytes(PACK[kind](header + records._checksum(header) + b"abc"))
    tracemalloc.start()
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 0"):
        list(records.tf_record_iterator(str(path), kind))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 26


@pytest.mark.parametrize("kind", ["", "GZIP"])
@pytest.mark.parametrize("extra", [-5, -4, -3, 0, 1])
def test_records_of_several_pieces(tmp_path, monkeypatch, kind, extra):
    monkeypatch.setattr(records, "_CHUNK_OF_BODY", 64)
    path = str(tmp_path / "records")
    strings = [bytes(range(256))[: 64 * i + extra] for i in range(1, 4)]
    with tf.io.TFRecordWriter(path, kind) as writer:
        for string in strings:
            writer.write(string)
    assert list(records.tf_record_iterator(path, kind)) == strings


def damaged(whole, draw):
    """Bytes of which some are changed, put in, or left out."""
    data = bytearray(whole)
    for _ in range(draw.randint(1, 3)):
        place, way = draw.randrange(len(data) + 1), draw.randrange(4)
        if way == 0 and place < len(data):
            data[place] ^= 1 << draw.randrange(8)
        elif way == 1:
            data[place:place] = draw.randbytes(draw.randint(1, 9))
        else:
            del data[place : place + draw.randint(1, 9) if way == 2 else len(data)]
    return bytes(data)


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_damaged_files(tmp_path, kind):
    path, draw = tmp_path / "records", random.Random(1)
    strings = [b"abc" * i * 7 for i in range(5)]
    with tf.io.TFRecordWriter(str(path), kind) as writer:
        for string in strings:
            writer.write(string)
    whole, refused = path.read_bytes(), 0
    for _ in range(300):
        path.write_bytes(damaged(whole, draw))
        found = []
        try:
            for record in records.tf_record_iterator(str(path), kind):
                found.append(record)
        except tf.errors.DataLossError:
            refused += 1
        assert found == strings[: len(found)]
    assert refused > 150


@pytest.mark.parametrize(
    ("module", "package", "call"),
    [
        ("google_crc32c", "google-crc32c", lambda path: tf.io.TFRecordWriter(path).write("a")),
        ("google.protobuf", "protobuf", lambda path: records.needed("google.protobuf", "protobuf")),
    ],
)
def test_absent_packages_are_named(tmp_path, monkeypatch, module, package, call):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=package):
        call(str(tmp_path / "records"))


def test_strings_in_one_piece_are_parsed():
    message = tf.make_tensor_proto(["", ""])
    del message.string_val[:]
    message.tensor_content = b"\xac\x02\x00" + b"a" * 300
    assert tf.io.parse_tensor(message.SerializeToString(), tf.string).numpy().tolist() == [
        b"a" * 300,
        b"",
    ]
    for content in (b"\x01\x01abc", b"\x01\x09abc", b"\x01\xac"):
        message.tensor_content = content
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot parse tensor from proto"):
            tf.io.parse_tensor(message.SerializeToString(), tf.string)
