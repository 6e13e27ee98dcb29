"""Keras's metrics: sums, means of losses and accuracies, precision and recall."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.shapes import static_size
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.initializers.keras import type_of
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train import losses
from twinflow._src.train.descriptions import auto_name, build_from_config, described, within
from twinflow._src.train.losses import find, look_up, mean, same_rank
from twinflow._src.variables.keras_variable import Variable, converted, together

# Sums and means.


class Metric:
    """Base class of metrics. Subclasses define ``update_state`` and ``result``.

    Args:
        dtype: The dtype of the state; float32 if None.
        name: The name; derived from the class if None.
    """

    __module__ = "twinflow.keras"

    # Configuration keys of a class and the attributes that hold their values.
    _settings: ClassVar[dict[str, str]] = {}
    _own_variables: list[Variable]
    _metrics: list[Metric]

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        object.__setattr__(self, "_own_variables", [])
        object.__setattr__(self, "_metrics", [])
        self.name = name or auto_name(type(self).__name__)
        self._dtype = type_of(dtype).name

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Variable) and all(value is not other for other in self._own_variables):
            self._own_variables.append(value)
        if isinstance(value, Metric):
            self._metrics.append(value)
        object.__setattr__(self, name, value)

    @property
    def dtype(self) -> str:
        """The name of the dtype of the state."""
        return self._dtype

    @property
    def variables(self) -> list[Variable]:
        """The variables that hold the state."""
        return [*self._own_variables, *(v for metric in self._metrics for v in metric.variables)]

    def add_variable(
        self,
        shape: Any,
        initializer: Any,
        dtype: Any = None,
        aggregation: str = "sum",
        name: str | None = None,
    ) -> Variable:
        """Creates a variable of the metric.

        Args:
            shape: The shape.
            initializer: An initializer or its name.
            dtype: The dtype; float32 if None.
            aggregation: Aggregation of replicas.
            name: The name.

        Returns:
            The variable.
        """
        self._check_super_called()
        with within(self.name.replace("/", ">"), self):
            variable = Variable(
                initializer,
                shape,
                dtype,
                trainable=False,
                aggregation=aggregation,
                synchronization="on_read",
                name=name,
            )
        self._own_variables.append(variable)
        return variable

    def add_weight(
        self, shape: Any = (), initializer: Any = None, dtype: Any = None, name: str | None = None
    ) -> Variable:
        """Creates a variable of the metric; see ``add_variable``."""
        return self.add_variable(shape, initializer or "glorot_uniform", dtype, name=name)

    def _check_super_called(self) -> None:
        if "_own_variables" not in vars(self):
            raise RuntimeError(
                "You forgot to call `super().__init__()` in the `__init__()` method. Go add it!"
            )

    def reset_state(self) -> None:
        """Resets the state to zero."""
        for variable in self.variables:
            variable.assign(API["zeros"](variable.shape, variable.dtype))

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Accumulates values; to be overridden by subclasses."""
        raise NotImplementedError

    def result(self) -> Any:
        """Returns the metric of all values; to be overridden by subclasses."""
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Accumulates values and returns the metric of all values."""
        self._check_super_called()
        self.update_state(*args, **kwargs)
        return self.result()

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same metric."""
        settings = {name: getattr(self, field) for name, field in self._settings.items()}
        return {"name": self.name, "dtype": self.dtype, **settings}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Creates a metric from the result of ``get_config``."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def by_sample(
    values: Any, weights: Any, reduce: Callable[[Any, Any], Any], dtype: Any
) -> tuple[Any, Any]:
    """Returns a value and a weight per sample."""
    values = cast(values, dtype)
    if weights is not None:
        values, weights = same_rank(values, converted(weights, dtype))
        rank = len(weights.shape)
        if len(values.shape) > rank:
            values = reduce(values, list(range(rank, len(values.shape))))
        weights = API["broadcast_to"](weights, API["shape"](values))
        values = values * weights
        if rank > 1:
            weights = reduce(weights, list(range(1, rank)))
    if len(values.shape) > 1:
        values = reduce(values, list(range(1, len(values.shape))))
    return values, weights


class Sum(Metric):
    """Sum of values, weighted if weights are passed; see ``Metric``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Accumulates values.

        Args:
            values: The values.
            sample_weight: Weights of the values.
        """
        values, _ = by_sample(values, sample_weight, API["reduce_sum"], self.dtype)
        self.total.assign_add(API["reduce_sum"](values))

    def result(self) -> Any:
        """Returns the sum."""
        return cast(self.total, self.dtype)


class Mean(Metric):
    """Mean of values, weighted if weights are passed; see ``Metric``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")
        self.count = self.add_variable((), "zeros", self.dtype, name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Accumulates values; see ``Sum``."""
        values, weights = by_sample(values, sample_weight, mean, self.dtype)
        self.total.assign_add(API["reduce_sum"](values))
        if weights is not None:
            count = API["reduce_sum"](weights)
        else:
            count = API["shape"](values)[0] if len(values.shape) else 1
        self.count.assign_add(cast(count, self.dtype))

    def result(self) -> Any:
        """Returns the mean; 0 if there are no values."""
        return API["math.divide_no_nan"](cast(self.total, self.dtype), cast(self.count, self.dtype))


class MeanMetricWrapper(Mean):
    """Mean of a function of ground truth and predictions.

    Args:
        fn: The function; it returns a value per sample.
        name: The name.
        dtype: The dtype of the state.
        **kwargs: Additional arguments of the function.
    """

    __module__ = "twinflow.keras.metrics"

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(name, dtype)
        self._fn, self._fn_kwargs = fn, kwargs

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        """Accumulates samples.

        Args:
            y_true: The ground truth.
            y_pred: The predictions.
            sample_weight: Weights of the samples.
        """
        super().update_state(self._fn(y_true, y_pred, **self._fn_kwargs), sample_weight)

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same metric."""
        settings = {name: self._fn_kwargs[name] for name in self._fn_kwargs}
        return {"name": self.name, "dtype": self.dtype, **settings}


# Accuracy functions: 1 or 0 per sample.


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """Compares predictions with the ground truth.

    Args:
        y_true: The ground truth.
        y_pred: The predictions.

    Returns:
        A float32 tensor of ones and zeros.
    """
    y_pred = convert_to_tensor(y_pred)
    y_true, y_pred = same_rank(converted(y_true, y_pred.dtype), y_pred)
    return cast(API["equal"](y_true, y_pred), "float32")


@documented_like(accuracy)
def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """Compares predictions at a threshold with binary labels.

    Args:
        y_true: The labels, 0 or 1.
        threshold: The threshold.
    """
    y_true, y_pred = same_rank(convert_to_tensor(y_true), convert_to_tensor(y_pred))
    above = API["greater"](*together(y_pred, convert_to_tensor(threshold)))
    return cast(API["equal"](y_true, cast(above, y_true.dtype)), "float32")


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Compares the argmax of predictions with the true class; see ``accuracy``."""
    right = API["argmax"](convert_to_tensor(y_true), -1)
    return _matches(right, API["argmax"](convert_to_tensor(y_pred), -1))


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Compares the argmax of predictions with integer labels; see ``accuracy``."""
    y_pred = convert_to_tensor(y_pred)
    y_true = converted(y_true, y_pred.dtype)
    shape = API["shape"](y_true)
    column = len(y_true.shape) == len(y_pred.shape) and static_size(y_true.shape, -1) == 1
    if column:
        y_true = API["squeeze"](y_true, [-1])
    matches = _matches(y_true, cast(API["argmax"](y_pred, -1), y_true.dtype))
    matches = API["reshape"](matches, shape) if column else matches
    narrow = len(matches.shape) > 1 and static_size(matches.shape, -1) == 1
    return API["squeeze"](matches, [-1]) if narrow else matches


def _matches(y_true: Any, y_pred: Any) -> Any:
    return cast(API["equal"](y_true, y_pred), "float32")


@documented_like(accuracy)
def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Checks if the true class is among the top k predictions.

    Args:
        y_true: The true distributions.
        y_pred: The predicted distributions.
        k: The number of top predictions.
    """
    y_pred = convert_to_tensor(y_pred)
    return _among_best(API["argmax"](converted(y_true, y_pred.dtype), -1), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Checks if integer labels are in the top k predictions; see ``top_k_categorical_accuracy``."""
    return _among_best(converted(y_true, "int32"), convert_to_tensor(y_pred), k)


def _among_best(classes: Any, y_pred: Any, k: int) -> Any:
    shape = API["shape"](classes)
    if len(y_pred.shape) > 2:
        y_pred = API["reshape"](y_pred, [-1, static_size(y_pred.shape, -1)])
    flat = API["reshape"](classes, [-1]) if len(classes.shape) > 1 else classes
    matches = cast(API["math.in_top_k"](cast(flat, "int32"), y_pred, k), "float32")
    return API["reshape"](matches, shape) if len(classes.shape) > 1 else matches


# Means of losses and accuracies.


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


def _mean_of(cls: str, function: Any, name: str, doc: str) -> type[MeanMetricWrapper]:
    """Creates the metric class of a function without settings."""

    def __init__(self: Any, name: str | None = name, dtype: Any = None) -> None:
        MeanMetricWrapper.__init__(self, function, name, dtype)

    __init__.__qualname__ = f"{cls}.__init__"
    doc = f"{doc}\n\nArgs:\n    name: The name.\n    dtype: The type of the state.\n"
    members = {"__init__": __init__, "__doc__": doc, "__module__": "twinflow.keras.metrics"}
    return type(cls, (MeanMetricWrapper,), members)


MeanSquaredError = _mean_of(
    "MeanSquaredError", losses.mean_squared_error, "mean_squared_error", "The mean squared error."
)
MeanAbsoluteError = _mean_of(
    "MeanAbsoluteError",
    losses.mean_absolute_error,
    "mean_absolute_error",
    "The mean size of errors.",
)
MeanAbsolutePercentageError = _mean_of(
    "MeanAbsolutePercentageError",
    losses.mean_absolute_percentage_error,
    "mean_absolute_percentage_error",
    "The mean size of errors in percent.",
)
MeanSquaredLogarithmicError = _mean_of(
    "MeanSquaredLogarithmicError",
    losses.mean_squared_logarithmic_error,
    "mean_squared_logarithmic_error",
    "The mean squared error of logarithms.",
)
LogCoshError = _mean_of(
    "LogCoshError",
    losses.log_cosh,
    "logcosh",
    "The mean logarithm of hyperbolic cosines of errors.",
)
Hinge = _mean_of("Hinge", losses.hinge, "hinge", "The mean lack to a margin of 1.")
SquaredHinge = _mean_of(
    "SquaredHinge", losses.squared_hinge, "squared_hinge", "The mean squared lack to a margin of 1."
)
CategoricalHinge = _mean_of(
    "CategoricalHinge",
    losses.categorical_hinge,
    "categorical_hinge",
    "The mean lack of the right class.",
)
KLDivergence = _mean_of(
    "KLDivergence",
    losses.kl_divergence,
    "kl_divergence",
    "The mean divergence of Kullback and Leibler.",
)
Poisson = _mean_of("Poisson", losses.poisson, "poisson", "The mean loss of counts.")
Accuracy = _mean_of("Accuracy", accuracy, "accuracy", "How often predictions are right.")
CategoricalAccuracy = _mean_of(
    "CategoricalAccuracy",
    categorical_accuracy,
    "categorical_accuracy",
    "How often the highest prediction is that of the right class.",
)
SparseCategoricalAccuracy = _mean_of(
    "SparseCategoricalAccuracy",
    sparse_categorical_accuracy,
    "sparse_categorical_accuracy",
    "The same for classes by their numbers.",
)


class BinaryAccuracy(MeanMetricWrapper):
    """Accuracy of binary predictions at ``threshold``; see ``Metric``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(
        self, name: str | None = "binary_accuracy", dtype: Any = None, threshold: float = 0.5
    ) -> None:
        super().__init__(binary_accuracy, name, dtype, threshold=threshold)
        self.threshold = threshold


class TopKCategoricalAccuracy(MeanMetricWrapper):
    """Rate at which the true class is among the top ``k`` predictions; see ``Metric``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(
        self, k: int = 5, name: str | None = "top_k_categorical_accuracy", dtype: Any = None
    ) -> None:
        super().__init__(top_k_categorical_accuracy, name, dtype, k=k)
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
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing}
        super().__init__(losses.binary_crossentropy, name, dtype, **settings)


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
        settings = {"from_logits": from_logits, "label_smoothing": label_smoothing, "axis": axis}
        super().__init__(losses.categorical_crossentropy, name, dtype, **settings)


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
        settings = {"from_logits": from_logits, "axis": axis}
        super().__init__(losses.sparse_categorical_crossentropy, name, dtype, **settings)


# Precision and recall.


_LEAST = -1e10  # below any prediction
# For each count: True if the label is positive, True if the prediction is positive.
_COUNTS = {
    "true_positives": (True, True),
    "false_positives": (False, True),
    "true_negatives": (False, False),
    "false_negatives": (True, False),
}


def _thresholds(value: Any, default: float) -> list[Any]:
    values = value if isinstance(value, (list, tuple)) else [default if value is None else value]
    if value is not None and (invalid := [t for t in values if t is None or t < 0 or t > 1]):
        raise ValueError(f"Threshold values must be in [0, 1]. Received: {invalid}")
    return list(values)


class _Counting(Metric):
    """Base class of metrics that count predictions by threshold or top-k."""

    _counts: ClassVar[tuple[str, ...]] = ()

    def __init__(self, thresholds: Any, top_k: Any, class_id: Any, name: Any, dtype: Any) -> None:
        super().__init__(dtype, name)
        self.init_thresholds, self.top_k, self.class_id = thresholds, top_k, class_id
        self.thresholds = _thresholds(thresholds, 0.5 if top_k is None else _LEAST)
        for count in self._counts:
            setattr(self, count, self.add_variable((len(self.thresholds),), "zeros", name=count))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Accumulates counts of samples.

        Args:
            y_true: The labels, 0 or 1.
            y_pred: The predictions.
            sample_weight: Weights of the samples.
        """
        dtype = self.variables[0].dtype
        y_pred, y_true = same_rank(cast(y_pred, dtype), cast(y_true, dtype))
        if sample_weight is not None:
            weights = API["expand_dims"](cast(sample_weight, dtype), -1)
            sample_weight = same_rank(y_true, weights, False)[1]
        if self.top_k is not None:
            y_pred = _best(y_pred, self.top_k)
        if self.class_id is not None:
            y_true, y_pred = self._of_class(y_true, y_pred)
        if sample_weight is not None:
            sample_weight = API["reshape"](
                API["broadcast_to"](sample_weight, API["shape"](y_pred)), [1, -1]
            )
        self._count(y_true, y_pred, sample_weight, dtype)

    def _of_class(self, y_true: Any, y_pred: Any) -> tuple[Any, Any]:
        if len(y_pred.shape) == 1:
            raise ValueError(
                "When class_id is provided, y_pred must be a 2D array with shape (num_samples, "
                f"num_classes), found shape: {y_pred.shape}"
            )
        return y_true[..., self.class_id, None], y_pred[..., self.class_id, None]

    def _count(self, y_true: Any, y_pred: Any, weights: Any, dtype: Any) -> None:
        bounds = API["reshape"](cast(self.thresholds, dtype), [-1, 1])
        above = API["greater"](API["reshape"](y_pred, [1, -1]), bounds)
        positive = API["reshape"](cast(y_true, "bool"), [1, -1])
        for name in self._counts:
            label, prediction = (
                x if is_true else API["logical_not"](x)
                for x, is_true in zip((positive, above), _COUNTS[name])
            )
            hits = cast(API["logical_and"](label, prediction), dtype)
            hits = hits if weights is None else hits * weights
            getattr(self, name).assign_add(API["reduce_sum"](hits, 1))


def _best(x: Any, k: int) -> Any:
    """Masks all but the top k predictions with a value below any threshold."""
    indices = API["math.top_k"](x, k)[1]
    among = API["reduce_sum"](API["one_hot"](indices, API["shape"](x)[-1]), -2)
    return x * among + _LEAST * (1 - among)


class _Ratio(_Counting):
    """Ratio of the first count to the sum of both."""

    _settings = {"thresholds": "init_thresholds", "top_k": "top_k", "class_id": "class_id"}

    def __init__(
        self,
        thresholds: Any = None,
        top_k: Any = None,
        class_id: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(thresholds, top_k, class_id, name, dtype)

    def result(self) -> Any:
        """Returns the ratio, per threshold if there are several."""
        part, rest = (cast(getattr(self, name), getattr(self, name).dtype) for name in self._counts)
        share = API["math.divide_no_nan"](part, part + rest)
        return share[0] if len(self.thresholds) == 1 else share


class Precision(_Ratio):
    """Precision: the fraction of positive predictions that are true.

    Args:
        thresholds: Thresholds above which predictions are positive; 0.5 if None.
        top_k: If set, the top k predictions of a sample are positive instead.
        class_id: The only class to count.
        name: The name.
        dtype: The dtype of the state.

    Raises:
        ValueError: A threshold is not between 0 and 1.
    """

    __module__ = "twinflow.keras.metrics"

    _counts = ("true_positives", "false_positives")


class Recall(_Ratio):
    """Recall: the fraction of positive samples predicted as such; see ``Precision``."""

    __module__ = "twinflow.keras.metrics"

    _counts = ("true_positives", "false_negatives")


# Serialization and lookup by name.


def _find_metric(name: str) -> Any:
    return find(name, vars(losses) | globals(), Metric)


def serialize_metric(metric: Any) -> Any:
    """Serializes a metric; see ``serialize_loss``."""
    return described(metric, "keras.metrics")


def deserialize_metric(config: Any, custom_objects: Any = None) -> Any:
    """Creates a metric from its serialized form; see ``deserialize_loss``."""
    return build_from_config(config, _find_metric, custom_objects)


def get_metric(identifier: Any) -> Any:
    """Returns a metric by name, serialized form, class or callable; see ``get_loss``."""
    return look_up(identifier, _find_metric, "metric")
