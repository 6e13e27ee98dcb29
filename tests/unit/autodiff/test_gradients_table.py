"""First and second derivatives of every op with a gradient, against differences of values.

What is computed is in ``tests/derivatives``: here are no ops, but what makes one number of their results.
"""

import numpy as np
import pytest

import twinflow as tf
from tests import derivatives
from twinflow._src.autodiff import trace_cache
from twinflow._src.core.trace_cache import TraceCache
from twinflow._src.dispatch.op import OPS

STEP = 1e-6
CASES = [
    pytest.param(type, point, id=f"{type}-{i}")
    for type, points in derivatives.POINTS.items()
    for i, point in enumerate(points)
]


def projections(vectors):
    """For each column the product with its adjoint: it does not depend on the column's sign or phase."""
    return tf.einsum("...ik,...jk->...kij", vectors, tf.math.conj(vectors))


def eigen(values, vectors):
    return (values, projections(vectors)) if vectors.shape.rank != 1 else (values,)


def singular(s, u, v):
    s = tf.math.real(s)
    if u.shape.rank == 1:
        return (s,)
    count = tf.shape(s)[-1]
    pairs = tf.einsum("...ik,...jk->...kij", u[..., :count], tf.math.conj(v[..., :count]))
    return s, projections(u), projections(v), pairs


def finite(y):
    """The log-sum-exp of no elements is minus infinity."""
    return (tf.where(y > -1e300, y, tf.zeros_like(y)),)


# What results are looked at: not a free sign or phase, nor infinity, nor a loss's ready-made gradient.
VIEWS = {
    "CumulativeLogsumexp": finite,
    "Eig": eigen,
    "SelfAdjointEigV2": eigen,
    "SoftmaxCrossEntropyWithLogits": lambda loss, _: (loss,),
    "SparseSoftmaxCrossEntropyWithLogits": lambda loss, _: (loss,),
    "Svd": singular,
}
# Ops that read one triangle of a matrix and whose gradient counts for both.
SYMMETRIC = {"Cholesky"}


def is_changed(value):
    return isinstance(value, np.ndarray) and value.dtype.kind in "fc"


def changed(point):
    """The arrays by which is differentiated: those in lists one by one."""
    free = [x for i, x in enumerate(point.inputs) if i not in point.fixed]
    return [
        x
        for value in free
        for x in (value if isinstance(value, list) else [value])
        if is_changed(x)
    ]


def called(type, point, leaves):
    """Returns what an op gives, with other values for the arrays by which is differentiated."""
    items = iter(leaves)
    inputs = [
        value
        if i in point.fixed
        else [next(items) if is_changed(x) else x for x in value]
        if isinstance(value, list)
        else next(items)
        if is_changed(value)
        else value
        for i, value in enumerate(point.inputs)
    ]
    if type in SYMMETRIC:
        inputs[0] = 0.5 * (inputs[0] + tf.linalg.adjoint(inputs[0]))
    return OPS[type].public(*inputs, **point.attrs)


def weighted(value, seed):
    """The sum of a tensor's elements with weights, a real number."""
    weights = np.random.default_rng(seed).normal(size=value.shape)
    if not value.dtype.is_complex:
        return tf.reduce_sum(value * weights)
    turned = np.random.default_rng(seed + 1).normal(size=value.shape)
    return tf.reduce_sum(tf.math.real(value) * weights + tf.math.imag(value) * turned)


def loss(type, point, leaves):
    result = called(type, point, leaves)
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    if type in VIEWS:
        results = VIEWS[type](*results)
    numbers = [value for value in results if value.dtype.is_floating or value.dtype.is_complex]
    return tf.add_n([weighted(value, seed) for seed, value in enumerate(numbers)])


def tensors(type, point, arrays):
    """Tensors of arrays; a variable where the op wants one."""
    found = [tf.constant(x) for x in arrays]
    if OPS[type].kinds[0].attr == "resource":
        found[0] = tf.Variable(arrays[0])
    return found


def gradients(function, leaves):
    with tf.GradientTape() as tape:
        tape.watch(leaves)
        value = function(leaves)
    return [
        tf.convert_to_tensor(g) for g in tape.gradient(value, leaves, unconnected_gradients="zero")
    ]


def by_differences(function, arrays):
    """The gradient of a function of arrays, as TensorFlow writes it for complex ones."""
    found = [np.zeros_like(x) for x in arrays]
    for n, x in enumerate(arrays):
        for place in np.ndindex(x.shape):
            for direction in (1, 1j) if x.dtype.kind == "c" else (1,):
                shift = np.zeros_like(x)
                shift[place] = STEP * direction
                after, before = (
                    function([y + sign * shift if i == n else y for i, y in enumerate(arrays)])
                    for sign in (1, -1)
                )
                found[n][place] += direction * (after - before) / (2 * STEP)
    return found


def agree(found, expected, tolerance):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(
            a.numpy(), b, rtol=tolerance, atol=0.1 * tolerance * (1 + np.abs(b).max(initial=0))
        )


@pytest.mark.parametrize(("type", "point"), CASES)
def test_first_order(type, point):
    arrays = changed(point)

    def value(arrays):
        return loss(type, point, tensors(type, point, arrays)).numpy()

    found = gradients(lambda leaves: loss(type, point, leaves), tensors(type, point, arrays))
    agree(found, by_differences(value, arrays), 1e-6)


def slope(type, point, leaves):
    """The derivative of the loss along a direction."""
    found = gradients(lambda leaves: loss(type, point, leaves), leaves)
    return tf.add_n([weighted(gradient, 10 + i) for i, gradient in enumerate(found)])


@pytest.mark.parametrize(("type", "point"), [case for case in CASES if case.values[1].order == 2])
def test_second_order(type, point):
    arrays = changed(point)

    def value(arrays):
        return slope(type, point, tensors(type, point, arrays)).numpy()

    found = gradients(lambda leaves: slope(type, point, leaves), tensors(type, point, arrays))
    agree(found, by_differences(value, arrays), 1e-5)


@pytest.mark.parametrize(("type", "point"), CASES)
def test_repeated_walks_give_the_same_bits(type, point, monkeypatch):
    def found():
        return gradients(
            lambda leaves: loss(type, point, leaves), tensors(type, point, changed(point))
        )

    monkeypatch.setattr(trace_cache, "_LONGEST", 0)
    walked = found()
    monkeypatch.undo()
    monkeypatch.setattr(trace_cache, "_traces", TraceCache(64))
    monkeypatch.setattr(trace_cache, "_latest", TraceCache(64))
    planned = found()
    has_effects = OPS[type].impure and OPS[type].reads_variable is None
    assert list(map(kind, trace_cache._traces.values())) == ([] if has_effects else ["_Traced"])
    assert [(x.dtype, x.numpy().tobytes()) for x in planned] == [
        (x.dtype, x.numpy().tobytes()) for x in walked
    ]


def kind(value):
    return value.__class__.__name__


def family(type):
    return OPS[type].kernel.__module__.rpartition(".")[2]


def test_every_gradient_is_checked():
    with_gradient = {type for type, op in OPS.items() if op.gradient is not None}
    here = derivatives.POINTS.keys() | derivatives.LEFT_OUT.keys()
    elsewhere = tuple(derivatives.ELSEWHERE)
    missing = {type for type in with_gradient - here if not family(type).startswith(elsewhere)}
    assert not missing, "give points to these ops in tests/derivatives"
    assert here <= with_gradient
