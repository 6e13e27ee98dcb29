"""Metrics as a family: state that values are added to, and sums and means of them."""

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
    """The base of metrics. One of your own has ``update_state`` and ``result``.

    Args:
        dtype: The type of the state; float32 where None.
        name: The name; from that of the class where None.
    """

    __module__ = "twinflow.keras"

    # The settings that are part of the configuration, after those of all metrics.
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
        """The name of the type of the state."""
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
        """Makes a variable of the metric.

        Args:
            shape: The shape.
            initializer: An initializer or its name.
            dtype: The type; float32 where None.
            aggregation: How copies of it would be combined.
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
        """Makes a variable of the metric; see ``add_variable``."""
        return self.add_variable(shape, initializer or "glorot_uniform", dtype, name=name)

    def _check_super_called(self) -> None:
        if "_own" not in vars(self):
            raise RuntimeError(
                "You forgot to call `super().__init__()` in the `__init__()` method. Go add it!"
            )

    def reset_state(self) -> None:
        """Forgets all values."""
        for variable in self.variables:
            variable.assign(API["zeros"](variable.shape, variable.dtype))

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        """Adds values; a metric of your own says how."""
        raise NotImplementedError

    def result(self) -> Any:
        """The metric of all values; a metric of your own says how."""
        raise NotImplementedError

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds values, and gives the metric of all values."""
        self._check_super_called()
        self.update_state(*args, **kwargs)
        return self.result()

    def get_config(self) -> dict[str, Any]:
        """What ``from_config`` needs to make the same metric again."""
        settings = {name: getattr(self, held) for name, held in self._settings.items()}
        return {"name": self.name, "dtype": self.dtype, **settings}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Makes a metric of what ``get_config`` gave."""
        return cls(**config)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name}>"


def by_sample(
    values: Any, weights: Any, reduce: Callable[[Any, Any], Any], dtype: Any
) -> tuple[Any, Any]:
    """A value and a weight for each sample."""
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
    """The sum of values, weighted where weights are given; see ``Metric``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(self, name: str | None = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Adds values.

        Args:
            values: The values.
            sample_weight: How much they count.
        """
        values, _ = by_sample(values, sample_weight, API["reduce_sum"], self.dtype)
        self.total.assign_add(API["reduce_sum"](values))

    def result(self) -> Any:
        """The sum."""
        return cast(self.total, self.dtype)


class Mean(Metric):
    """The mean of values, weighted where weights are given; see ``Metric``."""

    __module__ = "twinflow.keras.metrics"

    def __init__(self, name: str | None = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)
        self.total = self.add_variable((), "zeros", self.dtype, name="total")
        self.count = self.add_variable((), "zeros", self.dtype, name="count")

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        """Adds values; see ``Sum``."""
        values, weights = by_sample(values, sample_weight, mean, self.dtype)
        self.total.assign_add(API["reduce_sum"](values))
        if weights is not None:
            count = API["reduce_sum"](weights)
        else:
            count = API["shape"](values)[0] if len(values.shape) else 1
        self.count.assign_add(cast(count, self.dtype))

    def result(self) -> Any:
        """The mean; 0 of no values."""
        return API["math.divide_no_nan"](cast(self.total, self.dtype), cast(self.count, self.dtype))


class MeanMetricWrapper(Mean):
    """The mean of a function of what is right and what was predicted.

    Args:
        fn: The function; it gives a value for each sample.
        name: The name.
        dtype: The type of the state.
        **kwargs: More arguments of the function.
    """

    __module__ = "twinflow.keras.metrics"

    def __init__(
        self, fn: Callable[..., Any], name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(name, dtype)
        self._fn, self._fn_kwargs = fn, kwargs

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:  # type: ignore[override]
        """Adds samples.

        Args:
            y_true: What is right.
            y_pred: What was predicted.
            sample_weight: How much samples count.
        """
        super().update_state(self._fn(y_true, y_pred, **self._fn_kwargs), sample_weight)

    def get_config(self) -> dict[str, Any]:
        """What ``from_config`` needs to make the same metric again."""
        settings = {name: self._fn_kwargs[name] for name in self._fn_kwargs}
        return {"name": self.name, "dtype": self.dtype, **settings}
