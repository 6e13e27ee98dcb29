"""Steps that repeat: the same variables on the host, a rule, and no option that changes gradients or weights.

What a step looks up, checks and enters for each variable is the same in the next step. It is kept here,
and the updates are called one after the other, as ``Update`` calls each where nothing observes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...context import quiet, runtime, thread
from ...devices import Device
from ...direct import FAST
from ...dtypes import REALS
from ...ops.elementary.casting import cast
from ...tensor import EagerTensor
from ...variables.keras_variable import Variable
from .kernels import written
from .options import plain


def prepared(optimizer: Any, variables: list[Any]) -> Prepared | None:
    """What the steps of an optimizer have in common; None where they have to go the usual way.

    Args:
        optimizer: An optimizer whose step is a rule, and which has its slots.
        variables: Its variables.
    """
    home = runtime.home
    if home is None or home.kind != "CPU" or not _usual(variables):
        return None
    found = Prepared(optimizer, variables, home)
    states = [state for row in found.states for state in row]
    alike = found.dtype in REALS and all(state.dtype is found.dtype for state in states)
    return found if alike and all(_is_ready(state, home) for state in (*states, found.count)) else None


def _is_ready(state: Any, home: Device) -> bool:
    """Whether a variable is on the host, and has a value of its own of a known shape."""
    if type(state) not in FAST or state._values is not None or state._handle.device is not home:
        return False
    return state._handle.array is not None and state.shape.is_fully_defined()


def _usual(variables: Sequence[Any]) -> bool:
    """Whether updates are all that happens to variables."""
    return not any(v.constraint is not None or getattr(v, "overwrite_with_gradient", False) for v in variables)


class Prepared:
    """What the steps of an optimizer have in common.

    Args:
        optimizer: The optimizer.
        variables: Its variables.
        home: The device where they are.

    Attributes:
        states: For each variable a list of it and its slots.
        count: The variable that counts the steps.
        dtype: The type of the first variable.
    """

    def __init__(self, optimizer: Any, variables: list[Any], home: Device) -> None:
        self._home, self._variables = home, variables
        self._update, self._slots, _ = optimizer._rule()
        own, self.count = list(map(plain, variables)), plain(optimizer._iterations)
        self.states = [[variable, *optimizer._slots(variable, self._slots)] for variable in own]
        self.dtype = own[0].dtype
        self._handles = [[state._handle for state in row] for row in self.states]
        self._dims = [variable._shape._dims for variable in own]
        self._changing = [v for v in variables if isinstance(v, Variable)]  # the options of others do not change

    def step(self, optimizer: Any, grads: Sequence[Any], variables: Sequence[Any]) -> bool:
        """Makes a step.

        Args:
            optimizer: The optimizer.
            grads: The gradients.
            variables: The variables.

        Returns:
            Whether it was made; nothing has changed where it was not, as something is unlike the steps before.
        """
        scope, rate = thread.scope, optimizer._learning_rate
        if scope.observers or not scope.eager or runtime.home is not self._home or runtime.replicated:
            return False
        update, slots, settings = optimizer._rule()
        same = update is self._update and _are(slots, self._slots) and _are(variables, self._variables)
        if not same or optimizer._has_options or type(rate) is not Variable or not _usual(self._changing):
            return False
        arrays = self._arrays(grads)
        if arrays is None:
            return False
        numbers = optimizer._step_numbers(cast(rate.value._read(), self.dtype), self.dtype)
        quiet().run(self._write, update.rule, arrays, [number._array for number in numbers], settings)
        return True

    def _arrays(self, grads: Sequence[Any]) -> list[Any] | None:
        """The arrays of gradients; None where one does not fit its variable as it is."""
        home, dtype, arrays = self._home, self.dtype, []
        if len(grads) != len(self._dims):
            return None
        for gradient, dims in zip(grads, self._dims):
            if type(gradient) is not EagerTensor or gradient._device is not home or gradient.dtype is not dtype:
                return None
            if gradient._array.shape != dims:
                return None
            arrays.append(gradient._array)
        return arrays

    def _write(self, rule: Any, arrays: list[Any], numbers: list[Any], settings: dict[str, Any]) -> None:
        for handles, array in zip(self._handles, arrays):
            written(np, rule, handles, [array, *numbers], True, settings)
        self.count._handle.update(_one_more)


def _one_more(count: Any, out: Any) -> Any:
    return np.add(count, 1, out=out)


def _are(these: Sequence[Any], those: Sequence[Any]) -> bool:
    """Whether two sequences hold the same objects."""
    return [*map(id, these)] == [*map(id, those)]
