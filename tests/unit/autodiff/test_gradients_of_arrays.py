"""Gradients through TensorArrays, joined rows and what has no elements, in all modes."""

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1
A = np.array([1.0, 2.0, 3.0], np.float32)
M = np.arange(1.0, 7.0, dtype=np.float32).reshape(3, 2)


def array(size=3, **options):
    return tf.TensorArray(tf.float32, size=size, **options)


def weighted(x):
    return tf.reduce_sum(x * tf.range(1.0, tf.cast(tf.size(x), tf.float32) + 1.0))


def unstacked(x):
    grown = array(tf.shape(x)[0], dynamic_size=True).unstack(x)
    return weighted(grown.write(3, x[0] * 10.0).stack())


def far(x):
    return tf.reduce_sum(array(0, dynamic_size=True).unstack(x).write(5, 7.0 * x[1]).stack() ** 2)


def scattered(x):
    return weighted(array(dynamic_size=True).scatter([2, 0, 1], x).write(3, x[0] * 10.0).stack())


def split(x):
    grown = array(2, dynamic_size=True, infer_shape=False).split(x, [1, 2])
    return weighted(grown.write(2, x[:1] * 10.0).concat())


def by_one(x):
    return weighted(
        array(1, dynamic_size=True).unstack(x[:1]).write(1, x[1]).write(2, x[2]).stack()
    )


def in_a_loop(x):
    grown = array(dynamic_size=True).unstack(x)
    body = lambda i, a: (i + 1, a.write(i, x[i - 3] * 2.0))
    return weighted(tf.while_loop(lambda i, a: i < 6, body, (3, grown))[1].stack())


def in_two_loops(x):
    written = array(clear_after_read=False)
    body = lambda i, a: (i + 1, a.write(i, x[i] * 2.0))
    _, written = tf.while_loop(lambda i, a: i < 3, body, (0, written))
    read = lambda i, s: (i + 1, s + written.read(i) ** 2)
    total = tf.while_loop(lambda i, s: i < 3, read, (0, tf.constant(0.0)))[1]
    return total + tf.reduce_sum(written.stack())


def unpacked_in_a_loop(x):
    rows = array(0, dynamic_size=True).unstack(x)
    read = lambda i, s: (i + 1, s + rows.read(i) ** 2)
    return tf.while_loop(lambda i, s: i < tf.shape(x)[0], read, (0, tf.constant(0.0)))[1]


def parts(x):
    halves = array(0, dynamic_size=True, infer_shape=False).split(x, [1, 2])
    return tf.reduce_sum(halves.read(0) ** 2) + tf.reduce_sum(halves.read(1) ** 3)


def closed(x):
    rows = array().unstack(x)
    stacked = rows.stack()
    rows.close()
    return stacked * stacked


ARRAYS = [
    (unstacked, [41.0, 2.0, 3.0]),
    (far, [2.0, 200.0, 6.0]),
    (scattered, [43.0, 1.0, 2.0]),
    (split, [41.0, 2.0, 3.0]),
    (by_one, [1.0, 2.0, 3.0]),
    (in_a_loop, [9.0, 12.0, 15.0]),
    (in_two_loops, [10.0, 18.0, 26.0]),
    (unpacked_in_a_loop, [2.0, 4.0, 6.0]),
    (parts, [2.0, 12.0, 27.0]),
    (closed, [2.0, 4.0, 6.0]),
]


def gradients(f, *inputs):
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = f(*inputs)
    return [tf.convert_to_tensor(g) for g in tape.gradient(y, inputs)]


def everywhere(f, *arrays):
    """The gradients of a function, by modes."""
    inputs = [tf.constant(x) for x in arrays]
    open_sizes = [tf.TensorSpec([None] * x.ndim, tf.float32) for x in arrays]
    traced = tf.function(lambda *xs: gradients(f, *xs), autograph=False)
    return {
        "eager": lambda: gradients(f, *inputs),
        "under a tape": lambda: gradients(tf.function(f, autograph=False), *inputs),
        "traced": lambda: traced(*inputs),
        "of open sizes": lambda: traced.get_concrete_function(*open_sizes)(*inputs),
        "session": lambda: in_a_session(f, arrays),
    }


def in_a_session(f, arrays):
    with tf.Graph().as_default(), v1.Session() as session:
        inputs = [v1.placeholder(tf.float32, [None] * x.ndim) for x in arrays]
        return session.run(
            list(map(tf.convert_to_tensor, tf.gradients(f(*inputs), inputs))),
            dict(zip(inputs, arrays)),
        )


@pytest.mark.parametrize(("f", "expected"), ARRAYS, ids=[f.__name__ for f, _ in ARRAYS])
def test_gradients_through_arrays_have_the_shapes_of_what_went_in(f, expected):
    for mode, compute in everywhere(f, A).items():
        np.testing.assert_allclose(compute()[0], expected, err_msg=mode)


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
def test_joined_rows(axis):
    f = lambda x, y: tf.gather(tf.concat([x, y * 2.0], axis), [2, 0, 0])
    along_rows = axis in (0, -2)
    expected = [[2.0, 2.0], [0.0, 0.0], [1.0, 1.0]]
    for mode, compute in everywhere(f, M, M).items():
        by_x, by_y = compute()
        np.testing.assert_allclose(by_x, expected, err_msg=mode)
        np.testing.assert_allclose(
            by_y, np.multiply(0.0 if along_rows else 2.0, expected), err_msg=mode
        )


def test_joined_rows_of_unknown_rank_are_counted_from_the_start():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, None)
        assert isinstance(
            tf.gradients(tf.gather(tf.concat([x, x], 0), [1]), x)[0], tf.IndexedSlices
        )
        with pytest.raises(
            ValueError, match="negative concat_dim when first value rank is statically-known"
        ):
            tf.gradients(tf.gather(tf.concat([x, x], -1), [1]), x)


# ------------------------------------------------------------------ no elements


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("reduce", [tf.reduce_max, tf.reduce_min, tf.reduce_prod, tf.reduce_mean])
@pytest.mark.parametrize(
    ("shape", "axis"), [((0,), None), ((0, 3), 0), ((0, 3), 1), ((3, 0, 2), [0, 1])]
)
def test_reductions_of_nothing(reduce, shape, axis, traced):
    f = lambda x: gradients(lambda x: reduce(x, axis), x)[0]
    found = (tf.function(f, autograph=False) if traced else f)(tf.zeros(shape))
    assert found.shape == shape


def batches(f, traced, spec=None):
    def computed(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.batch_jacobian(y, x)

    signature = None if spec is None else [tf.TensorSpec(spec, tf.float32)]
    return tf.function(computed, autograph=False, input_signature=signature) if traced else computed


@pytest.mark.parametrize(("traced", "spec"), [(False, None), (True, None), (True, [None, None])])
@pytest.mark.parametrize(
    ("f", "shape", "expected"),
    [
        (lambda x: x * x, (2, 0), (2, 0, 0)),
        (lambda x: (x * x)[:, :0], (2, 3), (2, 0, 3)),
        (lambda x: tf.reduce_sum(x, -1, keepdims=True), (2, 0), (2, 1, 0)),
        (tf.ones_like, (2, 0), (2, 0, 0)),
        (tf.ones_like, (2, 3), (2, 3, 3)),
        (lambda x: x * x, (1, 1), (1, 1, 1)),
    ],
)
def test_jacobians_of_batches_without_columns(f, shape, expected, traced, spec):
    assert batches(f, traced, spec)(tf.ones(shape)).shape == expected


def test_jacobians_of_batches_keep_the_type_of_what_does_not_depend():
    found = batches(lambda x: tf.cast(x, tf.int32), True, [None, None])(tf.ones([2, 3]))
    assert found.dtype == tf.int32 and not found.numpy().any()


@pytest.mark.parametrize(("shape", "error"), [((), IndexError), ((2,), ValueError)])
def test_batches_have_two_dimensions(shape, error):
    with pytest.raises(error):
        batches(lambda x: x * x, False)(tf.ones(shape))
    with pytest.raises(ValueError, match="Need first dimension of target shape"):
        batches(lambda x: x * x, True, tf.TensorShape(None))(tf.ones([2, 3]))


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 2)])
def test_jacobians_of_nothing(shape, traced):
    def computed(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y, apart = x * x, tf.ones_like(x)
        whole = tape.jacobian(y, x)
        assert tape.jacobian(apart, x) is None
        return whole, tape.jacobian(apart, x, unconnected_gradients="zero")

    for found in (tf.function(computed, autograph=False) if traced else computed)(tf.ones(shape)):
        assert found.shape == shape * 2
