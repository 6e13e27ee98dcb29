"""``tf.compat.v1.losses``: the names that losses have in a graph."""

import pytest

import twinflow as tf

v1 = tf.compat.v1
SCOPES = {
    "absolute_difference": "absolute_difference",
    "mean_squared_error": "mean_squared_error",
    "log_loss": "log_loss",
    "huber_loss": "huber_loss",
    "hinge_loss": "hinge_loss",
    "sigmoid_cross_entropy": "sigmoid_cross_entropy_loss",
    "softmax_cross_entropy": "softmax_cross_entropy_loss",
}


@pytest.fixture
def pair():
    with tf.Graph().as_default():
        yield tf.constant([[1.0, 0.0]]), tf.constant([[0.5, 0.25]])


@pytest.mark.parametrize("name", SCOPES)
def test_losses_are_named_after_their_block(name, pair):
    loss = getattr(v1.losses, name)
    assert loss(*pair).name == f"{SCOPES[name]}/value:0"
    assert loss(*pair).name == f"{SCOPES[name]}_1/value:0"
    assert loss(*pair, scope="mine").name == "mine/value:0"


def test_other_reductions(pair):
    kinds = v1.losses.Reduction
    assert v1.losses.mean_squared_error(*pair, reduction=kinds.NONE).name == "mean_squared_error/Mul:0"
    assert v1.losses.mean_squared_error(*pair, reduction=kinds.SUM).name == "mean_squared_error_1/Sum:0"
    assert v1.losses.compute_weighted_loss(pair[0], weights=2.0).name == "weighted_loss/value:0"


def test_the_sum_of_all_has_its_name(pair):
    v1.losses.mean_squared_error(*pair)
    assert v1.losses.get_total_loss().name == "total_loss:0"
    v1.losses.absolute_difference(*pair)
    assert v1.losses.get_total_loss(name="both").name == "both:0"


def test_losses_at_once():
    assert float(v1.losses.mean_squared_error([1.0, 3.0], [0.0, 1.0], scope="mine")) == 2.5
