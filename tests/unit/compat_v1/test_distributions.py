"""``tf.compat.v1.distributions`` beside TensorFlow's answers, and distributions of a program's own."""

import json

import numpy as np
import pytest

import twinflow as tf
from tests.golden.v1_distributions import ANSWERS, answers

EXPECTED = json.loads(ANSWERS.read_text("utf-8"))
d = tf.compat.v1.distributions


@pytest.fixture(scope="module")
def found():
    return answers(tf)


def _assert_equal(value, expected, name):
    if isinstance(expected, str):
        assert value == expected.replace("{{function_node __wrapped__", "{{function_node "), name
    else:
        np.testing.assert_allclose(value, expected, 3e-6, 3e-6, err_msg=name)


@pytest.mark.parametrize("kind", sorted({name.split()[0] for name in EXPECTED}))
def test_answers_are_tensorflows(found, kind):
    names = [name for name in EXPECTED if name.split()[0] == kind]
    assert names
    for name in names:
        _assert_equal(found[name], EXPECTED[name], name)


class Doubled(d.Distribution):
    """A distribution with a mass function alone."""

    def __init__(self):
        super().__init__(tf.float32, d.NOT_REPARAMETERIZED, False, True)

    def _prob(self, value):
        return value * 0.5


def test_methods_follow_from_those_that_are_defined():
    own = Doubled()
    assert own.log_prob(2.0).numpy() == 0.0
    for method in ("mean", "variance", "entropy"):
        with pytest.raises(NotImplementedError, match=f"{method} is not implemented: Doubled"):
            getattr(own, method)()
    with pytest.raises(NotImplementedError, match="survival_function is not implemented"):
        own.survival_function(1.0)
    with pytest.raises(NotImplementedError, match="sample_n is not implemented: Doubled"):
        own.sample()


def test_divergences_are_registered_once():
    class Own(Doubled):
        pass

    @d.RegisterKL(Own, Doubled)
    def _(a, b, name=None):
        return tf.constant(3.0)

    assert d.kl_divergence(Own(), Own()).numpy() == 3.0
    with pytest.raises(ValueError, match=r"KL\(Own \|\| Doubled\) has already been registered"):
        d.RegisterKL(Own, Doubled)(lambda a, b, name=None: None)
    with pytest.raises(TypeError, match="kl_fn must be callable, received: 3"):
        d.RegisterKL(Doubled, Own)(3)


def test_copy_replaces_parameters():
    assert d.Normal(0.0, 1.0).copy(scale=3.0).stddev().numpy() == 3.0
    assert d.Normal.param_static_shapes([2, 3]) == {"loc": [2, 3], "scale": [2, 3]}
    assert d.Uniform(1.0, 3.0).range().numpy() == 2.0


def test_samples_of_reparameterized_distributions_have_gradients():
    loc = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(d.Normal(loc, 2.0).sample(4, seed=1))
    assert tape.gradient(total, loc).numpy() == 4.0
