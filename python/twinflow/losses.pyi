# Computed from the op table by tools/make_stubs.py.

from typing import Any, SupportsFloat, SupportsIndex

from twinflow._src.train.losses.classes import BinaryCrossentropy as BinaryCrossentropy
from twinflow._src.train.losses.classes import CategoricalCrossentropy as CategoricalCrossentropy
from twinflow._src.train.losses.classes import CategoricalHinge as CategoricalHinge
from twinflow._src.train.losses.classes import CosineSimilarity as CosineSimilarity
from twinflow._src.train.losses.classes import Hinge as Hinge
from twinflow._src.train.losses.classes import Huber as Huber
from twinflow._src.train.losses.classes import KLDivergence as KLDivergence
from twinflow._src.train.losses.classes import LogCosh as LogCosh
from twinflow._src.train.losses.classes import Loss as Loss
from twinflow._src.train.losses.classes import MeanAbsoluteError as MeanAbsoluteError
from twinflow._src.train.losses.classes import (
    MeanAbsolutePercentageError as MeanAbsolutePercentageError,
)
from twinflow._src.train.losses.classes import MeanSquaredError as MeanSquaredError
from twinflow._src.train.losses.classes import (
    MeanSquaredLogarithmicError as MeanSquaredLogarithmicError,
)
from twinflow._src.train.losses.classes import Poisson as Poisson
from twinflow._src.train.losses.classes import (
    SparseCategoricalCrossentropy as SparseCategoricalCrossentropy,
)
from twinflow._src.train.losses.classes import SquaredHinge as SquaredHinge
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

def KLD(y_true: Any, y_pred: Any) -> Any:
    """The divergence of Kullback and Leibler; see ``mean_squared_error``."""

def MAE(y_true: Any, y_pred: Any) -> Any:
    """The mean of absolute differences; see ``mean_squared_error``."""

def MAPE(y_true: Any, y_pred: Any) -> Any:
    """The mean of absolute differences in percent; see ``mean_squared_error``."""

def MSE(y_true: Any, y_pred: Any) -> Any:
    """The mean of squared differences."""

def MSLE(y_true: Any, y_pred: Any) -> Any:
    """The mean of squared differences of logarithms; see ``mean_squared_error``."""

def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: SupportsFloat = 0.0,
    axis: SupportsIndex = -1,
) -> Any:
    """The mean cross entropy of yes and no."""

def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: SupportsFloat = 0.0,
    axis: SupportsIndex = -1,
) -> Any:
    """The cross entropy between distributions over classes."""

def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """What the right class lacks to a margin over the best other one; see ``mean_squared_error``."""

def cosine_similarity(y_true: Any, y_pred: Any, axis: SupportsIndex = -1) -> Any:
    """Minus the cosine of the angle between vectors."""

def deserialize(name: Any, custom_objects: Any = None) -> Any:
    """Makes a loss of its description."""

def get(identifier: Any) -> Any:
    """Finds or makes a loss."""

def hinge(y_true: Any, y_pred: Any) -> Any:
    """How much predictions lack to a margin of 1; see ``mean_squared_error``."""

def huber(y_true: Any, y_pred: Any, delta: SupportsFloat = 1.0) -> Any:
    """Squares of small differences and the size of large ones."""

def logcosh(y_true: Any, y_pred: Any) -> Any:
    """The mean of logarithms of hyperbolic cosines; see ``mean_squared_error``."""

def poisson(y_true: Any, y_pred: Any) -> Any:
    """The loss of counts; see ``mean_squared_error``."""

def serialize(loss: Any) -> Any:
    """Describes a loss by plain values."""

def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: SupportsIndex | None = None,
    axis: SupportsIndex = -1,
) -> Any:
    """The cross entropy between classes and distributions over them."""

def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """The square of what predictions lack to a margin of 1; see ``mean_squared_error``."""
