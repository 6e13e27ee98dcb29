"""Optimizers' ops in ``tf.raw_ops``: each beside its formula in NumPy, and beside TensorFlow's rules."""

import numpy as np
import pytest

import twinflow as tf

POWERS = {"beta1_power": 0.81, "beta2_power": 0.98}
BETAS = {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-4}
L1_L2 = {"l1": 0.02, "l2": 0.03}


def _rate(lr, beta1_power, beta2_power):
    return lr * np.sqrt(1 - beta2_power) / (1 - beta1_power)


def _keras_momentum(w, g, accum, *, lr, momentum, use_nesterov=False):
    accum = accum * momentum - g * lr
    return w + (accum * momentum - g * lr if use_nesterov else accum), accum


def _adagrad(w, g, accum, *, lr, epsilon=0.0, update_slots=True):
    accum = accum + g**2 if update_slots else accum
    return w - lr * g / (np.sqrt(accum) + epsilon), accum


def _adam(w, g, m, v, *vhat, lr, beta1_power, beta2_power, beta1, beta2, epsilon, **settings):
    m, v = m + (g - m) * (1 - beta1), v + (g**2 - v) * (1 - beta2)
    vhat = tuple(np.maximum(x, v) for x in vhat)
    mean = g * (1 - beta1) + beta1 * m if settings.get("use_nesterov") else m
    step = mean * _rate(lr, beta1_power, beta2_power) / (np.sqrt((v, *vhat)[-1]) + epsilon)
    return w - step, m, v, *vhat


def _adamax(w, g, m, v, *, lr, beta1_power, beta1, beta2, epsilon):
    m, v = m + (g - m) * (1 - beta1), np.maximum(beta2 * v, abs(g))
    return w - lr / (1 - beta1_power) * m / (v + epsilon), m, v


def _power_sign(w, g, m, *, lr, logbase, sign_decay, beta):
    m = m * beta + g * (1 - beta)
    return w - lr * np.exp(logbase * sign_decay * np.sign(g) * np.sign(m)) * g, m


def _add_sign(w, g, m, *, lr, alpha, sign_decay, beta):
    m = m * beta + g * (1 - beta)
    return w - lr * (alpha + sign_decay * np.sign(g) * np.sign(m)) * g, m


def _ftrl(w, g, accum, linear, *, lr, l1, l2, lr_power, l2_shrinkage=0.0, **settings):
    scale = lr if settings.get("multiply_linear_by_lr") else 1.0
    raised = (accum + g**2) ** -lr_power
    growth = (raised - accum**-lr_power) / lr
    linear = linear + scale * (g + 2 * l2_shrinkage * w - growth * w)
    bounded = np.clip(linear, -l1 * scale, l1 * scale) - linear
    return bounded / (scale * (raised / lr + 2 * l2)), accum + g**2, linear


def _dual_averaging(w, g, total, squares, *, lr, l1, l2, global_step):
    total, squares = total + g, squares + g**2
    bounded = np.sign(total) * np.maximum(abs(total) - l1 * global_step, 0)
    return -lr * bounded / (l2 * global_step * lr + np.sqrt(squares)), total, squares


def _proximal(w, rate, l1, l2):
    return np.sign(w) * np.maximum(abs(w) - rate * l1, 0) / (1 + rate * l2)


def _proximal_descent(w, g, *, alpha, l1, l2):
    return (_proximal(w - alpha * g, alpha, l1, l2),)


def _proximal_adagrad(w, g, accum, *, lr, l1, l2):
    accum = accum + g**2
    rate = lr / np.sqrt(accum)
    return _proximal(w - rate * g, rate, l1, l2), accum


ACCUM, M, MV = ("accum",), ("m",), ("m", "v")
FTRL = {"lr": 0.1, **L1_L2, "lr_power": -0.5}
SIGNS = {"lr": 0.1, "sign_decay": 0.9, "beta": 0.9}
MOMENTUM = {"lr": 0.1, "momentum": 0.8}
ADAM = {"lr": 0.1, **POWERS, **BETAS}
SUMS = ("gradient_accumulator", "gradient_squared_accumulator")
# The kind of the op, its formula, the slots, the numbers, and whether there is a form for rows.
UPDATES = [
    ("KerasMomentum", _keras_momentum, ACCUM, MOMENTUM, True),
    ("KerasMomentum", _keras_momentum, ACCUM, {**MOMENTUM, "use_nesterov": True}, True),
    ("Adagrad", _adagrad, ACCUM, {"lr": 0.1, "update_slots": False}, True),
    ("AdagradV2", _adagrad, ACCUM, {"lr": 0.1, "epsilon": 1e-3}, True),
    ("AdagradV2", _adagrad, ACCUM, {"lr": 0.1, "epsilon": 1e-3, "update_slots": False}, True),
    ("Adam", _adam, MV, {**ADAM, "use_nesterov": True}, False),
    ("AdamWithAmsgrad", _adam, ("m", "v", "vhat"), ADAM, False),
    ("AdaMax", _adamax, MV, {"lr": 0.1, "beta1_power": 0.81, **BETAS}, False),
    ("PowerSign", _power_sign, M, {**SIGNS, "logbase": 1.0}, False),
    ("AddSign", _add_sign, M, {**SIGNS, "alpha": 1.0}, False),
    ("Ftrl", _ftrl, ("accum", "linear"), {**FTRL, "multiply_linear_by_lr": True}, True),
    ("FtrlV2", _ftrl, ("accum", "linear"), {**FTRL, "l2_shrinkage": 0.05}, True),
    ("AdagradDA", _dual_averaging, SUMS, {"lr": 0.1, **L1_L2, "global_step": 3}, True),
    ("ProximalGradientDescent", _proximal_descent, (), {"alpha": 0.1, **L1_L2}, True),
    ("ProximalAdagrad", _proximal_adagrad, ACCUM, {"lr": 0.1, **L1_L2}, True),
]


def _values(slots):
    random = np.random.RandomState(3)
    signed = ("linear", "m", SUMS[0])
    states = [random.randn(4, 3)]
    states += [random.randn(4, 3) if s in signed else random.rand(4, 3) + 0.3 for s in slots]
    return states, random.randn(4, 3) * 0.3


def _run(type, states, slots, inputs, traced):
    variables = [tf.Variable(x) for x in states]
    handles = {name: v.handle for name, v in zip(("var", *slots), variables)}
    numbers = {
        name: x
        if isinstance(x, bool)
        else tf.constant(x, tf.int64 if name == "global_step" else tf.float64)
        for name, x in inputs.items()
        if name not in ("grad", "delta", "indices")
    }
    arrays = {name: tf.constant(inputs[name]) for name in inputs.keys() - numbers.keys()}

    def step():
        getattr(tf.raw_ops, type)(**handles, **arrays, **numbers)

    (tf.function(step) if traced else step)()
    return [v.numpy() for v in variables]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(("kind", "formula", "slots", "numbers", "_"), UPDATES)
def test_dense_updates_follow_their_formulas(kind, formula, slots, numbers, _, traced):
    states, g = _values(slots)
    name = "delta" if kind == "ProximalGradientDescent" else "grad"
    found = _run(f"ResourceApply{kind}", states, slots, {name: g, **numbers}, traced)
    for x, expected in zip(found, formula(states[0], g, *states[1:], **numbers), strict=True):
        np.testing.assert_allclose(x, expected, 1e-12, 1e-13)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize(
    ("kind", "formula", "slots", "numbers"), [row[:4] for row in UPDATES if row[4]]
)
def test_rows_are_updated_once_for_each_occurrence(kind, formula, slots, numbers, traced):
    states, g = _values(slots)
    rows = [0, 3, 3, 1]
    found = _run(
        f"ResourceSparseApply{kind}", states, slots, {"grad": g, "indices": rows, **numbers}, traced
    )
    expected = [x.copy() for x in states]
    for row, part in zip(rows, g):
        values = formula(expected[0][row], part, *(x[row] for x in expected[1:]), **numbers)
        for x, value in zip(expected, values, strict=True):
            x[row] = value
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, 1e-12, 1e-13)


@pytest.mark.parametrize("traced", [False, True])
def test_optimizers_of_version_1_sum_rows_before_the_update(traced):
    v = tf.Variable([1.0, 2.0, 3.0])
    optimizer = tf.compat.v1.train.AdagradOptimizer(0.1)
    slices = tf.IndexedSlices(tf.constant([1.0, 2.0, 3.0]), tf.constant([0, 2, 2]))

    def step():
        optimizer.apply_gradients([(slices, v)])

    (tf.function(step) if traced else step)()
    np.testing.assert_allclose(v, [0.9046537, 2.0, 2.9001994], 1e-6)
