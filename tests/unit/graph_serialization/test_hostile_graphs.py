"""Messages that ask for too much, or for what cannot be: named errors within bounds."""

import contextlib
import random

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1
pytest.importorskip("google.protobuf", reason="messages need protobuf")


def tensor(dims, **values):
    proto = type(tf.make_tensor_proto([1.0]))(dtype=1, **values)
    for size in dims:
        proto.tensor_shape.dim.add(size=size)
    return proto


def imported(proto):
    graph_def = v1.GraphDef()
    node = graph_def.node.add(name="c", op="Const")
    node.attr["dtype"].type = proto.dtype
    node.attr["value"].tensor.CopyFrom(proto)
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        return graph.get_tensor_by_name("c:0")


@pytest.mark.parametrize(
    ("proto", "text", "of_graph"),
    [
        (
            tensor([-3]),
            "negative dimensions are not allowed",
            r"Shape \[-3\] is not fully defined for '{{node c}}",
        ),
        (
            tensor([-1, 4], float_val=[1.0]),
            "index can't contain negative values",
            r"Shape \[\?,4\] is not fully defined",
        ),
        (
            tensor([2**62, 2**62], float_val=[1.0]),
            "index can't contain negative values",
            r"is too large \(more than 2\*\*63 - 1 entries\)",
        ),
        (tensor([2**62], float_val=[1.0]), "too big", "too big"),
    ],
)
def test_sizes_that_cannot_be(proto, text, of_graph):
    with pytest.raises(ValueError, match=text):
        tf.make_ndarray(proto)
    with pytest.raises(ValueError, match=of_graph):
        imported(proto)


def test_values_of_a_shape():
    assert tf.make_ndarray(tensor([2, 2], float_val=[1.0, 2.0])).tolist() == [
        [1.0, 2.0],
        [2.0, 2.0],
    ]
    assert tf.make_ndarray(tensor([2])).tolist() == [0.0, 0.0]
    with pytest.raises(ValueError, match="index can't contain negative values"):
        tf.make_ndarray(tensor([2], float_val=[1.0, 2.0, 3.0]))
    assert imported(tensor([2], float_val=[1.0, 2.0, 3.0])).shape == [2]


@pytest.mark.parametrize("values", [[], [1.0]])
def test_a_constant_that_no_memory_can_hold(values):
    constant = imported(tensor([2**45], float_val=values))
    graph = constant.graph
    assert constant.shape == [2**45] and len(graph.as_graph_def().SerializeToString()) < 400
    with graph.as_default(), v1.Session() as session:
        assert session.run(tf.shape(constant, tf.int64)).tolist() == [2**45]
        assert session.run(tf.size(constant, tf.int64)) == 2**45
        for fetch in (constant, tf.reduce_max(constant), constant + 1.0):
            with pytest.raises(
                tf.errors.ResourceExhaustedError, match=r"shape\[35184372088832\] and type float"
            ):
                session.run(fetch)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        imported(tensor([2**45], float_val=[1.0, 2.0]))
    for read in (
        tf.make_ndarray,
        lambda proto: tf.io.parse_tensor(proto.SerializeToString(), tf.float32),
    ):
        with pytest.raises(tf.errors.ResourceExhaustedError):
            read(tensor([2**45], float_val=values))


def test_large_constants_of_one_value():
    constant = imported(tensor([1000, 500], float_val=[3.0]))
    with constant.graph.as_default() as graph, v1.Session() as session:
        found = session.run(
            [constant, tf.reduce_sum(constant), constant * 2.0, tf.transpose(constant)[0]]
        )
        found[0][0, 0] = 7.0  # an array of the caller's own
        assert found[1] == 1_500_000.0 and (found[2] == 6.0).all() and (found[3] == 3.0).all()
        again = session.run(constant)
        assert (
            again.shape == (1000, 500)
            and (again == 3.0).all()
            and (tf.get_static_value(constant) == 3.0).all()
        )
        assert (session.run(constant + 1.0, {constant: np.ones([1000, 500])}) == 2.0).all()
        v = v1.get_variable("v", initializer=constant)
        session.run(v.initializer)
        assert (
            session.run(v[1].assign([5.0] * 500))[1, 0] == 5.0
            and session.run(constant)[1, 0] == 3.0
        )
        written = graph.as_graph_def().node[0].attr["value"].tensor
        assert list(written.float_val) == [3.0] and [
            dim.size for dim in written.tensor_shape.dim
        ] == [1000, 500]
    words = tensor([2**18], string_val=[b"ab"])
    words.dtype = 7
    constant = imported(words)
    with constant.graph.as_default(), v1.Session() as session:
        assert (
            session.run(constant[5]) == b"ab"
            and session.run(tf.strings.join([constant, "c"]))[-1] == b"abc"
        )
    with pytest.raises(tf.errors.ResourceExhaustedError):
        v1.wrap_function(
            lambda: tf.identity(tf.import_graph_def(_of_one(2**45), return_elements=["c:0"])[0]), []
        )()
    same = v1.wrap_function(
        lambda: tf.import_graph_def(_of_one(2**19), return_elements=["c:0"])[0] * 2.0, []
    )
    assert (same().numpy() == 2.0).all() and same.graph.outputs[0].shape == [2**19]


def _of_one(size):
    with tf.Graph().as_default():
        return imported(tensor([size], float_val=[1.0])).graph.as_graph_def()


def calling(count, callee):
    """A graph with functions that call others twice."""
    graph_def = v1.GraphDef()
    for i in range(count):
        function = graph_def.library.function.add()
        function.signature.name = f"f{i}"
        function.signature.input_arg.add(name="x", type=1)
        function.signature.output_arg.add(name="y", type=1)
        last = "x"
        for k in range(2):
            called = callee(i)
            node = function.node_def.add(
                name=f"n{k}", op="Identity" if called is None else "PartitionedCall", input=[last]
            )
            if called is None:
                node.attr["T"].type = 1
                last = f"n{k}:output:0"
            else:
                node.attr["Tin"].list.type.append(1)
                node.attr["Tout"].list.type.append(1)
                node.attr["f"].func.name = called
                last = f"n{k}:output:0"
        function.ret["y"] = last
    start = graph_def.node.add(name="a", op="Placeholder")
    start.attr["dtype"].type = 1
    node = graph_def.node.add(name="b", op="PartitionedCall", input=["a"])
    node.attr["Tin"].list.type.append(1)
    node.attr["Tout"].list.type.append(1)
    node.attr["f"].func.name = "f0"
    return graph_def


@pytest.mark.parametrize(
    ("graph_def", "text"),
    [
        (calling(1, lambda i: "f0"), "calls itself"),
        (calling(2, lambda i: f"f{1 - i}"), "calls itself"),
        (calling(30, lambda i: f"f{i + 1}" if i < 29 else None), "more than 5"),
    ],
    ids=["itself", "each other", "exponentially many"],
)
def test_functions_without_end(graph_def, text, monkeypatch):
    from twinflow._src.graph_serialization import function_calls

    monkeypatch.setattr(function_calls, "_MOST_COPIES", 500)
    with tf.Graph().as_default(), pytest.raises(tf.errors.UnimplementedError, match=text):
        tf.import_graph_def(graph_def, name="")
    with tf.Graph().as_default() as graph, v1.Session() as session:
        (result,) = tf.import_graph_def(
            calling(3, lambda i: f"f{i + 1}" if i < 2 else None), name="", return_elements=["b:0"]
        )
        assert session.run(result, {graph.get_tensor_by_name("a:0"): 2.0}) == 2.0


def test_damaged_messages():
    from google.protobuf.message import DecodeError

    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        tf.reduce_sum(tf.matmul(x, tf.constant([[1.0, 2.0], [3.0, 4.0]])), name="y")
        tf.cond(tf.constant(True), lambda: x, lambda: x * 2.0)
    whole, draw, refused = graph.as_graph_def().SerializeToString(), random.Random(3), 0
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        try:
            graph_def = v1.GraphDef.FromString(bytes(data))
        except DecodeError:
            continue
        try:
            with tf.Graph().as_default():
                tf.import_graph_def(graph_def)
        except (tf.errors.OpError, ValueError, TypeError, NotImplementedError):
            refused += 1
    assert refused > 20


def test_damaged_tensors():
    from google.protobuf.message import DecodeError

    whole = tf.make_tensor_proto(np.arange(6, dtype=np.float32).reshape(2, 3)).SerializeToString()
    kind, draw = type(tf.make_tensor_proto(1.0)), random.Random(4)
    for _ in range(2000):
        data = bytearray(whole)
        data[draw.randrange(len(data))] = draw.randrange(256)
        with contextlib.suppress(
            DecodeError, ValueError, TypeError, LookupError, tf.errors.OpError
        ):
            assert tf.make_ndarray(kind.FromString(bytes(data))).size < 1 << 40


def test_damaged_meta_graphs(tmp_path):
    from google.protobuf.message import DecodeError

    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = tf.matmul(x, v1.get_variable("w", [2, 2])) + v1.get_variable(
            "r", [2], use_resource=True
        )
        v1.add_to_collection("things", x)
        tf.cond(tf.reduce_sum(y) > 0.0, lambda: y, lambda: y * 2.0)
        whole = v1.train.export_meta_graph(
            saver_def=v1.train.Saver().as_saver_def()
        ).SerializeToString()
    path, draw, refused = tmp_path / "some.meta", random.Random(5), 0
    for _ in range(200):
        data = bytearray(whole)
        place, way = draw.randrange(len(data)), draw.randrange(3)
        if way == 0:
            data[place] ^= 1 << draw.randrange(8)
        else:
            data[place : place + draw.randrange(9) * (way - 1)] = draw.randbytes(draw.randrange(9))
        path.write_bytes(data)
        try:
            with tf.Graph().as_default():
                v1.train.import_meta_graph(str(path))
        except (
            tf.errors.OpError,
            ValueError,
            TypeError,
            NotImplementedError,
            KeyError,
            DecodeError,
        ):
            refused += 1  # the last two are of names in the descriptions of variables, and of these themselves
    assert refused > 50
