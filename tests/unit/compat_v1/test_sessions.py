"""Graphs that sessions run."""

import collections
import re

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1

pytestmark = pytest.mark.usefixtures("graph")


def test_results_have_the_structure_that_was_asked_for():
    pair = collections.namedtuple("pair", "a b")
    with v1.Session() as session:
        found = session.run({"x": [tf.constant(1)], "y": pair(tf.constant(2.0), (tf.no_op(),))})
    assert found == {"x": [1], "y": pair(2.0, (None,))}
    assert type(found["y"].a) is np.float32


def test_names_and_variables_can_be_fetched():
    tf.constant(7, name="seven")
    v = tf.Variable(3)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(["seven:0", v, "seven"]) == [7, 3, None]


def test_any_tensor_can_be_fed():
    x = tf.constant(1.0)
    with v1.Session() as session:
        assert session.run(x + 1, {x: 10.0}) == 11
        assert session.run(x + 1) == 2


def test_a_placeholder_must_be_fed():
    x = v1.placeholder(tf.float32, [None])
    with v1.Session() as session:
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="must feed a value for placeholder"
        ):
            session.run(x)
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(x, {x: 1.0})


def test_each_session_has_its_own_values():
    v = tf.Variable(1.0)
    with v1.Session() as one, v1.Session() as two:
        one.run(v.initializer)
        one.run(v.assign_add(4.0))
        two.run(v.initializer)
        assert (one.run(v), two.run(v)) == (5, 1)


def test_a_variable_has_no_value_before_its_initializer_ran():
    v = tf.Variable(1.0, name="v")
    with v1.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="Could not find variable v"):
            session.run(v)
        assert session.run(v1.report_uninitialized_variables()).tolist() == [b"v"]


def test_what_is_fetched_is_not_the_memory_of_the_variable():
    v = tf.Variable([1.0, 2.0])
    with v1.Session() as session:
        session.run(v.initializer)
        session.run(v)[0] = 100
        assert session.run(v).tolist() == [1, 2]


def test_branches_and_loops_use_variables_of_the_session():
    v = tf.Variable(3)
    doubled = tf.cond(v > 2, lambda: v * 2, lambda: v)
    counted = tf.while_loop(lambda i: i < v, lambda i: i + 1, [tf.constant(0)])
    with v1.Session() as session:
        session.run(v.initializer)
        assert session.run([doubled, counted]) == [6, [3]]


def test_control_dependencies_run_first():
    v = v1.Variable(1.0, use_resource=False)
    with tf.control_dependencies([v.assign(2.0)]):
        ten = v.read_value() * 10
    with v1.Session() as session:
        session.run(v.initializer)
        assert session.run(ten) == 20


def test_random_numbers_follow_the_session(graph):
    graph.seed = 3
    x = tf.random.uniform([2])
    with v1.Session() as one, v1.Session() as two:
        first = one.run(x).tolist()
        assert one.run(x).tolist() != first
        assert two.run(x).tolist() == first


def test_a_closed_session_refuses():
    x = tf.constant(1)
    session = v1.Session()
    session.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(x)


def test_gradients_and_steps():
    v = tf.Variable(3.0)
    loss = v * v
    (slope,) = v1.gradients(loss, [v])
    step = v1.train.GradientDescentOptimizer(0.5).minimize(loss)
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(slope) == 6
        session.run(step)
        assert session.run(v) == 0


def test_rows_of_a_variable_are_updated_by_the_gradient_of_a_gather():
    v = tf.Variable([[1.0], [2.0], [3.0]])
    step = v1.train.AdagradOptimizer(1.0).minimize(tf.reduce_sum(tf.gather(v, [1, 1])))
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run(step)
        found = session.run(v)[:, 0]
    np.testing.assert_allclose(found, [1, 2 - 2 / np.sqrt(4.1), 3], rtol=1e-6)


def test_devices_that_do_not_exist():
    with tf.device("/job:ps/task:7"):
        x = tf.constant(1)
    with (
        v1.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="Cannot assign a device"),
    ):
        session.run(x)


def test_device_functions_are_asked_for_each_operation():
    with v1.device(lambda op: "/cpu:0" if op.type == "Const" else ""):
        x = tf.constant(1)
        assert (x.device, (x + x).device) == ("/cpu:0", "")


def test_metrics_gather_values_over_runs():
    x = v1.placeholder(tf.float32, [None])
    value, update = v1.metrics.mean(x)
    with v1.Session() as session:
        session.run(v1.local_variables_initializer())
        session.run(update, {x: [1.0, 2.0]})
        assert session.run(update, {x: [6.0]}) == 3
        assert session.run(value) == 3


def test_settings_are_copied_with_what_they_hold():
    options = v1.GPUOptions(allow_growth=True)
    config = v1.ConfigProto(gpu_options=options, allow_soft_placement=True, device_count={"CPU": 2})
    options.allow_growth = False
    other = v1.ConfigProto(log_device_placement=True)
    other.CopyFrom(config)
    other.gpu_options.visible_device_list = "1"
    other.device_count["CPU"] = 3
    text = 'device_count {\n  key: "CPU"\n  value: 2\n}\ngpu_options {\n  allow_growth: true\n}\nallow_soft_placement: true\n'
    assert str(config) == text
    changed = text.replace("value: 2", "value: 3").replace(
        "true\n}", 'true\n  visible_device_list: "1"\n}'
    )
    assert str(other) == changed
    config.CopyFrom(config)
    assert str(config) == text
    assert str(v1.ConfigProto(gpu_options=v1.ConfigProto().gpu_options)) == "gpu_options {\n}\n"


def test_settings_of_another_kind_are_refused():
    with pytest.raises(
        TypeError, match=r"Parameter to CopyFrom\(\) must be instance of same class: expected"
    ):
        v1.ConfigProto().CopyFrom(v1.GPUOptions())
    with pytest.raises(
        TypeError, match=r"must be dict or instance of same class: expected .*GPUOptions.* got"
    ):
        v1.ConfigProto(gpu_options=v1.GraphOptions())


def test_what_is_fed_counts_for_one_run():
    c = tf.constant(5.0)
    d = c + 1.0
    with v1.Session() as session:
        assert [session.run(d, feed) for feed in (None, {c: 6.0}, None, {d: 9.0}, None)] == [
            6.0,
            7.0,
            6.0,
            9.0,
            6.0,
        ]


def test_a_tensor_may_be_kept_from_being_fed():
    c = tf.constant(5.0)
    d = c + 1.0
    c.graph.prevent_feeding(c)
    with v1.Session() as session, pytest.raises(ValueError, match="Tensor Const:0 may not be fed"):
        session.run(d, {c: 6.0})


def test_a_number_is_fed_where_its_type_holds_it():
    p = v1.placeholder(tf.int8, [])
    with v1.Session() as session:
        assert [session.run(p * 1, {p: value}) for value in (127, -128)] == [127, -128]
        with pytest.raises(
            TypeError, match="Type of feed value 128 with type <class 'int'> is not compatible"
        ):
            session.run(p, {p: 128})


def test_parts_of_a_run_know_what_was_found_before():
    a, b, c = (v1.placeholder(tf.float32, []) for _ in range(3))
    total = a + b
    product = total * c
    with v1.Session() as session:
        handle = session.partial_run_setup([total, product], [a, b, c])
        first = session.partial_run(handle, total, {a: 1.0, b: 2.0})
        assert first == 3.0 and session.partial_run(handle, product, {c: first * 10}) == 90.0


def test_why_a_variable_has_no_value():
    v = v1.get_variable("v", [2], use_resource=True)
    other = v1.get_variable("r", [2], use_resource=False)
    update = v.assign_add([1.0, 1.0])
    with v1.Session() as session:
        with pytest.raises(
            tf.errors.NotFoundError,
            match=r"Container localhost does not exist. \(Could not find resource: localhost/v\)",
        ):
            session.run(update)
        session.run(other.initializer)
        with pytest.raises(
            tf.errors.NotFoundError, match="Resource localhost/v/N10tensorflow3VarE does not exist"
        ):
            session.run(update)
        with pytest.raises(
            tf.errors.FailedPreconditionError,
            match="Resource localhost/v/N10tensorflow3VarE does not exist",
        ):
            session.run(v + 1.0)


# ------------------------------------------------------------------ variables that are waited for, and fed


@pytest.mark.parametrize("use_resource", [True, False])
def test_operations_wait_for_variables(use_resource):
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=tf.constant([1.0, 2.0]), use_resource=use_resource)
        with tf.control_dependencies([v]):
            nothing = tf.no_op()
        assert session.run(nothing) is None and session.run(v.op) is None  # nobody asks for a value
        results = []
        for waited in ([v], [v, tf.constant(1.0)], [v.op]):
            with tf.control_dependencies(waited):
                results += [v.assign([5.0, 6.0]), tf.identity(v)]
        session.run(v.initializer)
        for result in results:
            np.testing.assert_array_equal(session.run(result), [5.0, 6.0])
        assert session.run(tf.group(v, tf.constant(1.0))) is None


BODIES = {
    "cond": (lambda v, b: tf.cond(b, lambda: tf.abs(v) * 2.0, lambda: v), [1.0, 1.0]),
    "while": (
        lambda v, b: tf.while_loop(
            lambda i, x: i < 1, lambda i, x: (i + 1, x + v), (0, tf.zeros(2))
        )[1],
        [0.5, -0.5],
    ),
    "nested": (
        lambda v, b: tf.cond(b, lambda: tf.cond(b, lambda: v * 3.0, lambda: v), lambda: v),
        [1.5, -1.5],
    ),
    "case": (lambda v, b: tf.case([(b, lambda: v * 4.0)], default=lambda: v), [2.0, -2.0]),
    "switch_case": (
        lambda v, b: tf.switch_case(tf.cast(b, tf.int32), [lambda: v, lambda: v * 8.0]),
        [4.0, -4.0],
    ),
    "map_fn": (lambda v, b: tf.map_fn(lambda i: v * i, tf.constant([2.0]))[0], [1.0, -1.0]),
    "gradient": (
        lambda v, b: tf.gradients(tf.cond(b, lambda: v * v, lambda: v), v)[0],
        [1.0, -1.0],
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_values_that_are_fed_for_references_reach_bodies(name):
    body, expected = BODIES[name]
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=tf.constant([0.0, 0.0]), use_resource=False)
        result = body(v, v1.placeholder_with_default(True, []))
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(result, {v: [0.5, -0.5]}), expected)
        np.testing.assert_array_equal(session.run(result), [0.0, 0.0])


def test_bodies_do_not_update_references_that_are_fed():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=tf.constant([0.0]), use_resource=False)
        result = tf.cond(
            v1.placeholder_with_default(True, []),
            lambda: v.assign_add([1.0]) + 0.0,
            lambda: v + 0.0,
        )
        session.run(v.initializer)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="incompatible with expected float_ref"
        ):
            session.run(result, {v: [5.0]})
        np.testing.assert_array_equal(session.run(v), [0.0])


@pytest.mark.parametrize(
    ("kind", "said", "call"),
    [
        (
            TypeError,
            "Argument `feed_list` must be a list or tuple. Received: feed_list=x:0",
            lambda s, x: s.make_callable(x, "x:0"),
        ),
        (
            TypeError,
            "Argument `feed_list` must be a list or tuple. Received: feed_list=",
            lambda s, x: s.make_callable(x, x),
        ),
        (
            TypeError,
            "Cannot interpret feed_dict key as Tensor: ",
            lambda s, x: s.make_callable(x, [3])(1),
        ),
        (
            TypeError,
            "unexpected keyword argument 'foo'",
            lambda s, x: s.make_callable(x, [x])(1.0, foo=2),
        ),
        (
            TypeError,
            "takes 0 positional arguments but 1 was given",
            lambda s, x: s.make_callable(x + 1.0)(1),
        ),
        (
            tf.errors.InvalidArgumentError,
            "Must specify at least one target",
            lambda s, x: s.make_callable([])(),
        ),
        (
            tf.errors.InvalidArgumentError,
            "You must feed a value for placeholder",
            lambda s, x: s.make_callable(x + 1.0, [x])(),
        ),
        (
            AttributeError,
            "'int' object has no attribute 'SerializeToString'",
            lambda s, x: s.make_callable(x, [x])(1.0, options=3),
        ),
        (
            AttributeError,
            "'int' object has no attribute 'ParseFromString'",
            lambda s, x: s.run(x, {x: 1.0}, run_metadata=3),
        ),
    ],
)
def test_callables_of_wrong_arguments(kind, said, call):
    x = v1.placeholder(tf.float32, [], name="x")
    with v1.Session() as session, pytest.raises(kind, match=re.escape(said)):
        call(session, x)


def test_callables_feed_what_runs_feed():
    x, sparse = v1.placeholder(tf.float32, []), v1.sparse_placeholder(tf.float32, [3])
    value = v1.SparseTensorValue(np.array([[1]]), np.array([2.0]), np.array([3]))
    session = v1.Session()
    assert session.make_callable(tf.sparse.to_dense(sparse), [sparse])(value).tolist() == [
        0.0,
        2.0,
        0.0,
    ]
    metadata = v1.RunMetadata()
    assert (
        session.make_callable(x + 1.0, (x,))(
            1.0, 5.0, options=v1.RunOptions(), run_metadata=metadata
        )
        == 2.0
    )
    assert len(metadata.step_stats.dev_stats) == 0
    later = session.make_callable(tf.constant(1.0))
    session.close()
    for call in (later, lambda: session.make_callable(x)):
        with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
            call()


@pytest.mark.parametrize("dtype", [tf.bool, tf.int8, tf.float16])
def test_columns_of_a_type_that_lines_do_not_have(dtype):
    said = f"'record_defaults' has DataType {dtype.name} not in list of allowed values: float32, float64, int32, int64, string"
    with pytest.raises(TypeError, match=said):
        v1.decode_csv(["1"], [tf.zeros([1], dtype)])


@pytest.mark.parametrize(
    "shape, value", [((3, 4), list(range(8))), ((2, 4), list(range(8))), ((3, 4), 2)]
)
def test_constant_initializers_verify_shapes_in_graphs(shape, value):
    with tf.Graph().as_default():
        initializer = tf.compat.v1.constant_initializer(value, verify_shape=True)
        actual = "(8,)" if isinstance(value, list) else "()"
        with pytest.raises(TypeError) as caught:
            tf.compat.v1.get_variable("v", shape=shape, initializer=initializer)
    assert str(caught.value) == f"Expected Tensor's shape: {shape}, but got {actual}."
