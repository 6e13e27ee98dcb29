"""Transformations of datasets, beside the recorded answers of TensorFlow."""

import itertools

import pytest

import twinflow as tf
from tests.golden import data_orders, data_readers, data_verbs
from twinflow._src.core.context import quiet
from twinflow._src.wings.data import positions
from twinflow._src.wings.data.stages import Run

RECORDED = data_verbs.recorded()


@pytest.fixture(scope="module")
def scope():
    return data_verbs.names(tf, "/nowhere")


def order_of(expression):
    """Returns a function that leaves the order of elements out where it is not determined."""
    return sorted if "deterministic=False" in expression else list


@pytest.mark.parametrize("expression", data_verbs.EXPRESSIONS)
def test_elements_and_errors_are_tensorflows(expression, scope):
    order = order_of(expression)
    answer = data_readers.answer(expression, scope, tf.data.Dataset)
    assert order(answer) == order(RECORDED[expression])


def test_every_expression_is_recorded():
    assert list(RECORDED) == data_verbs.EXPRESSIONS


@pytest.mark.parametrize("name", data_orders.PROGRAMS)
def test_random_orders_are_tensorflows(name):
    assert data_orders.PROGRAMS[name](tf) == data_orders.recorded()[name]


# Positions of iterators.


def rest(iterator, count=30):
    return quiet().run(lambda: [repr(x) for x in itertools.islice(iterator, count)])


@pytest.mark.parametrize("expression", data_verbs.EXPRESSIONS)
def test_iterators_go_on_from_saved_positions(expression, scope):
    """An iterator restored from text yields what the one that was saved yields afterwards."""
    answers = RECORDED[expression]
    is_dataset = isinstance(answers, list) and answers and "Error" not in answers[-1]
    if not is_dataset or expression.startswith(("list(", "len(")) or "E.at" in expression:
        return
    stage, order = eval(expression, dict(scope))._stage, order_of(expression)
    for count in range(min(len(answers), 5) + 1):
        first = stage.iterate(Run(stage))
        rest(first, count)
        saved = positions.decode(positions.encode(first.save()))
        second = stage.iterate(Run(stage))
        second.restore(saved)
        assert order(rest(second)) == order(rest(first)), count


# Datasets in traced functions.


def test_loops_over_datasets_are_loops_of_the_graph():
    @tf.function
    def total(dataset):
        result = tf.constant(0, tf.int64)
        for x in dataset:
            if x == 7:
                break
            result += x
        return result

    assert total(tf.data.Dataset.range(5)).numpy() == 10
    assert total(tf.data.Dataset.range(100).shuffle(3)).numpy() <= 5000
    assert total(tf.data.Dataset.range(20)).numpy() == 21
    assert total.experimental_get_tracing_count() == 1


def test_loops_over_iterators_leave_the_rest():
    @tf.function
    def until(iterator, limit):
        result = tf.constant(0, tf.int64)
        for x in iterator:
            result += x
            if x == limit:
                break
        return result

    iterator = iter(tf.data.Dataset.range(10))
    assert until(iterator, tf.constant(3, tf.int64)).numpy() == 6
    assert next(iterator).numpy() == 4
    assert until(iterator, tf.constant(-1, tf.int64)).numpy() == sum(range(5, 10))


def test_optionals_end_a_loop_of_tensors():
    @tf.function
    def total(iterator):
        result = tf.constant(0, tf.int64)
        optional = iterator.get_next_as_optional()
        while optional.has_value():
            result += optional.get_value()
            optional = iterator.get_next_as_optional()
        return result

    assert total(iter(tf.data.Dataset.range(5))).numpy() == 10
    empty = tf.experimental.Optional.empty(tf.TensorSpec([], tf.int32))
    assert not empty.has_value()
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have a value"):
        empty.get_value()


def test_datasets_are_made_and_reduced_in_functions():
    @tf.function
    def total(n):
        batches = tf.data.Dataset.range(n).map(lambda x: x * 2).batch(2)
        return batches.reduce(tf.constant(0, tf.int64), lambda s, x: s + tf.reduce_sum(x))

    assert total(tf.constant(4, tf.int64)).numpy() == 12
    assert total(tf.constant(5, tf.int64)).numpy() == 20


def test_functions_of_elements_capture_variables_and_tables():
    variable = tf.Variable(3)
    added = tf.data.Dataset.range(3).map(lambda x: tf.cast(x, tf.int32) + variable)
    assert [x.numpy() for x in added] == [3, 4, 5]
    variable.assign(10)
    assert [x.numpy() for x in added] == [10, 11, 12]
    values = tf.lookup.KeyValueTensorInitializer([0, 1], [5, 6])
    table = tf.lookup.StaticHashTable(values, -1)
    found = tf.data.Dataset.range(3).map(lambda x: table.lookup(tf.cast(x, tf.int32)))
    assert [x.numpy() for x in found] == [5, 6, -1]


def test_random_operations_of_functions_start_anew_in_each_iteration():
    tf.random.set_seed(3)
    dataset = tf.data.Dataset.range(3).map(lambda x: tf.random.uniform([], seed=2))
    expected = [0.8509835004806519, 0.39328432083129883, 0.7017757892608643]
    assert [x.numpy().item() for x in dataset] == expected
    assert [x.numpy().item() for x in dataset] == expected


def test_groups_are_reduced_and_datasets_padded():
    experimental = tf.data.experimental
    reducer = experimental.Reducer(
        lambda k: tf.constant(0, tf.int64), lambda s, x: s + x, lambda s: s
    )
    sums = tf.data.Dataset.range(10).apply(experimental.group_by_reducer(lambda x: x % 3, reducer))
    assert [x.numpy() for x in sums] == [18, 12, 15]
    padded = tf.data.Dataset.from_tensor_slices({"a": [1, 2]}).apply(
        experimental.pad_to_cardinality(3)
    )
    assert [(x["a"].numpy(), bool(x["valid"])) for x in padded] == [
        (1, True),
        (2, True),
        (0, False),
    ]
    with pytest.raises(ValueError, match="requires its input dataset to be a dictionary"):
        tf.data.Dataset.range(3).apply(experimental.pad_to_cardinality(4))


def test_element_spec_of_an_optional_may_be_set_while_tracing():
    """Keras' ``steps_per_execution`` learns in one branch what the other branch's optional holds."""
    iterator = iter(tf.data.Dataset.range(3))
    nothing = tf.experimental.Optional.empty(None)

    @tf.function
    def last_of(iterator, steps):
        def body(step, last, following):
            def present():
                value = tf.experimental.Optional.from_value(following.get_value() * 10)
                nothing._element_spec = value.element_spec
                return value

            def absent():
                last._element_spec = nothing._element_spec
                return last

            last = tf.cond(following.has_value(), present, absent)
            return step + 1, last, iterator.get_next_as_optional()

        variables = 0, nothing, iterator.get_next_as_optional()
        _, last, _ = tf.while_loop(
            lambda step, _, following: (step < steps) & following.has_value(), body, variables
        )
        nothing._element_spec = last.element_spec
        return last

    assert last_of(iterator, tf.constant(2)).get_value().numpy() == 10


def test_arguments_of_a_generator_are_numpy_scalars():
    def generator(count, text):
        assert type(text) is bytes
        yield from {count: [1, 2]}[count]

    spec = tf.TensorSpec([], tf.int32)
    values = tf.data.Dataset.from_generator(generator, args=(3, "a"), output_signature=spec)
    assert list(values.as_numpy_iterator()) == [1, 2]


def test_padded_shapes_hold_the_elements():
    pair = tf.data.Dataset.from_tensors(([1, 2], [3]))
    refused = r"The padded shape \(1,\) is not compatible with the shape \(2,\) of the corresp"
    with pytest.raises(ValueError, match=refused):
        pair.padded_batch(1, padded_shapes=([1], [1]))
    with pytest.raises(ValueError, match=r"values should be scalars, but got \(1,\)"):
        pair.padded_batch(1, padding_values=([0], 0))
    rows = tf.data.Dataset.from_generator(lambda: iter([[1]]), tf.int32)
    with pytest.raises(ValueError, match="component 0 has unknown rank"):
        rows.padded_batch(1)
    batch = next(iter(pair.padded_batch(1, padded_shapes=([3], [None]))))
    assert [part.numpy().tolist() for part in batch] == [[[1, 2, 0]], [[3]]]


UNKNOWN, INFINITE = tf.data.UNKNOWN_CARDINALITY, tf.data.INFINITE_CARDINALITY


@pytest.mark.parametrize(
    "change, unknown, endless",
    [
        (lambda d: d.take(0), UNKNOWN, 0),
        (lambda d: d.skip(-1), UNKNOWN, INFINITE),
        (lambda d: d.ignore_errors(), UNKNOWN, UNKNOWN),
        (lambda d: d.enumerate(), UNKNOWN, INFINITE),
        (lambda d: d.group_by_window(lambda x: x, lambda k, w: w, 2), UNKNOWN, INFINITE),
        (
            lambda d: tf.data.Dataset.choose_from_datasets(
                [d, tf.data.Dataset.range(2)], tf.data.Dataset.range(2)
            ),
            UNKNOWN,
            INFINITE,
        ),
        (
            lambda d: tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(0), d]),
            UNKNOWN,
            INFINITE,
        ),
    ],
)
def test_cardinality_of_unknown_and_infinite_sources(change, unknown, endless):
    source = tf.data.Dataset.range(5)
    assert change(source.filter(lambda x: x > 1)).cardinality() == unknown
    assert change(source.repeat()).cardinality() == endless


def error_of(make):
    with pytest.raises((ValueError, tf.errors.OpError)) as info:
        list(make())
    return f"{info.type.__name__}: {info.value}"


def test_batches_of_other_sizes_cannot_be_split():
    rows = tf.data.Dataset.from_tensors((tf.zeros([3]), tf.zeros([4])))
    assert error_of(rows.unbatch) == (
        "ValueError: `unbatch()` is only supported for datasets of elements whose components have a "
        "matching leading dimension. Encountered both 3 and 4."
    )


def test_unique_elements_have_one_component():
    pairs = tf.data.Dataset.from_tensor_slices(([1, 1], [2, 2]))
    assert error_of(pairs.unique).startswith(
        "InvalidArgumentError: UniqueDataset only supports inputs with a single component."
    )


def test_rows_of_sparse_batches_fit():
    ranges = tf.data.Dataset.range(4).map(tf.range)
    batches = lambda: ranges.apply(tf.data.experimental.dense_to_sparse_batch(4, [2]))
    expected = "Input element had shape ([3]) that is larger than the row shape ([2])."
    assert error_of(batches).startswith(f"DataLossError: {expected}")


SCALAR = tf.TensorSpec([], tf.int32)
PAIR = "The expected structure was (tf.int32, tf.int32), but the yielded element was"
RAGGED = "RaggedTensorSpec(TensorShape([{}, None]), tf.int32, 1, tf.int64)"


@pytest.mark.parametrize(
    ("value", "signature", "message"),
    [
        ("a", SCALAR, "could not be converted to the expected type. The expected type was int32"),
        (None, SCALAR, "could not be converted to the expected type. The expected type was int32"),
        ([1, 2], SCALAR, "of shape (2,) where an element of shape () was expected."),
        (1, (SCALAR, SCALAR), f"that did not match the expected structure. {PAIR} 1."),
        ((1, 2, 3), (SCALAR, SCALAR), f"that did not match the expected structure. {PAIR} (1, 2, 3)."),
        (1.5, tf.TensorSpec(None, tf.int32), "that did not match the expected structure."),
        (1, tf.TensorSpec(None, tf.string), "that did not match the expected structure."),
        ([[1], [2, 3]], tf.RaggedTensorSpec([2, None], tf.int32), "that did not match the expected structure."),
        (
            tf.ragged.constant([[1], [2, 3]]),
            tf.RaggedTensorSpec([3, None], tf.int32),
            f"of {RAGGED.format(2)} where an element of {RAGGED.format(3)} was expected.",
        ),
    ],
)  # fmt: skip
def test_values_of_generators_fit_the_signature(value, signature, message):
    make = lambda: tf.data.Dataset.from_generator(lambda: iter([value]), output_signature=signature)
    assert error_of(make).startswith(
        "InvalidArgumentError: TypeError: `generator` yielded an element"
    )
    assert message in error_of(make)


def test_values_of_generators_are_converted_as_numpy_does():
    # As in TensorFlow, of tensors with a static rank; strings stay strings.
    make = lambda value, dtype: tf.data.Dataset.from_generator(
        lambda: iter([value]), output_signature=tf.TensorSpec([], dtype)
    )
    assert [x.numpy() for x in make(1.5, tf.int32)] == [1]
    assert [x.numpy() for x in make("é", tf.string)] == ["é".encode()]
    assert [x.numpy() for x in make(tf.constant(3), tf.float32)] == [3.0]
    unsupported = error_of(lambda: make(1, tf.string))
    assert unsupported.startswith("InternalError: Unsupported object type int")


def test_numbers_of_dtypes_are_required_columns(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("1,2,3\n4,,6\n")
    columns = tf.data.experimental.CsvDataset(str(path), [1, 0, "int64"])
    assert [spec.dtype for spec in columns.element_spec] == [tf.float32, tf.int32, tf.int64]
    assert [tuple(x.numpy() for x in row) for row in columns] == [(1.0, 2, 3), (4.0, 0, 6)]
