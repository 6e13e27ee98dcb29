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

kld = _kld
kullback_leibler_divergence = _kullback_leibler_divergence
mae = _mae
mape = _mape
mse = _mse
msle = _msle

class Accuracy(MeanMetricWrapper):
    """How often predictions are right."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class CategoricalAccuracy(MeanMetricWrapper):
    """How often the highest prediction is that of the right class."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class CategoricalHinge(MeanMetricWrapper):
    """The mean lack of the right class."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Hinge(MeanMetricWrapper):
    """The mean lack to a margin of 1."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class KLDivergence(MeanMetricWrapper):
    """The mean divergence of Kullback and Leibler."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class LogCoshError(MeanMetricWrapper):
    """The mean logarithm of hyperbolic cosines of errors."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class MeanAbsoluteError(MeanMetricWrapper):
    """The mean size of errors."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class MeanAbsolutePercentageError(MeanMetricWrapper):
    """The mean size of errors in percent."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class MeanSquaredError(MeanMetricWrapper):
    """The mean squared error."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class MeanSquaredLogarithmicError(MeanMetricWrapper):
    """The mean squared error of logarithms."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Poisson(MeanMetricWrapper):
    """The mean loss of counts."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class SparseCategoricalAccuracy(MeanMetricWrapper):
    """The same for classes by their numbers."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class SquaredHinge(MeanMetricWrapper):
    """The mean squared lack to a margin of 1."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

def binary_accuracy(y_true: Any, y_pred: Any, threshold: SupportsFloat = 0.5) -> Any:
    """Compares predictions at a threshold with binary labels."""

def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Compares the argmax of predictions with the true class; see ``accuracy``."""

def deserialize(config: Any, custom_objects: Any = None) -> Any:
    """Creates a metric from its serialized form; see ``deserialize_loss``."""

def get(identifier: Any) -> Any:
    """Returns a metric by name, serialized form, class or callable; see ``get_loss``."""

def serialize(metric: Any) -> Any:
    """Serializes a metric; see ``serialize_loss``."""

def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Compares the argmax of predictions with integer labels; see ``accuracy``."""

def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: SupportsIndex = 5) -> Any:
    """Checks if integer labels are in the top k predictions; see ``top_k_categorical_accuracy``."""

def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: SupportsIndex = 5) -> Any:
    """Checks if the true class is among the top k predictions."""
