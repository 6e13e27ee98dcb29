"""Matrices with few diagonals, and what is computed with triangular factors."""

import numpy as np
import pytest

import twinflow as tf

RNG = np.random.default_rng(3)


def close(a, b, tolerance=1e-10):
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


class TestEigenvalues:
    @pytest.mark.parametrize("size", [2, 3, 9])
    @pytest.mark.parametrize("is_complex", [False, True])
    def test_values_and_vectors(self, size, is_complex):
        alpha, beta = RNG.normal(size=size), RNG.normal(size=size - 1)
        alpha, beta = (alpha + 0j, beta * (1 + 2j)) if is_complex else (alpha, beta)
        matrix = np.diag(alpha) + np.diag(beta, 1) + np.diag(np.conj(beta), -1)
        values, vectors = tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False)
        close(values, np.linalg.eigvalsh(matrix))
        close(matrix @ vectors.numpy(), vectors.numpy() * values.numpy(), 1e-8)
        close(np.conj(vectors.numpy().T) @ vectors.numpy(), np.eye(size), 1e-8)

    def test_vectors_of_equal_values_are_orthogonal(self):
        alpha, beta = np.array([1.0, 1, 1, 4]), np.array([1e-9, 1e-12, 0.5])
        _, vectors = tf.linalg.eigh_tridiagonal(alpha, beta, eigvals_only=False)
        close(vectors.numpy().T @ vectors.numpy(), np.eye(4))

    def test_some_of_them(self):
        alpha, beta = RNG.normal(size=8), RNG.normal(size=7)
        every = np.linalg.eigvalsh(np.diag(alpha) + np.diag(beta, 1) + np.diag(beta, -1))
        close(tf.linalg.eigh_tridiagonal(alpha, beta, select="i", select_range=(2, 4)), every[2:5])
        inside = every[(every > -1) & (every < 1)]
        close(tf.linalg.eigh_tridiagonal(alpha, beta, select="v", select_range=(-1.0, 1.0)), inside)

    def test_in_a_function(self):
        alpha, beta = tf.constant([1.0, 2.0, 3.0]), tf.constant([0.5, 0.5])
        both = lambda a, b: tf.linalg.eigh_tridiagonal(a, b, eigvals_only=False)
        for eager, traced in zip(both(alpha, beta), tf.function(both)(alpha, beta), strict=True):
            close(eager, traced, 1e-6)


class TestSystems:
    WHOLE = np.array([[4.0, 1.0, 0.0], [2.0, 5.0, 1.0], [0.0, 3.0, 6.0]])
    DIAGONALS = np.array([[1.0, 1.0, 0.0], [4.0, 5.0, 6.0], [0.0, 2.0, 3.0]])

    @pytest.mark.parametrize("form", ["compact", "sequence", "matrix"])
    def test_formats(self, form):
        given = {"compact": self.DIAGONALS, "sequence": list(self.DIAGONALS), "matrix": self.WHOLE}[
            form
        ]
        given = tf.nest.map_structure(tf.constant, given)
        rhs = tf.constant(RNG.normal(size=(3, 2)))
        x = tf.linalg.tridiagonal_solve(given, rhs, diagonals_format=form)
        close(x, np.linalg.solve(self.WHOLE, rhs))
        close(tf.linalg.tridiagonal_matmul(given, x, diagonals_format=form), rhs)

    def test_shorter_diagonals(self):
        above, main, below = map(tf.constant, self.DIAGONALS)
        x = tf.linalg.tridiagonal_solve(
            (above[:-1], main, below[1:]), tf.ones(3, "float64"), "sequence"
        )
        close(x, np.linalg.solve(self.WHOLE, np.ones(3)))

    def test_transposed_right_hand_sides(self):
        rhs = RNG.normal(size=(2, 3))
        x = tf.linalg.tridiagonal_solve(
            tf.constant(self.DIAGONALS), tf.constant(rhs), transpose_rhs=True
        )
        close(x, np.linalg.solve(self.WHOLE, rhs.T))


class TestFactors:
    @pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
    def test_all_there_is_to_do_with_them(self, batch):
        matrix, rhs = RNG.normal(size=(*batch, 4, 4)), RNG.normal(size=(*batch, 4, 2))
        factors, order = tf.linalg.lu(matrix)
        close(tf.linalg.lu_reconstruct(factors, order), matrix)
        close(tf.linalg.lu_matrix_inverse(factors, order), np.linalg.inv(matrix), 1e-8)
        close(tf.linalg.lu_solve(factors, order, rhs), np.linalg.solve(matrix, rhs), 1e-8)

    def test_batches_are_broadcast(self):
        matrix, rhs = RNG.normal(size=(2, 3, 3)), RNG.normal(size=(3, 1))
        factors, order = tf.linalg.lu(matrix)
        close(
            tf.linalg.lu_solve(factors, order, rhs),
            np.linalg.solve(matrix, np.stack([rhs, rhs])),
            1e-8,
        )
