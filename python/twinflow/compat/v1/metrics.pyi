# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsFloat, SupportsIndex

from twinflow._src.train.metrics import BinaryAccuracy as BinaryAccuracy
from twinflow._src.train.metrics import BinaryCrossentropy as BinaryCrossentropy
from twinflow._src.train.metrics import CategoricalCrossentropy as CategoricalCrossentropy
from twinflow._src.train.metrics import Mean as Mean
from twinflow._src.train.metrics import MeanMetricWrapper as MeanMetricWrapper
from twinflow._src.train.metrics import Metric as Metric
from twinflow._src.train.metrics import Precision as Precision
from twinflow._src.train.metrics import Recall as Recall
from twinflow._src.train.metrics import RootMeanSquaredError as RootMeanSquaredError
from twinflow._src.train.metrics import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
from twinflow._src.train.metrics import Sum as Sum
from twinflow._src.train.metrics import TopKCategoricalAccuracy as TopKCategoricalAccuracy
from twinflow.losses import KLD as KLD
from twinflow.losses import KLD as _kld
from twinflow.losses import KLD as _kullback_leibler_divergence
from twinflow.losses import MAE as MAE
from twinflow.losses import MAE as _mae
from twinflow.losses import MAPE as MAPE
from twinflow.losses import MAPE as _mape
from twinflow.losses import MSE as MSE
from twinflow.losses import MSE as _mse
from twinflow.losses import MSLE as MSLE
from twinflow.losses import MSLE as _msle
from twinflow.losses import binary_crossentropy as binary_crossentropy
from twinflow.losses import categorical_crossentropy as categorical_crossentropy
from twinflow.losses import categorical_hinge as categorical_hinge
from twinflow.losses import hinge as hinge
from twinflow.losses import huber as huber
from twinflow.losses import logcosh as logcosh
from twinflow.losses import poisson as poisson
from twinflow.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from twinflow.losses import squared_hinge as squared_hinge
from twinflow.metrics import Accuracy as Accuracy
from twinflow.metrics import CategoricalAccuracy as CategoricalAccuracy
from twinflow.metrics import CategoricalHinge as CategoricalHinge
from twinflow.metrics import Hinge as Hinge
from twinflow.metrics import KLDivergence as KLDivergence
from twinflow.metrics import LogCoshError as LogCoshError
from twinflow.metrics import MeanAbsoluteError as MeanAbsoluteError
from twinflow.metrics import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from twinflow.metrics import MeanSquaredError as MeanSquaredError
from twinflow.metrics import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from twinflow.metrics import Poisson as Poisson
from twinflow.metrics import SparseCategoricalAccuracy as SparseCategoricalAccuracy
from twinflow.metrics import SquaredHinge as SquaredHinge
from twinflow.metrics import binary_accuracy as binary_accuracy
from twinflow.metrics import categorical_accuracy as categorical_accuracy
from twinflow.metrics import deserialize as deserialize
from twinflow.metrics import get as get
from twinflow.metrics import serialize as serialize
from twinflow.metrics import sparse_categorical_accuracy as sparse_categorical_accuracy
from twinflow.metrics import sparse_top_k_categorical_accuracy as sparse_top_k_categorical_accuracy
from twinflow.metrics import top_k_categorical_accuracy as top_k_categorical_accuracy

kld = _kld
kullback_leibler_divergence = _kullback_leibler_divergence
mae = _mae
mape = _mape
mse = _mse
msle = _msle

def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the fraction of correct predictions so far; see ``mean``."""

def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: SupportsIndex = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> tuple[Any, Any]:
    """Computes the area under a curve, approximated at thresholds."""

def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: SupportsIndex,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the mean of the precisions at the ranks of the labels; see ``mean``."""

def false_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How many false negatives there were so far."""

def false_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How many false negatives there were at several thresholds."""

def false_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How many false positives there were so far."""

def false_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How many false positives there were at several thresholds."""

def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the mean of all values so far."""

def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean distance of predictions from labels so far; see ``mean``."""

def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: SupportsIndex,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes one minus the mean cosine of unit vectors along a dimension; see ``mean``."""

def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: SupportsIndex,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean over classes of intersections over unions; see ``mean``."""

def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: SupportsIndex,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the mean over classes of the fractions of correct predictions; see ``mean``."""

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

def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The mean of squared distances so far; see ``mean``."""

def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the elementwise mean of all values so far; see ``mean``."""

def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the fraction of values below a threshold so far; see ``mean``."""

def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The share of positive predictions that were right."""

def precision_at_k(
    labels: Any,
    predictions: Any,
    k: SupportsIndex,
    class_id: Any = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the precision of the k highest predictions; see ``mean``."""

def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The precision at several thresholds."""

def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: SupportsIndex | None = None,
    class_id: Any = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the precision of the indices of ranked predictions; see ``mean``."""

def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The share of positive labels that were predicted."""

def recall_at_k(
    labels: Any,
    predictions: Any,
    k: SupportsIndex,
    class_id: Any = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the recall of the k highest predictions; see ``mean``."""

def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The recall at several thresholds."""

def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: SupportsIndex | None = None,
    class_id: Any = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the recall of the indices of ranked predictions; see ``mean``."""

def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The root of the mean of squared distances so far; see ``mean``."""

def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: SupportsFloat,
    weights: Any = None,
    num_thresholds: SupportsIndex = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the sensitivity where the specificity is nearest to a number; see ``mean``."""

def sparse_average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: SupportsIndex,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the mean of the precisions at the ranks of the labels; see ``mean``."""

def sparse_precision_at_k(
    labels: Any,
    predictions: Any,
    k: SupportsIndex,
    class_id: Any = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the precision of the k highest predictions; see ``mean``."""

def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: SupportsFloat,
    weights: Any = None,
    num_thresholds: SupportsIndex = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Computes the specificity where the sensitivity is nearest to a number; see ``mean``."""

def true_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How many true negatives there were so far."""

def true_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How many true negatives there were at several thresholds."""

def true_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How many true positives there were so far."""

def true_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """How many true positives there were at several thresholds."""
