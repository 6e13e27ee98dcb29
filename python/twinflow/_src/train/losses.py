"""Keras's losses: functions of samples, and classes that reduce their values.

Functions return a value per sample. Cross entropies take probabilities or logits.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any, ClassVar

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.scopes import name_scope
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, OPS, documented_like
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.initializers.keras import type_of
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.descriptions import auto_name, build_from_config, described
from twinflow._src.variables.keras_variable import converted, together

# Regression.


EPSILON = 1e-7


def mean(x: Any, axis: Any = None) -> Any:
    """Returns the mean along axes; dtypes of fewer than 32 bits are accumulated in float32."""
    if x.dtype.is_floating and x.dtype.size >= 4:
        return API["reduce_mean"](x, axis)
    result = API["reduce_mean"](cast(x, "float32"), axis)
    return cast(result, x.dtype) if x.dtype.is_floating else result


def same_rank(x: Any, y: Any, expands: bool = True) -> tuple[Any, Any]:
    """Squeezes or expands the last axis of size 1 so that two tensors have the same rank."""
    a, b = len(x.shape), len(y.shape)
    if a == b + 1 and static_size(x.shape, -1) == 1:
        if b == 1 and expands:
            return x, API["expand_dims"](y, -1)
        return API["squeeze"](x, [-1]), y
    if b == a + 1 and static_size(y.shape, -1) == 1:
        if a == 1 and expands:
            return API["expand_dims"](x, -1), y
        return x, API["squeeze"](y, [-1])
    return x, y


def _pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    y_pred = convert_to_tensor(y_pred)
    return converted(y_true, y_pred.dtype), y_pred


def _alike(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    return same_rank(*_pair(y_true, y_pred))


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean squared error.

    Args:
        y_true: The ground truth.
        y_pred: The predictions.

    Returns:
        A tensor without the last axis.
    """
    y_true, y_pred = _alike(y_true, y_pred)
    return mean(API["square"](y_true - y_pred), -1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean absolute error; see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    return mean(API["abs"](y_true - y_pred), -1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean absolute percentage error; see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    least = convert_to_tensor(EPSILON, y_pred.dtype)
    return 100.0 * mean(
        API["abs"]((y_true - y_pred) / API["maximum"](API["abs"](y_true), least)), -1
    )


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean squared logarithmic error; see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    least = convert_to_tensor(EPSILON)
    logs = (API["math.log"](API["maximum"](*together(y, least)) + 1.0) for y in (y_pred, y_true))
    return mean(API["square"](next(logs) - next(logs)), -1)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """Computes the negative cosine similarity of vectors.

    Args:
        y_true: The ground truth.
        y_pred: The predictions.
        axis: The axis of the vectors.

    Returns:
        A tensor without that axis.
    """
    y_true, y_pred = (_normalized(y, axis) for y in _alike(y_true, y_pred))
    return -API["reduce_sum"](y_true * y_pred, axis)


def _normalized(x: Any, axis: int) -> Any:
    x = x if x.dtype.is_floating else cast(x, "float32")
    scale = API["math.rsqrt"](API["reduce_sum"](API["square"](x), axis, True))
    return x * API["minimum"](scale, 1.0 / EPSILON)


@documented_like(mean_squared_error)
def huber(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Computes the Huber loss: quadratic for small errors, linear for large ones.

    Args:
        delta: The threshold between both.
    """
    y_true, y_pred = _alike(y_true, y_pred)
    bound, half = (convert_to_tensor(x, y_pred.dtype) for x in (delta, 0.5))
    error = y_pred - y_true
    size = API["abs"](error)
    large = bound * size - half * API["square"](bound)
    return mean(API["where"](size <= bound, half * API["square"](error), large), -1)


def log_cosh(y_true: Any, y_pred: Any) -> Any:
    """Computes the mean of log(cosh(error)); see ``mean_squared_error``."""
    y_true, y_pred = _alike(y_true, y_pred)
    x, log2 = y_pred - y_true, convert_to_tensor(math.log(2.0), y_pred.dtype)
    return mean(x + API["nn.softplus"](x * -2.0) - log2, -1)


# Margin losses.


def _signs(y_true: Any) -> Any:
    """Converts labels of 0 and 1 to -1 and 1; leaves others unchanged."""
    binary = API["reduce_all"](API["equal"](y_true, 0) | API["equal"](y_true, 1))
    return API["cond"](binary, lambda: 2.0 * y_true - 1.0, lambda: y_true)


def hinge(y_true: Any, y_pred: Any) -> Any:
    """Computes the hinge loss, ``max(1 - y_true * y_pred, 0)``; see ``mean_squared_error``."""
    return mean(_margin_errors(y_true, y_pred), -1)


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """Computes the squared hinge loss; see ``mean_squared_error``."""
    return mean(API["square"](_margin_errors(y_true, y_pred)), -1)


def _margin_errors(y_true: Any, y_pred: Any) -> Any:
    y_pred = convert_to_tensor(y_pred)
    y_true = _signs(cast(y_true, y_pred.dtype))
    return API["maximum"](1.0 - y_true * y_pred, 0.0)


def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """Computes the categorical hinge loss; see ``mean_squared_error``."""
    y_pred = convert_to_tensor(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    right = API["reduce_sum"](y_true * y_pred, -1)
    wrong = API["reduce_max"]((1.0 - y_true) * y_pred, -1)
    return API["maximum"](wrong - right + 1.0, cast(0.0, y_pred.dtype))


# Divergences and cross entropies.


def kl_divergence(y_true: Any, y_pred: Any) -> Any:
    """Computes the Kullback-Leibler divergence; see ``mean_squared_error``."""
    y_true, y_pred = (API["clip_by_value"](y, EPSILON, 1.0) for y in _pair(y_true, y_pred))
    return API["reduce_sum"](y_true * API["math.log"](y_true / y_pred), -1)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """Computes the Poisson loss; see ``mean_squared_error``."""
    y_true, y_pred = _pair(y_true, y_pred)
    least = convert_to_tensor(EPSILON, as_dtype(y_pred.dtype))
    return mean(y_pred - y_true * API["math.log"](y_pred + least), -1)


def _logits(output: Any, from_logits: bool, type: str, name: str) -> tuple[Any, bool]:
    """Replaces probabilities computed by a Softmax or Sigmoid op of the graph by its logits."""
    is_activation = isinstance(output, SymbolicTensor) and output.op.type == type
    if is_activation and from_logits:
        warnings.warn(
            f'"`{name}` received `from_logits=True`, but the `output` argument was produced by a {type} '
            "activation and thus does not represent logits. Was this intended?",
            stacklevel=3,
        )
    return (output.op.inputs[0], True) if is_activation else (output, from_logits)


def _check_alike(target: Any, output: Any) -> None:
    shapes = f"Received: target.shape={target.shape}, output.shape={output.shape}"
    if len(target.shape) != len(output.shape):
        raise ValueError(
            f"Arguments `target` and `output` must have the same rank (ndim). {shapes}"
        )
    if not target.shape.is_compatible_with(output.shape):
        raise ValueError(f"Arguments `target` and `output` must have the same shape. {shapes}")


def _inside(output: Any) -> Any:
    return API["clip_by_value"](output, EPSILON, 1.0 - EPSILON)


@documented_like(cosine_similarity)
def categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Computes the cross entropy between distributions over classes.

    Args:
        y_true: The true distributions.
        y_pred: The predicted distributions.
        from_logits: True if predictions are logits.
        label_smoothing: Fraction of the true distributions that is spread over all classes.
        axis: The axis of the classes.

    Raises:
        ValueError: The shapes differ, or ``axis`` is a bool.
    """
    if isinstance(axis, bool):
        raise ValueError(
            f"`axis` must be of type `int`. Received: axis={axis} of type {type(axis)}"
        )
    y_pred = convert_to_tensor(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    if static_size(y_pred.shape, -1) == 1:
        _warn_of_one_class("categorical_crossentropy", y_pred)
    if label_smoothing:
        classes = cast(API["shape"](y_true)[-1], y_pred.dtype)
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / classes
    return _categorical(y_true, y_pred, from_logits, axis)


def _warn_of_one_class(name: str, y_pred: Any) -> None:
    warnings.warn(
        f"In loss {name}, expected y_pred.shape to be (batch_size, num_classes) with num_classes > 1. "
        f"Received: y_pred.shape={y_pred.shape}. Consider using 'binary_crossentropy' if you only have "
        "2 classes.",
        SyntaxWarning,
        stacklevel=3,
    )


def _categorical(target: Any, output: Any, from_logits: bool, axis: int) -> Any:
    if len(target.shape) < 1:
        raise ValueError(
            "Arguments `target` and `output` must be at least rank 1. Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    _check_alike(target, output)
    output, from_logits = _logits(
        output, from_logits, OPS["Softmax"].type, "categorical_crossentropy"
    )
    if from_logits:
        return API["nn.softmax_cross_entropy_with_logits"](target, output, axis)
    output = _inside(output / API["reduce_sum"](output, axis, True))
    return -API["reduce_sum"](target * API["math.log"](output), axis)


@documented_like(categorical_crossentropy)
def sparse_categorical_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    ignore_class: int | None = None,
    axis: int = -1,
) -> Any:
    """Computes the cross entropy between integer labels and distributions over classes.

    Args:
        y_true: The true classes.
        ignore_class: A class without loss, or None.
        axis: The axis of the classes, the last one.

    Raises:
        ValueError: The shapes are incompatible, or the axis is not the last one.
    """
    y_true, y_pred = (y if hasattr(y, "shape") else convert_to_tensor(y) for y in (y_true, y_pred))
    if len(y_true.shape) == len(y_pred.shape) and static_size(y_true.shape, axis) == 1:
        y_true = API["squeeze"](y_true, [axis])
    if ignore_class is None:
        return _sparse(y_true, convert_to_tensor(y_pred), from_logits, axis)
    valid = API["not_equal"](y_true, cast(ignore_class, y_true.dtype))
    y_true = API["where"](valid, y_true, API["zeros_like"](y_true))
    y_pred = API["where"](API["expand_dims"](valid, axis), y_pred, API["zeros_like"](y_pred))
    losses = _sparse(y_true, y_pred, from_logits, axis)
    return API["where"](valid, losses, API["zeros_like"](losses))


def _sparse(target: Any, output: Any, from_logits: bool, axis: int) -> Any:
    if axis not in (-1, len(output.shape) - 1):
        raise ValueError(f"Only axis=-1 is currently supported. Received: axis={axis}")
    output, from_logits = _logits(
        output, from_logits, OPS["Softmax"].type, "sparse_categorical_crossentropy"
    )
    target = cast(target, "int64")
    _check_sparse(target, output)
    if not from_logits:
        output = API["math.log"](_inside(output))
    return API["nn.sparse_softmax_cross_entropy_with_logits"](target, output)


def _check_sparse(target: Any, output: Any) -> None:
    if len(output.shape) < 1:
        raise ValueError(
            f"Argument `output` must be at least rank 1. Received: output.shape={output.shape}"
        )
    if len(target.shape) != len(output.shape) - 1:
        raise ValueError(
            "Argument `output` must have rank (ndim) `target.ndim - 1`. Received: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )
    if not target.shape.is_compatible_with(output.shape[:-1]):
        raise ValueError(
            "Arguments `target` and `output` must have the same shape up until the last dimension: "
            f"target.shape={target.shape}, output.shape={output.shape}"
        )


@documented_like(categorical_crossentropy)
def binary_crossentropy(
    y_true: Any,
    y_pred: Any,
    from_logits: bool = False,
    label_smoothing: float = 0.0,
    axis: int = -1,
) -> Any:
    """Computes the mean binary cross entropy.

    Args:
        y_true: The labels, 0 or 1.
        y_pred: The predicted probabilities of 1.
        label_smoothing: Fraction by which labels are moved towards 0.5.
        axis: The axis of the mean.

    Raises:
        ValueError: The shapes differ.
    """
    y_pred = convert_to_tensor(y_pred)
    y_true = cast(y_true, y_pred.dtype)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    return mean(_binary(y_true, y_pred, from_logits), axis)


def _binary(target: Any, output: Any, from_logits: bool) -> Any:
    _check_alike(target, output)
    output, from_logits = _logits(output, from_logits, OPS["Sigmoid"].type, "binary_crossentropy")
    if from_logits:
        return API["nn.sigmoid_cross_entropy_with_logits"](target, output)
    output = _inside(output)
    log, log_rest = API["math.log"](output), API["math.log"](1 - output)
    return -(target * log + (1 - target) * log_rest)


# Classes.


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


def _loss_of(cls: str, function: Callable[..., Any], doc: str) -> type[LossFunctionWrapper]:
    """Creates the loss class of a function without settings."""

    def __init__(
        self: Any,
        reduction: Any = "sum_over_batch_size",
        name: str | None = function.__name__,
        dtype: Any = None,
    ) -> None:
        LossFunctionWrapper.__init__(self, function, reduction, name, dtype)

    __init__.__qualname__ = f"{cls}.__init__"
    doc = f"{doc}; see ``Loss``."
    members = {"__init__": __init__, "__doc__": doc, "__module__": "twinflow.keras.losses"}
    return type(cls, (LossFunctionWrapper,), members)


MeanSquaredError = _loss_of("MeanSquaredError", mean_squared_error, "Mean squared error")
MeanAbsoluteError = _loss_of("MeanAbsoluteError", mean_absolute_error, "Mean absolute error")
MeanAbsolutePercentageError = _loss_of(
    "MeanAbsolutePercentageError", mean_absolute_percentage_error, "Mean absolute percentage error"
)
MeanSquaredLogarithmicError = _loss_of(
    "MeanSquaredLogarithmicError", mean_squared_logarithmic_error, "Mean squared logarithmic error"
)
LogCosh = _loss_of("LogCosh", log_cosh, "Mean of log(cosh(error))")
Hinge = _loss_of("Hinge", hinge, "Hinge loss, ``max(1 - y_true * y_pred, 0)``")
SquaredHinge = _loss_of("SquaredHinge", squared_hinge, "Squared hinge loss")
CategoricalHinge = _loss_of(
    "CategoricalHinge",
    categorical_hinge,
    "Categorical hinge loss: margin of the true class over the best other class",
)
KLDivergence = _loss_of("KLDivergence", kl_divergence, "Kullback-Leibler divergence")
Poisson = _loss_of("Poisson", poisson, "Poisson loss")


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
        super().__init__(cosine_similarity, reduction, name, dtype, axis=axis)


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
        super().__init__(huber, reduction, name, dtype, delta=delta)


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
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(binary_crossentropy, reduction, name, dtype, **settings)


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
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(categorical_crossentropy, reduction, name, dtype, **settings)


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
        settings = {"from_logits": from_logits, "ignore_class": ignore_class, "axis": axis}
        super().__init__(sparse_categorical_crossentropy, reduction, name, dtype, **settings)

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


# Serialization and lookup by name.

_SHORT = {
    "bce": "binary_crossentropy",
    "kld": "kl_divergence",
    "mae": "mean_absolute_error",
    "mse": "mean_squared_error",
    "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error",
}


def find(name: str, namespace: dict[str, Any], base: type) -> Any:
    """Returns the subclass of a base class, or function of samples, of a name; None if missing."""
    name = _SHORT.get(name, _SHORT.get(name.lower(), name) if name.isupper() else name)
    item = namespace.get(name)
    if inspect.isclass(item):
        return item if issubclass(item, base) and not name.startswith("_") else None
    is_loss = inspect.isfunction(item) and [*inspect.signature(item).parameters][:1] == ["y_true"]
    return item if is_loss and not name.startswith("_") else None


def look_up(identifier: Any, find_name: Callable[[str], Any], kind: str) -> Any:
    """Returns the loss or metric of a name, serialized form, class or callable."""
    if identifier is None:
        return None
    item = identifier
    if isinstance(identifier, dict):
        item = build_from_config(identifier, find_name, None)
    elif isinstance(identifier, str):
        item = find_name(identifier)
    if not callable(item):
        raise ValueError(f"Could not interpret {kind} identifier: {identifier}")
    return item() if inspect.isclass(item) else item


def _find_loss(name: str) -> Any:
    return find(name, globals(), Loss)


def serialize_loss(loss: Any) -> Any:
    """Serializes a loss.

    Args:
        loss: A loss or a function.

    Returns:
        A dictionary, or the name of a function.
    """
    return described(loss, "keras.losses")


def deserialize_loss(name: Any, custom_objects: Any = None) -> Any:
    """Creates a loss from its serialized form.

    Args:
        name: The result of ``serialize``, or a name.
        custom_objects: Additional classes and functions by name.

    Returns:
        A loss or a function.
    """
    return build_from_config(name, _find_loss, custom_objects)


@documented_like(deserialize_loss)
def get_loss(identifier: Any) -> Any:
    """Returns a loss by name, serialized form, class or callable.

    Args:
        identifier: A name, a serialized form, a class, or a callable; None is returned unchanged.

    Raises:
        ValueError: The identifier is not a loss.
    """
    return look_up(identifier, _find_loss, "loss")
