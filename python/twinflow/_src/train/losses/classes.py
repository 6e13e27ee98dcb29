"""Loss classes: a function of samples and a reduction of its values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from twinflow._src.core.scopes import name_scope
from twinflow._src.dispatch.op import API
from twinflow._src.initializers.keras_registry import type_of
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.descriptions import auto_name
from twinflow._src.train.losses import functions
from twinflow._src.train.losses import functions as entropies
from twinflow._src.train.losses.functions import same_rank
from twinflow._src.variables.keras_variable import converted

_REDUCTIONS = {"sum_over_batch_size", "sum", None, "none", "mean", "mean_with_sample_weight"}
_MEANS = ("sum_over_batch_size", "mean", "mean_with_sample_weight")


def checked_reduction(reduction: Any) -> Any:
    """Returns a reduction; raises ValueError for an unknown one."""
    if reduction not in _REDUCTIONS:
        raise ValueError(
            f"Invalid value for argument `reduction`. Expected one of {_REDUCTIONS}. Received: "
            f"reduction={reduction}"
        )
    return reduction


class Loss:
    """Base class of losses. Subclasses define ``call``.

    Args:
        name: The name; derived from the class if None.
        reduction: ``"sum_over_batch_size"`` or ``"mean"``, ``"sum"``,
            ``"mean_with_sample_weight"``, or None for no reduction.
        dtype: The dtype of the computation; float32 if None.

    Raises:
        ValueError: There is no such reduction.
    """

    __module__ = "twinflow.keras"

    def __init__(
        self, name: str | None = None, reduction: Any = "sum_over_batch_size", dtype: Any = None
    ) -> None:
        self.name = name or auto_name(type(self).__name__)
        self.reduction = checked_reduction(reduction)
        self._dtype = type_of(dtype).name

    @property
    def dtype(self) -> str:
        """The name of the dtype of the computation."""
        return self._dtype

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Computes the loss.

        Args:
            y_true: The ground truth.
            y_pred: The predictions.
            sample_weight: Weights of the samples.

        Returns:
            A scalar, or a value per sample.
        """
        with name_scope(self.name):
            y_pred, y_true = (converted(y, self._dtype) for y in (y_pred, y_true))
            values = converted(self.call(y_true, y_pred), self._dtype)
            weights = None if sample_weight is None else converted(sample_weight, self._dtype)
            weights = self._masked(y_true, weights)
            if weights is not None:
                values, weights = same_rank(values, weights)
                values = values * weights
            return _reduced(values, weights, self.reduction)

    def _masked(self, y_true: Any, weights: Any) -> Any:
        """Returns the weights, with those of ignored samples set to zero."""
        return weights

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Computes the values of samples; to be overridden by subclasses."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same loss."""
        return {"name": self.name, "reduction": self.reduction}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Creates a loss from the result of ``get_config``."""
        return cls(**config)


def _reduced(values: Any, weights: Any, reduction: Any) -> Any:
    if reduction in (None, "none") or values.shape._dims in ((), (0,)):
        return values
    total = API["reduce_sum"](values)
    if reduction not in _MEANS:
        return total
    if reduction == "mean_with_sample_weight" and weights is not None:
        count = cast(API["reduce_sum"](weights), total.dtype)
    else:
        count = cast(API["size"](values), total.dtype)
    return API["math.divide_no_nan"](total, count)


class LossFunctionWrapper(Loss):
    """Loss computed by a function of samples."""

    # Arguments of the function that are part of the configuration.
    _configured: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        fn: Callable[..., Any],
        reduction: Any = "sum_over_batch_size",
        name: str | None = None,
        dtype: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name, reduction, dtype)
        self.fn, self._fn_kwargs = fn, kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """Computes the values of samples; see ``Loss``."""
        return self.fn(*same_rank(y_true, y_pred), **self._fn_kwargs)

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same loss."""
        return super().get_config() | {name: self._fn_kwargs[name] for name in self._configured}

    def __repr__(self) -> str:
        return f"<LossFunctionWrapper({self.fn}, kwargs={self._fn_kwargs})>"


class MeanSquaredError(LossFunctionWrapper):
    """Mean squared error; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "mean_squared_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_squared_error, reduction, name, dtype)


class MeanAbsoluteError(LossFunctionWrapper):
    """Mean absolute error; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "mean_absolute_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_absolute_error, reduction, name, dtype)


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """Mean absolute percentage error; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_absolute_percentage_error, reduction, name, dtype)


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """Mean squared logarithmic error; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_squared_logarithmic_error, reduction, name, dtype)


class CosineSimilarity(LossFunctionWrapper):
    """Negative cosine similarity of vectors along ``axis``; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        axis: int = -1,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "cosine_similarity",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.cosine_similarity, reduction, name, dtype, axis=axis)


class Huber(LossFunctionWrapper):
    """Huber loss: quadratic up to ``delta``, linear beyond; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        delta: float = 1.0,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "huber_loss",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.huber, reduction, name, dtype, delta=delta)


class LogCosh(LossFunctionWrapper):
    """Mean of log(cosh(error)); see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "log_cosh",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.log_cosh, reduction, name, dtype)


class Hinge(LossFunctionWrapper):
    """Hinge loss, ``max(1 - y_true * y_pred, 0)``; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.hinge, reduction, name, dtype)


class SquaredHinge(LossFunctionWrapper):
    """Squared hinge loss; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "squared_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.squared_hinge, reduction, name, dtype)


class CategoricalHinge(LossFunctionWrapper):
    """Categorical hinge loss: margin of the true class over the best other class; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "categorical_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.categorical_hinge, reduction, name, dtype)


class KLDivergence(LossFunctionWrapper):
    """Kullback-Leibler divergence; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "kl_divergence",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.kl_divergence, reduction, name, dtype)


class Poisson(LossFunctionWrapper):
    """Poisson loss; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "poisson",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.poisson, reduction, name, dtype)


class _Crossentropy(LossFunctionWrapper):
    _configured = ("from_logits", "label_smoothing", "axis")


class BinaryCrossentropy(_Crossentropy):
    """Binary cross entropy; see ``Loss`` and ``binary_crossentropy``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "binary_crossentropy",
        dtype: Any = None,
    ) -> None:
        how = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(entropies.binary_crossentropy, reduction, name, dtype, **how)


class CategoricalCrossentropy(_Crossentropy):
    """Categorical cross entropy; see ``Loss`` and ``categorical_crossentropy``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        from_logits: bool = False,
        label_smoothing: float = 0.0,
        axis: int = -1,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        how = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(entropies.categorical_crossentropy, reduction, name, dtype, **how)


class SparseCategoricalCrossentropy(LossFunctionWrapper):
    """Cross entropy of integer labels; see ``Loss`` and ``sparse_categorical_crossentropy``."""

    __module__ = "twinflow.keras.losses"

    _configured = ("from_logits", "ignore_class")

    def __init__(
        self,
        from_logits: bool = False,
        ignore_class: int | None = None,
        reduction: Any = "sum_over_batch_size",
        axis: int = -1,
        name: str | None = "sparse_categorical_crossentropy",
        dtype: Any = None,
    ) -> None:
        how = {"from_logits": from_logits, "ignore_class": ignore_class, "axis": axis}
        super().__init__(entropies.sparse_categorical_crossentropy, reduction, name, dtype, **how)

    def _masked(self, y_true: Any, weights: Any) -> Any:
        ignored = self._fn_kwargs["ignore_class"]
        if ignored is None:
            return weights
        counts = cast(API["not_equal"](y_true, cast(ignored, y_true.dtype)), self._dtype)
        if self.reduction in ("mean", "sum_over_batch_size"):
            share = cast(API["size"](counts), self._dtype)
            counts = counts * API["math.divide_no_nan"](share, API["reduce_sum"](counts))
        if weights is None:
            return counts
        counts, weights = same_rank(counts, weights)
        return weights * counts
