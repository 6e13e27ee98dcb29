"""Graphs of training that TensorFlow 2.21 wrote: imported, restored, and trained on as it would have gone on."""

import json

import numpy as np
import pytest

import twinflow as tf2
from tests.golden.probes import HERE
from twinflow._src.dispatch.op import OPS
from twinflow.compat import v1 as tf

FOLDER = HERE / "tf_graphs"
CASES = json.loads((FOLDER / "contents.json").read_text())
FEEDS = {"x:0": np.linspace(-1, 1, 12).reshape(4, 3).astype("f")}


@pytest.mark.parametrize("case", CASES)
def test_training_goes_on(case):
    prefix = str(FOLDER / case / "m")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(prefix + ".meta").restore(session, prefix)
        step = tf.get_collection("loss") + tf.get_collection("train")
        found = [float(session.run(step, FEEDS)[0]) for _ in CASES[case]["loss"]]
    assert found == pytest.approx(CASES[case]["loss"], rel=2e-5, abs=1e-6)


@pytest.mark.parametrize("case", CASES)
def test_derivatives_of_what_was_imported(case):
    prefix = str(FOLDER / case / "m")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(prefix + ".meta").restore(session, prefix)
        (loss,) = tf.get_collection("loss")
        variable = tf.trainable_variables()[0]
        gradient = tf.convert_to_tensor(tf.gradients(loss, variable)[0])
        found, value = session.run([gradient, variable], FEEDS)
        flat = np.argmax(np.abs(found))
        moved = value.copy()
        losses = []
        for sign in (1, -1):
            moved.flat[flat] = value.flat[flat] + sign * 1e-2
            variable.load(moved, session)
            losses.append(float(session.run(loss, FEEDS)))
    assert (losses[0] - losses[1]) / 2e-2 == pytest.approx(found.flat[flat], rel=2e-2, abs=1e-4)


@pytest.mark.parametrize("case", CASES)
def test_written_and_read_again(case):
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(str(FOLDER / case / "m.meta"))
        proto = graph.as_graph_def(add_shapes=True)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(proto, name="")
        again = graph.as_graph_def(add_shapes=True)
    assert {node.name for node in again.node} >= {node.name for node in proto.node}
    assert len(again.library.function) >= len(proto.library.function)


def loop(v):
    return tf.while_loop(
        lambda i, y: i < 3, lambda i, y: (i + 1, y * v + 1.0), [tf.constant(0), v]
    )[1]


def branch(v):
    return tf.cond(tf.reduce_sum(v) > 0, lambda: v * v, lambda: v - 1.0)


def case(v):
    return tf.switch_case(tf.constant(1), [lambda: v, lambda: v * 3.0, lambda: v - 1.0])


@pytest.mark.parametrize("build", [loop, branch, case])
@pytest.mark.parametrize("gradient", [False, True])
def test_functions_there_and_back(build, gradient):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        v = tf.get_variable("v", initializer=tf.constant([2.0, 3.0]))
        y = build(v)
        tf.identity(tf.gradients(y, v)[0] if gradient else y, name="out")
        session.run(v.initializer)
        wanted = session.run("out:0")
        proto = graph.as_graph_def()
    assert proto.library.function
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(proto, name="")
        session.run("v/Assign")
        assert np.array_equal(session.run("out:0"), wanted)


def test_a_call_is_copied():
    with tf.Graph().as_default() as graph:
        tf.cond(
            tf.placeholder(tf.bool, [], name="p"),
            lambda: tf.constant(1.0),
            lambda: tf.constant(2.0),
            name="c",
        )
    proto = graph.as_graph_def()
    (name,) = [f.signature.name for f in proto.library.function if "true" in f.signature.name]
    del proto.node[:]
    call = proto.node.add(name="call", op="PartitionedCall")
    call.attr["Tin"].list.SetInParent()
    call.attr["Tout"].list.type.append(1)
    call.attr["f"].func.name = name
    with tf.Graph().as_default(), tf.Session() as session:
        (found,) = tf.import_graph_def(proto, return_elements=["call:0"])
        assert session.run(found) == 1.0
    call.attr["f"].func.name = "nope"
    with tf.Graph().as_default(), pytest.raises(ValueError, match="calls the function 'nope'"):
        tf.import_graph_def(proto)


def test_python_functions_cannot_be_written():
    with tf.Graph().as_default() as graph:
        tf2.py_function(lambda x: x, [tf.constant(1.0)], tf.float32)
        with pytest.raises(NotImplementedError, match="cannot be written"):
            graph.as_graph_def()


def test_graphs_of_functions_can_be_written():
    v = tf2.Variable([1.0, 2.0])
    concrete = tf2.function(lambda x: tf2.reduce_sum(x * v)).get_concrete_function(
        tf2.TensorSpec([2], tf2.float32)
    )
    types = {node.op for node in concrete.graph.as_graph_def().node}
    assert {"Placeholder", "ReadVariableOp", "Mul", "Sum"} <= types
    assert all(type in OPS or type in ("Placeholder", "Const") for type in types)


@pytest.mark.parametrize(
    "centered, wanted", [(False, ["rms", "momentum"]), (True, ["rms", "mg", "momentum"])]
)
def test_slots_are_made_in_the_order_of_tensorflow(centered, wanted):
    with tf.Graph().as_default():
        v = tf.get_variable("v", initializer=tf.constant([1.0]))
        optimizer = tf.train.RMSPropOptimizer(0.1, centered=centered)
        optimizer.minimize(v * v)
        names = [optimizer.get_slot(v, name).op.name for name in wanted]
    assert names == ["v/RMSProp", "v/RMSProp_1", "v/RMSProp_2"][: len(wanted)]


def nodes_of_attributes():
    with tf.Graph().as_default() as graph:
        c = tf.placeholder(tf2.float32, [None, 2], name="c")
        tf2.concat([c, c], 0, name="k")
        tf2.reshape(c, [-1], name="r")
        tf2.nn.max_pool2d(tf2.ones([1, 4, 4, 1]), 2, 2, "SAME", name="p")
        tf2.raw_ops.Squeeze(input=c, axis=[], name="s")
        tf2.identity_n([c, tf2.constant(1)], name="n")
        tf2.transpose(c, name="t")
    proto = graph.as_graph_def()
    return proto, {node.name: node.attr for node in proto.node}


NODES = ("c", "k", "r", "p", "s", "n", "t")
WRONG = [
    ("c", "dtype", "i", 3, "AttrValue had value with type 'int' when 'type' expected"),
    ("c", "shape", "s", b"x", "AttrValue had value with type 'string' when 'shape' expected"),
    ("c", "dtype", "type", 0, "AttrValue has invalid DataType\n"),
    ("t", "Tperm", "type", 99, "AttrValue has invalid DataType enum: 99"),
    ("k", "T", "type", 101, "AttrValue must not have reference type value of float_ref"),
    ("k", "N", "f", 2.0, "AttrValue had value with type 'float' when 'int' expected"),
    ("k", "N", "i", -1, "Value for attr 'N' of -1 must be at least minimum 2"),
    ("s", "squeeze_dims", "i", 1, "AttrValue had value with type 'int' when 'list(int)' expected"),
    (
        *("p", "padding", "s", b"BAD"),
        'Value for attr \'padding\' of "BAD" is not in the list of allowed values: "SAME", "VALID", "EXPLICIT"',
    ),
    (
        *("r", "Tshape", "type", 1),
        "Value for attr 'Tshape' of float is not in the list of allowed values: int32, int64",
    ),
]


@pytest.mark.parametrize(("node", "attr", "field", "value", "message"), WRONG)
def test_attributes_of_other_types_are_refused(node, attr, field, value, message):
    proto, nodes = nodes_of_attributes()
    setattr(nodes[node][attr], field, value)
    with tf.Graph().as_default() as graph, pytest.raises(ValueError) as caught:
        tf.import_graph_def(proto, name="")
    assert str(caught.value).startswith(message)
    assert f"NodeDef: {{{{node {node}}}}}; Op<name=" in str(caught.value)
    assert node not in [operation.name for operation in graph.get_operations()]


def test_attributes_that_are_absent_or_empty_are_refused():
    texts = {
        "AttrValue missing value with expected type 'type'": lambda nodes: nodes["c"][
            "dtype"
        ].Clear(),
        "NodeDef missing attr 'dtype' from Op<name=Placeholder": lambda nodes: nodes["c"].pop(
            "dtype"
        ),
        "Length for attr 'ksize' of 0 must be at least minimum 4": lambda nodes: nodes["p"][
            "ksize"
        ].list.ClearField("i"),
        "Length for attr 'T' of 0 must be at least minimum 1": lambda nodes: nodes["n"][
            "T"
        ].list.ClearField("type"),
        "AttrValue had value with type 'list(type)' when 'list(int)'": lambda nodes: nodes["s"][
            "squeeze_dims"
        ].list.type.append(1),
    }
    for message, damage in texts.items():
        proto, nodes = nodes_of_attributes()
        damage(nodes)
        with tf.Graph().as_default(), pytest.raises(ValueError) as caught:
            tf.import_graph_def(proto, name="")
        assert str(caught.value).startswith(message)


def test_identity_n_of_a_graph():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf2.float32, [2], name="x")
        tf2.identity_n([x, tf2.constant(3)], name="n")
        proto = graph.as_graph_def()
    (node,) = [node for node in proto.node if node.op == "IdentityN"]
    assert list(node.attr["T"].list.type) == [1, 3]
    with tf.Graph().as_default() as graph, tf.Session() as session:
        y, z = tf.import_graph_def(proto, return_elements=["n:0", "n:1"], name="")
        (gradient,) = tf.gradients(tf2.reduce_sum(y * y), [graph.get_tensor_by_name("x:0")])
        found = session.run([y, z, gradient], {"x:0": [1.0, 2.0]})
    assert [value.tolist() for value in found] == [[1.0, 2.0], 3, [2.0, 4.0]]
