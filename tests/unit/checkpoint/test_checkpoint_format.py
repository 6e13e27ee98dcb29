"""Checkpoint files: those that TensorFlow wrote are read, and written again they are the same bytes."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.golden import exchange
from twinflow._src.checkpoint import bundle, entries, sstable, values
from twinflow._src.checkpoint.entries import Part
from twinflow._src.checkpoint.reader import Reader
from twinflow._src.checkpoint.writer import Item, write
from twinflow._src.core import dtypes
from twinflow._src.core.errors import (
    DataLossError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    ResourceExhaustedError,
)
from twinflow._src.io import atomic_write, crc

GOLDENS = exchange.FOLDER
CONTENTS = json.loads((GOLDENS / "contents.json").read_text("utf-8"))
DIGESTS = json.loads((GOLDENS / "digests.json").read_text("utf-8"))


def item(key, array, dtype=None, **more):
    array = np.asarray(array)
    return Item(key, lambda: array, dtype or dtypes.as_dtype(array.dtype), array.shape, **more)


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def copied(prefix):
    """Returns what a checkpoint holds, as items in the order of its data."""
    source = Reader(prefix)._source
    found = []
    for key, entry in source.entries.items():
        for part in entry.parts or (None,):
            one = source.part(entry, part) if part else entry
            array = np.empty(one.shape, one.dtype.np)
            source.fill([(one, array)], lambda count: None)
            found.append(
                (one.shard, one.offset, item(key, array, one.dtype, part=part, shard=one.shard))
            )
    return [each for *_, each in sorted(found, key=lambda row: row[:2])], source.count


# ------------------------------------------------------------------ what TensorFlow wrote


@pytest.mark.parametrize("name", CONTENTS)
def test_reads_what_a_program_saved(name):
    reader = Reader(GOLDENS / CONTENTS[name]["prefix"])
    expected = CONTENTS[name]["tensors"]
    assert reader.keys() == sorted(expected)
    found = reader.read_all(reader.keys())
    for key, tensor in expected.items():
        assert (reader.dtype(key).name, list(reader.shape(key))) == (
            tensor["dtype"],
            tensor["shape"],
        )
        value = tensor.get("value", {})
        if "b64" in value:
            raw = np.frombuffer(base64.b64decode(value["b64"]), value["dtype"]).reshape(
                value["shape"]
            )
            np.testing.assert_array_equal(found[key].astype(raw.dtype), raw)


@pytest.mark.parametrize("name", CONTENTS)
def test_writes_it_again_to_the_byte(name, tmp_path):
    prefix = GOLDENS / CONTENTS[name]["prefix"]
    items, shards = copied(prefix)
    write(tmp_path / prefix.name, items, shards=shards)
    for file, data in files(tmp_path).items():
        assert data == (prefix.parent / file).read_bytes(), file


@pytest.mark.parametrize("case", exchange.TABLE)
def test_writes_the_bytes_that_tensorflow_writes(case, tmp_path):
    exchange.write_case(tmp_path / "ckpt", case)
    found = files(tmp_path)
    if case in DIGESTS:
        assert {name: hashlib.sha256(data).hexdigest() for name, data in found.items()} == DIGESTS[
            case
        ]
    else:
        assert found == files(GOLDENS / case)


@pytest.mark.parametrize("case", exchange.TABLE)
def test_reads_the_table_whole_and_in_parts(case, tmp_path):
    prefix = GOLDENS / case / "ckpt"
    if case in DIGESTS:
        prefix = tmp_path / "ckpt"
        exchange.write_case(prefix, case, durable=False)
    reader, expected = Reader(prefix), exchange.whole(case)
    found = reader.read_all(expected)
    assert reader.keys() == sorted(expected)
    assert all(exchange.same(found[key], expected[key]) for key in expected)
    assert {saved.dtype for saved in exchange.TABLE[case]} == {
        reader.dtype(key).name for key in expected
    }
    for saved in exchange.TABLE[case]:
        part = values.parse_slice_spec(saved.spec)
        if part is not None:
            assert exchange.same(reader.read_part(saved.key, part.starts, part.sizes), saved.array)


def test_reads_the_first_format():
    reader = Reader(GOLDENS / "raw_v1" / "ckpt")
    found = reader.read_all(reader.keys())
    for saved in exchange.FIRST_FORMAT:
        assert reader.dtype(saved.key).name == saved.dtype
        assert exchange.same(found[saved.key], saved.array)
    assert exchange.same(found["p"], exchange.PARTITIONED)
    assert exchange.same(reader.read_part("p", (2, 0), (3, 1)), exchange.PARTITIONED[2:5, :1])
    assert exchange.same(reader.read("half"), exchange._values("float16", (5,)))


# ------------------------------------------------------------------ writing


def test_replaces_a_checkpoint_under_other_names(tmp_path):
    for value in range(4):
        write(tmp_path / "c", [item("x", np.int32(value))])
        assert Reader(tmp_path / "c").read("x") == value
        count = 1 + value % 2
        assert sorted(files(tmp_path)) == [
            *(f"c.data-{i:05d}-of-{count:05d}" for i in range(count)),
            "c.index",
        ]


def test_an_open_reader_keeps_what_it_has_opened(tmp_path):
    write(tmp_path / "c", [item("x", np.int32(1)), item("y", np.int32(2))])
    reader = Reader(tmp_path / "c")
    assert reader.read("x") == 1
    write(tmp_path / "c", [item("x", np.int32(3)), item("y", np.int32(4))])
    assert reader.read("y") == 2


def test_makes_directories_and_tells_how_far_it_is(tmp_path):
    told, done = [], []
    arrays = {f"x{i}": np.full(300_000, i, np.float32) for i in range(20)}
    write(
        tmp_path / "a" / "b" / "c",
        [item(k, v) for k, v in arrays.items()],
        progress=lambda *p: told.append(p),
    )
    size = 20 * 1_200_000
    assert told[-1] == (size, size) and told == sorted(told)
    found = Reader(tmp_path / "a" / "b" / "c").read_all(arrays, lambda *p: done.append(p))
    assert done[-1] == (size, size) and done == sorted(done)
    assert all((found[key] == arrays[key]).all() for key in arrays)


def test_tells_how_far_a_single_tensor_is(tmp_path):
    told = []
    write(
        tmp_path / "c",
        [item("x", np.zeros(5 << 20, np.uint8))],
        progress=lambda *p: told.append(p[0]),
    )
    assert told == [*(n << 20 for n in range(1, 6)), 5 << 20, 5 << 20]


def test_many_strings(tmp_path):
    array = np.array([b"x" * (n % 7 * 1000) for n in range(2000)], object)
    write(tmp_path / "c", [item("x", array, dtypes.string)])
    assert exchange.same(Reader(tmp_path / "c").read("x"), array)


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """The calls of the system that make files durable and give them names, in order."""
    calls, paths = [], {}

    def noted(name):
        real = getattr(os, name)

        def call(*arguments, **more):
            found = real(*arguments, **more)
            if name == "open":
                paths[found] = os.path.relpath(arguments[0], tmp_path).split(".tf-")[0]
            elif name == "replace":
                calls.append(f"name {os.path.relpath(arguments[1], tmp_path)}")
            else:
                calls.append(f"{name} {paths[arguments[0]]}")
            return found

        monkeypatch.setattr(os, name, call)

    for name in ("open", "fsync", "replace"):
        noted(name)
    return calls


def test_the_disk_has_everything_before_it_counts(calls, tmp_path):
    """Files are synchronised before they get their names, and names before the index gets its own."""
    write(tmp_path / "c", [item("x", 1), item("y", 2, shard=1)], shards=2)
    assert calls == [
        "fsync c.data-00000-of-00002",
        "fsync c.data-00001-of-00002",
        "fsync c.index",
        "name c.data-00000-of-00002",
        "name c.data-00001-of-00002",
        "fsync .",
        "name c.index",
        "fsync .",
    ]
    calls.clear()
    write(tmp_path / "c", [item("x", 1)], durable=False)
    assert calls == ["name c.data-00000-of-00001", "name c.index"]


def test_the_disk_has_a_file_before_it_takes_the_place_of_another(calls, tmp_path):
    atomic_write.replace(str(tmp_path / "checkpoint"), b"new")
    assert calls == ["fsync checkpoint", "name checkpoint", "fsync ."]
    calls.clear()
    atomic_write.replace(str(tmp_path / "checkpoint"), b"newer", durable=False)
    assert calls == ["name checkpoint"]


def test_the_disk_knows_directories_that_are_made(calls, tmp_path):
    atomic_write.make_folder(str(tmp_path / "a" / "b"), True)
    atomic_write.make_folder(str(tmp_path / "a" / "b"), True)
    assert calls == ["fsync .", "fsync a"]
    calls.clear()
    atomic_write.make_folder(str(tmp_path / "c" / "d"), False)
    assert calls == []


def test_calls_before_the_commit(tmp_path):
    seen = []
    write(
        tmp_path / "c", [item("x", 1)], before_commit=lambda: seen.append(sorted(files(tmp_path)))
    )
    assert len(seen[0]) == 1 and seen[0][0].endswith(".tmp")

    def refuse():
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        write(tmp_path / "c", [item("x", 2)], before_commit=refuse)
    assert Reader(tmp_path / "c").read("x") == 1
    assert len(files(tmp_path)) == 2


@pytest.mark.parametrize(
    "items, said",
    [
        ([item("a", 1), item("a", 2)], "Adding duplicate key: a"),
        ([item("", 1)], "A key is empty"),
        ([item("a", 1, shard=1)], "shard 1 of 1"),
        ([item("a", np.float32(1), dtypes.int32)], "Key a is of type int32"),
        ([item("a", np.array(None), dtypes.resource)], "of type resource"),
        (
            [
                item("a", [1], part=Part((2,), (0,), (1,))),
                item("a", [1.0], part=Part((2,), (1,), (1,))),
            ],
            "not of one type",
        ),
    ],
)
def test_refuses_to_write(items, said, tmp_path):
    with pytest.raises(InvalidArgumentError, match=said):
        write(tmp_path / "c", items)
    assert not files(tmp_path)


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=30),
        hnp.arrays(
            st.sampled_from(["f4", "f8", "i1", "i8", "u2", "?", "c8"]).map(np.dtype),
            hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5),
        ),
        max_size=8,
    )
)
@settings(deadline=None, max_examples=25)
def test_any_arrays_come_back(tmp_path_factory, arrays):
    prefix = tmp_path_factory.mktemp("p") / "c"
    write(prefix, [item(key, array) for key, array in arrays.items()], durable=False)
    reader = Reader(prefix)
    assert reader.keys() == sorted(arrays)
    found = reader.read_all(arrays)
    assert all(exchange.same(found[key], arrays[key]) for key in arrays)
    assert all(reader.dtype(key) is dtypes.as_dtype(arrays[key].dtype) for key in arrays)


# ------------------------------------------------------------------ reading


def test_reads_into_an_array_that_is_there(tmp_path):
    array = np.arange(5_000_000, dtype=np.float32)
    write(tmp_path / "c", [item("x", array)], durable=False)
    out = np.zeros_like(array)
    assert Reader(tmp_path / "c").read("x", out) is out
    assert (out == array).all()
    with pytest.raises(ValueError, match="is not contiguous"):
        Reader(tmp_path / "c").read("x", np.zeros((array.size, 2), np.float32)[:, 0])


def test_bytes_of_the_other_order_are_turned(tmp_path):
    arrays = {
        "f": np.arange(3, dtype=np.float32),
        "c": np.array([1 + 2j], np.complex128),
        "b": np.array([True]),
    }
    turned = [
        item("f", arrays["f"].byteswap()),
        item("c", arrays["c"].view(np.float64).byteswap().view(np.complex128)),
        item("b", arrays["b"]),
    ]
    write(tmp_path / "c", turned)
    index = tmp_path / "c.index"
    table = _table(index)
    header = entries.parse_message("BundleHeaderProto", table[b""], "")
    header.endianness = 1
    index.write_bytes(
        sstable.write_table(sorted({**table, b"": header.SerializeToString()}.items()))
    )
    found = Reader(tmp_path / "c").read_all(arrays)
    assert all(exchange.same(found[key], arrays[key]) for key in arrays)


def _table(path):
    with path.open("rb") as file:
        return dict(sstable.Table(file).items())


@pytest.mark.parametrize(
    "starts, sizes, error",
    [
        ((0,), (1,), InvalidArgumentError),
        ((0, 0), (7, 1), InternalError),
        ((5, 0), (2, -1), InternalError),
    ],
)
def test_parts_are_within(starts, sizes, error):
    with pytest.raises(error):
        Reader(GOLDENS / "raw_slices" / "ckpt").read_part("p", starts, sizes)


def test_names_that_are_not_there():
    with pytest.raises(NotFoundError, match="Key nothing not found in checkpoint"):
        Reader(GOLDENS / "raw_types" / "ckpt").read("nothing")
    with pytest.raises(NotFoundError, match="Failed to find any matching files for"):
        Reader(GOLDENS / "raw_types" / "nothing")


# ------------------------------------------------------------------ pieces of the format


def test_checksums_put_together():
    data = np.random.default_rng(0).integers(0, 256, 10_007, np.uint8)
    whole = crc.extend(0, data)
    for cut in (0, 1, 8, 63, 64, 4096, 10_006, 10_007):
        assert (
            crc.combine(crc.extend(0, data[:cut]), crc.extend(0, data[cut:]), len(data) - cut)
            == whole
        )
    assert crc.extend(0, b"123456789") == 0xE3069283
    assert crc.unmask(crc.mask(whole)) == whole


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=2))
def test_numbers_in_keys_sort_as_numbers(numbers):
    a, b = (entries._encode_signed(number) for number in numbers)
    assert (a < b, a == b) == (numbers[0] < numbers[1], numbers[0] == numbers[1])


def test_keys_of_parts():
    part = Part((6, 4, 9), (0, 64, 0), (2, 8192, -1))
    assert entries.slice_key(b"a\0b\xffc", part) == (
        b"\0a\0\xffb\xff\0c\0\x01\x01\x03\x80\x82\xc0\x40\xe0\x20\x00\x80\x7f"
    )


@given(st.dictionaries(st.binary(max_size=40), st.binary(max_size=200), max_size=60))
@settings(deadline=None)
def test_tables_hold_what_is_put_into_them(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("t") / "table"
    path.write_bytes(sstable.write_table(sorted(pairs.items())))
    assert _table(path) == pairs
    with path.open("rb") as file:
        table = sstable.Table(file)
        assert all(table.get(key) == value for key, value in pairs.items())
        assert table.get(b"nothing" * 9) is None


@pytest.mark.parametrize(
    "size", [sstable.BLOCK // 3, sstable.BLOCK, 2 * sstable.BLOCK, 3 * sstable.BLOCK]
)
def test_tables_of_several_blocks(size, tmp_path):
    pairs = {b"%04d" % i: bytes([i]) * (size + i) for i in range(5)}
    (tmp_path / "t").write_bytes(sstable.write_table(sorted(pairs.items())))
    assert _table(tmp_path / "t") == pairs
    with (tmp_path / "t").open("rb") as file:
        assert sstable.Table(file).get(b"0003") == pairs[b"0003"]
        assert sstable.Table(file).get(b"0009") is None


@pytest.mark.parametrize(
    ("size", "blocks"), [(2 * sstable.BLOCK - 2, 2), (2 * sstable.BLOCK - 1, 3)]
)
def test_a_large_entry_has_a_block_of_its_own(size, blocks, tmp_path):
    (tmp_path / "t").write_bytes(
        sstable.write_table([(b"a", b"1"), (b"b", b"2" * size), (b"c", b"3")])
    )
    with (tmp_path / "t").open("rb") as file:
        assert len(sstable.Table(file)._index) == blocks


@pytest.mark.parametrize(
    "block",
    [
        b"\0\0\0",
        struct.pack("<I", 1),  # restarts that are not there
        b"\1\1\1kv" + struct.pack("<2I", 0, 1),  # begins like a key before, of which there is none
        b"\0\1\2kv" + struct.pack("<2I", 0, 1),  # reaches into the restarts
        b"\xff" * 11 + struct.pack("<2I", 0, 1),
    ],
)
def test_blocks_that_cannot_be(block):
    with pytest.raises(DataLossError, match=r"bad (entry in block|block contents)"):
        list(sstable._entries(block))


@pytest.mark.parametrize(
    "packed, plain",
    [
        (b"\x00", b""),
        (b"\x05\x10hello", b"hello"),
        (b"\x0a\x04ab\x1e\x02\x00", b"ababababab"),  # a repetition that overlaps with itself
        (b"\x08\x0cabcd\x01\x04", b"abcdabcd"),
        (b"\x09\x10abcde\x0f\x05\x00\x00\x00", b"abcdeabcd"),
        (b"\xc8\x01\xf0\xc7" + b"q" * 200, b"q" * 200),
        (b"\xac\x02\xf4\x2b\x01" + b"r" * 300, b"r" * 300),
    ],
)
def test_snappy(packed, plain):
    assert sstable.decompress(packed) == plain


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\xff\xff\xff\xff\x0f",
        b"\x05\x10hell",
        b"\x05\x01\x01",
        b"\x04\x10hello",
        b"\x09\x10hello",
    ],
)
def test_snappy_that_is_damaged(packed):
    with pytest.raises(DataLossError):
        sstable.decompress(packed)


def test_long_strings_have_long_lengths_in_the_checksum():
    assert bundle._encode_lengths([1, 2**32]) == struct.pack("<IQ", 1, 2**32)
    assert bundle._encode_lengths([1, 2]) == struct.pack("<II", 1, 2)


@pytest.mark.parametrize(
    "text, error",
    [
        ("foo", "Need least two elements in shape_and_slice specification: foo"),
        ("2 0", "Expected a pair of numbers or '-' but got '0': string = 0"),
        ("a 0,1", "Non numerical dimension in shape_and_slice: a 0,1"),
        ("2 2 0,1", "2 and 1 dimensions"),
        ("2 0,0", "positive length"),
    ],
)
def test_texts_that_name_no_part(text, error):
    with pytest.raises(InvalidArgumentError, match=error):
        values.parse_slice_spec(text)


def test_strings_that_do_not_fill_their_place():
    head, _ = bundle.string_head(np.array([b"ab", b"c"], object))
    for wrong in (b"abcd", b"ab"):
        with pytest.raises(DataLossError, match="the strings do not fill it"):
            bundle.decode_strings(np.frombuffer(head + wrong, np.uint8), 2, "key a")


def test_nothing_is_left_where_the_index_does_not_get_its_name(tmp_path, monkeypatch):
    replace = os.replace

    def fails(source, target):
        if str(target).endswith(".index"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), target)
        replace(source, target)

    for _ in range(2):  # without one before, and with one
        before = files(tmp_path)
        with monkeypatch.context() as broken:
            broken.setattr(os, "replace", fails)
            with pytest.raises(ResourceExhaustedError):
                write(tmp_path / "c", [item("x", 1), item("y", 2, shard=1)], shards=2)
        assert files(tmp_path) == before
        write(tmp_path / "c", [item("x", 3)])
