"""Graphs as messages: ``GraphDef`` written and read, and the functions on them."""

import numpy as np
import pytest

import twinflow as tf2
from twinflow._src.dispatch.op import OPS
from twinflow._src.graph.signatures import attributes, op_def
from twinflow.compat import v1 as tf


def small():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        w = tf.constant([1.0, 2.0], name="w")
        y = tf.add(x, w, name="y")
        z = tf.identity(y, name="z")
        with tf.control_dependencies([z]):
            tf.no_op(name="n")
    return graph.as_graph_def()


def changed(change):
    proto = tf.GraphDef()
    proto.CopyFrom(small())
    change(proto)
    return proto


def nodes(graph):
    return [
        (node.name, node.type, [x.name for x in node.inputs]) for node in graph.get_operations()
    ]


# ------------------------------------------------------------------ writing


def test_a_graph_as_text():
    wanted = (
        'name: "y" op: "AddV2" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } }'
    )
    assert " ".join(str(small().node[2]).split()) == wanted
    assert small().versions.producer == 2474


def test_control_inputs_come_last_and_in_order():
    assert list(small().node[4].input) == ["^z"]


def test_shapes_if_asked_for():
    with tf.Graph().as_default() as graph:
        tf.placeholder(tf.float32, [None, 3], name="x")
    (node,) = graph.as_graph_def(add_shapes=True).node
    (shape,) = node.attr["_output_shapes"].list.shape
    assert [dim.size for dim in shape.dim] == [-1, 3]
    assert "_output_shapes" not in graph.as_graph_def().node[0].attr


def test_constants_of_equal_elements_are_short():
    with tf.Graph().as_default() as graph:
        tf.constant(np.full([100, 100], 2.5, np.float32))
    tensor = graph.as_graph_def().node[0].attr["value"].tensor
    assert list(tensor.float_val) == [2.5]
    assert (tf2.make_ndarray(tensor) == 2.5).all()


def test_attributes_of_operations_are_those_of_the_definition():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1, 4, 4, 2])
        node = tf.nn.conv2d(x, tf.zeros([3, 3, 2, 1]), strides=[1, 1, 1, 1], padding="SAME").op
        assert node.get_attr("padding") == b"SAME"
        assert node.get_attr("strides") == [1, 1, 1, 1]
        assert node.get_attr("T") is tf.float32
        assert node.op_def.name == "Conv2D"
        with pytest.raises(ValueError, match="has no attr named 'q'"):
            node.get_attr("q")


@pytest.mark.parametrize("type", sorted(OPS))
def test_every_definition_can_be_written(type):
    proto = op_def(type)
    assert {attr.name for attr in proto.attr} == set(attributes(type))


# ------------------------------------------------------------------ reading


def test_import_under_a_prefix():
    with tf.Graph().as_default() as graph:
        assert tf.import_graph_def(small()) is None
        y, node = tf.import_graph_def(small(), return_elements=["y:0", "n"])
        assert (y.name, node.name) == ("import_1/y:0", "import_1/n")
        assert [c.name for c in node.control_inputs] == ["import_1/z"]
    assert nodes(graph)[2] == ("import/y", "AddV2", ["import/x:0", "import/w:0"])


def test_an_imported_graph_runs():
    with tf.Graph().as_default():
        given = tf.constant([10.0, 20.0])
        (z,) = tf.import_graph_def(small(), {"x:0": given}, ["z:0"], name="")
        with tf.Session() as sess:
            assert sess.run(z).tolist() == [11.0, 22.0]


def test_nodes_may_come_in_any_order():
    def turned(proto):
        first = proto.node.pop(0)
        proto.node.append(first)

    with tf.Graph().as_default() as graph:
        tf.import_graph_def(changed(turned), name="")
        assert [name for name, _, _ in nodes(graph)] == ["w", "x", "y", "z", "n"]


def test_an_unknown_operation_is_named():
    with (
        tf.Graph().as_default(),
        pytest.raises(tf2.errors.NotFoundError, match=r"'Foo' .* node 'y'"),
    ):
        tf.import_graph_def(changed(lambda p: setattr(p.node[2], "op", "Foo")))


WRONG = {
    "Node 'y': Unknown input node 'qq'": lambda p: p.node[2].input.__setitem__(0, "qq"),
    "Connecting to invalid output 4": lambda p: p.node[2].input.__setitem__(0, "x:4"),
    "NodeDef expected inputs 'float, float' do not match 1 inputs": lambda p: p.node[2].input.pop(),
    "Node 'x' is not unique": lambda p: p.node.add().CopyFrom(p.node[0]),
    "was passed float from import/x:0 incompatible": lambda p: setattr(
        p.node[2].attr["T"], "type", 3
    ),
    "NodeDef missing attr 'T'": lambda p: p.node[2].attr.__delitem__("T"),
    "3 nodes in a cycle": lambda p: p.node[2].input.__setitem__(0, "z"),
    "min consumer version 99999": lambda p: setattr(p.versions, "min_consumer", 99999),
}


@pytest.mark.parametrize("said", WRONG)
def test_what_does_not_fit_is_refused(said):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=said):
        tf.import_graph_def(changed(WRONG[said]))


def test_arguments_are_checked():
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="must be a GraphDef"):
            tf.import_graph_def("abc")
        with pytest.raises(TypeError, match="`input_map` must be a dictionary"):
            tf.import_graph_def(small(), 5)
        with pytest.raises(ValueError, match=r"not found in graph_def: \[nope:0\]"):
            tf.import_graph_def(small(), {"nope:0": tf.constant(1.0)})
        with pytest.raises(ValueError, match="'q:0' not found"):
            tf.import_graph_def(small(), return_elements=["q:0"])
        with pytest.raises(ValueError, match="valid root scope name"):
            tf.import_graph_def(small(), name="a b")


def test_devices_and_colocation():
    def placed(proto):
        proto.node[2].device = "/job:ps/task:7"
        proto.node[3].attr["_class"].list.s.append(b"loc:@x")

    with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
        tf.import_graph_def(changed(placed))
    assert graph.get_operation_by_name("import/y").device == "/job:ps/task:7/device:CPU:0"
    assert graph.get_operation_by_name("import/z").colocation_groups() == [b"loc:@import/x"]


# ------------------------------------------------------------------ there and back


def variables(resource):
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer(), use_resource=resource)
    step = tf.assign_add(v, [1.0, 2.0], name="step")
    with tf.control_dependencies([step]):
        tf.multiply(v.read_value(), 2.0, name="after")
    tf.variables_initializer([v], name="init")


@pytest.mark.parametrize("resource", [True, False])
def test_variables_there_and_back(resource):
    with tf.Graph().as_default() as first:
        variables(resource)
    proto = first.as_graph_def()
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(proto, name="")
        assert [n.SerializeToString(deterministic=True) for n in graph.as_graph_def().node] == [
            n.SerializeToString(deterministic=True) for n in proto.node
        ]
        with tf.Session() as sess:
            sess.run("init")
            assert sess.run("after:0").tolist() == [4.0, 6.0]
            assert sess.run("after:0").tolist() == [6.0, 10.0]


def test_an_imported_graph_can_be_differentiated():
    with tf.Graph().as_default() as first:
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
        tf.reduce_sum(w * w * 3.0, name="loss")
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(first.as_graph_def(), name="")
        (gradient,) = tf.gradients(
            graph.get_tensor_by_name("loss:0"), graph.get_tensor_by_name("w:0").op.variable
        )
        with tf.Session() as sess:
            sess.run("w/Assign")
            assert sess.run(gradient).tolist() == [6.0, 6.0]


# ------------------------------------------------------------------ tools


def test_parts_of_a_graph():
    util = tf.graph_util
    assert [n.name for n in util.extract_sub_graph(small(), ["y"]).node] == ["x", "w", "y"]
    with pytest.raises(AssertionError, match="nope is not in graph"):
        util.extract_sub_graph(small(), ["nope"])
    assert [n.name for n in util.remove_training_nodes(small()).node] == ["x", "w", "y", "z", "n"]


def test_identities_that_nothing_waits_for_are_removed():
    with tf.Graph().as_default() as graph:
        x = tf.identity(tf.identity(tf.placeholder(tf.float32, name="x")), name="b")
        tf.negative(x, name="y")
    found = tf.graph_util.remove_training_nodes(graph.as_graph_def())
    assert [(n.name, list(n.input)) for n in found.node] == [("x", []), ("y", ["x"])]


@pytest.mark.parametrize("resource", [True, False])
def test_variables_become_constants(resource):
    with tf.Graph().as_default() as graph:
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer(), use_resource=resource)
        tf.identity(v * 2.0 + tf.nn.embedding_lookup(v, [0, 0]), name="q")
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            proto = tf.graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["q"])
    assert not {n.op for n in proto.node} & {
        "VarHandleOp",
        "VariableV2",
        "ReadVariableOp",
        "ResourceGather",
    }
    with tf.Graph().as_default(), tf.Session() as sess:
        (q,) = tf.import_graph_def(proto, return_elements=["q:0"])
        assert sess.run(q).tolist() == [3.0, 3.0]


@pytest.mark.parametrize("as_text", [True, False])
def test_a_graph_in_a_file(tmp_path, as_text):
    path = tf2.io.write_graph(small(), str(tmp_path / "deep"), "g.pb", as_text)
    data = (tmp_path / "deep" / "g.pb").read_bytes()
    assert path == str(tmp_path / "deep" / "g.pb")
    assert data.startswith(b"node {" if as_text else b"\n")
    assert as_text or tf.GraphDef.FromString(data) == small()


@pytest.mark.parametrize("version", [None, 0, 1, 2, 5])
def test_versions_leave_nothing_out(version):
    graph = tf.Graph()
    with graph.as_default():
        tf.add(tf.constant(1.0, name="a"), 2.0, name="c")
    assert [node.name for node in graph.as_graph_def(from_version=version).node] == [
        "a",
        "c/y",
        "c",
    ]


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ([None], ["x", "Const", "Sum", "Identity"]),
        (None, ["x", "Rank", "range/start", "range/delta", "range", "Sum", "Identity"]),
    ],
)
def test_implied_axes_of_functions_are_written_once(shape, expected):
    traced = tf.function(lambda x: tf.reduce_sum(x)).get_concrete_function(tf.TensorSpec(shape))
    nodes = traced.graph.as_graph_def().node
    assert [node.name for node in nodes] == expected
    assert list(nodes[-2].input) == ["x", expected[-3]]


def test_consumers_are_told_for_each_use():
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        y = x + x
        assert x.consumers() == [y.op, y.op]
