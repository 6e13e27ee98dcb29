"""Loops over datasets and iterators in traced functions; the results are TensorFlow's."""

import pytest

import twinflow as tf

Dataset = tf.data.Dataset
ZERO = tf.constant(0, tf.int64)


def test_loops_over_datasets_are_traced_once():
    @tf.function
    def total(dataset):
        result = ZERO
        for x in dataset:
            result += x
        return result

    assert [int(total(Dataset.range(n))) for n in (5, 7, 0)] == [10, 21, 0]
    assert total.experimental_get_tracing_count() == 1


def test_break_leaves_the_following_elements_in_the_iterator():
    @tf.function
    def advance(iterator):
        result = ZERO
        for x in iterator:
            result += x
            if result > 5:
                break
        return result

    iterator = iter(Dataset.range(10))
    assert [int(advance(iterator)), int(next(iterator))] == [6, 4]
    assert [int(advance(iterator)), int(next(iterator))] == [11, 7]


def test_variables_that_only_the_loop_defines():
    @tf.function
    def last(n):
        for a, b in Dataset.range(n).map(lambda x: (x, {"k": x * 2})):
            result = a + b["k"]
        return result

    assert int(last(tf.constant(4, tf.int64))) == 9
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once"):
        last(ZERO)


def test_gradients_tensor_arrays_and_nested_loops():
    variable = tf.Variable(0.0)

    @tf.function
    def train(dataset):
        written = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i, x in enumerate(dataset.batch(2)):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.cast(x, tf.float32)) * variable * variable + variable
            variable.assign_sub(0.01 * tape.gradient(loss, variable))
            for y in Dataset.range(i):
                written = written.write(written.size(), tf.cast(y, tf.float32))
        return written.stack()

    assert train(Dataset.range(8)).numpy().tolist() == [0, 0, 1, 0, 1, 2]
    assert variable.numpy() == pytest.approx(-0.0289292)


def test_builtins_on_datasets():
    def increment(x):
        return x + 1

    @tf.function
    def run(dataset):
        count = ZERO
        for x, y in zip(dataset, filter(lambda x: x > 1, dataset)):
            count += x * y
        for z in map(increment, dataset):
            count += z * 100
        return count

    assert int(run(Dataset.range(4))) == 0 * 2 + 1 * 3 + 1000


def test_stateful_reductions_run_in_functions():
    variable = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def run(dataset):
        dataset.reduce(ZERO, lambda state, x: variable.assign_add(x))

    run(Dataset.range(4))
    assert int(variable) == 6


def test_a_return_inside_of_a_loop_is_not_supported():
    @tf.function
    def first_above(elements):
        for x in elements:
            if x > 3:
                return x
        return ZERO - 1

    for elements in (Dataset.range(9), iter(Dataset.range(9))):
        with pytest.raises(NotImplementedError, match="cannot be placed inside this TensorFlow"):
            first_above(elements)


def test_a_return_that_python_decides_is_not_supported():
    @tf.function
    def f(dataset, stops):
        for x in dataset:
            if stops:
                return x
        return ZERO

    with pytest.raises(NotImplementedError, match="depends on a static Python condition"):
        f(Dataset.range(3), False)


def test_continue_and_break_in_nested_loops():
    @tf.function
    def run(dataset):
        total = ZERO
        for x in dataset:
            if x == 2:
                continue
            for y in dataset:
                if y > x:
                    break
                total += x * y
        return total

    expected = sum(x * y for x in (0, 1, 3, 4) for y in range(x + 1))
    assert int(run(Dataset.range(5))) == expected


def test_the_state_of_a_loop_over_a_dataset_may_grow():
    @tf.function
    def collect(elements):
        rows, count = tf.zeros([0, 2]), 0.0
        for x in elements:
            rows, count = tf.concat([rows, tf.fill([1, 2], tf.cast(x, tf.float32))], 0), count + 1
            if count > 2:
                break
        return rows, count

    rows, count = collect(Dataset.range(7))
    assert rows.numpy().tolist() == [[0, 0], [1, 1], [2, 2]]
    assert float(count) == 3
    message = r"'rows' has shape \(0, 2\) before the loop, but shape \(1, 2\) after one iteration"
    with pytest.raises(ValueError, match=message):
        collect(iter(Dataset.range(7)))


def test_a_dtype_that_changes_is_an_error():
    @tf.function
    def f(dataset):
        last = tf.constant(0)
        for x in dataset:
            last = x
        return last

    message = "'last' has dtype int32 before the loop, but dtype int64 after one iteration"
    with pytest.raises(TypeError, match=message):
        f(Dataset.range(3))


def test_len_any_all_and_abs_of_datasets():
    count = tf.function(lambda dataset: len(dataset))
    assert count(Dataset.range(5)).dtype == tf.int64
    assert [int(count(Dataset.range(n))) for n in (5, 0)] == [5, 0]
    numbers = Dataset.range(2)
    for dataset, code in ((numbers.repeat(), -1), (numbers.filter(lambda x: x > 0), -2)):
        message = rf"\[len requires dataset with definitive cardinality, got {code}\]"
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            count(dataset)
    both = tf.function(lambda dataset: (any(dataset), all(dataset)))
    slices = Dataset.from_tensor_slices
    for values in ([True, False], [True], [False]):
        expected = [any(values), all(values)]
        assert [bool(x) for x in both(slices(values))] == expected
    assert [bool(x) for x in both(slices([True]).take(0))] == [False, True]
    assert [bool(x) for x in both(slices([True, False]).repeat())] == [True, False]
    with pytest.raises(ValueError, match='"any" builtin only supports datasets that return bool'):
        both(Dataset.range(3))
    add = tf.function(lambda dataset: abs(dataset).reduce(0, lambda a, b: a + b))
    assert int(add(slices([-1, 2, -3]))) == 6


def test_graphs_with_iterators_are_written():
    @tf.function
    def total(dataset):
        result = tf.constant(0)
        for x, y in dataset:
            result += x * y
        return result

    dataset = tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))
    nodes = {n.op: n for n in total.get_concrete_function(dataset).graph.as_graph_def().node}
    assert list(nodes["MakeIterator"].input) == ["dataset", "AnonymousIteratorV3"]
    types = nodes["AnonymousIteratorV3"].attr["output_types"].list.type
    assert [tf.as_dtype(t) for t in types] == [tf.int32, tf.int32]
    assert total(dataset).numpy() == 11


def test_iterators_that_functions_make_start_anew_in_each_call():
    @tf.function
    def first_two():
        iterator = iter(tf.data.Dataset.range(3))
        return next(iterator), next(iterator)

    assert [[x.numpy() for x in first_two()] for _ in range(2)] == [[0, 1], [0, 1]]
