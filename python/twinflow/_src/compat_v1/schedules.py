"""Learning rate schedules of ``tf.compat.v1.train``."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.graph.default_graph import executing_eagerly


def _rate(compute: Callable[[str | None], Any], scope: str, name: str | None) -> Any:
    """Returns the rate in a graph; in eager execution, a function that computes it."""
    # ``compute`` takes the name of the last op.
    if executing_eagerly():
        return lambda: compute(None)
    with thread.scope.graph.name_scope(name or scope) as path:
        return compute(path)


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """Returns a rate that is constant between boundaries.

    Args:
        x: The number of steps.
        boundaries: The last step of each value except the last one.
        values: The rates, one more than boundaries.
        name: A name.

    Raises:
        ValueError: The number of values is not one more than that of boundaries.
    """
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")

    def compute(path: str | None) -> Any:
        step = API["identity"](x)
        limits = convert_to_tensor(list(boundaries), step.dtype.base_dtype)
        passed = API["cast"](API["greater"](step, limits), "int32")
        return API["gather"](convert_to_tensor(list(values)), API["reduce_sum"](passed))

    return _rate(compute, "PiecewiseConstant", name)


def _progress(
    learning_rate: Any, global_step: Any, decay_steps: Any, staircase: bool
) -> tuple[Any, Any]:
    rate = convert_to_tensor(learning_rate)
    share = API["cast"](API["identity"](global_step), rate.dtype) / API["cast"](
        convert_to_tensor(decay_steps), rate.dtype
    )
    return rate, API["floor"](share) if staircase else share


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Returns a rate with exponential decay.

    Args:
        learning_rate: The initial rate.
        global_step: The number of steps.
        decay_steps: The number of steps per decay.
        decay_rate: The factor per decay.
        staircase: If True, the rate is constant between decays.
        name: A name.
    """

    def compute(path: str | None) -> Any:
        rate, share = _progress(learning_rate, global_step, decay_steps, staircase)
        return API["multiply"](
            rate, API["pow"](convert_to_tensor(decay_rate, rate.dtype), share), name=path
        )

    return _rate(compute, "ExponentialDecay", name)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Returns a rate with factor ``exp(-decay_rate)`` per decay; see ``exponential_decay``."""
    return exponential_decay(
        learning_rate, global_step, decay_steps, math.exp(-decay_rate), staircase, name
    )


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Any:
    """Returns a rate with inverse time decay; see ``exponential_decay``."""

    def compute(path: str | None) -> Any:
        rate, share = _progress(learning_rate, global_step, decay_steps, staircase)
        return API["divide"](rate, 1 + convert_to_tensor(decay_rate, rate.dtype) * share, name=path)

    return _rate(compute, "InverseTimeDecay", name)


def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Returns a rate with cosine decay to the fraction ``alpha``; see ``exponential_decay``."""

    def compute(path: str | None) -> Any:
        rate, share = _progress(learning_rate, global_step, decay_steps, False)
        fallen = 0.5 * (1.0 + API["cos"](math.pi * API["minimum"](share, 1.0)))
        return API["multiply"](rate, (1 - alpha) * fallen + alpha)

    return _rate(compute, "CosineDecay", name)


@documented_like(exponential_decay)
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Any:
    """Returns a rate with polynomial decay.

    Args:
        decay_steps: The number of steps of the decay.
        end_learning_rate: The end value.
        power: The exponent.
        cycle: If True, the decay is stretched to a multiple of ``decay_steps`` beyond the end.
    """

    def compute(path: str | None) -> Any:
        rate, share = _progress(learning_rate, global_step, decay_steps, False)
        if cycle:
            rounds = API["maximum"](API["math.ceil"](share), 1.0)
            share = share / rounds
        else:
            share = API["minimum"](share, 1.0)
        last = convert_to_tensor(end_learning_rate, rate.dtype)
        fallen = (rate - last) * API["pow"](1.0 - share, convert_to_tensor(power, rate.dtype))
        return API["add"](fallen, last, name=path)

    return _rate(compute, "PolynomialDecay", name)


@documented_like(exponential_decay)
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: float = 2.0,
    m_mul: float = 1.0,
    alpha: float = 0.0,
    name: str | None = None,
) -> Any:
    """Returns a rate with repeated cosine decay (warm restarts).

    Args:
        first_decay_steps: The number of steps of the first period.
        t_mul: Factor of the length of each period relative to the previous one.
        m_mul: Factor of the initial rate of each period relative to the previous one.
        alpha: The minimum rate as a fraction of the initial rate.
    """

    def compute(path: str | None) -> Any:
        rate, share = _progress(learning_rate, global_step, first_decay_steps, False)
        if t_mul == 1.0:
            round_ = API["floor"](share)
            share = share - round_
        else:
            round_ = API["floor"](API["math.log"](1.0 - share * (1.0 - t_mul)) / math.log(t_mul))
            before = (1.0 - t_mul**round_) / (1.0 - t_mul)
            share = (share - before) / t_mul**round_
        fallen = 0.5 * m_mul**round_ * (1.0 + API["cos"](math.pi * share))
        return API["multiply"](rate, (1 - alpha) * fallen + alpha, name=path)

    return _rate(compute, "SGDRDecay", name)


@documented_like(polynomial_decay)
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Any:
    """Returns a rate with linear cosine decay.

    Args:
        num_periods: The number of periods of the cosine.
        alpha: Added to the linear part.
        beta: Added to the product.
    """

    def compute(path: str | None) -> Any:
        rate, line, wave = _line_and_wave(learning_rate, global_step, decay_steps, num_periods)
        return API["multiply"](rate, (alpha + line) * wave + beta, name=path)

    return _rate(compute, "LinearCosineDecay", name)


@documented_like(linear_cosine_decay)
def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: float = 1.0,
    variance_decay: float = 0.55,
    num_periods: float = 0.5,
    alpha: float = 0.0,
    beta: float = 0.001,
    name: str | None = None,
) -> Any:
    """Returns a rate with linear cosine decay and decaying noise.

    Args:
        initial_variance: The initial variance of the noise.
        variance_decay: The exponent of the decay of the variance.
    """

    def compute(path: str | None) -> Any:
        rate, line, wave = _line_and_wave(learning_rate, global_step, decay_steps, num_periods)
        steps = API["minimum"](
            API["cast"](global_step, rate.dtype), API["cast"](decay_steps, rate.dtype)
        )
        spread = API["sqrt"](initial_variance / API["pow"](1.0 + steps, variance_decay))
        noisy = line + API["random.normal"](line.shape, stddev=spread)
        return API["multiply"](rate, (alpha + noisy) * wave + beta, name=path)

    return _rate(compute, "NoisyLinearCosineDecay", name)


def _line_and_wave(
    learning_rate: Any, global_step: Any, decay_steps: Any, num_periods: float
) -> tuple[Any, Any, Any]:
    rate, share = _progress(learning_rate, global_step, decay_steps, False)
    share = API["minimum"](share, 1.0)
    return rate, 1.0 - share, 0.5 * (1.0 + API["cos"](2.0 * math.pi * num_periods * share))
