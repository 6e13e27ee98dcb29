"""``tf.compat.v1.metrics`` of ranked predictions, of classes, and at given sensitivities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinflow._src.compat_v1.metrics import (
    Sum,
    _at,
    assert_graph,
    collect_metric,
    match_weights_rank,
    mean,
    metric_scope,
    named,
    same_shape,
)
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import float32, float64, int32, int64
from twinflow._src.dispatch.op import API

_EPSILON = 1e-7

# ------------------------------------------------------------------ sets of labels and predictions


def _expand_labels(labels: Any, predictions: Any) -> Any:
    """Returns int64 labels with a last dimension of the labels of an example."""
    if isinstance(labels, SparseTensor):
        return SparseTensor(labels.indices, API["cast"](labels.values, int64), labels.dense_shape)
    labels = API["cast"](convert_to_tensor(labels), int64)
    if labels.shape.rank is not None and labels.shape.rank == predictions.shape.rank - 1:
        return API["expand_dims"](labels, -1)
    return labels


def _select(ids: Any, class_id: Any) -> Any:
    """Returns the ids of one class, as a sparse tensor; all for None."""
    if class_id is None:
        return ids
    if isinstance(ids, SparseTensor):
        return API["sparse.retain"](ids, API["equal"](ids.values, API["cast"](class_id, int64)))
    indices = API["where"](API["equal"](ids, API["cast"](class_id, int64)))
    values = API["gather_nd"](ids, indices)
    return SparseTensor(indices, values, API["shape"](ids, out_type=int64))


def _count(sets: Any, weights: Any) -> Any:
    """Returns the weighted number of elements of sets."""
    sizes = API["cast"](API["sets.size"](sets), float64)
    if weights is not None:
        sizes = sizes * API["cast"](match_weights_rank(weights, sizes), float64)
    return API["reduce_sum"](sizes)


def _name_as_scope(tensor: Any) -> Any:
    """Gives a new tensor's operation the name of the current scope."""
    graph = thread.scope.graph
    graph.rename(tensor.op, thread.scope.name.rstrip("/"))
    return tensor


def _share_at(
    metric: str,
    wrong: str,
    labels: Any,
    predictions: Any,
    class_id: Any,
    weights: Any,
) -> tuple[Any, Any]:
    """Returns the value and the update of precision or recall of ranked predictions."""
    labels = _select(_expand_labels(labels, predictions), class_id)
    predictions = _select(predictions, class_id)
    hits = _count(API["sets.intersection"](predictions, labels), weights)
    is_precision = wrong == "false_positive"
    misses = _count(API["sets.difference"](predictions, labels, is_precision), weights)
    true, false = (
        Sum(f"true_positive_at_{metric}", [], float64),
        Sum(f"{wrong}_at_{metric}", [], float64),
    )
    value = _name_as_scope(true.value / (true.value + false.value))
    right, rest = true.add(hits), false.add(misses)
    return value, named(right / (right + rest), "update")


def _by_indices(name: str, wrong: str, doc: str) -> Callable[..., Any]:
    def compute_at_top_k(
        labels: Any,
        predictions_idx: Any,
        k: int | None = None,
        class_id: Any = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        label = "k" if k is None else f"{k}"
        default = f"{metric}_at_{label}" + ("" if class_id is None else f"_class{class_id}")
        with metric_scope(name, default, f"{metric}_at_top_k"):
            predictions = API["cast"](convert_to_tensor(predictions_idx), int64)
            suffix = default.removeprefix(f"{metric}_at_")
            pair = _share_at(suffix, wrong, labels, predictions, class_id, weights)
            return collect_metric(pair, metrics_collections, updates_collections)

    metric = name
    compute_at_top_k.__name__ = compute_at_top_k.__qualname__ = f"{name}_at_top_k"
    compute_at_top_k.__doc__ = f"{doc} of the indices of ranked predictions; see ``mean``."
    return compute_at_top_k


def _by_scores(
    name: str, wrong: str, doc: str, public: str | None = None, refused: str | None = None
) -> Callable[..., Any]:
    def compute_at_k(
        labels: Any,
        predictions: Any,
        k: int,
        class_id: Any = None,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        default = f"{metric}_at_{k}" + ("" if class_id is None else f"_class{class_id}")
        with metric_scope(name, default, refused or public or f"{metric}_at_k"):
            top = API["cast"](API["math.top_k"](predictions, k)[1], int64)
            suffix = default.removeprefix(f"{metric}_at_")
            pair = _share_at(suffix, wrong, labels, top, class_id, weights)
            return collect_metric(pair, metrics_collections, updates_collections)

    metric = name
    compute_at_k.__name__ = compute_at_k.__qualname__ = public or f"{name}_at_k"
    compute_at_k.__doc__ = f"{doc} of the k highest predictions; see ``mean``."
    return compute_at_k


precision_at_top_k = _by_indices("precision", "false_positive", "Computes the precision")
recall_at_top_k = _by_indices("recall", "false_negative", "Computes the recall")
precision_at_k = _by_scores(
    "precision",
    "false_positive",
    "Computes the precision",
    "precision_at_k",
    "sparse_precision_at_k",
)
recall_at_k = _by_scores("recall", "false_negative", "Computes the recall")
sparse_precision_at_k = _by_scores(
    "precision", "false_positive", "Computes the precision", "sparse_precision_at_k"
)


def _average_precision(labels: Any, top: Any, k: int) -> Any:
    """Returns the mean of the precisions at the ranks of the labels, for each example."""
    if isinstance(labels, SparseTensor):
        count = API["sets.size"](labels)
        labels = API["sparse.to_dense"](labels, default_value=-1)
    else:
        count = API["fill"](API["shape"](labels)[:-1], API["shape"](labels)[-1])
    matches = API["equal"](API["expand_dims"](top, -1), API["expand_dims"](labels, -2))
    relevant = API["cast"](API["reduce_any"](matches, -1), float64)
    ranks = API["cast"](API["range"](1, k + 1), float64)
    precisions = API["cumsum"](relevant, -1) / ranks
    total = API["reduce_sum"](precisions * relevant, -1)
    return API["math.divide_no_nan"](total, API["cast"](API["minimum"](count, k), float64))


def _average(name: str) -> Callable[..., Any]:
    def compute_average_precision_at_k(
        labels: Any,
        predictions: Any,
        k: int,
        weights: Any = None,
        metrics_collections: Any = None,
        updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Any, Any]:
        with metric_scope(name, f"average_precision_at_{k}", public):
            if k < 1:
                raise ValueError(f"Invalid k={k}. `k` should be >= 1.")
            top = API["cast"](API["math.top_k"](predictions, k)[1], int64)
            values = _average_precision(_expand_labels(labels, top), top, k)
            scale = None if weights is None else match_weights_rank(weights, values)
            scale = None if scale is None else API["cast"](scale, float64)
            total, count = Sum("total", [], float64), Sum("max", [], float64)
            number = API["cast"](API["size"](values), float64)
            if scale is not None:
                number = API["reduce_sum"](API["broadcast_to"](scale, API["shape"](values)))
                values = values * scale
            value = _name_as_scope(API["math.divide_no_nan"](total.value, count.value))
            sums = total.add(API["reduce_sum"](values)), count.add(number)
            update = named(API["math.divide_no_nan"](*sums), "update")
            return collect_metric((value, update), metrics_collections, updates_collections)

    public = name
    compute_average_precision_at_k.__name__ = compute_average_precision_at_k.__qualname__ = name
    compute_average_precision_at_k.__doc__ = (
        "Computes the mean of the precisions at the ranks of the labels; see ``mean``."
    )
    return compute_average_precision_at_k


average_precision_at_k = _average("average_precision_at_k")
sparse_average_precision_at_k = _average("sparse_average_precision_at_k")

# ------------------------------------------------------------------ sensitivity and specificity

_KINDS = ("true_positives", "false_negatives", "true_negatives", "false_positives")


def _thresholds(count: int) -> list[float]:
    inner = [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)]
    return [-_EPSILON, *inner, 1.0 - _EPSILON]


def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the sensitivity where the specificity is nearest to a number; see ``mean``."""
    if specificity < 0 or specificity > 1:
        raise ValueError(
            f"`specificity` must be in the range [0, 1]. Currently, `specificity` got {specificity}."
        )
    with metric_scope(name, "sensitivity_at_specificity", "sensitivity_at_specificity"):
        states = _at(labels, predictions, _thresholds(num_thresholds), weights, _KINDS)

        def compute(counts: dict[str, Any], label: str) -> Any:
            tp, fn, tn, fp = (counts[kind] for kind in _KINDS)
            distances = API["abs"](tn / (tn + fp + _EPSILON) - specificity)
            index = API["cast"](API["argmin"](distances, 0), int32)
            return named(tp[index] / (tp[index] + fn[index] + _EPSILON), label)

        values = [compute(*pair) for pair in zip(states, ("value", "update_op"), strict=True)]
        return collect_metric((values[0], values[1]), metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the specificity where the sensitivity is nearest to a number; see ``mean``."""
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError(
            f"`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}."
        )
    with metric_scope(name, "specificity_at_sensitivity", "specificity_at_sensitivity"):
        states = _at(labels, predictions, _thresholds(num_thresholds), weights, _KINDS)

        def compute(counts: dict[str, Any], label: str) -> Any:
            tp, fn, tn, fp = (counts[kind] for kind in _KINDS)
            distances = API["abs"](tp / (tp + fn + _EPSILON) - sensitivity)
            nearest = API["equal"](distances, API["reduce_min"](distances))
            index = API["cast"](API["where"](nearest)[-1, 0], int32)  # the highest threshold
            return named(tn[index] / (tn[index] + fp[index] + _EPSILON), label)

        values = [compute(*pair) for pair in zip(states, ("value", "update_op"), strict=True)]
        return collect_metric((values[0], values[1]), metrics_collections, updates_collections)


# ------------------------------------------------------------------ means


def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes one minus the mean cosine of unit vectors along a dimension; see ``mean``."""
    assert_graph("mean_cosine_distance")
    labels, predictions = same_shape(labels, predictions)
    products = API["reduce_sum"](
        API["cast"](labels, predictions.dtype) * predictions, [dim], keepdims=True
    )
    value, update = mean(products, weights, None, None, name or "mean_cosine_distance")
    pair = API["subtract"](1.0, value), API["subtract"](1.0, update)
    return collect_metric(pair, metrics_collections, updates_collections)


def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the mean over classes of the fractions of correct predictions; see ``mean``."""
    with metric_scope(name, "mean_accuracy", "mean_per_class_accuracy"):
        labels, predictions = (
            API["reshape"](API["cast"](convert_to_tensor(x), int64), [-1]) for x in (labels, predictions)
        )  # fmt: skip
        scale = API["ones_like"](labels, float32)
        if weights is not None:
            scale = API["reshape"](API["cast"](weights, float32), [-1]) * scale
        right = API["cast"](API["equal"](labels, predictions), float32)
        total, count = Sum("total", [num_classes]), Sum("count", [num_classes])
        sums = [
            API["math.unsorted_segment_sum"](x, labels, num_classes) for x in (scale, right * scale)
        ]
        value = API["reduce_mean"](API["math.divide_no_nan"](count.value, total.value))
        after = total.add(sums[0]), count.add(sums[1])
        update = named(API["math.divide_no_nan"](after[1], after[0]), "update_mean_accuracy_op")
        return collect_metric(
            (named(value, "mean_accuracy"), update), metrics_collections, updates_collections
        )
