"""Base class of metrics, sums and means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from twinflow._src.dispatch.op import API
from twinflow._src.initializers.keras_registry import type_of
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.descriptions import auto_name, within
from twinflow._src.train.losses.functions import mean, same_rank
from twinflow._src.variables.keras_variable import Variable, converted


class Metric:
    """Base class of metrics. Subclasses define ``update_state`` and ``result``.

    Args:
        dtype: The dtype of the state; float32 if None.
        name: The name; derived from the class if None.
    """

    __module__ = "twinflow.keras"

    # Configuration keys of a class and the attributes that hold their values.
    _settings: ClassVar[dict[str, str]] = {}
    _own: list[Variable]
    _metrics: list[Metric]

    def __init__(self, dtype: Any = None, name: str | None = None) -> None:
        object.__setattr__(self, "_own", [])
        object.__setattr__(self, "_metrics", [])
        self.name = name or auto_name(type(self).__name__)
        self._dtype = type_of(dtype).name

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, Variable) and all(value is not known for known in self._own):
            self._own.append(value)
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
        return [*self._own, *(v for metric in self._metrics for v in metric.variables)]

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
            made = Variable(
                initializer,
                shape,
                dtype,
                trainable=False,
                aggregation=aggregation,
                synchronization="on_read",
                name=name,
            )
        self._own.append(made)
        return made

    def add_weight(
        self, shape: Any = (), initializer: Any = None, dtype: Any = None, name: str | None = None
    ) -> Variable:
        """Creates a variable of the metric; see ``add_variable``."""
        return self.add_variable(shape, initializer or "glorot_uniform", dtype, name=name)

    def _check_super_called(self) -> None:
        if "_own" not in vars(self):
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
        settings = {name: getattr(self, held) for name, held in self._settings.items()}
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
