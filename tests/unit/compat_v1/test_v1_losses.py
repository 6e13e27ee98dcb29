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
    assert (
        v1.losses.mean_squared_error(*pair, reduction=kinds.NONE).name == "mean_squared_error/Mul:0"
    )
    assert (
        v1.losses.mean_squared_error(*pair, reduction=kinds.SUM).name
        == "mean_squared_error_1/Sum:0"
    )
    assert v1.losses.compute_weighted_loss(pair[0], weights=2.0).name == "weighted_loss/value:0"


def test_the_sum_of_all_has_its_name(pair):
    v1.losses.mean_squared_error(*pair)
    assert v1.losses.get_total_loss().name == "total_loss:0"
    v1.losses.absolute_difference(*pair)
    assert v1.losses.get_total_loss(name="both").name == "both:0"


def test_losses_at_once():
    assert float(v1.losses.mean_squared_error([1.0, 3.0], [0.0, 1.0], scope="mine")) == 2.5


# ------------------------------------------------------------------ weights and shapes

LABELS = [[1.0, 0.0], [2.0, 4.5], [5.0, 7.0]]
VALUES = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
BAD_WEIGHTS = [
    (
        [1.0, 2.0, 3.0],
        r"values.rank=2. weights.rank=1. values.shape=\(3, 2\). weights.shape=\(3,\). Received weights=",
    ),
    ([[[1.0]]], r"values.rank=2. weights.rank=3. values.shape=\(3, 2\). weights.shape=\(1, 1, 1\)"),
    ([[1.0], [2.0]], r"Mismatch at dim 0. values.shape=\[3 2\], weights.shape=\[2 1\]"),
]


def run(tensor):
    with v1.Session() as session:
        return session.run(tensor)


@pytest.mark.parametrize(("weights", "message"), BAD_WEIGHTS)
@pytest.mark.parametrize(
    "loss", ["absolute_difference", "mean_squared_error", "mean_pairwise_squared_error"]
)
def test_weights_that_cannot_be_broadcast(loss, weights, message, pair):
    with pytest.raises(ValueError, match=f"weights can not be broadcast to values. {message}"):
        getattr(v1.losses, loss)(LABELS, VALUES, weights)


def test_weights_are_checked_when_the_graph_runs(pair):
    given = lambda value: v1.placeholder_with_default(value, None)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="weights can not be broadcast to values"
    ):
        run(v1.losses.absolute_difference(LABELS, VALUES, given([1.0, 2.0, 0.0])))
    assert run(v1.losses.absolute_difference(LABELS, VALUES, given([[1.0], [2.0], [0.0]]))) == 1.25
    assert run(v1.losses.absolute_difference(LABELS, VALUES, given(2.0))) == 1.5


@pytest.mark.parametrize(
    ("weights", "expected"),
    [(1.0, 7.25), (0.0, 0.0), (-1.0, -7.25), ([[1.0], [2.0], [0.0]], 8.5), ([[1.0, 2.0]], 21.75),
     ([[1.0, 2.0], [0.0, 1.0], [0.0, 0.0]], 12.0)],
)  # fmt: skip
def test_differences_of_pairs(weights, expected, pair):
    loss = v1.losses.mean_pairwise_squared_error(LABELS, VALUES, weights)
    assert loss.name == "mean_pairwise_squared_error/value_2:0" and v1.losses.get_losses() == [loss]
    assert run(loss) == expected


@pytest.mark.parametrize("labels", [[0, 1, 1], [[0], [1], [1]]])
@pytest.mark.parametrize("weights", [[1.0, 2.0, 0.0], [[1.0], [2.0], [0.0]]])
@pytest.mark.parametrize("shape", [False, True])
def test_sparse_labels_and_weights_lose_a_last_dimension(labels, weights, shape, pair):
    given = v1.placeholder_with_default(labels, None) if shape else labels
    found = run(v1.losses.sparse_softmax_cross_entropy(given, VALUES, weights))
    assert found == pytest.approx(0.96989256)


def test_arguments_that_are_missing(pair):
    with pytest.raises(ValueError, match="Argument `multi_class_labels` must not be None"):
        v1.losses.sigmoid_cross_entropy(None, VALUES)
    with pytest.raises(ValueError, match="Argument `logits` must not be None"):
        v1.losses.hinge_loss(LABELS, None)
    with pytest.raises(ValueError, match="Cannot specify both 'dim' and 'axis'"):
        v1.losses.cosine_distance(LABELS, VALUES, axis=1, dim=1)
    with pytest.raises(
        ValueError,
        match=r"Invalid Reduction Key x. Key should be one of \('none', 'weighted_sum', ",
    ):
        v1.losses.hinge_loss(LABELS, VALUES, reduction="x")
    with pytest.raises(ValueError, match=r"Shapes \(2, 2\) and \(3, 2\) are incompatible"):
        v1.losses.sigmoid_cross_entropy(LABELS, VALUES[:2])
