"""Errors of branches and loops: indices, tensors of other branches, initial values of variables."""

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1
BRANCHES = [lambda: tf.constant(1.0), lambda: tf.constant(2.0)]


@pytest.mark.parametrize("dtype", [tf.int64, tf.int8])
def test_the_index_is_int32_in_graphs(dtype):
    index = tf.constant(1, dtype)
    assert tf.switch_case(index, BRANCHES).numpy() == 2
    with pytest.raises(
        TypeError,
        match=f"Input 'branch_index' of 'StatelessCase' Op has type {dtype.name} that does not",
    ):
        tf.function(lambda i: tf.switch_case(i, BRANCHES))(index)


@pytest.mark.parametrize("shape", [[1], [None], None])
def test_the_index_is_a_scalar(shape):
    call = tf.function(
        lambda i: tf.switch_case(i, BRANCHES), input_signature=[tf.TensorSpec(shape, tf.int32)]
    )
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"must be a scalar, but it has shape \[1\]"
    ):
        call(tf.constant([1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="'then' must be at least a vector"):
        tf.switch_case(tf.constant([1]), BRANCHES)


def _leaking(combine):
    kept = []

    def first():
        kept.append(tf.constant(3.0) * 2.0)
        return kept[0]

    return combine(first, lambda: kept[0] + 1.0)


def test_a_tensor_of_another_branch():
    yes, one = tf.constant(True), tf.constant(1)
    with pytest.raises(ValueError, match=r"Tensor .*mul:0 in true_fn is accessed from false_fn."):
        tf.function(lambda p: _leaking(lambda a, b: tf.cond(p, a, b)))(yes)
    with pytest.raises(ValueError, match=r"Tensor .*mul:0 in branch 0 is accessed from branch 1."):
        tf.function(lambda i: _leaking(lambda a, b: tf.switch_case(i, [a, b])))(one)
    with (
        tf.Graph().as_default(),
        pytest.raises(ValueError, match=r"Tensor .*mul:0 in true_fn is accessed from false_fn."),
    ):
        _leaking(lambda a, b: tf.cond(v1.placeholder(tf.bool, []), a, b))


TEXTS = {
    True: r"The `initial_value` passed to `tf.Variable` {} is from inside a control-flow  construct",
    False: "Initializer for variable {} is from inside a control-flow construct, such as",
}


@pytest.mark.parametrize("resource", [True, False])
def test_first_values_from_inside(resource):
    def made(value):
        return v1.Variable(value, use_resource=resource, name="v")

    with tf.Graph().as_default(), v1.Session() as session:
        x, on = tf.constant(1.0), v1.placeholder_with_default(True, [])
        with pytest.raises(ValueError, match=TEXTS[resource].format("cond/v/")):
            v1.cond(on, lambda: made(x * 2.0) + 1.0, lambda: x)
        with pytest.raises(ValueError, match=TEXTS[resource].format("while/v/")):
            v1.while_loop(lambda y: y < 3.0, lambda y: made(y * 2.0) + 1.0, [x])
        with pytest.raises(ValueError, match=TEXTS[resource].format("g/")):
            v1.cond(
                on,
                lambda: v1.get_variable("g", initializer=x * 2.0, use_resource=resource) + 1.0,
                lambda: x,
            )
        assert not v1.global_variables()
        good = v1.cond(on, lambda: made(x) + made(lambda: tf.constant(4.0)), lambda: x)
        session.run(v1.global_variables_initializer())
        assert session.run(good) == 5


@pytest.mark.parametrize("resource", [True, False])
def test_batch_scatter_update(resource):
    expected = [[[1, 1], [2, 3], [1, 1]], [[1, 1], [1, 1], [10, 11]]]
    rows = np.arange(12.0).reshape(2, 3, 2)
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.Variable(rows, use_resource=resource)
        places = v1.placeholder(tf.int32, [None, None])
        updated = v1.batch_scatter_update(variable, places, np.ones([2, 2, 2]))
        session.run(variable.initializer)
        assert session.run(updated, {places: [[0, 2], [1, 0]]}).tolist() == expected
    variable = tf.Variable(rows)
    v1.batch_scatter_update(variable, [[0, 2], [1, 0]], np.ones([2, 2, 2]), name="n")
    assert variable.numpy().tolist() == expected


def test_a_table_that_is_not_initialized_is_empty():
    with tf.Graph().as_default(), v1.Session() as session:
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), -1)
        size = table.size()
        assert session.run(size) == 0
        session.run(v1.tables_initializer())
        assert session.run(size) == 1


def test_signatures_name_the_parts_of_classes():
    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

        def __tf_flatten__(self):
            return (), (self.a, self.b)

        @classmethod
        def __tf_unflatten__(cls, metadata, parts):
            return cls(*parts)

    given = Pair(tf.constant(2.0), tf.TensorSpec([], name="q"))
    traced = tf.function(lambda x, d: d.a + x).get_concrete_function(tf.constant(1.0), given)
    (x, pair), _ = traced.structured_input_signature
    assert [x.name, pair.a.name, pair.b.name] == ["x", "d_0", "q"]
