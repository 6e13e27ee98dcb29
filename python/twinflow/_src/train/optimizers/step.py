"""The steps of optimizers: from gradients to updates."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.core.context import runtime, thread
from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.train.naming import within
from twinflow._src.train.optimizers.kernels import Ruled
from twinflow._src.train.optimizers.options import do_if, plain
from twinflow._src.train.optimizers.step_cache import Prepared, prepared
from twinflow._src.variables.keras_variable import Variable


class Steps:
    """How optimizers make a step; see ``Optimizer``."""

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
    _checked: list[Any] | None = None  # the variables of the last step
    _prepared: Prepared | None = None  # what the steps have in common, until an attribute is set

    def apply_gradients(self, grads_and_vars: Any) -> Any:
        """Makes a step.

        Args:
            grads_and_vars: Pairs of a gradient, or None, and a variable.

        Returns:
            The number of steps, a variable.
        """
        grads, variables = zip(*grads_and_vars)
        self.apply(grads, variables)
        return self._iterations

    def apply(self, grads: Any, trainable_variables: Any = None) -> None:
        """Makes a step.

        Args:
            grads: The gradients, some of which may be None.
            trainable_variables: The variables; those for which the optimizer was built where None.

        Raises:
            ValueError: The gradients do not fit the variables, or the optimizer does not know those.
        """
        if len(grads) == 0:
            return
        ready = self._prepared
        if ready is not None and trainable_variables is not None and ready.step(self, grads, trainable_variables):
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
        with within(self.name, self):
            self._apply_known(*_without_empty(list(grads), list(variables)))
        if runtime.replicated and thread.replica is None:
            _meeting().agree([*variables, *self._variables])
        (self._iterations.value if thread.replica is None else plain(self._iterations)).assign_add(1)

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
        # What the variables of one type share, while this step is made; nothing to save.
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
        """Updates a variable; an optimizer of your own says how.

        Args:
            gradient: The gradient.
            variable: The ``tf.Variable``.
            learning_rate: The rate.
        """
        self._update_by_rule([gradient], [variable], learning_rate)

    def _goes_by_rule(self) -> bool:
        """Whether a step is the rule and nothing else."""
        kind = type(self)
        return kind.update_step is Steps.update_step and kind._backend_update_step is Steps._backend_update_step

    def _update_by_rule(self, grads: Any, variables: Any, learning_rate: Any) -> None:
        update, slots, settings = self._rule()
        for grad, variable in zip(grads, map(plain, variables)):
            numbers = self._numbers_of(variable, learning_rate)
            update(variable, self._slots(variable, slots), cast(grad, variable.dtype), numbers, **settings)

    def _rule(self) -> Ruled:
        """What optimizers have whose step is a rule: their update, the lists of their slots, its settings."""
        raise NotImplementedError

    def _numbers_of(self, variable: Any, learning_rate: Any) -> Any:
        """The numbers of this step in the variable's type, computed once for all variables."""
        dtype, graph = variable.dtype, thread.scope.graph
        numbers = self._numbers  # which another thread's step may take away
        if numbers is None:
            return self._step_numbers(cast(learning_rate, dtype), dtype)
        found = numbers.get((dtype, graph))
        if found is None:
            if isinstance(learning_rate, Variable):
                learning_rate = learning_rate.value._read()
            found = self._step_numbers(cast(learning_rate, dtype), dtype)
            numbers[dtype, graph] = found
        return found

    def _step_numbers(self, rate: Any, dtype: Any) -> Any:
        """What the rule wants to know of a step: scalar tensors of a type."""
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
        object.__setattr__(self, "_checked", variables)  # nothing to save
        object.__setattr__(self, "_prepared", prepared(self, variables) if self._goes_by_rule() else None)

    def _forget_steps(self) -> None:
        """Forgets what the last step was like; the next one may be another, as an attribute was set."""
        for name in ("_checked", "_prepared"):
            vars(self).pop(name, None)

    # ---------------------------------------------------------------- for optimizers of one's own
    def assign(self, variable: Any, value: Any) -> None:
        """Replaces the value of a variable, or rows of it."""
        _assigned(plain(variable), value, "assign", "scatter_update")

    def assign_add(self, variable: Any, value: Any) -> None:
        """Adds to the value of a variable, or to rows of it."""
        _assigned(plain(variable), value, "assign_add", "scatter_add")

    def assign_sub(self, variable: Any, value: Any) -> None:
        """Subtracts from the value of a variable, or from rows of it."""
        _assigned(plain(variable), value, "assign_sub", "scatter_sub")

    # ---------------------------------------------------------------- variables that become their gradient
    def _without_overwritten(self, grads: list[Any], variables: list[Any]) -> tuple[list[Any], list[Any]]:
        """What is left when the variables that ask for it have been replaced by their gradients."""
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
    """What optimizers do where variables have a copy for each replica."""
    from twinflow._src.wings.distribute import optimizer_hooks

    return optimizer_hooks


def _without_empty(grads: list[Any], variables: list[Any]) -> tuple[list[Any], list[Any]]:
    """Gradients that are not None, and their variables."""
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
