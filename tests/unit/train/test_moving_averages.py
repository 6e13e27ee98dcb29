"""Moving averages, variables that begin with values of checkpoints, and what is refused of TensorFlow 1's training."""

import numpy as np
import pytest

import twinflow as tf2
from twinflow._src.core.context import PLAIN, entered
from twinflow.compat import v1 as tf

# What TensorFlow 2.21 gives for [1, 2] that grows by one before each of three updates with a decay of 0.9.
PLAINLY = [[1.1, 2.1], [1.29, 2.29], [1.561, 2.561]]
WITH_UPDATES = [[1.6, 2.6], [2.44, 3.44], [3.376, 4.376]]

pytestmark = pytest.mark.usefixtures("graph")


def run(function):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return function(session)


def followed(resource, **options):
    v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0]), use_resource=resource)
    averages = tf.train.ExponentialMovingAverage(0.9, **options)
    update = averages.apply([v])
    more = v.assign_add([1.0, 1.0])

    def values(session):
        found = []
        for _ in range(3):
            session.run(more)
            session.run(update)
            found.append(session.run(averages.average(v)))
        return found

    return averages, v, run(values)


@pytest.mark.parametrize("resource", [True, False])
@pytest.mark.parametrize(
    "options", [{}, {"num_updates": 5}, {"zero_debias": True}, {"name": "Avg"}]
)
def test_in_a_graph(resource, options):
    averages, v, values = followed(resource, **options)
    assert np.allclose(values, WITH_UPDATES if "num_updates" in options else PLAINLY, rtol=1e-6)
    name = options.get("name", "ExponentialMovingAverage")
    assert averages.average_name(v) == f"v/{name}" and averages.average(v).name == f"v/{name}:0"
    assert averages.name == name and not averages.average(v).trainable
    assert tf.moving_average_variables() == [v]


def test_names_of_the_operations(graph):
    v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0]))
    update = tf.train.ExponentialMovingAverage(0.9).apply([v])
    start = "ExponentialMovingAverage"
    inner = [
        n.name.removeprefix(f"{start}/")
        for n in graph.get_operations()
        if n.name.startswith(f"{start}/")
    ]
    assert update.name == start and inner == [
        "decay",
        "AssignMovingAvg/sub/x",
        "AssignMovingAvg/sub",
        "AssignMovingAvg/ReadVariableOp",
        "AssignMovingAvg/sub_1/ReadVariableOp",
        "AssignMovingAvg/sub_1",
        "AssignMovingAvg/mul",
        "AssignMovingAvg/AssignSubVariableOp",
        "AssignMovingAvg/ReadVariableOp_1",
    ]


@pytest.mark.parametrize(
    "zero_debias, wanted",
    [(False, [[0, 0.5], [0.5, 0.75], [1.25, 0.875]]), (True, [[0, 1], [2 / 3, 1], [10 / 7, 1]])],
)
def test_of_tensors(zero_debias, wanted):
    x = tf.placeholder(tf.float32, [2], name="x")
    y = tf.identity(x, name="y")
    averages = tf.train.ExponentialMovingAverage(0.5, zero_debias=zero_debias)
    update = averages.apply([y])

    def values(session):
        found = []
        for i in range(3):
            session.run(update, {x: [i, 1.0]})
            found.append(session.run(averages.average(y)))
        return found

    assert np.allclose(run(values), wanted)
    assert averages.average(y).name == "y/ExponentialMovingAverage:0"


def test_what_a_saver_restores(tmp_path):
    averages, v, _ = followed(True)
    w = tf.get_variable("w", [1], trainable=False)
    found = averages.variables_to_restore()
    assert found == {"v/ExponentialMovingAverage": v, "w": w}
    path = run(
        lambda session: (
            session.run(averages.average(v).assign([7.0, 8.0])),
            tf.train.Saver().save(session, str(tmp_path / "m")),
        )[1]
    )
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [2])
        tf.train.Saver(tf.train.ExponentialMovingAverage(0.9).variables_to_restore([v])).restore(
            session, path
        )
        assert session.run(v).tolist() == [7.0, 8.0]


def test_at_once():
    with entered(PLAIN):
        v = tf2.Variable([1.0, 2.0], name="v")
        averages, found = tf2.train.ExponentialMovingAverage(0.9), []
        averages.apply([v])
        for _ in range(3):
            v.assign_add([1.0, 1.0])
            assert averages.apply([v]) is None
            found.append(averages.average(v).numpy())
        assert np.allclose(found, PLAINLY)
        assert averages.average(v).name == "v/ExponentialMovingAverage:0"
        with pytest.raises(TypeError, match="does not support non-Variable tensors"):
            averages.apply([tf2.constant(1.0)])


def test_only_floating_numbers():
    with pytest.raises(TypeError, match="must be half, float, or double: v:0"):
        tf.train.ExponentialMovingAverage(0.9).apply([tf.get_variable("v", [2], tf.int32)])


# ------------------------------------------------------------------ beginning with values of checkpoints


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("a"):
            tf.get_variable("x", initializer=tf.constant([1.0, 2.0]))
            tf.get_variable("y", initializer=tf.constant([[3.0]]))
        with tf.variable_scope("p", partitioner=tf.fixed_size_partitioner(2)):
            tf.get_variable("w", initializer=tf.constant([[1.0], [2.0], [3.0], [4.0]]))
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, str(tmp_path_factory.mktemp("init") / "c"))


def scoped(name, resource=True):
    with tf.variable_scope(name, use_resource=resource):
        return [tf.get_variable("x", [2]), tf.get_variable("y", [1, 1])]


def values(variables):
    return [x.tolist() for x in run(lambda session: session.run(list(variables)))]


@pytest.mark.parametrize("resource", [True, False])
def test_scopes_and_names(checkpoint, resource):
    b = scoped("b", resource)
    tf.train.init_from_checkpoint(checkpoint, {"a/": "b/"})
    c, d = scoped("c", resource), scoped("a", resource)
    tf.train.init_from_checkpoint(checkpoint, [("a/y", "c/y"), ("a/x", c[0])])
    assert values(b) == values(c) == [[1.0, 2.0], [[3.0]]]
    tf.train.warm_start(checkpoint, "a/")
    assert values(d) == [[1.0, 2.0], [[3.0]]]


def test_parts(checkpoint):
    q = tf.get_variable("q", [4, 1], partitioner=tf.fixed_size_partitioner(4))
    r = tf.get_variable("r", [4, 1])
    tf.train.init_from_checkpoint(checkpoint, {"p/w": list(q)})
    tf.train.init_from_checkpoint(checkpoint, {"p/w": r})
    assert values(q) == [[[1.0]], [[2.0]], [[3.0]], [[4.0]]]
    assert values([r]) == [[[1.0], [2.0], [3.0], [4.0]]]


def test_what_does_not_fit(checkpoint):
    x, y = scoped("b")
    refused = {
        r"Tensor nope is not found in .*c checkpoint": {"nope": "b/x"},
        r"Tensor nope/x \(x in nope/\) is not found": {"nope/": "b/"},
        r"Shape of variable b/y:0 \(\(1, 1\)\) doesn't match with shape of tensor a/x \(\[2\]\)": {
            "a/x": y
        },
        "Assignment map with scope only name": {"a/x": "zz"},
    }
    for said, pairs in refused.items():
        with pytest.raises(ValueError, match=said):
            tf.train.init_from_checkpoint(checkpoint, pairs)
    with pytest.raises(tf2.errors.NotFoundError, match="Failed to find any matching files"):
        tf.train.init_from_checkpoint("nope", {"/": "/"})
    with pytest.raises(NotImplementedError, match="vocabularies"):
        tf.train.warm_start(checkpoint, x, var_name_to_vocab_info={"a": 1})


def test_names_and_what_is_restored_where_operations_run_at_once():
    with entered(PLAIN):
        averages = tf2.train.ExponentialMovingAverage(0.9)
        with tf2.name_scope("sc"):
            v = tf2.Variable(1.0, name="at_once")
            averages.apply([v])
        assert averages.average(v).name == "sc/at_once/ExponentialMovingAverage:0"
        assert averages.variables_to_restore()["sc/at_once/ExponentialMovingAverage"] is v
