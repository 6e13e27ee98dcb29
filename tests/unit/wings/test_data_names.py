"""Names of ``tf.data.experimental`` beside datasets; the answers are TensorFlow's."""

import subprocess
import sys

import pytest

import twinflow as tf

Dataset, E = tf.data.Dataset, tf.data.experimental
WORDS = Dataset.from_tensor_slices(["a", "b", "c"])
PAIRS = Dataset.zip((WORDS, Dataset.range(10, 13)))
KEYS = tf.constant(["a", "c", "z"])


def found(table, keys=KEYS):
    return table.lookup(keys).numpy().tolist()


def test_tables_are_initialized_from_datasets():
    initializer = E.DatasetInitializer(PAIRS)
    assert (initializer.key_dtype, initializer.value_dtype) == (tf.string, tf.int64)
    table = tf.lookup.StaticHashTable(initializer, -7)
    assert found(table) == [10, 12, -7]
    assert int(table.size()) == 3

    @tf.function
    def look_up(keys):
        return table.lookup(keys)

    assert look_up(KEYS).numpy().tolist() == [10, 12, -7]
    equal = Dataset.from_tensor_slices((["a", "a"], [1, 1]))
    assert found(tf.lookup.StaticHashTable(E.DatasetInitializer(equal), -1)) == [1, -1, -1]


def test_tables_are_initialized_in_graphs():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        pairs = Dataset.from_tensor_slices((["a", "b"], [5, 6]))
        table = tf.lookup.StaticHashTable(E.DatasetInitializer(pairs), -1)
        values = table.lookup(tf.constant(["b", "z"]))
        session.run(tf.compat.v1.tables_initializer())
        assert session.run(values).tolist() == [6, -1]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: Dataset.zip((WORDS, WORDS, WORDS)),
            ValueError,
            r"must produce elements in the form \(key, value\).*produces 3 components instead of two",
        ),
        (lambda: PAIRS.batch(2), ValueError, "produces non-scalar key Tensors of rank 1"),
        (lambda: PAIRS.take(0), tf.errors.OutOfRangeError, "end of iterator"),
        (
            lambda: Dataset.zip((Dataset.from_tensor_slices(["a", "a"]), Dataset.range(2))),
            tf.errors.FailedPreconditionError,
            "HashTable has different value for same key. Key a has 0 and trying to add value 1",
        ),
    ],
)
def test_datasets_that_make_no_table(make, error, message):
    with pytest.raises(error, match=message):
        tf.lookup.StaticHashTable(E.DatasetInitializer(make()), tf.constant(-1, tf.int64))


def test_table_from_dataset():
    assert found(E.table_from_dataset(PAIRS)) == [10, 12, -1]
    assert found(E.table_from_dataset(PAIRS, vocab_size=2, default_value=-5)) == [10, -5, -5]
    table = E.table_from_dataset(PAIRS, num_oov_buckets=3)
    assert type(table).__name__ == "IdTableWithHashBuckets"
    assert found(table) == [10, 12, 4]
    numbers = Dataset.zip((Dataset.range(3), WORDS))
    table = E.table_from_dataset(numbers, default_value="?", key_dtype=tf.int64)
    assert found(table, tf.constant([1, 9], tf.int64)) == [b"b", b"?"]


@pytest.mark.parametrize(
    ("kwargs", "error", "message"),
    [
        ({"num_oov_buckets": -3}, ValueError, "must be greater than or equal to 0, got -3"),
        ({"vocab_size": 0}, ValueError, "`vocab_size` must be greater than 0, got 0"),
        (
            {"key_dtype": tf.float32},
            TypeError,
            "must be either an integer or string type, but got <dtype: 'float32'>",
        ),
        (
            {"vocab_size": 9},
            tf.errors.FailedPreconditionError,
            "expected to contain 9 elements but contained only 3 elements",
        ),
        (
            {"dataset": Dataset.zip((WORDS, WORDS))},
            ValueError,
            "must be specified when creating a table from a dataset that produces values of type",
        ),
        ({"num_oov_buckets": 2, "hasher_spec": None}, TypeError, "must be of type HasherSpec"),
    ],
)
def test_arguments_of_tables(kwargs, error, message):
    with pytest.raises(error, match=message):
        E.table_from_dataset(**{"dataset": PAIRS, **kwargs})


def test_index_table_from_dataset():
    assert found(E.index_table_from_dataset(WORDS)) == [0, 2, -1]
    assert found(E.index_table_from_dataset(WORDS, num_oov_buckets=2)) == [0, 2, 4]
    assert found(E.index_table_from_dataset(WORDS, vocab_size=2, default_value=55)) == [0, 55, 55]
    assert int(E.index_table_from_dataset(WORDS, num_oov_buckets=2).size()) == 5
    table = E.index_table_from_dataset(Dataset.range(5, 8), key_dtype=tf.int64)
    assert found(table, tf.constant([5, 7, 9], tf.int64)) == [0, 2, -1]


def test_numpy_iterators_have_positions():
    iterator = Dataset.range(5).as_numpy_iterator()
    assert [int(iterator.next()), int(next(iterator))] == [0, 1]
    state = iterator.save()
    assert state.dtype == tf.string
    assert [int(x) for x in iterator] == [2, 3, 4]
    other = Dataset.range(5).as_numpy_iterator()
    other.restore(state)
    assert [int(x) for x in other] == [2, 3, 4]


def test_specs_of_values():
    spec = tf.data.DatasetSpec.from_value(Dataset.range(4))
    assert repr(spec) == (
        "DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))"
    )
    iterator = iter(Dataset.range(4))
    assert tf.data.IteratorSpec.from_value(iterator) == tf.type_spec_from_value(iterator)


def test_options_are_properties_of_their_classes():
    for name in ("deterministic", "experimental_threading", "autotune"):
        assert isinstance(getattr(tf.data.Options, name), property)
    assert isinstance(tf.data.ThreadingOptions.private_threadpool_size, property)
    options = tf.data.Options()
    options.experimental_threading.private_threadpool_size = 3
    assert options.threading.private_threadpool_size == 3


def test_there_is_no_analytical_model():
    with pytest.raises(
        tf.errors.NotFoundError, match="Cannot find this iterator's analytical model"
    ):
        E.get_model_proto(iter(WORDS))


def test_debug_mode_calls_python_for_each_element():
    script = """
import threading
import twinflow as tf
try:
    tf.function(lambda: tf.data.experimental.enable_debug_mode())()
except ValueError as error:
    assert "only supported in eager mode" in str(error)
tf.data.experimental.enable_debug_mode()
seen = []
def f(x, y):
    if hasattr(x, "numpy"):  # the first call finds the types
        seen.append((int(x), threading.current_thread() is threading.main_thread()))
    return {"sum": x + y}, [x, 2]
dataset = tf.data.Dataset.range(3)
dataset = tf.data.Dataset.zip((dataset, dataset)).map(f, num_parallel_calls=4)
first = lambda d, l: d["sum"] >= 2
print([(int(d["sum"]), l.numpy().tolist()) for d, l in dataset.filter(first).prefetch(2)])
assert seen == [(0, True), (1, True), (2, True)], seen
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "[(2, [1, 2]), (4, [2, 2])]\n", done.stderr


def test_rebatch_knows_sizes_that_divide_batches():
    batches = Dataset.range(12).batch(6, drop_remainder=True)
    shape = lambda dataset: dataset.element_spec.shape.as_list()
    assert [shape(batches.rebatch(n)) for n in (3, 4, 6, 12)] == [[3], [None], [6], [None]]
    assert shape(batches.rebatch([3, 3])) == [3]
    assert shape(batches.rebatch([2, 4])) == [None]
    assert shape(batches.rebatch(4, drop_remainder=True)) == [4]
    assert shape(Dataset.range(12).batch(6).rebatch(3)) == [None]
    numbers = Dataset.range(4)
    with pytest.raises(
        ValueError, match=r"found a dataset with scalar elements\. Fix the issue by"
    ):
        numbers.rebatch(2)
    for arguments in ((2, True), ([2, 1],)):
        with pytest.raises(
            ValueError, match=r"Unbatching a tensor is only supported for rank >= 1"
        ):
            numbers.rebatch(*arguments)


def test_rows_of_different_shapes_in_a_batch():
    rows = Dataset.from_generator(lambda: iter([[1, 2], 3]), tf.int64)
    message = "First element had shape \\[2\\] and element 1 had shape \\[\\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        list(rows.flat_map(Dataset.from_tensors).batch(2))


def test_arguments_of_parallel_interleaves():
    numbers, make = Dataset.range(3), Dataset.from_tensors
    for arguments, message in (
        ((0, 1, 2), "`cycle_length` must be `tf.data.AUTOTUNE` or greater than 0 but is 0"),
        ((2, 0, 2), "`block_length` must be > 0"),
        ((1, 1, 2), "`num_parallel_calls` is 2 and `cycle_length` is 1"),
        ((2, 1, 0), "num_parallel_calls must be greater than zero"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            numbers.interleave(make, *arguments)


def test_lists_have_elements_of_several_shapes():
    rows = tf.data.experimental.from_list([[1], [2, 3]])
    assert repr(rows) == (
        "<_ListDataset element_spec=TensorSpec(shape=(None,), dtype=tf.int32, name=None)>"
    )
    assert [row.tolist() for row in rows.as_numpy_iterator()] == [[1], [2, 3]]
    mixed = tf.data.experimental.from_list([{"a": 1, "b": [1.0, 2.0]}, {"a": 2, "b": [3.0]}])
    assert mixed.element_spec["a"] == tf.TensorSpec([], tf.int32)
    assert [row["b"].tolist() for row in mixed.as_numpy_iterator()] == [[1.0, 2.0], [3.0]]
    assert tf.data.experimental.from_list([1, [2]]).element_spec.shape.rank is None
    assert len(tf.data.experimental.from_list([(1,), (2,)])) == 2


@pytest.mark.parametrize("elements", [[{"a": 1}, {"b": 1}], [(1, "a"), (2,)], [[1], ["a"]], []])
def test_lists_of_several_structures_are_refused(elements):
    with pytest.raises(ValueError):
        tf.data.experimental.from_list(elements)


def test_padded_shapes_are_what_converts_to_shapes():
    rows = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
    for shape in (3, [3], tf.constant(3), tf.constant([3], tf.int64), tf.TensorShape([3])):
        (batch,) = rows.padded_batch(2, padded_shapes=shape)
        assert batch.numpy().tolist() == [[1, 0, 0], [2, 2, 0]]
    for shape in ([-1], [None], [tf.constant(-1)], tf.constant([-1], tf.int64)):
        assert rows.padded_batch(2, padded_shapes=shape).element_spec.shape == [None, None]


@pytest.mark.parametrize(
    "shape, error, message",
    [
        (-1, ValueError, "Padded shape -1 must be a `tf.int64` vector tensor, but its shape was ()."),
        ([2.5], TypeError, "Padded shape [2.5] must be a `tf.int64` vector tensor, but its element type was float32."),
        ([[5]], ValueError, "Padded shape [[5]] must be a `tf.int64` vector tensor, but its shape was (1, 1)."),
        ([-2], ValueError, "Dimension -2 must be >= 0"),
        ([5, 5], ValueError, "The padded shape (5, 5) is not compatible with the shape (None,) of the corresponding input component."),
    ],
)  # fmt: skip
def test_padded_shapes_that_are_refused(shape, error, message):
    rows = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
    with pytest.raises(error) as caught:
        rows.padded_batch(2, padded_shapes=shape)
    assert str(caught.value) == message
