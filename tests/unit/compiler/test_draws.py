"""Chains of random numbers have the same bits op by op, as native code and eagerly."""

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.compiler.native import draws


def walk(seed, n):
    x, u, k = tf.zeros([10]), tf.zeros([], tf.float64), tf.constant(0)
    full = tf.zeros([3], tf.int64)
    for _ in tf.range(n):
        seed, a, b = tf.unstack(tf.random.experimental.stateless_split(seed, 3))
        x += tf.random.stateless_normal([10], a) * tf.random.stateless_uniform([], b)
        u += tf.reduce_sum(tf.random.stateless_uniform([2], b, dtype=tf.float64))
        k += tf.random.stateless_uniform([], b, 0, 10, tf.int32)
        full += tf.random.stateless_uniform([3], a, None, None, tf.int64)
    return seed, x, u, k, full


def bits(function):
    calls = [function(tf.constant([i, 7]), tf.constant(20)) for i in range(3)]
    return [x.numpy().tobytes() for results in calls for x in results]


def test_bits_do_not_change_when_a_chain_is_compiled(monkeypatch):
    pytest.importorskip("llvmlite")
    chains, cluster_of = [], draws.cluster_of
    monkeypatch.setattr(draws, "cluster_of", lambda *x: chains.append(cluster_of(*x)) or chains[-1])
    plain = bits(tf.function(walk))
    assert not chains
    monkeypatch.setattr(draws, "_RUNS", 25)
    compiled = bits(tf.function(walk))
    assert [chain.is_native for chain in chains] == [True]
    assert plain == compiled == bits(walk)


def test_chains_without_a_compiler(monkeypatch):
    monkeypatch.setattr(draws, "_RUNS", 25)
    monkeypatch.setattr(draws, "cluster_of", lambda *x: None)
    assert bits(tf.function(walk)) == bits(walk)


def test_seeds_that_come_later_are_another_chain():
    @tf.function
    def run(seed):
        first = tf.random.stateless_uniform([4], seed, None, None, tf.int32)
        late = tf.cast(tf.reduce_sum(tf.abs(first)), tf.int32)
        second = tf.random.stateless_uniform([4], tf.stack([late, 1]), None, None, tf.int32)
        return first, second, tf.random.stateless_normal([2], seed)

    seed = tf.constant([3, 4])
    first = tf.random.stateless_uniform([4], seed, None, None, tf.int32)
    late = tf.stack([tf.reduce_sum(tf.abs(first)), 1])
    expected = (
        first,
        tf.random.stateless_uniform([4], late, None, None, tf.int32),
        tf.random.stateless_normal([2], seed),
    )
    assert all(np.array_equal(a, b) for a, b in zip(run(seed), expected))


def test_errors_name_the_operation():
    @tf.function(input_signature=[tf.TensorSpec(None, tf.int32)])
    def run(seed):
        return tf.random.stateless_uniform([2], seed), tf.random.stateless_normal([2], seed)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"seed must have shape \[2\]"):
        run(tf.constant([1, 2, 3]))
