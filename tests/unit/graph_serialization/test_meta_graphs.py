"""Graphs with their collections in files: what TensorFlow wrote is read, run and written again."""

import base64
import json
from pathlib import Path

import numpy as np
import pytest

import twinflow as tf2
from tests.golden.probes import HERE
from twinflow._src.core.context import PLAIN, entered
from twinflow._src.core.protos import message
from twinflow.compat import v1 as tf

FILES = HERE / "tf_checkpoints"
CONTENTS = {
    k: v
    for k, v in json.loads((FILES / "contents.json").read_text()).items()
    if k.startswith("v1_")
}

pytestmark = pytest.mark.usefixtures("graph")


def variable(name="v", value=(1.0, 2.0), resource=True):
    return tf.get_variable(name, initializer=tf.constant(list(value)), use_resource=resource)


def initialised():
    session = tf.Session()
    session.run(tf.global_variables_initializer())
    return session


def stored(entry):
    value = entry["value"]
    return np.frombuffer(base64.b64decode(value["b64"]), value["dtype"]).reshape(value["shape"])


def restored(session, name):
    """The value of a tensor of a checkpoint in a session: of one variable, or of its parts."""
    infos = [(v._get_save_slice_info(), v) for v in tf.global_variables()]
    parts = [(info, v) for info, v in infos if info is not None and info.full_name == name]
    if not parts:
        (found,) = [v for v in tf.global_variables() if v.op.name == name.removeprefix("my_")]
        return session.run(found)
    whole = np.zeros(parts[0][0].full_shape, np.float32)
    for info, v in parts:
        places = tuple(slice(a, a + n) for a, n in zip(info.var_offset, info.var_shape))
        whole[places] = session.run(v)
    return whole


def parsed(path):
    return message("MetaGraphDef").FromString(Path(path).read_bytes())


@pytest.mark.parametrize("case", CONTENTS)
def test_files_of_tensorflow_are_read_run_and_written_again(case, tmp_path):
    prefix = str(FILES / CONTENTS[case]["prefix"])
    saver = tf.train.import_meta_graph(prefix + ".meta")
    with tf.Session() as session:
        saver.restore(session, prefix)
        for name, entry in CONTENTS[case]["tensors"].items():
            assert np.array_equal(restored(session, name), stored(entry))
        if case == "v1_renamed":  # v1 is not among what was saved
            session.run(tf.report_uninitialized_variables())
        again = saver.save(session, str(tmp_path / "again"))
    assert Path(again + ".index").read_bytes() == Path(prefix + ".index").read_bytes()
    first, second = parsed(prefix + ".meta"), parsed(again + ".meta")
    assert first.collection_def == second.collection_def and first.saver_def == second.saver_def
    ours = {node.name: node for node in second.graph_def.node}
    assert [n.name for n in first.graph_def.node if ours[n.name] != n] == []


def test_a_graph_without_its_program(graph, tmp_path):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
    tf.add_to_collection("train", tf.train.AdamOptimizer(0.1).minimize(loss))
    tf.add_to_collection("loss", loss)
    feeds, values = {"x:0": [[1.0, 2.0], [3.0, 4.0]]}, []
    with initialised() as session:
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
        for _ in range(3):
            values.append(
                session.run([*tf.get_collection("loss"), *tf.get_collection("train")], feeds)[0]
            )
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(path + ".meta").restore(session, path)
        step = tf.get_collection("loss") + tf.get_collection("train")
        assert [session.run(step, feeds)[0] for _ in range(3)] == values
        assert [v.op.name for v in tf.trainable_variables()] == ["w"]


def test_scopes_and_inputs_of_an_import(tmp_path):
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.add_to_collection("y", tf.multiply(x, variable(), name="y"))
    with initialised() as session:
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
    with tf.Graph().as_default(), tf.Session() as session:
        given = {"x": tf.constant([10.0, 20.0])}
        saver = tf.train.import_meta_graph(path + ".meta", import_scope="imp", input_map=given)
        saver.restore(session, path)
        assert session.run(tf.get_collection("y"))[0].tolist() == [10.0, 40.0]
        assert saver.saver_def.restore_op_name == "imp/save/restore_all"
        assert [v.name for v in tf.global_variables()] == ["imp/v:0"]


@pytest.mark.parametrize("resource", [True, False])
def test_resources_of_one_name_are_one_memory(resource):
    variable(resource=resource)
    proto = tf.train.export_meta_graph()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(proto, import_scope="a")
        tf.train.import_meta_graph(proto, import_scope="b")
        a, b = tf.global_variables()
        session.run(a.initializer)
        if resource:
            assert session.run(b).tolist() == [1.0, 2.0]
        else:
            with pytest.raises(tf2.errors.FailedPreconditionError, match="uninitialized value b/v"):
                session.run(b)


def test_devices_can_be_left_out():
    with tf.device("/job:ps/task:7"):
        variable()
    proto = tf.train.export_meta_graph()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(proto)
        with pytest.raises(
            tf2.errors.InvalidArgumentError, match="explicitly assigned to /job:ps/task:7"
        ):
            session.run(tf.global_variables()[0].initializer)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(proto, clear_devices=True)
        session.run(tf.global_variables()[0].initializer)
        assert session.run(tf.global_variables())[0].tolist() == [1.0, 2.0]


def test_collections_of_all_kinds(caplog):
    v = variable()
    values = {
        "ints": 3,
        "floats": 2.5,
        "texts": "abc",
        "tensor": tf.constant(1.0, name="c"),
        "op": tf.no_op("n"),
    }
    for name, value in {**values, "objects": object(), "truths": True, 5: 7}.items():
        tf.add_to_collection(name, value)
    with caplog.at_level("WARNING", "tensorflow"):
        proto = tf.train.export_meta_graph()
    assert "'objects' is left out" in caplog.text and "'truths' is left out" in caplog.text
    assert set(proto.collection_def) == {*values, "variables", "trainable_variables"}
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(proto)
        found = [graph.get_collection(name)[0] for name in values]
        assert found[:3] == [3, 2.5, b"abc"] and [x.name for x in found[3:]] == ["c:0", "n"]
        assert tf.global_variables()[0] is tf.trainable_variables()[0]
        assert tf.global_variables()[0].name == v.name


def test_a_scope_can_be_exported_alone():
    with tf.variable_scope("a"):
        v = variable()
        tf.identity(v, name="out")
    with tf.variable_scope("b"):
        variable("u")
    proto = tf.train.export_meta_graph(export_scope="a")
    assert [n.name for n in proto.graph_def.node][:3] == [
        "Const",
        "v",
        "v/IsInitialized/VarIsInitializedOp",
    ]
    assert len(proto.collection_def["variables"].bytes_list.value) == 1
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(proto)
        session.run("v/Assign")
        assert session.run("out:0").tolist() == [1.0, 2.0]


def test_default_attributes_can_be_left_out():
    tf.matmul(tf.zeros([2, 2]), tf.zeros([2, 2]))
    proto = tf.train.export_meta_graph(strip_default_attrs=True)
    assert set(proto.graph_def.node[-1].attr) == {"T", "_output_shapes"}
    assert proto.meta_info_def.stripped_default_attrs
    with tf.Graph().as_default():
        tf.train.import_meta_graph(proto)


@pytest.mark.parametrize("as_text", [True, False])
def test_text_and_binary_files(tmp_path, as_text):
    variable()
    path = str(tmp_path / "g.meta")
    proto = tf.train.export_meta_graph(path, as_text=as_text)
    with tf.Graph().as_default():
        assert tf.train.import_meta_graph(path) is not None
        assert tf.train.export_meta_graph().collection_def == proto.collection_def


def test_files_that_are_none(tmp_path):
    with pytest.raises(OSError, match=r"File does not exist. Received: .*nope.meta"):
        tf.train.import_meta_graph(str(tmp_path / "nope.meta"))
    path = tmp_path / "g.meta"
    path.write_bytes(b"\xff\xfe garbage")
    with pytest.raises(tf2.errors.DataLossError, match=r"g.meta holds no MetaGraphDef"):
        tf.train.import_meta_graph(str(path))


def test_variables_as_messages():
    for resource in (True, False):
        v = variable(f"v{resource:d}", resource=resource)
        proto = v.to_proto()
        assert (proto.variable_name, proto.is_resource, proto.trainable) == (v.name, resource, True)
        twin = tf.Variable.from_proto(proto)
        assert twin.initializer is v.initializer and twin.name == v.name
        assert twin.to_proto() == proto
    assert v.to_proto("other") is None


def test_only_with_a_graph():
    with (
        entered(PLAIN),
        pytest.raises(RuntimeError, match="not supported when eager execution is enabled"),
    ):
        tf.train.export_meta_graph()
