"""Gradients in functions, with sizes that are known or not, are those of eager execution."""

import numpy as np
import pytest

import twinflow as tf
from tests import derivatives
from tests.unit.test_gradients_table import VIEWS, called, changed, gradients
from twinflow.op import OPS

KNOWN = {
    "all": lambda shape: shape,
    "ranks": lambda shape: [None] * len(shape),
    "nothing": lambda shape: None,
}


def lacks_vectors(point):
    """Whether a decomposition is asked for its values alone."""
    return False in (point.attrs.get("compute_v"), point.attrs.get("compute_uv"))


# Variables are no arguments of functions; and of shapes of which nothing is known it cannot be told that a
# result has no vectors to look at.
CASES = [
    pytest.param(type, point, known, id=f"{type}-{i}-{known}")
    for type, points in derivatives.POINTS.items()
    if OPS[type].kinds[0].attr != "resource"
    for i, point in enumerate(points)
    for known in KNOWN
    if known != "nothing" or not lacks_vectors(point)
]


def bent(value):
    """A number of a tensor of any shape, in which no element counts like another of another value."""
    if value.dtype.is_complex:
        return bent(tf.math.real(value)) + bent(1.1 * tf.math.imag(value))
    return tf.reduce_sum(tf.sin(1.3 * value))


def loss(type, point, leaves):
    result = called(type, point, leaves)
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    if type in VIEWS:
        results = VIEWS[type](*results)
    return tf.add_n([bent(y) for y in results if y.dtype.is_floating or y.dtype.is_complex])


# What TensorFlow refuses to differentiate where the number of rows or columns is not known.
REFUSED = {"Qr", "Svd"}


@pytest.mark.parametrize(("type", "point", "known"), CASES)
def test_gradient_of_a_graph(type, point, known):
    leaves = [tf.constant(x) for x in changed(point)]

    def slopes(*leaves):
        return gradients(lambda each: loss(type, point, each), list(leaves))

    signature = [tf.TensorSpec(KNOWN[known](x.shape), x.dtype) for x in leaves]
    graph = tf.function(slopes, input_signature=signature, autograph=False)
    if type in REFUSED and known != "all" and not lacks_vectors(point):
        with pytest.raises(NotImplementedError, match=r"not.* implemented"):
            graph(*leaves)
        return
    for found, expected in zip(graph(*leaves), slopes(*leaves), strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-9, atol=1e-9)
