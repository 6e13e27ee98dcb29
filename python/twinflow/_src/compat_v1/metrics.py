"""``tf.compat.v1.metrics``: streaming metrics accumulated over runs of a session.

Each metric returns a value tensor and an update op; the state is held in local variables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.compat_v1.losses import checked_weights
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import bool_, float32, int32
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly
from twinflow._src.variables.creation import create_variable
from twinflow._src.variables.scopes import variable_scope

# State variables and scopes.


def assert_graph(name: str) -> None:
    """Raises RuntimeError if a metric is called in eager execution."""
    if executing_eagerly():
        raise RuntimeError(f"tf.metrics.{name} is not supported when eager execution is enabled.")


def metric_scope(name: str | None, default: str, public: str | None = None) -> Any:
    """Returns the variable scope of a metric; with a ``public`` name, raises in eager execution."""
    if public is not None:
        assert_graph(public)
    return variable_scope(name, default)


class Sum:
    """Local variable that accumulates a sum, initialized with zero."""

    def __init__(self, name: str, shape: Any, dtype: Any = float32) -> None:
        joins = [GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES]
        self._variable = create_variable(
            initial_value=lambda: API["zeros"](shape, dtype),
            trainable=False,
            collections=joins,
            name=name,
        )

    @property
    def value(self) -> Any:
        """The current sum."""
        return self._variable.value()

    def update(self, more: Any) -> Any:
        """Adds to the sum; returns the result of ``assign_add``."""
        return self._variable.assign_add(more)

    def add(self, more: Any) -> Any:
        """Adds to the sum; returns the new value."""
        result = convert_to_tensor(self.update(more))
        return result if result.dtype.base_dtype is result.dtype else API["identity"](result)


def spread_to(weights: Any, values: Any) -> Any:
    """Returns weights broadcast to the shape of values, as float32."""
    return API["broadcast_to"](
        checked_weights(match_weights_rank(weights, values), values), API["shape"](values)
    )


def match_weights_rank(weights: Any, values: Any) -> Any:
    """Returns weights as float32."""
    # Squeezes or adds a last dimension of size 1 to match the rank of values.
    scale = API["cast"](convert_to_tensor(weights), float32)
    more = (scale.shape.rank or 0) - (values.shape.rank or 0)
    if more == 1:
        scale = API["squeeze"](scale, [-1])
    elif more == -1 and scale.shape.rank:
        scale = API["expand_dims"](scale, -1)
    return scale


def named(tensor: Any, name: str) -> Any:
    """Renames the op of a newly created tensor in the current scope."""
    graph = thread.scope.graph
    graph.rename(tensor.op, graph.unique_name(name))
    return tensor


def collect_metric(pair: tuple[Any, Any], metrics: Any, updates: Any) -> tuple[Any, Any]:
    """Adds a metric and its update op to collections."""
    value, update = pair
    graph = thread.scope.graph
    graph.add_to_collections(metrics or (), value)
    graph.add_to_collections(updates or (), update)
    return value, update


# Counts of true and false predictions, at one or several thresholds.


_KINDS = {
    "true_positives": (True, True),
    "false_positives": (False, True),
    "true_negatives": (False, False),
    "false_negatives": (True, False),
}
_EPSILON = 1e-7
_ORDER = ("true_positives", "false_negatives", "true_negatives", "false_positives")


def _flags(value: Any) -> Any:
    tensor = convert_to_tensor(value)
    return tensor if tensor.dtype is bool_ else API["cast"](tensor, bool_)


def same_shape(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Returns labels and predictions of one shape."""
    # An additional last dimension of size 1 is squeezed.
    labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
    more = (labels.shape.rank or 0) - (predictions.shape.rank or 0)
    if more == 1:
        labels = API["squeeze"](labels, [-1])
    elif more == -1:
        predictions = API["squeeze"](predictions, [-1])
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


def _of_rank(weights: Any, values: Any) -> Any:
    """Returns weights as float32, scalar or of the rank of values; else raises ValueError."""
    scale, rank = match_weights_rank(weights, values), values.shape.rank
    if rank is not None and scale.shape.rank not in (None, 0, rank):
        raise ValueError(
            f"Tensor {scale.name} must have rank in (0, {rank}).  Received rank {scale.shape.rank}, shape {scale.shape}"
        )
    return scale


def _hits(kind: str, labels: Any, predictions: Any, weights: Any) -> Any:
    """Returns 1 for each outcome of a kind, or its weight, and 0 for others."""
    label, prediction = _KINDS[kind]
    matches = API["equal"](labels, label), API["equal"](predictions, prediction)
    hits = API["cast"](API["logical_and"](*matches), float32)
    return hits if weights is None else hits * _of_rank(weights, hits)


def _counted(kind: str, labels: Any, predictions: Any, weights: Any) -> tuple[Any, Any]:
    """Returns the count of a kind of outcome before and after this update."""
    with metric_scope(None, kind):
        total, hits = Sum("count", []), _hits(kind, labels, predictions, weights)
        return total.value, total.add(API["reduce_sum"](hits))


def _of_outcomes(
    metric: str, doc: str, compute: Callable[[Any, Any, Any], tuple[Any, Any]]
) -> Callable[..., Any]:
    """Returns the metric of a function of boolean labels, predictions and weights."""

    def compute_metric(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        with metric_scope(name, metric, metric):
            labels, predictions = map(_flags, same_shape(labels, predictions))
            pair = compute(labels, predictions, weights)
            return collect_metric(pair, metrics_collections, updates_collections)

    return _document_metric(compute_metric, metric, doc)


def _counter(kind: str) -> Callable[..., Any]:
    def count(labels: Any, predictions: Any, weights: Any) -> tuple[Any, Any]:
        total, hits = Sum("count", []), _hits(kind, labels, predictions, weights)
        return API["identity"](total.value), total.update(API["reduce_sum"](hits))

    return _of_outcomes(kind, f"How many {kind.replace('_', ' ')} there were so far.", count)


def _share(kind: str, other: str, metric: str, doc: str) -> Callable[..., Any]:
    def share(labels: Any, predictions: Any, weights: Any) -> tuple[Any, Any]:
        right, right_after = _counted(kind, labels, predictions, weights)
        wrong, wrong_after = _counted(other, labels, predictions, weights)
        return _part(right, wrong, "value"), _part(right_after, wrong_after, "update_op")

    return _of_outcomes(metric, doc, share)


def _document_metric(
    function: Callable[..., Any], name: str, doc: str, more: str = ""
) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}

    Args:
        labels: What is right.
        predictions: What was predicted.
{more}        weights: Weights, or None.
        metrics_collections: Collections that the value joins.
        updates_collections: Collections that the update joins.
        name: A name.

    Returns:
        The value, and the operation that takes this call into account, as the value after it.

    Raises:
        RuntimeError: No graph surrounds the call.
    """
    return function


def _part(right: Any, wrong: Any, name: str) -> Any:
    whole = right + wrong
    return named(API["where"](whole > 0, API["math.divide_no_nan"](right, whole), 0.0), name)


precision = _share(
    "true_positives",
    "false_positives",
    "precision",
    "The share of positive predictions that were right.",
)
recall = _share(
    "true_positives",
    "false_negatives",
    "recall",
    "The share of positive labels that were predicted.",
)
COUNTERS = {kind: _counter(kind) for kind in _KINDS}


# ------------------------------------------------------------------ several thresholds


def _at(
    labels: Any, predictions: Any, thresholds: Any, weights: Any, kinds: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns counts per threshold before and after this update, by kind."""
    labels, predictions = same_shape(labels, predictions)
    predictions = API["cast"](predictions, float32)
    said = "predictions must be in [0, 1]"
    checks = [
        API[f"debugging.assert_{kind}_equal"](predictions, y, said)
        for kind, y in (("greater", 0.0), ("less", 1.0))
    ]
    with API["control_dependencies"]([check for check in checks if check is not None]):
        predictions = API["identity"](predictions)
    scale = 1.0 if weights is None else API["reshape"](spread_to(weights, predictions), [1, -1])
    predictions = API["reshape"](predictions, [1, -1])
    labels = API["reshape"](_flags(labels), [1, -1])
    limits = API["reshape"](convert_to_tensor(thresholds, float32), [-1, 1])
    positive = predictions > limits
    before, after = {}, {}
    for kind in kinds:
        label, prediction = _KINDS[kind]
        total = Sum(kind, [static_size(limits.shape, 0)])
        hits = API["logical_and"](
            labels if label else API["logical_not"](labels),
            positive if prediction else API["logical_not"](positive),
        )
        before[kind] = total.value
        after[kind] = total.add(API["reduce_sum"](API["cast"](hits, float32) * scale, 1))
    return before, after


def _at_thresholds(name: str, doc: str, kinds: tuple[str, ...]) -> Callable[..., Any]:
    def compute_at_thresholds(
        labels: Any,
        predictions: Any,
        thresholds: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        with metric_scope(name, metric if len(kinds) > 1 else kinds[0], metric):
            states = _at(labels, predictions, thresholds, weights, kinds)
            start = metric.partition("_")[0]
            labelled = zip(states, (f"{start}_value", f"{start}_update_op"))
            values = [_value([state[kind] for kind in kinds], label) for state, label in labelled]
            return collect_metric((values[0], values[1]), metrics_collections, updates_collections)

    metric = name
    more = "        thresholds: The thresholds, a list.\n"
    return _document_metric(compute_at_thresholds, name, doc, more)


def _value(counts: list[Any], name: str) -> Any:
    if len(counts) == 1:
        return API["identity"](counts[0])
    return named(counts[0] / (_EPSILON + counts[0] + counts[1]), name)


AT_THRESHOLDS = {
    "precision_at_thresholds": _at_thresholds(
        "precision_at_thresholds",
        "The precision at several thresholds.",
        ("true_positives", "false_positives"),
    ),
    "recall_at_thresholds": _at_thresholds(
        "recall_at_thresholds",
        "The recall at several thresholds.",
        ("true_positives", "false_negatives"),
    ),
    **{
        f"{kind}_at_thresholds": _at_thresholds(
            f"{kind}_at_thresholds",
            f"How many {kind.replace('_', ' ')} there were at several thresholds.",
            (kind,),
        )
        for kind in _KINDS
    },
}


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> tuple[Any, Any]:
    """Computes the area under a curve, approximated at thresholds.

    Args:
        labels: The ground truth.
        predictions: The predictions, numbers in [0, 1].
        weights: Weights, or None.
        num_thresholds: The number of thresholds.
        metrics_collections: Collections to which the value is added.
        updates_collections: Collections to which the update op is added.
        curve: ``"ROC"``, or ``"PR"`` for precision-recall.
        name: A name.
        summation_method: ``"trapezoidal"``, ``"minoring"`` or ``"majoring"``.
        thresholds: The thresholds between 0 and 1; evenly spaced if None.

    Returns:
        The area, and the update op, whose value is the new area.

    Raises:
        RuntimeError: Eager execution is enabled.
        ValueError: The curve or method is unknown.
    """
    with metric_scope(name, "auc", "auc"):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
        if summation_method not in ("trapezoidal", "minoring", "majoring"):
            raise ValueError(
                f"Invalid summation_method: {summation_method} not in the list of options."
            )
        inner = (
            np.linspace(0, 1, num_thresholds)[1:-1] if thresholds is None else np.sort(thresholds)
        )
        limits = [-_EPSILON, *map(float, inner), 1.0 + _EPSILON]
        states = _at(labels, predictions, limits, weights, _ORDER)
        areas = [
            _area(state, curve, summation_method, label)
            for state, label in zip(states, ("value", "update_op"))
        ]
        return collect_metric((areas[0], areas[1]), metrics_collections, updates_collections)


def _area(counts: dict[str, Any], curve: str, method: str, name: str) -> Any:
    tp, fn, tn, fp = (counts[k] for k in _ORDER)
    small = 1.0e-6
    recalls = (tp + small) / (tp + fn + small)
    if curve == "ROC":
        x, y = fp / (fp + tn + small), recalls
    else:
        x, y = recalls, (tp + small) / (tp + fp + small)
    first, second = y[:-1], y[1:]
    heights = {
        "trapezoidal": lambda: (first + second) / 2.0,
        "minoring": lambda: API["minimum"](first, second),
        "majoring": lambda: API["maximum"](first, second),
    }
    return named(API["reduce_sum"]((x[:-1] - x[1:]) * heights[method]()), name)


# Means.


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the mean of all values so far.

    Args:
        values: The values of this update.
        weights: Their weights, or None.
        metrics_collections: Collections to which the mean is added.
        updates_collections: Collections to which the update op is added.
        name: A name.

    Returns:
        The mean, and the update op, whose value is the new mean.

    Raises:
        RuntimeError: Eager execution is enabled.
    """
    with metric_scope(name, "mean", "mean"):
        values = API["cast"](convert_to_tensor(values), float32)
        total, count = Sum("total", []), Sum("count", [])
        if weights is None:
            more, number = API["reduce_sum"](values), API["cast"](API["size"](values), float32)
        else:
            scale = spread_to(weights, values)
            more, number = API["reduce_sum"](values * scale), API["reduce_sum"](scale)
        value = named(API["math.divide_no_nan"](total.value, count.value), "value")
        update = named(API["math.divide_no_nan"](total.add(more), count.add(number)), "update_op")
        return collect_metric((value, update), metrics_collections, updates_collections)


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the elementwise mean of all values so far; see ``mean``."""
    with metric_scope(name, "mean", "mean_tensor"):
        values = API["cast"](convert_to_tensor(values), float32)
        total, count = Sum("total_tensor", values.shape), Sum("count_tensor", values.shape)
        scale = API["ones_like"](values) if weights is None else spread_to(weights, values)
        value = named(API["math.divide_no_nan"](total.value, count.value), "value")
        update = named(
            API["math.divide_no_nan"](total.add(values * scale), count.add(scale)), "update_op"
        )
        return collect_metric((value, update), metrics_collections, updates_collections)


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the fraction of correct predictions so far; see ``mean``."""
    assert_graph("accuracy")
    labels, predictions = same_shape(labels, predictions)
    right = API["equal"](API["cast"](labels, predictions.dtype), predictions)
    joins = metrics_collections, updates_collections
    return mean(API["cast"](right, float32), weights, *joins, name or "accuracy")


# ------------------------------------------------------------------ mean errors


def _error(
    name: str, doc: str, error: Callable[[Any, Any], Any], root: bool = False
) -> Callable[..., Any]:
    def compute_mean_error(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        assert_graph(metric)
        labels, predictions = same_shape(labels, predictions)
        values = error(API["cast"](labels, predictions.dtype), predictions)
        if not root:
            return mean(values, weights, metrics_collections, updates_collections, name or metric)
        pair = mean(values, weights, None, None, name or metric)
        return collect_metric(
            (API["sqrt"](pair[0]), API["sqrt"](pair[1])), metrics_collections, updates_collections
        )

    metric = compute_mean_error.__name__ = compute_mean_error.__qualname__ = name
    compute_mean_error.__doc__ = f"{doc}; see ``mean``."
    return compute_mean_error


def _squared(labels: Any, predictions: Any) -> Any:
    return API["math.squared_difference"](predictions, labels)


ERRORS = {
    "mean_absolute_error": _error(
        "mean_absolute_error",
        "The mean distance of predictions from labels so far",
        lambda a, b: API["abs"](b - a),
    ),
    "mean_squared_error": _error(
        "mean_squared_error", "The mean of squared distances so far", _squared
    ),
    "root_mean_squared_error": _error(
        "root_mean_squared_error",
        "The root of the mean of squared distances so far",
        _squared,
        root=True,
    ),
}


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the mean relative error so far, relative to ``normalizer``; see ``mean``."""
    assert_graph("mean_relative_error")
    labels, predictions = same_shape(labels, predictions)
    predictions, normalizer = reversed(same_shape(normalizer, predictions))
    distance = API["abs"](API["cast"](labels, predictions.dtype) - predictions)
    values = API["math.divide_no_nan"](distance, API["cast"](normalizer, predictions.dtype))
    return mean(
        values, weights, metrics_collections, updates_collections, name or "mean_relative_error"
    )


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the fraction of values below a threshold so far; see ``mean``."""
    assert_graph("percentage_below")
    below = API["cast"](API["less"](values, threshold), float32)
    return mean(
        below,
        weights,
        metrics_collections,
        updates_collections,
        name or "percentage_below_threshold",
    )


# ------------------------------------------------------------------ confusion matrix


def _matrix(labels: Any, predictions: Any, num_classes: int, weights: Any) -> tuple[Any, Any]:
    """Returns the confusion matrix so far, and its update op."""
    total = Sum("total_confusion_matrix", [num_classes, num_classes])
    predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
    predictions.shape.assert_is_compatible_with(labels.shape)
    flat = [API["reshape"](API["cast"](x, int32), [-1]) for x in (labels, predictions)]
    scale = None if weights is None else API["reshape"](API["cast"](weights, float32), [-1])
    more = API["math.confusion_matrix"](*flat, num_classes, weights=scale, dtype=float32)
    return total.value, total.update(more)


def _by_class(name: str, doc: str, value: Callable[[Any], Any]) -> Callable[..., Any]:
    def compute_from_confusion(
        labels: Any,
        predictions: Any,
        num_classes: int,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        with metric_scope(name, metric, metric):
            matrix, update = _matrix(labels, predictions, num_classes, weights)
            return collect_metric((value(matrix), update), metrics_collections, updates_collections)

    metric = compute_from_confusion.__name__ = compute_from_confusion.__qualname__ = name
    compute_from_confusion.__doc__ = f"{doc}; see ``mean``."
    return compute_from_confusion


def _overlap(matrix: Any) -> Any:
    rows, columns = API["reduce_sum"](matrix, 1), API["reduce_sum"](matrix, 0)
    right = API["linalg.diag_part"](matrix)
    union = rows + columns - right
    there = API["reduce_sum"](API["cast"](union > 0, float32))
    total = API["reduce_sum"](API["math.divide_no_nan"](right, union))
    return API["math.divide_no_nan"](total, there)


mean_iou = _by_class("mean_iou", "The mean over classes of intersections over unions", _overlap)
