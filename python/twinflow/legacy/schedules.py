"""Learning rates that depend on the number of steps, as functions of ``tf.compat.v1.train``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..constant import convert_to_tensor
from ..graphs.default import executing_eagerly
from ..op import API


def _rate(compute: Callable[[], Any]) -> Any:
    """The rate in a graph; where operations run at once a function that gives it."""
    return compute if executing_eagerly() else compute()


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """A rate that changes at some steps.

    Args:
        x: The number of steps.
        boundaries: The last steps with each value but the last one.
        values: The rates, one more than boundaries.
        name: A name.

    Raises:
        ValueError: There are not as many values as needed.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def compute() -> Any:
        step = API["identity"](x)
        limits = convert_to_tensor(list(boundaries), step.dtype.base_dtype)
        passed = API["cast"](API["greater"](step, limits), "int32")
        return API["gather"](convert_to_tensor(list(values)), API["reduce_sum"](passed), name=name)

    return _rate(compute)


def _progress(learning_rate: Any, global_step: Any, decay_steps: Any, staircase: bool) -> tuple[Any, Any]:
    rate = convert_to_tensor(learning_rate)
    share = API["cast"](API["identity"](global_step), rate.dtype) / API["cast"](convert_to_tensor(decay_steps), rate.dtype)
    return rate, API["floor"](share) if staircase else share


def exponential_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False, name: str | None = None
) -> Any:
    """A rate that is multiplied by a factor every so many steps.

    Args:
        learning_rate: The first rate.
        global_step: The number of steps.
        decay_steps: How many.
        decay_rate: The factor.
        staircase: Whether it changes at once.
        name: A name.
    """

    def compute() -> Any:
        rate, share = _progress(learning_rate, global_step, decay_steps, staircase)
        return API["multiply"](rate, API["pow"](convert_to_tensor(decay_rate, rate.dtype), share), name=name)

    return _rate(compute)


def natural_exp_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False, name: str | None = None
) -> Any:
    """``exponential_decay`` with a factor that is given by its negative logarithm."""
    return exponential_decay(learning_rate, global_step, decay_steps, math.exp(-decay_rate), staircase, name)


def inverse_time_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False, name: str | None = None
) -> Any:
    """A rate divided by a number that grows evenly; see ``exponential_decay``."""

    def compute() -> Any:
        rate, share = _progress(learning_rate, global_step, decay_steps, staircase)
        return API["divide"](rate, 1 + convert_to_tensor(decay_rate, rate.dtype) * share, name=name)

    return _rate(compute)


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: float = 0.0, name: str | None = None
) -> Any:
    """A rate that falls along half a cosine to a share ``alpha``; see ``exponential_decay``."""

    def compute() -> Any:
        rate, share = _progress(learning_rate, global_step, decay_steps, False)
        fallen = 0.5 * (1.0 + API["cos"](math.pi * API["minimum"](share, 1.0)))
        return API["multiply"](rate, (1 - alpha) * fallen + alpha, name=name)

    return _rate(compute)


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """A rate that falls to another one along a power.

    Args:
        learning_rate: The first rate.
        global_step: The number of steps.
        decay_steps: How many steps it takes.
        end_learning_rate: The last rate.
        power: The power.
        cycle: Whether it begins again, with more steps, when it is there.
        name: A name.
    """

    def compute() -> Any:
        rate, share = _progress(learning_rate, global_step, decay_steps, False)
        if cycle:
            rounds = API["maximum"](API["math.ceil"](share), 1.0)
            share = share / rounds
        else:
            share = API["minimum"](share, 1.0)
        last = convert_to_tensor(end_learning_rate, rate.dtype)
        fallen = (rate - last) * API["pow"](1.0 - share, convert_to_tensor(power, rate.dtype))
        return API["add"](fallen, last, name=name)

    return _rate(compute)
