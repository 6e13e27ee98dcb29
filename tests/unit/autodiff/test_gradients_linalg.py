"""Gradients of linear algebra: against differences of values, and of second order."""

import numpy as np
import pytest

import twinflow as tf
from tests.unit.autodiff.test_gradients_nn import by_differences

RNG = np.random.default_rng(11)
X = RNG.normal(size=(2, 3, 3)) + 3 * np.eye(3)
W = tf.constant(RNG.normal(size=(2, 3, 3)))
U = tf.constant(RNG.normal(size=(2, 3, 2)))
B = tf.constant(RNG.normal(size=(2, 3, 2)))
LONG = tf.constant(RNG.normal(size=(2, 3)))


def weighted(function, weights=W):
    return lambda x: tf.reduce_sum(weights * function(x))


def positive(x):
    return tf.matmul(x, x, transpose_b=True) + 0.1 * tf.eye(3, dtype="float64")


FUNCTIONS = {
    "inv": weighted(tf.linalg.inv),
    "inv of the adjoint": weighted(lambda x: tf.linalg.inv(x, adjoint=True)),
    "det": lambda x: tf.reduce_sum(tf.linalg.det(x) * [1.0, -0.7]),
    "slogdet": lambda x: tf.reduce_sum(tf.linalg.slogdet(x)[1] * [1.0, -0.7]),
    "logdet": lambda x: tf.reduce_sum(tf.linalg.logdet(positive(x)) * [1.0, -0.7]),
    "solve, by the matrix": weighted(lambda x: tf.linalg.solve(x, B), U),
    "solve, by the right-hand side": weighted(
        lambda x: tf.linalg.solve(W + 4 * tf.eye(3, dtype="float64"), x)
    ),
    "solve with the adjoint": weighted(lambda x: tf.linalg.solve(x, B, adjoint=True), U),
    "triangular_solve": weighted(lambda x: tf.linalg.triangular_solve(x, B), U),
    "triangular_solve, upper": weighted(lambda x: tf.linalg.triangular_solve(x, B, lower=False), U),
    "triangular_solve, adjoint": weighted(
        lambda x: tf.linalg.triangular_solve(x, B, adjoint=True), U
    ),
    "triangular_solve, broadcast": weighted(lambda x: tf.linalg.triangular_solve(x[0], B) ** 2, U),
    "cholesky": weighted(lambda x: tf.linalg.cholesky(positive(x))),
    "eigh, values": lambda x: tf.reduce_sum(tf.linalg.eigh(positive(x))[0] * LONG),
    "eigh, values alone": lambda x: tf.reduce_sum(tf.linalg.eigvalsh(positive(x)) * LONG),
    "eigh, vectors": lambda x: tf.reduce_sum(tf.linalg.eigh(positive(x))[1] ** 2 * W),
    "eigh, from the lower triangle": lambda x: tf.reduce_sum(tf.linalg.eigh(x)[0] * LONG),
    "qr": lambda x: tf.reduce_sum(tf.linalg.qr(x)[0] * W) + tf.reduce_sum(tf.linalg.qr(x)[1] * W),
    "qr of tall matrices": lambda x: (
        tf.reduce_sum(tf.linalg.qr(x[..., :2])[0] * U)
        + tf.reduce_sum(tf.linalg.qr(x[..., :2])[1] ** 3)
    ),
    "qr of wide matrices": lambda x: (
        tf.reduce_sum(tf.linalg.qr(x[:, :2])[0] * W[:, :2, :2])
        + tf.reduce_sum(tf.linalg.qr(x[:, :2])[1] * W[:, :2])
    ),
    "diag": weighted(lambda x: tf.linalg.diag(x[:, 1]) ** 2),
    "diag, beside the main one": lambda x: tf.reduce_sum(tf.linalg.diag(x[:, 1] ** 2, k=1) ** 2),
    "diag_part": weighted(lambda x: tf.linalg.diag_part(x) ** 2, LONG),
    "diag_part, a band": lambda x: tf.reduce_sum(tf.linalg.diag_part(x, k=(-1, 1)) ** 3),
    "set_diag, by the matrix": weighted(lambda x: tf.linalg.set_diag(x, LONG) ** 2),
    "set_diag, by the diagonal": weighted(lambda x: tf.linalg.set_diag(W, x[:, 0]) ** 2),
    "band_part": weighted(lambda x: tf.linalg.band_part(x, 1, 0) ** 2),
    "tensor_diag": lambda x: tf.reduce_sum(tf.linalg.tensor_diag(x[0]) ** 3),
    "tensor_diag_part": lambda x: tf.reduce_sum(tf.linalg.tensor_diag_part(x[0]) ** 3),
    "cross": weighted(lambda x: tf.linalg.cross(x, W) * tf.linalg.cross(W, x)),
    "trace": lambda x: tf.reduce_sum(tf.linalg.trace(x) ** 3),
    "check_numerics": lambda x: tf.reduce_sum(tf.debugging.check_numerics(x, "x") ** 3),
}


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x, unconnected_gradients="zero")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_first_order(name):
    found = gradient(FUNCTIONS[name], tf.constant(X)).numpy()
    np.testing.assert_allclose(found, by_differences(FUNCTIONS[name], X), rtol=1e-5, atol=1e-7)
    assert np.abs(found).max() > 1e-3


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_order(name):
    direction = RNG.normal(size=X.shape)

    def slope(x):
        return tf.reduce_sum(gradient(FUNCTIONS[name], x) * direction)

    found = gradient(slope, tf.constant(X))
    np.testing.assert_allclose(found.numpy(), by_differences(slope, X), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij,jk,kl->il", [(2, 3), (3, 4), (4, 2)]),
        ("ij->", [(2, 3)]),
        ("ii->", [(3, 3)]),
        ("ii->i", [(3, 3)]),
        ("iij,j->i", [(3, 3, 2), (2,)]),
        ("ij,ik->k", [(2, 3), (2, 4)]),
        ("i,j->ji", [(2,), (3,)]),
        ("...ij,...jk->...ik", [(2, 1, 2, 3), (4, 3, 2)]),
        ("i...,i->...", [(3, 2, 4), (3,)]),
        ("i...j,...k->k...i", [(3, 4, 2), (5, 4, 2)]),
        ("b...i,i->b...", [(2, 3), (3,)]),
    ],
)
def test_einsum(equation, shapes):
    values = [RNG.normal(size=shape) for shape in shapes]
    for i, value in enumerate(values):

        def function(x, i=i):
            operands = [x if j == i else y for j, y in enumerate(values)]
            return tf.reduce_sum(tf.einsum(equation, *operands) ** 3)

        found = gradient(function, tf.constant(value))
        np.testing.assert_allclose(
            found.numpy(), by_differences(function, value), rtol=1e-5, atol=1e-6
        )


def test_einsum_of_complex_numbers():
    a, b = (tf.complex(*RNG.normal(size=(2, 2, 3))) for _ in range(2))
    found = gradient(lambda x: tf.math.real(tf.einsum("ij,ij->", x, b)), a)
    np.testing.assert_allclose(found.numpy(), np.conj(b.numpy()))


def test_complex_determinant():
    """TensorFlow does not conjugate the determinant here; for real matrices it makes no difference."""
    x = tf.complex(*RNG.normal(size=(2, 3, 3)))
    found = gradient(lambda x: tf.math.real(tf.linalg.det(x)), x).numpy()
    np.testing.assert_allclose(found, np.linalg.det(x) * np.linalg.inv(x).conj().T)


@pytest.mark.parametrize(
    "matrix", [[[1.0, 2.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]], [[np.nan, 2.0], [2.0, 1.0]]]
)
def test_cholesky_of_what_is_not_positive_definite_has_no_slopes(matrix):
    x = tf.constant(matrix)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.cholesky(x)
    assert np.isnan(tape.gradient(y, x)).all()
