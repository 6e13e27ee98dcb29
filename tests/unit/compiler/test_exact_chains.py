"""Chains of exact instructions have the same bits op by op, as native code and eagerly."""

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.compiler.native import exact
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import OPS


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
    chains, cluster_of = [], exact.cluster_of
    monkeypatch.setattr(exact, "cluster_of", lambda *x: chains.append(cluster_of(*x)) or chains[-1])
    plain = bits(tf.function(walk))
    assert not chains
    monkeypatch.setattr(exact, "_RUNS", 25)
    compiled = bits(tf.function(walk))
    assert len(chains) == 1 and chains[0] is not None
    assert plain == compiled == bits(walk)


def test_chains_without_a_compiler(monkeypatch):
    monkeypatch.setattr(exact, "_RUNS", 25)
    monkeypatch.setattr(exact, "cluster_of", lambda *x: None)
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


def all_bits(results):
    return [np.asarray(x).tobytes() for x in tf.nest.flatten(results)]


@pytest.fixture
def compiled_at_once(monkeypatch):
    """Chains are compiled when they first run; the list has the instructions of each."""
    pytest.importorskip("llvmlite")
    chains, cluster_of = [], exact.cluster_of

    def compile_chain(steps, *rest):
        cluster = cluster_of(steps, *rest)
        assert cluster is not None
        chains.append([step.node.type for step in steps])
        return cluster

    monkeypatch.setattr(exact, "cluster_of", compile_chain)
    monkeypatch.setattr(exact, "_RUNS", 0)
    return chains


def gates(z, c):
    i, j, f, o = tf.split(z * 0.5 + z * z - 1.0, 4, axis=1)
    new = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(j)
    return tf.tanh(new) * tf.sigmoid(o), new


def test_arithmetic_and_its_gradient(compiled_at_once):
    rng = np.random.default_rng(3)
    z = tf.constant(rng.normal(size=(8, 40)).astype(np.float32))
    c = tf.constant(rng.normal(size=(8, 10)).astype(np.float32))

    def slopes(z, c):
        with tf.GradientTape() as tape:
            tape.watch([z, c])
            h, new = gates(z, c)
            total = tf.reduce_sum(h * new)
        return h, new, tape.gradient(total, [z, c])

    assert all_bits(tf.function(slopes)(z, c)) == all_bits(slopes(z, c))
    assert ["Mul", "Mul", "AddV2", "Sub", "Split"] in compiled_at_once
    assert any({"SigmoidGrad", "TanhGrad", "ConcatV2"} <= set(chain) for chain in compiled_at_once)


def numbers(dtype):
    """Returns numbers of a dtype, with limits, zeros of both signs, infinities and NaN."""
    rng = np.random.default_rng(5)
    if dtype == np.bool_:
        return np.arange(64) % 3 == 0
    if dtype.kind == "f":
        edges = [0, -0.0, 1, -1, 0.5, 2.5, 6, np.inf, -np.inf, np.nan, 1e-40, -1e38, 3e38]
        return np.concatenate([edges, rng.normal(size=51) * 3]).astype(dtype)
    limits = np.iinfo(dtype)
    edges = np.array([0, 1, 2, limits.max, limits.min, limits.max - 1], dtype)
    return np.concatenate([edges, rng.integers(0, 100, 58).astype(dtype)])


def exact_ops():
    """Returns the element-wise ops that chains take."""
    for name, new in sorted(OPS.items()):
        formula = new.cuda if new.native is None else new.native
        if formula and exact._is_exact_formula(formula):
            yield name


@pytest.mark.parametrize("name", list(exact_ops()))
def test_each_op_has_the_bits_of_its_kernel(name, compiled_at_once, monkeypatch):
    monkeypatch.setattr(exact, "_LEAST_WORK", 0)
    new = OPS[name]
    count, attrs = len(new.tensors), {param.name: 0.25 for param in new.attrs}
    for dtype in map(np.dtype, ["f4", "f8", "i4", "?"]):
        values = numbers(dtype)
        pairs = [x.reshape(-1) for x in np.meshgrid(values, values, indexing="ij")]
        others = [np.arange(len(pairs[0])) % 2 == 0, *pairs] if count == 3 else pairs
        inputs = [tf.constant(x) for x in others[:count]]
        try:
            expected = execute(new, inputs, attrs)
        except (tf.errors.InvalidArgumentError, tf.errors.NotFoundError, TypeError):
            continue

        @tf.function
        def run(*inputs):
            both = inputs[:count], inputs[count:]  # a chain has several instructions
            return [execute(new, list(args), attrs) for args in both]

        results = run(*inputs, *inputs)
        # NaN may have either sign
        same = [np.where(x != x, x.dtype.as_numpy_dtype(1), x) for x in (expected, *results)]
        assert len({x.tobytes() for x in same}) == 1, dtype
    assert compiled_at_once


def test_what_does_not_change_in_a_loop_stays_outside_of_chains(compiled_at_once):
    @tf.function
    def run(x, y):
        def step(i, x):
            fixed = tf.square(y) * 2.0 + y - 1.0
            return i + 1, (x * 0.5 + fixed) * x - fixed

        return tf.while_loop(lambda i, _: i < 5, step, (0, x))[1]

    x, y = tf.constant([0.5, 0.25]), tf.constant([0.125, 3.0])
    run(x, y)
    assert compiled_at_once == [["Mul", "AddV2", "Mul", "Sub"]]


def test_effects_keep_their_order(compiled_at_once):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def run(x):
        before = v * 1.0
        a = (x * 2.0 + 1.0) * x - before
        v.assign(a)
        between = v * 1.0
        b = (a * 3.0 - x) * between + 1.0
        v.assign_sub(b)
        return before, between, b, v * 1.0

    x = tf.constant([0.5, 4.0])
    expected = all_bits(run.python_function(x))
    v.assign([1.0, 2.0])
    assert all_bits(run(x)) == expected and compiled_at_once


def test_large_arrays_and_few_operations_are_no_chains(compiled_at_once):
    tf.function(lambda x: ((x * 2.0 + x) * x - x) * 0.5 + 1.0)(tf.ones([200, 200]))
    tf.function(lambda x: x * 2.0 + x)(tf.ones([2]))
    assert compiled_at_once == []
