# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsFloat, SupportsIndex

from twinflow._src.train.losses import BinaryCrossentropy as BinaryCrossentropy
from twinflow._src.train.losses import CategoricalCrossentropy as CategoricalCrossentropy
from twinflow._src.train.losses import CosineSimilarity as CosineSimilarity
from twinflow._src.train.losses import Huber as Huber
from twinflow._src.train.losses import Loss as Loss
from twinflow._src.train.losses import LossFunctionWrapper
from twinflow._src.train.losses import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
from twinflow.losses import KLD as _kld
from twinflow.losses import KLD as _kullback_leibler_divergence
from twinflow.losses import MAE as _mae
from twinflow.losses import MAPE as _mape
from twinflow.losses import MSE as _mse
from twinflow.losses import MSLE as _msle

kld = _kld
kullback_leibler_divergence = _kullback_leibler_divergence
mae = _mae
mape = _mape
mse = _mse
msle = _msle

class CategoricalHinge(LossFunctionWrapper):
    """Categorical hinge loss: margin of the true class over the best other class; see ``Loss``."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Hinge(LossFunctionWrapper):
    """Hinge loss, ``max(1 - y_true * y_pred, 0)``; see ``Loss``."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

def KLD(y_true: Any, y_pred: Any) -> Any:
    """Computes the Kullback-Leibler divergence; see ``mean_squared_error``."""

class KLDivergence(LossFunctionWrapper):
    """Kullback-Leibler divergence; see ``Loss``."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class LogCosh(LossFunctionWrapper):
    """Mean of log(cosh(error)); see ``Loss``."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

def MAE(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean absolute error; see ``mean_squared_error``."""

def MAPE(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean absolute percentage error; see ``mean_squared_error``."""

def MSE(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean squared error."""

def MSLE(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean squared logarithmic error; see ``mean_squared_error``."""

class MeanAbsoluteError(LossFunctionWrapper):
    """Mean absolute error; see ``Loss``."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class MeanAbsolutePercentageError(LossFunctionWrapper):
    """Mean absolute percentage error; see ``Loss``."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class MeanSquaredError(LossFunctionWrapper):
    """Mean squared error; see ``Loss``."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """Mean squared logarithmic error; see ``Loss``."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class Poisson(LossFunctionWrapper):
    """Poisson loss; see ``Loss``."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

class SquaredHinge(LossFunctionWrapper):
    """Squared hinge loss; see ``Loss``."""
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: SupportsFloat = 0.0,
    axis: SupportsIndex = -1,
) -> Any:
    """Computes the mean binary cross entropy."""

def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: SupportsFloat = 0.0,
    axis: SupportsIndex = -1,
) -> Any:
    """Computes the cross entropy between distributions over classes."""

def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """Computes the categorical hinge loss; see ``mean_squared_error``."""

def cosine_similarity(y_true: Any, y_pred: Any, axis: SupportsIndex = -1) -> Any:
    """Computes the negative cosine similarity of vectors."""

def deserialize(name: Any, custom_objects: Any = None) -> Any:
    """Creates a loss from its serialized form."""

def get(identifier: Any) -> Any:
    """Returns a loss by name, serialized form, class or callable."""

def hinge(y_true: Any, y_pred: Any) -> Any:
    """Computes the hinge loss, ``max(1 - y_true * y_pred, 0)``; see ``mean_squared_error``."""

def huber(y_true: Any, y_pred: Any, delta: SupportsFloat = 1.0) -> Any:
    """Computes the Huber loss: quadratic for small errors, linear for large ones."""

def logcosh(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean of log(cosh(error)); see ``mean_squared_error``."""

def poisson(y_true: Any, y_pred: Any) -> Any:
    """Computes the Poisson loss; see ``mean_squared_error``."""

def serialize(loss: Any) -> Any:
    """Serializes a loss."""

def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
) -> Any:
    """Computes the cross entropy between integer labels and distributions over classes."""

def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """Computes the squared hinge loss; see ``mean_squared_error``."""
