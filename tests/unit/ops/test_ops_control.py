"""Control flow, assertions, printing, TensorArray."""

import collections
import io
import sys

import numpy as np
import pytest

import twinflow as tf


def test_branches():
    assert tf.cond(tf.constant(False), lambda: 1, lambda: [2]) == 2
    assert tf.cond(True, lambda: [1], lambda: 2) == 1
    assert tf.case([(tf.constant(False), lambda: 1), (tf.constant(True), lambda: 2)]) == 2
    assert tf.case([(tf.constant(False), lambda: 1)], default=lambda: 3) == 3
    assert tf.switch_case(tf.constant(7), [lambda: 10, lambda: 20]) == 20
    assert tf.switch_case(tf.constant(1), {0: lambda: 10, 1: lambda: 20}) == 20


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tf.cond(True, 1, lambda: 2), TypeError, "'true_fn' must be callable"),
        (lambda: tf.cond(True, lambda: 1), TypeError, "'false_fn' argument required"),
        (lambda: tf.case([(True, lambda: 1)]), TypeError, "pred must be a Tensor"),
        (
            lambda: tf.case([(tf.constant(False), lambda: 1)]),
            tf.errors.InvalidArgumentError,
            "None of conditions",
        ),
        (lambda: tf.case({tf.constant(1).ref(): 1}), ValueError, "Unordered dictionaries"),
        (lambda: tf.switch_case(1, [lambda: 1]), TypeError, "must be a Tensor"),
        (lambda: tf.switch_case(tf.constant(0), {1: lambda: 1}), ValueError, "contiguous range"),
        (lambda: tf.while_loop(lambda i: i < 5, lambda i: i + 1, [0]), TypeError, "not iterable"),
        (
            lambda: tf.while_loop(lambda i: i < 5, lambda i: [i, i], [tf.constant(0)]),
            ValueError,
            "same number of elements",
        ),
        (
            lambda: tf.while_loop(lambda: True, lambda: 1, []),
            ValueError,
            "'loop_vars' must be provided",
        ),
        (lambda: tf.map_fn(lambda x: x, tf.constant(1)), ValueError, "1\\+ dimensional"),
        (
            lambda: tf.map_fn(lambda x: tf.cast(x, tf.float32), tf.constant([1])),
            tf.errors.InvalidArgumentError,
            "trying to write dtype float32",
        ),
        (
            lambda: tf.foldl(lambda a, x: a, tf.zeros([0])),
            tf.errors.OutOfRangeError,
            "array size is: 0",
        ),
        (
            lambda: tf.py_function(lambda x: 1 / 0, [1.0], tf.float32),
            tf.errors.UnknownError,
            "ZeroDivisionError",
        ),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_loops():
    i, total = tf.while_loop(
        lambda i, s: i < 5, lambda i, s: [i + 1, s + 2.0], [tf.constant(0), tf.constant(0.0)]
    )
    assert (int(i), float(total)) == (5, 10)
    (i,) = tf.while_loop(lambda i: True, lambda i: (i + 1,), (0,), maximum_iterations=3)
    assert int(i) == 3


def test_maps_and_folds():
    x = tf.constant([1, 2, 3])
    np.testing.assert_array_equal(tf.map_fn(lambda v: v * 2, x), [2, 4, 6])
    both = tf.map_fn(lambda v: (v, -v), x, fn_output_signature=(tf.int32, tf.int32))
    np.testing.assert_array_equal(both[1], [-1, -2, -3])
    np.testing.assert_array_equal(tf.vectorized_map(lambda v: v[0] * v[1], (x, x)), [1, 4, 9])
    np.testing.assert_array_equal(tf.scan(lambda a, v: a + v, x), [1, 3, 6])
    np.testing.assert_array_equal(tf.scan(lambda a, v: a + v, x, reverse=True), [6, 5, 3])
    np.testing.assert_array_equal(tf.scan(lambda a, v: a + v, x, initializer=10), [11, 13, 16])
    assert int(tf.foldl(lambda a, v: a - v, x)) == -4
    assert int(tf.foldr(lambda a, v: a - v, x, initializer=5)) == -1
    rows = tf.map_fn(
        lambda v: v * 2,
        tf.ragged.constant([[1], [2, 3]]),
        fn_output_signature=tf.RaggedTensorSpec([None], tf.int32),
    )
    assert rows.to_list() == [[2], [4, 6]]


def test_python_functions():
    assert float(tf.py_function(lambda x: x.numpy() * 2, [3.0], tf.float32)) == 6
    assert tf.py_function(lambda: None, [], []) == []
    assert tf.numpy_function(lambda x: x * 2, [tf.constant(3)], tf.int32).dtype is tf.int32
    assert tf.timestamp().dtype is tf.float64


def test_groups_do_nothing():
    x = tf.constant(1)
    assert tf.group(x) is None
    assert tf.no_op() is None
    assert tf.tuple([x, None]) == [x, None]
    with tf.control_dependencies([x]) as nothing:
        assert nothing is None


ASSERTIONS = [
    (
        tf.debugging.assert_equal,
        (1, 1),
        (1, 2),
        "Condition x == y did not hold.\nFirst 1 elements of x:\n[1]\nFirst 1 elements of y:\n[2]",
    ),
    (tf.debugging.assert_none_equal, ([1], [2]), ([1], [1]), "Condition x != y did not hold."),
    (tf.debugging.assert_less, (1, 2), (2, 2), "Condition x < y"),
    (tf.debugging.assert_less_equal, (2, 2), (3, 2), "Condition x <= y"),
    (tf.debugging.assert_greater, (3, 2), (2, 2), "Condition x > y"),
    (tf.debugging.assert_greater_equal, (2, 2), (1, 2), "Condition x >= y"),
    (
        tf.debugging.assert_positive,
        ([1],),
        ([1, -1],),
        "\nCondition x > 0 did not hold element-wise:\nx (shape=(2,) dtype=int32) = \n['1', '-1']",
    ),
    (tf.debugging.assert_negative, ([-1],), ([1],), "Condition x < 0"),
    (tf.debugging.assert_non_negative, ([0],), ([-1],), "Condition x >= 0"),
    (tf.debugging.assert_non_positive, ([0],), ([1],), "Condition x <= 0"),
    (tf.debugging.assert_near, ([1.0], [1.0]), ([1.0], [1.1]), "x and y not equal to tolerance"),
    (tf.debugging.assert_all_finite, ([1.0], "m"), ([np.inf], "m"), "m : Tensor had Inf values"),
    (
        tf.debugging.Assert,
        (True, ["x"]),
        (False, ["x", 1]),
        "Expected 'False' to be true. Summarized data: b'x'\n1",
    ),
]


@pytest.mark.parametrize(
    ("function", "good", "bad", "message"), ASSERTIONS, ids=[a[0].__name__ for a in ASSERTIONS]
)
def test_assertions_of_values(function, good, bad, message):
    function(*good)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        function(*bad)
    assert message in caught.value.message


@pytest.mark.parametrize(
    ("function", "good", "bad", "error", "message"),
    [
        (
            tf.debugging.assert_rank,
            ([1], 1),
            ([1], 2),
            ValueError,
            "must have rank 2.  Received rank 1",
        ),
        (tf.debugging.assert_rank_at_least, ([1], 1), ([1], 2), ValueError, "rank at least 2"),
        (
            tf.debugging.assert_rank_in,
            ([1], [0, 1]),
            ([1], [0, 2]),
            ValueError,
            "rank in \\(0, 2\\)",
        ),
        (tf.debugging.assert_scalar, (1,), ([1],), ValueError, "Expected scalar shape"),
        (
            tf.debugging.assert_type,
            (1, tf.int32),
            (1, tf.int64),
            TypeError,
            "must be of type tf.int64",
        ),
        (tf.debugging.assert_integer, (1,), (1.0,), TypeError, "integer type"),
        (tf.debugging.assert_proper_iterable, ([1],), ("a",), TypeError, "proper"),
        (
            tf.debugging.assert_same_float_dtype,
            ([tf.constant(1.0)],),
            ([tf.constant(1)],),
            ValueError,
            "floating point",
        ),
    ],
)
def test_assertions_of_kinds(function, good, bad, error, message):
    function(*good)
    with pytest.raises(error, match=message):
        function(*bad)


def test_assert_shapes():
    x = tf.ones([2, 3])
    tf.debugging.assert_shapes(
        [(x, ("N", "Q")), (tf.ones([2]), ("N",)), (x, ("...", 3)), (x, (None, "."))]
    )
    for shape in [("N", "N"), ("N", 4), ("N",), ("*", "A", "B", "C"), ("N", ...), 5]:
        with pytest.raises(ValueError, match="Tensor"):
            tf.debugging.assert_shapes({x.ref(): 1} if shape is None else [(x, shape)])


def printed(*values, **how):
    stream = io.StringIO()
    old, sys.stdout = sys.stdout, stream
    try:
        tf.print(*values, output_stream=sys.stdout, **how)
    finally:
        sys.stdout = old
    return stream.getvalue()


Pair = collections.namedtuple("Pair", "x y")


@pytest.mark.parametrize(
    ("values", "how", "text"),
    [
        (("a", 1, tf.constant([1.5, 2])), {}, "a 1 [1.5 2]\n"),
        ((tf.range(10),), {}, "[0 1 2 ... 7 8 9]\n"),
        ((tf.range(10),), {"summarize": 1}, "[0 ... 9]\n"),
        ((tf.range(7),), {"summarize": -1}, "[0 1 2 3 4 5 6]\n"),
        ((tf.reshape(tf.range(8), [2, 2, 2]),), {}, "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]\n"),
        ((tf.zeros([2, 0]),), {}, "[\n ...]\n"),
        (
            ([1, 2, "x"], {"b": tf.constant(1)}, Pair(1, tf.constant("s"))),
            {},
            "[1, 2, 'x'] {'b': 1} Pair(x=1, y=\"s\")\n",
        ),
        ((tf.constant("only"),), {}, "only\n"),
        ((tf.constant([1, 2]), "x"), {"sep": "|", "end": "!"}, "[1 2]|x!"),
        ((tf.constant([1 / 3, 1e10, 0.1]),), {}, "[0.333333343 1e+10 0.1]\n"),
        ((tf.constant([1 / 3, 1e10], tf.float64),), {}, "[0.33333333333333331 10000000000]\n"),
        ((tf.constant([True, False]), tf.Variable(3.0)), {}, "[1 0] 3\n"),
        ((tf.ragged.constant([[1, 2], [3]]),), {}, "[[1, 2], [3]]\n"),
    ],
)
def test_print(values, how, text):
    assert printed(*values, **how) == text


def test_print_elsewhere(tmp_path, capsys):
    tf.print("x")
    assert capsys.readouterr().err == "x\n"
    tf.print(tf.constant(1), output_stream=f"file://{tmp_path / 'f'}")
    assert (tmp_path / "f").read_text() == "1\n"
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print(1, output_stream="x")
    with pytest.raises(ValueError, match="Unrecognized keyword"):
        tf.print(1, foo=2)


def test_format():
    assert tf.strings.format("a {} b {}", [tf.constant([1, 2]), 3.5]).numpy() == b"a [1 2] b 3.5"
    with pytest.raises(ValueError, match="expects 1 tensors"):
        tf.strings.format("{}", [1, 2])


def test_tensor_array():
    array = tf.TensorArray(tf.int32, size=2, dynamic_size=True).write(0, 1).write(3, 5)
    np.testing.assert_array_equal(array.stack(), [1, 0, 0, 5])
    np.testing.assert_array_equal(array.gather([3, 0]), [5, 1])
    assert (int(array.size()), int(array.read(0))) == (4, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not read index 0 twice"):
        array.read(0)
    rows = tf.TensorArray(tf.float32, size=2, infer_shape=False).split([1.0, 2.0, 3.0], [1, 2])
    np.testing.assert_array_equal(rows.concat(), [1, 2, 3])
    assert tf.TensorArray(tf.int32, 1).unstack([7]).stack().numpy().tolist() == [7]
    assert tf.TensorArray(tf.int32, 2).scatter([1, 0], [7, 8]).stack().numpy().tolist() == [8, 7]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tf.TensorArray(tf.int32), ValueError, "Size must be declared"),
        (
            lambda: tf.TensorArray(tf.int32, 1).write(1, 1),
            tf.errors.OutOfRangeError,
            "not resizeable",
        ),
        (
            lambda: tf.TensorArray(tf.int32, 1).write(-1, 1),
            tf.errors.OutOfRangeError,
            "negative indices",
        ),
        (
            lambda: tf.TensorArray(tf.int32, 1).read(1),
            tf.errors.OutOfRangeError,
            "array size is: 1",
        ),
        (
            lambda: tf.TensorArray(tf.int32, 1).write(0, 1.5),
            tf.errors.InvalidArgumentError,
            "trying to write dtype float32",
        ),
        (
            lambda: tf.TensorArray(tf.int32, 2).write(0, 1).write(1, [1]),
            ValueError,
            "Incompatible shape",
        ),
        (lambda: tf.TensorArray(tf.int32, 1).unstack([1, 2]), ValueError, "static size 1"),
        (
            lambda: tf.TensorArray(tf.int32, 1).split([1, 2], [1, 2]),
            tf.errors.InvalidArgumentError,
            "sum of lengths",
        ),
    ],
)
def test_tensor_array_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("name", ["info", "warn", "warning", "error"])
def test_print_takes_the_logging_functions(name, caplog):
    stream = getattr(tf.compat.v1.logging, name)
    logger = tf.get_logger()
    with caplog.at_level("INFO", logger.name):
        logger.addHandler(caplog.handler)
        try:
            tf.print("x", tf.constant(3), output_stream=stream)
        finally:
            logger.removeHandler(caplog.handler)
    assert "x 3" in caplog.text


def test_numpy_functions_in_graphs_get_numpy_scalars():
    seen = []

    def note(x):
        seen.append(x)
        return x

    @tf.function
    def call(x):
        return tf.numpy_function(note, [x], x.dtype)

    for value in (3, 2.5, "a", True, [1]):
        call(tf.constant(value))
    assert [type(x) for x in seen] == [np.int32, np.float32, bytes, np.bool_, np.ndarray]
    assert tf.numpy_function(lambda x: hash(x.item()), [3], tf.int64) == 3  # an array where eager


def test_a_python_function_is_differentiated_as_it_ran():
    calls = []

    def scaled(x):
        calls.append(x)
        return x * x * float(len(calls))

    @tf.function
    def once(x):
        return tf.reshape(tf.py_function(scaled, [x], tf.float32), [])

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = once(y)
        return y, tape.gradient(y, x)

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = once(x) + once(x)
    np.testing.assert_allclose(tape.gradient(y, x), y * 2 / x, rtol=1e-6)
    assert len(calls) == 2
    y, gradient = inside(x)
    np.testing.assert_allclose(gradient, y * 8 / x, rtol=1e-6)
    assert len(calls) == 5
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fed = tf.compat.v1.placeholder(tf.float32, [])
        y = tf.py_function(scaled, [fed], tf.float32)
        y, gradient = session.run([y, tf.gradients(y, fed)[0]], {fed: 2.0})
    assert gradient == y and len(calls) == 6


def test_a_gradient_of_a_gradient_of_a_python_function():
    @tf.function
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.py_function(lambda x: x**3, [x], tf.float32)
            first = tape.gradient(y, x)
        return first, outer.gradient(first, x)

    assert [float(x) for x in second(tf.constant(2.0))] == [12.0, 12.0]


def test_tapes_of_python_functions_die_with_their_results():
    from twinflow._src.control_flow.py_function import RecordedFunction

    recorded = RecordedFunction(lambda x: [x * x])
    recorded.is_differentiated = True
    results = [recorded(tf.constant(float(i)))[0] for i in range(3)]
    assert [float(recorded.recorded(x)[2][0]) for x in results] == [0.0, 1.0, 4.0]
    del results[1:]
    assert len(recorded._calls) == 1


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (KeyError("k"), tf.errors.UnknownError),
        (ValueError("v"), tf.errors.InvalidArgumentError),
        (NotImplementedError("n"), tf.errors.UnimplementedError),
    ],
)
def test_errors_of_numpy_functions_are_those_of_ops_in_graphs(error, expected):
    def fail(x):
        raise error

    call = lambda x: tf.numpy_function(fail, [x], tf.int64)
    said = f"{type(error).__name__}: {error}"
    with pytest.raises(type(error)):
        call(1)
    with pytest.raises(expected, match=said):
        tf.function(call)(1)
    with pytest.raises(expected, match=said):
        list(tf.data.Dataset.range(1).map(call))
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        result = tf.compat.v1.py_func(fail, [1], tf.int64)
        with pytest.raises(expected, match=said):
            session.run(result)


def test_results_of_numpy_functions_have_the_stated_type():
    wrong = tf.function(lambda: tf.numpy_function(lambda: np.float32(1), [], tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"by pyfunc_\d+ is float, but expec"):
        wrong()
