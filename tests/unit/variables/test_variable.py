"""Variables: what they are, and what can be done to them."""

import copy
import gc
import pickle

import numpy as np
import pytest

import twinflow as tf
from tests.harness import same_value


def test_what_it_is():
    v = tf.Variable([[1.0, 2.0]], name="w")
    assert v.name == "w:0" and v.dtype is tf.float32 and v.shape == (1, 2) == v.get_shape()
    assert v.device == "/job:localhost/replica:0/task:0/device:CPU:0" and v.trainable
    assert v.synchronization is tf.VariableSynchronization.AUTO
    assert v.aggregation.value == tf.VariableAggregation.NONE.value
    assert v.constraint is None and v.initializer is None and isinstance(v, tf.Variable)
    assert v.is_initialized().numpy() and "w" in repr(v.handle)


@pytest.mark.parametrize(
    "make", [lambda: [1.0, 2.0], lambda: tf.constant([1.0, 2.0]), lambda: np.float32([1, 2])]
)
def test_initial_values(make):
    for initial in (make(), make):
        assert tf.Variable(initial).numpy().tolist() == [1.0, 2.0]


def test_constructor_arguments():
    positive = lambda x: tf.maximum(x, 0.0)
    v = tf.Variable(
        [1, 2],
        trainable=False,
        name="n",
        dtype=tf.float64,
        constraint=positive,
        synchronization=tf.VariableSynchronization.ON_READ,
        aggregation=tf.VariableAggregation.MEAN,
        shape=[None],
    )
    assert (
        v.dtype is tf.float64 and v.shape == [None] and not v.trainable and v.constraint is positive
    )
    assert v.synchronization is tf.VariableSynchronization.ON_READ
    assert v.aggregation is tf.VariableAggregation.MEAN
    assert v.assign([1, 2, 3]).numpy().tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, ValueError, "`initial_value` arg to `tf.Variable` must be specified"),
        ({"initial_value": 1, "variable_def": 2}, ValueError, "mutually exclusive"),
        (
            {"initial_value": [1.0], "shape": [2]},
            ValueError,
            "not compatible with the explicitly supplied",
        ),
        (
            {"initial_value": 1.5, "dtype": tf.int32},
            TypeError,
            "Cannot convert 1.5 to EagerTensor of dtype int32",
        ),
        (
            {"initial_value": 1, "synchronization": "often"},
            ValueError,
            "Invalid variable synchronization mode",
        ),
        ({"initial_value": 1, "aggregation": 9}, ValueError, "Invalid variable aggregation mode"),
        ({"initial_value": 1, "name": 9}, ValueError, "name for name_scope must be a string"),
    ],
)
def test_refused(options, error, message):
    with pytest.raises(error, match=message):
        tf.Variable(**options)


def test_assigning():
    v = tf.Variable([1.0, 2.0])
    assert v.assign([3, 4]).numpy().tolist() == [3, 4]
    assert v.assign_add([1, 1]).numpy().tolist() == [4, 5]
    assert v.assign_sub([2, 2], use_locking=True, name="s").numpy().tolist() == [2, 3]
    assert v.assign([0, 0], read_value=False) is None
    assert v.assign([1, 1]).name == "UnreadVariable" and v.name == "Variable:0"
    assert v.assign([1, 1]).assign_add([1, 1]).numpy().tolist() == [2, 2]
    v.load([5, 6])
    assert v.value().numpy().tolist() == [5, 6] == v.read_value().numpy().tolist()
    assert v.initialized_value().numpy().tolist() == [5, 6]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda v: v.assign([1.0]), ValueError),
        (lambda v: v.assign("a"), TypeError),
        (lambda v: v.assign(tf.constant([1, 2])), ValueError),
        (lambda v: v.assign_add([1.0]), tf.errors.InvalidArgumentError),
        (lambda v: v.assign_add([[1.0, 2.0]]), tf.errors.InvalidArgumentError),
        (lambda v: v.assign_sub(1.0), tf.errors.InvalidArgumentError),
        (
            lambda v: v.scatter_update(tf.IndexedSlices([[1.0]], [0])),
            tf.errors.InvalidArgumentError,
        ),
        (lambda v: v.scatter_add(tf.IndexedSlices([1.0], [7])), tf.errors.InvalidArgumentError),
        (lambda v: v.scatter_nd_update([[7]], [1.0]), tf.errors.InvalidArgumentError),
        (lambda v: v[0:2].assign([1.0, 2.0, 3.0]), tf.errors.InvalidArgumentError),
        (lambda v: v.scatter_add([1.0]), TypeError),
    ],
)
def test_a_failed_update_leaves_the_value(change, error):
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(error):
        change(v)
    assert v.numpy().tolist() == [1.0, 2.0]
    assert v.assign([3.0, 4.0]).numpy().tolist() == [3.0, 4.0]


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/", "**"])
def test_in_place_operators_are_refused(symbol):
    v = tf.Variable([[1.0]])
    with pytest.raises(RuntimeError, match="is not supported"):
        exec(f"v {symbol}= v", {"v": v})


@pytest.mark.parametrize("symbol", ["//", "%", "@"])
def test_other_operators_with_assignment_bind_a_tensor(symbol):
    names = {"v": tf.Variable([[1.0]])}
    exec(f"v {symbol}= v", names)
    assert tf.is_tensor(names["v"]) and not isinstance(names["v"], tf.Variable)


def test_an_open_shape_can_change():
    v = tf.Variable([1.0], shape=tf.TensorShape(None))
    v.assign([[1.0, 2.0]])
    assert v.shape.rank is None and v.numpy().shape == (1, 2)
    w = tf.Variable([1.0], validate_shape=False)
    assert w.shape == [1]  # as TensorFlow 2: a value that is there has its shape
    v.set_shape([1, 2])
    assert v.shape == [1, 2]


def test_python_protocols():
    v = tf.Variable(2)
    assert int(v) == 2 and float(v) == 2.0 and complex(v) == 2 and bool(v)
    w = tf.Variable([1.0, 2.0])
    assert [float(x) for x in w] == [1.0, 2.0] and w[1].numpy() == 2.0
    with pytest.raises(TypeError, match="Variable is unhashable"):
        hash(v)
    assert {v.ref(): 1}[v.ref()] == 1 and v.ref().deref() is v
    with pytest.raises(TypeError):
        w[0] = 5.0


def test_copies_have_a_value_of_their_own():
    v = tf.Variable([1.0, 2.0], name="v", trainable=False)
    for twin in (
        copy.deepcopy(v),
        pickle.loads(pickle.dumps(v)),
        tf.Variable(v, name="v", trainable=False),
    ):
        assert same_value(twin, v) and twin.name == v.name and not twin.trainable
        twin.assign([9.0, 9.0])
        assert v.numpy().tolist() == [1.0, 2.0]
    alias = copy.copy(v)
    alias.assign([5.0, 6.0])
    assert v.numpy().tolist() == [5.0, 6.0]
    one, same = copy.deepcopy([v, v])
    assert one is same and one is not v


def test_names():
    with tf.name_scope("outer"), tf.name_scope("inner"):
        assert tf.Variable(1, name="v").name == "outer/inner/v:0"
        with tf.name_scope("elsewhere/"):
            assert tf.Variable(1).name == "elsewhere/Variable:0"
        with tf.name_scope(""):
            assert tf.Variable(1).name == "Variable:0"
    assert tf.Variable(1, name="v").name == tf.Variable(2, name="v").name
    with pytest.raises(ValueError, match="name for name_scope must be a string"):
        tf.name_scope(3)


def test_counting():
    v = tf.Variable(0)
    assert [int(v.count_up_to(2)) for _ in range(2)] == [0, 1]
    with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
        v.count_up_to(2)
    assert v.numpy() == 2


def test_slices_can_be_assigned():
    v = tf.Variable([[1, 2, 3], [4, 5, 6]])
    v[0].assign([7, 8, 9])
    v[:, 1].assign([0, 0])
    v[1, 2].assign(-1)
    v[::-1, 0:1].assign([[10], [20]])
    assert v.numpy().tolist() == [[20, 0, 9], [10, 0, -1]]


def test_what_only_graphs_have():
    v = tf.Variable(1)
    for ask in (
        lambda: v.create,
        lambda: v.initial_value,
        lambda: v.eval(),
        lambda: v.to_proto(),
        lambda: v.from_proto(0),
    ):
        with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
            ask()
    for name in ("op", "graph"):
        with pytest.raises(AttributeError, match=f"Tensor.{name} is undefined"):
            getattr(v, name)


def test_the_end_is_logged(capsys):
    v = tf.Variable([1.0])
    w = v.assign([2.0])
    gc.collect()
    tf.debugging.set_log_device_placement(True)
    try:
        del v
        gc.collect()
        assert "Destroy" not in capsys.readouterr().out  # w is the same resource
        del w
        gc.collect()
        expected = "Executing op DestroyResourceOp in device /job:localhost/replica:0/task:0/device:CPU:0\n"
        assert capsys.readouterr().out == expected
    finally:
        tf.debugging.set_log_device_placement(False)


def test_conversion_to_another_type_is_refused():
    v = tf.Variable([1.0])
    with pytest.raises(ValueError, match="Incompatible type conversion requested to type int32"):
        tf.convert_to_tensor(v, tf.int32)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "min", "max", "update"])
def test_scatter(name):
    start, indices, updates = (
        np.arange(1.0, 7.0).reshape(3, 2),
        np.array([2, 0]),
        np.array([[2.0, 3.0], [4.0, 0.5]]),
    )
    v = tf.Variable(start)
    expected = start.copy()
    rows = {
        "add": np.add.at,
        "sub": np.subtract.at,
        "mul": np.multiply.at,
        "div": np.divide.at,
        "min": np.minimum.at,
        "max": np.maximum.at,
        "update": lambda target, where, values: target.__setitem__(where, values),
    }[name]
    rows(expected, indices, updates)
    result = getattr(v, f"scatter_{name}")(
        tf.IndexedSlices(tf.constant(updates), tf.constant(indices))
    )
    assert result.numpy().tolist() == expected.tolist() == v.numpy().tolist()


@pytest.mark.parametrize("name", ["add", "sub", "min", "max", "update"])
def test_scatter_nd(name):
    v, expected = tf.Variable([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]], np.int32)
    combine = {
        "add": np.add,
        "sub": np.subtract,
        "min": np.minimum,
        "max": np.maximum,
        "update": lambda a, b: b,
    }[name]
    for (i, j), value in (((0, 1), 7), ((1, 0), -2)):
        expected[i, j] = combine(expected[i, j], value)
    getattr(v, f"scatter_nd_{name}")([[0, 1], [1, 0]], [7, -2])
    assert v.numpy().tolist() == expected.tolist()


def test_batch_scatter():
    v = tf.Variable([[1, 2], [3, 4]])
    v.batch_scatter_update(
        tf.IndexedSlices(tf.constant([[9, 8], [7, 6]]), tf.constant([[1, 0], [0, 1]]))
    )
    assert v.numpy().tolist() == [[8, 9], [7, 6]]


def test_reading_rows_and_elements():
    v = tf.Variable([[1, 2], [3, 4], [5, 6]])
    assert v.sparse_read([2, 0]).numpy().tolist() == [[5, 6], [1, 2]]
    assert v.gather_nd([[0, 1], [2, 0]]).numpy().tolist() == [2, 5]
    assert tf.gather(v, [1]).numpy().tolist() == [[3, 4]]


def test_indexed_slices():
    rows = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([2, 2]), tf.constant([3, 1]))
    assert tf.convert_to_tensor(rows).numpy().tolist() == [[0], [0], [3]]
    assert rows.shape == (3, 1) and rows.dtype is tf.float32 and rows.device.endswith("CPU:0")
    assert (-rows).values.numpy().tolist() == [[-1], [-2]] and str(rows).startswith(
        "IndexedSlices(indices="
    )
    loose = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    assert loose.shape.rank is None and loose.dense_shape is None
    with pytest.raises(ValueError, match="without dense_shape"):
        tf.convert_to_tensor(loose)


@pytest.mark.parametrize(
    ("value", "updates", "indices", "expected"),
    [
        ([-7, 7, 5], [2, 2, 2], [0, 1, 0], [-1, 3, 5]),
        ([-7, 7, 5], [2, -2, -2], [0, 1, 2], [-3, -3, -2]),
        ([7, 7, 5], [2, -2, 3], [0, 1, 1], [3, -1, 5]),
    ],
)
def test_whole_numbers_are_divided_towards_zero(value, updates, indices, expected):
    v = tf.Variable(value)
    v.scatter_div(tf.IndexedSlices(updates, indices))
    assert v.numpy().tolist() == expected


def test_an_update_that_is_no_number_is_no_extreme():
    nan = float("nan")
    v, w = tf.Variable([1.0, 2.0, nan]), tf.Variable([1.0, 2.0, nan])
    v.scatter_min(tf.IndexedSlices([nan, 1.0, nan], [0, 1, 2]))
    w.scatter_max(tf.IndexedSlices([nan, 5.0, 1.0], [0, 1, 2]))
    np.testing.assert_array_equal([v.numpy(), w.numpy()], [[1, 1, nan], [1, 5, nan]])


def test_parts_in_eager_mode():
    v1 = tf.compat.v1
    whole = v1.get_variable(
        "w", [3, 2], partitioner=v1.fixed_size_partitioner(2), initializer=v1.ones_initializer()
    )
    assert [part.shape.as_list() for part in whole] == [[2, 2], [1, 2]]
    assert whole.as_tensor().numpy().tolist() == [[1.0, 1.0]] * 3


def test_creators_are_told_every_option_of_the_older_class():
    asked = []

    def creator(next_creator, **options):
        asked.append(options)
        return next_creator(**{**options, "name": "made"})

    with tf.variable_creator_scope(creator):
        v = tf.compat.v1.Variable(1.0, collections=["mine"])
    assert isinstance(v, tf.Variable) and v.name == "made:0" and v.numpy() == 1
    (options,) = asked
    assert options["collections"] == ["mine"] and options["expected_shape"] is None
    assert options["use_resource"] is None and options["validate_shape"] is True


def test_modes_may_be_numbers():
    v = tf.Variable(1.0, synchronization=3, aggregation=2)
    assert v.synchronization is tf.VariableSynchronization.ON_READ and not v.trainable
    assert v.aggregation is tf.VariableAggregation.MEAN
    with pytest.raises(ValueError, match="Invalid variable synchronization mode: 4"):
        tf.Variable(1.0, synchronization=4)


@pytest.mark.parametrize("method", ["scatter_add", "scatter_update", "batch_scatter_update"])
def test_rows_are_updated_by_slices_only(method):
    expected = r"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: \[1.\]"
    with pytest.raises(TypeError, match=expected):
        getattr(tf.Variable([1.0]), method)(tf.constant([1.0]))
