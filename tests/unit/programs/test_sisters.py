"""Tests of calls that differ a little from those that most programs make: unknown shapes, other types, values of sessions."""

import numpy as np
import pytest

import twinflow as tf

tf1 = tf.compat.v1


@pytest.mark.parametrize(
    "condition, x, y, message",
    [
        (
            [True, False],
            [1, 2],
            [1, 2, 3],
            "Select must have the same size and shape.  Input 0: [2] != input 2: [3]",
        ),
        (
            [True],
            [1, 2],
            [3, 4],
            "Select must have the same size and shape.  Input 0: [1] != input 1: [2]",
        ),
        (
            [[True, False]],
            [1, 2],
            [3, 4],
            "Select must have the same size and shape.  Input 0: [1,2] != input 1: [2]",
        ),
    ],
)
def test_where_does_not_broadcast_shapes_that_are_known_at_run_time(condition, x, y, message):
    with tf.Graph().as_default(), tf1.Session() as session:
        places = [tf1.placeholder(dtype) for dtype in (tf.bool, tf.int32, tf.int32)]
        chosen = tf1.where(*places)
        with pytest.raises(tf.errors.InvalidArgumentError) as refused:
            session.run(chosen, dict(zip(places, (condition, x, y))))
        assert message in str(refused.value)
        assert session.run(chosen, dict(zip(places, ([True, False], [1, 2], [3, 4])))).tolist() == [
            1,
            4,
        ]
        assert session.run(chosen, dict(zip(places, (False, [1, 2], [3, 4])))).tolist() == [3, 4]
        rows = session.run(
            chosen, dict(zip(places, ([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]])))
        )
        assert rows.tolist() == [[1, 2], [7, 8]]


def _gradients(y, weight):
    with tf.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(y, [2])
        return session.run(tf.gradients([x * 3], [x], grad_ys=[weight]), {x: [1, 1]})[0]


@pytest.mark.parametrize(
    "dtype, weight, message",
    [
        ("float32", [1, 3], "has type float32 that does not match type int32 of argument 'x'"),
        (
            "float32",
            np.array([1.0, 3.0]),
            "has type float32 that does not match type float64 of argument 'x'",
        ),
        (
            "float32",
            np.array([True, False]),
            "Gradient type bool generated for real or integer-valued tensor",
        ),
        ("float32", ["a", "b"], "Gradient type string generated for real or integer-valued tensor"),
        ("float32", np.array([1j, 2]), "with type float32 must be real or integer"),
        ("complex128", [1.0, 3.0], "Gradient type float32 generated for complex-valued tensor"),
        ("complex128", [1, 3], "with type complex128 must be real"),
    ],
)
def test_weights_of_gradients_keep_their_type(dtype, weight, message):
    with pytest.raises(TypeError) as refused:
        _gradients(dtype, weight)
    assert message in str(refused.value)


def test_weights_of_gradients_of_the_same_type():
    assert _gradients("float32", [1.0, 3.0]).tolist() == [3.0, 9.0]
    assert _gradients("complex128", np.array([1j, 2])).tolist() == [3j, 6]


_SPARSE = tf1.SparseTensorValue(
    np.array([[0, 0], [1, 1]]), np.array([1.0, 2.0], np.float32), np.array([2, 3])
)
_IDS = tf1.SparseTensorValue(_SPARSE.indices, np.array([1, 2]), _SPARSE.dense_shape)


@pytest.mark.parametrize(
    "function, value, expected",
    [
        (tf.sparse.to_dense, _SPARSE, [[1, 0, 0], [0, 2, 0]]),
        (tf.sparse.reduce_sum, _SPARSE, 3),
        (tf.sparse.reduce_max, _SPARSE, 2),
        (tf.sparse.reorder, _SPARSE, [[1, 0, 0], [0, 2, 0]]),
        (lambda x: tf.sparse.reshape(x, [3, 2]), _SPARSE, [[1, 0], [0, 0], [2, 0]]),
        (lambda x: tf.sparse.concat(1, [x, x]), _SPARSE, [[1, 0, 0, 1, 0, 0], [0, 2, 0, 0, 2, 0]]),
        (lambda x: tf.sparse.slice(x, [0, 0], [1, 3]), _SPARSE, [[1, 0, 0]]),
        (lambda x: tf.sparse.sparse_dense_matmul(x, tf.ones([3, 1])), _SPARSE, [[1], [2]]),
        (lambda x: tf.sparse.add(x, x), _SPARSE, [[2, 0, 0], [0, 4, 0]]),
        (lambda x: tf.sparse.retain(x, [True, False]), _SPARSE, [[1, 0, 0], [0, 0, 0]]),
        (
            lambda x: tf.sparse.to_indicator(x, 3),
            _IDS,
            [[False, True, False], [False, False, True]],
        ),
        (tf.sets.size, _IDS, [1, 1]),
        (lambda x: tf.sets.union(x, x), _IDS, [[1], [2]]),
    ],
)
def test_sparse_functions_take_what_sessions_give_of_sparse_tensors(function, value, expected):
    for call in (function, tf.function(function)):
        found = call(value)
        dense = tf.sparse.to_dense(found) if isinstance(found, tf.SparseTensor) else found
        assert dense.numpy().tolist() == expected


@pytest.mark.parametrize("resource", [True, False])
def test_get_variable_tells_initializers_that_ask_for_it_that_there_are_no_parts(resource):
    told = []

    def initializer(shape, dtype, partition_info):
        told.append((shape, partition_info))
        return tf.zeros(shape, dtype)

    with tf.Graph().as_default(), tf1.Session() as session:
        variable = tf1.get_variable("v", [2], initializer=initializer, use_resource=resource)
        session.run(variable.initializer)
        assert session.run(variable).tolist() == [0, 0]
    assert told == [([2], None)]


def test_batch_scatter_update_needs_the_rank_of_the_indices():
    variable = tf.Variable([1.0, 2.0, 3.0])

    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])
    def change(indices):
        variable.batch_scatter_update(tf.IndexedSlices(tf.constant([9.0]), indices))

    with pytest.raises(ValueError, match="batch_gather does not allow indices with unknown shape"):
        change(tf.constant([0]))
    assert variable.numpy().tolist() == [1, 2, 3]


def test_a_step_of_gradient_descent_names_its_operand():
    variable = tf.Variable([1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError) as refused:
        tf.raw_ops.ResourceApplyGradientDescent(var=variable.handle, alpha=1.0, delta=[1.0, 2.0])
    assert "var and delta do not have the same shape[3] [2]" in str(refused.value)
    assert variable.numpy().tolist() == [1, 2, 3]


def test_numbers_of_numpy_in_updates_of_optimizers():
    variable, *slots = (tf.Variable([value]) for value in (1.0, 0.0, 0.1))
    names = ("gradient_accumulator", "gradient_squared_accumulator")
    handles = {name: slot.handle for name, slot in zip(names, slots)}
    rates = {"lr": 1.0, "l1": 0.0, "l2": 0.0, "global_step": np.int64(1)}
    tf.raw_ops.ResourceApplyAdagradDA(var=variable.handle, **handles, grad=[1.0], **rates)
    assert [round(float(x.numpy()[0]), 5) for x in (variable, *slots)] == [-0.95346, 1.0, 1.1]


def test_a_loop_whose_body_nests_its_variables_names_specs():
    with pytest.raises(ValueError) as refused:
        tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, [a]), (0, 1))
    assert (
        'substructure "type=TensorSpec str=TensorSpec(shape=(), dtype=tf.int32, name=None)" is not'
        in str(refused.value)
    )


def test_jacobian_of_a_tape_that_serves_once():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(RuntimeError, match="enabled and with  experimental_use_pfor set to False"):
        tape.jacobian(y, x, experimental_use_pfor=False)


@pytest.mark.parametrize("dtype, field", [(1, "float_val"), (3, "int_val"), (10, "bool_val")])
def test_values_of_a_tensor_proto_without_room_for_them(dtype, field):
    proto = tf1.GraphDef().node.add().attr["value"].tensor
    proto.dtype = dtype
    proto.tensor_shape.dim.add().size = 0
    assert tf.make_ndarray(proto).shape == (0,)
    getattr(proto, field).append(1)
    with pytest.raises(ValueError, match="index can't contain negative values"):
        tf.make_ndarray(proto)


def _optimizers():
    yield lambda: tf1.train.MomentumOptimizer(0.5, 0.9)
    yield lambda: tf1.train.AdagradOptimizer(0.5)
    yield lambda: tf1.train.AdadeltaOptimizer(0.5)
    yield lambda: tf1.train.RMSPropOptimizer(0.5, centered=True)
    yield lambda: tf1.train.FtrlOptimizer(0.5)
    yield lambda: tf1.train.ProximalAdagradOptimizer(0.5)


@pytest.mark.parametrize("optimizer", list(_optimizers()))
@pytest.mark.parametrize("resource", [True, False])
@pytest.mark.parametrize(
    "rows, indices, message",
    [
        ([[1, 1]], [5], "Index 5 at offset 0 in indices is out of range"),
        ([[1, 1]], [-1], "Index -1 at offset 0 in indices is out of range"),
        ([[1, 1], [2, 2]], [0, -1], "Index -1 at offset 1 in indices is out of range"),
        ([[1]], [0], "var and grad must match in dimension 1"),
        ([[1, 1, 1]], [0], "var and grad must match in dimension 1"),
    ],
)
def test_optimizers_refuse_rows_that_a_variable_does_not_have(
    optimizer, resource, rows, indices, message
):
    with tf.Graph().as_default(), tf1.Session() as session:
        variable = tf1.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=resource)
        values, places = tf1.placeholder(tf.float32), tf1.placeholder(tf.int32)
        step = optimizer().apply_gradients(
            [(tf.IndexedSlices(values, places, tf.constant([2, 2])), variable)]
        )
        session.run(tf1.global_variables_initializer())
        before = session.run(tf1.global_variables())
        with pytest.raises(tf.errors.InvalidArgumentError) as refused:
            session.run(step, {values: rows, places: indices})
        assert message in str(refused.value)
        assert all(
            np.array_equal(x, y) for x, y in zip(before, session.run(tf1.global_variables()))
        )


def test_a_row_that_occurs_twice_is_updated_twice():
    variable, accumulator = (tf.Variable([[1.0, 2.0], [3.0, 4.0]]) for _ in range(2))
    update = {"lr": 1.0, "grad": [[1.0, 1.0], [2.0, 2.0]], "indices": [1, 1], "momentum": 0.5}
    tf.raw_ops.ResourceSparseApplyMomentum(var=variable.handle, accum=accumulator.handle, **update)
    assert accumulator.numpy().tolist() == [[1.0, 2.0], [3.25, 3.5]]
    assert variable.numpy().tolist() == [[1.0, 2.0], [-2.75, -2.5]]


def test_updates_of_rows_count_rows_and_indices():
    variable, accumulator = (tf.Variable([[1.0, 2.0], [3.0, 4.0]]) for _ in range(2))
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="grad must be the same size as indices in the first dimension",
    ):
        tf.raw_ops.ResourceSparseApplyAdagrad(
            var=variable.handle, accum=accumulator.handle, lr=1.0, grad=[[1.0, 1.0]], indices=[0, 1]
        )
    assert variable.numpy().tolist() == accumulator.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]
