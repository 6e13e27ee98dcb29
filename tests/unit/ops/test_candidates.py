"""Candidates for true classes, the losses that compare with them, and labels of sequences."""

import numpy as np
import pytest

import twinflow as tf

TRUE = tf.constant([[0], [1]], tf.int64)


def sampled(name, *more, **options):
    return getattr(tf.random, f"{name}_candidate_sampler")(TRUE, 1, *more, **options)


class TestSamplers:
    @pytest.mark.parametrize("name", ["uniform", "log_uniform", "learned_unigram"])
    def test_the_same_seeds_give_the_same(self, name):
        first, second = [], []
        for found in (first, second):
            tf.random.set_seed(3)
            found += [
                sampled(name, 4, True, 9, seed=1).sampled_candidates.numpy().tolist()
                for _ in range(3)
            ]
        assert first == second
        assert len({tuple(row) for row in first}) > 1

    def test_a_sampler_learns_what_was_true(self):
        tf.random.set_seed(1)
        for _ in range(40):
            found = sampled("learned_unigram", 20, False, 50, seed=2)
        assert found.true_expected_count.numpy().min() > 3
        assert np.isin(found.sampled_candidates, [0, 1]).mean() > 0.2

    def test_without_a_seed_nothing_is_learned(self):
        for _ in range(3):
            found = sampled("learned_unigram", 5, False, 5)
        np.testing.assert_allclose(found.true_expected_count, [[1], [1]], rtol=1e-6)

    def test_weights_from_a_file(self, tmp_path):
        path = tmp_path / "words.csv"
        path.write_text("a,0\nb,5\nc,0\n")
        found = sampled("fixed_unigram", 4, False, 3, vocab_file=str(path))
        assert found.sampled_candidates.numpy().tolist() == [1, 1, 1, 1]

    def test_in_a_function(self):
        function = tf.function(
            lambda true: tuple(tf.random.uniform_candidate_sampler(true, 1, 5, True, 5, seed=4))
        )
        candidates, *_ = function(TRUE)
        assert sorted(candidates.numpy().tolist()) == [0, 1, 2, 3, 4]


class TestLosses:
    WEIGHTS = tf.reshape(tf.range(10.0), [5, 2]) / 10
    INPUTS = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    @pytest.mark.parametrize("name", ["nce_loss", "sampled_softmax_loss"])
    def test_all_classes_drawn(self, name):
        """With all classes as candidates, each expected once, the sampled loss is that of all."""
        values = tf.random.all_candidate_sampler(TRUE, 1, 5, True)
        arguments = self.WEIGHTS, tf.zeros(5), TRUE, self.INPUTS, 5, 5
        loss = getattr(tf.nn, name)(*arguments, sampled_values=values, remove_accidental_hits=True)
        logits = self.INPUTS @ tf.transpose(self.WEIGHTS)
        labels = tf.one_hot(TRUE[:, 0], 5)
        if name == "nce_loss":
            expected = tf.reduce_sum(
                tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), 1
            )
        else:
            expected = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        np.testing.assert_allclose(loss, expected, rtol=1e-5)

    def test_only_rows_of_the_candidates_have_a_gradient(self):
        values = tf.constant([3, 4], tf.int64), tf.ones([2, 1]), tf.ones(2)
        with tf.GradientTape() as tape:
            tape.watch(self.WEIGHTS)
            loss = tf.nn.nce_loss(
                self.WEIGHTS, tf.zeros(5), TRUE, self.INPUTS, 2, 5, sampled_values=values
            )
        dense = tf.convert_to_tensor(tape.gradient(loss, self.WEIGHTS)).numpy()
        assert dense[2].tolist() == [0, 0]
        assert np.all(dense[[0, 1, 3, 4]] != 0)


def test_approximate_and_exact_largest_have_one_gradient():
    x = tf.constant([[3.0, 1.0, 2.0, 5.0], [1.0, 2.0, 4.0, 0.0]])
    found = []
    for function in (tf.math.approx_max_k, tf.math.top_k):
        with tf.GradientTape() as tape:
            tape.watch(x)
            values, _ = function(x, 2)
            y = tf.reduce_sum(values * [[1.0, 2.0], [3.0, 4.0]])
        found.append(tape.gradient(y, x).numpy().tolist())
    assert found[0] == found[1] == [[2, 0, 0, 1], [0, 4, 3, 0]]


def test_the_smallest_have_a_gradient():
    x = tf.constant([3.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.approx_min_k(x, 1).values
    assert tape.gradient(y, x).numpy().tolist() == [0, 1, 0]


class TestSizesThatAreUnknown:
    def test_of_rows_that_descend(self):
        function = tf.function(
            lambda x: tf.nn.isotonic_regression(x)[0], input_signature=[tf.TensorSpec([None, None])]
        )
        assert function(tf.constant([[1.0, 3.0, 2.0]])).numpy().tolist() == [[2, 2, 2]]

    def test_of_decoded_labels(self):
        function = tf.function(
            lambda x, n: tf.sparse.to_dense(tf.nn.ctc_greedy_decoder(x, n)[0][0]),
            input_signature=[tf.TensorSpec([None, None, 3]), tf.TensorSpec([None], tf.int32)],
        )
        logits = tf.one_hot([[1], [1], [2], [0]], 3)
        assert function(logits, [4]).numpy().tolist() == [[1, 0]]

    def test_of_distances(self):
        function = tf.function(
            tf.edit_distance, input_signature=[tf.SparseTensorSpec([None, None], tf.int64)] * 2
        )
        one = tf.sparse.from_dense(tf.constant([[1, 2, 3], [4, 5, 0]], tf.int64))
        other = tf.sparse.from_dense(tf.constant([[1, 3, 0], [4, 5, 0]], tf.int64))
        assert function(one, other).numpy().tolist() == [0.5, 0]
