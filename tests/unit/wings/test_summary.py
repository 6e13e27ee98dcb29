"""``tf.summary``: event files, default writer and step, plugins; compared with what TensorFlow 2.21 writes."""

import multiprocessing
import os
import struct
import threading
import zlib

import numpy as np
import pytest

import twinflow as tf


@pytest.fixture(autouse=True)
def _no_default_step():
    yield
    tf.summary.experimental.set_step(None)


def events(folder):
    """The events of all files of a folder but those that hold the version."""
    paths = sorted(str(p) for p in folder.glob("events.out.tfevents.*"))
    each = [e for path in paths for e in tf.compat.v1.train.summary_iterator(path)]
    assert [e.file_version for e in each if e.file_version] == ["brain.Event:2"] * len(paths)
    return [e for e in each if not e.file_version]


def values(folder):
    return [(e.step, v) for e in events(folder) for v in e.summary.value]


def array_of(value):
    return tf.make_ndarray(value.tensor)


def test_the_file_is_created_at_once_and_named_as_tensorflows(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path / "a" / "b"))
    (name,) = os.listdir(tmp_path / "a" / "b")
    first, host, pid, number, suffix = name.removeprefix("events.out.tfevents.").split(".")
    assert (len(first), int(pid), suffix) == (10, os.getpid(), "v2")
    assert host and number.isdigit()
    tf.summary.create_file_writer(str(tmp_path / "c"), filename_suffix="x")
    assert os.listdir(tmp_path / "c")[0].endswith(".x")
    (version,) = tf.compat.v1.train.summary_iterator(str(tmp_path / "a" / "b" / name))
    assert version.source_metadata.writer == "tensorflow.core.util.events_writer"
    assert version.wall_time == int(version.wall_time)
    writer.close()


def test_scalars(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        assert tf.summary.scalar("loss", 2.5, step=3, description="*text*").numpy()
        with tf.name_scope("outer"):
            tf.summary.scalar("in/ner", np.float64(1), step=tf.constant(4, tf.int64))
        tf.summary.scalar("two words!", True, step=5)
        tf.summary.scalar(None, 7, step=6)
    (a, first), (b, second), (_, third), (_, fourth) = values(tmp_path)
    assert (a, first.tag, array_of(first)) == (3, "loss", 2.5)
    assert (b, second.tag, array_of(second)) == (4, "outer/in/ner", 1.0)
    assert (third.tag, fourth.tag) == ("two words!", "scalar_summary")
    assert first.tensor.tensor_content == struct.pack("<f", 2.5)
    assert first.metadata.plugin_data.plugin_name == "scalars"
    assert first.metadata.summary_description == "*text*"


def test_nothing_is_written_without_a_writer_or_a_step(tmp_path):
    assert not tf.summary.scalar("x", 1.0).numpy()
    assert not tf.summary.should_record_summaries().numpy()
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        with pytest.raises(ValueError, match=r"^No step set\. Please specify one either through"):
            tf.summary.scalar("x", 1.0)
        with pytest.raises(ValueError, match="Expected scalar shape, saw shape: \\(1,\\)"):
            tf.summary.scalar("x", [1.0], step=1)
        with pytest.raises(ValueError, match="requested dtype int64 for Tensor with dtype int32"):
            tf.summary.scalar("x", 1.0, step=tf.constant(3))
        with pytest.raises(TypeError, match=r"must be of type tf\.string"):
            tf.summary.text("x", 3, step=1)
        with pytest.raises(ValueError, match="must have rank 4"):
            tf.summary.image("x", np.zeros((2, 3, 1)), step=1)
        with pytest.raises(ValueError, match="Unknown encoding: 'mp3'"):
            tf.summary.audio("x", np.zeros((1, 2, 1), "f"), 8000, step=1, encoding="mp3")
        with tf.summary.record_if(False):
            assert not tf.summary.scalar("x", 1.0).numpy()
    assert values(tmp_path) == []


def test_default_steps_and_conditions(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    tf.summary.experimental.set_step(9)
    with writer.as_default(step=5):
        tf.summary.scalar("a", 1.0)
        with tf.summary.record_if(lambda: tf.equal(tf.summary.experimental.get_step() % 2, 0)):
            tf.summary.scalar("b", 1.0)
            tf.summary.experimental.set_step(6)
            tf.summary.scalar("c", 1.0)
    assert tf.summary.experimental.get_step() == 9
    assert [(step, v.tag) for step, v in values(tmp_path)] == [(5, "a"), (6, "c")]


def test_the_default_writer_belongs_to_a_thread(tmp_path):
    writer, answers = tf.summary.create_file_writer(str(tmp_path)), []
    with writer.as_default(step=1):
        thread = threading.Thread(
            target=lambda: answers.append(bool(tf.summary.should_record_summaries()))
        )
        thread.start()
        thread.join()
    assert answers == [False]


@pytest.mark.parametrize(
    ("data", "buckets", "expected"),
    [
        ([1.0, 2.0, 3.0], 2, [[1, 2, 1], [2, 3, 2]]),
        ([5, 5], 3, [[5, 5, 0], [5, 5, 0], [5, 5, 2]]),
        ([], 2, [[0, 0, 0], [0, 0, 0]]),
        ([1.0], 0, np.zeros((0, 3))),
        ([True, False], 2, [[0, 0.5, 1], [0.5, 1, 1]]),
    ],
)
def test_histograms(tmp_path, data, buckets, expected):
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.histogram("h", data, step=1, buckets=buckets)
    ((_, value),) = values(tmp_path)
    np.testing.assert_array_equal(array_of(value), expected)
    assert value.metadata.plugin_data.plugin_name == "histograms"


def _decode(png):
    """The bytes of an image without interlacing, whose filters are none, sub and up."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height, depth, color = struct.unpack(">IIBB", png[16:26])
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[color]
    length = struct.unpack(">I", png[33:37])[0]
    assert (depth, png[37:41]) == (8, b"IDAT")
    assert (
        zlib.crc32(png[37 : 41 + length]) == struct.unpack(">I", png[41 + length : 45 + length])[0]
    )
    data = np.frombuffer(zlib.decompress(png[41 : 41 + length]), np.uint8).reshape(height, -1)
    result = np.zeros((height, width, channels), np.uint8)
    for y, (kind, row) in enumerate(zip(data[:, 0], data[:, 1:].reshape(height, width, channels))):
        above = result[y - 1] if y else np.zeros_like(row)
        result[y] = [row, np.cumsum(row, 0, dtype=np.uint8), row + above][kind]
    return result


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_images(tmp_path, channels):
    data = np.random.RandomState(channels).rand(4, 5, 7, channels) * 1.4 - 0.2
    data[1, 2:] = 0.5
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.image("i", data, step=1)
        tf.summary.image("i", (data > 0.5).astype(np.uint8), step=1, max_outputs=1)
        with pytest.raises(tf.errors.InvalidArgumentError, match="1, 2, 3, or 4 channels, got 5"):
            tf.summary.image("i", np.zeros((1, 2, 2, 5)), step=1)
    (_, floats), (_, bytes_) = values(tmp_path)
    assert [*floats.tensor.string_val[:2]] == [b"7", b"5"]
    expected = np.floor(np.clip(data[:3] * 255.5, 0, 255))
    for png, image in zip(floats.tensor.string_val[2:], expected, strict=True):
        np.testing.assert_array_equal(_decode(png), image)
    np.testing.assert_array_equal(_decode(bytes_.tensor.string_val[2]), data[0] > 0.5)


def test_text_and_audio(tmp_path):
    sound = np.linspace(-1, 1, 12, dtype=np.float32).reshape(2, 3, 2)
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=2):
        tf.summary.text("t", ["a", "b"])
        tf.summary.audio("s", sound, 8000, max_outputs=1)
    (_, text), (_, audio) = values(tmp_path)
    assert array_of(text).tolist() == [b"a", b"b"]
    assert audio.metadata.plugin_data.content == b"\x10\x0b"
    assert [audio.tensor.tensor_shape.dim[i].size for i in (0, 1)] == [1, 2]
    decoded = tf.audio.decode_wav(audio.tensor.string_val[0])
    np.testing.assert_allclose(decoded.audio, sound[0], atol=4e-5)
    assert decoded.sample_rate.numpy() == 8000


def test_raw_messages_graphs_and_metadata(tmp_path):
    summary = tf.compat.v1.Summary()
    summary.value.add(tag="q", simple_value=2.0)
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=4):
        tf.summary.experimental.write_raw_pb(summary.SerializeToString())
        with pytest.raises(tf.errors.DataLossError, match="binary proto tensor string at index 0"):
            tf.summary.experimental.write_raw_pb(b"abc")
        tf.summary.write("w", lambda: tf.ones(2, tf.bfloat16), metadata=b"abc")
        graph = tf.Graph()
        with graph.as_default():
            tf.constant(1.0, name="one")
        assert tf.summary.graph(graph).numpy()
        with pytest.raises(ValueError, match="Argument 'graph_data' is not"):
            tf.summary.graph(3)
    raw, tensor, written = events(tmp_path)
    assert (raw.step, raw.summary) == (4, summary)
    assert array_of(tensor.summary.value[0]).tolist() == [1, 1]
    assert [n.name for n in tf.compat.v1.GraphDef.FromString(written.graph_def).node] == ["one"]


def test_functions_write_when_they_run(tmp_path):
    writer, step = tf.summary.create_file_writer(str(tmp_path)), tf.Variable(0, dtype=tf.int64)

    @tf.function
    def train(x):
        with writer.as_default(step=step):
            tf.summary.scalar("loss", x)
            tf.summary.histogram("h", [x, 2 * x], buckets=2)
            tf.summary.image("i", tf.fill([1, 2, 2, 1], x))
            for i in tf.range(3):
                if i % 2 == 0:
                    tf.summary.scalar("even", i)
        return step.assign_add(1)

    names = [o.name for o in train.get_concrete_function(tf.constant(1.0)).graph.get_operations()]
    assert "loss/write_summary" in names
    train(tf.constant(0.25))
    train(tf.constant(0.5))
    written = values(tmp_path)
    assert [step for step, _ in written] == [0] * 5 + [1] * 5
    tags = ["loss", "h", "i", *["while/cond/even"] * 2]
    assert [v.tag.rsplit("/", 1)[-1] for _, v in written] == [
        t.rsplit("/", 1)[-1] for t in tags
    ] * 2
    assert [array_of(v) for _, v in written if v.tag == "loss"] == [0.25, 0.5]
    assert [float(array_of(v)) for _, v in written if v.tag.endswith("even")] == [0, 2, 0, 2]


def test_a_variable_turns_recording_on_and_off(tmp_path):
    writer, on = tf.summary.create_file_writer(str(tmp_path)), tf.Variable(True)

    @tf.function
    def write(x):
        with writer.as_default(), tf.summary.record_if(on):
            return tf.summary.scalar("loss", x, step=3)

    assert write(tf.constant(1.0)).numpy()
    on.assign(False)
    assert not write(tf.constant(2.0)).numpy()
    assert [array_of(v) for _, v in values(tmp_path)] == [1.0]


def test_a_closed_writer(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def write():
        with writer.as_default():
            tf.summary.scalar("loss", 1.0, step=3)

    write()
    writer.close()
    writer.close()
    assert writer.flush() is None
    for use in (writer.as_default, writer.set_as_default, writer.init):
        with pytest.raises(RuntimeError, match="is already closed"):
            use()
    with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
        write()


def test_arguments_of_writers(tmp_path):
    with pytest.raises(ValueError, match="Argument `logdir` cannot be None"):
        tf.summary.create_file_writer(None)
    with pytest.raises(TypeError, match="Cannot convert 'a' to EagerTensor of dtype int32"):
        tf.summary.create_file_writer(str(tmp_path), max_queue="a")
    with pytest.raises(tf.errors.InvalidArgumentError, match="max_queue must be a scalar"):
        tf.summary.create_file_writer(str(tmp_path), max_queue=[1])
    with pytest.raises(ValueError, match="Invalid argument to flush"):
        tf.summary.flush(3)
    with pytest.raises(ValueError, match="Invalid graph Tensor argument 'logdir="):
        tf.function(tf.summary.create_file_writer)(tf.constant("a"))
    with tf.summary.create_noop_writer().as_default() as nothing:
        assert nothing is None
        assert not tf.summary.scalar("x", 1.0).numpy()


def test_a_full_queue_is_written(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path), max_queue=2)
    counts = []
    with writer.as_default(step=1):
        for _ in range(6):
            tf.summary.scalar("x", 1.0)
            counts.append(len(events(tmp_path)))
    assert counts == [0, 0, 3, 3, 3, 6]


def _write_in_child(writer):
    with writer.as_default(step=2):
        tf.summary.scalar("child", 1.0)


def test_a_child_process_has_a_file_of_its_own(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    writer._add(tf.compat.v1.Event(step=1, graph_def=b""))
    child = multiprocessing.get_context("fork").Process(target=_write_in_child, args=(writer,))
    child.start()
    child.join()
    assert child.exitcode == 0
    writer.close()
    assert len(list(tmp_path.iterdir())) == 2
    assert sorted(e.step for e in events(tmp_path)) == [1, 2]


def test_traces(tmp_path):
    double = tf.function(lambda x: 2 * x)
    with pytest.raises(ValueError, match="Must enable trace before export"):
        tf.summary.trace_export("t", step=0)
    tf.summary.trace_on()
    double(tf.constant(1.0))
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.trace_export("t", step=0)
    ((_, value),) = values(tmp_path)
    assert value.metadata.plugin_data.plugin_name == "graph_run_metadata_graph"
    assert b"mul" in value.tensor.string_val[0]


def test_writers_in_graphs_of_tensorflow_1(tmp_path):
    with tf.Graph().as_default():
        writer = tf.summary.create_file_writer(str(tmp_path))
        with writer.as_default():
            write = tf.summary.scalar("s", 2.0, step=3)
        with tf.compat.v1.Session() as session:
            with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
                session.run(write)
            session.run(writer.init())
            assert session.run(write)
            session.run(writer.close())
    assert [(step, v.tag) for step, v in values(tmp_path)] == [(3, "s")]


# ------------------------------------------------------------------ tf.compat.v1.summary

v1 = tf.compat.v1


def run(make):
    with tf.Graph().as_default(), v1.Session() as session:
        return v1.Summary.FromString(session.run(make()))


def test_summaries_of_tensorflow_1():
    (scalar,) = run(lambda: v1.summary.scalar("my loss!", 3, family="fam")).value
    assert (scalar.tag, scalar.simple_value) == ("fam/fam/my_loss_", 3)
    values = [1.0, 2.0, -3.0, 0.0, 1e-13, 1e30, -1e-5]
    (value,) = run(lambda: v1.summary.histogram("h", tf.constant(values))).value
    histo = value.histo
    assert (histo.num, histo.min, histo.sum) == (7, -3, np.float32(1e30))
    assert histo.bucket_limit[:5] == [  # TensorFlow's
        *(-3.1665833053880363, -2.8787120958073054, -1.0883196658207586e-05),
        *(-9.8938151438250774e-06, 0.0),
    ]
    assert histo.bucket == [0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0, 1]
    (text,) = run(lambda: v1.summary.text("t", tf.constant("abc"))).value
    assert text.metadata.plugin_data.plugin_name == "text"
    (tensor,) = run(lambda: v1.summary.tensor_summary("t", [1, 2], display_name="d")).value
    assert (array_of(tensor).tolist(), tensor.metadata.display_name) == ([1, 2], "d")
    audio = run(lambda: v1.summary.audio("a", tf.zeros([2, 4, 1]), 8000.0)).value
    assert [a.tag for a in audio] == ["a/audio/0", "a/audio/1"]
    assert (audio[0].audio.length_frames, audio[0].audio.content_type) == (4, "audio/wav")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([0.0, 1.0, 2.0, -1.0], [128, 191, 255, 64]),
        ([0.0, 1.0, 2.0, 0.7], [0, 127, 255, 89]),
        ([0.0, 5e-7, 0.0, 0.0], [0, 0, 0, 0]),
        ([0.0, np.inf, np.nan, 1.0], [0, 255, 255, 255]),
    ],
)
def test_floats_in_images_of_tensorflow_1(data, expected):
    images = tf.reshape(tf.constant(data), [1, 2, 2, 1])
    (value,) = run(lambda: v1.summary.image("i", images, max_outputs=1)).value
    assert (value.tag, value.image.height, value.image.colorspace) == ("i/image", 2, 1)
    assert _decode(value.image.encoded_image_string).ravel().tolist() == expected


def test_errors_of_summaries_of_tensorflow_1():
    for make, text in (
        (lambda: v1.summary.scalar("a", [1.0, 2.0]), r"not the same shape: \[\] != \[2\]"),
        (lambda: v1.summary.histogram("a", [np.nan]), "Nan in summary histogram for"),
        (lambda: v1.summary.histogram("a", [np.inf]), "Infinity in Histogram for"),
        (lambda: v1.summary.image("a", tf.zeros([2, 2])), "Tensor must be 4-D with last dim 1"),
        (lambda: v1.summary.audio("a", tf.zeros([2]), 1.0), "Tensor must be 3-D or 2-D"),
        (lambda: v1.summary.merge(["a"]), "Could not parse one of the summary inputs"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(make)
    with pytest.raises(RuntimeError, match=r"Merging tf.summary\.\* ops is not compatible"):
        v1.summary.merge_all()
    with pytest.raises(RuntimeError, match=r"v1.summary.FileWriter is not compatible with eager"):
        v1.summary.FileWriter("x")


def test_a_file_writer_of_tensorflow_1(tmp_path):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        step = tf.constant(2.0)
        v1.summary.scalar("a", step)
        with tf.name_scope("b"):
            v1.summary.scalar("c", 2 * step)
        both, one = v1.summary.merge_all(), v1.summary.merge_all(scope="b")
        assert v1.summary.merge_all(key="other") is None
        with v1.summary.FileWriter(str(tmp_path), graph) as writer:
            writer.add_summary(session.run(both), 1)
            writer.add_summary(session.run(one), 2)
            writer.add_session_log(v1.SessionLog(status=v1.SessionLog.START), 3)
        assert writer.get_logdir() == str(tmp_path)
    first, *_, log = events(tmp_path)
    assert v1.GraphDef.FromString(first.graph_def).node[0].name == graph.get_operations()[0].name
    assert [(s, v.tag, v.simple_value) for s, v in values(tmp_path)] == [
        *((1, "a", 2.0), (1, "b/c", 4.0)),
        (2, "b/c", 4.0),
    ]
    assert (log.step, log.session_log.status) == (3, 1)


def test_summaries_of_tensorflow_1_in_eager_code(tmp_path):
    with pytest.warns(UserWarning, match="default summary writer not found"):
        data = v1.summary.scalar("loss", 2.5).numpy()
    assert v1.Summary.FromString(data).value[0].simple_value == 2.5
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=3):
        assert v1.summary.scalar("loss", 2.5).numpy() == b""
    assert [(step, v.tag) for step, v in values(tmp_path)] == [(3, "loss")]
