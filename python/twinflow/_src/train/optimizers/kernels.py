"""The operations that update a variable and its slots in one go, and what decides when they serve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.parallel import uninterrupted
from twinflow._src.backends.host_checks import is_host
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.core.allocation import made
from twinflow._src.core.context import quiet, runtime, thread
from twinflow._src.core.dtypes import REALS
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import Kind, Op, Param
from twinflow._src.train.optimizers.gpu import replaced
from twinflow._src.train.optimizers.update_math import Rule, Tensors, arithmetic, pieces
from twinflow._src.variables.handle import update_together


def updating(type: str, rule: Rule, slots: int, numbers: int, gradient: bool = True) -> Op:
    """An operation that changes a variable by a rule, in its memory where nobody shares it.

    Args:
        type: How logs and graphs name it.
        rule: The rule; see ``optimizer_arithmetic``.
        slots: How many slots the variable has.
        numbers: How many numbers of the step the rule takes.
        gradient: Whether it takes a gradient.
    """

    def kernel(xp: Any, *inputs: Any, **settings: Any) -> None:
        handles = [state._handle for state in inputs[: slots + 1]]
        (written if is_host(xp) else replaced)(
            xp, rule, gradient, settings, handles, inputs[slots + 1 :]
        )

    found = Op(type, kernel, impure=True, no_gradient=True, dtypes=REALS)
    found.kinds = (*[Kind("resource")] * (slots + 1), *[Kind()] * (gradient + numbers))
    found.tensors = found.params = tuple(
        Param(f"input_{i}", None, kind) for i, kind in enumerate(found.kinds)
    )
    found.infer = lambda node: ([], [], False)
    return found


def written(
    xp: Any,
    rule: Rule,
    gradient: bool,
    settings: dict[str, Any],
    handles: Sequence[Any],
    given: Sequence[Any],
) -> None:
    """Changes the values of a variable and its slots by a rule, in the cache; see ``replaced``."""
    update_together(writer(xp, rule, gradient, settings, handles[0].value_dtype.np), handles, given)


def writer(
    xp: Any, rule: Rule, gradient: bool, settings: dict[str, Any], dtype: Any
) -> Callable[..., list[Any]]:
    """What ``update_together`` calls to change a variable and its slots by a rule.

    Args:
        xp: The array module.
        rule: The rule.
        gradient: Whether there is a gradient.
        settings: The rule's settings.
        dtype: The type of the variable.
    """
    own = arithmetic(xp, dtype)

    def write(arrays: list[Any], unshared: list[bool], *given: Any) -> list[Any]:
        results, numbers, count = arrays, given[gradient:], len(arrays)
        if not all(unshared):
            results = [array if free else array.copy() for array, free in zip(arrays, unshared)]
        parts = pieces(xp, [*results, given[0]] if gradient else results)

        def work() -> None:
            for piece in parts:
                rule(
                    own,
                    piece[0],
                    piece[1:count],
                    piece[count] if gradient else None,
                    numbers,
                    **settings,
                )

        if type(parts) is tuple:  # in one piece
            work()
        else:
            uninterrupted(work)
        return results

    return write


class Update:
    """A rule as an operation, or on tensors where the operation does not serve.

    Args:
        type: The type of the operation.
        rule: The rule.
        slots: How many slots the variable has.
        numbers: How many numbers of the step the rule takes.
        gradient: Whether it takes a gradient.
    """

    def __init__(
        self, type: str, rule: Rule, slots: int, numbers: int, gradient: bool = True
    ) -> None:
        self.rule, self._gradient = rule, gradient
        self.op = updating(type, rule, slots, numbers, gradient)

    def __call__(
        self, variable: Any, slots: list[Any], gradient: Any, numbers: Any, **settings: Any
    ) -> None:
        """Updates a variable.

        Args:
            variable: The ``tf.Variable``.
            slots: Its slots, variables as well.
            gradient: The gradient, rows of it, or None where the rule takes none.
            numbers: Scalar tensors of the variable's type.
            **settings: The rule's settings.
        """
        tensors = [gradient, *numbers] if self._gradient else numbers
        if _is_plain(variable, gradient, tensors):
            handles = [state._handle for state in (variable, *slots)]
            arrays = [tensor._array for tensor in tensors]
            made(
                handles[0].device,
                variable._shape._dims,
                variable.dtype,
                quiet().run,
                written,
                np,
                self.rule,
                self._gradient,
                settings,
                handles,
                arrays,
            )
        elif _fits(variable, gradient):
            execute(self.op, [variable, *slots, *tensors], settings)
        else:
            self.rule(Tensors, variable, slots, gradient, numbers, **settings)


# What an optimizer says of itself: its update, the lists of its slots, and the settings of the rule.
Ruled = tuple[Update, tuple[list[Any], ...], dict[str, Any]]


def _is_plain(variable: Any, gradient: Any, tensors: Sequence[Any]) -> bool:
    """Whether the kernel can be called at once: nothing observes the call, all is on the host and fits."""
    scope, device = thread.scope, variable._handle.device
    if device.kind != "CPU" or device is not runtime.home or scope.observers or not scope.eager:
        return False
    for tensor in tensors:
        if type(tensor) is not EagerTensor or tensor._device is not device:
            return False
    fits = gradient is None or gradient._array.shape == variable._shape._dims
    return fits and variable.dtype in REALS


def _fits(variable: Any, gradient: Any) -> bool:
    """Whether the operation takes a gradient: whole, of the variable's shape, which is all known."""
    dims = variable.shape._dims
    if variable.dtype not in REALS or dims is None or None in dims:
        return False
    if gradient is None:
        return True
    return not isinstance(gradient, IndexedSlices) and gradient.shape._dims == dims
