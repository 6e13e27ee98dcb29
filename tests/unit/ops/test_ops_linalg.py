"""Linear algebra: what is made of several ops, and what the ops say about bad input."""

import math

import numpy as np
import pytest

import twinflow as tf

MATRIX = np.array([[4.0, 2.0, 0.5], [2.0, 3.0, 1.0], [0.5, 1.0, 5.0]])


def close(result, expected, tolerance=1e-10):
    np.testing.assert_allclose(np.asarray(result), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("order", ["euclidean", 1, 2, np.inf, 3, 0.5])
def test_vector_norms(order):
    values = np.array([[3.0, -4.0], [1.0, 2.0]])
    close(
        tf.norm(values, order, axis=1),
        np.linalg.norm(values, None if order == "euclidean" else order, axis=1),
    )


@pytest.mark.parametrize("order", ["fro", 1, 2, np.inf])
def test_matrix_norms(order):
    close(tf.linalg.norm(MATRIX, order, axis=[0, 1]), np.linalg.norm(MATRIX, order))
    kept = tf.linalg.norm(MATRIX, order, axis=(-2, -1), keepdims=True)
    assert kept.shape.as_list() == [1, 1]


@pytest.mark.parametrize(
    ("order", "axis"), [("fro", None), (-1, 0), ("x", 0), (3, [0, 1]), (2, [0, 0]), (2, [0, 1, 2])]
)
def test_norms_that_do_not_exist(order, axis):
    with pytest.raises(ValueError, match=r"'ord'|'axis'"):
        tf.norm(MATRIX, order, axis=axis)


def test_tensordot_is_numpys():
    a, b = np.arange(24.0).reshape(2, 3, 4), np.arange(60.0).reshape(4, 3, 5)
    close(tf.tensordot(a, b, [[1, 2], [1, 0]]), np.tensordot(a, b, [[1, 2], [1, 0]]))
    close(tf.tensordot(a, b, [2, 0]), np.tensordot(a, b, [2, 0]))
    close(tf.tensordot(a[0, 0], b[:, 0, 0], 1), a[0, 0] @ b[:, 0, 0])
    close(tf.tensordot([1.0, 2.0], [3.0], 0), [[3], [6]])


@pytest.mark.parametrize("axes", [-1, [[0]], [[0], [1, 2]]])
def test_tensordot_checks_axes(axes):
    with pytest.raises(ValueError, match="axes"):
        tf.tensordot(np.ones([2, 2]), np.ones([2, 2]), axes)


@pytest.mark.parametrize(
    ("equation", "count", "message"),
    [
        ("ij,jk->il", 2, "label l not present"),
        ("ij->ii", 1, "more than once"),
        ("i1->i", 1, "incorrect format"),
        ("ij,jk->ik", 1, "Got 1 inputs"),
        ("ij,jk,k->i", 3, "must be equal to the number of dimensions"),
    ],
)
def test_equations_that_make_no_sense(equation, count, message):
    with pytest.raises(ValueError, match=message):
        tf.einsum(equation, *[np.ones([2, 2])] * count)


def test_einsum_takes_many():
    a, b, c = np.ones([2, 3]), np.ones([3, 4]), np.ones([4, 5])
    close(tf.einsum("ij,jk,kl", a, b, c), a @ b @ c)
    close(tf.einsum("...ij,...jk->...ik", np.ones([2, 2, 3]), b), np.ones([2, 2, 3]) @ b)
    close(tf.einsum("ii", MATRIX), np.trace(MATRIX))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected dimension 3 at axis 0"):
        tf.einsum("ij,jk->ik", a, np.ones([1, 2]))
    with pytest.raises(TypeError, match="Invalid keyword arguments"):
        tf.einsum("ij->ji", a, order=1)


def test_functions_of_matrices():
    close(tf.linalg.matmul(tf.linalg.sqrtm(MATRIX), tf.linalg.sqrtm(MATRIX)), MATRIX)
    close(tf.linalg.logm(tf.cast(tf.linalg.expm(MATRIX / 4), tf.complex128)), MATRIX / 4)
    close(tf.linalg.expm(np.diag([0.01, 0.1, 5.0])), np.diag(np.exp([0.01, 0.1, 5.0])))
    close(tf.linalg.expm([[0.0, 100.0], [0.0, 0.0]]), [[1, 100], [0, 1]], 1e-5)
    assert np.isnan(tf.linalg.expm([[np.nan, 0.0], [0.0, 1.0]])).all()
    assert np.isnan(tf.linalg.sqrtm([[-1.0, 0.0], [0.0, 1.0]])).all()
    with pytest.raises(ValueError, match="does not support"):
        tf.linalg.expm([[1]])


def test_systems():
    rhs = np.array([[1.0], [2.0], [3.0]])
    expected = np.linalg.solve(MATRIX, rhs)
    close(tf.linalg.cholesky_solve(tf.linalg.cholesky(MATRIX), rhs), expected)
    close(tf.linalg.logdet(MATRIX), np.linalg.slogdet(MATRIX)[1])
    tall = MATRIX[:, :2]
    best = np.linalg.lstsq(tall, rhs, rcond=None)[0]
    close(tf.linalg.lstsq(tall, rhs), best)
    close(tf.linalg.lstsq(tall, rhs, fast=False), best)
    close(tf.linalg.lstsq(tall.T, rhs[:2]), np.linalg.lstsq(tall.T, rhs[:2], rcond=None)[0])
    ridge = np.linalg.solve(tall.T @ tall + 0.5 * np.eye(2), tall.T @ rhs)
    close(tf.linalg.lstsq(tall, rhs, l2_regularizer=0.5), ridge)
    close(tf.linalg.pinv(tall), np.linalg.pinv(tall))
    close(tf.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]]), 1)


@pytest.mark.parametrize("size", [7, 8, 33, 150, 1100])
def test_triangular_systems(size):
    lower = np.tril(np.random.default_rng(0).normal(size=(size, size))) / size + np.eye(size)
    rhs = np.arange(size, dtype=float)[:, None]
    close(lower @ np.asarray(tf.linalg.triangular_solve(lower, rhs)), rhs)
    close(lower.T @ np.asarray(tf.linalg.triangular_solve(lower, rhs, adjoint=True)), rhs)
    close(lower.T @ np.asarray(tf.linalg.triangular_solve(lower.T, rhs, lower=False)), rhs)
    other = np.triu(np.full((size, size), np.nan), 1)  # is not read
    close(lower @ np.asarray(tf.linalg.triangular_solve(lower + other, rhs)), rhs)


def test_lu_gives_the_matrix_back():
    found = tf.linalg.lu(MATRIX[[2, 0, 1]])
    lu = np.asarray(found.lu)
    product = (np.tril(lu, -1) + np.eye(3)) @ np.triu(lu)
    close(product, MATRIX[[2, 0, 1]][np.asarray(found.p)])


@pytest.mark.parametrize(
    ("function", "value", "message"),
    [
        (tf.linalg.det, [1.0], "must have rank >= 2, got 1"),
        (tf.linalg.inv, [[1.0, 2.0]], "must be square"),
        (tf.linalg.inv, [[1.0, 2.0], [2.0, 4.0]], "not invertible"),
        (tf.linalg.cholesky, [[1.0, 2.0]], "must be square"),
        (tf.linalg.eigh, [[np.nan, 1.0], [1.0, 1.0]], "not successful"),
        (tf.linalg.trace, [1.0], "at least 2-dim"),
        (tf.linalg.lu, [[0.0]], "not invertible"),
    ],
)
def test_errors(function, value, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        function(value)


def test_cholesky_marks_the_matrices_that_have_none():
    found = np.asarray(tf.linalg.cholesky([[[4.0, 2.0], [2.0, 3.0]], [[1.0, 2.0], [2.0, 1.0]]]))
    close(found[0], [[2, 0], [1, 2**0.5]], 1e-6)
    assert np.isnan(found[1][np.tril_indices(2)]).all()


def test_svd_of_what_is_not_a_number():
    assert np.isnan(tf.linalg.svd([[[1.0, np.nan], [3.0, 4.0]]], compute_uv=False)).all()


def test_diagonals_of_several():
    x = tf.constant([[1, 2, 3], [3, 4, 5]])
    np.testing.assert_array_equal(tf.linalg.diag_part(x, k=(-1, 1)), [[2, 5], [1, 4], [3, 0]])
    parts = tf.linalg.diag_part(x, k=(-1, 1), align="LEFT_LEFT")
    back = tf.linalg.diag(parts, k=(-1, 1), num_rows=2, num_cols=3, align="LEFT_LEFT")
    np.testing.assert_array_equal(back, [[1, 2, 0], [3, 4, 5]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bound"):
        tf.linalg.diag_part(x, k=5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not consistent"):
        tf.linalg.diag([1, 2], num_rows=3, num_cols=4)


@pytest.mark.parametrize(
    "flips", [(), ("transpose_a",), ("transpose_b",), ("transpose_a", "transpose_b")]
)
def test_gradient_of_products_with_zeros(flips):
    """The op for matrices with many zeros has the gradients of the one for others."""
    flips = dict.fromkeys(flips, True)
    a = tf.constant(
        [[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]]
        if "transpose_a" not in flips
        else [[1.0, 0.5], [-2.0, 4.0], [3.0, -1.0]]
    )
    b = tf.constant(
        [[2.0, 1.0], [-1.0, 0.0], [3.0, 5.0]]
        if "transpose_b" not in flips
        else [[2.0, -1.0, 3.0], [1.0, 0.0, 5.0]]
    )
    found = []
    for sparse in (False, True):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = tf.matmul(a, b, a_is_sparse=sparse, **flips) ** 2
        found.append(tape.gradient(y, [a, b]))
    for plain, other in zip(*found):
        np.testing.assert_array_equal(plain, other)


@pytest.mark.parametrize(
    "matrix",
    [
        [[math.nan, 0], [0, 1]],
        [[1, math.inf], [1, math.inf]],
        [[1, 2], [math.nan, 3]],
        [[-0.0, -2.5], [-1.75, -math.inf]],
    ],
)
def test_determinants_of_nan_have_no_sign(matrix):
    for dtype in (tf.float32, tf.complex64):
        sign, logarithm = tf.linalg.slogdet(tf.constant(matrix, dtype))
        assert np.isnan(sign) and np.isnan(logarithm)
    sign, logarithm = tf.linalg.slogdet([[-math.inf, 1.0], [2.0, 3.0]])
    assert (float(sign), float(logarithm)) == (-1, math.inf)
