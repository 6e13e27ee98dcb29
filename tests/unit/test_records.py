"""Files and records beyond the recorded answers: compression, what is left open, packages that are absent."""

import gc
import gzip
import sys
import warnings
import zlib

import pytest

import twinflow as tf
from twinflow.files import records

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
    assert tf.io.parse_tensor(message.SerializeToString(), tf.string).numpy().tolist() == [b"a" * 300, b""]
    for content in (b"\x01\x01abc", b"\x01\x09abc", b"\x01\xac"):
        message.tensor_content = content
        with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot parse tensor from proto"):
            tf.io.parse_tensor(message.SerializeToString(), tf.string)
