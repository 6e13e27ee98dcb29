"""``tf.compat.v1.metrics``: values that are gathered over many runs of a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.compat_v1.metric_counts import same_shape
from twinflow._src.compat_v1.metric_state import (
    Sum,
    assert_graph,
    joined,
    metric_scope,
    named,
    spread_to,
)
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import float32, int32
from twinflow._src.dispatch.op import API


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of all values so far.

    Args:
        values: More values.
        weights: Their weights, or None.
        metrics_collections: Collections that the mean joins.
        updates_collections: Collections that the update joins.
        name: A name.

    Returns:
        The mean, and the operation that takes the values into account, as the mean after it.

    Raises:
        RuntimeError: No graph surrounds the call.
    """
    with metric_scope(name, "mean", "mean"):
        values = API["cast"](convert_to_tensor(values), float32)
        total, count = Sum("total", []), Sum("count", [])
        if weights is None:
            more, number = API["reduce_sum"](values), API["cast"](API["size"](values), float32)
        else:
            scale = spread_to(weights, values)
            more, number = API["reduce_sum"](values * scale), API["reduce_sum"](scale)
        found = named(API["math.divide_no_nan"](total.value, count.value), "value")
        update = named(API["math.divide_no_nan"](total.add(more), count.add(number)), "update_op")
        return joined((found, update), metrics_collections, updates_collections)


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of each element so far; see ``mean``."""
    with metric_scope(name, "mean", "mean_tensor"):
        values = API["cast"](convert_to_tensor(values), float32)
        total, count = Sum("total_tensor", values.shape), Sum("count_tensor", values.shape)
        scale = API["ones_like"](values) if weights is None else spread_to(weights, values)
        found = named(API["math.divide_no_nan"](total.value, count.value), "value")
        update = named(API["math.divide_no_nan"](total.add(values * scale), count.add(scale)), "update_op")
        return joined((found, update), metrics_collections, updates_collections)


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The share of predictions so far that were right; see ``mean``."""
    assert_graph("accuracy")
    labels, predictions = same_shape(labels, predictions)
    right = API["equal"](API["cast"](labels, predictions.dtype), predictions)
    joins = metrics_collections, updates_collections
    return mean(API["cast"](right, float32), weights, *joins, name or "accuracy")


# ------------------------------------------------------------------ means of errors


def _error(name: str, said: str, error: Callable[[Any, Any], Any], root: bool = False) -> Callable[..., Any]:
    def found(
        labels: Any,
        predictions: Any,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        assert_graph(own)
        labels, predictions = same_shape(labels, predictions)
        values = error(API["cast"](labels, predictions.dtype), predictions)
        if not root:
            return mean(values, weights, metrics_collections, updates_collections, name or own)
        pair = mean(values, weights, None, None, name or own)
        return joined((API["sqrt"](pair[0]), API["sqrt"](pair[1])), metrics_collections, updates_collections)

    own = found.__name__ = found.__qualname__ = name
    found.__doc__ = f"{said}; see ``mean``."
    return found


def _squared(labels: Any, predictions: Any) -> Any:
    return API["math.squared_difference"](predictions, labels)


ERRORS = {
    "mean_absolute_error": _error(
        "mean_absolute_error", "The mean distance of predictions from labels so far", lambda a, b: API["abs"](b - a)
    ),
    "mean_squared_error": _error("mean_squared_error", "The mean of squared distances so far", _squared),
    "root_mean_squared_error": _error(
        "root_mean_squared_error", "The root of the mean of squared distances so far", _squared, root=True
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
    """The mean distance of predictions from labels so far, as parts of ``normalizer``; see ``mean``."""
    assert_graph("mean_relative_error")
    labels, predictions = same_shape(labels, predictions)
    predictions, normalizer = reversed(same_shape(normalizer, predictions))
    distance = API["abs"](API["cast"](labels, predictions.dtype) - predictions)
    values = API["math.divide_no_nan"](distance, API["cast"](normalizer, predictions.dtype))
    return mean(values, weights, metrics_collections, updates_collections, name or "mean_relative_error")


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The share of values so far that were below a threshold; see ``mean``."""
    assert_graph("percentage_below")
    below = API["cast"](API["less"](values, threshold), float32)
    return mean(below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")


# ------------------------------------------------------------------ by classes


def _matrix(labels: Any, predictions: Any, num_classes: int, weights: Any) -> tuple[Any, Any]:
    """The confusion matrix so far, and the operation that adds to it."""
    total = Sum("total_confusion_matrix", [num_classes, num_classes])
    predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
    predictions.shape.assert_is_compatible_with(labels.shape)
    flat = [API["reshape"](API["cast"](x, int32), [-1]) for x in (labels, predictions)]
    scale = None if weights is None else API["reshape"](API["cast"](weights, float32), [-1])
    more = API["math.confusion_matrix"](*flat, num_classes, weights=scale, dtype=float32)
    return total.value, total.update(more)


def _by_class(name: str, said: str, value: Callable[[Any], Any]) -> Callable[..., Any]:
    def found(
        labels: Any,
        predictions: Any,
        num_classes: int,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        with metric_scope(name, own, own):
            matrix, update = _matrix(labels, predictions, num_classes, weights)
            return joined((value(matrix), update), metrics_collections, updates_collections)

    own = found.__name__ = found.__qualname__ = name
    found.__doc__ = f"{said}; see ``mean``."
    return found


def _overlap(matrix: Any) -> Any:
    rows, columns = API["reduce_sum"](matrix, 1), API["reduce_sum"](matrix, 0)
    right = API["linalg.diag_part"](matrix)
    union = rows + columns - right
    there = API["reduce_sum"](API["cast"](union > 0, float32))
    total = API["reduce_sum"](API["math.divide_no_nan"](right, union))
    return API["math.divide_no_nan"](total, there)


mean_iou = _by_class("mean_iou", "The mean over classes of intersections over unions", _overlap)
