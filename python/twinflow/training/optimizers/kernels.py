"""The operations that update a variable and its slots in one go, and what decides when they serve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...backends.answers import is_host
from ...composites.indexed_slices import IndexedSlices
from ...context import quiet, runtime, thread
from ...dtypes import REALS
from ...execute import execute
from ...schema import Kind, Op, Param
from ...tensor import EagerTensor
from .arithmetic import Rule, Tensors, arithmetic, pieces
from .fused import replaced


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
        states, rest = inputs[: slots + 1], inputs[slots + 1 :]
        if not is_host(xp):
            replaced(xp, rule, [state._handle for state in states], rest, gradient, settings)
            return
        given = list(rest[:gradient])

        def work(arrays: list[Any]) -> None:
            own = arithmetic(xp, arrays[0].dtype)
            for piece in pieces(xp, arrays + given):
                change = piece[slots + 1] if gradient else None
                rule(own, piece[0], piece[1 : slots + 1], change, rest[gradient:], **settings)

        _with_memory(xp, [state._handle for state in states], [], work)

    found = Op(type, kernel, impure=True, no_gradient=True, dtypes=REALS)
    found.kinds = (*[Kind("resource")] * (slots + 1), *[Kind()] * (gradient + numbers))
    found.tensors = found.params = tuple(
        Param(f"input_{i}", None, kind) for i, kind in enumerate(found.kinds)
    )
    found.infer = lambda node: ([], [], False)
    return found


def _with_memory(
    xp: Any, handles: list[Any], arrays: list[Any], work: Callable[[list[Any]], None]
) -> None:
    """Calls a function with the memory of variables: present values, ready to be written over."""
    if len(arrays) == len(handles):
        work(arrays)
        return

    def write(old: Any, out: Any) -> Any:
        if out is not old:
            xp.copyto(out, old)
        _with_memory(xp, handles, [*arrays, out], work)
        return out

    handles[len(arrays)].update(write)


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
        self.rule = rule
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
        if not _fits(variable, gradient):
            self.rule(Tensors, variable, slots, gradient, numbers, **settings)
            return
        tensors = [*([] if gradient is None else [gradient]), *numbers]
        device = variable._handle.device
        if not _is_plain(device, tensors):
            execute(self.op, [variable, *slots, *tensors], settings)
        else:
            arrays = [tensor._array for tensor in tensors]
            quiet().run(self.op.kernel, device.xp, variable, *slots, *arrays, **settings)


def _fits(variable: Any, gradient: Any) -> bool:
    """Whether the operation takes a gradient: whole, of the variable's shape, which is all known."""
    dims = variable.shape._dims
    if variable.dtype not in REALS or dims is None or None in dims:
        return False
    if gradient is None:
        return True
    return not isinstance(gradient, IndexedSlices) and gradient.shape._dims == dims


def _is_plain(device: Any, tensors: list[Any]) -> bool:
    """Whether nothing observes the call and all is on the home device."""
    scope = thread.scope
    if device.kind != "CPU" or device is not runtime.home or scope.observers or not scope.eager:
        return False
    return all(type(x) is EagerTensor and x._device is device for x in tensors)
