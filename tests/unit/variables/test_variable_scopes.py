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
        "one/weights:0",
        "one/biases:0",
        "two/weights:0",
        "two/biases:0",
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
    v = v1.get_variable(
        "v", [5, 2], partitioner=v1.fixed_size_partitioner(2), initializer=v1.ones_initializer()
    )
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

    with (
        v1.variable_scope("a", custom_getter=getter("outer")),
        v1.variable_scope("b", custom_getter=getter("inner")),
    ):
        v1.get_variable("v", [1])
    assert seen == ["inner", "outer"]


def test_creators_surround_the_making_of_variables():
    def local(make, **arguments):
        return make(
            **{**arguments, "collections": [v1.GraphKeys.LOCAL_VARIABLES], "trainable": False}
        )

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


# ------------------------------------------------------------------ variables in parts


@pytest.mark.parametrize("resource", [True, False])
def test_joining_the_parts_is_named_after_the_whole(resource):
    whole = v1.get_variable(
        "s/w", [7, 2], use_resource=resource, partitioner=v1.fixed_size_partitioner(3)
    )
    assert whole.as_tensor().name == "s/w:0"
    assert tf.convert_to_tensor(whole).name == "s/w_1:0"
    assert tf.convert_to_tensor(whole).op.inputs[0].name == "s/w/ConcatPartitions/concat_2:0"
    assert [part._get_save_slice_info().spec for part in whole] == [
        "7 2 0,3:0,2",
        "7 2 3,2:0,2",
        "7 2 5,2:0,2",
    ]


def test_parts_are_found_again():
    with v1.variable_scope("s", partitioner=v1.fixed_size_partitioner(3)):
        whole = v1.get_variable("w", [7, 2])
    with v1.variable_scope("s", reuse=True):
        assert v1.get_variable("w", [7, 2]) is whole
        with pytest.raises(
            ValueError, match=r"specified partitions \[2, 1\] and found partitions \[3, 1\]"
        ):
            v1.get_variable("w", [7, 2], partitioner=v1.fixed_size_partitioner(2))


@pytest.mark.parametrize(
    ("partitioner", "message"),
    [
        (
            lambda **_: [5],
            r"Expected 0 <= offset < shape but found offset=4, shape=4 for var_offset=\[4\], full_shape=\[4\]",
        ),
        (lambda **_: 3, "Partitioner must return a sequence, but saw: 3"),
        (lambda **_: [2, 2], r"does not match the Variable's rank: \[2, 2\] vs. \(4,\)"),
    ],
)
def test_bad_partitions(partitioner, message):
    with pytest.raises(ValueError, match=message):
        v1.get_variable("z", [4], partitioner=partitioner)


def test_names_of_created_parts():
    make = lambda **named: v1.create_partitioned_variables(
        [4, 2], [2, 1], v1.ones_initializer(), **named
    )
    assert [v.name for v in make(name="cp")] == ["cp/part_0:0", "cp/part_1:0"]
    assert [v.name for v in make()] == [
        "PartitionedVariable/part_0:0",
        "PartitionedVariable/part_1:0",
    ]
    assert make()[0].name == "PartitionedVariable_1/part_0:0"


def test_slices_as_text():
    info = tf.Variable.SaveSliceInfo("v", [4, 3], [2, 0], [2, 3])
    again = tf.Variable.SaveSliceInfo.from_spec("4 3 2,2:0,3")
    assert info.spec == again.spec == "4 3 2,2:0,3"
    assert (again.full_shape, again.var_offset, again.var_shape) == ([4, 3], [2, 0], [2, 3])
    proto = info.to_proto()
    assert tf.Variable.SaveSliceInfo(save_slice_info_def=proto).spec == info.spec
    assert info.to_proto(export_scope="other") is None
    for bad in ("4 3", "4 3 2,2:-"):
        with pytest.raises(ValueError, match="comma-separated pairs"):
            tf.Variable.SaveSliceInfo.from_spec(bad)


# ------------------------------------------------------------------ what is said of variables


@pytest.mark.parametrize("resource", [True, False])
def test_bad_arguments_of_variables(resource):
    make = lambda **given: v1.Variable([1.0], use_resource=resource, **given)
    with pytest.raises(
        ValueError, match=r"must be a list, tuple, or set. Got a of type <class 'str'>"
    ):
        make(collections="a")
    with pytest.raises(ValueError, match="onstraint"):
        make(constraint=3)
    with pytest.raises(ValueError):
        make(shape=[2])
    assert not v1.global_variables()


@pytest.mark.parametrize("resource", [True, False])
def test_modes_of_both_generations_are_equal(resource):
    old, new = v1.VariableAggregation, tf.VariableAggregation
    assert old.MEAN == new.MEAN and new.MEAN == old.MEAN and hash(old.MEAN) == hash(new.MEAN)
    assert old.ONLY_FIRST_TOWER == new.ONLY_FIRST_REPLICA and old.MEAN != new.SUM and old.MEAN != 2
    v = v1.Variable(1.0, aggregation=old.MEAN, use_resource=resource)
    assert v1.Variable.from_proto(v.to_proto()).aggregation is new.MEAN


# ------------------------------------------------------------------ variable creators


@pytest.mark.parametrize("scope", [tf.variable_creator_scope, v1.variable_creator_scope])
def test_creators_of_either_generation_make_the_variables_of_their_graph(scope):
    asked = []

    def creator(next_creator, **options):
        asked.append((options["name"], options["trainable"], options["shape"], len(options)))
        return next_creator(**{**options, "trainable": False})

    with scope(creator):
        shared = v1.get_variable("shared", [2])
        old = v1.Variable(1.0, name="old", use_resource=False)
        new = tf.Variable(1.0, name="new")
        with tf.Graph().as_default():
            elsewhere = tf.Variable(1.0, name="elsewhere")
    assert asked == [("shared", True, [2], 16), ("old", None, None, 16), ("new", None, None, 13)]
    assert [v.trainable for v in (shared, old, new, elsewhere)] == [False, False, False, True]
    assert v1.global_variables() == [shared, old, new] and not v1.trainable_variables()
