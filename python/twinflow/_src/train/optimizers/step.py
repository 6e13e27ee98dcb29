"""Training steps of optimizers: gradients to variable updates.

``Prepared`` is the fast path for repeated steps on the same variables on one device, by a rule and
without options that modify gradients. It caches the lookups and checks that are the same in each
step, and then calls the updates in sequence.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.core.context import quiet, runtime, thread
from twinflow._src.core.devices import Device, no_room
from twinflow._src.core.dtypes import REALS, bfloat16
from twinflow._src.core.errors import invalid
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.inputs import FAST
from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.descriptions import within
from twinflow._src.train.optimizers.formulas import DECAY
from twinflow._src.train.optimizers.updates import Rule, Update
from twinflow._src.variables.handle import update_together
from twinflow._src.variables.keras_variable import Variable


def plain(variable: Any) -> Any:
    """Returns the ``tf.Variable`` of either kind of variable; in a replica, the local copy."""
    variable = variable.value if isinstance(variable, Variable) else variable
    return variable if variable._values is None else variable._localized()


def do_if(
    condition: Any, do: Callable[[], None], otherwise: Callable[[], None] = lambda: None
) -> None:
    """Calls one of two functions; in a graph, by ``tf.cond``."""
    if thread.scope.graph is None:
        (do if condition else otherwise)()
    else:
        API["cond"](condition, do, otherwise)


# Fast path for repeated steps.


def prepared(optimizer: Any, variables: list[Any]) -> Prepared | None:
    """Returns the cached state for the fast path of steps, or None if only the slow path applies."""
    # The optimizer is built and updates by a rule.
    home = runtime.home
    if home is None or optimizer._has_options or not _usual(variables):
        return None
    steps = Prepared(optimizer, variables, home)
    states = [state for row in steps.states for state in row]
    dtypes = REALS if home.kind == "CPU" else REALS - {bfloat16}  # slow path: rounds bfloat16
    if steps.dtype not in dtypes or not all(state.dtype is steps.dtype for state in states):
        return None
    is_home = all(state._handle.device is home for state in states)
    return steps if is_home and all(map(_is_ready, (*states, steps.count))) else None


def _is_ready(state: Any) -> bool:
    """True if a variable is initialized, of known shape, and not distributed."""
    if type(state) not in FAST or state._values is not None:
        return False
    return state._handle.array is not None and state.shape.is_fully_defined()


def _usual(variables: Sequence[Any]) -> bool:
    """True if no variable has a constraint or is overwritten by its gradient."""
    return not any(
        v.constraint is not None or getattr(v, "overwrite_with_gradient", False) for v in variables
    )


class Prepared:
    """Cached state of the fast path of an optimizer's steps, for variables on one device.

    ``states`` holds, for each variable, a list of it and its slots.
    """

    def __init__(self, optimizer: Any, variables: list[Any], home: Device) -> None:
        self._home, self._ids = home, [*map(id, variables)]
        self._variables = variables  # keeps the objects alive, so that their ids stay unique
        update, slots, settings = optimizer._rule()
        self.count = plain(optimizer._iterations)
        self.states = [[v, *optimizer._slots(v, slots)] for v in map(plain, variables)]
        self.dtype = self.states[0][0].dtype
        self._dims = [row[0]._shape._dims for row in self.states]
        self._change = self._changing(update, settings)
        self._decay = self._changing(DECAY, {})
        decays = optimizer.weight_decay is not None
        self._decaying = [decays and optimizer._decays(row[0]) for row in self.states]
        self._one = np.ones((), self.count.dtype.np)
        self._handles = [[state._handle for state in row] for row in self.states]
        # Variables with constraints, which may change.
        self._constrained = [v for v in variables if isinstance(v, Variable)]

    def _changing(self, update: Update, settings: dict[str, Any]) -> Callable[..., Any]:
        """Returns the function of handles and arrays that performs an update."""
        home, dtype = self._home, self.dtype.np
        if home.kind == "CPU":  # arrays of rank 0 halve the overhead of NumPy's ufuncs
            floats = {n: np.asarray(v, dtype) for n, v in settings.items() if type(v) is float}
            settings = settings | floats
        writer = update.writer(home.xp, dtype, settings)
        if home.kind == "GPU":
            return functools.partial(home.backend.run, update_together, home.ordinal, writer)
        return functools.partial(update_together, writer)

    def step(self, optimizer: Any, grads: Sequence[Any], variables: Sequence[Any]) -> bool:
        """Performs a step on the fast path; False, without changes, if a guard failed."""
        scope, rate = thread.scope, optimizer._learning_rate
        if (
            scope.observers
            or not scope.eager
            or runtime.home is not self._home
            or runtime.replicated
        ):
            return False
        if [*map(id, variables)] != self._ids or type(rate) is not Variable:
            return False
        if not self._fit(grads) or (self._constrained and not _usual(self._constrained)):
            return False
        rate = cast(rate.value._read(), self.dtype)
        numbers = optimizer._step_numbers(rate, self.dtype)
        decay = [cast(optimizer.weight_decay, self.dtype), rate] if any(self._decaying) else []
        for number in (*numbers, *decay):
            if number._device is not self._home:
                return False
        arrays = [number._array for number in numbers]
        quiet().run(self._write, grads, arrays, [number._array for number in decay])
        count = self.count._handle
        if count.device.kind == "CPU":
            count.update(self._one_more)
        else:
            self.count.assign_add(1, read_value=False)
        return True

    def _fit(self, grads: Sequence[Any]) -> bool:
        """True if gradients are dense eager tensors with the device, dtype, shape of variables."""
        home, dtype = self._home, self.dtype
        for gradient, dims in zip(grads, self._dims):
            if (
                type(gradient) is not EagerTensor
                or gradient._device is not home
                or gradient.dtype is not dtype
            ):
                return False
            if gradient._array.shape != dims:
                return False
        return len(grads) == len(self._dims)

    def _one_more(self, count: Any, out: Any) -> Any:
        return np.add(count, self._one, out)

    def _write(self, grads: Sequence[Any], numbers: list[Any], decay: list[Any]) -> None:
        change = self._change
        for handles, gradient, is_decaying in zip(self._handles, grads, self._decaying):
            try:
                if is_decaying:
                    self._decay(handles[:1], decay)
                change(handles, (gradient._array, *numbers))
            except MemoryError as error:
                dims = handles[0].lend().shape
                raise no_room(dims, self.dtype.cname, self._home.name) from error


# Steps of all optimizers.


class Steps:
    """Training steps of optimizers; see ``Optimizer``."""

    name: str
    built: bool
    build: Callable[[Any], None]
    use_ema: bool
    loss_scale_factor: Any
    gradient_accumulation_steps: int | None
    _iterations: Variable
    _accumulate: Callable[..., None]
    _apply_at_once: Callable[..., None]
    _average: Callable[[], None]
    _get_variable_index: Callable[[Any], int]
    _variables: list[Any]
    _trainable_variables: list[Any]
    _trainable_variables_indices: dict[str, int]
    _accumulated_gradients: list[Any]
    _numbers: dict[Any, Any] | None = None
    _checked: list[Any] | None = None  # variables of the last step
    _prepared: Prepared | None = None  # fast path, invalidated when an attribute is set

    def apply_gradients(self, grads_and_vars: Any) -> Any:
        """Applies gradients to variables.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a variable.

        Returns:
            The variable that counts steps.
        """
        grads, variables = zip(*grads_and_vars)
        self.apply(grads, variables)
        return self._iterations

    def apply(self, grads: Any, trainable_variables: Any = None) -> None:
        """Applies gradients to variables.

        Args:
            grads: The gradients, some of which may be None.
            trainable_variables: The variables; those passed to ``build`` if None.

        Raises:
            ValueError: The gradients do not match the variables, or a variable is unknown.
            InvalidArgumentError: The rows of IndexedSlices do not have the shape of the variable's.
        """
        if len(grads) == 0:
            return
        ready = self._prepared
        if (
            ready is not None
            and trainable_variables is not None
            and ready.step(self, grads, trainable_variables)
        ):
            return
        if trainable_variables is None:
            self._check_built(grads)
            variables = self._trainable_variables
        else:
            variables = list(trainable_variables)
            if not self.built:
                with within(self.name, self):
                    self.build(variables)
                self.built = True
            self._check_known(variables)
        _check_rows(grads, variables)
        with within(self.name, self):
            self._apply_known(*_without_empty(list(grads), list(variables)))
        if runtime.replicated and thread.replica is None:
            _meeting().agree([*variables, *self._variables])
        (self._iterations.value if thread.replica is None else plain(self._iterations)).assign_add(
            1
        )

    def _apply_known(self, grads: list[Any], variables: list[Any]) -> None:
        grads, variables = self._without_overwritten(grads, variables)
        if not grads:
            return
        if self.loss_scale_factor is not None:
            grads = [g / self.loss_scale_factor for g in grads]
        if self.gradient_accumulation_steps:
            self._accumulate(grads, variables)
        else:
            self._apply_at_once(grads, variables)
        if self.use_ema:
            self._average()
        for variable in variables:
            if variable.constraint is not None:
                variable.assign(variable.constraint(variable))

    def _backend_update_step(self, grads: Any, variables: Any, learning_rate: Any) -> None:
        if thread.replica is not None:
            grads = _meeting().summed_over_replicas(grads, variables)
        # Step numbers shared by the variables of one dtype during this step; not tracked.
        object.__setattr__(self, "_numbers", {})
        try:
            if self._goes_by_rule():
                self._update_by_rule(grads, variables, learning_rate)
            else:
                for grad, variable in zip(grads, variables):
                    self.update_step(grad, plain(variable), learning_rate)
        finally:
            object.__setattr__(self, "_numbers", None)

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        """Updates a variable; to be overridden by subclasses.

        Args:
            gradient: The gradient.
            variable: The ``tf.Variable``.
            learning_rate: The learning rate.
        """
        self._update_by_rule([gradient], [variable], learning_rate)

    def _goes_by_rule(self) -> bool:
        """True if no subclass overrides the update methods."""
        kind = type(self)
        return (
            kind.update_step is Steps.update_step
            and kind._backend_update_step is Steps._backend_update_step
        )

    def _update_by_rule(self, grads: Any, variables: Any, learning_rate: Any) -> None:
        update, slots, settings = self._rule()
        for grad, variable in zip(grads, map(plain, variables)):
            numbers = self._numbers_of(variable, learning_rate)
            update(
                variable,
                self._slots(variable, slots),
                cast(grad, variable.dtype),
                numbers,
                **settings,
            )

    def _rule(self) -> Rule:
        """Returns the update, the lists of slots and the settings of the optimizer's rule."""
        raise NotImplementedError

    def _numbers_of(self, variable: Any, learning_rate: Any) -> Any:
        """Returns the numbers of this step in the variable's dtype, cached for all variables."""
        dtype, graph = variable.dtype, thread.scope.graph
        numbers = self._numbers  # may be reset by a step in another thread
        if numbers is None:
            return self._step_numbers(cast(learning_rate, dtype), dtype)
        if (dtype, graph) not in numbers:
            if isinstance(learning_rate, Variable):
                learning_rate = learning_rate.value._read()
            numbers[dtype, graph] = self._step_numbers(cast(learning_rate, dtype), dtype)
        return numbers[dtype, graph]

    def _step_numbers(self, rate: Any, dtype: Any) -> Any:
        """Returns the inputs of the rule for a step: scalar tensors of a dtype."""
        return (rate,)

    def _slots(self, variable: Any, slots: tuple[list[Any], ...]) -> list[Any]:
        index = self._trainable_variables_indices[variable._unique_id]
        return [plain(slot[index]) for slot in slots]

    def _check_built(self, grads: Any) -> None:
        if not self.built:
            raise ValueError(
                "When passing `grads` without `variables`, the optimizer must already be built on a "
                "list of variables. Call `optimizer.build(trainable_variables)` first. "
            )
        if len(grads) != len(self._trainable_variables_indices):
            raise ValueError(
                "When passing `grads` as a list of gradient tensors, the gradients must match "
                f"`optimizer.variables` one-to-on. Received a list of {len(grads)} gradients, but the "
                f"optimizer is tracking {len(self._trainable_variables)} trainable variables."
            )

    def _check_known(self, variables: list[Any]) -> None:
        if self._checked is not None and list(map(id, variables)) == list(map(id, self._checked)):
            return
        for variable in variables:
            if plain(variable)._unique_id not in self._trainable_variables_indices:
                raise ValueError(
                    f"Unknown variable: {variable}. This optimizer can only be called for the "
                    "variables it was originally built with. When working with a new set of "
                    "variables, you should recreate a new optimizer instance."
                )
        object.__setattr__(self, "_checked", variables)  # not tracked
        object.__setattr__(
            self, "_prepared", prepared(self, variables) if self._goes_by_rule() else None
        )

    def _forget_steps(self) -> None:
        """Invalidates the cache of the last step, as an attribute was set."""
        for name in ("_checked", "_prepared"):
            vars(self).pop(name, None)

    # ---------------------------------------------------------------- for subclasses
    def assign(self, variable: Any, value: Any) -> None:
        """Assigns a value to a variable, or to rows of it."""
        _assigned(plain(variable), value, "assign", "scatter_update")

    def assign_add(self, variable: Any, value: Any) -> None:
        """Adds a value to a variable, or to rows of it."""
        _assigned(plain(variable), value, "assign_add", "scatter_add")

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtracts a value from a variable, or from rows of it."""
        _assigned(plain(variable), value, "assign_sub", "scatter_sub")

    # ---------------------------------------------------------------- overwrite_with_gradient
    def _without_overwritten(
        self, grads: list[Any], variables: list[Any]
    ) -> tuple[list[Any], list[Any]]:
        """Assigns gradients to variables with ``overwrite_with_gradient``; returns the others."""
        if not any(getattr(variable, "overwrite_with_gradient", False) for variable in variables):
            return grads, variables
        rest = []
        for g, variable in zip(grads, variables):
            if getattr(variable, "overwrite_with_gradient", False):
                self._overwrite(variable, g)
            else:
                rest.append((g, variable))
        return [g for g, _ in rest], [v for _, v in rest]

    def _overwrite(self, variable: Any, g: Any) -> None:
        steps = self.gradient_accumulation_steps
        if not steps:
            variable.assign(g)
            return
        most = self._accumulated_gradients[self._get_variable_index(variable)]

        def replace() -> None:
            variable.assign(API["maximum"](g, most.value))
            most.assign(API["zeros_like"](g))

        do_if(
            (self._iterations + 1) % steps == 0,  # type: ignore[operator]
            replace,
            lambda: most.assign(API["maximum"](g, most.value)),
        )


def _meeting() -> Any:
    """Returns the hooks for variables mirrored over replicas."""
    from twinflow._src.wings.distribute import variables as distributed

    return distributed


def _check_rows(grads: Sequence[Any], variables: Sequence[Any]) -> None:
    """Raises an error where rows of IndexedSlices do not have the shape of the variable's rows."""
    for gradient, variable in zip(grads, variables):
        if type(gradient) is not IndexedSlices or not gradient.values.shape.rank:
            continue
        rows, dims = gradient.values.shape[1:], plain(variable).shape[1:]
        if not rows.is_compatible_with(dims):
            message = (
                f"The rows of the gradient of '{plain(variable).name}' must have its shape {dims}, got {rows}: "
                f"values.shape {gradient.values.shape}, params.shape {plain(variable).shape}"
            )
            raise invalid(message) if thread.scope.graph is None else ValueError(message)


def _without_empty(grads: list[Any], variables: list[Any]) -> tuple[list[Any], list[Any]]:
    """Returns the gradients that are not None, and their variables."""
    if all(g is not None for g in grads):
        return grads, variables
    missing = [getattr(v, "path", v.name) for g, v in zip(grads, variables) if g is None]
    pairs = [(g, v) for g, v in zip(grads, variables) if g is not None]
    if not pairs:
        raise ValueError("No gradients provided for any variable.")
    if missing:
        warnings.warn(
            f"Gradients do not exist for variables {missing} when minimizing the loss. If using "
            "`model.compile()`, did you forget to provide a `loss` argument?",
            stacklevel=4,
        )
    return [g for g, _ in pairs], [v for _, v in pairs]


def _assigned(variable: Any, value: Any, dense: str, sparse: str) -> None:
    value = cast(value, variable.dtype)
    getattr(variable, sparse if isinstance(value, IndexedSlices) else dense)(value)
