"""Losses as objects: a function of samples, and how its values become one number."""

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
    """A way to make one number of many, if it is one."""
    if reduction not in _REDUCTIONS:
        raise ValueError(
            f"Invalid value for argument `reduction`. Expected one of {_REDUCTIONS}. Received: "
            f"reduction={reduction}"
        )
    return reduction


class Loss:
    """The base of losses. One of your own has ``call``.

    Args:
        name: The name; from that of the class where None.
        reduction: ``"sum_over_batch_size"`` or ``"mean"``, ``"sum"``, ``"mean_with_sample_weight"``, or
            None for a value for each sample.
        dtype: The type in which it is computed; float32 where None.

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
        """The name of the type in which it is computed."""
        return self._dtype

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The loss.

        Args:
            y_true: What is right.
            y_pred: What was predicted.
            sample_weight: How much samples count.

        Returns:
            A scalar, or a value for each sample.
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
        """The weights without those of samples that do not count."""
        return weights

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The values of samples; a loss of your own says how."""
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """What ``from_config`` needs to make the same loss again."""
        return {"name": self.name, "reduction": self.reduction}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes a loss of what ``get_config`` gave."""
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
    """A loss of a function of samples."""

    # Those of them that are part of the configuration.
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
        """The values of samples; see ``Loss``."""
        return self.fn(*same_rank(y_true, y_pred), **self._fn_kwargs)

    def get_config(self) -> dict[str, Any]:
        """What ``from_config`` needs to make the same loss again."""
        return super().get_config() | {name: self._fn_kwargs[name] for name in self._configured}

    def __repr__(self) -> str:
        return f"<LossFunctionWrapper({self.fn}, kwargs={self._fn_kwargs})>"


class MeanSquaredError(LossFunctionWrapper):
    """The mean of squared differences; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "mean_squared_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_squared_error, reduction, name, dtype)


class MeanAbsoluteError(LossFunctionWrapper):
    """The mean of absolute differences; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "mean_absolute_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_absolute_error, reduction, name, dtype)


class MeanAbsolutePercentageError(LossFunctionWrapper):
    """The mean of absolute differences in percent; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "mean_absolute_percentage_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_absolute_percentage_error, reduction, name, dtype)


class MeanSquaredLogarithmicError(LossFunctionWrapper):
    """The mean of squared differences of logarithms; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "mean_squared_logarithmic_error",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.mean_squared_logarithmic_error, reduction, name, dtype)


class CosineSimilarity(LossFunctionWrapper):
    """Minus the cosine of the angle between vectors along ``axis``; see ``Loss``."""

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
    """Squares of differences up to ``delta`` and the size of larger ones; see ``Loss``."""

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
    """The mean of logarithms of hyperbolic cosines; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "log_cosh",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.log_cosh, reduction, name, dtype)


class Hinge(LossFunctionWrapper):
    """What predictions lack to a margin of 1; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.hinge, reduction, name, dtype)


class SquaredHinge(LossFunctionWrapper):
    """The square of what predictions lack to a margin of 1; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "squared_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.squared_hinge, reduction, name, dtype)


class CategoricalHinge(LossFunctionWrapper):
    """What the right class lacks to a margin over the others; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "categorical_hinge",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.categorical_hinge, reduction, name, dtype)


class KLDivergence(LossFunctionWrapper):
    """The divergence of Kullback and Leibler; see ``Loss``."""

    __module__ = "twinflow.keras.losses"

    def __init__(
        self,
        reduction: Any = "sum_over_batch_size",
        name: str | None = "kl_divergence",
        dtype: Any = None,
    ) -> None:
        super().__init__(functions.kl_divergence, reduction, name, dtype)


class Poisson(LossFunctionWrapper):
    """The loss of counts; see ``Loss``."""

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
    """The cross entropy of yes and no; see ``Loss`` and ``binary_crossentropy``."""

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
    """The cross entropy between distributions; see ``Loss`` and ``categorical_crossentropy``."""

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
    """The cross entropy of classes; see ``Loss`` and ``sparse_categorical_crossentropy``."""

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
