"""Readers of ``tf.compat.v1``, which take names of files from a queue, and ``resource_loader``."""

import os

import pytest

import twinflow as tf

v1 = tf.compat.v1


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a").write_bytes(b"h\na1\na2\n")
    (tmp_path / "b").write_bytes(b"h\nb1\r\nb2")
    (tmp_path / "fixed").write_bytes(b"HH112233F")
    with tf.io.TFRecordWriter(str(tmp_path / "records")) as writer:
        writer.write(b"x")
        writer.write(b"yy")
    return tmp_path


def read(make, paths, up_to=None):
    """Returns all records, without the folder in keys, and the counters after each run."""
    with tf.Graph().as_default(), v1.Session() as session:
        queue = v1.FIFOQueue(10, tf.string, shapes=[()])
        reader = make()
        record = reader.read_up_to(queue, up_to) if up_to else reader.read(queue)
        counters = [reader.num_records_produced(), reader.num_work_units_completed()]
        session.run(queue.enqueue_many([[str(path) for path in paths]]))
        session.run(queue.close())
        records, counts = [], []
        with pytest.raises(tf.errors.OutOfRangeError, match="has insufficient elements"):
            while True:
                key, value = session.run(record)
                keys = [key] if up_to is None else key.tolist()
                values = [value] if up_to is None else value.tolist()
                records.append([(os.path.basename(k), v) for k, v in zip(keys, values)])
                counts.append([int(count) for count in session.run(counters)])
        session.run(reader.reset())
        assert session.run(counters) == [0, 0]
        return records if up_to else [record for (record,) in records], counts


def test_lines(files):
    records, counts = read(v1.TextLineReader, [files / "a", files / "b"])
    assert records == [
        (b"a:1", b"h"),
        (b"a:2", b"a1"),
        (b"a:3", b"a2"),
        (b"b:1", b"h"),
        (b"b:2", b"b1"),
        (b"b:3", b"b2"),
    ]
    assert counts == [[1, 0], [2, 0], [3, 0], [4, 1], [5, 1], [6, 1]]
    records, _ = read(lambda: v1.TextLineReader(skip_header_lines=2), [files / "a", files / "b"])
    assert records == [(b"a:3", b"a2"), (b"b:3", b"b2")]


def test_several_records_are_of_one_file(files):
    records, counts = read(v1.TextLineReader, [files / "a", files / "b"], up_to=2)
    assert [len(part) for part in records] == [2, 1, 2, 1]
    assert counts == [[2, 0], [3, 1], [5, 1], [6, 2]]


def test_whole_files_and_entries(files):
    records, counts = read(v1.WholeFileReader, [files / "a", files / "b"])
    assert records == [(b"a", b"h\na1\na2\n"), (b"b", b"h\nb1\r\nb2")]
    assert counts == [[1, 1], [2, 2]]
    assert read(v1.IdentityReader, ["p", "q"])[1] == [[1, 1], [2, 2]]


def test_records_of_fixed_length(files):
    make = lambda: v1.FixedLengthRecordReader(2, header_bytes=2, footer_bytes=1)
    expected = [(b"fixed:0", b"11"), (b"fixed:1", b"22"), (b"fixed:2", b"33")]
    assert read(make, [files / "fixed"])[0] == expected
    make = lambda: v1.FixedLengthRecordReader(4, hop_bytes=2)
    expected = [(b"fixed:0", b"HH11"), (b"fixed:1", b"1122"), (b"fixed:2", b"2233")]
    assert read(make, [files / "fixed"])[0] == expected


def test_tfrecords(files):
    expected = [(b"records:0", b"x"), (b"records:17", b"yy")]
    assert read(v1.TFRecordReader, [files / "records"])[0] == expected


def test_state_is_saved_where_the_reader_supports_it():
    with tf.Graph().as_default(), v1.Session() as session:
        reader, queue = v1.IdentityReader(name="reader"), v1.FIFOQueue(3, tf.string)
        session.run(queue.enqueue(["k"]))
        session.run(reader.read(queue))
        state = session.run(reader.serialize_state())
        assert state == b'\x08\x01\x10\x01\x18\x01"\x01k'
        session.run(reader.reset())
        session.run(reader.restore_state(state))
        assert session.run(reader.num_records_produced()) == 1
        assert reader.supports_serialize and reader.reader_ref.op.type == "IdentityReaderV2"
        lines = v1.TextLineReader()
        assert not lines.supports_serialize
        with pytest.raises(tf.errors.UnimplementedError):
            session.run(lines.serialize_state())
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse state"):
            session.run(reader.restore_state(b"\xff"))


def test_errors(files):
    with pytest.raises(RuntimeError, match="Readers are not supported when eager execution"):
        v1.TextLineReader()
    with tf.Graph().as_default(), v1.Session() as session:
        queue, reader = v1.FIFOQueue(3, tf.string), v1.WholeFileReader()
        session.run(queue.enqueue([str(files / "none")]))
        with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
            session.run(reader.read(queue))
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_records must be > 0"):
            session.run(reader.read_up_to(queue, 0))


def test_resources_lie_beside_the_module():
    loader = v1.resource_loader
    here = os.path.dirname(os.path.abspath(__file__))
    assert loader.get_data_files_path() == here
    assert loader.get_path_to_datafile("x.txt") == os.path.join(here, "x.txt")
    assert loader.load_resource(__file__).startswith(b'"""Readers')
    assert os.path.isdir(loader.get_root_dir_with_all_resources())
    assert loader.readahead_file_path("x") == "x"
