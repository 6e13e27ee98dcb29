"""Optimizers of TensorFlow 1 whose steps shrink variables towards zero."""

from __future__ import annotations

from typing import Any

from twinflow._src.compat_v1.optimizers import _fields, _Ruled


def _shrunk(xp: Any, var: Any, rate: Any, l1: Any, l2: Any) -> Any:
    """A variable nearer to zero: by a constant as far as there is one, and by a factor."""
    one = var.dtype.type(1)
    if l1 > 0:
        var = xp.sign(var) * xp.maximum(xp.abs(var) - rate * l1, var.dtype.type(0))
    return var / (one + l2 * rate)


def _descent(xp: Any, var: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> tuple[Any, ...]:
    return (_shrunk(xp, var - grad * lr, lr, l1, l2),)


def _adagrad(xp: Any, var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> tuple[Any, ...]:
    accum = accum + grad * grad
    rate = lr / xp.sqrt(accum)
    return _shrunk(xp, var - grad * rate, rate, l1, l2), accum


class ProximalGradientDescentOptimizer(_Ruled):
    """Steps against the gradient that shrink variables.

    Args:
        learning_rate: How far.
        l1_regularization_strength: How much variables shrink by a constant.
        l2_regularization_strength: How much they shrink by a factor.
        use_locking: Accepted and without effect.
        name: The name of the operations.
    """

    _op, _rule = "ResourceApplyProximalGradientDescent", staticmethod(_descent)
    _numbers = _fields("learning_rate", "l1_regularization_strength", "l2_regularization_strength")

    def __init__(
        self,
        learning_rate: Any,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalGradientDescent",
    ) -> None:
        super().__init__(use_locking, name)
        self._set(learning_rate, l1_regularization_strength, l2_regularization_strength)


class ProximalAdagradOptimizer(_Ruled):
    """Steps divided by the root of the sum of squared gradients, that shrink variables.

    Args:
        learning_rate: How far.
        initial_accumulator_value: The sum at first.
        l1_regularization_strength: How much variables shrink by a constant.
        l2_regularization_strength: How much they shrink by a factor.
        use_locking: Accepted and without effect.
        name: The name of the operations.

    Raises:
        ValueError: The sum is not positive.
    """

    _op, _rule = "ResourceApplyProximalAdagrad", staticmethod(_adagrad)
    _numbers = _fields("learning_rate", "l1_regularization_strength", "l2_regularization_strength")

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        use_locking: bool = False,
        name: str = "ProximalAdagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._set(learning_rate, l1_regularization_strength, l2_regularization_strength)
        self._initial_accumulator_value = initial_accumulator_value
        self._kept = [("accumulator", name, "_initial_accumulator_value")]
