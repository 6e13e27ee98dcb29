"""Schedules: rates that fall with the number of steps."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.scopes import name_scope
from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.python_scalars import power
from twinflow._src.train.schedules.base import LearningRateSchedule
from twinflow._src.variables.keras_variable import converted


def check_steps(steps: Any, name: str = "decay_steps") -> None:
    """Refuses a number of steps that is not positive."""
    if steps <= 0:
        raise ValueError(f"Argument `{name}` must be > 0. Received: {name}={steps}")


class _Decay(LearningRateSchedule):
    """What falls by a part of itself every so many steps.

    Args:
        initial_learning_rate: The first rate.
        decay_steps: The steps after which it has fallen once.
        decay_rate: How much it falls.
        staircase: Whether it stays in between.
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
        """The rate; see ``LearningRateSchedule``."""
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
    """Rates that hold between certain steps.

    Args:
        boundaries: The last step of each rate but the last one.
        values: The rates, one more.
        name: The name.

    Raises:
        ValueError: There are more or fewer rates.
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
        """The rate; see ``LearningRateSchedule``."""
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


class PolynomialDecay(LearningRateSchedule):
    """A rate that falls to an end along a power of the steps that are left.

    Args:
        initial_learning_rate: The first rate.
        decay_steps: After how many steps it is at its end.
        end_learning_rate: The last rate.
        power: The power.
        cycle: Whether it rises again after the end, to fall over more steps.
        name: The name.

    Raises:
        ValueError: ``decay_steps`` is not positive.
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
        """The rate; see ``LearningRateSchedule``."""
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
