"""Steps that repeat: the same variables in one place, a rule, and no option that changes gradients or weights.

What a step looks up, checks and enters for each variable is the same in the next step. It is kept here,
and the updates are called one after the other, as ``Update`` calls each where nothing observes it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.core.allocation import no_room
from twinflow._src.core.context import quiet, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import REALS, bfloat16
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.fast_inputs import FAST
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.optimizers.gpu import replaced
from twinflow._src.train.optimizers.kernels import writer
from twinflow._src.train.optimizers.options import plain
from twinflow._src.variables.handle import update_together
from twinflow._src.variables.keras_variable import Variable


def prepared(optimizer: Any, variables: list[Any]) -> Prepared | None:
    """What the steps of an optimizer have in common; None where they have to go the usual way.

    Args:
        optimizer: An optimizer whose step is a rule, and which has its slots.
        variables: Its variables.
    """
    home = runtime.home
    if home is None or optimizer._has_options or not _usual(variables):
        return None
    found = Prepared(optimizer, variables, home)
    states = [state for row in found.states for state in row]
    types = REALS if home.kind == "CPU" else REALS - {bfloat16}  # which the general path rounds
    alike = found.dtype in types and all(state.dtype is found.dtype for state in states)
    there = alike and all(state._handle.device is home for state in states)
    return found if there and all(map(_is_ready, (*states, found.count))) else None


def _is_ready(state: Any) -> bool:
    """Whether a variable has a value of its own of a known shape."""
    if type(state) not in FAST or state._values is not None:
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
        self._home, self._ids = home, [*map(id, variables)]
        self._variables = variables  # kept, so that no other object gets one of these identities
        self._update, slots, settings = optimizer._rule()
        own, self.count = list(map(plain, variables)), plain(optimizer._iterations)
        self.states = [[variable, *optimizer._slots(variable, slots)] for variable in own]
        self.dtype = own[0].dtype
        self._settings, rule = settings, self._update.rule
        self._change: Callable[..., Any]
        if home.kind == "GPU":
            self._change = functools.partial(home.backend.run, replaced, home.ordinal, home.xp, rule, True, settings)
        else:
            quick = {name: self._quick(value) for name, value in settings.items()}
            self._change = functools.partial(update_together, writer(np, rule, True, quick, self.dtype.np))
        self._one = np.ones((), self.count.dtype.np)
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
        if [*map(id, variables)] != self._ids or type(rate) is not Variable:
            return False
        if not self._fit(grads) or (self._changing and not _usual(self._changing)):
            return False
        numbers = optimizer._step_numbers(cast(rate.value._read(), self.dtype), self.dtype)
        for number in numbers:
            if number._device is not self._home:
                return False
        quiet().run(self._write, grads, numbers)
        count = self.count._handle
        if count.device.kind == "CPU":
            count.update(self._one_more)
        else:
            self.count.assign_add(1, read_value=False)
        return True

    def _fit(self, grads: Sequence[Any]) -> bool:
        """Whether each gradient is one of its variable as it is."""
        home, dtype = self._home, self.dtype
        for gradient, dims in zip(grads, self._dims):
            if type(gradient) is not EagerTensor or gradient._device is not home or gradient.dtype is not dtype:
                return False
            if gradient._array.shape != dims:
                return False
        return len(grads) == len(self._dims)

    def _quick(self, value: Any) -> Any:
        """A number as an array, which NumPy takes in half the time of Python's."""
        return np.asarray(value, self.dtype.np) if type(value) is float else value

    def _one_more(self, count: Any, out: Any) -> Any:
        return np.add(count, self._one, out)

    def _write(self, grads: Sequence[Any], numbers: Sequence[Any]) -> None:
        change, arrays = self._change, [number._array for number in numbers]
        for states, handles, gradient in zip(self.states, self._handles, grads):
            try:
                change(handles, (gradient._array, *arrays))
            except MemoryError as error:
                if self._home.kind == "CPU":  # a part may have been written
                    raise no_room(handles[0].lend().shape, self.dtype.cname, self._home.name) from error
                execute(self._update.op, [*states, gradient, *numbers], self._settings)  # says so, if there is still no room
