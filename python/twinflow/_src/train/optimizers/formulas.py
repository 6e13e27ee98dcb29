"""Table of updates: the formulas of Keras's and TensorFlow 1's optimizers, and the ops over them.

A formula takes an arithmetic (see ``arithmetic``), the variable, its slots, the gradient, the scalar
inputs of a step in the op's order and the settings; it returns the new values of the variable and
the slots. The order of operations is that of Keras or of TensorFlow's kernels, so that results are
bitwise equal.
"""

from __future__ import annotations

from typing import Any

from twinflow._src.train.optimizers.updates import LegacyUpdate, Update

Values = tuple[Any, ...]

# Formulas of both.


def _descent(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> Values:
    (rate,) = numbers
    return (o.assign_sub(w, o.multiply(g, rate)),)


def _adam(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, new_1: Any, new_2: Any, epsilon: Any
) -> Values:
    (alpha,), (m, v, *peak) = numbers, slots
    m, v = _moments(o, m, v, g, new_1, new_2)
    peak = [o.assign(x, o.maximum, x, v) for x in peak]
    last = peak[0] if peak else v
    step = o.divide(o.multiply(m, alpha), o.add(o.sqrt(last), epsilon))
    return o.assign_sub(w, step), m, v, *peak


def _moments(o: Any, m: Any, v: Any, g: Any, new_1: Any, new_2: Any) -> Values:
    """Updates the moving averages of the gradient and of its square."""
    return (
        o.assign_add(m, o.multiply(o.subtract(g, m), new_1)),
        o.assign_add(v, o.multiply(o.subtract(o.square(g), v), new_2)),
    )


# Formulas of Keras.


def _momentum(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, momentum: float, nesterov: bool
) -> Values:
    (m,), (rate,) = slots, numbers
    m = o.assign(m, o.subtract, o.multiply(m, momentum), o.multiply(g, rate))
    step = o.subtract(o.multiply(m, momentum), o.multiply(g, rate)) if nesterov else m
    return o.assign_add(w, step), m


def _adamax(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, new_1: float, beta_2: float, epsilon: float
) -> Values:
    (m, u), (rate, correction) = slots, numbers
    m = o.assign_add(m, o.multiply(o.subtract(g, m), new_1))
    u = o.assign(u, o.maximum, o.multiply(beta_2, u), o.abs(g))
    step = o.divide(o.multiply(rate, m), o.multiply(correction, o.add(u, epsilon)))
    return o.assign_sub(w, step), m, u


def _nadam(o: Any, w: Any, slots: Any, g: Any, numbers: Any, epsilon: float) -> Values:
    (m, v), (rate, new_1, new_2, ahead, rest_ahead, now, rest_now, correction) = slots, numbers
    m, v = _moments(o, m, v, g, new_1, new_2)
    mean = o.add(o.divide(o.multiply(ahead, m), rest_ahead), o.divide(o.multiply(now, g), rest_now))
    step = o.divide(o.multiply(mean, rate), o.add(o.sqrt(o.divide(v, correction)), epsilon))
    return o.assign_sub(w, step), m, v


def _adagrad(o: Any, w: Any, slots: Any, g: Any, numbers: Any, epsilon: float) -> Values:
    (total,), (rate,) = slots, numbers
    total = o.assign_add(total, o.square(g))
    return o.assign_sub(w, o.divide(o.multiply(rate, g), o.sqrt(o.add(total, epsilon)))), total


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
) -> Values:
    (v, *others), (rate,) = slots, numbers
    v = o.assign(v, o.add, o.multiply(rho, v), o.multiply(new, o.square(g)))
    variance = v
    if centered:
        others[-1] = o.assign(others[-1], o.add, o.multiply(rho, others[-1]), o.multiply(new, g))
        variance = o.subtract(v, o.square(others[-1]))
    step = o.divide(o.multiply(rate, g), o.sqrt(o.add(variance, epsilon)))
    if momentum > 0:
        step = others[0] = o.assign(others[0], o.add, o.multiply(momentum, others[0]), step)
    return o.assign_sub(w, step), v, *others


def _adadelta(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, rho: float, new: float, epsilon: float
) -> Values:
    (squares, changes), (rate,) = slots, numbers
    squares = o.assign(squares, o.add, o.multiply(rho, squares), o.multiply(new, o.square(g)))
    before, now = (o.sqrt(o.add(x, epsilon)) for x in (changes, squares))
    change = o.negative(o.divide(o.multiply(before, g), now))
    changes = o.assign(changes, o.add, o.multiply(rho, changes), o.multiply(new, o.square(change)))
    return o.assign_add(w, o.multiply(rate, change)), squares, changes


def _ftrl(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, power: float, shrinkage: float, bound: float
) -> Values:
    (total, linear), (rate, double_l2) = slots, numbers
    shrunk = o.add(g, o.multiply(shrinkage, w))
    raised = o.power(o.add(total, o.square(g)), power)
    growth = o.divide(o.subtract(raised, o.power(total, power)), rate)
    linear = o.assign_add(linear, o.subtract(shrunk, o.multiply(growth, w)))
    quadratic = o.add(o.divide(raised, rate), double_l2)
    w = o.assign(w, o.divide, o.subtract(o.clip(linear, -bound, bound), linear), quadratic)
    return w, o.assign(total, o.add, total, o.square(g)), linear


def _lion(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> Values:
    (m,), (rate, beta_1, new_1, beta_2, new_2) = slots, numbers
    direction = o.sign(o.add(o.multiply(m, beta_1), o.multiply(g, new_1)))
    w = o.assign_sub(w, o.multiply(rate, direction))
    return w, o.assign(m, o.add, o.multiply(m, beta_2), o.multiply(g, new_2))


def _decay(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> Values:
    decay, rate = numbers
    return (o.assign_sub(w, o.multiply(o.multiply(w, decay), rate)),)


def _average(o: Any, w: Any, slots: Any, value: Any, numbers: Any) -> Values:
    old, new = numbers
    return (o.assign(w, o.add, o.multiply(old, w), o.multiply(new, value)),)


# Formulas of TensorFlow 1.


def _legacy_momentum(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, use_nesterov: bool = False
) -> Values:
    (total,), (rate, momentum) = slots, numbers
    total = o.assign(total, o.add, o.multiply(total, momentum), g)
    step = o.multiply(total, rate)
    if use_nesterov:
        step = o.add(o.multiply(g, rate), o.multiply(o.multiply(total, momentum), rate))
    return o.assign_sub(w, step), total


def _keras_momentum(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, use_nesterov: bool = False
) -> Values:
    (total,), (rate, momentum) = slots, numbers
    total = o.assign(total, o.subtract, o.multiply(total, momentum), o.multiply(g, rate))
    step = total
    if use_nesterov:
        step = o.subtract(o.multiply(total, momentum), o.multiply(g, rate))
    return o.assign_add(w, step), total


def _legacy_adam(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, use_nesterov: bool = False
) -> Values:
    """Computes a step of Adam; of AMSGrad if there is a slot for the peak, the third."""
    power_1, power_2, rate, beta_1, beta_2, epsilon = numbers
    alpha = o.multiply(rate, o.sqrt(o.subtract(1, power_2)))
    alpha = o.divide(alpha, o.subtract(1, power_1))
    new_1, new_2 = o.subtract(1, beta_1), o.subtract(1, beta_2)
    if not use_nesterov:
        return _adam(o, w, slots, g, (alpha,), new_1, new_2, epsilon)
    m, v = _moments(o, slots[0], slots[1], g, new_1, new_2)
    mean = o.add(o.multiply(g, new_1), o.multiply(beta_1, m))
    step = o.divide(o.multiply(mean, alpha), o.add(o.sqrt(v), epsilon))
    return o.assign_sub(w, step), m, v


def _legacy_adamax(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> Values:
    (m, v), (power_1, rate, beta_1, beta_2, epsilon) = slots, numbers
    m = o.assign_add(m, o.multiply(o.subtract(g, m), o.subtract(1, beta_1)))
    v = o.assign(v, o.maximum, o.multiply(beta_2, v), o.abs(g))
    rate = o.divide(rate, o.subtract(1, power_1))
    return o.assign_sub(w, o.multiply(rate, o.divide(m, o.add(v, epsilon)))), m, v


def _legacy_adagrad(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, update_slots: bool = True
) -> Values:
    """Computes a step of Adagrad; the second number, if any, is added to the denominator."""
    (total,), (rate, *epsilon) = slots, numbers
    total = o.assign_add(total, o.square(g)) if update_slots else total
    root = o.sqrt(total)
    root = o.add(root, epsilon[0]) if epsilon else root
    return o.assign_sub(w, o.divide(o.multiply(g, rate), root)), total


def _legacy_adadelta(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> Values:
    (squares, changes), (rate, rho, epsilon) = slots, numbers
    new = o.subtract(1, rho)
    squares = o.assign(squares, o.add, o.multiply(squares, rho), o.multiply(o.square(g), new))
    before, now = (o.sqrt(o.add(x, epsilon)) for x in (changes, squares))
    step = o.multiply(o.divide(before, now), g)
    w = o.assign_sub(w, o.multiply(step, rate))
    changes = o.assign(changes, o.add, o.multiply(changes, rho), o.multiply(o.square(step), new))
    return w, squares, changes


def _legacy_rmsprop(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> Values:
    """Computes a step of RMSProp; centered if there is a slot for the mean, the first."""
    (*mean, v, momentums), (rate, decay, momentum, epsilon) = slots, numbers
    new = o.subtract(1, decay)
    v = o.assign_add(v, o.multiply(o.subtract(o.square(g), v), new))
    mean = [o.assign_add(x, o.multiply(o.subtract(g, x), new)) for x in mean]
    variance = o.subtract(v, o.square(mean[0])) if mean else v
    step = o.divide(o.multiply(g, rate), o.sqrt(o.add(variance, epsilon)))
    momentums = o.assign(momentums, o.add, o.multiply(momentums, momentum), step)
    return o.assign_sub(w, momentums), *mean, v, momentums


def _legacy_ftrl(
    o: Any, w: Any, slots: Any, g: Any, numbers: Any, multiply_linear_by_lr: bool = False
) -> Values:
    """Computes a step of FTRL; L2 shrinkage is left out of the sum of squared gradients."""
    (total, linear), (rate, l1, l2, *shrinkage, power) = slots, numbers
    shrunk = o.add(g, o.multiply(o.multiply(2, shrinkage[0]), w)) if shrinkage else g
    before, total = o.power(total, o.negative(power)), o.assign_add(total, o.square(g))
    raised = o.power(total, o.negative(power))
    growth, quadratic = o.subtract(raised, before), raised
    if multiply_linear_by_lr:
        shrunk, l1, l2 = (o.multiply(x, rate) for x in (shrunk, l1, l2))
    else:
        growth, quadratic = o.divide(growth, rate), o.divide(raised, rate)
    linear = o.assign(linear, o.subtract, o.add(linear, shrunk), o.multiply(growth, w))
    quadratic = o.add(o.add(quadratic, l2), l2)
    solution = o.divide(o.subtract(o.multiply(o.sign(linear), l1), linear), quadratic)
    return o.assign(w, o.where, o.greater(o.abs(linear), l1), solution, 0), total, linear


def _adagrad_da(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> Values:
    (total, squares), (rate, l1, l2, step) = slots, numbers
    total, squares = o.assign_add(total, g), o.assign_add(squares, o.square(g))
    bounded = o.maximum(o.subtract(o.abs(total), o.multiply(l1, step)), 0)
    bounded = o.where(o.greater(l1, 0), o.multiply(o.sign(total), bounded), total)
    quadratic = o.add(o.multiply(o.multiply(l2, step), rate), o.sqrt(squares))
    return o.assign(w, o.divide, o.multiply(o.negative(rate), bounded), quadratic), total, squares


def _proximal_descent(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> Values:
    rate, l1, l2 = numbers
    return (_assign_proximal(o, w, o.multiply(g, rate), rate, l1, l2),)


def _proximal_adagrad(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> Values:
    (total,), (rate, l1, l2) = slots, numbers
    total = o.assign_add(total, o.square(g))
    rate = o.divide(rate, o.sqrt(total))
    return _assign_proximal(o, w, o.multiply(g, rate), rate, l1, l2), total


def _assign_proximal(o: Any, w: Any, step: Any, rate: Any, l1: Any, l2: Any) -> Any:
    """Applies a step and the proximal operator of L1 and L2 regularization."""
    w = o.assign_sub(w, step)
    bounded = o.maximum(o.subtract(o.abs(w), o.multiply(rate, l1)), 0)
    shrunk = o.where(o.greater(l1, 0), o.multiply(o.sign(w), bounded), w)
    return o.assign(w, o.divide, shrunk, o.add(1, o.multiply(l2, rate)))


def _power_sign(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> Values:
    (m,), (rate, base, decay, beta) = slots, numbers
    m, agreement = _sign_agreement(o, m, g, beta)
    scale = o.exp(o.multiply(o.multiply(base, decay), agreement))
    return o.assign_sub(w, o.multiply(o.multiply(rate, scale), g)), m


def _add_sign(o: Any, w: Any, slots: Any, g: Any, numbers: Any) -> Values:
    (m,), (rate, alpha, decay, beta) = slots, numbers
    m, agreement = _sign_agreement(o, m, g, beta)
    scale = o.add(alpha, o.multiply(decay, agreement))
    return o.assign_sub(w, o.multiply(o.multiply(rate, scale), g)), m


def _sign_agreement(o: Any, m: Any, g: Any, beta: Any) -> Values:
    """Updates the average of the gradient; returns it and the product of the signs of both."""
    m = o.assign(m, o.add, o.multiply(m, beta), o.multiply(g, o.subtract(1, beta)))
    return m, o.multiply(o.sign(g), o.sign(m))


# The tables: op type, formula, number of slots, other inputs of the op.

MOMENTUM = Update("ResourceApplyKerasMomentum", _momentum, 1, "grad rate")
ADAM = Update("KerasApplyAdam", _adam, 2, "grad alpha")
AMSGRAD = Update("KerasApplyAdamWithAmsgrad", _adam, 3, "grad alpha")
ADAMAX = Update("KerasApplyAdaMax", _adamax, 2, "grad rate correction")
NADAM = Update(
    "KerasApplyNadam",
    _nadam,
    2,
    "grad rate new_1 new_2 ahead rest_ahead now rest_now correction",
)
ADAGRAD = Update("KerasApplyAdagrad", _adagrad, 1, "grad rate")
RMSPROP = {n: Update("KerasApplyRMSProp", _rmsprop, n, "grad rate") for n in (1, 2, 3)}
ADADELTA = Update("KerasApplyAdadelta", _adadelta, 2, "grad rate")
FTRL = Update("KerasApplyFtrl", _ftrl, 2, "grad rate double_l2")
LION = Update("KerasApplyLion", _lion, 1, "grad rate beta_1 new_1 beta_2 new_2")
DECAY = Update("KerasApplyWeightDecay", _decay, 0, "decay rate")
AVERAGE = Update("KerasApplyMovingAverage", _average, 0, "grad old new")

# By the type of the op on references.
LEGACY = {
    update.type.removeprefix("Resource"): update
    for update in (
        LegacyUpdate("ResourceApplyGradientDescent", _descent, 0, "lr grad"),
        LegacyUpdate("ResourceApplyMomentum", _legacy_momentum, 1, "lr grad momentum"),
        LegacyUpdate("ResourceApplyKerasMomentum", _keras_momentum, 1, "lr grad momentum"),
        LegacyUpdate("ResourceApplyAdagrad", _legacy_adagrad, 1, "lr grad"),
        LegacyUpdate("ResourceApplyAdagradV2", _legacy_adagrad, 1, "lr epsilon grad"),
        LegacyUpdate("ResourceApplyAdadelta", _legacy_adadelta, 2, "lr rho epsilon grad"),
        LegacyUpdate("ResourceApplyRMSProp", _legacy_rmsprop, 2, "lr rho momentum epsilon grad"),
        LegacyUpdate(
            "ResourceApplyCenteredRMSProp", _legacy_rmsprop, 3, "lr rho momentum epsilon grad"
        ),
        LegacyUpdate("ResourceApplyFtrl", _legacy_ftrl, 2, "grad lr l1 l2 lr_power"),
        LegacyUpdate("ResourceApplyFtrlV2", _legacy_ftrl, 2, "grad lr l1 l2 l2_shrinkage lr_power"),
        LegacyUpdate("ResourceApplyAdagradDA", _adagrad_da, 2, "grad lr l1 l2 global_step"),
        LegacyUpdate(
            "ResourceApplyAdam",
            _legacy_adam,
            2,
            "beta1_power beta2_power lr beta1 beta2 epsilon grad",
        ),
        LegacyUpdate(
            "ResourceApplyAdamWithAmsgrad",
            _legacy_adam,
            3,
            "beta1_power beta2_power lr beta1 beta2 epsilon grad",
        ),
        LegacyUpdate(
            "ResourceApplyAdaMax", _legacy_adamax, 2, "beta1_power lr beta1 beta2 epsilon grad"
        ),
        LegacyUpdate("ResourceApplyProximalGradientDescent", _proximal_descent, 0, "lr l1 l2 grad"),
        LegacyUpdate("ResourceApplyProximalAdagrad", _proximal_adagrad, 1, "lr l1 l2 grad"),
        LegacyUpdate("ResourceApplyPowerSign", _power_sign, 1, "lr logbase sign_decay beta grad"),
        LegacyUpdate("ResourceApplyAddSign", _add_sign, 1, "lr alpha sign_decay beta grad"),
    )
}
DESCENT = LEGACY["ApplyGradientDescent"]
