"""Update rules of TensorFlow 1 optimizers, as functions of arrays.

Each takes the array module, the variable, its slots, the hyperparameters and the gradient, and
returns the new values of the variable and the slots.
"""

from __future__ import annotations

from typing import Any

Arrays = tuple[Any, ...]


def gradient_descent(xp: Any, var: Any, lr: Any, grad: Any) -> Arrays:
    """Computes a step of gradient descent."""
    return (var - lr * grad,)


def momentum(xp: Any, var: Any, accum: Any, lr: Any, rate: Any, grad: Any) -> Arrays:
    """Computes a step with momentum."""
    accum = accum * rate + grad
    return var - lr * accum, accum


def nesterov(xp: Any, var: Any, accum: Any, lr: Any, rate: Any, grad: Any) -> Arrays:
    """Computes a step with Nesterov momentum."""
    accum = accum * rate + grad
    return var - (grad * lr + accum * rate * lr), accum


def adam(
    xp: Any,
    var: Any,
    m: Any,
    v: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    power1: Any,
    power2: Any,
    grad: Any,
) -> Arrays:
    """Computes a step of Adam."""
    one = beta1.dtype.type(1)
    rate = lr * xp.sqrt(one - power2) / (one - power1)
    m = m + (grad - m) * (one - beta1)
    v = v + (grad * grad - v) * (one - beta2)
    return var - (m * rate) / (xp.sqrt(v) + epsilon), m, v


def adagrad(xp: Any, var: Any, accum: Any, lr: Any, grad: Any) -> Arrays:
    """Computes a step of Adagrad."""
    accum = accum + grad * grad
    return var - grad * lr / xp.sqrt(accum), accum


def adadelta(
    xp: Any, var: Any, accum: Any, update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any
) -> Arrays:
    """Computes a step of Adadelta."""
    one = rho.dtype.type(1)
    accum = accum * rho + grad * grad * (one - rho)
    step = xp.sqrt(update + epsilon) / xp.sqrt(accum + epsilon) * grad
    return var - step * lr, accum, update * rho + step * step * (one - rho)


def rmsprop(
    xp: Any, var: Any, rms: Any, mom: Any, lr: Any, decay: Any, rate: Any, epsilon: Any, grad: Any
) -> Arrays:
    """Computes a step of RMSProp."""
    rms = rms + (grad * grad - rms) * (decay.dtype.type(1) - decay)
    mom = mom * rate + grad * lr / xp.sqrt(rms + epsilon)
    return var - mom, rms, mom


def centered_rmsprop(
    xp: Any,
    var: Any,
    mean: Any,
    rms: Any,
    mom: Any,
    lr: Any,
    decay: Any,
    rate: Any,
    epsilon: Any,
    grad: Any,
) -> Arrays:
    """Computes a step of centered RMSProp."""
    rest = decay.dtype.type(1) - decay
    rms = rms + (grad * grad - rms) * rest
    mean = mean + (grad - mean) * rest
    mom = mom * rate + grad * lr / xp.sqrt(rms - mean * mean + epsilon)
    return var - mom, mean, rms, mom


def ftrl(
    xp: Any, var: Any, accum: Any, linear: Any, lr: Any, l1: Any, l2: Any, power: Any, grad: Any
) -> Arrays:
    """Computes a step of FTRL."""
    return _led(xp, var, accum, linear, lr, l1, l2, power, grad, grad)


def shrinking_ftrl(
    xp: Any,
    var: Any,
    accum: Any,
    linear: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    shrinkage: Any,
    power: Any,
    grad: Any,
) -> Arrays:
    """Computes a step of FTRL with L2 shrinkage, which the sum of squared gradients leaves out."""
    return _led(xp, var, accum, linear, lr, l1, l2, power, grad, grad + 2 * shrinkage * var)


def _led(
    xp: Any,
    var: Any,
    accum: Any,
    linear: Any,
    lr: Any,
    l1: Any,
    l2: Any,
    power: Any,
    grad: Any,
    direction: Any,
) -> Arrays:
    """Computes a step of FTRL: ``grad`` updates the squares, ``direction`` the linear terms."""
    total = accum + grad * grad
    linear = linear + direction - (total**-power - accum**-power) / lr * var
    quadratic = total**-power / lr + l2 + l2
    found = (xp.sign(linear) * l1 - linear) / quadratic
    return xp.where(xp.abs(linear) > l1, found, xp.zeros_like(found)), total, linear


def adagrad_da(
    xp: Any, var: Any, total: Any, squares: Any, lr: Any, l1: Any, l2: Any, step: Any, grad: Any
) -> Arrays:
    """Computes a step of Adagrad dual averaging."""
    step = step.astype(var.dtype) + var.dtype.type(1)
    total, squares = total + grad, squares + grad * grad
    kept = (
        xp.sign(total) * xp.maximum(xp.abs(total) - l1 * step, var.dtype.type(0))
        if l1 > 0
        else total
    )
    return -lr * kept / (l2 * step * lr + xp.sqrt(squares)), total, squares
