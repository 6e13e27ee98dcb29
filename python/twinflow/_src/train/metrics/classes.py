"""Metric classes: means of losses and accuracies."""

from __future__ import annotations

from typing import Any

from twinflow._src.dispatch.op import API
from twinflow._src.train.losses import functions
from twinflow._src.train.losses import functions as entropies
from twinflow._src.train.losses.functions import same_rank
from twinflow._src.train.metrics import functions as hits
from twinflow._src.train.metrics.base import Mean, MeanMetricWrapper
from twinflow._src.variables.keras_variable import converted


class RootMeanSquaredError(Mean):
    """Root mean squared error; see ``Metric``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(self, name: str | None = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        """Accumulates samples; see ``MeanMetricWrapper``."""
        y_true, y_pred = same_rank(converted(y_true, self.dtype), converted(y_pred, self.dtype))
        super().update_state(API["square"](y_pred - y_true), sample_weight)

    def result(self) -> Any:
        """Returns the root of the mean."""
        return API["sqrt"](super().result())


def _mean_of(cls: str, function: Any, name: str, says: str) -> type[MeanMetricWrapper]:
    """Creates the metric class of a function without settings."""

    def __init__(self: Any, name: str | None = name, dtype: Any = None) -> None:
        MeanMetricWrapper.__init__(self, function, name, dtype)

    doc = f"{says}\n\nArgs:\n    name: The name.\n    dtype: The type of the state.\n"
    members = {"__init__": __init__, "__doc__": doc, "__module__": "twinflow.keras.metrics"}
    return type(cls, (MeanMetricWrapper,), members)


MeanSquaredError = _mean_of(
    "MeanSquaredError",
    functions.mean_squared_error,
    "mean_squared_error",
    "The mean squared error.",
)
MeanAbsoluteError = _mean_of(
    "MeanAbsoluteError",
    functions.mean_absolute_error,
    "mean_absolute_error",
    "The mean size of errors.",
)
MeanAbsolutePercentageError = _mean_of(
    "MeanAbsolutePercentageError",
    functions.mean_absolute_percentage_error,
    "mean_absolute_percentage_error",
    "The mean size of errors in percent.",
)
MeanSquaredLogarithmicError = _mean_of(
    "MeanSquaredLogarithmicError",
    functions.mean_squared_logarithmic_error,
    "mean_squared_logarithmic_error",
    "The mean squared error of logarithms.",
)
LogCoshError = _mean_of(
    "LogCoshError",
    functions.log_cosh,
    "logcosh",
    "The mean logarithm of hyperbolic cosines of errors.",
)
Hinge = _mean_of("Hinge", functions.hinge, "hinge", "The mean lack to a margin of 1.")
SquaredHinge = _mean_of(
    "SquaredHinge",
    functions.squared_hinge,
    "squared_hinge",
    "The mean squared lack to a margin of 1.",
)
CategoricalHinge = _mean_of(
    "CategoricalHinge",
    functions.categorical_hinge,
    "categorical_hinge",
    "The mean lack of the right class.",
)
KLDivergence = _mean_of(
    "KLDivergence",
    functions.kl_divergence,
    "kl_divergence",
    "The mean divergence of Kullback and Leibler.",
)
Poisson = _mean_of("Poisson", functions.poisson, "poisson", "The mean loss of counts.")
Accuracy = _mean_of("Accuracy", hits.accuracy, "accuracy", "How often predictions are right.")
CategoricalAccuracy = _mean_of(
    "CategoricalAccuracy",
    hits.categorical_accuracy,
    "categorical_accuracy",
    "How often the highest prediction is that of the right class.",
)
SparseCategoricalAccuracy = _mean_of(
    "SparseCategoricalAccuracy",
    hits.sparse_categorical_accuracy,
    "sparse_categorical_accuracy",
    "The same for classes by their numbers.",
)


class BinaryAccuracy(MeanMetricWrapper):
    """Accuracy of binary predictions at ``threshold``; see ``Metric``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(
        self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5
    ) -> None:
        super().__init__(hits.binary_accuracy, name, dtype, threshold=threshold)
        self.threshold = threshold


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """Rate at which the true class is among the top ``k`` predictions; see ``Metric``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(
        self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(hits.top_k_categorical_accuracy, name, dtype, k=k)
        self.k = k


class BinaryCrossentropy(MeanMetricWrapper):
    """Mean binary cross entropy; see ``Metric`` and ``binary_crossentropy``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(
        self,
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
    ) -> None:
        how = {"from_logits": from_logits, "label_smoothing": label_smoothing}
        super().__init__(entropies.binary_crossentropy, name, dtype, **how)


class CategoricalCrossentropy(MeanMetricWrapper):
    """Mean categorical cross entropy; see ``Metric`` and ``categorical_crossentropy``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(
        self,
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        label_smoothing: float = 0,
        axis: int = -1,
    ) -> None:
        how = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(entropies.categorical_crossentropy, name, dtype, **how)


class SparseCategoricalCrossentropy(MeanMetricWrapper):
    """Mean cross entropy of integer labels; see ``sparse_categorical_crossentropy``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(
        self,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
        from_logits: bool = False,
        axis: int = -1,
    ) -> None:
        how = {"from_logits": from_logits, "axis": axis}
        super().__init__(entropies.sparse_categorical_crossentropy, name, dtype, **how)
