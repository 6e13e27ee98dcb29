"""Static shapes and values of which parts are known, and refusals of shapes that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

import twinflow as tf


def test_shape_from_outside_keeps_known_sizes_in_a_loop() -> None:
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 1])], autograph=False)
    def sampled(rates):
        shape = tf.concat([[3], tf.shape(rates)], 0)

        def body(i, x):
            drawn = tf.random.stateless_uniform(shape, [1, 2])
            seen.append((drawn.shape.as_list(), tf.zeros(shape).shape.as_list()))
            return i + 1, x + drawn

        return tf.while_loop(lambda i, x: i < 2, body, (0, tf.zeros(shape)))[1]

    assert sampled(tf.ones([2, 1])).shape == (3, 2, 1)
    assert seen[0] == ([3, None, 1], [3, None, 1])


def test_elements_of_an_unstacked_shape_are_known() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 1])])
    def zeros(x):
        made = tf.zeros(tf.unstack(tf.shape(x)))
        assert made.shape.as_list() == [None, 1]
        return made

    assert zeros(tf.ones([2, 1])).shape == (2, 1)


def test_partly_known_value_of_a_stack() -> None:
    @tf.function(input_signature=[tf.TensorSpec([], tf.int32)], autograph=False)
    def looked_at(n):
        row = tf.stack([n, 3])
        found = tf.get_static_value(row, partial=True)
        assert found.dtype == object and found.tolist() == [None, np.array(3, np.int32)]
        assert tf.get_static_value(row) is None
        nested = tf.get_static_value(tf.stack([row, tf.constant([1, 2])]), partial=True)
        assert nested.tolist() == [[None, 3], [1, 2]]
        assert (
            tf.get_static_value(tf.stack([row, tf.constant([1, 2])], axis=1), partial=True) is None
        )
        assert tf.get_static_value(tf.stack([2, 3]), partial=True).dtype == np.int32
        return n

    looked_at.get_concrete_function()


_ROWS = [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("ids", [[-1, -1], [-2, -1], [0, -1], [-1, -2]])
@pytest.mark.parametrize("within", [False, True])
def test_last_segment_below_zero(ids, within) -> None:
    for call in (
        lambda: tf.math.segment_sum(_ROWS, ids),
        lambda: tf.math.segment_mean(_ROWS, ids),
        lambda: tf.sparse.segment_sum(_ROWS, [0, 1], ids),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="segment ids must be >= 0"):
            (tf.function(call, autograph=False) if within else call)()


@pytest.mark.parametrize(
    ("rows", "values", "said"),
    [
        ([1, 2, 3], [2], "Shape must be rank 2 but is rank 1 for `sorted_inputs` argument"),
        ([[1, 2, 3]], [2], "Shape must be rank 2 but is rank 1 for `values` argument"),
        (1, 2, "Shape must be rank 2 but is rank 0 for `sorted_inputs` argument"),
        ([[1, 2, 3]], [[2], [1]], "Leading dim_size of both tensors must match."),
    ],
)
def test_bounds_of_wrong_ranks(rows, values, said) -> None:
    for op in (tf.raw_ops.LowerBound, tf.raw_ops.UpperBound):
        with pytest.raises(tf.errors.InvalidArgumentError, match=said):
            op(sorted_inputs=rows, values=values)


@pytest.mark.parametrize(
    ("values", "shape", "eager", "inferred"),
    [
        ([1, 2], [2], "value and update shape doesn't match: [2] vs. []",
         "The rank of all input shapes must be greater than 0, but input 0 had rank 0."),
        ([1, 2], [], "value should be at least rank 1.", "Out of range dim_index 0 for shape with 0 dimensions"),
        ([[1], [2]], [None, 1], "Shape [?,1] is not fully defined", "shape attr must be fully defined."),
        ([[1], [2]], [2, 1], "value and update shape doesn't match: [2,1] vs. [1]",
         "Shapes must be equal rank, but are 1 and 2\n\tFrom merging shape 0 with other shapes."),
        ([[1], [2, 3]], [2], "update shape doesn't match: [2]", "Size of first dimension must be 1."),
        ([[[1, 2]], [[3, 4]]], [1, 2], "0th dimension of value = 1 must be greater than loc_ = 1", None),
    ],
)  # fmt: skip
def test_parallel_concat_refuses_what_does_not_fit(values, shape, eager, inferred) -> None:
    def joined():
        return tf.raw_ops.ParallelConcat(values=values, shape=shape)

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        joined()
    assert eager in str(caught.value)
    with pytest.raises(
        tf.errors.InvalidArgumentError if inferred is None else ValueError
    ) as caught:
        tf.function(joined, autograph=False)()
    assert (inferred or eager) in str(caught.value)


def test_parallel_concat_of_too_few_values() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="1 values do not fill"):
        tf.raw_ops.ParallelConcat(values=[[1]], shape=[2])


def test_variable_that_is_read_late_without_aggregation_is_restored(tmp_path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable([5.0, 7.0])).write(str(tmp_path / "c"))
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        variable = tf.Variable(
            [1.0, 2.0],
            aggregation=tf.VariableAggregation.NONE,
            synchronization=tf.VariableSynchronization.ON_READ,
        )
    tf.train.Checkpoint(v=variable).restore(path)
    assert [copy.numpy().tolist() for copy in variable.values] == [[5.0, 7.0]]


@pytest.mark.parametrize("dims", [[2, 3], [None, 3], [None, None]])
@pytest.mark.parametrize(
    ("counts", "known", "axis", "said"),
    [
        (-1, [], None, r"Expected multiples\[1\] >= 0, but got -1"),
        (-1, [], 1, r"Expected multiples\[2\] >= 0, but got -1"),
        ([-1], [1], 0, r"Expected multiples\[1\] >= 0, but got -1"),
        (-1, None, 1, "Size 1 must be non-negative, not -3"),
        ([-1], [None], -1, "Size 1 must be non-negative, not -3"),
        ([-1, -2, 1], [3], 1, "Size 1 must be non-negative, not -2"),
        (
            [-1, 2, 1],
            [None],
            1,
            "Input to reshape is a tensor with 6 values, but the requested shape has 4",
        ),
        ([1, 2], [None], 1, r"Incompatible shapes: \[2\] vs. \[3\]"),
    ],
)
def test_repeat_refuses_counts_below_zero_and_too_few(dims, counts, known, axis, said):
    """TensorFlow's errors; with one count for all elements it tiles, else it gathers."""
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    specs = [tf.TensorSpec(dims, tf.int32), tf.TensorSpec(known, tf.int32)]
    repeated = tf.function(lambda a, r: tf.repeat(a, r, axis=axis), input_signature=specs)
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        repeated(x, tf.constant(counts))


def test_repeat_of_a_tensor_of_any_rank():
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    for counts, known, axis, expected in (
        (2, [], 0, [[1, 2, 3], [1, 2, 3], [4, 5, 6], [4, 5, 6]]),
        (2, [], 1, [[1, 1, 2, 2, 3, 3], [4, 4, 5, 5, 6, 6]]),
        ([2], None, 1, [[1, 1, 2, 2, 3, 3], [4, 4, 5, 5, 6, 6]]),
        ([-1, 2], [2], 0, [[4, 5, 6], [4, 5, 6]]),
    ):
        specs = [tf.TensorSpec(None, tf.int32), tf.TensorSpec(known, tf.int32)]
        repeated = tf.function(
            lambda a, r, axis=axis: tf.repeat(a, r, axis=axis), input_signature=specs
        )
        assert repeated(x, tf.constant(counts)).numpy().tolist() == expected
    for dims in (None, [None, None]):
        specs = [tf.TensorSpec(dims, tf.int32)]
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[1,3\]"
        ):
            tf.function(lambda a: tf.repeat(a, [1, 2], axis=1), input_signature=specs)(x)


@pytest.mark.parametrize(
    ("counts", "said"),
    [([-1, 2, 1], "Input to reshape"), ([-1, -2, 1], "Size 1 must be non-negative, not -2")],
)
def test_repeat_at_once_refuses_counts_below_zero(counts, said):
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        tf.repeat([[1, 2, 3], [4, 5, 6]], counts, axis=1)
    assert tf.repeat([1, 2, 3], [-1, 2, 1]).numpy().tolist() == [2, 2, 3]


def test_searchsorted_is_several_operations_with_static_sizes():
    for first, second, expected in (
        (None, [2], [2]),
        ([None], [None], [None]),
        ([2, None], [2, None], [2, None]),
        ([None, 3], [None, 4], [None, 4]),
        ([2], None, None),
    ):
        specs = [tf.TensorSpec(first), tf.TensorSpec(second)]
        found = tf.function(
            lambda x, y: tf.searchsorted(x, y), input_signature=specs
        ).get_concrete_function()
        assert found.output_shapes == tf.TensorShape(expected)
        assert "LowerBound" in {op.type for op in found.graph.get_operations()}
    free = tf.function(
        lambda x, y: tf.searchsorted(x, y, side="right"), input_signature=[tf.TensorSpec(None)] * 2
    )
    rows = tf.constant([[[1.0, 2.0], [1.0, 3.0]]])
    assert free(rows, tf.constant([[[1.0, 2.0, 0.0], [4.0, 1.0, 2.0]]])).numpy().tolist() == [
        [[1, 2, 0], [2, 1, 1]]
    ]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="slice index -1 of dimension 0 out of bounds"
    ):
        free(rows[0, 0], 1.0)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Leading dim_size of both tensors must match"
    ):
        free(rows, rows[:, :1])


def test_searchsorted_refuses_scalars():
    said = "slice index -1 of dimension 0 out of bounds."
    for args in (([1.0, 2.0], 1.0), (1.0, [1.0])):
        with pytest.raises(tf.errors.InvalidArgumentError, match=said):
            tf.searchsorted(*args)
        with pytest.raises(ValueError, match=f"{said} for '{{{{node strided_slice"):
            tf.function(lambda x, y: tf.searchsorted(x, y))(*map(tf.constant, args))


def test_parts_of_a_split_scalar_are_of_unknown_number() -> None:
    """The usual way to read a label from a path of ``list_files``."""

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def label_of(path):
        parts = tf.strings.split(path, "/")
        assert parts.shape.as_list() == [None]
        assert tf.strings.split(input=path, sep=",").shape.as_list() == [None]
        return parts[-2], tf.strings.split(path)[0]

    label, whole = label_of("flowers/daisy/1.jpg")
    assert (label.numpy(), whole.numpy()) == (b"daisy", b"flowers/daisy/1.jpg")
    paths = tf.data.Dataset.from_tensor_slices(["a/b/c", "d/e/f"])
    labels = paths.map(lambda path: tf.strings.split(path, "/")[-2])
    assert list(labels.as_numpy_iterator()) == [b"b", b"e"]


@pytest.mark.parametrize("mode", ["CONSTANT", "REFLECT", "SYMMETRIC"])
def test_padding_keeps_the_sizes_of_axes_with_known_paddings(mode):
    @tf.function
    def pad(x, n):
        before = tf.pad(x, [(0, n), (0, 1)], mode=mode)
        after = tf.pad(x, [(0, 0), (n, 1)], mode, constant_values=2.0)
        assert (before.shape.as_list(), after.shape.as_list()) == ([None, 5], [3, None])
        return before, after

    before, after = pad(tf.ones([3, 4]), tf.constant(2))
    assert (before.shape, after.shape) == ((5, 5), (3, 7))


def test_gradient_of_gathering_from_empty_slices():
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(x, [0, 2], axis=1)
        return tape.gradient(y, x)

    assert gradient(tf.ones([0, 3])).shape == (0, 3)
    assert gradient(tf.ones([2, 3])).numpy().tolist() == [[1, 0, 1]] * 2
