"""Schedules that follow a cosine."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.scopes import name_scope
from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.python_scalars import cosine, logarithm, power
from twinflow._src.train.schedules.base import LearningRateSchedule
from twinflow._src.train.schedules.classes import check_steps
from twinflow._src.variables.keras_variable import converted


class CosineDecay(LearningRateSchedule):
    """A rate that falls along half a cosine, maybe after rising along a line.

    Args:
        initial_learning_rate: The first rate.
        decay_steps: The steps of the fall.
        alpha: The last rate as a part of that from which it falls.
        name: The name.
        warmup_target: The rate to rise to; None for no rise.
        warmup_steps: The steps of the rise.

    Raises:
        ValueError: ``decay_steps`` is not positive.
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
        """The rate; see ``LearningRateSchedule``."""
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
    """A rate that falls along half a cosine, again and again.

    Args:
        initial_learning_rate: The first rate.
        first_decay_steps: The steps of the first fall.
        t_mul: By what the steps of each fall are more than those of the one before.
        m_mul: By what the rate at the start of each fall is more.
        alpha: The last rate of a fall as a part of the first rate.
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
        self.initial_learning_rate, self.first_decay_steps = initial_learning_rate, first_decay_steps
        self.t_mul, self.m_mul, self.alpha, self.name = t_mul, m_mul, alpha, name
        check_steps(first_decay_steps, "first_decay_steps")

    def __call__(self, step: Any) -> Any:
        """The rate; see ``LearningRateSchedule``."""
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
    """How many falls are over, and how much of the present one."""

    def alike() -> tuple[Any, Any]:
        times = API["floor"](done)
        return times, done - times

    def growing() -> tuple[Any, Any]:
        logs = logarithm(1.0 - done * (1.0 - longer)), logarithm(longer)
        times = API["floor"](logs[0] / logs[1])
        length = power(longer, times)
        return times, (done - (1.0 - length) / (1.0 - longer)) / length

    return API["cond"](API["equal"](longer, 1.0), alike, growing)
