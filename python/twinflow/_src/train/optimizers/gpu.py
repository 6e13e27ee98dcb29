"""Optimizer updates on a GPU: one fused kernel for a variable and its slots, and Adam's rate.

``fused`` of the array module generates a kernel from a function of arrays. Rules assign to
variables, so they run on boxes: the final value of each box is an output of the kernel. The outputs
are new arrays that replace the old ones.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import unseen
from twinflow._src.backends.host_checks import is_host
from twinflow._src.core.context import quietly, thread
from twinflow._src.core.dtypes import float32, float64
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.inputs import FAST
from twinflow._src.dispatch.registry import Kind, Op, Param
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.train.optimizers.update_math import Arrays, Rule
from twinflow._src.variables.handle import update_together


class _Box:
    """Mutable value that stands for a variable while a rule is traced."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _open(x: Any) -> Any:
    return x.value if isinstance(x, _Box) else x


class _Boxed:
    """Arithmetic of arrays that takes boxes as variables."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(self._arrays, name)
        return lambda *operands: function(*map(_open, operands))

    def assign(self, variable: _Box, function: Callable[..., Any], *operands: Any) -> None:
        """Assigns the result of a function of this arithmetic to a variable."""
        variable.value = _open(function(*operands))

    def assign_add(self, variable: _Box, value: Any) -> None:
        """Adds to a variable."""
        variable.value = self._arrays.add(variable.value, _open(value))

    def assign_sub(self, variable: _Box, value: Any) -> None:
        """Subtracts from a variable."""
        variable.value = self._arrays.subtract(variable.value, _open(value))


@functools.cache
def _kernel(
    xp: Any, rule: Rule, dtype: Any, slots: int, gradient: bool, settings: frozenset[Any]
) -> Any:
    """Returns the fused kernel of a rule, cached; it is generated on the first launch."""

    def update(module: Any, *arrays: Any) -> Any:
        arithmetic = _Boxed(Arrays(module, dtype))
        states = [_Box(array) for array in arrays[: slots + 1]]
        change, numbers = (arrays[slots + 1] if gradient else None), arrays[slots + 1 + gradient :]
        rule(arithmetic, states[0], states[1:], change, numbers, **dict(settings))
        found = tuple(state.value for state in states)
        return found if slots else found[0]

    return xp.fused(update, "twinflow_update")


def replaced(
    xp: Any,
    rule: Rule,
    gradient: bool,
    settings: dict[str, Any],
    handles: Sequence[Any],
    given: Sequence[Any],
) -> None:
    """Updates a variable and its slots by a rule, with new arrays.

    Args:
        xp: The array module.
        rule: The rule.
        gradient: True if there is a gradient.
        settings: The rule's settings.
        handles: The handles of the variable and its slots.
        given: The gradient, if any, and the scalar inputs of the step.
    """
    dtype = handles[0].value_dtype.np
    kernel = _kernel(xp, rule, dtype, len(handles) - 1, gradient, frozenset(settings.items()))

    def write(arrays: list[Any], _: list[bool], *given: Any) -> tuple[Any, ...]:
        found = kernel(*arrays, *given)
        return found if isinstance(found, tuple) else (found,)

    update_together(write, handles, given)


def corrected_rate(rate: Any, made: Any, beta_1: float, beta_2: float) -> Any:
    """Returns Adam's bias-corrected learning rate, computed by one kernel instead of twelve ops.

    Args:
        rate: The learning rate.
        made: The variable that counts steps.
        beta_1: Decay of the first moment.
        beta_2: Decay of the second moment.

    Returns:
        A tensor; None if the separate ops are required (for observers, gradients, other dtypes).
    """
    scope, settings = thread.scope, {"beta_1": beta_1, "beta_2": beta_2}
    plain = type(made) in FAST and type(made) is not EagerTensor and made._values is None
    if scope.observers or rate.dtype not in RATE.dtypes or not plain:
        return None
    if isinstance(scope.graph, FuncGraph):
        return execute(RATE, [made, rate], settings)
    if not unseen(rate) or rate._device is not made._device or made._handle.array is None:
        return None
    device = rate._device
    return EagerTensor(
        quietly(
            device.backend.run, _rate, device.ordinal, device.xp, made, rate._array, **settings
        ),
        device,
        rate.dtype,
    )


def _rate(xp: Any, made: Any, rate: Any, *, beta_1: float, beta_2: float) -> Any:
    """Computes ``corrected_rate`` on the device or the host.

    The betas are rounded to float32 first, like tensors of Python numbers.
    """
    shares = (rate.dtype.type(np.float32(beta)) for beta in (beta_1, beta_2))
    return (_corrected_rate if is_host(xp) else xp.corrected_rate)(
        rate, made._handle.lend(), *shares
    )


def _corrected_rate(rate: Any, made: Any, beta_1: Any, beta_2: Any) -> Any:
    """Computes ``corrected_rate`` on the host: powers in float64, rounded once, as in C."""
    number = rate.dtype.type
    step = np.float64(number(made + 1))
    share_1, share_2 = (1 - number(np.power(np.float64(base), step)) for base in (beta_1, beta_2))
    return np.asarray(rate * np.sqrt(share_2) / share_1)


RATE = Op(
    "KerasAdamRate", _rate, impure=True, no_gradient=True, dtypes=frozenset((float32, float64))
)
RATE.kinds = (Kind("resource"), Kind())
RATE.tensors = RATE.params = (
    Param("iterations", None, RATE.kinds[0]),
    Param("rate", None, RATE.kinds[1]),
)
RATE.infer = lambda node: ([node.arguments[1].dtype], [()], True)
