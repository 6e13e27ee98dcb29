"""Decompositions of many matrices and of large ones: in parts they give what they give as a whole."""

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.backends.cpu import parallel
from twinflow._src.backends.cpu.matrices import over_batch


def definite(*shape):
    a = np.random.default_rng(len(shape)).normal(size=shape)
    return a @ a.swapaxes(-1, -2) / shape[-1] + np.eye(shape[-1])


@pytest.mark.parametrize(
    "name", ["cholesky", "inv", "det", "slogdet", "qr", "svd", "eigh", "eigvalsh"]
)
@pytest.mark.parametrize("shape", [(300, 9, 9), (5, 7, 40, 40), (1, 60, 60), (60, 60), (300, 300)])
def test_parts_of_a_batch(shape, name, monkeypatch):
    function, a = getattr(np.linalg, name), definite(*shape)
    plain = (lambda x: tuple(function(x))) if name in ("slogdet", "qr", "svd", "eigh") else function
    expected = plain(a)
    for threads in (1, 3):
        monkeypatch.setattr(parallel, "_allowed", threads)
        found = over_batch(np, plain, a)
        both = (
            zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
        )
        for one, other in both:
            assert np.allclose(one, other, rtol=1e-9)


def test_one_bad_matrix_of_many():
    a = definite(400, 12, 12).astype(np.float32)
    a[333] = 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.inv(a)
    a[333] = -np.eye(12)
    lost = np.isnan(tf.linalg.cholesky(a).numpy()[:, 0, 0])
    assert lost.nonzero()[0].tolist() == [333]


@pytest.mark.parametrize("shape", [(10, 10), (33, 33), (3, 100, 100), (200, 200)])
def test_factors_of_large_matrices(shape):
    a = np.random.default_rng(1).normal(size=shape)
    lu, p = tf.linalg.lu(a)
    lower, upper = np.tril(lu, -1) + np.eye(shape[-1]), np.triu(lu)
    assert np.allclose(lower @ upper, np.take_along_axis(a, p.numpy()[..., None], -2))
    assert np.abs(lower).max() <= 1  # the largest element of a column divides the others


@pytest.mark.parametrize("lower", [True, False])
def test_substitution_in_large_matrices(lower):
    a, b = definite(300, 300), np.random.default_rng(2).normal(size=(300, 200))
    x = tf.linalg.triangular_solve(a, b, lower=lower).numpy()
    assert np.allclose((np.tril(a) if lower else np.triu(a)) @ x, b)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("size, columns", [(127, 5), (128, 1), (129, 0), (200, 300), (500, 64)])
def test_elimination_of_one_large_matrix(size, columns, dtype, monkeypatch):
    rng = np.random.default_rng(size)
    a, b = (rng.normal(size=shape).astype(dtype) for shape in ((size, size), (size, columns)))
    if a.dtype.kind == "c":
        a.imag, b.imag = rng.normal(size=a.shape), rng.normal(size=b.shape)
    a += 2 * np.sqrt(size).astype(dtype) * np.eye(size, dtype=dtype)[::-1]  # rows change places
    close = (
        {"rtol": 1e-4, "atol": 1e-5} if dtype in ("f4", "c8") else {"rtol": 1e-11, "atol": 1e-12}
    )
    wide, bits = np.dtype("c16" if a.dtype.kind == "c" else "f8"), set()
    for threads in (1, 3):
        monkeypatch.setattr(parallel, "_allowed", threads)
        for adjoint in (False, True):
            left = a.conj().T if adjoint else a
            x = tf.linalg.solve(a, b, adjoint=adjoint).numpy()
            assert (x.dtype, x.shape, x.flags.c_contiguous) == (b.dtype, b.shape, True)
            assert np.allclose(x, np.linalg.solve(left.astype(wide), b.astype(wide)), **close)
        assert np.allclose(tf.linalg.inv(a), np.linalg.inv(a.astype(wide)), **close)
        bits.add((tf.linalg.inv(a).numpy().tobytes(), x.tobytes()))
    assert len(bits) == 1


@pytest.mark.parametrize("size", [127, 300])
def test_a_large_singular_matrix(size):
    a = np.random.default_rng(1).normal(size=(size, size)).astype(np.float32)
    a[:, 7] = 0
    for function in (tf.linalg.inv, lambda x: tf.linalg.solve(x, x)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
            function(a)


def test_gradient_of_a_large_solution():
    a, b = definite(150, 150), np.random.default_rng(5).normal(size=(150, 2))
    left, right = tf.constant(a), tf.constant(b)
    with tf.GradientTape() as tape:
        tape.watch((left, right))
        total = tf.reduce_sum(tf.linalg.solve(left, right))
    by_left, by_right = tape.gradient(total, (left, right))
    known = np.linalg.solve(a.T, np.ones((150, 2)))
    assert np.allclose(by_right, known) and np.allclose(by_left, -known @ np.linalg.solve(a, b).T)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("size, columns", [(127, 3), (128, 0), (200, 1), (300, 301)])
def test_substitution_in_one_large_matrix(size, columns, dtype, monkeypatch):
    rng = np.random.default_rng(size)
    a = (rng.normal(size=(size, size)) / size + np.eye(size) * (1 + rng.random(size))).astype(dtype)
    b = rng.normal(size=(size, columns)).astype(dtype)
    if a.dtype.kind == "c":
        a.imag = rng.normal(size=a.shape) / size
    for lower in (True, False):
        for adjoint in (False, True):
            triangle = np.tril(a) if lower else np.triu(a)
            triangle = triangle.conj().T if adjoint else triangle
            found = set()
            for threads in (1, 3):
                monkeypatch.setattr(parallel, "_allowed", threads)
                x = tf.linalg.triangular_solve(a, b, lower=lower, adjoint=adjoint).numpy()
                found.add(x.tobytes())
            assert (x.dtype, x.shape, len(found)) == (b.dtype, b.shape, 1)
            assert np.allclose(triangle @ x, b, atol=1e-4 if dtype in ("f4", "c8") else 1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", [128, 333])
def test_factors_of_one_large_matrix(size, dtype):
    a = np.random.default_rng(size).normal(size=(size, size)).astype(dtype)
    lu, order = tf.linalg.lu(a, output_idx_type=tf.int64)
    assert (lu.dtype.as_numpy_dtype, order.dtype) == (
        a.dtype,
        tf.int64,
    ) and lu.numpy().flags.c_contiguous
    lower, upper = np.tril(lu, -1) + np.eye(size), np.triu(lu)
    assert np.allclose(lower @ upper, a[order.numpy()], atol=1e-3 if dtype == "f4" else 1e-11)
    assert sorted(order.numpy()) == list(range(size)) and np.abs(np.tril(lu, -1)).max() <= 1
    a[:, 5] = 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.lu(a)
