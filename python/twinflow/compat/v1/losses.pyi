# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsFloat

from twinflow._src.compat_v1.losses import Reduction as Reduction
from twinflow._src.train.losses import BinaryCrossentropy as BinaryCrossentropy
from twinflow._src.train.losses import CategoricalCrossentropy as CategoricalCrossentropy
from twinflow._src.train.losses import CosineSimilarity as CosineSimilarity
from twinflow._src.train.losses import Huber as Huber
from twinflow._src.train.losses import Loss as Loss
from twinflow._src.train.losses import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
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
from twinflow.losses import CategoricalHinge as CategoricalHinge
from twinflow.losses import Hinge as Hinge
from twinflow.losses import KLDivergence as KLDivergence
from twinflow.losses import LogCosh as LogCosh
from twinflow.losses import MeanAbsoluteError as MeanAbsoluteError
from twinflow.losses import MeanAbsolutePercentageError as MeanAbsolutePercentageError
from twinflow.losses import MeanSquaredError as MeanSquaredError
from twinflow.losses import MeanSquaredLogarithmicError as MeanSquaredLogarithmicError
from twinflow.losses import Poisson as Poisson
from twinflow.losses import SquaredHinge as SquaredHinge
from twinflow.losses import binary_crossentropy as binary_crossentropy
from twinflow.losses import categorical_crossentropy as categorical_crossentropy
from twinflow.losses import categorical_hinge as categorical_hinge
from twinflow.losses import cosine_similarity as cosine_similarity
from twinflow.losses import deserialize as deserialize
from twinflow.losses import get as get
from twinflow.losses import hinge as hinge
from twinflow.losses import huber as huber
from twinflow.losses import logcosh as logcosh
from twinflow.losses import poisson as poisson
from twinflow.losses import serialize as serialize
from twinflow.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from twinflow.losses import squared_hinge as squared_hinge

kld = _kld
kullback_leibler_divergence = _kullback_leibler_divergence
mae = _mae
mape = _mape
mse = _mse
msle = _msle

def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> Any:
    """Computes the mean absolute error; see ``compute_weighted_loss``."""

def add_loss(loss: Any, loss_collection: Any = "losses") -> None:
    """Adds a loss to a collection of the graph; no effect in eager execution."""

def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: Any = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> Any:
    """Computes the weighted and reduced loss, and adds it to a collection."""

def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: Any = None,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
    dim: Any = None,
) -> Any:
    """Computes the cosine distance of unit vectors; see ``compute_weighted_loss``."""

def get_losses(scope: str | None = None, loss_collection: Any = "losses") -> list[Any]:
    """Returns the losses of the graph."""

def get_regularization_loss(
    scope: str | None = None, name: str = "total_regularization_loss"
) -> Any:
    """Returns the sum of the regularization losses."""

def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Returns the regularization losses of the graph."""

def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Any:
    """Returns the sum of all losses."""

def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> Any:
    """Computes the hinge loss; see ``compute_weighted_loss``."""

def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: SupportsFloat = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> Any:
    """Computes the Huber loss; see ``compute_weighted_loss``."""

def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: SupportsFloat = 1e-07,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> Any:
    """Computes the log loss of probabilities; see ``compute_weighted_loss``."""

def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
) -> Any:
    """Computes the mean squared error of pairwise differences of elements per sample."""

def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> Any:
    """Computes the mean squared error; see ``compute_weighted_loss``."""

def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: SupportsFloat = 0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> Any:
    """Computes the sigmoid cross entropy; see ``compute_weighted_loss``."""

def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: SupportsFloat = 0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> Any:
    """Computes the softmax cross entropy with one-hot labels; see ``compute_weighted_loss``."""

def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = "weighted_sum_by_nonzero_weights",
) -> Any:
    """Computes the softmax cross entropy with integer labels; see ``compute_weighted_loss``."""
