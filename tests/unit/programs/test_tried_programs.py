"""Small programs after threads and posts that showed what was missing."""

from __future__ import annotations

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1


# ------------------------------------------------------------------ tensor arrays


def test_unwritten_texts_are_empty():
    @tf.function
    def made():
        array = tf.TensorArray(tf.string, 3).write(1, "b")
        return array.stack(), array.read(0)

    stacked, first = made()
    assert stacked.numpy().tolist() == [b"", b"b", b""] and first.numpy() == b""


def test_loops_tell_the_shape_of_elements():
    with tf.Graph().as_default():
        _, array = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, a: (i + 1, a.write(i, tf.ones([2, 2]))),
            (0, tf.TensorArray(tf.float32, 3)),
        )
        assert array.stack().shape.as_list() == [3, 2, 2] and array.element_shape.as_list() == [
            2,
            2,
        ]
        growing = tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[2])
        assert growing.stack().shape.as_list() == [None, 2]
        assert type(array).__name__ == "TensorArray" and array.size().op.type == "Const"


def test_maps_and_scans_have_scopes_and_sizes():
    with tf.Graph().as_default():
        rows = tf.ones([4, 2])
        assert tf.map_fn(lambda x: x * 2.0, rows).name == "map/TensorArrayV2Stack/TensorListStack:0"
        scanned = tf.scan(lambda a, x: a + x, rows, name="sums")
        assert scanned.name.startswith("sums/") and scanned.shape.as_list() == [4, 2]
        assert tf.foldr(lambda a, x: a + x, rows).name.startswith("foldr/while/")


def test_arrays_with_values_do_not_enter_graphs():
    array = tf.TensorArray(tf.float32, 2).unstack([1.0, 2.0])

    @tf.function
    def total(given):
        for i in tf.range(2):
            given = given.write(i, 0.0)
        return given.stack()

    with pytest.raises(
        NotImplementedError, match="construct a new TensorArray inside the function"
    ):
        total(array)
    assert tf.function(lambda given: given.stack())(array).numpy().tolist() == [1.0, 2.0]
    with pytest.raises(NotImplementedError, match="either an eager-mode TensorArray"):
        tf.function(lambda given: given)(array)


# ------------------------------------------------------------------ calls of Python


def test_numbers_are_float32_where_numpy_is_called_in_a_function():
    @tf.function
    def shifted(x):
        found = tf.numpy_function(lambda a, b: np.sort(a) + b, [x, 1.0], tf.float32)
        assert str(found).endswith("device=/job:localhost/replica:0/task:0)")
        return found

    assert shifted(tf.constant([3.0, 1.0])).numpy().tolist() == [2.0, 4.0]


# ------------------------------------------------------------------ ragged tensors


def test_rows_that_are_stacked_have_short_splits():
    stacked = tf.ragged.stack([tf.constant([1.0, 2.0]), tf.constant([3.0])])
    assert stacked.row_splits.dtype == tf.int32
    assert [s.dtype for s in tf.expand_dims(stacked, 0).nested_row_splits] == [tf.int32, tf.int32]
    with pytest.raises(ValueError, match="mismatched row_splits dtypes"):
        tf.concat([tf.ragged.constant([[[]]]), tf.expand_dims(stacked, 0)], 0)


# ------------------------------------------------------------------ stated gradients


@tf.custom_gradient
def _product(x, y=None):
    return x * y, lambda dy: (100.0 * dy, 1000.0 * dy)


def test_gradients_of_named_arguments_are_those_of_the_parts():
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        named, mixed = _product(x=x, y=y), _product(x, y=y)
    assert [float(g) for g in tape.gradient(named, [x, y])] == [3.0, 2.0]
    with pytest.raises(ValueError, match="expected to return 1 gradients, but returned 2"):
        tape.gradient(mixed, [x, y])


def test_what_is_closed_over_counts_where_no_argument_is_watched():
    x, factor = tf.constant(2.0), tf.constant(5.0)
    scaled = tf.custom_gradient(lambda x: (x * factor, lambda dy: 7.0 * dy))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(factor)
        z = scaled(x)
    assert float(tape.gradient(z, factor)) == 2.0
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, factor])
        z = scaled(x)
    assert [None if g is None else float(g) for g in tape.gradient(z, [x, factor])] == [7.0, None]


def test_functions_take_no_named_arguments_of_stated_gradients():
    with pytest.raises(ValueError, match="only when eager execution is enabled"):
        tf.function(lambda x: _product(x, y=x))(tf.constant(1.0))


# ------------------------------------------------------------------ traces


def test_wider_traces_serve():
    traced = []

    @tf.function
    def same(x):
        traced.append(x.shape.as_list() if x.shape.rank is not None else None)
        return x

    same.get_concrete_function(tf.TensorSpec([None], tf.float32))
    same(tf.ones([2]))
    same(tf.ones([1, 1]))
    same.get_concrete_function(tf.TensorSpec(None, tf.float32))
    assert same(tf.ones([3])).shape.as_list() == [3] and same(tf.ones([2, 2])).shape.as_list() == [
        2,
        2,
    ]
    assert traced == [[None], [1, 1], None] and same.experimental_get_tracing_count() == 3
    assert same.pretty_printed_concrete_signatures().count("Input Parameters") == 3


def test_wider_traces_of_structures_serve():
    count = []

    @tf.function
    def first(given):
        count.append(1)
        return given["a"]

    first.get_concrete_function({"a": tf.TensorSpec([None], tf.int32)})
    first({"a": tf.constant([1])})
    assert len(count) == 1
    first({"a": tf.constant([1.0])})
    assert len(count) == 2


# ------------------------------------------------------------------ graphs


def test_operations_go_where_their_inputs_are():
    one, other = tf.Graph(), tf.Graph()
    with one.as_default():
        a = tf.constant(1.0, name="a")
    with other.as_default():
        assert tf.negative(a).graph is one and (a * 2.0).graph is one
        b = tf.constant([2.0], name="b")
        with pytest.raises(
            ValueError,
            match=r'Tensor."b:0".* must be from the same graph as Tensor."a:0".* .graphs are ',
        ):
            tf.add(a, b)
    with v1.Session(graph=one) as session:
        assert session.run([tf.negative(a), a + 2.0]) == [-1.0, 3.0]


# ------------------------------------------------------------------ tf.Print


def _printed(capsys, *args, **kwargs):
    with tf.Graph().as_default():
        found = v1.Print(*args, **kwargs)
        with v1.Session() as session:
            session.run(found)
    return capsys.readouterr().err


def test_print_shows_the_first_elements(capsys):
    table = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    assert _printed(capsys, table, [table, [2, 2]], "now ") == "now [[1 2][3...]...][2 2]\n"
    assert _printed(capsys, table, [table], summarize=-1) == "[[1 2][3 4]]\n"
    assert _printed(capsys, 1, [np.arange(10)], summarize=2) == "[0 1...]\n"
    assert _printed(capsys, 1, ["txt", True, 1.5, 2 + 3j, np.zeros(0)]) == "[txt][1][1.5][?][]\n"


def test_print_stops_after_some_times_and_passes_gradients(capsys):
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        told = v1.Print(x, [x], "x: ", first_n=2)
        assert told.op.type == "Print" and told.shape.as_list() == [2]
        (slope,) = tf.gradients(told * told, x)
        with v1.Session() as session:
            for _ in range(3):
                session.run(told)
            assert session.run(slope).tolist() == [2.0, 4.0]
    assert capsys.readouterr().err == "x: [1 2]\nx: [1 2]\n"


def test_print_at_once(capsys):
    assert v1.Print(tf.constant(3), [tf.constant("a")]).numpy() == 3
    assert capsys.readouterr().err == "[a]\n"


# ------------------------------------------------------------------ tf.app


@pytest.fixture
def flags():
    from twinflow._src.compat_v1 import flags as module

    module.FLAGS.__dict__.update(_flags={}, _parsed=False)
    return v1.app.flags


def test_flags_are_read_from_the_command_line(flags):
    flags.DEFINE_integer("batch", 32, "how many")
    flags.DEFINE_string("label", "x", "a name")
    flags.DEFINE_float("rate", 0.1, "a rate")
    flags.DEFINE_bool("going", True, "whether")
    flags.DEFINE_list("items", ["p"], "some")
    flags.DEFINE_multi_integer("sizes", [1], "more")
    flags.DEFINE_enum("kind", "a", ["a", "b"], "one of two")
    line = [
        "prog",
        "--batch=7",
        "--label",
        "hello",
        "--nogoing",
        "--items=1,2",
        "--sizes=3",
        "--sizes=4",
        "-kind",
        "b",
        "rest",
    ]
    assert flags.FLAGS(line) == ["prog", "rest"]
    found = flags.FLAGS.flag_values_dict()
    assert found == {
        "batch": 7, "label": "hello", "rate": 0.1, "going": False, "items": ["1", "2"], "sizes": [3, 4], "kind": "b",
    }  # fmt: skip
    flags.FLAGS.batch = 9
    assert flags.FLAGS.batch == 9 and "rate" in flags.FLAGS and flags.FLAGS["label"].default == "x"
    with pytest.raises(flags.UnrecognizedFlagError, match="Unknown command line flag 'other'"):
        flags.FLAGS(["prog", "--other=1"])
    with pytest.raises(flags.IllegalFlagValueError, match="--kind=c"):
        flags.FLAGS(["prog", "--kind=c"])
    with pytest.raises(AttributeError):
        _ = flags.FLAGS.nothing


def test_programs_run_with_what_is_left(flags):
    flags.DEFINE_boolean("fast", False, "whether")
    left = []
    with pytest.raises(SystemExit) as end:
        v1.app.run(lambda argv: left.extend(argv), ["prog", "--fast", "--unknown=3", "file"])
    assert (
        end.value.code is None
        and left == ["prog", "--unknown=3", "file"]
        and flags.FLAGS.fast is True
    )


# ------------------------------------------------------------------ branches and loops


@pytest.mark.parametrize(("value", "chosen"), [(True, 1), ([False], 2), ([[True]], 1)])
def test_conditions_are_one_truth(value, chosen):
    with tf.Graph().as_default(), v1.Session() as session:
        assert session.run(tf.cond(tf.constant(value), lambda: 1, lambda: 2)) == chosen


@pytest.mark.parametrize(
    ("value", "type"), [(1, "int32"), (0.5, "float"), (b"x", "string"), ([[3]], "int32")]
)
def test_conditions_are_no_numbers(value, type):
    said = f"Input 'pred' passed {type} expected bool while building NodeDef 'cond/switch_pred"
    refused = pytest.raises(tf.errors.InvalidArgumentError, match=said)
    with tf.Graph().as_default(), v1.Session() as session, refused:
        session.run(tf.cond(tf.constant(value), lambda: 1, lambda: 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        tf.function(lambda x: tf.cond(x, lambda: 1, lambda: 2), autograph=False)(tf.constant(value))


@pytest.mark.parametrize("value", [[], [True, False]])
def test_conditions_have_one_element(value):
    branched = tf.function(lambda x: tf.cond(x, lambda: 1, lambda: 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar, but it has shape"):
        branched(tf.constant(value, tf.bool))


def test_conditions_of_loops_are_no_numbers():
    refused = pytest.raises(
        tf.errors.InvalidArgumentError, match="Input 'input' passed int32 expected bool"
    )
    with tf.Graph().as_default(), v1.Session() as session, refused:
        session.run(v1.while_loop(lambda i: i, lambda i: i - 1, [3]))
    with pytest.raises(
        TypeError,
        match="Input 'y' of 'LogicalAnd' Op has type int32 that does not match expected type",
    ):
        tf.function(
            lambda: tf.while_loop(lambda i: i, lambda i: [i - 1], [3], maximum_iterations=2),
            autograph=False,
        )()


def test_conditions_of_old_branches_are_boolean():
    v1.disable_control_flow_v2()
    try:
        with tf.Graph().as_default():
            with pytest.raises(
                TypeError, match="Input 'pred' of 'Switch' Op has type int32 that does not match"
            ):
                tf.cond(tf.constant(1), lambda: 1, lambda: 2)
            with pytest.raises(TypeError, match="Input 'input' of 'LoopCond' Op has type int32"):
                v1.while_loop(lambda i: i, lambda i: i, [3])
    finally:
        v1.enable_control_flow_v2()


def test_variables_are_shared_within_branches_loops_and_maps():
    with tf.Graph().as_default():
        with v1.variable_scope("s", reuse=v1.AUTO_REUSE):
            v1.get_variable("w", [1], initializer=v1.ones_initializer())
            again = lambda: v1.get_variable("w", [1])
            one = tf.cond(v1.placeholder_with_default(True, []), lambda: again() * 2.0, again)
            two = v1.while_loop(lambda i: i < 3.0, lambda i: i + again()[0], [0.0])
            three = tf.map_fn(lambda x: x * again(), tf.ones([2, 1]))
        assert [v.name for v in v1.global_variables()] == ["s/w:0"]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert [np.sum(x) for x in session.run([one, two, three])] == [2.0, 3.0, 2.0]


# ------------------------------------------------------------------ functions of TensorFlow 1


def test_constants_of_graphs_repeat_the_last_element():
    with tf.Graph().as_default(), v1.Session() as session:
        assert session.run(v1.constant([1.0, 2.0], shape=[2, 2])).tolist() == [
            [1.0, 2.0],
            [2.0, 2.0],
        ]
        assert session.run(v1.constant([[1, 2]], shape=[2, 1])).tolist() == [[1], [2]]
        with pytest.raises(ValueError, match="Takes at most 1, but got 2"):
            v1.constant([1.0, 2.0], shape=[1])


def test_scopes_have_names_that_operations_can_have():
    with tf.Graph().as_default():
        for name in ("bad name", "a$", "_a"):
            with (
                pytest.raises(ValueError, match="is not a valid root scope name"),
                tf.name_scope(name),
            ):
                pass
        with tf.name_scope("outer"), tf.name_scope("_inner") as path:
            assert path == "outer/_inner/"
            with pytest.raises(ValueError, match="is not a valid scope name"), tf.name_scope("x y"):
                pass


def test_where_takes_booleans():
    with tf.Graph().as_default():
        x = tf.ones([2])
        with pytest.raises(TypeError, match="Input 'condition' of 'Select' Op has type float32"):
            v1.where(x, x, x)


def test_labels_have_gradients_in_the_second_version():
    with tf.Graph().as_default():
        x, y = tf.constant([[1.0, 2.0]]), tf.constant([[0.5, 0.5]])
        old = v1.nn.softmax_cross_entropy_with_logits(labels=y, logits=x)
        new = v1.nn.softmax_cross_entropy_with_logits_v2(labels=y, logits=x, dim=1)
        assert old.name.startswith("softmax_cross_entropy_with_logits_sg/")
        assert tf.gradients(old, y) == [None] and tf.gradients(new, y)[0] is not None


def _rates(schedule, *args, **kwargs):
    with tf.Graph().as_default(), v1.Session() as session:
        step = v1.placeholder(tf.int32, [])
        rate = schedule(0.1, step, *args, **kwargs)
        return rate.name, [round(float(session.run(rate, {step: i})), 5) for i in (0, 1, 3, 7)]


def test_rates_have_names():
    assert _rates(v1.train.exponential_decay, 2, 0.5)[0] == "ExponentialDecay:0"
    assert _rates(v1.train.polynomial_decay, 2, name="mine")[0] == "mine:0"
    assert _rates(v1.train.cosine_decay, 2)[0].startswith("CosineDecay/")


def test_rates_that_begin_again_or_fall_along_a_line():
    assert _rates(v1.train.cosine_decay_restarts, 2) == (
        "SGDRDecay:0",
        [0.1, 0.05, 0.08536, 0.09619],
    )
    assert _rates(v1.train.cosine_decay_restarts, 2, t_mul=1.0, m_mul=0.5)[1] == [
        0.1,
        0.05,
        0.025,
        0.00625,
    ]
    assert _rates(v1.train.linear_cosine_decay, 4) == (
        "LinearCosineDecay:0",
        [0.1001, 0.06412, 0.00376, 0.0001],
    )
    assert _rates(v1.train.noisy_linear_cosine_decay, 4, initial_variance=0.0)[1] == [
        0.1001,
        0.06412,
        0.00376,
        0.0001,
    ]


@pytest.mark.parametrize(
    ("make", "found"),
    [
        (lambda: v1.train.ProximalGradientDescentOptimizer(0.1), [0.8, -1.6]),
        (lambda: v1.train.ProximalGradientDescentOptimizer(0.1, 9.0, 1.0), [0.0, -0.63636]),
        (lambda: v1.train.ProximalAdagradOptimizer(0.1), [0.90123, -1.90031]),
        (lambda: v1.train.ProximalAdagradOptimizer(0.1, 0.1, 0.5, 0.5), [0.85541, -1.86461]),
    ],
)
def test_steps_that_shrink(make, found):
    with tf.Graph().as_default():
        v = v1.Variable([1.0, -2.0])
        step = make().minimize(tf.reduce_sum(v * v))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(step)
            assert session.run(v).round(5).tolist() == [np.float32(x) for x in found]
