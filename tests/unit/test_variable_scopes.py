"""Variables that parts of a program share by their names."""

import pytest

import twinflow as tf

v1 = tf.compat.v1

pytestmark = pytest.mark.usefixtures("graph")


def layer(size):
    weights = v1.get_variable("weights", [size], initializer=v1.random_normal_initializer())
    biases = v1.get_variable("biases", [size], initializer=v1.constant_initializer(0.0))
    return weights + biases


def test_scopes_name_variables():
    with v1.variable_scope("one"):
        layer(2)
    with v1.variable_scope("two"):
        layer(2)
    assert [v.name for v in v1.global_variables()] == [
        "one/weights:0", "one/biases:0", "two/weights:0", "two/biases:0",
    ]


def test_variables_are_not_shared_by_accident():
    with v1.variable_scope("filters") as scope:
        layer(2)
        with pytest.raises(ValueError, match="already exists"):
            layer(2)
        scope.reuse_variables()
        layer(2)
    assert len(v1.global_variables()) == 2


def test_reuse_is_inherited():
    with v1.variable_scope("root"):
        assert not v1.get_variable_scope().reuse
        with v1.variable_scope("a", reuse=True), v1.variable_scope("b"):
            assert v1.get_variable_scope().reuse
        assert not v1.get_variable_scope().reuse


def test_operations_are_named_by_both_scopes_and_variables_by_one():
    with v1.variable_scope("foo"), v1.name_scope("bar"):
        v = v1.get_variable("v", [1])
        x = 1.0 + v
    assert (v.name, x.op.name) == ("foo/v:0", "foo/bar/add")


def test_default_names_are_unique():
    names = []
    for _ in range(2):
        with v1.variable_scope(None, "layer"):
            names.append(v1.get_variable("v", [1]).name)
    assert names == ["layer/v:0", "layer_1/v:0"]


def test_parts_of_a_variable():
    v = v1.get_variable("v", [5, 2], partitioner=v1.fixed_size_partitioner(2), initializer=v1.ones_initializer())
    assert [part.shape.as_list() for part in v] == [[3, 2], [2, 2]]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(tf.convert_to_tensor(v)).shape == (5, 2)


def test_custom_getters_are_nested():
    seen = []

    def getter(label):
        def get(inner, name, *args, **kwargs):
            seen.append(label)
            return inner(name, *args, **kwargs)

        return get

    with v1.variable_scope("a", custom_getter=getter("outer")), v1.variable_scope("b", custom_getter=getter("inner")):
        v1.get_variable("v", [1])
    assert seen == ["inner", "outer"]


def test_creators_surround_the_making_of_variables():
    def local(make, **arguments):
        return make(**{**arguments, "collections": [v1.GraphKeys.LOCAL_VARIABLES], "trainable": False})

    with v1.variable_creator_scope(local):
        v1.get_variable("v", [1])
        v1.Variable(1.0)
    assert (len(v1.local_variables()), len(v1.global_variables())) == (2, 0)


def test_new_variables_may_start_with_the_value_of_others():
    weights = v1.Variable(tf.random.normal([3]), name="weights")
    twice = v1.Variable(weights.initialized_value() * 2.0, name="twice")
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        a, b = session.run([weights, twice])
    assert (b == 2 * a).all()
