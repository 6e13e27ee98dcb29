"""Learning rate schedules: exponential, inverse time, piecewise, polynomial and cosine decay."""

from __future__ import annotations

import math
from typing import Any, ClassVar, TypeVar

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.scopes import name_scope
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.math import cosine, logarithm, power
from twinflow._src.train.descriptions import build_from_config, described
from twinflow._src.variables.keras_variable import converted

# Base class and serialization.


SCHEDULES = "keras.optimizers.schedules"
_CLASSES: dict[str, type] = {}
C = TypeVar("C", bound=type)


class LearningRateSchedule:
    """Base class of learning rate schedules: ``__call__`` returns the rate of a step."""

    __module__ = "twinflow.keras.optimizers.schedules"

    # Names of the attributes that make up the configuration.
    _config: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__module__.split(".")[0] == "twinflow":
            _CLASSES[cls.__name__] = cls

    def __call__(self, step: Any) -> Any:
        """Returns the learning rate.

        Args:
            step: The number of completed steps.

        Returns:
            A scalar.
        """
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )

    def get_config(self) -> dict[str, Any]:
        """Returns the configuration, from which ``from_config`` creates the same schedule."""
        if not self._config:
            raise NotImplementedError(
                f"Learning rate schedule '{type(self).__name__}' must override `get_config()` in order "
                "to be serializable."
            )
        return {name: getattr(self, name) for name in self._config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """Creates a schedule from the result of ``get_config``."""
        return cls(**config)


def described_schedule(learning_rate_schedule: Any) -> Any:
    """Serializes a schedule.

    Args:
        learning_rate_schedule: A schedule.

    Returns:
        A dictionary.
    """
    return described(learning_rate_schedule, SCHEDULES)


def revived(config: Any, custom_objects: Any = None) -> Any:
    """Creates a schedule from its serialized form.

    Args:
        config: The result of ``serialize``.
        custom_objects: Additional classes by name.

    Returns:
        A schedule.
    """
    return build_from_config(config, _CLASSES.get, custom_objects, "decay")


described_schedule.__name__, revived.__name__ = "serialize", "deserialize"


# Decay schedules.


def check_steps(steps: Any, name: str = "decay_steps") -> None:
    """Raises ValueError for a number of steps that is not positive."""
    if steps <= 0:
        raise ValueError(f"Argument `{name}` must be > 0. Received: {name}={steps}")


class _Decay(LearningRateSchedule):
    """Learning rate that decays with the number of steps.

    Args:
        initial_learning_rate: The initial rate.
        decay_steps: The number of steps per decay.
        decay_rate: The decay rate.
        staircase: If True, the rate is constant between decays.
        name: The name.

    Raises:
        ValueError: ``decay_steps`` is not positive.
    """

    _config = ("initial_learning_rate", "decay_steps", "decay_rate", "staircase", "name")

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        decay_rate: Any,
        staircase: bool = False,
        name: str | None = None,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.decay_rate, self.staircase = decay_rate, staircase
        self.name = type(self).__name__ if name is None else name
        check_steps(decay_steps)

    def __call__(self, step: Any) -> Any:
        """Returns the learning rate; see ``LearningRateSchedule``."""
        with name_scope(self.name):
            first = convert_to_tensor(self.initial_learning_rate)
            steps, rate = cast(self.decay_steps, first.dtype), cast(self.decay_rate, first.dtype)
            part = converted(step, first.dtype) / steps
            return self._fallen(first, rate, API["floor"](part) if self.staircase else part)

    def _fallen(self, first: Any, rate: Any, part: Any) -> Any:
        raise NotImplementedError


class ExponentialDecay(_Decay):
    __module__ = "twinflow.keras.optimizers.schedules"
    __doc__ = _Decay.__doc__

    def _fallen(self, first: Any, rate: Any, part: Any) -> Any:
        return first * power(rate, part)


class InverseTimeDecay(_Decay):
    __module__ = "twinflow.keras.optimizers.schedules"
    __doc__ = _Decay.__doc__

    def _fallen(self, first: Any, rate: Any, part: Any) -> Any:
        return first / (cast(1, first.dtype) + rate * part)


class PiecewiseConstantDecay(LearningRateSchedule):
    """Learning rate that is constant between boundaries.

    Args:
        boundaries: The last step of each rate except the last one.
        values: The rates, one more than boundaries.
        name: The name.

    Raises:
        ValueError: The number of values is not one more than that of boundaries.
    """

    __module__ = "twinflow.keras.optimizers.schedules"

    _config = ("boundaries", "values", "name")

    def __init__(self, boundaries: Any, values: Any, name: str = "PiecewiseConstant") -> None:
        if len(boundaries) != len(values) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. Received: "
                f"boundaries={boundaries} of length {len(boundaries)}, and values={values} of length "
                f"{len(values)}."
            )
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step: Any) -> Any:
        """Returns the learning rate; see ``LearningRateSchedule``."""
        with name_scope(self.name):
            step = convert_to_tensor(step)
            bounds = [cast(convert_to_tensor(b), step.dtype) for b in self.boundaries]
            values = [convert_to_tensor(v) for v in self.values]
            dtype = values[0].dtype
            rate = cast(0, dtype) + cast(step <= bounds[0], dtype) * values[0]
            rate += cast(step > bounds[-1], dtype) * values[-1]
            for low, high, value in zip(bounds, bounds[1:], values[1:-1]):
                rate += cast((step > low) & (step <= high), dtype) * value
            return rate


@documented_like(_Decay)
class PolynomialDecay(LearningRateSchedule):
    """Learning rate that decays to an end value along a power of the remaining steps.

    Args:
        decay_steps: The number of steps until the end value.
        end_learning_rate: The end value.
        power: The exponent.
        cycle: If True, the decay is stretched to a multiple of ``decay_steps`` beyond the end.
    """

    __module__ = "twinflow.keras.optimizers.schedules"

    _config = (
        "initial_learning_rate", "decay_steps", "end_learning_rate", "power", "cycle", "name"
    )  # fmt: skip

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        end_learning_rate: Any = 0.0001,
        power: Any = 1.0,
        cycle: bool = False,
        name: str = "PolynomialDecay",
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power = end_learning_rate, power
        self.cycle, self.name = cycle, name
        check_steps(decay_steps)

    def __call__(self, step: Any) -> Any:
        """Returns the learning rate; see ``LearningRateSchedule``."""
        with name_scope(self.name):
            first = convert_to_tensor(self.initial_learning_rate)
            last, order = cast(self.end_learning_rate, first.dtype), cast(self.power, first.dtype)
            step, steps = converted(step, first.dtype), cast(self.decay_steps, first.dtype)
            if self.cycle:
                times = API["math.ceil"](step / steps)
                steps = steps * API["where"](API["equal"](step, 0), cast(1.0, first.dtype), times)
            else:
                step = API["minimum"](step, steps)
            return (first - last) * power(1 - step / steps, order) + last


# Cosine decay.


@documented_like(_Decay)
class CosineDecay(LearningRateSchedule):
    """Learning rate with cosine decay, after an optional linear warmup.

    Args:
        decay_steps: The number of steps of the decay.
        alpha: The end value as a fraction of the rate before the decay.
        warmup_target: The rate after the warmup; None for no warmup.
        warmup_steps: The number of steps of the warmup.
    """

    __module__ = "twinflow.keras.optimizers.schedules"

    _config = (
        "initial_learning_rate", "decay_steps", "alpha", "name", "warmup_target", "warmup_steps"
    )  # fmt: skip

    def __init__(
        self,
        initial_learning_rate: Any,
        decay_steps: Any,
        alpha: Any = 0.0,
        name: str = "CosineDecay",
        warmup_target: Any = None,
        warmup_steps: Any = 0,
    ) -> None:
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.alpha, self.name = alpha, name
        self.warmup_target, self.warmup_steps = warmup_target, warmup_steps
        check_steps(decay_steps)

    def __call__(self, step: Any) -> Any:
        """Returns the learning rate; see ``LearningRateSchedule``."""
        with name_scope(self.name):
            first = convert_to_tensor(self.initial_learning_rate)
            step, steps = converted(step, first.dtype), cast(self.decay_steps, first.dtype)
            if self.warmup_target is None:
                return self._fall(API["minimum"](step, steps), steps, first)
            top, rise = cast(self.warmup_target, first.dtype), cast(self.warmup_steps, first.dtype)
            step = API["minimum"](step, steps + rise)
            return API["cond"](
                step < rise,
                lambda: (top - first) * (step / rise) + first,
                lambda: self._fall(step - rise, steps, top),
            )

    def _fall(self, step: Any, steps: Any, rate: Any) -> Any:
        part = step / steps
        height = 0.5 * (1.0 + cosine(cast(math.pi, part.dtype) * part))
        return rate * ((1 - self.alpha) * height + self.alpha)


class CosineDecayRestarts(LearningRateSchedule):
    """Learning rate with repeated cosine decay (warm restarts).

    Args:
        initial_learning_rate: The initial rate.
        first_decay_steps: The number of steps of the first period.
        t_mul: Factor of the number of steps of each period relative to the previous one.
        m_mul: Factor of the initial rate of each period relative to the previous one.
        alpha: The minimum rate as a fraction of the initial rate.
        name: The name.

    Raises:
        ValueError: ``first_decay_steps`` is not positive.
    """

    __module__ = "twinflow.keras.optimizers.schedules"

    _config = ("initial_learning_rate", "first_decay_steps", "t_mul", "m_mul", "alpha", "name")

    def __init__(
        self,
        initial_learning_rate: Any,
        first_decay_steps: Any,
        t_mul: Any = 2.0,
        m_mul: Any = 1.0,
        alpha: Any = 0.0,
        name: str = "SGDRDecay",
    ) -> None:
        self.initial_learning_rate, self.first_decay_steps = (
            initial_learning_rate,
            first_decay_steps,
        )
        self.t_mul, self.m_mul, self.alpha, self.name = t_mul, m_mul, alpha, name
        check_steps(first_decay_steps, "first_decay_steps")

    def __call__(self, step: Any) -> Any:
        """Returns the learning rate; see ``LearningRateSchedule``."""
        with name_scope(self.name):
            first = convert_to_tensor(self.initial_learning_rate)
            steps, alpha, longer, higher = (
                cast(x, first.dtype)
                for x in (self.first_decay_steps, self.alpha, self.t_mul, self.m_mul)
            )
            times, part = _within_fall(converted(step, first.dtype) / steps, longer)
            start = power(higher, times)
            height = 0.5 * start * (1.0 + cosine(cast(math.pi, first.dtype) * part))
            return first * ((1 - alpha) * height + alpha)


def _within_fall(done: Any, longer: Any) -> tuple[Any, Any]:
    """Returns the number of completed periods, and the completed fraction of the current one."""

    def alike() -> tuple[Any, Any]:
        times = API["floor"](done)
        return times, done - times

    def growing() -> tuple[Any, Any]:
        logs = logarithm(1.0 - done * (1.0 - longer)), logarithm(longer)
        times = API["floor"](logs[0] / logs[1])
        length = power(longer, times)
        return times, (done - (1.0 - length) / (1.0 - longer)) / length

    return API["cond"](API["equal"](longer, 1.0), alike, growing)
