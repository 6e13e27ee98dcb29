"""Ops that update a variable and its slots in one kernel, and their dispatch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.parallel import uninterrupted
from twinflow._src.backends.host_checks import is_host
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.core.allocation import allocate_on_device
from twinflow._src.core.context import quiet, runtime, thread
from twinflow._src.core.dtypes import REALS
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import Kind, Op, Param
from twinflow._src.train.optimizers.gpu import replaced
from twinflow._src.train.optimizers.update_math import Rule, Tensors, arithmetic, pieces
from twinflow._src.variables.handle import update_together


def updating(type: str, rule: Rule, slots: int, numbers: int, gradient: bool = True) -> Op:
    """Returns an op that updates a variable by a rule, in place if the buffer is not shared.

    Args:
        type: The op type, used in logs and graphs.
        rule: The rule; see ``update_math``.
        slots: Number of slots of the variable.
        numbers: Number of scalar inputs of a step.
        gradient: True if the rule takes a gradient.
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
    """Updates a variable and its slots by a rule, block by block in the CPU cache.

    See ``replaced``.
    """
    update_together(writer(xp, rule, gradient, settings, handles[0].value_dtype.np), handles, given)


def writer(
    xp: Any, rule: Rule, gradient: bool, settings: dict[str, Any], dtype: Any
) -> Callable[..., list[Any]]:
    """Returns the callback of ``update_together`` that updates a variable and its slots by a rule.

    Args:
        xp: The array module.
        rule: The rule.
        gradient: True if there is a gradient.
        settings: The rule's settings.
        dtype: The dtype of the variable.
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

        if type(parts) is tuple:  # a single block
            work()
        else:
            uninterrupted(work)
        return results

    return write


class Update:
    """A rule as an op, or on tensors if the op does not apply.

    Args:
        type: The op type.
        rule: The rule.
        slots: Number of slots of the variable.
        numbers: Number of scalar inputs of a step.
        gradient: True if the rule takes a gradient.
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
            slots: Its slot variables.
            gradient: The gradient, IndexedSlices, or None if the rule takes none.
            numbers: Scalar tensors of the variable's dtype.
            **settings: The rule's settings.
        """
        tensors = [gradient, *numbers] if self._gradient else numbers
        if _is_plain(variable, gradient, tensors):
            handles = [state._handle for state in (variable, *slots)]
            arrays = [tensor._array for tensor in tensors]
            allocate_on_device(
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


# The update, the lists of slots, and the settings of a rule.
Ruled = tuple[Update, tuple[list[Any], ...], dict[str, Any]]


def _is_plain(variable: Any, gradient: Any, tensors: Sequence[Any]) -> bool:
    """True if the kernel can be called directly: no observers, inputs on the host, equal shapes."""
    scope, device = thread.scope, variable._handle.device
    if device.kind != "CPU" or device is not runtime.home or scope.observers or not scope.eager:
        return False
    for tensor in tensors:
        if type(tensor) is not EagerTensor or tensor._device is not device:
            return False
    fits = gradient is None or gradient._array.shape == variable._shape._dims
    return fits and variable.dtype in REALS


def _fits(variable: Any, gradient: Any) -> bool:
    """True if the op applies: a dense gradient of the variable's shape, which is fully defined."""
    dims = variable.shape._dims
    if variable.dtype not in REALS or dims is None or None in dims:
        return False
    if gradient is None:
        return True
    return not isinstance(gradient, IndexedSlices) and gradient.shape._dims == dims
