"""Tensors in NumPy's archives and in files of safetensors."""

from __future__ import annotations

import json
import os
import random

import ml_dtypes
import numpy as np
import pytest

import twinflow as tf
from twinflow import checkpoint
from twinflow._src.core.errors import (
    DataLossError,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
)


def tensors():
    return {
        "b": tf.Variable([1.0, 2.0]),
        "a/x": tf.constant([[1, 2]], tf.int64),
        "half": tf.constant([1.5, -2.0], tf.float16),
        "brain": tf.constant([1.5, -2.0], tf.bfloat16),
        "eight": tf.constant(np.array([1.5, -2.0], ml_dtypes.float8_e5m2)),
        "scalar": tf.constant(3.0),
        "truth": tf.constant([True, False]),
        "none": tf.zeros([0, 3]),
        "complex": tf.constant([1 + 2j], tf.complex64),
        "é": tf.constant([1, 2], tf.uint8),
        "turned": tf.transpose(tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])),
    }


def assert_same(found, expected):
    assert set(found) == set(expected)
    for name, value in expected.items():
        assert (found[name].dtype, found[name].shape) == (value.dtype, value.shape), name
        assert np.array_equal(np.asarray(found[name].numpy()), np.asarray(value.numpy())), name


# ------------------------------------------------------------------ safetensors


def test_safetensors_there_and_back(tmp_path):
    checkpoint.save_safetensors(tmp_path / "f", tensors(), metadata={"by": "us"})
    assert_same(checkpoint.load_safetensors(tmp_path / "f"), tensors())
    assert os.listdir(tmp_path) == ["f"]


def test_safetensors_to_the_byte(tmp_path):
    """The bytes are those that the library of that name writes."""
    checkpoint.save_safetensors(
        tmp_path / "f",
        {"w": tf.constant([1.0]), "i": tf.constant([2], tf.int64)},
        metadata={"k": "v"},
    )
    header = (
        b'{"__metadata__":{"k":"v"},"i":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},'
        b'"w":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}}'
    )
    header += b" " * (-len(header) % 8)
    data = b"\2" + b"\0" * 7 + b"\0\0\x80\x3f"
    assert (tmp_path / "f").read_bytes() == len(header).to_bytes(8, "little") + header + data


def test_safetensors_and_the_library(tmp_path):
    library = pytest.importorskip("safetensors.numpy")
    plain = {k: v for k, v in tensors().items() if k not in ("brain", "eight", "complex")}
    checkpoint.save_safetensors(tmp_path / "ours", plain)
    library.save_file({k: np.asarray(v.numpy()) for k, v in plain.items()}, tmp_path / "theirs")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    assert_same(checkpoint.load_safetensors(tmp_path / "theirs"), plain)
    found = library.load_file(tmp_path / "ours")
    assert all(np.array_equal(found[k], v.numpy()) for k, v in plain.items())


def forged(path, header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return path


def entry(dtype="U8", shape=(4,), offsets=(0, 4)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.mark.parametrize(
    "header, data, said",
    [
        (b"", b"", "header is damaged"),
        (b"[]", b"", "it is no object"),
        (b'{"a":1,"a":2}', b"", "a name occurs twice"),
        (b"{" * 100_000, b"", "header is damaged"),
        (b"\xff", b"", "header is damaged"),
        ({"a": 3}, b"", "a in .* the header is damaged"),
        ({"a": entry("F7")}, b"1234", "there is no type F7"),
        ({"a": entry(shape=(5,))}, b"1234", "its size is not that of its shape"),
        ({"a": entry(shape=(-4,))}, b"1234", "a size is no number"),
        ({"a": entry(shape=(2**60, 2**60))}, b"1234", "its size is not that of its shape"),
        ({"a": entry(shape=(True, 4))}, b"1234", "a size is no number"),
        ({"a": entry(offsets=(1, 5))}, b"12345", "do not follow each other"),
        ({"a": entry(), "b": entry()}, b"1234", "do not follow each other"),
        ({"a": entry()}, b"12345", "5 bytes of data instead of 4"),
        ({"a": entry(shape=(2**40,), offsets=(0, 2**40))}, b"1234", "bytes of data"),
    ],
)
def test_safetensors_that_are_damaged(header, data, said, tmp_path):
    with pytest.raises(DataLossError, match=said):
        checkpoint.load_safetensors(forged(tmp_path / "f", header, data))


@pytest.mark.parametrize("data", [b"", b"1234567", b"\xff" * 8, b"\xff" * 100])
def test_files_that_are_no_safetensors(data, tmp_path):
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(DataLossError, match="is no file of safetensors"):
        checkpoint.load_safetensors(tmp_path / "f")


@pytest.mark.parametrize("value", [tf.constant(["text"]), tf.constant(1 + 2j)])
def test_safetensors_has_not_all_types(value, tmp_path):
    with pytest.raises(InvalidArgumentError, match="cannot be in a file of safetensors"):
        checkpoint.save_safetensors(tmp_path / "f", {"a": value})
    assert not os.listdir(tmp_path)


# ------------------------------------------------------------------ npz


@pytest.mark.parametrize("compressed", [False, True])
def test_npz_there_and_back(compressed, tmp_path):
    expected = {
        **tensors(),
        "words": tf.constant(["a", "", "bcd"]),
        "four": tf.constant(np.array([1, -2], ml_dtypes.int4)),
        "large": tf.random.uniform([300, 300]),
    }
    checkpoint.save_npz(tmp_path / "f.npz", expected, compressed=compressed)
    assert_same(checkpoint.load_npz(tmp_path / "f.npz"), expected)
    with np.load(tmp_path / "f.npz", allow_pickle=False) as archive:
        assert set(archive) == {*expected, ".dtypes"}
        assert archive["a/x"].tolist() == [[1, 2]]
    assert os.listdir(tmp_path) == ["f.npz"]


def test_npz_of_numpy(tmp_path):
    arrays = {
        "f": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "u": np.array(["é", "b"]),
        "big": np.arange(3, dtype=">i4"),
        "bytes": np.array([b"x", b"yy"]),
    }
    np.savez(tmp_path / "f.npz", **arrays)
    found = checkpoint.load_npz(tmp_path / "f.npz")
    assert found["f"].numpy().tolist() == arrays["f"].tolist()
    assert found["f"].numpy().flags.c_contiguous
    assert found["u"].numpy().tolist() == ["é".encode(), b"b"]
    assert (found["big"].dtype, found["big"].numpy().tolist()) == (tf.int32, [0, 1, 2])
    assert found["bytes"].numpy().tolist() == [b"x", b"yy"]


@pytest.mark.parametrize(
    "array, said",
    [
        (np.array([{}], object), "holds Python objects, which are not read"),
        (np.zeros(1, "M8[s]"), "which no tensor has"),
        (np.zeros(1, [("a", "i4")]), "which no tensor has"),
    ],
)
def test_npz_with_what_no_tensor_is(array, said, tmp_path):
    np.savez(tmp_path / "f.npz", a=array)
    with pytest.raises(DataLossError, match=said):
        checkpoint.load_npz(tmp_path / "f.npz")


def test_npz_with_strings_that_numpy_would_change(tmp_path):
    with pytest.raises(InvalidArgumentError, match="end in zero bytes"):
        checkpoint.save_npz(tmp_path / "f.npz", {"a": tf.constant([b"a\0"])})
    assert not os.listdir(tmp_path)


def test_npz_that_is_damaged(tmp_path):
    path, choose = tmp_path / "f.npz", random.Random(3)
    expected = {"a": tf.constant([1.0, 2.0]), "b": tf.constant([3, 4])}
    checkpoint.save_npz(path, expected)
    data = path.read_bytes()
    for trial in range(300):
        changed = bytearray(data)
        if trial % 2:
            changed[choose.randrange(len(data))] ^= choose.randrange(1, 256)
        else:
            del changed[choose.randrange(len(data)) :]
        path.write_bytes(changed)
        try:
            found = checkpoint.load_npz(path)
        except DataLossError:
            continue
        for name in set(found) & set(expected):  # a name, a date: what no checksum is of
            assert np.array_equal(found[name].numpy(), expected[name].numpy())


# ------------------------------------------------------------------ both


@pytest.mark.parametrize("kind", ["npz", "safetensors"])
class TestBoth:
    def test_names_are_texts(self, kind, tmp_path):
        with pytest.raises(TypeError, match="Names of tensors are text"):
            getattr(checkpoint, f"save_{kind}")(tmp_path / "f", {3: tf.constant(1)})

    def test_tensors_of_graphs_have_no_values(self, kind, tmp_path):
        with tf.Graph().as_default(), pytest.raises(InvalidArgumentError, match="has no value yet"):
            getattr(checkpoint, f"save_{kind}")(tmp_path / "f", {"a": tf.constant(1)})

    def test_missing_files(self, kind, tmp_path):
        with pytest.raises(NotFoundError, match="No such file or directory"):
            getattr(checkpoint, f"load_{kind}")(tmp_path / "f")

    def test_a_full_disk(self, kind, tmp_path, monkeypatch):
        save, load = getattr(checkpoint, f"save_{kind}"), getattr(checkpoint, f"load_{kind}")
        save(tmp_path / "f", {"a": tf.constant(1)})

        def full(descriptor):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(ResourceExhaustedError, match="No space left on device"):
            save(tmp_path / "f", {"a": tf.constant(2)})
        monkeypatch.undo()
        assert load(tmp_path / "f")["a"].numpy() == 1
        assert os.listdir(tmp_path) == ["f"]

    def test_not_durable(self, kind, tmp_path, monkeypatch):
        monkeypatch.delattr(os, "fsync")
        getattr(checkpoint, f"save_{kind}")(tmp_path / "f", {"a": tf.constant(1)}, durable=False)


def test_other_names():
    with pytest.raises(AttributeError, match="has no attribute 'save_pickle'"):
        checkpoint.save_pickle
