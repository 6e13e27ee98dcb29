"""``disable_v2_behavior`` and its parts: dimensions, identity, references, the names of results."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1


@pytest.fixture
def old() -> Iterator[None]:
    """A graph as in programs of TensorFlow 1."""
    v1.disable_v2_tensorshape()
    v1.disable_resource_variables()
    v1.disable_tensor_equality()
    v1.disable_control_flow_v2()
    with tf.Graph().as_default():
        yield
    v1.enable_v2_behavior()


# ------------------------------------------------------------------ dimensions


@pytest.mark.usefixtures("old")
def test_items_of_shapes_are_dimensions():
    x = v1.placeholder(tf.float32, [None, 3, 4])
    assert (
        str(x.shape) == "(?, 3, 4)"
        and repr(x.shape[:2]) == "TensorShape([Dimension(None), Dimension(3)])"
    )
    assert [d.value for d in x.shape] == [None, 3, 4] and x.shape[0].value is None
    assert repr(x.shape[1] * x.shape[2]) == "Dimension(12)" and str(x.shape[0] * 2) == "?"
    assert (
        str(tf.TensorShape(None)) == "<unknown>"
        and repr(tf.TensorShape(None)[0]) == "Dimension(None)"
    )
    assert str(tf.TensorShape([7])) == "(7,)" and str(tf.TensorShape([])) == "()"
    assert str(x) == 'Tensor("Placeholder:0", shape=(?, 3, 4), dtype=float32)'
    assert tf.reshape(tf.zeros([12]), [x.shape[1], x.shape[2]]).shape == [3, 4]
    assert len(tf.split(tf.zeros([4, 3]), x.shape[1], axis=1)) == 3


RAGGED = ([1, 2, 3], [0, 2, 2, 3])
# Functions that read static sizes, of a matrix and of an integer vector.
READS_SIZES = {
    "concat": lambda x, i: tf.concat([x, x], 0),
    "gather_nd": lambda x, i: tf.gather_nd(x, i[:, None]),
    "repeat": lambda x, i: tf.repeat(x, i, axis=0),
    "unstack": lambda x, i: tf.stack(tf.unstack(x)),
    "map_fn": lambda x, i: tf.map_fn(tf.reduce_sum, x),
    "scan": lambda x, i: tf.scan(lambda a, b: a + b, x),
    "vectorized_map": lambda x, i: tf.vectorized_map(lambda row: row * 2, x),
    "dct": lambda x, i: tf.signal.dct(x, 1),
    "frame": lambda x, i: tf.signal.frame(x, 2, 1),
    "mel": lambda x, i: tf.signal.mfccs_from_log_mel_spectrograms(x),
    "pinv": lambda x, i: tf.linalg.pinv(x),
    "lu": lambda x, i: tf.linalg.lu_reconstruct(*tf.linalg.lu(x[:, 1:3])),
    "lstsq": lambda x, i: tf.linalg.lstsq(x, x),
    "expm": lambda x, i: tf.linalg.expm(tf.linalg.matmul(x, x, transpose_b=True)),
    "tridiagonal": lambda x, i: tf.linalg.eigh_tridiagonal(x[0], x[1, :3]),
    "conv": lambda x, i: tf.nn.conv2d(x[None, :, :, None], tf.ones([2, 2, 1, 1]), 1, "SAME"),
    "moments": lambda x, i: tf.nn.moments(x, [0])[1],
    "embedding": lambda x, i: tf.nn.embedding_lookup([x, x], i),
    "cross_entropy": lambda x, i: tf.nn.weighted_cross_entropy_with_logits(x, x, 2.0),
    "loss": lambda x, i: tf.losses.SparseCategoricalCrossentropy()(i, tf.nn.softmax(x)),
    "ragged": lambda x, i: tf.RaggedTensor.from_row_splits(*RAGGED).to_tensor(),
    "ragged_gather": lambda x, i: tf.gather(tf.RaggedTensor.from_row_splits(*RAGGED), i).values,
    "ragged_range": lambda x, i: tf.ragged.range(i).flat_values,
    "sparse": lambda x, i: tf.sparse.to_dense(tf.sparse.transpose(tf.sparse.from_dense(x))),
    "sparse_concat": lambda x, i: tf.sparse.concat(0, [tf.sparse.from_dense(x)] * 2).values,
    "tile": lambda x, i: tf.experimental.numpy.tile(x, [2, 1]),
    "initializer": lambda x, i: tf.initializers.GlorotUniform(seed=1)(x.shape),
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", READS_SIZES)
def test_internal_code_sees_no_dimensions(name, traced, monkeypatch):
    """Dimensions, which TensorFlow 1 programs see in place of sizes, are for them alone."""
    f = tf.function(READS_SIZES[name]) if traced else READS_SIZES[name]
    again = tf.function(READS_SIZES[name]) if traced else READS_SIZES[name]
    inputs = tf.constant([[2.0, 1.0, 0.5, 3.0], [1.0, 3.0, 0.25, 1.0]]), tf.constant([1, 0])
    expected = f(*inputs)

    def refuse(self, value):
        raise AssertionError("internal code asked for an item of a shape")

    v1.disable_v2_tensorshape()
    try:
        monkeypatch.setattr(v1.Dimension, "__init__", refuse)
        result = again(*inputs)
    finally:
        v1.enable_v2_tensorshape()
    assert result.numpy().tobytes() == expected.numpy().tobytes()


@pytest.mark.usefixtures("old")
def test_shapes_are_copied_with_dimensions():
    shape = tf.TensorShape([2, None])
    for other in (copy.deepcopy(shape), pickle.loads(pickle.dumps(shape))):
        assert repr(other) == "TensorShape([Dimension(2), Dimension(None)])"
    assert pickle.loads(pickle.dumps(shape[0])).value == 2
    assert np.zeros(tf.TensorShape([2, 3])).shape == (2, 3)


@pytest.mark.usefixtures("old")
def test_unknown_dimensions_are_no_sizes():
    x = v1.placeholder(tf.float32, [None, 3])
    with pytest.raises(TypeError, match="__int__ returned non-int"):
        tf.zeros([x.shape[0], 2])


def test_shapes_have_plain_items_again():
    v1.disable_v2_tensorshape()
    v1.enable_v2_tensorshape()
    assert (
        tf.TensorShape([None, 2])[1] == 2
        and repr(tf.TensorShape([None, 2])) == "TensorShape([None, 2])"
    )


def test_dimensions_compare_and_divide():
    three, unknown = v1.Dimension(3), v1.Dimension(None)
    assert three < 4 and three >= 3 and not three > v1.Dimension(5) and (unknown < 1) is None
    assert (7 - three).value == 4 and (7 // three).value == 2 and (7 % three).value == 1
    assert (three != "a text") is True and not unknown and not v1.Dimension(0)
    with pytest.raises(TypeError, match="please use // instead"):
        _ = three / 2
    with pytest.raises(TypeError, match="unsupported operand"):
        _ = three * 1.5
    with pytest.raises(TypeError, match="unhashable"):
        hash(three)


def test_dimensions_agree_or_not():
    three = v1.Dimension(3)
    assert three.is_compatible_with(None) and not three.is_compatible_with(4)
    assert v1.Dimension(None).merge_with(three).value == 3
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        three.merge_with(4)


def test_dimensions_become_whole_tensors():
    assert tf.convert_to_tensor(v1.Dimension(3), tf.int64).dtype == tf.int64
    with pytest.raises(TypeError, match="Cannot convert Dimension 3 to dtype"):
        tf.convert_to_tensor(v1.Dimension(3), tf.float32)


# ------------------------------------------------------------------ tensors and results


@pytest.mark.usefixtures("old")
def test_tensors_are_keys():
    a, b = tf.constant([1, 2]), tf.constant([1, 2])
    assert a != b and {a: 1, b: 2}[b] == 2 and (a == 3) is False


@pytest.mark.usefixtures("old")
def test_results_of_branches_and_loops_have_old_names():
    going = v1.placeholder(tf.bool)
    chosen = tf.cond(
        going, lambda: (tf.constant(1), tf.constant(2)), lambda: (tf.constant(3), tf.constant(4))
    )
    assert [x.name for x in chosen] == ["cond/Merge:0", "cond/Merge_1:0"]
    found = v1.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), [0, 1])
    assert isinstance(found, tuple) and [x.name for x in found] == [
        "while/Exit:0",
        "while/Exit_1:0",
    ]
    with v1.Session() as session:
        assert session.run(found) == (3, 8)


# ------------------------------------------------------------------ references


@pytest.mark.usefixtures("old")
def test_fetched_references_show_the_end_of_the_run():
    v = v1.Variable([1.0])
    step = v.assign_add([1.0])
    late = v.assign_add([10.0])
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        with tf.control_dependencies([step]):
            last = tf.identity(late)
        assert [float(x[0]) for x in session.run([v, step, last])] == [12.0, 12.0, 12.0]


@pytest.mark.usefixtures("old")
def test_a_reading_shows_updates_before_it_is_used():
    v = v1.Variable(1.0)
    with tf.control_dependencies([v.assign(5.0)]):
        after = v + 1.0
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(after) == 6.0


@pytest.mark.usefixtures("old")
def test_updates_in_a_branch_show_in_it():
    changing, v = v1.placeholder(tf.bool), v1.Variable([1])

    def changed():
        with tf.control_dependencies([v.assign([2])]):
            return tf.identity(v)

    found = tf.cond(changing, changed, lambda: tf.identity(v))
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert [session.run(found, {changing: on})[0] for on in (False, True, False)] == [1, 2, 2]


@pytest.mark.usefixtures("old")
def test_values_fed_for_references_are_read():
    v = v1.Variable([1.0, 2.0])
    double = v * 2.0
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(double, {v: [5.0, 6.0]}).tolist() == [10.0, 12.0]


@pytest.mark.usefixtures("old")
def test_gradients_by_references_within_branches():
    v = v1.Variable(3.0)
    found = tf.cond(v1.placeholder_with_default(True, []), lambda: v * v, lambda: v)
    (slope,) = tf.gradients(found, v)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(slope) == 6.0


# ------------------------------------------------------------------ out of branches and loops


def test_branches_wait_for_operations_outside():
    with tf.Graph().as_default():
        v = v1.Variable([1])
        change, pred = v.assign([2]), v1.placeholder(tf.bool)

        def waiting():
            with tf.control_dependencies([change]):
                return tf.constant(1)

        found = tf.cond(pred, waiting, lambda: tf.constant(0))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(found, {pred: False}) == 0  # what is outside runs whatever is chosen
            assert session.run(v) == [2]


def test_gradients_in_loops_go_through_what_is_outside():
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0, 3.0])
        y = tf.stack([x[0] * x[1], x[0] ** 2.0])
        rows = tf.TensorArray(tf.float32, 2)
        _, rows = tf.while_loop(
            lambda i, _: i < 2,
            lambda i, found: (i + 1, found.write(i, tf.gradients(y[i], x)[0])),
            (0, rows),
        )
        with v1.Session() as session:
            assert session.run(rows.stack()).tolist() == [[2.0, 1.0, 0.0], [2.0, 0.0, 0.0]]


def test_gradients_in_functions_go_through_what_is_outside():
    @tf.function
    def slope(x):
        y = x * x
        return tf.cond(x[0] > 0.0, lambda: tf.gradients(y, x)[0], lambda: x)

    assert slope(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]


def test_an_operation_tells_what_it_waits_for_in_order():
    with tf.Graph().as_default() as graph:
        later, first = tf.constant(1, name="z"), tf.constant(2, name="a")
        both = tf.group(later, first, name="both")
        assert list(both.node_def.input) == ["^z", "^a"]
        assert list(graph.as_graph_def().node[-1].input) == ["^a", "^z"]


def test_names_and_shapes_of_old_layers():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, 4, 4, 1])
        assert v1.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME").name == "MaxPool:0"
        assert v1.nn.dropout(x, v1.placeholder(tf.float32)).shape.as_list() == [None, 4, 4, 1]


def test_interactive_sessions_leave_eager_code_eager():
    session = tf.compat.v1.InteractiveSession()
    assert tf.constant(5.0).numpy() == 5.0
    session.close()
    graph = tf.Graph()
    with graph.as_default():
        two = tf.constant(2.0)
    session = tf.compat.v1.InteractiveSession(graph=graph)
    assert tf.constant(1.0).graph is graph and two.eval() == 2.0
    session.close()
    assert tf.constant(1.0).numpy() == 1.0
