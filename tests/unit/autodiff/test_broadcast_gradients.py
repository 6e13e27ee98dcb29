"""Gradients of operations that broadcast: they have the shapes of the inputs, eager, in functions and in sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.core.shapes import broadcast
from twinflow._src.dispatch.op import OPS

tf1 = tf.compat.v1
Shape = tuple[int, ...]

PAIRS: tuple[tuple[Shape, ...], ...] = (
    ((1, 3), (3,)),
    ((), (1,)),
    ((), (1, 1)),
    ((1, 1), (1,)),
    ((2, 1, 3), (1, 3)),
    ((1, 2, 1), (2, 3)),
    ((0, 1), (1, 1, 1)),
    ((3,), (3,)),
)

# Functions of two tensors, by the types of the operations that broadcast them.
BINARY: dict[str, Callable[..., Any]] = {
    "Add": lambda x, y: tf.raw_ops.Add(x=x, y=y),
    "AddV2": tf.add,
    "Sub": tf.subtract,
    "Mul": tf.multiply,
    "MulNoNan": tf.math.multiply_no_nan,
    "RealDiv": tf.divide,
    "DivNoNan": tf.math.divide_no_nan,
    "Pow": tf.pow,
    "Maximum": tf.maximum,
    "Minimum": tf.minimum,
    "FloorMod": tf.math.floormod,
    "SquaredDifference": tf.math.squared_difference,
    "Atan2": tf.math.atan2,
    "Complex": lambda x, y: tf.abs(tf.complex(x, y)),
    "NextAfter": tf.math.nextafter,
    "Xlogy": tf.math.xlogy,
    "Xlog1py": tf.math.xlog1py,
    "Xdivy": tf.math.xdivy,
    "Igamma": tf.math.igamma,
    "Igammac": tf.math.igammac,
    "Zeta": lambda x, y: tf.math.zeta(2.0 + x, y),
    "Polygamma": lambda x, y: tf.math.polygamma(tf.floor(x), y),
}
# Others, which broadcast two tensors as well.
OTHERS: dict[str, Callable[..., Any]] = {
    "operators": lambda x, y: (x + y) * (x - y) / y**x,
    "where": lambda x, y: tf.where(x > y, x, y),
    "where of a number": lambda x, y: tf.where(x > y, x, 1.0) * y,
    "where of a condition that broadcasts": lambda x, y: tf.where(tf.ones_like(x) > 0, y, 2.0 * x),
    "clip_by_value": lambda x, y: tf.clip_by_value(x + y, 0.5 * y, y),
    "add_n of broadcast tensors": lambda x, y: tf.add_n(
        [tf.broadcast_to(z, tf.shape(x + y)) for z in (x, y)]
    ),
    "hypot": lambda x, y: tf.sqrt(x * x + y * y),
    "logaddexp": lambda x, y: tf.experimental.numpy.logaddexp(x, y),
    "sigmoid of a product": lambda x, y: tf.sigmoid(x * y),
    "floordiv": lambda x, y: x // y + x * y,
    "batch_normalization": lambda x, y: tf.nn.batch_normalization(x * y, x, y, y, x, 0.1),
    "scan of a sum": lambda x, y: tf.cumsum(tf.reshape(x + y, [-1])),
}
# Functions and the shapes of their arguments.
SHAPED: dict[str, tuple[Callable[..., Any], tuple[Shape, ...]]] = {
    "matmul": (tf.matmul, ((1, 2, 3), (3, 2))),
    "matmul of a batch of 1": (tf.matmul, ((1, 2, 3), (4, 3, 2))),
    "matmul of batches": (tf.matmul, ((2, 1, 2, 3), (1, 3, 2))),
    "matmul of adjoints": (lambda x, y: tf.matmul(x, y, adjoint_a=True), ((1, 3, 2), (3, 2))),
    "matvec": (tf.linalg.matvec, ((2, 3), (1, 3))),
    "tensordot": (lambda x, y: tf.tensordot(x, y, 1), ((1, 3), (3, 1))),
    "bias_add": (tf.nn.bias_add, ((1, 3), (3,))),
    "bias_add of one channel": (tf.nn.bias_add, ((1, 1), (1,))),
    "bias_add of an image": (tf.nn.bias_add, ((1, 2, 2, 1), (1,))),
    "einsum": (lambda x, y: tf.einsum("...i,...i->...", x, y), ((1, 3), (3,))),
    "einsum of batches": (lambda x, y: tf.einsum("...ij,...jk->...ik", x, y), ((1, 2, 3), (3, 2))),
    "einsum of a batch of 1": (
        lambda x, y: tf.einsum("...ij,...jk->...ik", x, y),
        ((1, 2, 3), (4, 3, 2)),
    ),
    "betainc": (tf.math.betainc, ((1,), (1,), (1,))),
    "where of three": (lambda x, y, z: tf.where(z > 1.0, x, y), ((1, 3), (3,), (2, 1, 1))),
    "clip by vectors": (tf.clip_by_value, ((1, 3), (3,), ())),
    "solve": (lambda x, y: tf.linalg.solve(x + 3.0 * tf.eye(2), y), ((1, 2, 2), (1, 2, 1))),
    "triangular_solve": (tf.linalg.triangular_solve, ((1, 2, 2), (2, 1))),
    "triangular_solve of batches": (tf.linalg.triangular_solve, ((2, 2), (1, 2, 1))),
    "banded_triangular_solve": (tf.linalg.banded_triangular_solve, ((1, 2, 3), (3, 1))),
    "softmax_cross_entropy": (
        lambda x, y: tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=y)[0],
        ((1, 3), (1, 3)),
    ),
    "normalize": (lambda x, y: tf.math.l2_normalize(x, -1) * y, ((1, 1), (1,))),
    "dense layer": (lambda x, y, z: tf.nn.relu(x @ y + z), ((1, 3), (3, 2), (2,))),
    "a batch of one of one": (lambda x, y, z: x @ y + z, ((1, 1), (1, 1), (1,))),
    "meshgrid": (lambda x, y: tf.multiply(*tf.meshgrid(x, y)), ((1,), (1,))),
    "map_fn": (lambda x, y: tf.map_fn(lambda row: row * y, x), ((1, 3), (1, 3))),
    "loop": (
        lambda x, y: tf.while_loop(lambda i, _: i < 2, lambda i, z: (i + 1, z * y), (0, x))[1],
        ((1, 1), (1,)),
    ),
    "branch": (lambda x, y: tf.cond(tf.size(x) > 0, lambda: x * y, lambda: x - y), ((1, 1), (1,))),
}
SURROUNDINGS = ("known", "ranks", "nothing", "session", "session without sizes")


def _values(shapes: Sequence[Shape]) -> list[np.ndarray]:
    return [
        (0.6 + i * 0.7 + 0.3 * np.arange(np.prod(shape, dtype=int)))
        .reshape(shape)
        .astype(np.float32)
        for i, shape in enumerate(shapes)
    ]


def _slopes(function: Callable[..., Any], *xs: Any) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = function(*xs)
        loss = tf.reduce_sum(tf.sin(y))
    return tape.gradient(loss, xs, unconnected_gradients="zero")


def _eager(function: Callable[..., Any], values: Sequence[np.ndarray]) -> list[np.ndarray]:
    return [g.numpy() for g in _slopes(function, *map(tf.constant, values))]


def _traced(
    function: Callable[..., Any], values: Sequence[np.ndarray], known: str
) -> list[np.ndarray]:
    shapes = [{"known": x.shape, "ranks": [None] * x.ndim, "nothing": None}[known] for x in values]

    def slopes(*xs: Any) -> list[Any]:
        found = _slopes(function, *xs)
        for x, dx in zip(xs, found):
            x.shape.assert_is_compatible_with(dx.shape)
        return found

    traced = tf.function(
        slopes, input_signature=[tf.TensorSpec(shape, tf.float32) for shape in shapes]
    )
    return [g.numpy() for g in traced(*values)]


def _run(
    function: Callable[..., Any], values: Sequence[np.ndarray], known: bool
) -> list[np.ndarray]:
    with tf.Graph().as_default(), tf1.Session() as session:
        xs = [tf1.placeholder(tf.float32, x.shape if known else [None] * x.ndim) for x in values]
        dxs = tf1.gradients(tf.reduce_sum(tf.sin(function(*xs))), xs, unconnected_gradients="zero")
        return session.run(dxs, dict(zip(xs, values)))


def _check(function: Callable[..., Any], shapes: Sequence[Shape], surrounding: str) -> None:
    values = _values(shapes)
    wanted = _eager(function, values)
    assert [g.shape for g in wanted] == list(shapes)
    if surrounding.startswith("session"):
        found = _run(function, values, surrounding == "session")
    else:
        found = _traced(function, values, surrounding)
    for one, other in zip(found, wanted):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("surrounding", SURROUNDINGS)
@pytest.mark.parametrize("name", [*BINARY, *OTHERS])
def test_two_tensors_that_broadcast(name: str, surrounding: str) -> None:
    function = {**BINARY, **OTHERS}[name]
    for one, other in PAIRS:
        _check(function, (one, other), surrounding)
        _check(function, (other, one), surrounding)


@pytest.mark.parametrize("surrounding", SURROUNDINGS)
@pytest.mark.parametrize("name", SHAPED)
def test_tensors_of_some_shapes(name: str, surrounding: str) -> None:
    _check(*SHAPED[name], surrounding)


def test_all_operations_that_broadcast_are_here() -> None:
    types = {
        type
        for type, op in OPS.items()
        if op.shape is broadcast and op.gradient and not op.no_gradient
    }
    assert types == set(BINARY)


def test_gradients_of_single_examples() -> None:
    w = tf.Variable(tf.ones([5]))

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * w)
        return tape.gradient(y, w)

    assert tf.vectorized_map(gradient, tf.ones([4, 1, 5])).shape == (4, 5)


@pytest.mark.parametrize("pfor", [True, False])
@pytest.mark.parametrize(
    ("one", "other", "shape"),
    [
        ((1, 3), (3,), (1, 3, 3)),
        ((1,), (), (1,)),
        ((), (1,), (1, 1)),
        ((2, 1, 3), (1, 3), (2, 1, 3, 1, 3)),
    ],
)
def test_jacobians_in_functions(one: Shape, other: Shape, shape: Shape, pfor: bool) -> None:
    @tf.function
    def jacobian(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(y)
            z = x * y
        return tape.jacobian(z, y, experimental_use_pfor=pfor)

    assert jacobian(tf.ones(one), tf.ones(other)).shape == shape


def test_batch_jacobian_of_one_example() -> None:
    @tf.function
    def jacobian(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = x * y
        return tape.batch_jacobian(z, x)

    found = jacobian(tf.ones([1, 3]), tf.constant([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(found, [np.diag([1.0, 2.0, 3.0])])


def test_second_gradients_in_functions() -> None:
    @tf.function
    def second(x: Any, y: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch([x, y])
            with tf.GradientTape() as inner:
                inner.watch(y)
                z = tf.reduce_sum(x * y * y)
            slope = tf.reduce_sum(inner.gradient(z, y) ** 2)
        return outer.gradient(slope, [x, y])

    assert [g.shape for g in second(tf.ones([1, 1]), tf.ones([1]))] == [(1, 1), (1,)]


@pytest.mark.parametrize("use_resource", [True, False])
@pytest.mark.parametrize("shape", [[1, 1], [None, 1], None])
def test_a_session_trains_with_one_example(shape: Any, use_resource: bool) -> None:
    with tf.Graph().as_default(), tf1.Session() as session:
        v = tf1.Variable([3.0], use_resource=use_resource)
        x = tf1.placeholder(tf.float32, shape)
        step = tf1.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum((x + v) ** 2))
        session.run(v.initializer)
        session.run(step, {x: [[1.0]]})
        np.testing.assert_array_equal(session.run(v), [-5.0])


def test_a_function_trains_with_one_example() -> None:
    w, b = tf.Variable(tf.ones([3, 2])), tf.Variable([0.0, 0.0])
    optimizer = tf.optimizers.SGD(0.5)

    @tf.function
    def step(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x @ w + b)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))

    step(tf.ones([1, 3]))
    np.testing.assert_array_equal(b, [-0.5, -0.5])
    np.testing.assert_array_equal(w, np.full([3, 2], 0.5))
