"""Update rules of optimizers; see ``update_math``."""

from __future__ import annotations

from typing import Any

from twinflow._src.train.optimizers.kernels import Update


def _descent(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> None:
    (rate,) = numbers
    o.assign_sub(w, o.multiply(g, rate))


def _momentum(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, momentum: float, nesterov: bool
) -> None:
    (m,), (rate,) = slots, numbers
    o.assign(m, o.subtract, o.multiply(m, momentum), o.multiply(g, rate))
    if nesterov:
        o.assign_add(w, o.subtract(o.multiply(m, momentum), o.multiply(g, rate)))
    else:
        o.assign_add(w, m)


def _moments(o: Any, m: Any, v: Any, g: Any, new_1: Any, new_2: Any) -> None:
    """Updates the moving averages of the gradient and of its square."""
    o.assign_add(m, o.multiply(o.subtract(g, m), new_1))
    o.assign_add(v, o.multiply(o.subtract(o.square(g), v), new_2))


def _adam(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, new_1: float, new_2: float, epsilon: float
) -> None:
    (alpha,), (m, v, *peak) = numbers, slots
    _moments(o, m, v, g, new_1, new_2)
    if peak:
        o.assign(peak[0], o.maximum, peak[0], v)
        v = peak[0]
    o.assign_sub(w, o.divide(o.multiply(m, alpha), o.add(o.sqrt(v), epsilon)))


def _adamax(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, new_1: float, beta_2: float, epsilon: float
) -> None:
    (m, u), (rate, share) = slots, numbers
    o.assign_add(m, o.multiply(o.subtract(g, m), new_1))
    o.assign(u, o.maximum, o.multiply(beta_2, u), o.abs(g))
    o.assign_sub(w, o.divide(o.multiply(rate, m), o.multiply(share, o.add(u, epsilon))))


def _nadam(o: Any, w: Any, slots: Any, g: Any, numbers: Any, epsilon: float) -> None:
    (m, v), (rate, new_1, new_2, ahead, rest_ahead, now, rest_now, share) = slots, numbers
    _moments(o, m, v, g, new_1, new_2)
    mean = o.add(o.divide(o.multiply(ahead, m), rest_ahead), o.divide(o.multiply(now, g), rest_now))
    o.assign_sub(w, o.divide(o.multiply(mean, rate), o.add(o.sqrt(o.divide(v, share)), epsilon)))


def _adagrad(o: Any, w: Any, slots: Any, g: Any, numbers: Any, epsilon: float) -> None:
    (total,), (rate,) = slots, numbers
    o.assign_add(total, o.square(g))
    o.assign_sub(w, o.divide(o.multiply(rate, g), o.sqrt(o.add(total, epsilon))))


def _rmsprop(
    o: Any,
    w: Any,
    slots: Any,
    g: Any,
    numbers: Any,
    rho: float,
    new: float,
    momentum: float,
    epsilon: float,
    centered: bool,
) -> None:
    (v, *more), (rate,) = slots, numbers
    o.assign(v, o.add, o.multiply(rho, v), o.multiply(new, o.square(g)))
    spread = v
    if centered:
        mean = more[-1]
        o.assign(mean, o.add, o.multiply(rho, mean), o.multiply(new, g))
        spread = o.subtract(v, o.square(mean))
    change = o.divide(o.multiply(rate, g), o.sqrt(o.add(spread, epsilon)))
    if momentum > 0:
        o.assign(more[0], o.add, o.multiply(momentum, more[0]), change)
        change = more[0]
    o.assign_sub(w, change)


def _adadelta(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, rho: float, new: float, epsilon: float
) -> None:
    (squares, changes), (rate,) = slots, numbers
    o.assign(squares, o.add, o.multiply(rho, squares), o.multiply(new, o.square(g)))
    before, now = (o.sqrt(o.add(x, epsilon)) for x in (changes, squares))
    change = o.negative(o.divide(o.multiply(before, g), now))
    o.assign(changes, o.add, o.multiply(rho, changes), o.multiply(new, o.square(change)))
    o.assign_add(w, o.multiply(rate, change))


def _ftrl(
    o: Any,
    w: Any,
    slots: Any,
    g: Any,
    numbers: Any,
    power: float,
    shrinkage: float,
    bound: float,
) -> None:
    (total, linear), (rate, double_l2) = slots, numbers
    shrunk = o.add(g, o.multiply(shrinkage, w))
    grown = o.add(total, o.square(g))
    raised = o.power(grown, power)
    growth = o.divide(o.subtract(raised, o.power(total, power)), rate)
    o.assign_add(linear, o.subtract(shrunk, o.multiply(growth, w)))
    quadratic = o.add(o.divide(raised, rate), double_l2)
    o.assign(w, o.divide, o.subtract(o.clip(linear, -bound, bound), linear), quadratic)
    o.assign(total, o.add, total, o.square(g))


def _lion(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> None:
    (m,), (rate, beta_1, new_1, beta_2, new_2) = slots, numbers
    way = o.sign(o.add(o.multiply(m, beta_1), o.multiply(g, new_1)))
    o.assign_sub(w, o.multiply(rate, way))
    o.assign(m, o.add, o.multiply(m, beta_2), o.multiply(g, new_2))


def _decay(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> None:
    decay, rate = numbers
    o.assign_sub(w, o.multiply(o.multiply(w, decay), rate))


def _average(o: Any, w: Any, slots: Any, value: Any, numbers: Any) -> None:
    old, new = numbers
    o.assign(w, o.add, o.multiply(old, w), o.multiply(new, value))


DESCENT = Update("ResourceApplyGradientDescent", _descent, 0, 1)
MOMENTUM = Update("ResourceApplyKerasMomentum", _momentum, 1, 1)
ADAM = Update("KerasApplyAdam", _adam, 2, 1)
AMSGRAD = Update("KerasApplyAdamWithAmsgrad", _adam, 3, 1)
ADAMAX = Update("KerasApplyAdaMax", _adamax, 2, 2)
NADAM = Update("KerasApplyNadam", _nadam, 2, 8)
ADAGRAD = Update("KerasApplyAdagrad", _adagrad, 1, 1)
RMSPROP = {slots: Update("KerasApplyRMSProp", _rmsprop, slots, 1) for slots in (1, 2, 3)}
ADADELTA = Update("KerasApplyAdadelta", _adadelta, 2, 1)
FTRL = Update("KerasApplyFtrl", _ftrl, 2, 2)
LION = Update("KerasApplyLion", _lion, 1, 5)
DECAY = Update("KerasApplyWeightDecay", _decay, 0, 2, gradient=False)
AVERAGE = Update("KerasApplyMovingAverage", _average, 0, 2)
