"""``tf.compat.v1.metrics``: what is gathered over several runs, against NumPy."""

import re

import numpy as np
import pytest

from twinflow._src.core.context import PLAIN, entered
from twinflow.compat import v1 as tf

_random = np.random.RandomState(0)
LABELS, SAID = _random.randint(0, 2, (3, 8)), _random.randint(0, 2, (3, 8))
SCORES, WEIGHTS, TRUTH = (_random.rand(3, 8).astype("f") for _ in range(3))
CLASSES, GUESSED = _random.randint(0, 4, (3, 8)), _random.randint(0, 4, (3, 8))


@pytest.fixture(params=[True, False], ids=["resource", "reference"])
def resource(request):
    enable = tf.enable_resource_variables if request.param else tf.disable_resource_variables
    enable()
    yield request.param
    tf.enable_resource_variables()


def gathered(make, *arrays):
    """The value after each of three runs, and what the update gave."""
    with tf.Graph().as_default(), tf.Session() as session:
        place = tf.placeholder(tf.int32, [])
        value, update = make(*(tf.gather(tf.constant(a), place) for a in arrays))
        session.run(tf.local_variables_initializer())
        pairs = [(session.run(update, {place: i}), session.run(value)) for i in range(3)]
        names = [v.op.name for v in tf.local_variables()]
    return pairs, names


def so_far(function, *arrays):
    return [function(*(a[: i + 1].ravel() for a in arrays)) for i in range(3)]


def count(label, said):
    return lambda a, b, w: float((w * ((a == label) & (b == said))).sum())


TP, FP, TN, FN = count(1, 1), count(0, 1), count(0, 0), count(1, 0)
CASES = {
    "mean": ((TRUTH, WEIGHTS), lambda v, w: (v * w).sum() / w.sum()),
    "accuracy": ((CLASSES, GUESSED, WEIGHTS), lambda a, b, w: (w * (a == b)).sum() / w.sum()),
    "precision": ((LABELS, SAID, WEIGHTS), lambda *x: TP(*x) / (TP(*x) + FP(*x))),
    "recall": ((LABELS, SAID, WEIGHTS), lambda *x: TP(*x) / (TP(*x) + FN(*x))),
    "true_positives": ((LABELS, SAID, WEIGHTS), TP),
    "false_positives": ((LABELS, SAID, WEIGHTS), FP),
    "true_negatives": ((LABELS, SAID, WEIGHTS), TN),
    "false_negatives": ((LABELS, SAID, WEIGHTS), FN),
    "mean_squared_error": ((TRUTH, SCORES), lambda a, b: ((a - b) ** 2).mean()),
    "root_mean_squared_error": ((TRUTH, SCORES), lambda a, b: np.sqrt(((a - b) ** 2).mean())),
    "mean_absolute_error": ((TRUTH, SCORES), lambda a, b: np.abs(a - b).mean()),
    "mean_relative_error": ((TRUTH, SCORES, TRUTH), lambda a, b, c: (np.abs(a - b) / c).mean()),
}


@pytest.mark.parametrize("name", CASES)
def test_against_numpy(name, resource):
    arrays, reference = CASES[name]
    pairs, _ = gathered(getattr(tf.metrics, name), *arrays)
    wanted = so_far(reference, *arrays)
    assert [p[0] for p in pairs] == pytest.approx(wanted, rel=1e-5)
    assert [p[1] for p in pairs] == pytest.approx(wanted, rel=1e-5)


# What TensorFlow 2.21 gives.
AREAS = {
    ("ROC", "trapezoidal", 200): [0.5, 0.25833, 0.33916],
    ("ROC", "majoring", 20): [0.5, 0.28333, 0.36364],
    ("PR", "trapezoidal", 200): [0.6631, 0.4716, 0.4249],
}


def test_areas_under_curves(resource):
    random = np.random.RandomState(0)
    labels, _, scores = (
        random.randint(0, 2, (3, 8)),
        random.randint(0, 2, (3, 8)),
        random.rand(3, 8).astype("f"),
    )
    for (curve, method, count), wanted in AREAS.items():
        options = {"curve": curve, "summation_method": method, "num_thresholds": count}
        pairs, names = gathered(lambda a, b, o=options: tf.metrics.auc(a, b, **o), labels, scores)
        assert [p[1] for p in pairs] == pytest.approx(wanted, abs=2e-5)
    assert names == [
        "auc/true_positives",
        "auc/false_negatives",
        "auc/true_negatives",
        "auc/false_positives",
    ]


def test_several_thresholds():
    limits = [0.2, 0.5, 0.7]
    pairs, _ = gathered(lambda a, b: tf.metrics.recall_at_thresholds(a, b, limits), LABELS, SCORES)
    wanted = [((t < SCORES) & (LABELS == 1)).sum() / (LABELS == 1).sum() for t in limits]
    assert pairs[2][1] == pytest.approx(wanted, rel=1e-5)


def test_overlap_of_classes():
    pairs, _ = gathered(lambda a, b: tf.metrics.mean_iou(a, b, 4), CLASSES, GUESSED)
    shares = [
        ((k == CLASSES) & (k == GUESSED)).sum() / ((k == CLASSES) | (k == GUESSED)).sum()
        for k in range(4)
    ]
    assert pairs[2][1] == pytest.approx(np.mean(shares), rel=1e-5)
    assert pairs[2][0].sum() == 24


def test_names_and_collections():
    with tf.Graph().as_default():
        value, update = tf.metrics.precision(
            [1], [1], metrics_collections=["m"], updates_collections=["u"]
        )
        assert (value.name, update.name) == ("precision/value:0", "precision/update_op:0")
        assert tf.get_collection("m") == [value] and tf.get_collection("u") == [update]
        assert [v.name for v in tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)] == [
            "precision/true_positives/count:0",
            "precision/false_positives/count:0",
        ]


def test_only_in_graphs():
    with (
        entered(PLAIN),
        pytest.raises(RuntimeError, match=r"tf.metrics.recall is not supported when eager"),
    ):
        tf.metrics.recall([1], [1])


_BROADCAST = "weights can not be broadcast to values. "


@pytest.mark.parametrize(
    ("name", "args", "weights", "said"),
    [
        (
            "mean",
            [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]],
            [[1.0, 2.0]],
            f"{_BROADCAST}Mismatch at dim 1. values.shape=[2 3], weights.shape=[1 2]. ",
        ),
        (
            "mean",
            [[[[1.0, 2.0]]]],
            [1.0],
            f"{_BROADCAST}values.rank=3. weights.rank=1. values.shape=(1, 1, 2). weights.shape=(1,). ",
        ),
        (
            "mean_tensor",
            [[1.0, 2.0]],
            [1.0, 2.0, 3.0],
            f"{_BROADCAST}Mismatch at dim 0. values.shape=[2], weights.shape=[3]. ",
        ),
        (
            "mean_squared_error",
            [[1.0, 2.0, 3.0], [1.0, 2.0]],
            None,
            "Shapes (2,) and (3,) are incompatible",
        ),
        ("accuracy", [[1, 2, 3], [1, 2]], None, "Shapes (2,) and (3,) are incompatible"),
        ("precision", [[1, 0, 1], [1, 0]], None, "Shapes (2,) and (3,) are incompatible"),
        (
            "precision",
            [[1, 0, 1], [1, 0, 1]],
            [[[1.0]]],
            "must have rank in (0, 1).  Received rank 3, shape (1, 1, 1)",
        ),
        (
            "recall",
            [[1, 0, 1], [1, 0, 1]],
            [1.0, 2.0],
            "Dimensions must be equal, but are 3 and 2 for ",
        ),
        ("auc", [[1, 0, 1], [1.0, 0.0]], None, "Shapes (2,) and (3,) are incompatible"),
        (
            "auc",
            [[1, 0, 1], [1.0, 0.0, 0.5]],
            [1.0, 2.0],
            f"{_BROADCAST}Mismatch at dim 0. values.shape=[3], weights.shape=[2]. ",
        ),
        (
            "auc",
            [[1, 0, 1], [1.0, 0.0, 2.0]],
            None,
            "predictions must be in [0, 1]\nCondition x <= y did not hold element-wise:",
        ),
        (
            "mean_relative_error",
            [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0, 3.0]],
            None,
            "Shapes (2,) and (3,) are incompatible",
        ),
    ],
)
def test_shapes_and_values_that_do_not_fit(name, args, weights, said):
    kind = tf.errors.InvalidArgumentError if "must be in" in said else ValueError
    with tf.Graph().as_default(), pytest.raises(kind, match=re.escape(said)):
        getattr(tf.metrics, name)(*args, weights=weights)
